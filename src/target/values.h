/* What the assembler can know about addresses before the code runs.
 *
 * In: a kernel in SSA. Out: of the address of an access to memory (1) the low bits that are known, so that its alignment can be
 * proved; (2) the address as root + constant: two accesses with the same root are that many bytes apart.
 * The rules are the vendor assembler's, as far as experiments show them (docs/target.md, "How addresses are
 * compared"): it folds additions of constants, and numbers equal expressions equally; it does not distribute
 * products over sums, reorder sums, or see that an `or` after an `and` is an addition. Proving more than it does would
 * merge accesses that the GPU makes one by one, so these limits are part of the result. */
#ifndef TARGET_VALUES_H
#define TARGET_VALUES_H

#include "ir/ir.h"

/* value == low (mod 2^known). known = 64: a constant; 0: nothing is known. */
struct congruence {
    int known;
    uint64_t low; /* < 2^known */
};

/* A value as a sum. root: number of an expression without constant part; VALUES_CONSTANT: none. */
enum { VALUES_CONSTANT = -1 };
struct sum {
    int32_t root;
    int64_t add;
};

struct values;

struct values *values_new(const struct ir_kernel *k);
void values_free(struct values *v);

/* An access's address, offset included. */
struct address {
    struct sum sum;
    struct congruence low;
};

/* Of an access to memory. Roots are comparable where both of two accesses have been reached in one turn of every loop around them: in
 * one block, say. */
struct address values_address(struct values *v, const struct ir_inst *in);

#endif
