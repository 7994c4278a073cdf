/* The lines of rows.def with registers put in.
 *
 * A line stands for all instructions that its alternatives make: instance 0, 1, ... of them. */
#ifndef HEDDLE_TEST_ROWS_H
#define HEDDLE_TEST_ROWS_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

enum { ROW_ANY = 0, ROW_OPEN = 1, ROW_WARP = 2, ROW_BLOCK = 4, ROW_BARE = 8, ROW_LATER = 16 };

struct row {
    unsigned when; /* ROW_OPEN ... */
    const char *text;
};
extern const struct row rows[];
extern const int nrows;

/* What stands for "$r" and its like: the number of a register (letters h r q f d p), or a number itself (n l 1 2 4 8).
 * `other`: another register than the one before, which was `last`. */
typedef int row_operand(void *who, char letter, bool other, int last);

unsigned row_alternatives(const char *at); /* of the choice whose '<' is here */
uint64_t row_instances(const char *text);
/* Adds the instance, an instruction a line; `guard` ("@%p0 " or "") goes before each. */
void row_write(struct strbuf *out, const char *text, uint64_t instance, const char *guard, row_operand *operand, void *who);

#endif
