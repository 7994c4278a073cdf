/* See long_ways.h. */
#include "target/long_ways.h"

#include "target/code.h"

#include <math.h>
#include <string.h>

enum { F32, FTZ, F64 };

static const struct {
    int function;
    uint8_t type;
} ways[LONG_WAYS] = {
#define LONG_WAY(name, kind, test, test2, test3, unless) {FUNCTION_##name, kind},
#include "target/long_ways.def"
};

static const struct {
    uint8_t way;
    const char *text;
} parts[] = {
#define LONG_PART(function, when, text) {LONG_##function, text},
#include "target/long_ways.def"
};

const struct long_test long_tests[LONG_WAYS][LONG_TESTS] = {
#define PASSED {LONG_PASSED, 0, 0}
#define BETWEEN(of, from, to) {LONG_OF_##of, (uint32_t)(from), (uint32_t)(to) - (uint32_t)(from)}
#define LONG_WAY(function, type, test, test2, test3, unless) {test, test2, test3},
#include "target/long_ways.def"
#undef PASSED
#undef BETWEEN
};

int long_way_of(int function)
{
    int way = LONG_WAYS - 1;
    while (way >= 0 && ways[way].function != function)
        way--;
    return way;
}

const char *long_way_text(enum long_way way, int part)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].way == way && part-- == 0)
            return parts[i].text;
    return NULL;
}

static double value_of(int type, uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    float single;
    double x;
    if (type == F64) {
        memcpy(&x, &bits, 8);
        return x;
    }
    memcpy(&single, &word, 4);
    return fpclassify(single) == FP_SUBNORMAL && type == FTZ ? copysign(0, single) : single;
}

static uint32_t upper_word(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return (uint32_t)(bits >> 32);
}

static bool passes(enum long_way way, uint32_t a, uint32_t b)
{
    const uint32_t A = a & INT32_MAX, B = b & INT32_MAX;
    const uint32_t is[] = {[LONG_OF_a] = a, [LONG_OF_b] = b, [LONG_OF_A] = A, [LONG_OF_B] = B, [LONG_OF_A_B] = A - B};
    bool all = true;
    for (int t = 0; t < LONG_TESTS && long_tests[way][t].of != LONG_PASSED; t++)
        all &= is[long_tests[way][t].of] - long_tests[way][t].from < long_tests[way][t].span;
    return all;
}

/* The exponent of x, a finite number, as a float of it would have it that is not limited: behind the rounding to 24 bits. */
static int exponent_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return (int)((bits + (UINT64_C(1) << 28)) >> 52 & 0x7ff) - 1023 + 127;
}

/* x / y, two finite numbers, with as many digits as y and x have. */
static bool is_exact(double x, double y)
{
    int n;
    x = frexp(x, &n);
    y = frexp(y, &n);
    return fma(-(x / y), y, x) == 0;
}

/* FCHK finds nothing of these exponents, as floats store them. */
static bool passes_fchk(uint32_t of_a, uint32_t of_b)
{
    const int apart = (int)of_a - (int)of_b;
    return of_a >= 25 && of_a <= 254 && of_b >= 2 && of_b <= 251 && apart >= -124 && apart <= 126;
}

uint32_t long_way_parts(enum long_way way, uint64_t a_bits, uint64_t b_bits)
{
    const int type = ways[way].type;
    const uint32_t a = (uint32_t)(type == F64 ? a_bits >> 32 : a_bits), b = (uint32_t)(type == F64 ? b_bits >> 32 : b_bits);
    if (passes(way, a, b))
        return 0;
    const uint32_t A = a & INT32_MAX, B = b & INT32_MAX;
    const double x = value_of(type, a_bits), y = value_of(type, b_bits);
    const uint32_t least = type == F64 ? 1 << 20 : 1 << 23; /* exponent 1 */
    const bool nan_a = isnan(x), nan_b = isnan(y), zero_a = x == 0, zero_b = y == 0, inf_a = isinf(x), inf_b = isinf(y);
    const bool tiny_a = !zero_a && A < least, tiny_b = !zero_b && B < least;
    const bool nan = nan_a || nan_b, negative = a >> 31 && !nan_a;
    const bool numbers = !nan && !zero_a && !zero_b && !inf_a && !inf_b, special = !numbers || tiny_a || tiny_b;
    const bool invalid = (zero_a && zero_b) || (inf_a && inf_b);
    const bool to_zero = !nan && !invalid && (zero_a || inf_b), to_inf = !nan && !invalid && (zero_b || inf_a);
    const double ratio = numbers ? x / y : 0;
    const uint32_t quotient = upper_word(fabs(ratio));
    const int exponent = exponent_of(ratio);
    uint32_t all = 0;
    int part = 0;
#define fchk  passes_fchk(A >> 23, B >> 23)
#define exact is_exact(x, y)
#define LONG_WAY(function, kind, test, test2, test3, unless) \
    break;                                                   \
    case LONG_##function:                                    \
        if (unless)                                          \
            return 0;
#define LONG_PART(function, when, text) all |= (when) ? UINT32_C(1) << part : 0, part++;
    switch (way) {
    case LONG_WAYS:
#include "target/long_ways.def"
    }
#undef fchk
#undef exact
    return all;
}
