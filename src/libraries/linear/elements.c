/* Elements of arrays (see elements.h). Every type is read to double, which holds each of their values, and rounded once on the way back. */
#include "libraries/linear/elements.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* --- parts: one number each --- */

#define PLAIN_PART(name, type)                                                                     \
    static double load_##name(const void *from)                                                    \
    {                                                                                              \
        type v;                                                                                    \
        memcpy(&v, from, sizeof v);                                                                \
        return (double)v;                                                                          \
    }                                                                                              \
    enum { BYTES_##name = sizeof(type) };
#define FLOAT_PART(name, type)                                                                     \
    PLAIN_PART(name, type)                                                                         \
    static void store_##name(void *to, double d)                                                   \
    {                                                                                              \
        type v = (type)d;                                                                          \
        memcpy(to, &v, sizeof v);                                                                  \
    }
#define INTEGER_PART(name, type, least, most)                                                      \
    PLAIN_PART(name, type)                                                                         \
    static void store_##name(void *to, double d)                                                   \
    {                                                                                              \
        double r = rint(d);                                                                        \
        type v = isnan(d) ? 0 : r < (least) ? (type)(least) : r > (most) ? (type)(most) : (type)r; \
        memcpy(to, &v, sizeof v);                                                                  \
    }
FLOAT_PART(f32, float)
FLOAT_PART(f64, double)
FLOAT_PART(f16, _Float16)
INTEGER_PART(i8, int8_t, -128, 127)
INTEGER_PART(u8, uint8_t, 0, 255)
INTEGER_PART(i32, int32_t, -2147483648.0, 2147483647.0)

enum { BYTES_bf16 = 2, BYTES_e4m3 = 1, BYTES_e5m2 = 1 };

static double load_bf16(const void *from)
{
    uint16_t h;
    float f;
    memcpy(&h, from, sizeof h);
    uint32_t u = (uint32_t)h << 16;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* A float's upper half, rounded from the double at once: the float between keeps what was lost as its last bit (round to odd). */
static void store_bf16(void *to, double d)
{
    float f = (float)d;
    uint32_t u;
    if (!isnan(d) && !isinf(f) && (double)f != d) {
        float toward = fabs((double)f) > fabs(d) ? nextafterf(f, 0) : f;
        memcpy(&u, &toward, sizeof u);
        u |= 1;
    } else {
        memcpy(&u, &f, sizeof u);
    }
    uint16_t h = isnan(d) ? 0x7fff : (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
    memcpy(to, &h, sizeof h);
}

/* 8-bit floats (Micikevicius and others, FP8 formats for deep learning, 2022): 4 exponent and 3 mantissa bits, no infinity, or 5 and 2. */
static double load_small(uint8_t v, int mantissa, int bias, double largest)
{
    int e = (v & 0x7f) >> mantissa, m = v & ((1 << mantissa) - 1);
    double d = e ? ldexp((double)((1 << mantissa) + m), e - bias - mantissa) : ldexp((double)m, 1 - bias - mantissa);
    if (d > largest)
        d = mantissa == 2 && m == 0 ? INFINITY : NAN;
    return v & 0x80 ? -d : d;
}

static uint8_t store_small(double d, int mantissa, int bias, double largest)
{
    uint8_t sign = signbit(d) ? 0x80 : 0;
    double a = fabs(d);
    int e;
    if (isnan(d))
        return sign | 0x7f;
    if (a == 0)
        return sign;
    frexp(a, &e);
    e = e - 1 < 1 - bias ? 1 - bias : e - 1; /* of the unit's binade */
    double unit = ldexp(1, e - mantissa), r = rint(a / unit) * unit;
    if (r > largest)
        r = largest;
    if (r < ldexp(1, 1 - bias))
        return sign | (uint8_t)(r / ldexp(1, 1 - bias - mantissa));
    frexp(r, &e);
    return sign | (uint8_t)((e - 1 + bias) << mantissa) | (uint8_t)(ldexp(r, mantissa - e + 1) - (1 << mantissa));
}

#define SMALL_PART(name, mantissa, bias, largest)                                                  \
    static double load_##name(const void *from)                                                    \
    {                                                                                              \
        return load_small(*(const uint8_t *)from, mantissa, bias, largest);                        \
    }                                                                                              \
    static void store_##name(void *to, double d)                                                   \
    {                                                                                              \
        *(uint8_t *)to = store_small(d, mantissa, bias, largest);                                  \
    }
SMALL_PART(e4m3, 3, 7, 448.0)
SMALL_PART(e5m2, 2, 15, 57344.0)

/* --- elements --- */

static const struct element {
    size_t part;
    int parts;
    bool integer;
    double (*load)(const void *from);
    void (*store)(void *to, double d);
} elements[] = {
#define ELEMENT(type, part, parts, integer) [type] = {BYTES_##part, parts, integer, load_##part, store_##part},
#include "libraries/linear/elements.def"
#undef ELEMENT
};

static const struct element *element_of(cudaDataType t)
{
    return (size_t)t < sizeof elements / sizeof *elements && elements[t].part ? &elements[t] : NULL;
}

size_t element_bytes(cudaDataType t)
{
    const struct element *e = element_of(t);
    return e ? e->part * (size_t)e->parts : 0;
}

bool element_is_complex(cudaDataType t)
{
    const struct element *e = element_of(t);
    return e && e->parts == 2;
}

bool element_is_integer(cudaDataType t)
{
    const struct element *e = element_of(t);
    return e && e->integer;
}

void element_load(cudaDataType t, const void *from, double part[2])
{
    const struct element *e = element_of(t);
    part[0] = e->load(from);
    part[1] = e->parts == 2 ? e->load((const char *)from + e->part) : 0;
}

void element_store(cudaDataType t, void *to, const double part[2])
{
    const struct element *e = element_of(t);
    e->store(to, part[0]);
    if (e->parts == 2)
        e->store((char *)to + e->part, part[1]);
}

void elements_convert(cudaDataType to_type, void *to, ptrdiff_t to_step, cudaDataType from_type, const void *from, ptrdiff_t from_step, size_t n)
{
    const char *at = from;
    char *out = to;
    for (size_t i = 0; i < n; i++, at += from_step, out += to_step) {
        double part[2];
        if (to_type == from_type) {
            memcpy(out, at, element_bytes(to_type));
        } else {
            element_load(from_type, at, part);
            element_store(to_type, out, part);
        }
    }
}

void elements_round_tf32(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint32_t u;
        memcpy(&u, &x[i], sizeof u);
        if ((u & 0x7f800000) != 0x7f800000)
            u = (u + 0x1000) & ~(uint32_t)0x1fff;
        memcpy(&x[i], &u, sizeof u);
    }
}
