/* cuRAND's device interface: random numbers in kernels. Generators: XORWOW (curandState), MRG32k3a, Philox4x32-10, Sobol in 32 and 64
 * bits, scrambled or not. docs/curand.md says which values equal an H200's bit for bit. */
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include "heddle/curand/states.h"

/* For tests of programs: counts up from 3 times the seed. */
QUALIFIERS void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateTest_t *state)
{
    state->v = (unsigned int)(seed * 3 + subsequence * 31337 + offset);
}
QUALIFIERS unsigned int curand(curandStateTest_t *state) { return state->v++; }
QUALIFIERS void skipahead(unsigned long long n, curandStateTest_t *state) { state->v += (unsigned int)n; }

#include "heddle/curand/uniform.h"
#include "heddle/curand/normal.h"
#include "heddle/curand/poisson.h"
#include "heddle/curand/discrete_draw.h"

QUALIFIERS float curand_uniform(curandStateTest_t *state) { return _curand_uniform(curand(state)); }
QUALIFIERS double curand_uniform_double(curandStateTest_t *state) { return _curand_uniform_double(curand(state)); }

#endif
