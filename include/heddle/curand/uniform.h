/* Uniform values: above 0, up to and including 1. */
#ifndef HEDDLE_CURAND_UNIFORM_H
#define HEDDLE_CURAND_UNIFORM_H

#include "heddle/curand/mrg32k3a.h"
#include "heddle/curand/philox.h"
#include "heddle/curand/sobol.h"
#include "heddle/curand/xorwow.h"

/* One of 2^32 (of 2^53) equal parts, at its middle. */
QUALIFIERS float _curand_uniform(unsigned int x) { return x * CURAND_2POW32_INV + (CURAND_2POW32_INV / 2.0f); }
QUALIFIERS float _curand_uniform(unsigned long long x) { return _curand_uniform((unsigned int)(x >> 32)); }
QUALIFIERS float4 _curand_uniform4(uint4 x)
{
    return make_float4(_curand_uniform(x.x), _curand_uniform(x.y), _curand_uniform(x.z), _curand_uniform(x.w));
}

/* One of 2^32 equal parts, at its upper end. */
QUALIFIERS double _curand_uniform_double(unsigned int x) { return x * CURAND_2POW32_INV_DOUBLE + CURAND_2POW32_INV_DOUBLE; }
QUALIFIERS double _curand_uniform_double(unsigned long long x)
{
    return (x >> 11) * CURAND_2POW53_INV_DOUBLE + (CURAND_2POW53_INV_DOUBLE / 2.0);
}

/* 53 bits of two words. */
QUALIFIERS unsigned long long heddle_curand_bits53(unsigned int x, unsigned int y) { return x ^ ((unsigned long long)y << 21); }
QUALIFIERS double _curand_uniform_double_hq(unsigned int x, unsigned int y)
{
    return heddle_curand_bits53(x, y) * CURAND_2POW53_INV_DOUBLE + (CURAND_2POW53_INV_DOUBLE / 2.0);
}

#define HEDDLE_UNIFORM(state_t) \
    QUALIFIERS float curand_uniform(state_t *state) { return _curand_uniform(curand(state)); }
#define HEDDLE_UNIFORM_DOUBLE(state_t) \
    QUALIFIERS double curand_uniform_double(state_t *state) { return _curand_uniform_double(curand(state)); }

HEDDLE_UNIFORM(curandStateXORWOW_t)
HEDDLE_UNIFORM(curandStatePhilox4_32_10_t)
HEDDLE_CURAND_QUASI(HEDDLE_UNIFORM)
HEDDLE_UNIFORM_DOUBLE(curandStatePhilox4_32_10_t)
HEDDLE_CURAND_QUASI(HEDDLE_UNIFORM_DOUBLE)

QUALIFIERS double curand_uniform_double(curandStateXORWOW_t *state)
{
    unsigned int x = curand(state), y = curand(state);
    return _curand_uniform_double_hq(x, y);
}

QUALIFIERS double curand_uniform_double(curandStateMRG32k3a_t *state) { return curand_MRG32k3a(state) * MRG32K3A_NORM; }
QUALIFIERS float curand_uniform(curandStateMRG32k3a_t *state) { return (float)curand_uniform_double(state); }

QUALIFIERS float4 curand_uniform4(curandStatePhilox4_32_10_t *state) { return _curand_uniform4(curand4(state)); }

QUALIFIERS double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
    uint4 x = curand4(state);
    return make_double2(_curand_uniform_double_hq(x.x, x.y), _curand_uniform_double_hq(x.z, x.w));
}

QUALIFIERS double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state)
{
    double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
    return make_double4(a.x, a.y, b.x, b.y);
}

#undef HEDDLE_UNIFORM
#undef HEDDLE_UNIFORM_DOUBLE
#endif
