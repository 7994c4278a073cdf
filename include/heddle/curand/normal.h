/* Normal and log-normal values. Pseudorandom generators make them in pairs (Box and Muller 1958): sine first, cosine kept for the next
 * call. Quasirandom generators take the inverse of the distribution function, one value for one. */
#ifndef HEDDLE_CURAND_NORMAL_H
#define HEDDLE_CURAND_NORMAL_H

#include "heddle/curand/uniform.h"

/* The pair of a uniform value and an angle; in double precision the angle in units of pi. */
QUALIFIERS float2 heddle_box_muller(float u, float angle)
{
    float2 r;
    float length = sqrtf(-2.0f * logf(u));
#ifdef __CUDA_ARCH__
    __sincosf(angle, &r.x, &r.y);
#else
    r.x = sinf(angle);
    r.y = cosf(angle);
#endif
    r.x *= length;
    r.y *= length;
    return r;
}

QUALIFIERS double2 heddle_box_muller_double(double u, double angle)
{
    double2 r;
    double length = sqrt(-2.0 * log(u));
#ifdef __CUDA_ARCH__
    sincospi(angle, &r.x, &r.y);
#else
    r.x = sin(angle * CURAND_PI_DOUBLE);
    r.y = cos(angle * CURAND_PI_DOUBLE);
#endif
    r.x *= length;
    r.y *= length;
    return r;
}

QUALIFIERS float2 _curand_box_muller(unsigned int x, unsigned int y)
{
    float u = x * CURAND_2POW32_INV + (CURAND_2POW32_INV / 2);
    float angle = y * CURAND_2POW32_INV_2PI + (CURAND_2POW32_INV_2PI / 2);
    return heddle_box_muller(u, angle);
}

QUALIFIERS double2 _curand_box_muller_double(unsigned int x0, unsigned int x1, unsigned int y0, unsigned int y1)
{
    double angle = heddle_curand_bits53(y0, y1) * (CURAND_2POW53_INV_DOUBLE * 2.0) + CURAND_2POW53_INV_DOUBLE;
    return heddle_box_muller_double(_curand_uniform_double_hq(x0, x1), angle);
}

template <class S> QUALIFIERS float2 curand_box_muller(S *state)
{
    unsigned int x = curand(state), y = curand(state);
    return _curand_box_muller(x, y);
}

template <class S> QUALIFIERS double2 curand_box_muller_double(S *state)
{
    unsigned int x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);
    return _curand_box_muller_double(x0, x1, y0, y1);
}

template <class S> QUALIFIERS double2 curand_box_muller2_double(S *state)
{
    uint4 x = curand4(state);
    return _curand_box_muller_double(x.x, x.y, x.z, x.w);
}

