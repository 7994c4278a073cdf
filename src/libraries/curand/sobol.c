/* Quasirandom generators: Sobol's sequences (see generator.h).
 *
 * A dimension is a primitive polynomial over GF(2), and as many odd numbers m as its degree; the other direction vectors follow from
 * them (Bratley and Fox, ACM Trans. Math. Softw. 14(1), 1988). The polynomials are all primitive ones in order. The numbers are Joe and
 * Kuo's (Constructing Sobol sequences with better two-dimensional projections, SIAM J. Sci. Comput. 30(5), 2008), packed by
 * tools/curand_joe_kuo.py; joe_kuo.license is theirs. */
#include "libraries/curand/sobol.h"

#include <stdlib.h>
#include <string.h>

#include "libraries/curand/poisson.h"
#include "libraries/curand/values.h"

__asm__(".section .rodata\n"
        ".global curand_joe_kuo\n.hidden curand_joe_kuo\ncurand_joe_kuo:\n.incbin \"" JOE_KUO "\"\n.byte 0, 0, 0, 0\n"
        ".previous\n");
extern const uint8_t curand_joe_kuo[] __attribute__((visibility("hidden")));

/* --- primitive polynomials, a bit a coefficient --- */

static uint32_t multiply(uint32_t a, uint32_t b, uint32_t polynomial, unsigned degree)
{
    uint32_t r = 0;
    for (; b; b >>= 1) {
        if (b & 1)
            r ^= a;
        a <<= 1;
        if (a >> degree & 1)
            a ^= polynomial;
    }
    return r;
}

static uint32_t power_of_x(uint32_t n, uint32_t polynomial, unsigned degree)
{
    uint32_t r = 1, a = degree == 1 ? 1 : 2; /* modulo 1 + x, x is 1 */
    for (; n; n >>= 1) {
        if (n & 1)
            r = multiply(r, a, polynomial, degree);
        a = multiply(a, a, polynomial, degree);
    }
    return r;
}

/* x has the order 2^degree - 1: it has that order at most, and not that of a part. */
static bool is_primitive(uint32_t polynomial, unsigned degree)
{
    const uint32_t order = (1u << degree) - 1;
    uint32_t rest = order;
    if (power_of_x(order, polynomial, degree) != 1)
        return false;
    for (uint32_t prime = 2; rest > 1; prime++) {
        if (rest % prime)
            continue;
        if (order > 1 && power_of_x(order / prime, polynomial, degree) == 1)
            return false;
        while (rest % prime == 0)
            rest /= prime;
    }
    return true;
}

static uint32_t next_primitive(uint32_t polynomial, unsigned *degree)
{
    do {
        polynomial += 2;
        *degree = 31 - (unsigned)__builtin_clz(polynomial);
    } while (!is_primitive(polynomial, *degree));
    return polynomial;
}

/* --- direction vectors --- */

static uint32_t packed_bits(size_t *at, unsigned n) /* n < 25 */
{
    uint32_t word;
    memcpy(&word, curand_joe_kuo + *at / 8, sizeof word);
    word = word >> *at % 8 & ((1u << n) - 1);
    *at += n;
    return word;
}

static void vectors_of(uint32_t polynomial, unsigned degree, size_t *at, unsigned bits, uint64_t *m)
{
    for (unsigned i = 0; i < degree; i++)
        m[i] = packed_bits(at, i) << 1 | 1;
    for (unsigned i = degree; i < bits; i++) {
        m[i] = m[i - degree] ^ m[i - degree] << degree;
        for (unsigned k = 1; k < degree; k++)
            if (polynomial >> (degree - k) & 1)
                m[i] ^= m[i - k] << k;
    }
}

