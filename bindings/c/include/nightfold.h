/* Nightfold: what an NPC still knows tomorrow. bindings/c/README.md says how to use it.
 *
 * Text is UTF-8 and ends with a zero byte. A function that returns an integer returns less than 0 if it refuses, and one that
 * returns a pointer returns NULL; nf_last_error then says why. Nothing is changed by a call that is refused.
 *
 * A town is used by one thread at a time: a call beside another one on the same town is refused. A town that is closed, or never was,
 * is refused too. No function calls back, none throws, and none fetches anything.
 */

#ifndef NIGHTFOLD_H
#define NIGHTFOLD_H

/* Made from bindings/c/src/lib.rs by the test `header`; do not edit. */

#include <stddef.h>
#include <stdint.h>

/*
 Version of this interface. A header of another version does not fit the library.
 */
#define NF_ABI_VERSION 1

/*
 A town, by its number: never dereferenced.
 */
typedef struct nf_town nf_town;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/*
 Returns the version of the interface that the library has, to be compared with NF_ABI_VERSION of the header.
 */
uint32_t nf_abi_version(void);

/*
 Returns the version of the library, such as "0.1.0".
 */
const char *nf_version(void);

/*
 Opens a town; blocks while the model opens, which takes some tenths of a second. The options are a JSON object, {} for the
 defaults; docs/src/games/engines.md lists them. Returns NULL if it refuses.

 # Safety
 `options_json` is a text that ends with a zero byte, or NULL.
 */
struct nf_town *nf_open(const char *options_json);

/*
 Closes a town: nights that are planned are given up, those that are written are written. NULL is allowed.
 */
void nf_close(struct nf_town *town);

/*
 Carries a command out that is written as JSON, such as {"do":"status"}, and returns the reply as JSON; NULL if it
 refuses. The text stays until the next call of nf_do or nf_close with this town. docs/src/games/engines.md lists the commands.

 # Safety
 `command_json` is a text that ends with a zero byte, or NULL.
 */
const char *nf_do(struct nf_town *town,
                  const char *command_json);

/*
 Adds an NPC: spawned or streamed in. One that recalls (not 0) can be asked by day.

 # Safety
 `npc` is a text that ends with a zero byte, or NULL.
 */
int32_t nf_spawn(struct nf_town *town, const char *npc, int32_t recalls);

/*
 Removes an NPC with the memories of its day; let it sleep first to keep them. A night under way is finished.

 # Safety
 `npc` is a text that ends with a zero byte, or NULL.
 */
int32_t nf_despawn(struct nf_town *town,
                   const char *npc);

/*
 Adds a memory to an NPC's day: {"at":0,"kind":"event","text":"...","importance":5,...}.

 # Safety
 `npc` and `memory_json` are texts that end with a zero byte, or NULL.
 */
int32_t nf_live(struct nf_town *town, const char *npc, const char *memory_json);

/*
 Puts an NPC to bed, or changes the length of its sleep. Moments are seconds of game time; quality is 0 to 1.

 # Safety
 `npc` is a text that ends with a zero byte, or NULL.
 */
int32_t nf_sleep(struct nf_town *town,
                 const char *npc,
                 int64_t since,
                 int64_t until,
                 double quality);

/*
 Wakes an NPC; nothing happens to one that is awake.

 # Safety
 `npc` is a text that ends with a zero byte, or NULL.
 */
int32_t nf_wake(struct nf_town *town, const char *npc);

/*
 Asks an NPC, and returns the ticket that comes back with the event "answered", some frames later. The filter is NULL, or a JSON object
 such as {"actors":["Joss"],"kinds":["chat"]}. A text for a prompt comes with the answer if nf_do asks with "context".

 # Safety
 `npc`, `question` and `filter_json` are texts that end with a zero byte, or NULL.
 */
int64_t nf_ask(struct nf_town *town,
               const char *npc,
               const char *question,
               const char *filter_json);

/*
 Runs a tick at a moment of game time, once a frame: microseconds of work. Returns the number of events to be read.
 */
int64_t nf_tick(struct nf_town *town,
                int64_t now);

/*
 Computes nights and answers for about this many microseconds, in a town without threads ("threads":0); returns 1 if more work
 waits and 0 if none does. What has begun is finished: the night of one NPC, some 5 ms for each of its memories.
 */
int32_t nf_step(struct nf_town *town,
                uint32_t budget_us);

/*
 Removes the next event and returns it as JSON, {"event":"consolidated",...}; NULL if there is none. The text stays until the next
 call of nf_next_event or nf_close with this town.
 */
const char *nf_next_event(struct nf_town *town);

/*
 Hands over the vectors of a batch that the event "vectors_wanted" named, row after row; their length does not matter. For a town with
 "embedder":{"host":...}.

 # Safety
 `numbers` points to `count` numbers, or is NULL.
 */
int32_t nf_vectors(struct nf_town *town,
                   uint64_t batch,
                   const float *numbers,
                   size_t count);

/*
 Returns the reason for the last refusal on this thread, or NULL. The text stays until the next call on this thread.
 */
const char *nf_last_error(void);

/*
 Returns the name of the kind of the last refusal on this thread, such as "unknown_npc", or NULL.
 */
const char *nf_last_error_code(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* NIGHTFOLD_H */
