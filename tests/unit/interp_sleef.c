/* SLEEF's promise that device mathematics rests on: scalar forms, vectors of 16, 32 and 64 bytes give the same bits, so
 * results do not depend on the host's level. And what lanes_math.def puts right, over the whole range of arguments. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <math.h>
#include <sleef.h>
#include <string.h>

#include "interp/lanes.h"

enum { ROUNDS = 300 };

static uint64_t next_random(void)
{
    static uint64_t s = 88172645463325252u;
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return s;
}

/* Any bits, small and middling numbers, and the edges. */
static double draw(void)
{
    static const double edges[] = {0, -0.0, 1, -1, 0.5, 2, -3, INFINITY, -INFINITY, NAN, 0x1p-1074, -0x1p-1022, 0x1.fffffffffffffp1023,
                                   709.5, 710.4, -745.2, 1e30, 88.8, -104, 0x1p-126, 0x1.fffffep127};
    uint64_t v = next_random();
    double d, u = (double)(next_random() >> 11) * 0x1p-53;
    memcpy(&d, &v, 8);
    switch (next_random() % 4) {
    case 0: return d;
    case 1: return u * 1500 - 750;
    case 2: return u * 8 - 4;
    default: return v % 8 ? ldexp(u - 0.5, (int)(v >> 8) % 40) : edges[(v >> 8) % (sizeof edges / sizeof *edges)];
    }
}

static lanes_fn *find(const struct lanes_math *m, const char *name)
{
    while (m->name && strcmp(m->name, name))
        m++;
    assert_non_null(m->fn);
    return m->fn;
}

static bool same(const void *x, const void *y, size_t n, bool nan)
{
    return !memcmp(x, y, n) || nan;
}

struct row {
    const char *name;
    double (*d1)(double), (*d2)(double, double);
    float (*f1)(float), (*f2)(float, float);
};
/* SLEEF's header calls its results const, so that clang takes the functions for others than these. */
#define OWN(name, bound) \
    static float name##_f1(float a) { return Sleef_cinz_##name##f1_##bound##purec(a); }
#define DOUBLE(name, bound)
#define FORM(name, bound)
#define ONE(name, bound, single, ...)                                                    \
    static double name##_d1(double a) { return Sleef_cinz_##name##d1_##bound##purec(a); } \
    single(name, bound)
#define TWO(name, bound, ...)                                                                         \
    static double name##_d2(double a, double b) { return Sleef_cinz_##name##d1_##bound##purec(a, b); } \
    static float name##_f2(float a, float b) { return Sleef_cinz_##name##f1_##bound##purec(a, b); }
#define FAST(name, of)
#define ALSO(name, signature, of)
#define APPROX(name, of)
#include "interp/lanes_math.def"
#undef ONE
#undef TWO
#undef OWN
#undef DOUBLE
#undef FORM

static const struct row rows[] = {
#define OWN(name)                     .f1 = name##_f1
#define DOUBLE(name)                  .f1 = NULL
#define FORM(name)                    .f1 = NULL
#define ONE(name, bound, single, ...) {"__nv_" #name, .d1 = name##_d1, single(name)},
#define TWO(name, bound, ...)         {"__nv_" #name, .d2 = name##_d2, .f2 = name##_f2},
#include "interp/lanes_math.def"
};

/* Lanes that SLEEF is not asked for (`outside`), where only the levels have to agree. */
static bool is_outside(const char *name, double a, double b, double r)
{
    const double LN_2 = 0;
    (void)LN_2;
    (void)b;
    (void)r;
#undef ONE
#undef TWO
#define ONE(id, bound, single, condition, ...) if (!strcmp(name, "__nv_" #id)) return condition;
#define TWO(id, bound, single, condition, ...) if (!strcmp(name, "__nv_" #id)) return condition;
#include "interp/lanes_math.def"
    return false;
}

