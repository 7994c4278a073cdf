/* The functions of cuRAND that make values: what they refuse, their place in the stream, and the last step of each distribution. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "libraries/curand/generator.h"
#include "libraries/curand/hold.h"
#include "libraries/curand/poisson.h"
#include "runtime/library.h"

/* One call. */
struct call {
    curandGenerator_t g;
    struct curand_settings settings; /* when it was made */
    struct curand_job job;           /* out: as the caller gave it */
    struct poisson_table *poisson;   /* job.poisson, the call's own */
};

static const char *const functions[] = {
    [CURAND_BITS] = "curandGenerate", [CURAND_BITS64] = "curandGenerateLongLong", [CURAND_UNIFORM] = "curandGenerateUniform",
    [CURAND_UNIFORM_DOUBLE] = "curandGenerateUniformDouble", [CURAND_NORMAL] = "curandGenerateNormal",
    [CURAND_NORMAL_DOUBLE] = "curandGenerateNormalDouble", [CURAND_LOG_NORMAL] = "curandGenerateLogNormal",
    [CURAND_LOG_NORMAL_DOUBLE] = "curandGenerateLogNormalDouble", [CURAND_POISSON_VALUES] = "curandGeneratePoisson"};

/* From the standard normal distribution to that of the call. */
static void scale(const struct curand_job *j)
{
    float *f = j->out;
    double *d = j->out;
    const float mean = (float)j->mean, deviation = (float)j->deviation;
    switch (j->kind) {
    case CURAND_NORMAL:
        for (size_t i = 0; i < j->n; i++)
            f[i] = fmaf(deviation, f[i], mean);
        break;
    case CURAND_NORMAL_DOUBLE:
        for (size_t i = 0; i < j->n; i++)
            d[i] = fma(j->deviation, d[i], j->mean);
        break;
    case CURAND_LOG_NORMAL:
        for (size_t i = 0; i < j->n; i++)
            f[i] = expf(fmaf(deviation, f[i], mean));
        break;
    case CURAND_LOG_NORMAL_DOUBLE:
        for (size_t i = 0; i < j->n; i++)
            d[i] = exp(fma(j->deviation, d[i], j->mean));
        break;
    default: break;
    }
}

/* The generator's states are those of the settings; false: no memory. */
static bool prepare(curandGenerator_t g, const struct curand_settings *settings)
{
    if (g->ready && g->now.version == settings->version)
        return true;
    lanes_release(g);
    g->now = *settings;
    return curand_quasi(g->type) ? sobol_make(g) : lanes_make(g);
}

static bool compute(struct call *c, struct curand_job *job)
{
    curandGenerator_t g = c->g;
    pthread_mutex_lock(&g->lock);
    const bool good = prepare(g, &c->settings);
    if (good)
        (curand_quasi(g->type) ? sobol_run : lanes_run)(g, job);
    pthread_mutex_unlock(&g->lock);
    if (good)
        scale(job);
    return good;
}

static cudaError_t run(void *data)
{
    struct call *c = data;
    struct curand_job job = c->job;
    job.out = library_host(job.out);
    return compute(c, &job) ? cudaSuccess : cudaErrorMemoryAllocation;
}

static void release(void *data)
{
    struct call *c = data;
    poisson_free(c->poisson);
    generator_drop(c->g);
}

static void shape(const void *data, char *text, size_t size)
{
    snprintf(text, size, "%zu values", ((const struct call *)data)->job.n);
}

static curandStatus_t submit(struct call *c)
{
    const struct library_operand out = {.name = "outputPtr", .at = c->job.out, .width = c->job.n * curand_size(c->job.kind), .access = LIBRARY_WRITE};
    const struct library_call call = {.library = "cuRAND", .function = functions[c->job.kind], .peak = LIBRARY_SINGLE, .operand = &out, .operands = 1,
                                      .data = c, .data_bytes = sizeof *c, .run = run, .release = release, .shape = shape};
    generator_hold(c->g);
    switch (library_call(c->g->stream, &call, false)) {
    case cudaSuccess: return CURAND_STATUS_SUCCESS;
    case cudaErrorMemoryAllocation: return CURAND_STATUS_ALLOCATION_FAILED;
    case cudaErrorInvalidResourceHandle:
    case cudaErrorNotPermitted: return CURAND_STATUS_LAUNCH_FAILURE;
    default: return CURAND_STATUS_PREEXISTING_FAILURE;
    }
}

