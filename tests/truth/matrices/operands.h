// What sums.cu multiplies: registers of a warp, made by a formula from their place, so that a program on the host knows them, too.
#ifndef OPERANDS_H
#define OPERANDS_H

#ifndef __CUDACC__
#define __host__
#define __device__
#endif

enum element { F16, BF16, TF32, E4M3, E5M2, F32 };
// How the numbers of a product lie to each other.
enum kind { UNIFORM, WIDE, SPARSE, ANY, SMALL, CANCEL, TINY, HUGE_ONES, KINDS };
static const char *const KIND_NAMES[KINDS] = {"uniform", "wide", "sparse", "any", "small", "cancel", "tiny", "huge"};
enum matrix { MATRIX_A, MATRIX_B, MATRIX_C };

struct format {
    int exponent_bits, fraction_bits, width; // width: bits from one element of a register to the next
};

__host__ __device__ inline format format_of(element e)
{
    return e == F16    ? format{5, 10, 16}
           : e == BF16 ? format{8, 7, 16}
           : e == TF32 ? format{8, 10, 32}
           : e == E4M3 ? format{4, 3, 8}
           : e == E5M2 ? format{5, 2, 8}
                       : format{8, 23, 32};
}

// A hash of 64 bits to 64 (the finalizer of splitmix64).
__host__ __device__ inline unsigned long long mixed(unsigned long long x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

// One element's code, from random bits.
__host__ __device__ inline unsigned code(element e, kind k, bool sum, unsigned long long random)
{
    format f = format_of(e);
    int bias = (1 << (f.exponent_bits - 1)) - 1, most = (1 << f.exponent_bits) - 2, low = 0;
    unsigned fraction = (unsigned)(random & ((1u << f.fraction_bits) - 1)), sign = (unsigned)(random >> 24 & 1), r = (unsigned)(random >> 32);
    int reach = e == F32 ? 20 : 7, exponent = bias;
    if (k == ANY) {
        exponent = (int)(r % (unsigned)(most + 2));
    } else if (k == UNIFORM || k == CANCEL) {
        for (exponent = bias - 1 + 3 * sum; exponent > 1 && !(r >> low & 1) && low < 31; low++)
            exponent--;
    } else if (k == SMALL) {
        exponent = e == F32 ? (r & 3 ? bias - 34 + (int)(r >> 2) % 24 : 0) : (int)(r % 4);
        exponent = exponent < 0 ? 0 : exponent;
    } else if (k == TINY) { // products and sums about the least float, or half
        int about = sum ? (e == F16 ? -24 : -140) : f.exponent_bits == 8 ? -71 : -24;
        exponent = bias + about + (int)(r % 24) - 12;
        fraction >>= exponent < 1 ? (1 - exponent < 31 ? 1 - exponent : 31) : 0;
        exponent = exponent < 0 ? 0 : exponent;
    } else if (k == HUGE_ONES) { // about the largest float, or half
        int about = sum ? (e == F16 ? 13 : 125) : f.exponent_bits == 8 ? 61 : f.exponent_bits == 5 ? 7 : 3;
        exponent = bias + about + (int)(r % 5) - 2;
        exponent = exponent > most ? most : exponent;
    } else {
        exponent = bias - reach + (int)(r % (unsigned)(2 * reach + 1));
        exponent = exponent < 0 ? 0 : exponent > most ? most : exponent;
    }
    bool zero = (k == SPARSE && (random >> 26 & (sum ? 1 : 3))) || (k == CANCEL && sum);
    if (zero)
        exponent = 0, fraction = 0;
    unsigned c = sign << (f.exponent_bits + f.fraction_bits) | (unsigned)exponent << f.fraction_bits | fraction;
    return e == TF32 ? c << 13 : c;
}

// Register `reg` of `lane` for matrix m in try n.
__host__ __device__ inline unsigned operand(int which, element e, kind k, int n, matrix m, int lane, int reg)
{
    format f = format_of(e);
    unsigned value = 0;
    for (int part = 0; part < 32 / f.width; part++) {
        int from = k == CANCEL && m != MATRIX_C && f.width < 32 ? part & ~1 : part; // two products that nearly cancel
        unsigned long long at = ((((unsigned long long)which * KINDS + k) * 4096 + (unsigned)n) * 4 + m) * 32 + (unsigned)lane;
        unsigned c = code(e, k, m == MATRIX_C, mixed(mixed(at) + (unsigned)(reg * 4 + from)));
        if (from != part)
            c ^= m == MATRIX_A ? 1u << (f.exponent_bits + f.fraction_bits) : (unsigned)(mixed(at + 77 + (unsigned)reg) & 1);
        value |= c << part * f.width;
    }
    return value;
}

#endif