template <class S> QUALIFIERS float4 curand_box_muller4(S *state)
{
    uint4 x = curand4(state);
    float2 a = _curand_box_muller(x.x, x.y), b = _curand_box_muller(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}

template <class S> QUALIFIERS double4 curand_box_muller4_double(S *state)
{
    double2 a = curand_box_muller2_double(state), b = curand_box_muller2_double(state);
    return make_double4(a.x, a.y, b.x, b.y);
}

QUALIFIERS float2 curand_box_muller_mrg(curandStateMRG32k3a_t *state)
{
    float u = curand_uniform(state), angle = curand_uniform(state) * CURAND_2PI;
    return heddle_box_muller(u, angle);
}

QUALIFIERS double2 curand_box_muller_mrg_double(curandStateMRG32k3a_t *state)
{
    double u = curand_uniform_double(state), angle = curand_uniform_double(state) * 2.0;
    return heddle_box_muller_double(u, angle);
}

/* The inverse of erfc for 0 < y <= 1. The host has none: by Newton's steps, which come from below since erfc is convex there. */
QUALIFIERS double heddle_erfcinv(double y)
{
#ifdef __CUDA_ARCH__
    return erfcinv(y);
#else
    double x = 0, next = 0;
    do {
        x = next;
        next = x + (erfc(x) - y) * exp(x * x) * 0.88622692545275801365; /* sqrt(pi) / 2 */
    } while (next > x);
    return x;
#endif
}

QUALIFIERS float heddle_erfcinvf(float y)
{
#ifdef __CUDA_ARCH__
    return erfcinvf(y);
#else
    return (float)heddle_erfcinv(y);
#endif
}

/* The quantile of the middle of a part; the upper half is the lower one mirrored, so that small probabilities stay exact. */
QUALIFIERS float _curand_normal_icdf(unsigned int x)
{
    bool upper = x > 0x80000000u;
    return (upper ? -CURAND_SQRT2 : CURAND_SQRT2) * heddle_erfcinvf(2.0f * _curand_uniform(upper ? ~x : x));
}

QUALIFIERS float _curand_normal_icdf(unsigned long long x) { return _curand_normal_icdf((unsigned int)(x >> 32)); }

QUALIFIERS double _curand_normal_icdf_double(unsigned int x)
{
    bool upper = x > 0x80000000u;
    double p = (upper ? ~x : x) * CURAND_2POW32_INV_DOUBLE + (CURAND_2POW32_INV_DOUBLE / 2.0);
    return (upper ? -CURAND_SQRT2_DOUBLE : CURAND_SQRT2_DOUBLE) * heddle_erfcinv(2.0 * p);
}

QUALIFIERS double _curand_normal_icdf_double(unsigned long long x)
{
    x >>= 11;
    bool upper = x > 0x10000000000000ull;
    double p = (upper ? 0x1fffffffffffffull - x : x) * CURAND_2POW53_INV_DOUBLE + (CURAND_2POW53_INV_DOUBLE / 2.0);
    return (upper ? -CURAND_SQRT2_DOUBLE : CURAND_SQRT2_DOUBLE) * heddle_erfcinv(2.0 * p);
}

QUALIFIERS float2 curand_normal2(curandStateXORWOW_t *state) { return curand_box_muller(state); }
QUALIFIERS float2 curand_normal2(curandStatePhilox4_32_10_t *state) { return curand_box_muller(state); }
QUALIFIERS float2 curand_normal2(curandStateMRG32k3a_t *state) { return curand_box_muller_mrg(state); }
QUALIFIERS double2 curand_normal2_double(curandStateXORWOW_t *state) { return curand_box_muller_double(state); }
QUALIFIERS double2 curand_normal2_double(curandStatePhilox4_32_10_t *state) { return curand_box_muller2_double(state); }
QUALIFIERS double2 curand_normal2_double(curandStateMRG32k3a_t *state) { return curand_box_muller_mrg_double(state); }
QUALIFIERS float4 curand_normal4(curandStatePhilox4_32_10_t *state) { return curand_box_muller4(state); }
QUALIFIERS double4 curand_normal4_double(curandStatePhilox4_32_10_t *state) { return curand_box_muller4_double(state); }

/* One value: the kept one if it is of the same kind, else a new pair. */
#define HEDDLE_NORMAL_KEPT(suffix, kind, pair)                       \
    if (state->boxmuller_flag##suffix == kind) {                     \
        state->boxmuller_flag##suffix = 0;                           \
        return state->boxmuller_extra##suffix;                       \
    }                                                                \
    pair;                                                            \
    state->boxmuller_extra##suffix = v.y;                            \
    state->boxmuller_flag##suffix = kind;                            \
    return v.x;

#define HEDDLE_NORMAL_PAIRED(state_t)                                                                                              \
    QUALIFIERS float curand_normal(state_t *state)                                                                                 \
    {                                                                                                                              \
        HEDDLE_NORMAL_KEPT(, EXTRA_FLAG_NORMAL, float2 v = curand_normal2(state))                                      \
    }                                                                                                                              \
    QUALIFIERS double curand_normal_double(state_t *state)                                                                         \
    {                                                                                                                              \
        HEDDLE_NORMAL_KEPT(_double, EXTRA_FLAG_NORMAL, double2 v = curand_normal2_double(state))                       \
    }                                                                                                                              \
    QUALIFIERS float2 curand_log_normal2(state_t *state, float mean, float stddev)                                                 \
    {                                                                                                                              \
        float2 v = curand_normal2(state);                                                                                          \
        return make_float2(expf(mean + (stddev * v.x)), expf(mean + (stddev * v.y)));                                              \
    }                                                                                                                              \
    QUALIFIERS double2 curand_log_normal2_double(state_t *state, double mean, double stddev)                                       \
    {                                                                                                                              \
        double2 v = curand_normal2_double(state);                                                                                  \
        return make_double2(exp(mean + (stddev * v.x)), exp(mean + (stddev * v.y)));                                               \
    }                                                                                                                              \
    QUALIFIERS float curand_log_normal(state_t *state, float mean, float stddev)                                                   \
    {                                                                                                                              \
        HEDDLE_NORMAL_KEPT(, EXTRA_FLAG_LOG_NORMAL, float2 v = curand_log_normal2(state, mean, stddev))                \
    }                                                                                                                              \
    QUALIFIERS double curand_log_normal_double(state_t *state, double mean, double stddev)                                         \
    {                                                                                                                              \
        HEDDLE_NORMAL_KEPT(_double, EXTRA_FLAG_LOG_NORMAL, double2 v = curand_log_normal2_double(state, mean, stddev)) \
    }
HEDDLE_CURAND_PAIRED(HEDDLE_NORMAL_PAIRED)

QUALIFIERS float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float stddev)
{
    float4 v = curand_normal4(state);
    return make_float4(expf(mean + (stddev * v.x)), expf(mean + (stddev * v.y)), expf(mean + (stddev * v.z)), expf(mean + (stddev * v.w)));
}

QUALIFIERS double4 curand_log_normal4_double(curandStatePhilox4_32_10_t *state, double mean, double stddev)
{
    double4 v = curand_normal4_double(state);
    return make_double4(exp(mean + (stddev * v.x)), exp(mean + (stddev * v.y)), exp(mean + (stddev * v.z)), exp(mean + (stddev * v.w)));
}

#define HEDDLE_NORMAL_SINGLE(state_t)                                                                                                  \
    QUALIFIERS float curand_normal(state_t *state) { return _curand_normal_icdf(curand(state)); }                                      \
    QUALIFIERS double curand_normal_double(state_t *state) { return _curand_normal_icdf_double(curand(state)); }                       \
    QUALIFIERS float curand_log_normal(state_t *state, float mean, float stddev) { return expf(mean + (stddev * curand_normal(state))); } \
    QUALIFIERS double curand_log_normal_double(state_t *state, double mean, double stddev)                                             \
    {                                                                                                                                  \
        return exp(mean + (stddev * curand_normal_double(state)));                                                                     \
    }
HEDDLE_CURAND_QUASI(HEDDLE_NORMAL_SINGLE)

#undef HEDDLE_NORMAL_SINGLE
#undef HEDDLE_NORMAL_PAIRED
#undef HEDDLE_NORMAL_KEPT
#endif
