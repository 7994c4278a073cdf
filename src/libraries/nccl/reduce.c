/* Types and operations of reductions (see reduce.h). Floating-point types of 8 and 16 bits compute as floats, each result rounded to
 * the nearest even; those of 8 bits saturate, as conversions of cuda_fp8.h with __NV_SATFINITE do. */
#include "libraries/nccl/reduce.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "libraries/numbers.h"

size_t reduce_size(ncclDataType_t type)
{
    static const unsigned char bytes[ncclNumTypes] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
    return (unsigned)type < ncclNumTypes ? bytes[type] : 0;
}

/* --- 8 bits --- */

/* A number with so many bits of fraction and this bias; without infinities (E4M3) or with (E5M2). */
static float from_small(uint8_t v, int fraction, int bias)
{
    int exponent = (v & 0x7f) >> fraction, rest = v & ((1 << fraction) - 1), top = 0x7f >> fraction;
    float f;
    if (fraction == 2 && exponent == top)
        f = rest ? NAN : INFINITY;
    else if (fraction == 3 && (v & 0x7f) == 0x7f)
        f = NAN;
    else
        f = exponent ? ldexpf((float)((1 << fraction) + rest), exponent - bias - fraction) : ldexpf((float)rest, 1 - bias - fraction);
    return v & 0x80 ? -f : f;
}

static uint8_t to_small(float f, int fraction, int bias)
{
    const uint8_t sign = signbit(f) ? 0x80 : 0, most = fraction == 3 ? 0x7e : 0x7b;
    if (f != f)
        return 0x7f;
    f = fabsf(f);
    int exponent = f > 0 && !isinf(f) ? ilogbf(f) : 0;
    exponent = f > 0 && exponent > 1 - bias ? exponent : 1 - bias;
    float units = isinf(f) ? INFINITY : nearbyintf(ldexpf(f, fraction - exponent)); /* of the last place; may be one more than it holds */
    uint32_t bits = units >= 1 << (fraction + 2) ? most : (uint32_t)units + ((uint32_t)(exponent + bias - 1) << fraction);
    return sign | (uint8_t)(bits > most ? most : bits);
}

static float from_e4m3(uint8_t v) { return from_small(v, 3, 7); }
static uint8_t to_e4m3(float f) { return to_small(f, 3, 7); }
static float from_e5m2(uint8_t v) { return from_small(v, 2, 15); }
static uint8_t to_e5m2(float f) { return to_small(f, 2, 15); }

/* --- the types: what is stored, what computes, and the way there and back --- */

#define SAME(v) (v)
#define WHOLES(DO)                                 \
    DO(ncclInt8, int8_t, uint32_t, int32_t)        \
    DO(ncclUint8, uint8_t, uint32_t, uint32_t)     \
    DO(ncclInt32, int32_t, uint32_t, int32_t)      \
    DO(ncclUint32, uint32_t, uint32_t, uint32_t)   \
    DO(ncclInt64, int64_t, uint64_t, int64_t)      \
    DO(ncclUint64, uint64_t, uint64_t, uint64_t)
#define FLOATS(DO)                                                               \
    DO(ncclFloat16, uint16_t, float, number_from_half, number_to_half, f)        \
    DO(ncclFloat32, float, float, SAME, SAME, f)                                 \
    DO(ncclFloat64, double, double, SAME, SAME, )                                \
    DO(ncclBfloat16, uint16_t, float, number_from_bfloat16, number_to_bfloat16, f) \
    DO(ncclFloat8e4m3, uint8_t, float, from_e4m3, to_e4m3, f)                    \
    DO(ncclFloat8e5m2, uint8_t, float, from_e5m2, to_e5m2, f)

#define EACH(T, value)                                         \
    do {                                                       \
        T *a = to;                                             \
        const T *b = from;                                     \
        for (size_t i = 0; i < n; i++)                         \
            a[i] = (T)(value);                                 \
    } while (0)

void reduce_add(ncclDataType_t type, ncclRedOp_t op, void *to, const void *from, size_t n)
{
    switch (type) {
#define WHOLE(id, T, U, S)                                     \
    case id:                                                   \
        if (op == ncclSum)                                     \
            EACH(T, (U)a[i] + (U)b[i]);                        \
        else if (op == ncclProd)                               \
            EACH(T, (U)a[i] * (U)b[i]);                        \
        else if (op == ncclMax)                                \
            EACH(T, a[i] > b[i] ? a[i] : b[i]);                \
        else                                                   \
            EACH(T, a[i] < b[i] ? a[i] : b[i]);                \
        break;
        WHOLES(WHOLE)
#undef WHOLE
#define FLOAT(id, T, F, widen, narrow, suffix)                 \
    case id:                                                   \
        if (op == ncclSum)                                     \
            EACH(T, narrow((F)(widen(a[i]) + widen(b[i]))));   \
        else if (op == ncclProd)                               \
            EACH(T, narrow((F)(widen(a[i]) * widen(b[i]))));   \
        else if (op == ncclMax)                                \
            EACH(T, narrow(fmax##suffix(widen(a[i]), widen(b[i])))); \
        else                                                   \
            EACH(T, narrow(fmin##suffix(widen(a[i]), widen(b[i])))); \
        break;
        FLOATS(FLOAT)
#undef FLOAT
    default:
        break;
    }
}

void reduce_scale(ncclDataType_t type, void *to, size_t n, const char scale[8])
{
    switch (type) {
#define WHOLE(id, T, U, S)                         \
    case id: {                                     \
        T *a = to, s;                              \
        memcpy(&s, scale, sizeof s);               \
        for (size_t i = 0; i < n; i++)             \
            a[i] = (T)((U)a[i] * (U)s);            \
        break;                                     \
    }
        WHOLES(WHOLE)
#undef WHOLE
#define FLOAT(id, T, F, widen, narrow, suffix)     \
    case id: {                                     \
        T *a = to, s;                              \
        memcpy(&s, scale, sizeof s);               \
        for (size_t i = 0; i < n; i++)             \
            a[i] = narrow((F)(widen(a[i]) * widen(s))); \
        break;                                     \
    }
        FLOATS(FLOAT)
#undef FLOAT
    default:
        break;
    }
}

void reduce_divide(ncclDataType_t type, void *to, size_t n, int by)
{
    switch (type) {
#define WHOLE(id, T, U, S)                         \
    case id: {                                     \
        T *a = to;                                 \
        for (size_t i = 0; i < n; i++)             \
            a[i] = (T)((S)a[i] / (S)by);           \
        break;                                     \
    }
        WHOLES(WHOLE)
#undef WHOLE
    default:
        break;
    }
}

struct reduction reduce_average(ncclDataType_t type, int ranks)
{
    struct reduction r = {.op = ncclSum};
    switch (type) {
#define FLOAT(id, T, F, widen, narrow, suffix)     \
    case id: {                                     \
        T s = narrow((F)1 / (F)ranks);             \
        r.scaled = true;                           \
        memcpy(r.scale, &s, sizeof s);             \
        break;                                     \
    }
        FLOATS(FLOAT)
#undef FLOAT
    default:
        r.divide = ranks;
    }
    return r;
}