/* What the type cannot give: words of the other width, half a pair, half a point. */
static curandStatus_t refused(curandGenerator_t g, enum curand_kind kind, size_t n)
{
    if (kind == CURAND_BITS64 ? !curand_wide(g->type) : kind == CURAND_BITS && curand_wide(g->type))
        return CURAND_STATUS_TYPE_ERROR;
    if (curand_quasi(g->type))
        return n % g->set.dimensions ? CURAND_STATUS_LENGTH_NOT_MULTIPLE : CURAND_STATUS_SUCCESS;
    return curand_in_pairs(g->type, kind) && n % 2 ? CURAND_STATUS_LENGTH_NOT_MULTIPLE : CURAND_STATUS_SUCCESS;
}

/* Poisson values of means up to this come from a table, larger ones are rounded normal values. */
static double most_of_table(curandRngType_t type)
{
    return type == CURAND_RNG_QUASI_SOBOL32 ? POISSON_SOBOL32 : nextafter(POISSON_NORMAL, 0);
}

static bool has_histogram(curandRngType_t type, double mean)
{
    return curand_quasi(type) ? type == CURAND_RNG_QUASI_SOBOL32 && mean < POISSON_HISTOGRAM_SOBOL32 : true;
}

/* The offset goes on with the turns that a call begins, so that states which are made anew begin there; Philox counts those it ends. */
static void advance(curandGenerator_t g, enum curand_kind kind, size_t n)
{
    struct curand_settings *s = &g->set;
    if (g->type == CURAND_RNG_PSEUDO_PHILOX4_32_10) {
        s->offset += (s->place + n) / 4 - s->place / 4;
        s->place += n;
    } else if (curand_quasi(g->type))
        s->offset += n / s->dimensions;
    else if (g->type != CURAND_RNG_PSEUDO_MT19937) /* begins anew with a seed */
        s->offset += curand_in_pairs(g->type, kind) ? n / 2 : n;
}

static curandStatus_t generate(curandGenerator_t g, enum curand_kind kind, void *out, size_t n, double mean, double deviation)
{
    if (!g)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (n == 0)
        return CURAND_STATUS_SUCCESS;
    curandStatus_t status = refused(g, kind, n);
    if (status != CURAND_STATUS_SUCCESS)
        return status;
    struct call c = {.g = g, .settings = g->set, .job = {.kind = kind, .n = n, .out = out, .mean = mean, .deviation = deviation}};
    if (kind == CURAND_POISSON_VALUES && mean <= most_of_table(g->type)) {
        c.job.poisson = c.poisson = poisson_new(mean, has_histogram(g->type, mean));
        if (!c.poisson)
            return CURAND_STATUS_ALLOCATION_FAILED;
    }
    if (!g->host)
        status = submit(&c);
    else {
        status = compute(&c, &c.job) ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
        poisson_free(c.poisson);
    }
    if (status == CURAND_STATUS_SUCCESS)
        advance(g, kind, n);
    return status;
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *outputPtr, size_t num)
{
    return generate(generator, CURAND_BITS, outputPtr, num, 0, 0);
}

curandStatus_t curandGenerateLongLong(curandGenerator_t generator, unsigned long long *outputPtr, size_t num)
{
    return generate(generator, CURAND_BITS64, outputPtr, num, 0, 0);
}

curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *outputPtr, size_t num)
{
    return generate(generator, CURAND_UNIFORM, outputPtr, num, 0, 0);
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *outputPtr, size_t num)
{
    return generate(generator, CURAND_UNIFORM_DOUBLE, outputPtr, num, 0, 0);
}

curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *outputPtr, size_t n, float mean, float stddev)
{
    return generate(generator, CURAND_NORMAL, outputPtr, n, mean, stddev);
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *outputPtr, size_t n, double mean, double stddev)
{
    return generate(generator, CURAND_NORMAL_DOUBLE, outputPtr, n, mean, stddev);
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *outputPtr, size_t n, float mean, float stddev)
{
    return generate(generator, CURAND_LOG_NORMAL, outputPtr, n, mean, stddev);
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *outputPtr, size_t n, double mean, double stddev)
{
    return generate(generator, CURAND_LOG_NORMAL_DOUBLE, outputPtr, n, mean, stddev);
}

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int *outputPtr, size_t n, double lambda)
{
    if (generator && n && !(lambda > 0 && lambda <= POISSON_MOST))
        return CURAND_STATUS_OUT_OF_RANGE;
    return generate(generator, CURAND_POISSON_VALUES, outputPtr, n, lambda, 0);
}

/* The next call makes states anew, from where this one stands. */
curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    curand_renew(&generator->set);
    return CURAND_STATUS_SUCCESS;
}
