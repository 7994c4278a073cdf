/* Which accesses of a block become one: loads and stores of neighbouring elements.
 *
 * The unit is the element, not the instruction: a vector load is as many elements as somebody reads, and falls apart
 * if the elements left do not make a vector again. Elements of 2, 4 and 8 bytes are placed in aligned lines of at most
 * four elements and 16 bytes. In a line,
 *   - loads: two neighbours of an aligned pair become one access; a full pair and anything else of a line of four
 *     become an access of four, holes included. All loads between two barriers to moving take part, in any order;
 *     Constants at an address in a register: two neighbours of an aligned pair of 8 bytes;
 *   - stores: aligned pairs, and two pairs of a line of four; only stores that follow each other without another access
 *     to the space between, and without leaving the line.
 * A line's alignment must follow from the low bits of the address (values.h), or from the accesses' own vector width. */
#ifndef TARGET_GROUP_H
#define TARGET_GROUP_H

#include "target/values.h"

struct group_inst {
    struct ir_inst inst;
    int32_t next; /* in the same place, or -1 */
};

struct group_plan {
    bool *replaced;   /* [count of the block] */
    int32_t *first;   /* [count] into list: what stands in its place, or -1: nothing */
    struct group_inst *list;
    int32_t n, cap;
};

/* The plan of block b; the kernel stays as it is, but what it allocates. */
void group_block(struct ir_kernel *k, struct values *v, int32_t b, struct group_plan *plan);
void group_plan_release(struct group_plan *plan);

#endif
