/* The math library's functions through SLEEF's vector forms, and some of our own: the text that is built for three levels.
 *
 * In: MATH_TABLE, the table's name; DN and FN = 2 * DN, doubles and floats in a vector; VD and VF, the types; SLEEF_D(name, bound)
 * and SLEEF_F(name, bound), the functions; LOAD_D, STORE_D, LOAD_F, STORE_F; FUSED(a, b, c) of floats. Out: the table of rows of lanes_math.def, each as a
 * function of one vector, which machine code calls (jit/llvm/math.c), and as one of 32 lanes, made of it. Lanes that are off
 * are computed when a neighbour is on, and not stored. NaN results are the GPU's. */
#define _GNU_SOURCE
#include "interp/lanes.h"
#include "interp/lanes_ways.h"
#include "target/ways.h"

#include <math.h>
#include <string.h>

static const double LN_2 = 0x1.62e42fefa39efp-1;

static inline double log_gamma(double x)
{
    int sign; /* lgamma() itself writes a global */
    return lgamma_r(x, &sign);
}

typedef int64_t WD __attribute__((vector_size(sizeof(VD))));
typedef int32_t WF __attribute__((vector_size(sizeof(VF))));
typedef uint32_t UF __attribute__((vector_size(sizeof(VF))));

static inline VD exact_nan_d(VD v)
{
    WD odd = (WD)(v != v), nan = (WD){0} + INT64_C(0x7ff8000000000000);
    return (VD)((odd & nan) | (~odd & (WD)v));
}

static inline VF exact_nan_f(VF v)
{
    WF odd = (WF)(v != v), nan = (WF){0} + 0x7fffffff;
    return (VF)((odd & nan) | (~odd & (WF)v));
}

/* Stores the lanes of `mask`, bit 0 for the first. */
#define KEEP(id, type, V, n, STORE)                                                                                   \
    static inline void id(type *d, V v, uint32_t mask)                                                                \
    {                                                                                                                 \
        type x[n];                                                                                                    \
        uint32_t all = (UINT32_C(1) << n) - 1;                                                                        \
        if ((mask & all) == all) {                                                                                    \
            STORE(d, v);                                                                                              \
            return;                                                                                                   \
        }                                                                                                             \
        STORE(x, v);                                                                                                  \
        for (int k = 0; k < n; k++)                                                                                   \
            if (mask >> k & 1)                                                                                        \
                d[k] = x[k];                                                                                          \
    }
KEEP(keep_d, double, VD, DN, STORE_D)
KEEP(keep_f, float, VF, FN, STORE_F)
#undef KEEP

#define UNUSED __attribute__((unused))
/* A function of 32 lanes, which are `n` results at a time. */
#define LANES(id, type, n, keep, ...)                                                                                 \
    static void id(void *vd, const void *va, UNUSED const void *vb, UNUSED const void *vc, UNUSED void *ve,           \
                   uint32_t mask, UNUSED const struct ir_inst *in)                                                    \
    {                                                                                                                 \
        UNUSED const type *a = va, *b = vb;                                                                           \
        for (int i = 0; i < 32; i += n)                                                                               \
            if (mask >> i & ((UINT32_C(1) << n) - 1))                                                                 \
                keep((type *)vd + i, __VA_ARGS__, mask >> i);                                                         \
    }
