/* Complex numbers as CUDA has them: float2 and double2 with functions, for host and device.
 *
 * Formulas: multiplication by its definition; division with the denominator scaled by |re| + |im|, and the absolute
 * value by the larger part, so that neither overflows where the result does not. */
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include <math.h>

#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define HEDDLE_COMPLEX static __host__ __device__ __inline__

/* real, pair: the types; make ... fused: the names; abs_, sqrt_, fma_: the functions that they call */
#define HEDDLE_COMPLEX_ALL(real, pair, make, re, im, conj, add, sub, mul, div, length, fused, abs_, sqrt_, fma_)        \
    HEDDLE_COMPLEX real re(pair x) { return x.x; }                                                                   \
    HEDDLE_COMPLEX real im(pair x) { return x.y; }                                                                   \
    HEDDLE_COMPLEX pair make(real r, real i)                                                                         \
    {                                                                                                                \
        pair x;                                                                                                      \
        x.x = r;                                                                                                     \
        x.y = i;                                                                                                     \
        return x;                                                                                                    \
    }                                                                                                                \
    HEDDLE_COMPLEX pair conj(pair x) { return make(x.x, -x.y); }                                                     \
    HEDDLE_COMPLEX pair add(pair x, pair y) { return make(x.x + y.x, x.y + y.y); }                                   \
    HEDDLE_COMPLEX pair sub(pair x, pair y) { return make(x.x - y.x, x.y - y.y); }                                   \
    HEDDLE_COMPLEX pair mul(pair x, pair y) { return make(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }           \
    HEDDLE_COMPLEX pair div(pair x, pair y)                                                                          \
    {                                                                                                                \
        real one = 1, scale = one / (abs_(y.x) + abs_(y.y));                                                         \
        real a = x.x * scale, b = x.y * scale, c = y.x * scale, d = y.y * scale;                                     \
        real inverse = one / (c * c + d * d);                                                                        \
        return make((a * c + b * d) * inverse, (b * c - a * d) * inverse);                                           \
    }                                                                                                                \
    HEDDLE_COMPLEX real length(pair x)                                                                               \
    {                                                                                                                \
        real a = abs_(x.x), b = abs_(x.y), large = a > b ? a : b, small = a > b ? b : a;                             \
        if (large == 0 || isinf(large) || isinf(small))                                                              \
            return large + small;                                                                                    \
        real ratio = small / large;                                                                                  \
        return large * sqrt_((real)1 + ratio * ratio);                                                               \
    }                                                                                                                \
    /* x * y + d */                                                                                                  \
    HEDDLE_COMPLEX pair fused(pair x, pair y, pair d)                                                                \
    {                                                                                                                \
        return make(fma_(-x.y, y.y, fma_(x.x, y.x, d.x)), fma_(x.y, y.x, fma_(x.x, y.y, d.y)));                      \
    }

HEDDLE_COMPLEX_ALL(float, cuFloatComplex, make_cuFloatComplex, cuCrealf, cuCimagf, cuConjf, cuCaddf, cuCsubf, cuCmulf, cuCdivf,
                   cuCabsf, cuCfmaf, fabsf, sqrtf, fmaf)
HEDDLE_COMPLEX_ALL(double, cuDoubleComplex, make_cuDoubleComplex, cuCreal, cuCimag, cuConj, cuCadd, cuCsub, cuCmul, cuCdiv,
                   cuCabs, cuCfma, fabs, sqrt, fma)

HEDDLE_COMPLEX cuComplex make_cuComplex(float r, float i) { return make_cuFloatComplex(r, i); }
HEDDLE_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return make_cuDoubleComplex(c.x, c.y); }
HEDDLE_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) { return make_cuFloatComplex((float)c.x, (float)c.y); }

#undef HEDDLE_COMPLEX
#undef HEDDLE_COMPLEX_ALL

#endif
