/* Accuracy of the device math functions, against MPFR with 300 bits, at random and edge arguments.
 *
 * The error is counted in units of the last place of the exact result; bounds: CUDA C++ Programming Guide 12, appendix
 * "Mathematical Functions", "Standard Functions". With --table it prints the table of docs/math.md. */
#include "interp/lanes.h"

#include <math.h>
#include <mpfr.h>
#include <stdio.h>
#include <string.h>

enum { BITS = 300, TEST_ROUNDS = 40, TABLE_ROUNDS = 400 };

static int rounds = TEST_ROUNDS;

static int rcbrt_(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) { mpfr_cbrt(r, x, m); return mpfr_ui_div(r, 1, r, m); }
static int sinpi_(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) { return mpfr_sinpi(r, x, m); }
static int cospi_(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) { return mpfr_cospi(r, x, m); }
static int lgamma_(mpfr_t r, const mpfr_t x, mpfr_rnd_t m) { int s; return mpfr_lgamma(r, &s, x, m); }
static int erfcx_(mpfr_t r, const mpfr_t x, mpfr_rnd_t m)
{
    mpfr_t e;
    mpfr_init2(e, 4 * BITS); /* the square of a large x must be exact in its integer part */
    mpfr_sqr(e, x, m);
    mpfr_exp(e, e, m);
    mpfr_erfc(r, x, m);
    int t = mpfr_mul(r, r, e, m);
    mpfr_clear(e);
    return t;
}
static int normcdf_(mpfr_t r, const mpfr_t x, mpfr_rnd_t m)
{
    mpfr_t h;
    mpfr_init2(h, BITS);
    mpfr_set_d(h, 0.5, m);
    mpfr_sqrt(h, h, m);
    mpfr_mul(h, h, x, m);
    mpfr_neg(h, h, m);
    mpfr_erfc(r, h, m);
    mpfr_clear(h);
    return mpfr_div_ui(r, r, 2, m);
}
static int rhypot_(mpfr_t r, const mpfr_t x, const mpfr_t y, mpfr_rnd_t m)
{
    mpfr_hypot(r, x, y, m);
    return mpfr_ui_div(r, 1, r, m);
}

/* name, MPFR's function, range of arguments, bounds in double and in float */
#define ONE(X)                                                                                                       \
    X(exp, mpfr_exp, -700, 700, 1, 2) X(exp2, mpfr_exp2, -1000, 1000, 1, 2) X(exp10, mpfr_exp10, -300, 300, 1, 2)      \
    X(expm1, mpfr_expm1, -40, 700, 1, 1) X(log, mpfr_log, 0, 1e9, 1, 1) X(log2, mpfr_log2, 0, 1e9, 1, 1)              \
    X(log10, mpfr_log10, 0, 1e9, 1, 2) X(log1p, mpfr_log1p, -1, 1e3, 1, 1) X(sin, mpfr_sin, -1e6, 1e6, 2, 2)           \
    X(cos, mpfr_cos, -1e6, 1e6, 2, 2) X(tan, mpfr_tan, -1e6, 1e6, 2, 4) X(sinpi, sinpi_, -1e4, 1e4, 2, 1)              \
    X(cospi, cospi_, -1e4, 1e4, 2, 1) X(asin, mpfr_asin, -1, 1, 2, 2) X(acos, mpfr_acos, -1, 1, 2, 2)                  \
    X(atan, mpfr_atan, -1e4, 1e4, 2, 2) X(sinh, mpfr_sinh, -80, 80, 2, 3) X(cosh, mpfr_cosh, -80, 80, 1, 2)            \
    X(tanh, mpfr_tanh, -20, 20, 1, 2) X(asinh, mpfr_asinh, -1e6, 1e6, 3, 3) X(acosh, mpfr_acosh, 1, 1e6, 3, 4)         \
    X(atanh, mpfr_atanh, -1, 1, 2, 3) X(cbrt, mpfr_cbrt, -1e9, 1e9, 1, 1) X(rcbrt, rcbrt_, -1e9, 1e9, 1, 1)            \
    X(rsqrt, mpfr_rec_sqrt, 0, 1e9, 1, 2) X(erf, mpfr_erf, -6, 6, 2, 2) X(erfc, mpfr_erfc, -6, 26, 5, 4)               \
    X(erfcx, erfcx_, -5, 100, 4, 4) X(normcdf, normcdf_, -30, 8, 5, 5) X(tgamma, mpfr_gamma, 0, 170, 10, 5)            \
    X(lgamma, lgamma_, 3, 1e6, 4, 6)
