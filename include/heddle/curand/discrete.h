/* Discrete distributions that the host made (curandCreatePoissonDistribution): a histogram with one alternative a column, looked up
 * with one uniform value (Marsaglia, Tsang and Wang, Fast Generation of Discrete Random Variables, J. Stat. Softw. 11(3), 2004), or a
 * rounded normal value. Layouts are CUDA's: the fields that begin with host_ are the host's pointers to the same. */
#ifndef HEDDLE_CURAND_DISCRETE_H
#define HEDDLE_CURAND_DISCRETE_H

#include "curand.h"

struct curandDistributionShift_st {
    curandDistribution_t probability, host_probability;
    unsigned int shift, length, host_gen;
};

struct curandHistogramM2_st {
    curandHistogramM2V_t V, host_V; /* column j: j itself below V[j] ... */
    curandHistogramM2K_t K, host_K; /* ... K[j] above; all less shift */
    unsigned int host_gen;
};

struct curandDistributionM2Shift_st {
    curandHistogramM2_t histogram, host_histogram;
    unsigned int shift, length, host_gen;
};

struct curandDiscreteDistribution_st {
    curandDiscreteDistribution_t self_host_ptr;
    curandDistributionM2Shift_t M2, host_M2;
    double stddev, mean;
    curandMethod_t method; /* CURAND_M2: the histogram, else the normal value */
    unsigned int host_gen;
};

#endif
