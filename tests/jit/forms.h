/* Random kernels for the forms of machine code that other random kernels rarely take (docs/jit.md): several warps at once
 * (unroll-and-jam) and lane-serial loops. A seed is always the same kernel, valid PTX that ends, whose result does not depend on
 * the order of warps or lanes. Parameters: in, out, counter, warps, salt (random.c) and far, FORM_FAR words that form_far makes. */
#ifndef HEDDLE_TEST_FORMS_H
#define HEDDLE_TEST_FORMS_H

#include <stdint.h>

enum form_kind { FORM_ANY, FORM_BLOCK, FORM_LANE_SERIAL, FORM_REWRITING /* rewriting.h */ };

enum { FORM_FAR = 3 << 19 /* 6 MiB: three granules of memory, more than the other arrays have */ };

/* Words below FORM_COLUMNS. */
enum { FORM_COLUMNS = 4096 };
void form_far(uint32_t *far);

/* Threads of a block: x, y. */
const uint32_t *form_shape(enum form_kind kind, uint64_t seed);

/* FORM_BLOCK: uniform loops, affine addresses, barriers, and where most kernels leave the form: warps that part, wraps of 32
 * bits. FORM_LANE_SERIAL: loops that lanes leave at different turns and that mostly load. The caller frees it. */
char *form_make(enum form_kind kind, uint64_t seed);

#endif
