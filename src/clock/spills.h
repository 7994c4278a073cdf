/* Local accesses that machine code makes for lack of registers (target_tables.spills): the executors know nothing of them. They tell
 * which lanes enter the blocks that have some (ir_kernel.entered); of that, accesses of local memory are made here, by all lanes that
 * enter, behind the kernel's own local variables. Counters take them by number, modelled caches in the order of the code: loads in
 * front of what their site itself accesses, stores behind it. */
#ifndef CLOCK_SPILLS_H
#define CLOCK_SPILLS_H

#include "memory/memory.h"
#include "simt/warp.h"
#include "target/target.h"

struct spill {
    uint32_t site;
    uint32_t address; /* in a thread's local memory */
    uint8_t words;
    bool store;
    bool waits;       /* a store of what its site loads */
};

/* Of a kernel. */
struct spill_list {
    const struct ir_kernel *kernel;
    struct spill *spill;    /* in the order of the code */
    int32_t *first;         /* [nblocks + 1]: of each block */
    const uint8_t *entered; /* ir_kernel.entered: blocks that have some */
    uint32_t base, bytes;   /* of a thread's local memory: in front of the spill area, and the area */
};

/* In `arena`, all but `base`, which a launch sets; NULL: the kernel's code has none. */
struct spill_list *spills_of(const struct ir_kernel *k, const struct target_tables *t, struct arena *arena);

/* --- by number --- */

enum { SPILL_PATTERNS = 8 };

/* Entries by some lanes that the model has not taken yet, of one host thread. */
struct spill_entries {
    const struct spill_list *spills;
    struct spill_pattern {
        uint32_t lanes;
        uint64_t times;
    } (*pattern)[SPILL_PATTERNS]; /* [nblocks] */
    struct memory *memory;
};

void spills_begin(struct spill_entries *e, const struct spill_list *s, struct memory *m);
/* struct exec_counts.enter. */
void spills_enter(struct spill_entries *e, int32_t block, uint32_t lanes, uint64_t times);
/* The model takes what is left. */
void spills_end(struct spill_entries *e);
/* The same for whole warps: those of exec_counts.whole. */
void spills_take_whole(const struct spill_list *s, const struct exec_counts *c, struct memory *m);

/* --- in order --- */

/* A warp in a block that it has not ended. */
struct spill_place {
    int32_t block; /* only where lanes is not 0 */
    int32_t next;  /* spill */
    uint32_t lanes;
};

/* Records with those of spills among them. */
struct spill_records {
    struct record *v;
    int n, room;
};

/* What a turn of the warp left in its ring, with spills: to `out`, which is emptied before. */
void spills_merge(const struct spill_list *s, struct spill_place *p, const struct warp *w, struct spill_records *out);

#endif
