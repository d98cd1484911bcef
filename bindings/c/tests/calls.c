/* Calls that are done or refused, whatever they are given: run plain, under AddressSanitizer and under valgrind. Vectors are the
 * program's own, so that no model is needed. calls SEED CALLS */
#include <nightfold.h>

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DIMENSIONS 16

static unsigned long long state;

static unsigned below(unsigned n)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(state >> 33) % n;
}

/* Gives vectors for the texts of an event "vectors_wanted": one number for each letter. */
static int give_vectors(nf_town *town, const char *event)
{
    static float rows[64 * DIMENSIONS];
    const char *batch = strstr(event, "\"batch\":"), *text = strstr(event, "\"texts\":[");
    size_t texts = 0;
    assert(batch != NULL && text != NULL);
    memset(rows, 0, sizeof rows);
    for (text += 9; *text == '"' || *text == ','; text++) {
        if (*text == ',')
            continue;
        assert(texts < 64);
        rows[texts * DIMENSIONS] = 0.1f;
        for (text++; *text != '"'; text++) {
            if (*text == '\\')
                text++;
            rows[texts * DIMENSIONS + (unsigned char)*text % DIMENSIONS] += 1.0f;
        }
        texts++;
    }
    return nf_vectors(town, strtoull(batch + 8, NULL, 10), rows, texts * DIMENSIONS);
}

/* Ticks until an event of this kind, and gives vectors on the way. */
static void until(nf_town *town, int64_t *now, const char *kind)
{
    const struct timespec moment = {0, 1000 * 1000};
    for (int tries = 0; tries < 60000; tries++) {
        const char *event;
        assert(nf_tick(town, ++*now) >= 0);
        while ((event = nf_next_event(town)) != NULL) {
            if (strstr(event, "\"vectors_wanted\"") != NULL)
                assert(give_vectors(town, event) == 0);
            else if (strstr(event, kind) != NULL)
                return;
        }
        nanosleep(&moment, NULL);
    }
    assert(!"the event comes");
}

static const char *refused(void)
{
    assert(nf_last_error() != NULL && nf_last_error()[0] != 0);
    return nf_last_error_code();
}

static const char OPTIONS[] = "{\"embedder\":{\"host\":{\"model\":\"own@1\",\"dimensions\":16}}}";
static const char MEMORY[] = "{\"at\":10,\"kind\":\"chat\",\"text\":\"Joss owes Tom 14 silver \\u0007 \\\"for the axle\\\"\"}";

static void a_night(void)
{
    int64_t now = 20;
    nf_town *town = nf_open(OPTIONS);
    assert(town != NULL && nf_last_error() == NULL);
    assert(nf_spawn(town, "Mara \xc3\x9e\xc3\xb3rn", 1) == 0);
    assert(nf_live(town, "Mara \xc3\x9e\xc3\xb3rn", MEMORY) == 0);
    assert(nf_tick(town, now) >= 0);
    assert(nf_sleep(town, "Mara \xc3\x9e\xc3\xb3rn", now, 100000, 0.9) == 0);
    until(town, &now, "\"consolidated\"");
    assert(nf_ask(town, "Mara \xc3\x9e\xc3\xb3rn", "What does Joss owe?", "{\"kinds\":[\"chat\"]}") == 1);
    until(town, &now, "14 silver");
    assert(strstr(nf_do(town, "{\"do\":\"status\"}"), "\"npcs\":1") != NULL);
    assert(nf_wake(town, "Mara \xc3\x9e\xc3\xb3rn") == 0);
    until(town, &now, "\"woke\"");
    nf_close(town);
    assert(nf_tick(town, now) < 0 && strcmp(refused(), "no_town") == 0);
    nf_close(town);
    nf_close(NULL);
}

static void impossible_calls(void)
{
    nf_town *town = nf_open(OPTIONS);
    char *long_text = malloc((1 << 21) + 1);
    float numbers[4] = {NAN, 0, 0, 0};
    assert(town != NULL && long_text != NULL);
    memset(long_text, 'x', 1 << 21);
    long_text[1 << 21] = 0;
    assert(nf_open(NULL) == NULL && strcmp(refused(), "null") == 0);
    assert(nf_open("{\"treads\":1}") == NULL && strcmp(refused(), "json") == 0);
    assert(nf_open("\xff\xfe") == NULL && strcmp(refused(), "utf8") == 0);
    assert(nf_do(town, NULL) == NULL && strcmp(refused(), "null") == 0);
    assert(nf_do(town, long_text) == NULL && strcmp(refused(), "json") == 0);
    assert(nf_do((nf_town *)0x1234567, "{}") == NULL && strcmp(refused(), "no_town") == 0);
    assert(nf_spawn(town, long_text, 0) < 0 && strcmp(refused(), "name") == 0);
    assert(nf_spawn(town, "\xc3", 0) < 0 && strcmp(refused(), "utf8") == 0);
    assert(nf_despawn(town, "Nobody") < 0 && strcmp(refused(), "unknown_npc") == 0);
    assert(nf_spawn(town, "Mara", 0) == 0 && nf_last_error() == NULL);
    assert(nf_live(town, "Mara", long_text) < 0 && strcmp(refused(), "json") == 0);
    assert(nf_sleep(town, "Mara", 0, INT64_MIN, 1.0) < 0 && strcmp(refused(), "moment") == 0);
    assert(nf_sleep(town, "Mara", 0, 1, NAN) < 0 && strcmp(refused(), "sleep") == 0);
    assert(nf_ask(town, "Mara", "?", NULL) < 0 && strcmp(refused(), "not_recalling") == 0);
    assert(nf_tick(town, INT64_MAX) < 0 && strcmp(refused(), "moment") == 0);
    assert(nf_vectors(town, 1, numbers, 4) < 0 && strcmp(refused(), "vectors") == 0);
    assert(nf_vectors(town, 1, NULL, (size_t)-1) < 0);
    assert(nf_step(town, UINT32_MAX) == 0);
    assert(nf_next_event(town) == NULL && nf_last_error() == NULL);
    free(long_text);
    nf_close(town);
}

