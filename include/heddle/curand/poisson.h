/* Poisson values: below 64 by products of uniform values (Knuth, The Art of Computer Programming, volume 2), above 4000 by a rounded
 * normal value, between by rejection under an approximation of the incomplete gamma function. Quasirandom generators invert the
 * distribution function, from 1000 on the normal one. */
#ifndef HEDDLE_CURAND_POISSON_H
#define HEDDLE_CURAND_POISSON_H

#include "heddle/curand/normal.h"

/* The hardware's fast functions, as CUDA's rejection takes them; factors in double precision. */
#ifdef __CUDA_ARCH__
#define HEDDLE_CURAND_FAST(name, instruction, before, after, host) \
    QUALIFIERS float name(float a)                                 \
    {                                                              \
        float r;                                                   \
        a = before;                                                \
        asm(instruction ".approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(a)); \
        return after;                                              \
    }
#else
#define HEDDLE_CURAND_FAST(name, instruction, before, after, host) \
    QUALIFIERS float name(float a) { return host; }
#endif
HEDDLE_CURAND_FAST(__cr_rsqrt, "rsqrt", a, r, 1.0f / sqrtf(a))
HEDDLE_CURAND_FAST(__cr_rcp, "rcp", a, r, 1.0f / a)
HEDDLE_CURAND_FAST(__cr_exp, "ex2", (float)(a * 1.4426950408889634074), r, expf(a))
HEDDLE_CURAND_FAST(__cr_log, "lg2", a, (float)(r * 0.69314718055994530942), logf(a))
#undef HEDDLE_CURAND_FAST

/* The logistic curve that stands for the regularized incomplete gamma function of a: P(x) = 1 / (1 + exp(alpha (a - x) - beta))^2. */
struct heddle_gamma_curve {
    float alpha, beta;
};

QUALIFIERS heddle_gamma_curve heddle_gamma_of(float a)
{
    heddle_gamma_curve c;
    c.alpha = 1.43248035075540910f * __cr_rsqrt(a - 0.12400979329415655f) + 0.00025361074907033f;
    c.beta = 0.21096734870196546f * __cr_rsqrt(a - 1.97381164089999420f) + 0.94201734077887530f;
    return c;
}

QUALIFIERS float __cr_pgammainc(float a, float x)
{
    heddle_gamma_curve c = heddle_gamma_of(a);
    float t = c.alpha * (a - x) - c.beta;
    t = 1.0f + __cr_exp(t);
    return __cr_rcp(t * t);
}

QUALIFIERS float __cr_pgammaincinv(float a, float y)
{
    heddle_gamma_curve c = heddle_gamma_of(a);
    float t = c.beta + __cr_log(__cr_rsqrt(y) - 1.0f);
    return -t * __cr_rcp(c.alpha) + a;
}

/* log((a - 1)!): Stirling's series with the coefficients 5404 of Hart et al., Computer Approximations, 1968; up to 9 by itself. */
QUALIFIERS double __cr_lgamma_integer(int a)
{
    switch (a) {
    case 1:
    case 2: return 0;
    case 3: return 6.931471805599453094e-1;
    case 4: return 1.791759469228055001;
    case 5: return 3.178053830347945620;
    case 6: return 4.787491742782045994;
    case 7: return 6.579251212010100995;
    case 8: return 8.525161361065414300;
    }
    double x = fabs((float)a), s = 1.0 / x, t = s * s;
    double sum = -0.1633436431e-2;
    sum = sum * t + 0.83645878922e-3;
    sum = sum * t - 0.5951896861197e-3;
    sum = sum * t + 0.793650576493454e-3;
    sum = sum * t - 0.277777777735865004e-2;
    sum = sum * t + 0.833333333333331018375e-1;
    sum = sum * s + 0.918938533204672;
    s = 0.5 * log(x) * (x - 0.5);
    return s - x + (s + sum);
}

template <class S> QUALIFIERS unsigned int curand_poisson_knuth(S *state, float lambda)
{
    unsigned int k = 0;
    for (float p = expf(lambda) * curand_uniform(state); p > 1.0f; p *= curand_uniform(state))
        k++;
    return k;
}

template <class S> QUALIFIERS unsigned int curand_poisson_gammainc(S *state, float lambda)
{
    float log_lambda = __cr_log(lambda);
    for (;;) {
        float x = floorf(__cr_pgammaincinv(lambda, curand_uniform(state)));
        float z = curand_uniform(state);
        float bound = (__cr_pgammainc(lambda, x + 1.0f) - __cr_pgammainc(lambda, x)) * 1.3f;
        float probability = __cr_exp(-lambda + x * log_lambda - (float)__cr_lgamma_integer((int)(1.0f + x)));
        if (z * bound < probability && bound >= 1e-20)
            return (unsigned int)x;
    }
}

QUALIFIERS unsigned int heddle_poisson_of_normal(double normal, double lambda) { return (unsigned int)(sqrt(lambda) * normal + lambda + 0.5); }

#define HEDDLE_POISSON_PAIRED(state_t)                                                          \
    QUALIFIERS unsigned int curand_poisson(state_t *state, double lambda)                       \
    {                                                                                           \
        if (lambda < 64)                                                                        \
            return curand_poisson_knuth(state, (float)lambda);                                  \
        if (lambda > 4000)                                                                      \
            return heddle_poisson_of_normal(curand_normal_double(state), lambda);               \
        return curand_poisson_gammainc(state, (float)lambda);                                   \
    }
HEDDLE_CURAND_PAIRED(HEDDLE_POISSON_PAIRED)

QUALIFIERS uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda)
{
    uint4 r;
    if (lambda > 4000) {
        double4 v = curand_normal4_double(state);
        return make_uint4(heddle_poisson_of_normal(v.x, lambda), heddle_poisson_of_normal(v.y, lambda), heddle_poisson_of_normal(v.z, lambda),
                          heddle_poisson_of_normal(v.w, lambda));
    }
    r.x = curand_poisson(state, lambda);
    r.y = curand_poisson(state, lambda);
    r.z = curand_poisson(state, lambda);
    r.w = curand_poisson(state, lambda);
    return r;
}

/* A uniform value below 1, so that the sums below end. */
QUALIFIERS double _curand_uniform_double_excluding_one(unsigned int x) { return x * CURAND_2POW32_INV_DOUBLE + (CURAND_2POW32_INV_DOUBLE / 2.0); }
QUALIFIERS double _curand_uniform_double_excluding_one(unsigned long long x)
{
    return (x >> 11) * CURAND_2POW53_INV_DOUBLE + (CURAND_2POW53_INV_DOUBLE / 4.0);
}

/* The sum of probabilities until it passes u; exp(-lambda) comes in parts of exp(-500), which doubles have (Fishman, Discrete-Event
 * Simulation, 2001). */
template <class T> QUALIFIERS unsigned int _curand_poisson_ITR_double(T x, double lambda)
{
    const int part = 500;
    double u = _curand_uniform_double_excluding_one(x), p = 1, sum = 1;
    unsigned int k = 0;
    int done = 0;
    do {
        double factor = lambda > done + (double)part ? exp(-(double)part) : exp(done - lambda);
        p *= factor;
        sum *= factor;
        done += part;
        while (u > sum) {
            k++;
            p *= lambda / k;
            sum += p;
        }
    } while (done < lambda);
    return k;
}

template <class T> QUALIFIERS unsigned int _curand_poisson(T x, double lambda)
{
    return lambda < 1000 ? _curand_poisson_ITR_double(x, lambda) : heddle_poisson_of_normal(_curand_normal_icdf_double(x), lambda);
}

#define HEDDLE_POISSON_QUASI(state_t) \
    QUALIFIERS unsigned int curand_poisson(state_t *state, double lambda) { return _curand_poisson(curand(state), lambda); }
HEDDLE_CURAND_QUASI(HEDDLE_POISSON_QUASI)

#undef HEDDLE_POISSON_PAIRED
#undef HEDDLE_POISSON_QUASI
#endif