static void every_width_gives_the_same_bits(void **state)
{
    (void)state;
    bool wide = strcmp(lanes_level(), "x86-64-v2") != 0, widest = !strcmp(lanes_level(), "x86-64-v4");
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        const struct row *r = &rows[n];
        char single[64];
        snprintf(single, sizeof single, "%sf", r->name);
        lanes_fn *d2 = find(lanes_math_v2, r->name), *f2 = find(lanes_math_v2, single);
        lanes_fn *d3 = wide ? find(lanes_math_v3, r->name) : d2, *f3 = wide ? find(lanes_math_v3, single) : f2;
        lanes_fn *d4 = widest ? find(lanes_math_v4, r->name) : d2, *f4 = widest ? find(lanes_math_v4, single) : f2;
        for (int round = 0; round < ROUNDS; round++) {
            double a[32], b[32], x[32], y[32], z[32];
            float fa[32], fb[32], fx[32], fy[32], fz[32];
            uint32_t mask = round % 3 ? ~0u : (uint32_t)next_random();
            for (int i = 0; i < 32; i++) {
                a[i] = draw(), b[i] = draw(), x[i] = y[i] = z[i] = -7, fx[i] = fy[i] = fz[i] = -7;
                fa[i] = (float)a[i], fb[i] = (float)b[i];
            }
            d2(x, a, b, NULL, NULL, mask, NULL);
            d3(y, a, b, NULL, NULL, mask, NULL);
            f2(fx, fa, fb, NULL, NULL, mask, NULL);
            f3(fy, fa, fb, NULL, NULL, mask, NULL);
            d4(z, a, b, NULL, NULL, mask, NULL);
            f4(fz, fa, fb, NULL, NULL, mask, NULL);
            assert_memory_equal(x, y, sizeof x);
            assert_memory_equal(fx, fy, sizeof fx);
            assert_memory_equal(x, z, sizeof x);
            assert_memory_equal(fx, fz, sizeof fx);
            for (int i = 0; i < 32; i++) {
                if (!(mask >> i & 1)) {
                    assert_true(x[i] == -7 && fx[i] == -7);
                    continue;
                }
                double want = r->d1 ? r->d1(a[i]) : r->d2(a[i], b[i]);
                if (!is_outside(r->name, a[i], b[i], want) && !same(&x[i], &want, 8, isnan(want) && isnan(x[i])))
                    fail_msg("%s(%a, %a) = %a, scalar %a", r->name, a[i], b[i], x[i], want);
                if (!r->f1 && !r->f2)
                    continue;
                float fwant = r->f1 ? r->f1(fa[i]) : r->f2(fa[i], fb[i]);
                if (!is_outside(r->name, (double)fa[i], (double)fb[i], (double)fwant) &&
                    !same(&fx[i], &fwant, 4, isnan(fwant) && isnan(fx[i])))
                    fail_msg("%s(%a, %a) = %a, scalar %a", single, (double)fa[i], (double)fb[i], (double)fx[i], (double)fwant);
            }
        }
    }
}

static double one(const char *name, double a, double b)
{
    double x[32] = {a}, y[32] = {b}, d[32];
    lanes_find_extern(name)(d, x, y, NULL, NULL, 1, NULL);
    return d[0];
}

static float onef(const char *name, float a)
{
    float x[32] = {a}, d[32];
    lanes_find_extern(name)(d, x, NULL, NULL, NULL, 1, NULL);
    return d[0];
}

/* cosh(710) = exp(710)/2, asinh(x) = ln 2x and so on, to 16 digits. */
static void the_ends_of_the_range(void **state)
{
    (void)state;
    assert_true(fabs(one("__nv_cosh", 710, 0) / 1.1169973830808557e308 - 1) < 1e-15);
    assert_true(fabs(one("__nv_sinh", -710, 0) / -1.1169973830808557e308 - 1) < 1e-15);
    assert_true(one("__nv_cosh", 711, 0) == INFINITY);
    assert_true(fabs(one("__nv_asinh", -1e300, 0) + 691.4686750787737) < 3e-13);
    assert_true(fabs(one("__nv_acosh", 1e300, 0) - 691.4686750787737) < 3e-13);
    assert_true(fabs(one("__nv_log1p", 1e308, 0) - 709.1962086421661) < 3e-13);
    assert_true(one("__nv_pow", 0x1.fffffffffffffp1023, 1) == 0x1.fffffffffffffp1023);
    assert_true(one("__nv_pow", 10, 400) == INFINITY);
    assert_true(one("__nv_acosh", INFINITY, 0) == INFINITY && one("__nv_asinh", -INFINITY, 0) == -INFINITY);
    assert_true(one("__nv_log1p", INFINITY, 0) == INFINITY && isnan(one("__nv_log1p", -2, 0)));
    assert_true(fabsf(onef("__nv_coshf", 89) / 2.2448061e38f - 1) < 1e-6f);
    assert_true(fabsf(onef("__nv_asinhf", 1e30f) - 69.770700f) < 1e-5f);
    assert_true(fabs(one("__nv_lgamma", -2.747682646727412, 0)) < 1e-14);
    assert_true(isnan(one("__nv_tgamma", -3, 0)) && one("__nv_tgamma", 5, 0) == 24);
    assert_string_equal(lanes_extern_signature("__nv_fast_powf"), "ff:f");
    assert_string_equal(lanes_extern_signature("__nv_fast_sinf"), "f:f");
    assert_string_equal(lanes_extern_signature("__nv_hypotf"), "ff:f");
    assert_string_equal(lanes_extern_signature("__nv_exp"), "d:d");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width_gives_the_same_bits),
        cmocka_unit_test(the_ends_of_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
