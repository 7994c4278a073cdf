/* Random words as numbers of a distribution: the formulas of the device interface (include/heddle/curand) for the host. */
#ifndef LIBRARIES_CURAND_VALUES_H
#define LIBRARIES_CURAND_VALUES_H

#include <math.h>
#include <stdint.h>

#define VALUES_2PI 6.2831855f

static inline float value_uniform(uint32_t x)
{
    return (float)x * 0x1p-32f + 0x1p-33f;
}

static inline uint64_t value_bits53(uint32_t x, uint32_t y)
{
    return x ^ (uint64_t)y << 21;
}

/* 53 bits: the middle of one of 2^53 equal parts */
static inline double value_uniform53(uint64_t bits)
{
    return (double)bits * 0x1p-53 + 0x1p-54;
}

static inline double value_uniform_double(uint32_t x) /* the upper end of one of 2^32 parts */
{
    return x * 0x1p-32 + 0x1p-32;
}

/* A pair of normal values: u uniform, angle in radians; in double precision angle in units of pi. */
static inline void value_pair(float u, float angle, float pair[2])
{
    float length = sqrtf(-2 * logf(u));
    pair[0] = sinf(angle) * length;
    pair[1] = cosf(angle) * length;
}

static inline void value_pair_of_words(uint32_t x, uint32_t y, float pair[2])
{
    const float step = 0x1p-32f * VALUES_2PI;
    value_pair(value_uniform(x), fmaf((float)y, step, step / 2), pair);
}

/* sin and cos of pi * angle, 0 <= angle <= 2: exact quarters come off first. */
static inline void value_pair_double(double u, double angle, double pair[2])
{
    double length = sqrt(-2 * log(u)), quarter = rint(angle * 2), rest = (angle - quarter / 2) * M_PI, s = sin(rest), c = cos(rest);
    switch ((int)quarter & 3) {
    case 0: pair[0] = s, pair[1] = c; break;
    case 1: pair[0] = c, pair[1] = -s; break;
    case 2: pair[0] = -s, pair[1] = -c; break;
    default: pair[0] = -c, pair[1] = s; break;
    }
    pair[0] *= length;
    pair[1] *= length;
}

static inline void value_pair_double_of_words(const uint32_t x[4], double pair[2])
{
    value_pair_double(value_uniform53(value_bits53(x[0], x[1])), (double)value_bits53(x[2], x[3]) * 0x1p-52 + 0x1p-53, pair);
}

/* Where the upper tail of the normal distribution has probability p, 0 < p <= 1/2: formula 26.2.23 of Abramowitz and Stegun, exact to
 * 4.5e-4, then two of Halley's steps, which each triple the digits. */
static inline double value_tail(double p)
{
    double t = sqrt(-2 * log(p));
    double x = t - ((0.010328 * t + 0.802853) * t + 2.515517) / (((0.001308 * t + 0.189269) * t + 1.432788) * t + 1);
    for (int i = 0; i < 2; i++) {
        double u = (erfc(x * M_SQRT1_2) / 2 - p) * (sqrt(2 * M_PI) * exp(x * x / 2));
        x += u / (1 - u * x / 2);
    }
    return p == 0.5 ? 0 : x;
}

/* The normal value of a word: the quantile of the middle of its part. */
static inline double value_quantile32(uint32_t x)
{
    return x > 0x80000000u ? value_tail(~x * 0x1p-32 + 0x1p-33) : -value_tail(x * 0x1p-32 + 0x1p-33);
}

static inline float value_quantile_float(uint32_t x)
{
    /* the probability is a float there */
    return x > 0x80000000u ? (float)value_tail(value_uniform(~x)) : -(float)value_tail(value_uniform(x));
}

static inline double value_quantile64(uint64_t x)
{
    x >>= 11;
    return x > 0x10000000000000u ? value_tail((double)(0x1fffffffffffff - x) * 0x1p-53 + 0x1p-54) : -value_tail((double)x * 0x1p-53 + 0x1p-54);
}

#endif