/* A function of vectors, where those results are put right whose arguments x and y are `outside`. S and s: D and d, or F and f. */
#define VECTOR(id, S, s, type, parameters, y, result, outside, instead)                                               \
    static V##S id##_vector parameters                                                                                \
    {                                                                                                                 \
        V##S v = result;                                                                                              \
        type as_[S##N], bs_[S##N], rs_[S##N];                                                                         \
        STORE_##S(as_, x), STORE_##S(bs_, y), STORE_##S(rs_, v);                                                      \
        for (int k = 0; k < S##N; k++) {                                                                              \
            UNUSED double a = (double)as_[k], b = (double)bs_[k], r = (double)rs_[k];                                 \
            if (outside)                                                                                              \
                rs_[k] = (type)(instead);                                                                             \
        }                                                                                                             \
        return exact_nan_##s(LOAD_##S(rs_));                                                                          \
    }

/* --- forms of our own --- */

static inline VF if_less(VF a, VF b, VF yes, VF no)
{
    WF less = (WF)(a < b);
    return (VF)((less & (WF)yes) | (~less & (WF)no));
}

/* In two steps, of which only the second may round. */
static inline VF scaled(VF x, VF n)
{
    WF all = __builtin_convertvector(n, WF), half = all >> 1;
    return x * (VF)((UF)(half + 127) << 23) * (VF)((UF)(all - half + 127) << 23);
}

static inline VF split(VF x, VF *k)
{
    const VF none = {0}, least = none + 0x1p-126f;
    UF bits = (UF)if_less(x, least, x * 0x1p23f, x);
    WF up = (WF)(bits - 0x3f400000u) >> 23;
    *k = __builtin_convertvector(up, VF) - if_less(x, least, none + 23.0f, none);
    return (VF)(bits - ((UF)up << 23));
}

static inline VF log_edges(VF y, VF x)
{
    const VF none = {0}, infinity = none + INFINITY;
    y = if_less(none, x, y, none + NAN);
    WF zero = (WF)(x == none);
    y = (VF)((zero & (WF)-infinity) | (~zero & (WF)y));
    return if_less(x, infinity, y, x);
}

#define V               VF
#define FORM(name)      static VF name##_form(VF x)
#define K(c)            ((VF){0} + (float)(c))
#define FMA             FUSED
#define ADD(a, b)       ((a) + (b))
#define SUB(a, b)       ((a) - (b))
#define MUL(a, b)       ((a) * (b))
#define LEAST(c, x)     if_less(c, x, c, x)
#define MOST(c, x)      if_less(x, c, c, x)
#define SCALED          scaled
#define SPLIT           split
#define LOG_EDGES       log_edges
#include "interp/math_forms.h"
#undef V
#undef FORM
#undef K
#undef FMA
#undef ADD
#undef SUB
#undef MUL
#undef LEAST
#undef MOST
#undef SCALED
#undef SPLIT
#undef LOG_EDGES

/* --- functions --- */

#define OWN(name, bound, outside, instead) VECTOR(name##_f, F, f, float, (VF x), x, SLEEF_F(name, bound)(x), outside, instead)
#define DOUBLE(name, bound, outside, instead)                                                                         \
    static VF name##_f_vector(VF x)                                                                                   \
    {                                                                                                                 \
        float f[FN];                                                                                                  \
        double d[FN];                                                                                                 \
        STORE_F(f, x);                                                                                                \
        for (int k = 0; k < FN; k++)                                                                                  \
            d[k] = (double)f[k];                                                                                      \
        for (int k = 0; k < FN; k += DN)                                                                              \
            STORE_D(d + k, name##_d_vector(LOAD_D(d + k)));                                                           \
        for (int k = 0; k < FN; k++)                                                                                  \
            f[k] = (float)d[k];                                                                                       \
        return exact_nan_f(LOAD_F(f));                                                                                \
    }
#define FORM(name, bound, outside, instead)                                                                           \
    static VF name##_f_vector(VF x) { return exact_nan_f(name##_form(x)); }
#define OWN_IS(name)    MATH_NO_FORM
#define DOUBLE_IS(name) MATH_NO_FORM
#define FORM_IS(name)   MATH_FORM_##name
#define ONE(name, bound, single, outside, instead)                                                                    \
    VECTOR(name##_d, D, d, double, (VD x), x, SLEEF_D(name, bound)(x), outside, instead)                              \
    single(name, bound, outside, instead)                                                                             \
    LANES(name##_d, double, DN, keep_d, name##_d_vector(LOAD_D(a + i)))                                               \
    LANES(name##_f, float, FN, keep_f, name##_f_vector(LOAD_F(a + i)))                                                \
    enum { name##_d_arguments = 1, name##_f_arguments = 1, name##_d_form = MATH_NO_FORM, name##_f_form = single##_IS(name) };
#define TWO(name, bound, single, outside, instead)                                                                    \
    VECTOR(name##_d, D, d, double, (VD x, VD y), y, SLEEF_D(name, bound)(x, y), outside, instead)                     \
    VECTOR(name##_f, F, f, float, (VF x, VF y), y, SLEEF_F(name, bound)(x, y), outside, instead)                      \
    LANES(name##_d, double, DN, keep_d, name##_d_vector(LOAD_D(a + i), LOAD_D(b + i)))                                \
    LANES(name##_f, float, FN, keep_f, name##_f_vector(LOAD_F(a + i), LOAD_F(b + i)))                                 \
    enum { name##_d_arguments = 2, name##_f_arguments = 2, name##_d_form = MATH_NO_FORM, name##_f_form = MATH_NO_FORM };
#define FAST(name, of)
#define ALSO(name, signature, of)
#define APPROX(name, of)
#include "interp/lanes_math.def"
#undef ONE
#undef TWO
#undef APPROX
#undef OWN
#undef DOUBLE
#undef FORM

/* Subnormal numbers are zeros of their sign. */
static inline VF flushed(VF v, bool ftz)
{
    WF bits = (WF)v, tiny = (bits & 0x7f800000) == 0;
    return ftz ? (VF)(bits & ~(tiny & 0x7fffffff)) : v;
}

#define ONE(name, ...)
#define TWO(name, ...)
#define APPROX(name, of)                                                                                              \
    LANES(name##_approx, float, FN, keep_f, flushed(of##_f_vector(flushed(LOAD_F(a + i), in->mods->ftz)), in->mods->ftz))
#include "interp/lanes_math.def"
#undef ONE
#undef TWO
#undef APPROX
#undef FAST
#undef ALSO

/* The way of calls with arguments of 32 bits (lanes_extern.c has the others). */
#define EXTERN_WAYS(name, args, ways, way) WAYS_##args(name, way)
#define WAYS_d(name, way)
#define WAYS_dd(name, way)
#define WAYS_di(name, way)
#define WAYS_OF(name, parameters, y, way)                                                                             \
    static VF name##_way_vector parameters                                                                            \
    {                                                                                                                 \
        float as_[FN], bs_[FN];                                                                                       \
        int32_t ways[FN];                                                                                             \
        VF v;                                                                                                         \
        STORE_F(as_, x), STORE_F(bs_, y);                                                                             \
        for (int k = 0; k < FN; k++) {                                                                                \
            UNUSED const float a = as_[k], b = bs_[k];                                                                \
            ways[k] = (way);                                                                                          \
        }                                                                                                             \
        memcpy(&v, ways, sizeof v);                                                                                   \
        return v;                                                                                                     \
    }
#define WAYS_f(name, way)                                                                                             \
    WAYS_OF(name, (VF x), x, way)                                                                                     \
    LANES(name##_way, float, FN, keep_f, name##_way_vector(LOAD_F(a + i)))                                            \
    enum { name##_way_arguments = 1, name##_way_form = MATH_NO_FORM };
#define WAYS_ff(name, way)                                                                                            \
    WAYS_OF(name, (VF x, VF y), y, way)                                                                               \
    LANES(name##_way, float, FN, keep_f, name##_way_vector(LOAD_F(a + i), LOAD_F(b + i)))                             \
    enum { name##_way_arguments = 2, name##_way_form = MATH_NO_FORM };
#include "target/extern_ways.def"
#undef WAYS_f
#undef WAYS_ff

const struct lanes_math MATH_TABLE[] = {
#define ROW(name, signature, id) {name, signature, id, (lanes_vector_fn *)id##_vector, id##_arguments, (enum math_form)id##_form}
#define ONE(name, ...) ROW("__nv_" #name, "d:d", name##_d), ROW("__nv_" #name "f", "f:f", name##_f),
#define TWO(name, ...) ROW("__nv_" #name, "dd:d", name##_d), ROW("__nv_" #name "f", "ff:f", name##_f),
#define FAST(name, of) ROW("__nv_fast_" #name "f", NULL, of##_f), /* its signature is that of `of` */
#define ALSO(name, signature, of) ROW(#name, signature, of),
#define APPROX(name, of) {#name ".approx", NULL, name##_approx, (lanes_vector_fn *)of##_f_vector, 1, (enum math_form)of##_f_form},
#include "interp/lanes_math.def"
#undef ONE
#undef TWO
#undef FAST
#undef ALSO
#undef APPROX
#define EXTERN_WAYS(name, args, ways, way) WAYS_##args(name, way)
#define WAYS_f(name, way)  ROW(#name WAYS_TELL, "f:i", name##_way),
#define WAYS_ff(name, way) ROW(#name WAYS_TELL, "ff:i", name##_way),
#include "target/extern_ways.def"
#undef ROW
    {NULL, NULL, NULL, NULL, 0, MATH_NO_FORM}
};
