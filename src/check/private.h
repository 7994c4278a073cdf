/* What the files of the checkers share. */
#ifndef CHECK_PRIVATE_H
#define CHECK_PRIVATE_H

#include "check/check.h"
#include "check/race.h"
#include "base/table.h"

/* One bit a byte: 1 when it was written. */
struct check {
    unsigned tools;
    const struct space *space;
    const struct heap *heap;
    void (*tell)(const struct check_group *g, int index, void *user);
    void *tell_user;
    struct order *spare; /* of an earlier launch: large, and as good as new */
    uint8_t *written; /* of the space, mapped without memory until touched; NULL without initcheck */
    uint64_t bits;    /* bytes of the space */
};

/* Lanes of a warp that came to a block barrier by one instruction. */
struct arrival {
    uint16_t barrier, warp;
    int32_t site;
    uint32_t lanes;
    uint32_t busy; /* lanes that were elsewhere then, and not about to exit */
};

/* A running block. */
struct check_block {
    struct check_block *next;  /* in the launch's list */
    const struct block *block; /* NULL: free for another one */
    uint64_t index;
    uint32_t left;             /* threads that have not exited */
    void *racing;              /* what the race's callback gets */
    struct order *order;
    struct race *race;
    uint32_t exist[ORDER_WARPS], gone[ORDER_WARPS]; /* lanes */
    uint32_t broken;           /* warps whose lanes did not come to a barrier together */
    struct arrival *arrivals;  /* at barriers that are not complete yet */
    int narrivals, capacity;
    uint8_t *shared, *local;   /* written bytes as bits, or NULL; local: thread after thread */
    const struct record *now;  /* the access that is being looked at */
    struct late_value *late;   /* late.c: what was loaded unwritten and is not used yet */
    int nlate, late_room;
};

enum { PLACES = 1 + IR_VECTOR }; /* of an instruction: its own, and those of its parts */

struct check_launch {
    struct check *check;
    unsigned tools;
    struct launch *launch;
    struct watch watch;
    struct space_allocation *allocations; /* live ones, in order of address */
    int nallocations, last;               /* last: the one found last */
    struct check_block *blocks;
    struct check_group **groups;
    struct check_group *shown;            /* the same, one after the other, for check_groups */
    int ngroups;
    struct table by_key;
    uint64_t newest;               /* check_begin */
    uint64_t quiet_from, quiet_to; /* addresses between two live allocations where nothing was freed */
    uint8_t *late;  /* [ninsts]: late_find; NULL: none, or no initcheck */
    int32_t *place; /* [ninsts][PLACES]: the first of the same source line, reached by the same calls: of the instruction, and of its parts */
};

static inline bool check_uses(const struct check_launch *cl, enum check_tool tool)
{
    return cl->tools & tool;
}

/* A finding of one lane, block and thread filled in. */
struct check_finding check_at(const struct check_launch *cl, enum check_kind kind, const struct block *b, unsigned warp,
                              unsigned lane, int32_t site);
void check_thread(const struct check_launch *cl, unsigned warp, unsigned lane, uint32_t thread[3]);
void check_add(struct check_launch *cl, const struct check_finding *f);

/* The live allocation that holds the address, or NULL. */
const struct space_allocation *check_allocation(struct check_launch *cl, uint64_t address);

/* The live allocations that begin nearest below (or at) and above it, of those that findings may name; or NULL. */
void check_neighbours(const struct check_launch *cl, uint64_t address, const struct space_allocation **below,
                      const struct space_allocation **above);

/* bounds.c */
uint32_t bounds_refuse(void *user, const struct watched_access *a);
void bounds_bad_free(void *user, const struct warp *w, int32_t site, unsigned lane, uint64_t address);

/* written.c */
void written_open(struct check *c);
void written_close(struct check *c);
void written_block(const struct check_launch *cl, struct check_block *b);
void written_record(struct check_launch *cl, struct check_block *b, const struct record *r);

/* late.c. Per instruction: not 0 when it loads a value that a thread may never use, or reads or writes a register that may
 * hold one. NULL: none does. Free it with alloc_release. */
uint8_t *late_find(const struct ir_kernel *k);
bool late_load(const struct check_launch *cl, const struct record *r);
void late_unwritten(struct check_launch *cl, struct check_block *b, const struct record *r, unsigned lane, int part);
void late_step(struct check_launch *cl, struct check_block *b, const struct record *r); /* RECORD_STEP */

/* sync.c */
void sync_record(struct check_launch *cl, struct check_block *b, const struct record *r,
                 const struct record_values *values);

#endif
