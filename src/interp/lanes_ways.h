/* Which way nvcc's code for a function goes (EXTERN_WAYS of target/extern_ways.def): what the conditions there are made of, without
 * branches, for a vector at once. */
#ifndef INTERP_LANES_WAYS_H
#define INTERP_LANES_WAYS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The low two bits of x, rounded to the nearest integer, of |x| below 2^51: the last digits of a sum with 1.5 * 2^52. */
static inline int quarter(double x)
{
    double sum = x + 0x1.8p52;
    int64_t bits;
    memcpy(&bits, &sum, 8);
    return (int)bits & 3;
}

static const double TWO_OVER_PI = 0.63661977236758134;

/* How many of the low two bits are set. */
static inline int ones(int bits)
{
    return (bits & 1) + (bits >> 1 & 1);
}

static inline int is_whole(double x)
{
    return x + 0x1.8p52 - 0x1.8p52 == x;
}

/* pow: 1: the result leaves the range of floats; 2: the base is 0; 3: both. The logarithm is off by less than 0.09. */
static inline int pow_way(float x, float y)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    float log = (float)(int32_t)(bits & INT32_MAX) * 0x1p-23f - 127;
    bool zero = x == 0;
    return fabsf(y * (zero ? 151 : log)) > 152 ? zero && y != 0 ? 3 : 1 : zero && y != 0 ? 2 : 0;
}

#endif
