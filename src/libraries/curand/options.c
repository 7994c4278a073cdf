/* Generators of cuRAND: making, setting and destroying them; versions. */
#include <stdlib.h>

#include "libraries/curand/hold.h"
#include "runtime/library.h"

/* --- life --- */

void generator_hold(curandGenerator_t g)
{
    pthread_mutex_lock(&g->lock);
    g->references++;
    pthread_mutex_unlock(&g->lock);
}

void generator_drop(curandGenerator_t g)
{
    pthread_mutex_lock(&g->lock);
    const int left = --g->references;
    pthread_mutex_unlock(&g->lock);
    if (left)
        return;
    lanes_release(g);
    pthread_mutex_destroy(&g->lock);
    free(g);
}

/* The type behind a DEFAULT; those that are not there say so. */
static curandStatus_t known(curandRngType_t *type)
{
    switch ((int)*type) {
    case CURAND_RNG_PSEUDO_DEFAULT: *type = CURAND_RNG_PSEUDO_XORWOW; return CURAND_STATUS_SUCCESS;
    case CURAND_RNG_QUASI_DEFAULT: *type = CURAND_RNG_QUASI_SOBOL32; return CURAND_STATUS_SUCCESS;
    case CURAND_RNG_PSEUDO_XORWOW:
    case CURAND_RNG_PSEUDO_MRG32K3A:
    case CURAND_RNG_PSEUDO_MT19937:
    case CURAND_RNG_PSEUDO_PHILOX4_32_10:
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SOBOL64: return CURAND_STATUS_SUCCESS;
    case CURAND_RNG_TEST: library_refuse("cuRAND's generator CURAND_RNG_TEST"); break;
    case CURAND_RNG_PSEUDO_MTGP32: library_refuse("cuRAND's generator MTGP32 (docs/curand.md)"); break;
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64: library_refuse("cuRAND's scrambled Sobol generators (docs/curand.md)"); break;
    }
    return CURAND_STATUS_TYPE_ERROR;
}

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool host)
{
    if (!generator)
        return CURAND_STATUS_OUT_OF_RANGE;
    curandStatus_t status = known(&type);
    if (status != CURAND_STATUS_SUCCESS)
        return status;
    curandGenerator_t g = calloc(1, sizeof *g);
    if (!g)
        return CURAND_STATUS_ALLOCATION_FAILED;
    g->type = type;
    g->host = host;
    g->references = 1;
    g->set.ordering = curand_quasi(type) ? CURAND_ORDERING_QUASI_DEFAULT : CURAND_ORDERING_PSEUDO_DEFAULT;
    g->set.dimensions = 1;
    pthread_mutex_init(&g->lock, NULL);
    *generator = g;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t rng_type)
{
    int device;
    if (cudaGetDevice(&device) != cudaSuccess)
        return CURAND_STATUS_INITIALIZATION_FAILED;
    return create(generator, rng_type, false);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t rng_type)
{
    return create(generator, rng_type, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    generator_drop(generator);
    return CURAND_STATUS_SUCCESS;
}

/* --- options --- */

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    generator->stream = stream;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (curand_quasi(generator->type))
        return CURAND_STATUS_TYPE_ERROR;
    if (generator->set.seed != seed) /* the same one goes on */
        curand_renew(&generator->set);
    generator->set.seed = seed;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (generator->type == CURAND_RNG_PSEUDO_MT19937)
        return CURAND_STATUS_TYPE_ERROR;
    generator->set.offset = offset;
    curand_renew(&generator->set);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    const bool dynamic_of_host = generator->host && order == CURAND_ORDERING_PSEUDO_DYNAMIC;
    if (curand_quasi(generator->type) ? order != CURAND_ORDERING_QUASI_DEFAULT : dynamic_of_host || !lanes_count(generator->type, order))
        return CURAND_STATUS_OUT_OF_RANGE;
    if (generator->set.ordering != order)
        curand_renew(&generator->set);
    generator->set.ordering = order;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned int num_dimensions)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (!curand_quasi(generator->type))
        return CURAND_STATUS_TYPE_ERROR;
    if (num_dimensions < 1 || num_dimensions > SOBOL_DIMENSIONS)
        return CURAND_STATUS_OUT_OF_RANGE;
    generator->set.dimensions = num_dimensions;
    curand_renew(&generator->set);
    return CURAND_STATUS_SUCCESS;
}

/* --- versions --- */

curandStatus_t curandGetVersion(int *version)
{
    if (!version)
        return CURAND_STATUS_OUT_OF_RANGE;
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = {[MAJOR_VERSION] = CURAND_VER_MAJOR, [MINOR_VERSION] = CURAND_VER_MINOR, [PATCH_LEVEL] = CURAND_VER_PATCH};
    if (!value || (unsigned)type >= sizeof parts / sizeof *parts)
        return CURAND_STATUS_OUT_OF_RANGE;
    *value = parts[type];
    return CURAND_STATUS_SUCCESS;
}
