/* Tables of cuRAND that programs hand to kernels: Sobol's direction vectors, and discrete distributions. */
#include <stdlib.h>
#include <string.h>

#include "heddle/curand/discrete.h"
#include "libraries/curand/poisson.h"
#include "libraries/curand/sobol.h"
#include "runtime/library.h"

/* --- direction vectors: made once, for all dimensions --- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *kept[2]; /* 32 bits, 64 bits */

static curandStatus_t vectors(void **result, bool wide, curandDirectionVectorSet_t set, curandDirectionVectorSet_t plain, curandDirectionVectorSet_t scrambled)
{
    if (set == scrambled) {
        library_refuse("cuRAND's scrambled direction vectors (docs/curand.md)");
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    if (!result || set != plain)
        return CURAND_STATUS_OUT_OF_RANGE;
    pthread_mutex_lock(&lock);
    if (!kept[wide])
        kept[wide] = sobol_vectors(SOBOL_DIMENSIONS, wide);
    *result = kept[wide];
    pthread_mutex_unlock(&lock);
    return *result ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t *result[], curandDirectionVectorSet_t set)
{
    return vectors((void **)result, false, set, CURAND_DIRECTION_VECTORS_32_JOEKUO6, CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6);
}

curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t *result[], curandDirectionVectorSet_t set)
{
    return vectors((void **)result, true, set, CURAND_DIRECTION_VECTORS_64_JOEKUO6, CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6);
}

/* --- discrete distributions: one allocation of the device, whose first bytes are the distribution --- */

struct pieces {
    struct curandDiscreteDistribution_st distribution;
    struct curandDistributionM2Shift_st columns;
    struct curandHistogramM2_st histogram;
};

static curandStatus_t upload(struct pieces *p, const struct poisson_table *t, curandDiscreteDistribution_t *result)
{
    const size_t columns = t ? t->length + 1 : 0, below = sizeof *p, other = below + columns * sizeof *t->below, all = other + columns * sizeof *t->other;
    char *device, *host = malloc(all);
    if (!host || cudaMalloc((void **)&device, all) != cudaSuccess) {
        free(host);
        return CURAND_STATUS_ALLOCATION_FAILED;
    }
    if (t) {
        p->distribution.M2 = (curandDistributionM2Shift_t)(device + offsetof(struct pieces, columns));
        p->columns = (struct curandDistributionM2Shift_st){.histogram = (curandHistogramM2_t)(device + offsetof(struct pieces, histogram)),
                                                           .shift = t->shift, .length = t->length};
        p->histogram = (struct curandHistogramM2_st){.V = (double *)(device + below), .K = (unsigned *)(device + other)};
        memcpy(host + below, t->below, columns * sizeof *t->below);
        memcpy(host + other, t->other, columns * sizeof *t->other);
    }
    memcpy(host, p, sizeof *p);
    const cudaError_t e = cudaMemcpy(device, host, all, cudaMemcpyHostToDevice);
    free(host);
    if (e != cudaSuccess) {
        cudaFree(device);
        return CURAND_STATUS_PREEXISTING_FAILURE;
    }
    *result = (curandDiscreteDistribution_t)device;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreatePoissonDistribution(double lambda, curandDiscreteDistribution_t *discrete_distribution)
{
    if (!discrete_distribution || !(lambda > 0 && lambda <= POISSON_MOST))
        return CURAND_STATUS_OUT_OF_RANGE;
    const bool normal = lambda >= POISSON_NORMAL;
    struct pieces p = {.distribution = {.mean = lambda, .stddev = sqrt(lambda), .method = normal ? CURAND_DISCRETE_GAUSS : CURAND_M2}};
    struct poisson_table *t = normal ? NULL : poisson_new(lambda, true);
    if (!normal && !t)
        return CURAND_STATUS_ALLOCATION_FAILED;
    const curandStatus_t status = upload(&p, t, discrete_distribution);
    poisson_free(t);
    return status;
}

curandStatus_t curandDestroyDistribution(curandDiscreteDistribution_t discrete_distribution)
{
    if (!discrete_distribution)
        return CURAND_STATUS_NOT_INITIALIZED;
    return cudaFree(discrete_distribution) == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_PREEXISTING_FAILURE;
}
