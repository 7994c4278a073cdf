/* MRG32k3a: L'Ecuyer, Good Parameters and Implementations for Combined Multiple Recursive Random Number Generators, Operations
 * Research 47(1), 1999; skips as in L'Ecuyer, Simard, Chen and Kelton, 2002. Period 2^191; subsequences are 2^76 steps apart,
 * sequences 2^127. */
#ifndef HEDDLE_CURAND_MRG32K3A_H
#define HEDDLE_CURAND_MRG32K3A_H

#include "heddle/curand/states.h"
#include "heddle/curand/mrg32k3a_powers.h"

#define MRG32K3A_MOD1 4294967087.
#define MRG32K3A_MOD2 4294944443.
#define MRG32K3A_NORM (2.3283065498378288e-10) /* 1 / MRG32K3A_MOD1 */
#define MRG32K3A_BITS_NORM 1.000000048662      /* (2^32 - 1) / MRG32K3A_MOD1 */

/* The next number, 1 to MRG32K3A_MOD1. 2^32 = 209 and = 22853 in the two moduli: the upper half of a sum folds into the lower. */
QUALIFIERS double curand_MRG32k3a(curandStateMRG32k3a_t *state)
{
    const unsigned int m1 = 4294967087u, m2 = 4294944443u;
    unsigned int *a = state->s1, *b = state->s2;
    unsigned long long x = 1403580ull * a[1] + 810728ull * (m1 - a[0]);
    x = (x >> 32) * 209 + (unsigned int)x;
    x -= x >= m1 ? m1 : 0;
    unsigned long long y = 527612ull * b[2] + 1370589ull * (m2 - b[0]);
    y = (y >> 32) * 22853 + (unsigned int)y;
    y = (y >> 32) * 22853 + (unsigned int)y;
    y -= y >= m2 ? m2 : 0;
    a[0] = a[1], a[1] = a[2], a[2] = (unsigned int)x;
    b[0] = b[1], b[1] = b[2], b[2] = (unsigned int)y;
    unsigned int difference = (unsigned int)x - (unsigned int)y;
    return x <= y ? difference + m1 : difference;
}

QUALIFIERS unsigned int curand(curandStateMRG32k3a_t *state) { return (unsigned int)(curand_MRG32k3a(state) * MRG32K3A_BITS_NORM); }

/* a * b modulo m, exact in doubles: a in two parts, of which the upper is below 2^15 (L'Ecuyer's). */
QUALIFIERS double curand_MRGmod(double a, double m)
{
    double rest = a - floor(a / m) * m;
    return rest < 0 ? rest + m : rest;
}

QUALIFIERS double curand_MRGmodMul(double a, double b, double m)
{
    double upper = floor(a / 131072.0), lower = a - upper * 131072.0;
    return curand_MRGmod(curand_MRGmod(upper * b, m) * 131072.0 + curand_MRGmod(lower * b, m), m);
}

QUALIFIERS void heddle_mrg_multiply(const unsigned int (*matrix)[3], unsigned int *v, double m)
{
    double sum[3];
#pragma unroll 1
    for (int i = 0; i < 3; i++) {
        sum[i] = 0;
        for (int k = 0; k < 3; k++)
            sum[i] += curand_MRGmodMul(matrix[i][k], v[k], m);
        sum[i] = curand_MRGmod(sum[i], m);
    }
    for (int i = 0; i < 3; i++)
        v[i] = (unsigned int)sum[i];
}

/* n units on: a power for each bit of n. */
template <class T> QUALIFIERS void heddle_mrg_skip(unsigned long long n, unsigned int *v, const T &powers, double m)
{
#pragma unroll 1 /* four products of matrices at once would be long code */
    for (int k = 0; n; k++, n >>= 1)
        if (n & 1)
            heddle_mrg_multiply(powers[k], v, m);
}

#define HEDDLE_MRG_SKIP(function, unit)                                                  \
    QUALIFIERS void function(unsigned long long n, curandStateMRG32k3a_t *state)         \
    {                                                                                    \
        heddle_mrg_skip(n, state->s1, heddle_mrg_##unit##1, MRG32K3A_MOD1);              \
        heddle_mrg_skip(n, state->s2, heddle_mrg_##unit##2, MRG32K3A_MOD2);              \
    }
HEDDLE_MRG_SKIP(skipahead, step)
HEDDLE_MRG_SKIP(skipahead_subsequence, subsequence)
HEDDLE_MRG_SKIP(skipahead_sequence, sequence)
#undef HEDDLE_MRG_SKIP

/* Seed 0 is the generator's published beginning; others multiply its words by the halves of the seed, one after the other. */
QUALIFIERS void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateMRG32k3a_t *state)
{
    unsigned int halves[2] = {(unsigned int)seed ^ 0x55555555u, (unsigned int)(seed >> 32) ^ 0xaaaaaaaau};
    for (int i = 0; i < 3; i++) {
        state->s1[i] = seed ? (unsigned int)curand_MRGmodMul(halves[i & 1], 12345, MRG32K3A_MOD1) : 12345u;
        state->s2[i] = seed ? (unsigned int)curand_MRGmodMul(halves[~i & 1], 12345, MRG32K3A_MOD2) : 12345u;
    }
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
    heddle_curand_keep_nothing(state);
}

#endif
