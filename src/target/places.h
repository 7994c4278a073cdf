/* Where values are while registers are given out: what allocate.c and banks.c work on. */
#ifndef TARGET_PLACES_H
#define TARGET_PLACES_H

#include "target/flow.h"

/* PLACES_STACK: R1. PLACES_VECTOR: elements. PLACES_MOST: registers. */
enum { PLACES_STACK = 1, PLACES_VECTOR = 4, PLACES_MOST = 255 };

/* A value is alive from the place to the one behind the last; a place is twice the number of an instruction, plus one for what it writes. */
struct segment {
    int32_t from, to; /* places */
    int32_t next;     /* of the same value, or -1 */
};

struct places {
    const struct lowered *l;
    const struct ir_kernel *k;
    const struct code *c;
    const struct flow *f;
    struct segment *segments;
    int32_t n, cap;
    int32_t *first;    /* [values] segments, in falling order of the blocks, or -1 */
    int32_t *place;    /* [values] physical register, or -1 */
    int32_t *hint;     /* [values] a value that it is a copy of, or -1; */
    int8_t *hint_word; /* and by how many words it lies behind it */
    bool *once;        /* [values] one place of the program makes it */
    int32_t (*group)[PLACES_VECTOR]; /* [values] elements of the vector, or -1 */
    uint64_t *taken[PLACES_MOST + 1]; /* sets of places */
    size_t set;        /* words of such a set */
    int used;          /* registers, counted from R0 on */
};

#endif
