/* Philox4x32-10: Salmon, Moraes, Dror and Shaw, Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011. A block of four values is a
 * function of its number (128 bits) and the key (the seed); a sequence is the upper half of the number, so 2^64 blocks long. */
#ifndef HEDDLE_CURAND_PHILOX_H
#define HEDDLE_CURAND_PHILOX_H

#include "heddle/curand/states.h"

#define PHILOX_W32_0 (0x9E3779B9)
#define PHILOX_W32_1 (0xBB67AE85)
#define PHILOX_M4x32_0 (0xD2511F53)
#define PHILOX_M4x32_1 (0xCD9E8D57)

QUALIFIERS uint4 _philox4x32round(uint4 c, uint2 key)
{
    unsigned long long a = (unsigned long long)PHILOX_M4x32_0 * c.x, b = (unsigned long long)PHILOX_M4x32_1 * c.z;
    uint4 r;
    r.x = (unsigned int)(b >> 32) ^ c.y ^ key.x;
    r.y = (unsigned int)b;
    r.z = (unsigned int)(a >> 32) ^ c.w ^ key.y;
    r.w = (unsigned int)a;
    return r;
}

QUALIFIERS uint4 curand_Philox4x32_10(uint4 c, uint2 key)
{
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
    for (int round = 0; round < 10; round++) {
        c = _philox4x32round(c, key);
        key.x += PHILOX_W32_0;
        key.y += PHILOX_W32_1;
    }
    return c;
}

/* The number of the block, n blocks on; a carry of its lower half goes into the upper. */
QUALIFIERS void Philox_State_Incr(curandStatePhilox4_32_10_t *s, unsigned long long n)
{
    unsigned int low = (unsigned int)n, high = (unsigned int)(n >> 32);
    s->ctr.x += low;
    high += s->ctr.x < low;
    s->ctr.y += high;
    if (s->ctr.y < high && ++s->ctr.z == 0)
        ++s->ctr.w;
}

QUALIFIERS void Philox_State_Incr(curandStatePhilox4_32_10_t *s)
{
    if (++s->ctr.x == 0 && ++s->ctr.y == 0 && ++s->ctr.z == 0)
        ++s->ctr.w;
}

QUALIFIERS void Philox_State_Incr_hi(curandStatePhilox4_32_10_t *s, unsigned long long n)
{
    unsigned int low = (unsigned int)n;
    s->ctr.z += low;
    s->ctr.w += (unsigned int)(n >> 32) + (s->ctr.z < low);
}

QUALIFIERS unsigned int curand(curandStatePhilox4_32_10_t *state)
{
    unsigned int place = state->STATE++, r;
    r = place == 1 ? state->output.y : place == 2 ? state->output.z : place == 3 ? state->output.w : state->output.x;
    if (state->STATE == 4) {
        Philox_State_Incr(state);
        state->output = curand_Philox4x32_10(state->ctr, state->key);
        state->STATE = 0;
    }
    return r;
}

/* The next four; they may lie in two blocks. */
QUALIFIERS uint4 curand4(curandStatePhilox4_32_10_t *state)
{
    uint4 a = state->output, b, r;
    Philox_State_Incr(state);
    state->output = b = curand_Philox4x32_10(state->ctr, state->key);
    switch (state->STATE) {
    case 1: r.x = a.y, r.y = a.z, r.z = a.w, r.w = b.x; return r;
    case 2: r.x = a.z, r.y = a.w, r.z = b.x, r.w = b.y; return r;
    case 3: r.x = a.w, r.y = b.x, r.z = b.y, r.w = b.z; return r;
    }
    return a;
}

QUALIFIERS void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    state->STATE += (unsigned int)(n & 3);
    n /= 4;
    if (state->STATE > 3) {
        n++;
        state->STATE -= 4;
    }
    Philox_State_Incr(state, n);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}

QUALIFIERS void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    Philox_State_Incr_hi(state, n);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}

QUALIFIERS void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStatePhilox4_32_10_t *state)
{
    state->ctr.x = state->ctr.y = state->ctr.z = state->ctr.w = 0;
    state->key.x = (unsigned int)seed;
    state->key.y = (unsigned int)(seed >> 32);
    state->STATE = 0;
    heddle_curand_keep_nothing(state);
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

#endif
