/* cuRAND's generator states and the numbers that its functions share. Layouts are CUDA's: programs allocate, copy and keep states. */
#ifndef HEDDLE_CURAND_STATES_H
#define HEDDLE_CURAND_STATES_H

#ifndef __CUDACC_RTC__
#include <math.h>
#include <string.h>
#endif

#include "curand.h"

/* What every function is declared with; a program may define it before the include, as `static inline __host__ __device__`. */
#ifndef QUALIFIERS
#define QUALIFIERS static __forceinline__ __device__
#endif

/* Tables lie in global memory of the device, as in CUDA; host code has its own copy. */
#ifdef __CUDA_ARCH__
#define HEDDLE_CURAND_TABLE static __device__ __attribute__((unused))
#else
#define HEDDLE_CURAND_TABLE static const __attribute__((unused))
#endif

/* Factors of integers to numbers between 0 and 1, in single and in double precision. */
#define CURAND_2POW32 (4294967296.f)
#define CURAND_2POW32_DOUBLE (4294967296.)
#define CURAND_2POW32_INV (2.3283064e-10f)
#define CURAND_2POW32_INV_DOUBLE (2.3283064365386963e-10)
#define CURAND_2POW53_INV_DOUBLE (1.1102230246251565e-16)
#define CURAND_2PI (6.2831855f)
#define CURAND_2PI_DOUBLE (6.2831853071795860)
#define CURAND_PI_DOUBLE (3.1415926535897932)
#define CURAND_2POW32_INV_2PI (CURAND_2POW32_INV * CURAND_2PI)
#define CURAND_2POW53_INV_2PI_DOUBLE (CURAND_2POW53_INV_DOUBLE * CURAND_2PI_DOUBLE)
#define CURAND_SQRT2 (-1.4142135f)
#define CURAND_SQRT2_DOUBLE (-1.4142135623730951)

/* boxmuller_flag: which kind of value is kept in boxmuller_extra. */
#define EXTRA_FLAG_NORMAL 1
#define EXTRA_FLAG_LOG_NORMAL 2

/* Second values of the last Box-Muller pairs, at the end of each pseudorandom state. */
#define HEDDLE_CURAND_KEPT          \
    int boxmuller_flag;             \
    int boxmuller_flag_double;      \
    float boxmuller_extra;          \
    double boxmuller_extra_double;

struct curandStateTest {
    unsigned int v;
};

struct curandStateXORWOW {
    unsigned int d, v[5]; /* counter; five words of xorshift */
    HEDDLE_CURAND_KEPT
};

struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3]; /* the last three numbers of both recurrences */
    HEDDLE_CURAND_KEPT
};

struct curandStatePhilox4_32_10 {
    uint4 ctr, output;  /* number of the block of four, and its values */
    uint2 key;          /* the seed */
    unsigned int STATE; /* how many of the four were given out */
    HEDDLE_CURAND_KEPT
};

/* i: number of the next point; x: its value; c: what the point 0 is */
#define HEDDLE_CURAND_SOBOL(name, word, bits)                 \
    struct name {                                             \
        word i, x, c;                                         \
        word direction_vectors[bits];                         \
    };
HEDDLE_CURAND_SOBOL(curandStateSobol32, unsigned int, 32)
HEDDLE_CURAND_SOBOL(curandStateScrambledSobol32, unsigned int, 32)
HEDDLE_CURAND_SOBOL(curandStateSobol64, unsigned long long, 64)
HEDDLE_CURAND_SOBOL(curandStateScrambledSobol64, unsigned long long, 64)
#undef HEDDLE_CURAND_SOBOL
#undef HEDDLE_CURAND_KEPT

typedef struct curandStateTest curandStateTest_t;
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef struct curandStateSobol32 curandStateSobol32_t;
typedef struct curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef struct curandStateSobol64 curandStateSobol64_t;
typedef struct curandStateScrambledSobol64 curandStateScrambledSobol64_t;

/* ROW(state) for each kind of state: those that keep Box-Muller pairs, and those whose normal values are inverses of the
 * distribution function. */
#define HEDDLE_CURAND_PAIRED(ROW) ROW(curandStateXORWOW_t) ROW(curandStateMRG32k3a_t) ROW(curandStatePhilox4_32_10_t)
#define HEDDLE_CURAND_QUASI(ROW) \
    ROW(curandStateSobol32_t) ROW(curandStateScrambledSobol32_t) ROW(curandStateSobol64_t) ROW(curandStateScrambledSobol64_t)

/* No value is kept. */
template <class S> QUALIFIERS void heddle_curand_keep_nothing(S *state)
{
    state->boxmuller_flag = 0;
    state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
}

#endif
