/* Functions of the outside: CUDA's device math library, by SLEEF (lanes_math.h) or lane by lane.
 *
 * In: the name of a call that the kernel leaves open. Out: its lane function and its signature, from lanes_extern.def.
 * Only the lanes of the mask are computed, since these functions cost tens of nanoseconds a lane. Float NaN results
 * are made canonical. What libm does not have is here, computed in long double (64 bits of fraction), so that the
 * double result is within one unit in the last place. */
#define _GNU_SOURCE
#include "interp/lanes.h"
#include "interp/lanes_ways.h"
#include "target/ways.h"

#include <math.h>
#include <sleef.h>
#include <stdlib.h>
#include <string.h>

/* ---- what libm does not have ---- */
static const long double PI = 3.14159265358979323846264338327950288L;
static const long double SQRT_HALF = 0.70710678118654752440084436210484904L;
static const long double SQRT_2 = 1.41421356237309504880168872420969808L;
static const long double TWO_OVER_SQRT_PI = 1.12837916709551257389615890312154517L;

/* As pow() of lanes_math.def, with a whole exponent. */
static double power(double x, int n)
{
    double r = Sleef_cinz_powd1_u10purec(x, n);
    return isinf(r) && isfinite(x) ? pow(x, n) : r;
}

/* Low bits of the quotient of remainder(), at least three, with its sign. */
static int quotient_bits(double x, double y)
{
    int q = 0;
    remquo(x, y, &q);
    return q;
}

/* x reduced exactly to r in [-1/4, 1/4] and the number of half turns passed */
static long double reduce_turns(double x, int *quarter)
{
    double y = remainder(x, 2), n = rint(2 * y); /* exact; y in [-1, 1] */
    *quarter = (int)n & 3;
    return (long double)y - (long double)n / 2;
}

static double sin_pi(double x)
{
    int quarter;
    if (!isfinite(x))
        return NAN;
    if (x == trunc(x))
        return copysign(0, x);
    long double r = PI * reduce_turns(x, &quarter);
    long double y = quarter & 1 ? cosl(r) : sinl(r);
    return (double)(quarter & 2 ? -y : y);
}

static double cos_pi(double x)
{
    int quarter;
    if (!isfinite(x))
        return NAN;
    long double r = PI * reduce_turns(x, &quarter);
    long double y = quarter & 1 ? -sinl(r) : cosl(r);
    return (double)(quarter & 2 ? -y : y) + 0.0; /* never -0 */
}

/* Modified Bessel functions: the power series, whose terms are all positive (DLMF 10.25.2). */
static long double bessel_series(long double x, int order)
{
    long double q = x * x / 4, term = order ? x / 2 : 1, sum = term;
    for (int k = 1; k < 2000 && term > sum * 0x1p-66L; k++) {
        term *= q / ((long double)k * (k + order));
        sum += term;
    }
    return sum;
}

static double bessel_i0(double x)
{
    if (isnan(x))
        return x;
    return fabs(x) > 720 ? INFINITY : (double)bessel_series(fabsl((long double)x), 0);
}

static double bessel_i1(double x)
{
    if (isnan(x) || x == 0)
        return x;
    return copysign(fabs(x) > 720 ? INFINITY : (double)bessel_series(fabsl((long double)x), 1), x);
}

/* y >= 0 with erfc(y) = q, for 0 < q <= 1/2: Halley's steps from the leading asymptotic form. */
static long double erfc_inverse_tail(long double q)
{
    long double t = sqrtl(-2 * logl(q / 2));
    /* Abramowitz and Stegun 26.2.23, error below 4.5e-4 */
    long double y = t - (2.515517L + t * (0.802853L + t * 0.010328L)) /
                            (1 + t * (1.432788L + t * (0.189269L + t * 0.001308L)));
    y *= SQRT_HALF;
    for (int k = 0; k < 4; k++) {
        long double u = (erfcl(y) - q) / (-TWO_OVER_SQRT_PI * expl(-y * y));
        y -= u / (1 + y * u);
    }
    return y;
}

