/* XORWOW: Marsaglia, Xorshift RNGs, J. Stat. Softw. 8(14), 2003. Period 2^192 - 2^32; sequences are 2^67 steps apart. */
#ifndef HEDDLE_CURAND_XORWOW_H
#define HEDDLE_CURAND_XORWOW_H

#include "heddle/curand/states.h"
#include "heddle/curand/xorwow_powers.h"

#define HEDDLE_XORWOW_COUNT 362437u /* what one step adds to the counter */

QUALIFIERS unsigned int curand(curandStateXORWOW_t *state)
{
    unsigned int t = state->v[0] ^ (state->v[0] >> 2), last = state->v[4];
    for (int i = 0; i < 4; i++)
        state->v[i] = state->v[i + 1];
    state->v[4] = last ^ (last << 4) ^ t ^ (t << 1);
    state->d += HEDDLE_XORWOW_COUNT;
    return state->v[4] + state->d;
}

/* The words after one power of the step: the sum over the bits of the state. */
template <class M> QUALIFIERS void heddle_xorwow_multiply(unsigned int *v, const M &matrix)
{
    unsigned int sum[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 5; i++)
#pragma unroll 1 /* a branch for each bit at once would be long code */
        for (int bit = 0; bit < 32; bit++)
            if (v[i] >> bit & 1)
                for (int k = 0; k < 5; k++)
                    sum[k] ^= matrix[5 * (32 * i + bit) + k];
    for (int k = 0; k < 5; k++)
        v[k] = sum[k];
}

/* n units on; two bits of n take one power up to three times. */
template <class T> QUALIFIERS void heddle_xorwow_skip(unsigned long long n, unsigned int *v, const T &powers)
{
    for (int k = 0; n; k++, n >>= 2)
        for (unsigned int times = n & 3; times; times--)
            heddle_xorwow_multiply(v, powers[k]);
}

QUALIFIERS void skipahead(unsigned long long n, curandStateXORWOW_t *state)
{
    heddle_xorwow_skip(n, state->v, heddle_xorwow_step);
    state->d += HEDDLE_XORWOW_COUNT * (unsigned int)n;
}

/* The counter is the same after 2^67 steps. */
QUALIFIERS void skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state)
{
    heddle_xorwow_skip(n, state->v, heddle_xorwow_sequence);
}

/* seed: spread over counter and words by two products, so that no seed gives a state of zeros. */
QUALIFIERS void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateXORWOW_t *state)
{
    unsigned int low = 1099087573u * ((unsigned int)seed ^ 0xaad26b49u);
    unsigned int high = 2591861531u * ((unsigned int)(seed >> 32) ^ 0xf7dcefddu);
    state->d = 6615241u + low + high;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
    heddle_curand_keep_nothing(state);
}

#undef HEDDLE_XORWOW_COUNT
#endif
