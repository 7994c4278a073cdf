/* The long ways of quotients, reciprocals and roots: functions that lanes with special operands call, and of which they execute parts:
 * the rows of long_ways.def. Launches that count have them looked at where lanes come to such an operation (IR_OP_LONG_WAY, visits.h). */
#ifndef TARGET_LONG_WAYS_H
#define TARGET_LONG_WAYS_H

#include <stdint.h>

enum long_way {
#define LONG_WAY(function, type, test, test2, test3, unless) LONG_##function,
#include "target/long_ways.def"
    LONG_WAYS
};

enum { LONG_PARTS = 20 /* of one, at most */, LONG_TESTS = 3 };

/* Of what a test is. */
enum long_of { LONG_PASSED, LONG_OF_a, LONG_OF_b, LONG_OF_A, LONG_OF_B, LONG_OF_A_B };

/* x - from < span, as numbers without a sign: operands that pass all tests are short. */
struct long_test {
    uint8_t of; /* enum long_of */
    uint32_t from, span;
};
extern const struct long_test long_tests[LONG_WAYS][LONG_TESTS];

/* The way whose function that is (enum code_function), or -1. */
int long_way_of(int function);

/* The text of a part's instructions, or NULL: it has no more. */
const char *long_way_text(enum long_way way, int part);

/* Parts that a lane with these operands executes, a bit set; 0: they are short. Bits of floats, or of doubles; b is 0 where there is one
 * operand. */
uint32_t long_way_parts(enum long_way way, uint64_t a, uint64_t b);

#endif
