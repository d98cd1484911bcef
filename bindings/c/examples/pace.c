/* Measures a town as every binding does: pace COMMANDS.jsonl NPCS QUESTIONS OPTIONS. See bindings/conformance/README.md. */
#define _POSIX_C_SOURCE 200809L
#include <nightfold.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int ascending(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Runs a frame; returns the number of events of this kind. */
static long frame(nf_town *town, int64_t *now, const char *kind, long pause_us)
{
    const struct timespec pause = {0, pause_us * 1000};
    const char *event;
    long count = 0;
    if (nf_tick(town, ++*now) < 0)
        fprintf(stderr, "%s\n", nf_last_error()), exit(1);
    while ((event = nf_next_event(town)) != NULL)
        count += strncmp(event, kind, strlen(kind)) == 0;
    if (count == 0)
        nanosleep(&pause, NULL);
    return count;
}

int main(int argc, char **argv)
{
    static char line[1 << 16];
    FILE *commands = argc == 5 ? fopen(argv[1], "r") : NULL;
    long npcs = argc == 5 ? atol(argv[2]) : 0, questions = argc == 5 ? atol(argv[3]) : 0;
    double *waits = calloc((size_t)questions + 1, sizeof *waits), begun, rate;
    int64_t now = 100000;
    nf_town *town;
    if (commands == NULL || waits == NULL)
        return fprintf(stderr, "usage: pace COMMANDS.jsonl NPCS QUESTIONS OPTIONS\n"), 2;
    if ((town = nf_open(argv[4])) == NULL)
        return fprintf(stderr, "%s\n", nf_last_error()), 1;
    begun = seconds();
    while (fgets(line, sizeof line, commands) != NULL)
        if (nf_do(town, line) == NULL)
            return fprintf(stderr, "%s: %s\n", nf_last_error(), line), 1;
    for (long slept = 0; slept < npcs;)
        slept += frame(town, &now, "{\"event\":\"consolidated\"", 1000);
    rate = (double)npcs / (seconds() - begun);
    for (long number = 0; number < questions; number++) {
        double asked = seconds();
        snprintf(line, sizeof line, "What about number %ld?", number);
        if (nf_ask(town, "Asked", line, NULL) < 0)
            return fprintf(stderr, "%s\n", nf_last_error()), 1;
        while (frame(town, &now, "{\"event\":\"answered\"", 250) == 0)
            ;
        waits[number] = (seconds() - asked) * 1e3;
    }
    qsort(waits, (size_t)questions, sizeof *waits, ascending);
    printf("%.2f nights a second, answers %.1f ms in the median, %.1f ms at p99\n", rate, waits[questions / 2],
           waits[questions * 99 / 100]);
    nf_close(town);
    fclose(commands);
    free(waits);
    return 0;
}