/* y with erf(y) = p for |p| <= 1/2 */
static long double erf_inverse_middle(long double p)
{
    long double y = p / TWO_OVER_SQRT_PI * (1 + p * p * (PI / 12)); /* two terms of the series */
    for (int k = 0; k < 5; k++) {
        long double u = (erfl(y) - p) / (TWO_OVER_SQRT_PI * expl(-y * y));
        y -= u / (1 + y * u);
    }
    return y;
}

static double erf_inverse(double x)
{
    if (!(fabs(x) <= 1))
        return NAN;
    if (fabs(x) == 1)
        return copysign(INFINITY, x);
    if (fabs(x) <= 0.5)
        return x == 0 ? x : (double)erf_inverse_middle(x);
    return copysign((double)erfc_inverse_tail(1 - fabsl((long double)x)), x);
}

static long double erfc_inverse_long(long double x)
{
    if (x == 0)
        return INFINITY;
    if (x == 2)
        return -INFINITY;
    if (x < 0.5L)
        return erfc_inverse_tail(x);
    return x > 1.5L ? -erfc_inverse_tail(2 - x) : erf_inverse_middle(1 - x);
}

static double erfc_inverse(double x)
{
    return x >= 0 && x <= 2 ? (double)erfc_inverse_long(x) : NAN;
}

static double erfc_scaled(double x)
{
    if (x < 26)
        return (double)(expl((long double)x * x) * erfcl(x));
    /* asymptotic series, DLMF 7.12.1: the ninth term is below 2^-70 here */
    long double z = 1 / (2 * (long double)x * x), sum = 1, term = 1;
    for (int k = 1; k < 9; k++) {
        term *= -(2 * k - 1) * z;
        sum += term;
    }
    return isnan(x) ? x : (double)(sum * TWO_OVER_SQRT_PI / 2 / x);
}

static double normal_cdf(double x)
{
    return (double)(erfcl(-(long double)x * SQRT_HALF) / 2);
}

static double normal_cdf_inverse(double p)
{
    return p >= 0 && p <= 1 ? (double)(-SQRT_2 * erfc_inverse_long(2 * (long double)p)) : NAN;
}

/* An infinite component wins over NaN, as in hypot. Long double's range holds every square of a double. */
static long double norm_of(double x, double y, double z, double w)
{
    if (isinf(x) || isinf(y) || isinf(z) || isinf(w))
        return INFINITY;
    return sqrtl((long double)x * x + (long double)y * y + (long double)z * z + (long double)w * w);
}

/* ---- one function a row ---- */
#define UNUSED __attribute__((unused))
#define TYPE_f float
#define TYPE_d double
#define TYPE_i int32_t
#define TYPE_l int64_t
#define ARG(name, source, t) UNUSED const TYPE_##t name = ((const TYPE_##t *)source)[i];
#define ARGS_1(x)          ARG(a, va, x)
#define ARGS_2(x, y)       ARG(a, va, x) ARG(b, vb, y)
#define ARGS_3(x, y, z)    ARG(a, va, x) ARG(b, vb, y) ARG(c, vc, z)
#define ARGS_4(x, y, z, w) ARG(a, va, x) ARG(b, vb, y) ARG(c, vc, z) ARG(e, ve, w)
#define ARGS_f ARGS_1(f)
#define ARGS_d ARGS_1(d)
#define ARGS_ff ARGS_2(f, f)
#define ARGS_dd ARGS_2(d, d)
#define ARGS_fff ARGS_3(f, f, f)
#define ARGS_ddd ARGS_3(d, d, d)
#define ARGS_ffff ARGS_4(f, f, f, f)
#define ARGS_dddd ARGS_4(d, d, d, d)
#define ARGS_fi ARGS_2(f, i)
#define ARGS_di ARGS_2(d, i)
#define ARGS_didddddd ARGS_1(d)
#define ARGS_if ARGS_2(i, f)
#define ARGS_id ARGS_2(i, d)
#define ARGS_i ARGS_1(i)
#define ARGS_ii ARGS_2(i, i)
#define ARGS_l ARGS_1(l)
#define ARGS_ll ARGS_2(l, l)

static inline void put_f(void *d, int i, float x)
{
    static const uint32_t nan = 0x7fffffffu;
    if (x != x)
        memcpy((float *)d + i, &nan, 4);
    else
        ((float *)d)[i] = x;
}

