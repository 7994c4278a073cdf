/* cuRAND's generators, as the files of this folder share them.
 *
 * A pseudorandom generator is a row of lanes, one sequence each; in device code a lane is a thread with its state. A value is of one
 * lane's turn: a turn has one value, two where values are made in pairs, four with Philox, eight with MT19937. Turns go from lane to lane and round again.
 * A quasirandom generator gives the points of one dimension after the other. Which lanes, how many and what a turn takes from a
 * sequence was measured on an H200: tests/truth/libraries/curand_host.tsv. */
#ifndef LIBRARIES_CURAND_GENERATOR_H
#define LIBRARIES_CURAND_GENERATOR_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "curand.h"

/* What a call makes. */
enum curand_kind { CURAND_BITS, CURAND_BITS64, CURAND_UNIFORM, CURAND_UNIFORM_DOUBLE, CURAND_NORMAL, CURAND_NORMAL_DOUBLE, CURAND_LOG_NORMAL,
                   CURAND_LOG_NORMAL_DOUBLE, CURAND_POISSON_VALUES };

/* One call's values. */
struct curand_job {
    enum curand_kind kind;
    size_t n;
    void *out;             /* host address */
    double mean, deviation; /* of the normal distribution below; Poisson: mean */
    const struct poisson_table *poisson; /* NULL: from normal values */
};

/* The lanes' states, field by field, so that one loop steps many. */
struct curand_lanes {
    uint32_t *word[6];   /* XORWOW: v[0] .. v[4], counter; MRG32k3a: s1, s2 */
    uint64_t *block;     /* Philox: number of the block of the lane's turn */
    float *kept;         /* Poisson values from normal ones: the second of the pair, and whether there is one */
    bool *has;
};

struct curand_settings {
    unsigned long long seed, offset;
    curandOrdering_t ordering;
    unsigned dimensions;
    unsigned long long place;   /* Philox: how many values were made from the beginning on, as far as the offset knows */
    unsigned long long version; /* counts changes: states are made anew after each, at the offset, which goes on with the values made */
};

struct curandGenerator_st {
    curandRngType_t type; /* no DEFAULT */
    bool host;            /* fills host memory, at once */
    cudaStream_t stream;

    pthread_mutex_t lock; /* guards what follows: streams run at the same time */
    int references;       /* the program's, and one of each call in a stream */
    struct curand_settings set; /* for calls to come */
    struct curand_settings now; /* of the states below */
    bool ready;           /* there are states */
    unsigned lanes;
    unsigned at;          /* lane of the next turn; Philox and MT19937: value, four and eight to a lane */
    struct curand_lanes lane;
    struct mt19937 *mt;   /* MT19937's lanes */
    void *vectors;        /* quasirandom: direction vectors of all dimensions */
    unsigned long long point; /* quasirandom: number of the next one */
};

/* Bytes of a value of the kind. */
static inline size_t curand_size(enum curand_kind kind)
{
    return kind == CURAND_BITS64 || kind == CURAND_UNIFORM_DOUBLE || kind == CURAND_NORMAL_DOUBLE || kind == CURAND_LOG_NORMAL_DOUBLE ? 8 : 4;
}

static inline bool curand_quasi(curandRngType_t type)
{
    return type >= CURAND_RNG_QUASI_DEFAULT;
}

static inline bool curand_wide(curandRngType_t type) /* 64-bit words */
{
    return type == CURAND_RNG_QUASI_SOBOL64 || type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}

/* Does a turn make two values of the kind? Philox makes four of any kind. */
static inline bool curand_in_pairs(curandRngType_t type, enum curand_kind kind)
{
    return kind >= CURAND_NORMAL && kind <= CURAND_LOG_NORMAL_DOUBLE && (type == CURAND_RNG_PSEUDO_XORWOW || type == CURAND_RNG_PSEUDO_MRG32K3A);
}

/* States are to be made anew, at the offset. */
static inline void curand_renew(struct curand_settings *s)
{
    s->place = s->offset;
    s->version++;
}

/* --- lanes.c: pseudorandom generators --- */

/* How many lanes a type has in an ordering; 0: it does not have the ordering. */
unsigned lanes_count(curandRngType_t type, curandOrdering_t ordering);
bool lanes_make(struct curandGenerator_st *g);    /* false: no memory */
void lanes_release(struct curandGenerator_st *g); /* and what quasirandom generators have */
void lanes_run(struct curandGenerator_st *g, const struct curand_job *job);

/* --- sobol.c: quasirandom generators --- */
enum { SOBOL_DIMENSIONS = 20000 };
bool sobol_make(struct curandGenerator_st *g); /* false: no memory */
void sobol_run(struct curandGenerator_st *g, const struct curand_job *job);

#endif
