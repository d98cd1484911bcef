/* Tells the story that all bindings tell: story STORY.jsonl OPTIONS. Prints replies and events. */
#include <nightfold.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the text with the first `mark` replaced; frees the text. */
static char *replaced(char *text, const char *mark, const char *by)
{
    char *at = strstr(text, mark), *made;
    if (at == NULL || by == NULL)
        return text;
    made = malloc(strlen(text) + strlen(by) + 1);
    if (made == NULL)
        abort();
    sprintf(made, "%.*s%s%s", (int)(at - text), text, by, at + strlen(mark));
    free(text);
    return made;
}

/* Returns a copy of the JSON between `key` and the last brace; NULL if the reply does not begin with the key. */
static char *within(const char *reply, const char *key)
{
    size_t skip = strlen(key), length = strlen(reply);
    char *copy;
    if (strncmp(reply, key, skip) != 0)
        return NULL;
    copy = malloc(length - skip);
    if (copy == NULL)
        abort();
    memcpy(copy, reply + skip, length - skip - 1);
    copy[length - skip - 1] = 0;
    return copy;
}

static char *next_line(FILE *story)
{
    size_t length = 0, room = 1 << 16;
    char *line = malloc(room);
    int c;
    if (line == NULL)
        abort();
    while ((c = getc(story)) != EOF && c != '\n' && length + 1 < room)
        line[length++] = (char)c;
    line[length] = 0;
    if (c == EOF && length == 0) {
        free(line);
        return NULL;
    }
    return line;
}

int main(int argc, char **argv)
{
    FILE *story = argc == 3 ? fopen(argv[1], "r") : NULL;
    char *saved = NULL, *plan = NULL, *line;
    nf_town *town;
    if (story == NULL)
        return fprintf(stderr, "usage: story STORY.jsonl OPTIONS\n"), 2;
    if (nf_abi_version() != NF_ABI_VERSION)
        return fprintf(stderr, "the library does not fit the header\n"), 1;
    town = nf_open(argv[2]);
    if (town == NULL)
        return fprintf(stderr, "%s\n", nf_last_error()), 1;
    while ((line = next_line(story)) != NULL) {
        const char *reply, *event;
        line = replaced(line, "\"@saved\"", saved);
        line = replaced(line, "\"@plan\"", plan);
        reply = nf_do(town, line);
        free(line);
        if (reply != NULL) {
            char *part;
            puts(reply);
            if ((part = within(reply, "{\"saved\":")) != NULL)
                free(saved), saved = part;
            if ((part = within(reply, "{\"plan\":")) != NULL)
                free(plan), plan = part;
        } else {
            printf("refused %s\n", nf_last_error_code());
        }
        while ((event = nf_next_event(town)) != NULL)
            puts(event);
    }
    nf_close(town);
    free(saved);
    free(plan);
    fclose(story);
    return 0;
}
