/* Values of discrete distributions (heddle/curand/discrete.h). */
#ifndef HEDDLE_CURAND_DISCRETE_DRAW_H
#define HEDDLE_CURAND_DISCRETE_DRAW_H

#include "heddle/curand/discrete.h"
#include "heddle/curand/poisson.h"

#ifdef __CUDA_ARCH__
#define HEDDLE_CURAND_LOAD(p) __ldg(&(p))
#else
#define HEDDLE_CURAND_LOAD(p) (p)
#endif

template <class T> QUALIFIERS unsigned int _curand_M2_double(T x, curandDistributionM2Shift_t d)
{
    double u = _curand_uniform_double(x);
    int column = (int)floor(d->length * u);
    double split = HEDDLE_CURAND_LOAD(d->histogram->V[column]);
    unsigned int other = HEDDLE_CURAND_LOAD(d->histogram->K[column]);
    return d->shift + (u < split ? (unsigned int)column : other);
}

template <class T> QUALIFIERS uint4 _curand_M2_double4(T x, curandDistributionM2Shift_t d)
{
    return make_uint4(_curand_M2_double(x.x, d), _curand_M2_double(x.y, d), _curand_M2_double(x.z, d), _curand_M2_double(x.w, d));
}

template <class S> QUALIFIERS unsigned int curand_M2_double(S *state, curandDistributionM2Shift_t d) { return _curand_M2_double(curand(state), d); }
template <class S> QUALIFIERS uint4 curand_M2_double4(S *state, curandDistributionM2Shift_t d) { return _curand_M2_double4(curand4(state), d); }

QUALIFIERS unsigned int heddle_discrete_of_normal(double normal, curandDiscreteDistribution_t d)
{
    return (unsigned int)(d->stddev * normal + d->mean + 0.5);
}

#define HEDDLE_DISCRETE(state_t)                                                                            \
    QUALIFIERS unsigned int curand_discrete(state_t *state, curandDiscreteDistribution_t d)                 \
    {                                                                                                       \
        return d->method == CURAND_M2 ? curand_M2_double(state, d->M2)                                      \
                                      : heddle_discrete_of_normal(curand_normal_double(state), d);          \
    }
HEDDLE_CURAND_PAIRED(HEDDLE_DISCRETE)
HEDDLE_CURAND_QUASI(HEDDLE_DISCRETE)

QUALIFIERS uint4 curand_discrete4(curandStatePhilox4_32_10_t *state, curandDiscreteDistribution_t d)
{
    if (d->method == CURAND_M2)
        return curand_M2_double4(state, d->M2);
    double4 v = curand_normal4_double(state);
    return make_uint4(heddle_discrete_of_normal(v.x, d), heddle_discrete_of_normal(v.y, d), heddle_discrete_of_normal(v.z, d),
                      heddle_discrete_of_normal(v.w, d));
}

#undef HEDDLE_DISCRETE
#undef HEDDLE_CURAND_LOAD
#endif
