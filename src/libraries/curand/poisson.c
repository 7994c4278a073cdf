/* Histograms of Poisson's distribution (see poisson.h). */
#include "libraries/curand/poisson.h"

#include <stdbool.h>
#include <stdlib.h>

enum { OPEN = -1 }; /* in other: the column is not settled */

static double probability(double mean, uint32_t k)
{
    return exp(k * log(mean) - mean - lgamma(k + 1.0));
}

/* Column i has p[i] itself; what it lacks to the average the last column gives that has more. A column that has given until it lacks
 * something itself takes its turn when a pass comes by. */
static void level(struct poisson_table *t, double *p)
{
    const double average = 1.0 / t->length;
    uint32_t rich = t->length - 1;
    bool again = true;
    while (rich && p[rich] <= average)
        rich--;
    while (again) {
        again = false;
        for (uint32_t i = 0; i < t->length && p[rich] > average; i++) {
            if (t->other[i] != (uint32_t)OPEN || p[i] >= average)
                continue;
            t->other[i] = rich;
            t->below[i] = i * average + p[i];
            p[rich] -= average - p[i];
            while (rich && p[rich] <= average)
                rich--;
            again = true;
        }
    }
}

static void settle(struct poisson_table *t, double *p)
{
    for (uint32_t i = 0; i <= t->length; i++)
        t->other[i] = (uint32_t)OPEN;
    level(t, p);
    for (uint32_t i = 0; i <= t->length; i++) /* one more column: a uniform value may be 1 */
        if (t->other[i] == (uint32_t)OPEN) {
            t->other[i] = i < t->length ? i : i - 1;
            t->below[i] = i;
        }
}

static void accumulate(struct poisson_table *t, const double *p)
{
    double sum = 0;
    for (uint32_t i = 0; i < t->length; i++)
        t->below[i] = sum += p[i];
}

struct poisson_table *poisson_new(double mean, bool histogram)
{
    struct poisson_table *t = calloc(1, sizeof *t);
    uint32_t end;
    if (!t)
        return NULL;
    while (probability(mean, t->shift) == 0)
        t->shift++;
    for (end = t->shift + 1; end < mean || probability(mean, end) > 0; end++)
        ;
    t->length = end - t->shift;
    t->below = malloc((t->length + 1) * sizeof *t->below);
    t->other = histogram ? malloc((t->length + 1) * sizeof *t->other) : NULL;
    double *p = malloc(t->length * sizeof *p);
    if (!t->below || (histogram && !t->other) || !p) {
        poisson_free(t);
        free(p);
        return NULL;
    }
    for (uint32_t i = 0; i < t->length; i++)
        p[i] = probability(mean, t->shift + i);
    if (histogram)
        settle(t, p);
    else
        accumulate(t, p);
    free(p);
    return t;
}

uint32_t poisson_find(const struct poisson_table *t, double u)
{
    if (t->other) {
        const uint32_t column = (uint32_t)(t->length * u);
        return t->shift + (u < t->below[column] ? column : t->other[column]);
    }
    uint32_t first = 0, last = t->length - 1; /* the first that reaches u */
    while (first < last) {
        const uint32_t middle = (first + last) / 2;
        if (u <= t->below[middle])
            last = middle;
        else
            first = middle + 1;
    }
    return t->shift + first;
}

void poisson_free(struct poisson_table *t)
{
    if (!t)
        return;
    free(t->below);
    free(t->other);
    free(t);
}
