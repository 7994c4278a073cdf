/* Sobol's sequences in Gray code order: Antonov and Saleev 1979; Bratley and Fox, ACM Trans. Math. Softw. 14(1), 1988. Point i is the
 * sum (exclusive or) of the direction vectors where i ^ i >> 1 has a one, so that the next point takes one vector more. A scrambled
 * sequence begins with a constant in place of 0. */
#ifndef HEDDLE_CURAND_SOBOL_H
#define HEDDLE_CURAND_SOBOL_H

#include "heddle/curand/states.h"

template <class T> struct heddle_sobol_word; /* of a pointer to a state */
template <> struct heddle_sobol_word<curandStateSobol32_t *> { typedef unsigned int type; };
template <> struct heddle_sobol_word<curandStateScrambledSobol32_t *> { typedef unsigned int type; };
template <> struct heddle_sobol_word<curandStateSobol64_t *> { typedef unsigned long long type; };
template <> struct heddle_sobol_word<curandStateScrambledSobol64_t *> { typedef unsigned long long type; };

template <class T> QUALIFIERS void skipahead(typename heddle_sobol_word<T>::type n, T state)
{
    typedef typename heddle_sobol_word<T>::type word;
    state->i += n;
    state->x = state->c;
    word gray = state->i ^ (state->i >> 1);
    for (unsigned int k = 0; k < 8 * sizeof(word); k++)
        if (gray >> k & 1)
            state->x ^= state->direction_vectors[k];
}

/* Which vector comes next: the number of ones at the end of i, at most that of the last vector. */
QUALIFIERS int __curand_find_trailing_zero(unsigned int i) { return i == ~0u ? 31 : __builtin_ctz(~i); }
QUALIFIERS int __curand_find_trailing_zero(unsigned long long i) { return i == ~0ull ? 63 : __builtin_ctzll(~i); }

template <class S, class W> QUALIFIERS void heddle_sobol_begin(const W *vectors, W constant, W offset, S *state)
{
    state->i = 0;
    state->c = constant;
    for (unsigned int k = 0; k < 8 * sizeof(W); k++)
        state->direction_vectors[k] = vectors[k];
    skipahead(offset, state);
}

#define HEDDLE_SOBOL(state_t, word)                                                                                               \
    QUALIFIERS word curand(state_t *state)                                                                                         \
    {                                                                                                                              \
        word r = state->x;                                                                                                         \
        state->x ^= state->direction_vectors[__curand_find_trailing_zero(state->i)];                                               \
        state->i++;                                                                                                                \
        return r;                                                                                                                  \
    }
HEDDLE_SOBOL(curandStateSobol32_t, unsigned int)
HEDDLE_SOBOL(curandStateScrambledSobol32_t, unsigned int)
HEDDLE_SOBOL(curandStateSobol64_t, unsigned long long)
HEDDLE_SOBOL(curandStateScrambledSobol64_t, unsigned long long)
#undef HEDDLE_SOBOL

QUALIFIERS void curand_init(curandDirectionVectors32_t direction_vectors, unsigned int offset, curandStateSobol32_t *state)
{
    heddle_sobol_begin(direction_vectors, 0u, offset, state);
}

QUALIFIERS void curand_init(curandDirectionVectors32_t direction_vectors, unsigned int scramble_c, unsigned int offset, curandStateScrambledSobol32_t *state)
{
    heddle_sobol_begin(direction_vectors, scramble_c, offset, state);
}

QUALIFIERS void curand_init(curandDirectionVectors64_t direction_vectors, unsigned long long offset, curandStateSobol64_t *state)
{
    heddle_sobol_begin(direction_vectors, 0ull, offset, state);
}

QUALIFIERS void curand_init(curandDirectionVectors64_t direction_vectors, unsigned long long scramble_c, unsigned long long offset,
                            curandStateScrambledSobol64_t *state)
{
    heddle_sobol_begin(direction_vectors, scramble_c, offset, state);
}

#endif
