/* Random kernels of what src/target rewrites, and other random kernels rarely have: constants in registers and what follows from
 * them, repeated arithmetic, selections by all types, loads and stores beside each other of all widths and into wider
 * registers, loads of both ways of short branches, small local arrays, arithmetic before a branch out of the kernel, calls of the
 * math library, atomics without readers. A seed is always the same kernel, valid PTX that ends; each thread has
 * its own memory. Parameters as in forms.h. */
#ifndef HEDDLE_TEST_REWRITING_H
#define HEDDLE_TEST_REWRITING_H

#include <stdint.h>

/* Threads of a block: x, y. */
const uint32_t *rewriting_shape(uint64_t seed);

/* The caller frees it. */
char *rewriting_make(uint64_t seed);

#endif
