/* The math library's functions for 32 lanes through SLEEF's vector forms: the text that is built for two levels.
 *
 * In: MATH_TABLE, the table's name; DN and FN, doubles and floats in a vector; VD and VF, the types; SLEEF_D(name, bound)
 * and SLEEF_F(name, bound), the functions; LOAD_D, STORE_D, LOAD_F, STORE_F. Out: the table of rows of lanes_math.def.
 * Lanes that are off are computed when a neighbour is on, and not stored. NaN results are made canonical. */
#define _GNU_SOURCE
#include "interp/lanes.h"

#include <math.h>
#include <string.h>

static const double LN_2 = 0x1.62e42fefa39efp-1;

static inline double log_gamma(double x)
{
    int sign; /* lgamma() itself writes a global */
    return lgamma_r(x, &sign);
}

static inline void put_double(void *d, int i, double x)
{
    ((double *)d)[i] = x != x ? (double)NAN : x;
}

static inline void put_float(void *d, int i, float x)
{
    static const uint32_t nan = 0x7fffffffu;
    if (x != x)
        memcpy((float *)d + i, &nan, 4);
    else
        ((float *)d)[i] = x;
}

#define UNUSED __attribute__((unused))
#define HEAD(id)                                                                                                      \
    static void id(void *vd, const void *va, UNUSED const void *vb, UNUSED const void *vc, UNUSED void *ve,           \
                   uint32_t mask, UNUSED const struct ir_inst *in)
#define EACH(n)                                                                                                       \
    for (int i = 0; i < 32; i += n)                                                                                   \
        if (mask >> i & ((UINT32_C(1) << n) - 1))

#define OWN(name, bound, outside, instead)                                                                            \
    HEAD(name##_f)                                                                                                    \
    {                                                                                                                 \
        float result[FN];                                                                                             \
        EACH(FN)                                                                                                      \
        {                                                                                                             \
            const float *x = (const float *)va + i;                                                                   \
            STORE_F(result, SLEEF_F(name, bound)(LOAD_F(x)));                                                         \
            for (int k = 0; k < FN; k++) {                                                                            \
                UNUSED double a = (double)x[k];                                                                       \
                if (mask >> (i + k) & 1)                                                                              \
                    put_float(vd, i + k, (outside) ? (float)(instead) : result[k]);                                   \
            }                                                                                                         \
        }                                                                                                             \
    }
#define DOUBLE(name, bound, outside, instead)                                                                         \
    HEAD(name##_f)                                                                                                    \
    {                                                                                                                 \
        double result[DN], x[DN];                                                                                     \
        EACH(DN)                                                                                                      \
        {                                                                                                             \
            for (int k = 0; k < DN; k++)                                                                              \
                x[k] = (double)((const float *)va)[i + k];                                                            \
            STORE_D(result, SLEEF_D(name, bound)(LOAD_D(x)));                                                         \
            for (int k = 0; k < DN; k++) {                                                                            \
                UNUSED double a = x[k];                                                                               \
                if (mask >> (i + k) & 1)                                                                              \
                    put_float(vd, i + k, (float)((outside) ? (instead) : result[k]));                                 \
            }                                                                                                         \
        }                                                                                                             \
    }
#define ONE(name, bound, single, outside, instead)                                                                    \
    HEAD(name##_d)                                                                                                    \
    {                                                                                                                 \
        double result[DN];                                                                                            \
        EACH(DN)                                                                                                      \
        {                                                                                                             \
            const double *x = (const double *)va + i;                                                                 \
            STORE_D(result, SLEEF_D(name, bound)(LOAD_D(x)));                                                         \
            for (int k = 0; k < DN; k++) {                                                                            \
                UNUSED double a = x[k];                                                                               \
                if (mask >> (i + k) & 1)                                                                              \
                    put_double(vd, i + k, (outside) ? (instead) : result[k]);                                         \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    single(name, bound, outside, instead)
#define TWO(name, bound, single, outside, instead)                                                                    \
    HEAD(name##_d)                                                                                                    \
    {                                                                                                                 \
        double result[DN];                                                                                            \
        EACH(DN)                                                                                                      \
        {                                                                                                             \
            const double *x = (const double *)va + i, *y = (const double *)vb + i;                                    \
            STORE_D(result, SLEEF_D(name, bound)(LOAD_D(x), LOAD_D(y)));                                              \
            for (int k = 0; k < DN; k++) {                                                                            \
                UNUSED double a = x[k], b = y[k], r = result[k];                                                      \
                if (mask >> (i + k) & 1)                                                                              \
                    put_double(vd, i + k, (outside) ? (instead) : r);                                                 \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    HEAD(name##_f)                                                                                                    \
    {                                                                                                                 \
        float result[FN];                                                                                             \
        EACH(FN)                                                                                                      \
        {                                                                                                             \
            const float *x = (const float *)va + i, *y = (const float *)vb + i;                                       \
            STORE_F(result, SLEEF_F(name, bound)(LOAD_F(x), LOAD_F(y)));                                              \
            for (int k = 0; k < FN; k++) {                                                                            \
                UNUSED double a = (double)x[k], b = (double)y[k], r = (double)result[k];                              \
                if (mask >> (i + k) & 1)                                                                              \
                    put_float(vd, i + k, (outside) ? (float)(instead) : result[k]);                                   \
            }                                                                                                         \
        }                                                                                                             \
    }
#define FAST(name, of)
#define ALSO(name, signature, of)
#include "interp/lanes_math.def"
#undef ONE
#undef TWO
#undef FAST
#undef ALSO
#undef OWN
#undef DOUBLE

const struct lanes_math MATH_TABLE[] = {
#define ONE(name, ...) {"__nv_" #name, "d:d", name##_d}, {"__nv_" #name "f", "f:f", name##_f},
#define TWO(name, ...) {"__nv_" #name, "dd:d", name##_d}, {"__nv_" #name "f", "ff:f", name##_f},
#define FAST(name, of) {"__nv_fast_" #name "f", NULL, of##_f}, /* its signature is that of `of` */
#define ALSO(name, signature, of) {#name, signature, of},
#include "interp/lanes_math.def"
#undef ONE
#undef TWO
#undef FAST
#undef ALSO
    {NULL, NULL, NULL}
};