#define TWO(X)                                                                                                       \
    X(atan2, mpfr_atan2, -1e4, 1e4, 2, 3) X(hypot, mpfr_hypot, -1e4, 1e4, 2, 3) X(rhypot, rhypot_, -1e4, 1e4, 1, 2)    \
    X(pow, mpfr_pow, 0, 30, 2, 4) X(fmod, mpfr_fmod, -1e6, 1e6, 0, 0) X(remainder, mpfr_remainder, -1e6, 1e6, 0, 0)

typedef int one_fn(mpfr_t, const mpfr_t, mpfr_rnd_t);
typedef int two_fn(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
static const struct row {
    const char *name;
    one_fn *one;
    two_fn *two;
    double low, high, bound[2];
} rows[] = {
#define X(name, fn, low, high, d, f) {"__nv_" #name, fn, NULL, low, high, {d, f}},
    ONE(X)
#undef X
#define X(name, fn, low, high, d, f) {"__nv_" #name, NULL, fn, low, high, {d, f}},
    TWO(X)
#undef X
};

static uint64_t next_random(void)
{
    static uint64_t s = 88172645463325252u;
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return s;
}

/* Half evenly over the range, half with evenly spread exponents, some exactly at its ends. */
static double draw(const struct row *r)
{
    uint64_t v = next_random();
    double u = (double)(next_random() >> 11) * 0x1p-53, x = r->low + u * (r->high - r->low);
    if (v % 64 == 0)
        return v & 64 ? r->high : r->low;
    return v & 1 ? x : x * ldexp(1, -(int)(v >> 8 & 31));
}

static double error_of(const struct row *r, double got, double x, double y, bool single)
{
    mpfr_t a, b, e;
    mpfr_inits2(BITS, a, b, e, (mpfr_ptr)0);
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    r->one ? r->one(e, a, MPFR_RNDN) : r->two(e, a, b, MPFR_RNDN);
    double exact = mpfr_get_d(e, MPFR_RNDN), error;
    if (mpfr_nan_p(e) || !isfinite(single ? (double)(float)exact : exact)) {
        float f = (float)exact;
        error = isnan(exact) ? (isnan(got) ? 0 : INFINITY) : got == (single ? (double)f : exact) ? 0 : INFINITY;
    } else {
        int least = single ? -149 : -1074, at = exact != 0 ? ilogb(exact) - (single ? 23 : 52) : least;
        mpfr_sub_d(e, e, got, MPFR_RNDN);
        mpfr_mul_2si(e, e, -(at < least ? least : at), MPFR_RNDN);
        error = isfinite(got) ? fabs(mpfr_get_d(e, MPFR_RNDN)) : INFINITY;
    }
    mpfr_clears(a, b, e, (mpfr_ptr)0);
    return error;
}

static double worst(const struct row *r, bool single, double at[2])
{
    char name[64];
    double x[32], y[32], d[32], most = 0;
    float fx[32], fy[32], fd[32];
    snprintf(name, sizeof name, "%s%s", r->name, single ? "f" : "");
    lanes_fn *fn = lanes_find_extern(name);
    if (!fn)
        return INFINITY;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < 32; i++) {
            x[i] = draw(r);
            y[i] = r->two ? draw(r) : 0;
            fx[i] = (float)x[i];
            fy[i] = (float)y[i];
        }
        single ? fn(fd, fx, fy, NULL, NULL, ~0u, NULL) : fn(d, x, y, NULL, NULL, ~0u, NULL);
        for (int i = 0; i < 32; i++) {
            double e = single ? error_of(r, (double)fd[i], (double)fx[i], (double)fy[i], true)
                              : error_of(r, d[i], x[i], y[i], false);
            if (e > most) {
                most = e;
                at[0] = single ? (double)fx[i] : x[i];
                at[1] = single ? (double)fy[i] : y[i];
            }
        }
    }
    return most;
}

int main(int argc, char **argv)
{
    bool table = argc > 1 && !strcmp(argv[1], "--table");
    int bad = 0;
    rounds = table ? TABLE_ROUNDS : TEST_ROUNDS;
    if (table)
        printf("| function | double: largest error | bound | float: largest error | bound |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double e[2], at[2] = {0, 0};
        for (int single = 0; single < 2; single++) {
            e[single] = worst(&rows[i], single, at);
            /* a bound of 1 unit means faithful; results are correctly rounded within half a unit */
            if (e[single] > rows[i].bound[single]) {
                fprintf(stderr, "%s%s: %.3f units at %a %a, bound %g\n", rows[i].name, single ? "f" : "", e[single], at[0],
                        at[1], rows[i].bound[single]);
                bad++;
            }
        }
        if (table)
            printf("| `%s` | %.2f | %g | %.2f | %g |\n", rows[i].name + 5, e[0], rows[i].bound[0], e[1], rows[i].bound[1]);
    }
    return bad != 0;
}
