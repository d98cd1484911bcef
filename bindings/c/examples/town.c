/* An NPC's day, night and morning, in thirty lines: cc town.c $(pkg-config --cflags --libs nightfold) */
#include <nightfold.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Runs frames until an event of this name, and prints it. */
static int frames_until(nf_town *town, int64_t *now, const char *name)
{
    const struct timespec frame = {0, 16 * 1000 * 1000};
    for (;;) {
        const char *event;
        if (nf_tick(town, ++*now) < 0)
            return fprintf(stderr, "%s\n", nf_last_error()), 0;
        while ((event = nf_next_event(town)) != NULL)
            if (strstr(event, name) != NULL)
                return puts(event), 1;
        nanosleep(&frame, NULL);
    }
}

int main(void)
{
    int64_t now = 79200;
    nf_town *town = nf_open("{}");
    if (town == NULL || nf_spawn(town, "Mara", 1) < 0
        || nf_live(town, "Mara", "{\"at\":36000,\"kind\":\"chat\",\"text\":\"Joss owes Tom 14 silver for the axle\"}") < 0
        || nf_sleep(town, "Mara", now, now + 28800, 1.0) < 0)
        return fprintf(stderr, "%s\n", nf_last_error()), 1;
    if (!frames_until(town, &now, "\"consolidated\""))
        return 1;
    if (nf_ask(town, "Mara", "What does Joss owe?", NULL) < 0 || !frames_until(town, &now, "\"answered\""))
        return 1;
    nf_close(town);
    return 0;
}
