/* Accesses that machine code counts itself, without leaving records.
 *
 * What the memory model counts of an access depends on the lanes that take part, on their addresses relative to each other,
 * and on the lowest modulo 128 bytes: a cache line, a row of all banks (memory/memory.h). So accesses of known shape are
 * told by their number: whole warps by that remainder, as long as all their groups of lanes are as far apart (slots); words by
 * the first lanes by how many these are, too; others by what else they have in common (patterns). The model is asked for one
 * of them when the launch has ended. A pattern whose place another one takes goes to a table of those that were met before.
 * Accesses whose lanes go anywhere wait in a row, and are given to the model one by one when it is full: a call in machine code
 * costs its vectors. Nothing is sampled: counts are those of records to the last digit. One tally a host thread. */
#ifndef SIMT_TALLY_H
#define SIMT_TALLY_H

#include "simt/warp.h"

enum { TALLY_SLOTS = 128, TALLY_WORDS = TALLY_SLOTS / 4, TALLY_GROUPS = 4 /* of lanes, at most */, TALLY_PATTERNS = 32, TALLY_WAITING = 8,
       TALLY_MET_BITS = 13 /* at most; of half as many the model takes all */ };
enum { TALLY_TURNS = 32, TALLY_TURN_LOADS = 16 };
#define TALLY_SPREAD UINT32_C(0x9e3779b1) /* times lanes: the upper bits choose among patterns */

/* Accesses of whole warps. A line of the host's caches more than the numbers fill: those of 64 instructions do not fall into the same
 * few sets. */
struct tally_slots {
    uint64_t times[TALLY_SLOTS];      /* by the lowest address of the first group modulo TALLY_SLOTS */
    uint64_t apart[TALLY_GROUPS - 1]; /* of all of these: the other groups' lowest addresses less the first one's */
    uint64_t others;                  /* accesses whose groups were not when they came */
    uint64_t (*first)[TALLY_WORDS];   /* [WARP_LANES + 1]: of one group, at a multiple of 4, by so many first lanes; or NULL */
    uint64_t unused[3];
};

/* Accesses by these lanes, this far apart. */
struct tally_pattern {
    uint64_t key;                     /* lanes << 32 | lowest address of the first group modulo TALLY_SLOTS; 0: none */
    uint64_t apart[TALLY_GROUPS - 1]; /* the other groups' lowest addresses less the first one's */
    uint64_t times;
};

/* One that lost its place: times 0 where there is none. */
struct tally_met {
    struct tally_pattern pattern;
    int site; /* number in the tally */
};

#define TALLY_NO_STRIDE INT32_MIN

/* A memory instruction. */
struct tally_site {
    _Alignas(64) struct record record; /* of all its accesses, but mask and addresses */
    uint64_t above[WARP_LANES];        /* known shape: bytes above the lowest address of the lane's group */
    int32_t stride;                    /* known shape of one group: from lane to lane; TALLY_NO_STRIDE: not one number */
    int halved;                        /* known shape: 2 to this power is the number of groups, of neighbouring lanes */
};

/* An access that waits: of its record only site (the instruction's number in the tally), mask, shape, unchanged and, by shape,
 * addr are set. */
struct tally_access {
    _Alignas(64) struct record record;
};

/* What lanes did in a loop that they went through one by one (jit/chain.h), of as many turns at most. */
struct tally_turns {
    uint32_t full[WARP_LANES]; /* whole turns */
    uint32_t last[WARP_LANES]; /* and of another one so many blocks; 0: the lane is before the loop's head */
    struct tally_access row[TALLY_TURN_LOADS][TALLY_TURNS]; /* of the loop's accesses only addr is set, or that of the first turn */
};

/* What a run of a block of the kernel adds to what the warp took (struct exec_pace). */
struct tally_pace {
    uint64_t busy, span, units;
    uint64_t passes; /* of all lanes, through the banks of shared memory, of accesses that leave no record */
};

struct tally {
    _Alignas(64) struct tally_access access[TALLY_WAITING];
    uint64_t waiting; /* the first of these; machine code calls when all are */
    int n;
    struct tally_site *site;       /* [n] */
    struct tally_slots *slots;     /* [n] */
    struct tally_pattern *pattern; /* [n][TALLY_PATTERNS] */
    struct tally_turns *turns;     /* or NULL: the kernel has no such loop */
    struct tally_pace *pace;       /* [blocks of the kernel] or NULL */
    struct tally_met *met;         /* [2^met_bits], by a hash; NULL: none yet */
    int met_bits;
    uint32_t nmet;
};

/* Of n memory instructions. */
struct tally *tally_new(int n, bool turns);
/* The model takes what has been told by numbers, and the tally is gone. */
void tally_end(struct exec_counts *c);

/* The model takes the accesses that wait, and none does. */
void tally_take_waiting(struct exec_counts *c);
/* So many accesses of known shape by `lanes`: lowest addresses of the groups. Machine code does this itself while the groups of
 * whole warps are as far apart as the numbers say, or the pattern of others is the one that is there. */
void tally_shape(struct exec_counts *c, int i, uint32_t lanes, const uint64_t *lowest, uint64_t times);

/* n accesses by the lanes on[i], which are some, at row[i]'s addresses; step not 0: at those of row[0] and so many bytes more
 * each time. */
void tally_rows(struct exec_counts *c, int i, struct tally_access *row, int64_t step, const uint32_t *on, int n);

/* Instead of counting it: a record of the access in the warp's ring, which has room. */
void tally_record_any(struct exec_counts *c, int i, uint32_t lanes, struct warp *w);
void tally_record_shape(struct exec_counts *c, int i, uint32_t lanes, const uint64_t *lowest, struct warp *w);

/* The lanes enter the block, one of ir_kernel.entered, which begins with `site`, so many times. Where records stay in the rings it is
 * once, and the warp's has room. */
void tally_enter(struct exec_counts *c, struct warp *w, int32_t block, int32_t site, uint32_t lanes, uint64_t times);

static inline unsigned tally_pattern_of(uint32_t lanes, uint64_t slot)
{
    return (unsigned)(slot >> 2 ^ lanes * TALLY_SPREAD >> 27) % TALLY_PATTERNS;
}

#endif