static const char *const NAMES[] = {"Mara", "Tom", "Wren", "", "\x1b[2J", "\xff"};

/* Calls of any kind with plausible and impossible values, on towns that are open or closed. */
static void any_calls(unsigned calls)
{
    nf_town *towns[3] = {NULL, NULL, NULL};
    int64_t nows[3] = {0, 0, 0};
    char *saved = NULL;
    unsigned done = 0;
    for (unsigned call = 0; call < calls; call++) {
        unsigned n = below(3);
        nf_town *town = towns[n];
        const char *npc = NAMES[below(6)], *text;
        int64_t result = 0;
        char json[256];
        switch (below(16)) {
        case 0:
            if (below(8) == 0) {
                nf_close(town);
                if (below(2) == 0)
                    towns[n] = nf_open(OPTIONS), nows[n] = 0;
            }
            break;
        case 1: result = nf_spawn(town, npc, (int32_t)below(2)); break;
        case 2: if (below(6) == 0) result = nf_despawn(town, npc); break;
        case 3: case 4: case 5:
            snprintf(json, sizeof json, "{\"at\":%lld,\"kind\":\"event\",\"text\":\"number %u\"}", (long long)nows[n], call);
            result = nf_live(town, npc, json);
            break;
        case 6: result = nf_sleep(town, npc, nows[n], nows[n] + (int64_t)below(9000) - 100, below(12) / 10.0); break;
        case 7: result = nf_wake(town, npc); break;
        case 8: result = nf_ask(town, npc, "which number?", below(3) == 0 ? "{\"kinds\":[\"rumour\"]}" : NULL); break;
        case 9:
            snprintf(json, sizeof json, "{\"do\":\"%s\",\"npc\":\"Mara\"}", below(2) ? "undo" : "entries");
            result = nf_do(town, json) == NULL ? -1 : 0;
            break;
        case 10:
            if (below(4) == 0 && (text = nf_do(town, "{\"do\":\"save\",\"with_memory\":true}")) != NULL) {
                free(saved);
                saved = malloc(strlen(text) + 32);
                assert(saved != NULL);
                sprintf(saved, "{\"do\":\"load\",%s", text + 1);
            }
            break;
        case 11:
            if (saved != NULL && below(4) == 0)
                result = nf_do(town, saved) == NULL ? -1 : 0;
            break;
        default:
            result = nf_tick(town, nows[n] += below(600));
            if (result < 0)
                break;
            while ((text = nf_next_event(town)) != NULL)
                if (strstr(text, "\"vectors_wanted\"") != NULL && below(50) != 0)
                    assert(give_vectors(town, text) == 0);
        }
        if (result < 0)
            refused();
        else
            done++;
        if (town == NULL && below(20) == 0)
            towns[n] = nf_open(OPTIONS), nows[n] = 0;
    }
    for (unsigned n = 0; n < 3; n++)
        nf_close(towns[n]);
    free(saved);
    printf("%u of %u calls were done\n", done, calls);
    assert(done > calls / 8);
}

static void *ticks(void *town)
{
    for (int64_t now = 0; now < 2000; now++)
        if (nf_tick(town, 0) < 0)
            assert(strcmp(refused(), "busy") == 0);
    return NULL;
}

/* Two threads on one town: each call is done or refused. */
static void two_threads(void)
{
    nf_town *town = nf_open(OPTIONS);
    pthread_t other;
    assert(pthread_create(&other, NULL, ticks, town) == 0);
    ticks(town);
    pthread_join(other, NULL);
    nf_close(town);
}

int main(int argc, char **argv)
{
    assert(argc == 3 && nf_abi_version() == NF_ABI_VERSION && strlen(nf_version()) >= 5);
    state = strtoull(argv[1], NULL, 10);
    a_night();
    impossible_calls();
    two_threads();
    any_calls((unsigned)strtoul(argv[2], NULL, 10));
    return 0;
}
