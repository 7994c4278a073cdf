/* Races: two accesses of different threads to the same byte, one of them a write, with nothing that orders them.
 *
 * For every word of shared memory the accesses are kept that a later one could race with: after a plain write only that
 * write, else every reader and every atomic that no later one stands for. Nothing is forgotten that matters, so a race
 * is found whenever the accesses happen in the run, whatever order the warps ran in: what is asked is whether an order
 * was promised, not whether it was kept. (The idea of keeping only what is not yet ordered: Flanagan and Freund,
 * "FastTrack", PLDI 2009; the sizes of knowledge follow the machine's: order.h.)
 * Two strong accesses (atomics, volatile, ld/st.relaxed and up) never race; a strong and a plain one do.
 * Addresses are words of a numbered range, here the shared memory of one block; accesses to global memory need another
 * store of words and a wider order, not another rule. */
#ifndef CHECK_RACE_H
#define CHECK_RACE_H

#include <stdbool.h>
#include <stdint.h>

#include "check/order.h"

enum race_kind { RACE_READ_AFTER_WRITE, RACE_WRITE_AFTER_READ, RACE_WRITE_AFTER_WRITE };

enum { RACE_ASYNC = 1, RACE_STRONG = 2, RACE_WRITES = 4 }; /* what an access is: flags */

/* One access of one lane. */
struct race_access {
    uint32_t site;   /* below 2^24 */
    unsigned thread; /* 32 * warp + lane */
    uint32_t address, bytes;
    unsigned flags;
    const void *value; /* what is written, `bytes` long; NULL: not known */
};

struct race_found {
    enum race_kind kind;
    uint32_t address;         /* of the first byte that both touch */
    unsigned thread, by;      /* the later access's, the earlier one's */
    uint32_t site, by_site;
    bool by_async;            /* the earlier one is an asynchronous copy that was not waited for */
    bool same_value;          /* both write the same */
    bool has_values;
    uint32_t now, then;       /* of the word that holds the address: what is written, what the earlier one wrote */
};

struct race;

/* Words for `bytes` of memory that `threads` threads use, in the order `o`, which the caller keeps up to date. `found` is
 * called for each pair of accesses at most once a word. */
struct race *race_new(uint32_t bytes, unsigned threads, struct order *o,
                      void (*found)(void *user, const struct race_found *f), void *user);
void race_free(struct race *r);

void race_access(struct race *r, const struct race_access *a);

/* Weak reads of `bytes` each (a power of two) by lanes of a warp; addr: by lane. The same as race_access for each. */
void race_reads(struct race *r, uint32_t site, unsigned warp, uint32_t lanes, const uint64_t *addr, unsigned bytes);

/* The thread has waited for the asynchronous copy it began at this address: from here on its writes are the thread's. */
void race_copied(struct race *r, unsigned thread, uint32_t address, uint32_t bytes);

#endif
