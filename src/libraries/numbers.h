/* 16-bit floating-point numbers as the libraries compute with them: widened to float, and rounded to the nearest even. */
#ifndef LIBRARIES_NUMBERS_H
#define LIBRARIES_NUMBERS_H

#include <stdint.h>
#include <string.h>

static inline uint32_t number_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static inline float number_of_bits(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static inline float number_from_bfloat16(uint16_t v)
{
    return number_of_bits((uint32_t)v << 16);
}

static inline uint16_t number_to_bfloat16(float f)
{
    const uint32_t u = number_bits(f);
    return f != f ? 0x7fff : (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

/* Through 2^112: a float's exponent is that much wider. */
static inline float number_from_half(uint16_t v)
{
    const uint32_t sign = (uint32_t)(v & 0x8000) << 16, rest = v & 0x7fff;
    if (rest >= 0x7c00)
        return number_of_bits(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    const float f = number_of_bits(rest << 13) * 0x1p112f;
    return number_of_bits(sign | number_bits(f));
}

static inline uint16_t number_to_half(float f)
{
    const uint32_t u = number_bits(f), sign = u >> 16 & 0x8000, rest = u & 0x7fffffff;
    if (rest > 0x7f800000)
        return 0x7fff;
    if (rest >= 0x477ff000) /* rounds to 65536 or more */
        return (uint16_t)(sign | 0x7c00);
    if (rest < 0x38800000) /* below 2^-14: units of 2^-24, which adding 1/2 rounds to */
        return (uint16_t)(sign | (number_bits(number_of_bits(rest) + 0.5f) - 0x3f000000));
    return (uint16_t)(sign | (rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13);
}

#endif