static inline void put_d(void *d, int i, double x)
{
    ((double *)d)[i] = x != x ? NAN : x;
}

static inline void put_i(void *d, int i, int32_t x)
{
    ((int32_t *)d)[i] = x;
}

static inline void put_l(void *d, int i, int64_t x)
{
    ((int64_t *)d)[i] = x;
}

#define EXTERN(name, args, result, value)                                                                           \
    static void name(void *vd, UNUSED const void *va, UNUSED const void *vb, UNUSED const void *vc, UNUSED void *ve, \
                     uint32_t mask, UNUSED const struct ir_inst *in)                                                \
    {                                                                                                               \
        for (int i = 0; i < 32; i++)                                                                                \
            if (mask >> i & 1) {                                                                                    \
                ARGS_##args put_##result(vd, i, (TYPE_##result)(value));                                            \
            }                                                                                                       \
    }
#include "interp/lanes_extern.def"
#undef EXTERN

/* It is computed for all 32 lanes, which the host's vectors do at once, and kept for those that are on: what lies in the place
 * of another lane may be another register's, which lanes that went another way still need. */
#define EXTERN_WAYS(name, args, ways, way) WAYS_##args(name, args, way)
#define WAYS_f(name, args, way) /* lanes_math.h */
#define WAYS_ff(name, args, way)
#define WAYS_d  WAYS_HERE
#define WAYS_dd WAYS_HERE
#define WAYS_di WAYS_HERE
#define WAYS_HERE(name, args, way)                                                                                  \
    static void name##_way(void *vd, const void *va, UNUSED const void *vb, UNUSED const void *vc, UNUSED void *ve, \
                           uint32_t mask, UNUSED const struct ir_inst *in)                                          \
    {                                                                                                               \
        int32_t *d = vd, all[32];                                                                                   \
        for (int i = 0; i < 32; i++) {                                                                              \
            ARGS_##args all[i] = (way);                                                                             \
        }                                                                                                           \
        for (int i = 0; i < 32; i++)                                                                                \
            d[i] = mask >> i & 1 ? all[i] : d[i];                                                                   \
    }
#include "target/extern_ways.def"

static const struct {
    const char *name, *signature;
    lanes_fn *fn;
} externs[] = {
#define EXTERN(name, args, result, value) {#name, #args ":" #result, name},
#include "interp/lanes_extern.def"
#undef EXTERN
#define EXTERN_WAYS(name, args, ways, way) WAYS_##args(name, args, way)
#undef WAYS_HERE
#define WAYS_HERE(name, args, way) {#name WAYS_TELL, #args ":i", name##_way},
#include "target/extern_ways.def"
};

static int find(const char *name)
{
    for (size_t i = 0; i < sizeof externs / sizeof externs[0]; i++)
        if (strcmp(externs[i].name, name) == 0)
            return (int)i;
    return -1;
}

const struct lanes_math *lanes_math(void)
{
    const char *level = lanes_level();
    return !strcmp(level, "x86-64-v4") ? lanes_math_v4 : !strcmp(level, "x86-64-v3") ? lanes_math_v3 : lanes_math_v2;
}

int lanes_math_row(const char *name)
{
    int n = 0;
    while (lanes_math_v2[n].name && strcmp(lanes_math_v2[n].name, name))
        n++;
    return lanes_math_v2[n].name ? n : -1;
}

static const struct lanes_math *find_math(const char *name)
{
    int row = lanes_math_row(name);
    return row < 0 ? NULL : &lanes_math()[row];
}

lanes_fn *lanes_find_extern(const char *name)
{
    const struct lanes_math *m = find_math(name);
    int i = m ? -1 : find(name);
    return m ? m->fn : i < 0 ? NULL : externs[i].fn;
}

const char *lanes_extern_signature(const char *name)
{
    const struct lanes_math *m = find_math(name);
    int i = m ? -1 : find(name);
    if (m)
        return m->signature ? m->signature : strcmp(name, "__nv_fast_powf") ? "f:f" : "ff:f";
    return i < 0 ? NULL : externs[i].signature;
}