void *sobol_vectors(unsigned dimensions, bool wide)
{
    const unsigned bits = wide ? 64 : 32;
    uint32_t polynomial = 1, *narrow = malloc(dimensions * bits * (size_t)(wide ? 8 : 4));
    uint64_t m[64], *words = (uint64_t *)narrow;
    unsigned degree = 0;
    size_t at = 0;
    if (!narrow)
        return NULL;
    for (unsigned d = 0; d < dimensions; d++) {
        if (d > 0) {
            polynomial = next_primitive(polynomial, &degree);
            vectors_of(polynomial, degree, &at, bits, m);
        } else
            for (unsigned i = 0; i < bits; i++)
                m[i] = 1;
        for (unsigned i = 0; i < bits; i++) {
            if (wide)
                words[d * 64 + i] = m[i] << (63 - i);
            else
                narrow[d * 32 + i] = (uint32_t)(m[i] << (31 - i));
        }
    }
    return narrow;
}

bool sobol_make(struct curandGenerator_st *g)
{
    g->vectors = sobol_vectors(g->now.dimensions, curand_wide(g->type));
    g->point = g->now.offset;
    return g->ready = g->vectors != NULL;
}

/* --- points --- */

static uint64_t point(const struct curandGenerator_st *g, unsigned dimension, uint64_t i)
{
    uint64_t x = 0;
    const uint32_t *narrow = g->vectors;
    const uint64_t *wide = g->vectors;
    for (uint64_t k = 0, gray = i ^ i >> 1; gray; k++, gray >>= 1)
        if (gray & 1)
            x ^= curand_wide(g->type) ? wide[dimension * 64 + k] : narrow[dimension * 32 + k];
    return x;
}

static uint32_t poisson_of_word(const struct curand_job *job, bool wide, uint64_t word)
{
    const uint32_t upper = (uint32_t)(wide ? word >> 32 : word);
    if (!job->poisson)
        return poisson_of_normal(value_quantile_float(upper), job->mean);
    return poisson_find(job->poisson, wide ? value_uniform53(word >> 11) : value_uniform_double(upper));
}

static void convert(const struct curand_job *job, size_t i, bool wide, uint64_t word)
{
    const uint32_t upper = (uint32_t)(wide ? word >> 32 : word);
    switch (job->kind) {
    case CURAND_BITS: ((uint32_t *)job->out)[i] = upper; break;
    case CURAND_BITS64: ((uint64_t *)job->out)[i] = word; break;
    case CURAND_UNIFORM: ((float *)job->out)[i] = value_uniform(upper); break;
    case CURAND_UNIFORM_DOUBLE: ((double *)job->out)[i] = wide ? value_uniform53(word >> 11) : value_uniform_double(upper); break;
    case CURAND_NORMAL:
    case CURAND_LOG_NORMAL: ((float *)job->out)[i] = value_quantile_float(upper); break;
    case CURAND_NORMAL_DOUBLE:
    case CURAND_LOG_NORMAL_DOUBLE: ((double *)job->out)[i] = wide ? value_quantile64(word) : value_quantile32(upper); break;
    case CURAND_POISSON_VALUES: ((uint32_t *)job->out)[i] = poisson_of_word(job, wide, word); break;
    }
}

/* All points of a dimension, then those of the next one; in Gray code order one vector leads from point to point. */
void sobol_run(struct curandGenerator_st *g, const struct curand_job *job)
{
    const bool wide = curand_wide(g->type);
    const size_t each = job->n / g->now.dimensions;
    for (unsigned d = 0; d < g->now.dimensions; d++) {
        uint64_t x = point(g, d, wide ? g->point : (uint32_t)g->point);
        for (size_t i = 0; i < each; i++) {
            const uint64_t at = wide ? g->point + i : (uint32_t)(g->point + i);
            const unsigned k = ~at ? (unsigned)__builtin_ctzll(~at) : 63;
            convert(job, d * each + i, wide, x);
            x ^= wide ? ((uint64_t *)g->vectors)[d * 64 + k] : ((uint32_t *)g->vectors)[d * 32 + (k < 31 ? k : 31)];
        }
    }
    g->point += each;
}
