/* Poisson's distribution as a table. A histogram with one alternative a column finds a uniform value's result with one comparison
 * (Marsaglia, Tsang and Wang, Fast Generation of Discrete Random Variables, J. Stat. Softw. 11(3), 2004), but not in order; a table of
 * cumulative probabilities is searched, and keeps the order of the values, as quasirandom points need. */
#ifndef LIBRARIES_CURAND_POISSON_H
#define LIBRARIES_CURAND_POISSON_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* cuRAND's bounds, measured (tests/truth/libraries). */
#define POISSON_NORMAL 2000.0            /* from here on rounded normal values ... */
#define POISSON_SOBOL32 8000.0           /* ... but for Sobol's sequences in 32 bits, beyond this */
#define POISSON_HISTOGRAM_SOBOL32 10.0   /* below it they have a histogram */
#define POISSON_MOST 400000.0            /* larger means are refused */

struct poisson_table {
    uint32_t shift, length; /* values shift .. shift + length - 1: those whose probability a double can hold */
    double *below;          /* histogram: column j is j below this, else other[j]; both less shift. Else cumulative probabilities */
    uint32_t *other;        /* NULL: no histogram */
};

struct poisson_table *poisson_new(double mean, bool histogram); /* 0 < mean <= POISSON_SOBOL32; NULL: no memory */
void poisson_free(struct poisson_table *t);

/* The value for a uniform one, 0 < u <= 1. */
uint32_t poisson_find(const struct poisson_table *t, double u);

static inline uint32_t poisson_of_normal(double normal, double mean)
{
    return (uint32_t)(sqrt(mean) * normal + mean + 0.5);
}

#endif
