/* Pseudorandom generators: their lanes, and turns of them (see generator.h). */
#include "libraries/curand/generator.h"

#include <stdlib.h>
#include <string.h>

#include "libraries/curand/mt19937.h"
#include "libraries/curand/poisson.h"
#include "libraries/curand/values.h"

#define HEDDLE_CURAND_TABLE static const
#include "heddle/curand/mrg32k3a_powers.h"
#include "heddle/curand/xorwow_powers.h"

enum {
    AT_ONCE = 1024, /* lanes whose words are made together */
    WORDS = 4,      /* most words of a turn */
    SEEDED_STEP = 3133713, /* ORDERING_PSEUDO_SEEDED: from a lane's seed to the next one's */
};
#define MRG_ONE 2.3283065498378288e-10 /* 1 / m1 */
#define MRG_BITS 1.000000048662        /* (2^32 - 1) / m1 */

static const uint64_t modulus[2] = {4294967087u, 4294944443u};

/* --- how many --- */

/* Lanes in the orderings BEST and DEFAULT, SEEDED, LEGACY, DYNAMIC. A GPU has as many for DYNAMIC as suits it; these are an H200's. */
static const struct {
    curandRngType_t type;
    unsigned best, seeded, legacy, dynamic;
} counts[] = {
    {CURAND_RNG_PSEUDO_XORWOW, 4096, 4096, 4096, 2816},
    {CURAND_RNG_PSEUDO_MRG32K3A, 81920, 0, 4096, 270336},
    {CURAND_RNG_PSEUDO_MT19937, MT19937_LANES, 0, MT19937_LANES, 0},
    {CURAND_RNG_PSEUDO_PHILOX4_32_10, 65536, 0, 65536, 67584},
};

unsigned lanes_count(curandRngType_t type, curandOrdering_t ordering)
{
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (counts[i].type == type)
            switch (ordering) {
            case CURAND_ORDERING_PSEUDO_BEST:
            case CURAND_ORDERING_PSEUDO_DEFAULT: return counts[i].best;
            case CURAND_ORDERING_PSEUDO_SEEDED: return counts[i].seeded;
            case CURAND_ORDERING_PSEUDO_LEGACY: return counts[i].legacy;
            case CURAND_ORDERING_PSEUDO_DYNAMIC: return counts[i].dynamic;
            default: return 0;
            }
    return 0;
}

/* --- XORWOW --- */

static void xorwow_multiply(uint32_t v[5], const unsigned *matrix)
{
    uint32_t sum[5] = {0};
    for (int bit = 0; bit < 160; bit++)
        if (v[bit / 32] >> bit % 32 & 1)
            for (int k = 0; k < 5; k++)
                sum[k] ^= matrix[5 * bit + k];
    memcpy(v, sum, sizeof sum);
}

static void xorwow_begin(uint32_t v[6], uint64_t seed)
{
    uint32_t low = 1099087573u * ((uint32_t)seed ^ 0xaad26b49u), high = 2591861531u * ((uint32_t)(seed >> 32) ^ 0xf7dcefddu);
    const uint32_t begin[6] = {123456789u + low, 362436069u ^ low, 521288629u + high, 88675123u ^ high, 5783321u + low, 6615241u + low + high};
    memcpy(v, begin, sizeof begin);
}

static void xorwow_skip(uint32_t v[6], uint64_t n)
{
    v[5] += 362437u * (uint32_t)n;
    for (int k = 0; n; k++, n >>= 2)
        for (unsigned times = n & 3; times; times--)
            xorwow_multiply(v, heddle_xorwow_step[k]);
}

static void xorwow_words(const struct curand_lanes *l, size_t at, size_t n, uint32_t *out)
{
    uint32_t *restrict a = l->word[0] + at, *restrict b = l->word[1] + at, *restrict c = l->word[2] + at, *restrict d = l->word[3] + at;
    uint32_t *restrict e = l->word[4] + at, *restrict count = l->word[5] + at, *restrict to = out;
    for (size_t i = 0; i < n; i++) {
        uint32_t t = a[i] ^ a[i] >> 2, last = e[i];
        a[i] = b[i];
        b[i] = c[i];
        c[i] = d[i];
        d[i] = last;
        e[i] = last ^ last << 4 ^ t ^ t << 1;
        count[i] += 362437u;
        to[i] = e[i] + count[i];
    }
}

/* --- MRG32k3a --- */

static void mrg_multiply(uint32_t v[3], const unsigned matrix[3][3], uint64_t m)
{
    uint64_t sum[3];
    for (int i = 0; i < 3; i++) {
        sum[i] = 0;
        for (int k = 0; k < 3; k++)
            sum[i] += (uint64_t)matrix[i][k] * v[k] % m;
    }
    for (int i = 0; i < 3; i++)
        v[i] = (uint32_t)(sum[i] % m);
}

static void mrg_begin(uint32_t v[6], uint64_t seed)
{
    const uint32_t half[2] = {(uint32_t)seed ^ 0x55555555u, (uint32_t)(seed >> 32) ^ 0xaaaaaaaau};
    for (int i = 0; i < 6; i++) /* s1 begins with the lower half, s2 with the upper one */
        v[i] = seed ? (uint32_t)(half[i % 3 % 2 ^ (i >= 3)] * UINT64_C(12345) % modulus[i >= 3]) : 12345;
}

static void mrg_skip(uint32_t v[6], uint64_t n)
{
    for (int k = 0; n; k++, n >>= 1)
        if (n & 1) {
            mrg_multiply(v, heddle_mrg_step1[k], modulus[0]);
            mrg_multiply(v + 3, heddle_mrg_step2[k], modulus[1]);
        }
}

/* The numbers 1 .. m1 themselves. */
static void mrg_words(const struct curand_lanes *l, size_t at, size_t n, uint32_t *out)
{
    uint32_t *a = l->word[0] + at, *b = l->word[1] + at, *c = l->word[2] + at, *d = l->word[3] + at, *e = l->word[4] + at, *f = l->word[5] + at;
    const uint32_t m1 = (uint32_t)modulus[0], m2 = (uint32_t)modulus[1];
    for (size_t i = 0; i < n; i++) {
        uint64_t x = UINT64_C(1403580) * b[i] + UINT64_C(810728) * (m1 - a[i]), y = UINT64_C(527612) * f[i] + UINT64_C(1370589) * (m2 - d[i]);
        x = (x >> 32) * 209 + (uint32_t)x;
        x -= x >= m1 ? m1 : 0;
        y = (y >> 32) * 22853 + (uint32_t)y;
        y = (y >> 32) * 22853 + (uint32_t)y;
        y -= y >= m2 ? m2 : 0;
        a[i] = b[i];
        b[i] = c[i];
        c[i] = (uint32_t)x;
        d[i] = e[i];
        e[i] = f[i];
        f[i] = (uint32_t)y;
        out[i] = (uint32_t)x - (uint32_t)y + (x <= y ? m1 : 0);
    }
}

/* --- Philox --- */

static void philox_block(uint64_t seed, uint64_t sequence, uint64_t block, uint32_t out[4])
{
    uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)sequence, (uint32_t)(sequence >> 32)};
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int round = 0; round < 10; round++) {
        uint64_t a = UINT64_C(0xD2511F53) * c[0], b = UINT64_C(0xCD9E8D57) * c[2];
        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ key[0];
        c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ key[1];
        c[3] = (uint32_t)a;
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    memcpy(out, c, sizeof c);
}

/* --- making lanes --- */

static bool allocate(struct curandGenerator_st *g)
{
    const size_t n = g->lanes;
    if (g->type == CURAND_RNG_PSEUDO_MT19937)
        return (g->mt = mt19937_new((uint32_t)g->now.seed)) != NULL;
    if (g->type == CURAND_RNG_PSEUDO_PHILOX4_32_10)
        return (g->lane.block = calloc(n, sizeof *g->lane.block)) != NULL;
    bool good = true;
    for (int i = 0; i < 6; i++)
        good &= (g->lane.word[i] = calloc(n, sizeof *g->lane.word[i])) != NULL;
    good &= (g->lane.kept = calloc(n, sizeof *g->lane.kept)) != NULL;
    return good & ((g->lane.has = calloc(n, sizeof *g->lane.has)) != NULL);
}

void lanes_release(struct curandGenerator_st *g)
{
    for (int i = 0; i < 6; i++)
        free(g->lane.word[i]);
    free(g->lane.block);
    free(g->lane.kept);
    free(g->lane.has);
    free(g->vectors);
    mt19937_free(g->mt);
    g->mt = NULL;
    memset(&g->lane, 0, sizeof g->lane);
    g->vectors = NULL;
    g->ready = false;
}

/* A lane is the one before, a sequence on; in the seeded ordering it is of a seed of its own. */
static void make_states(struct curandGenerator_st *g, uint64_t skip)
{
    const bool xorwow = g->type == CURAND_RNG_PSEUDO_XORWOW, seeded = g->now.ordering == CURAND_ORDERING_PSEUDO_SEEDED;
    uint32_t v[6];
    (xorwow ? xorwow_begin : mrg_begin)(v, g->now.seed);
    (xorwow ? xorwow_skip : mrg_skip)(v, skip);
    for (unsigned i = 0; i < g->lanes; i++) {
        uint32_t lane[6];
        memcpy(lane, v, sizeof v);
        if (seeded) {
            xorwow_begin(lane, g->now.seed + (uint64_t)i * SEEDED_STEP);
            xorwow_skip(lane, skip);
        }
        if (i < g->at) /* the offset went past it once more */
            (xorwow ? xorwow_skip : mrg_skip)(lane, 1);
        for (int k = 0; k < 6; k++)
            g->lane.word[k][i] = lane[k];
        if (xorwow)
            xorwow_multiply(v, heddle_xorwow_sequence[0]);
        else {
            mrg_multiply(v, heddle_mrg_subsequence1[0], modulus[0]);
            mrg_multiply(v + 3, heddle_mrg_subsequence2[0], modulus[1]);
        }
    }
}

bool lanes_make(struct curandGenerator_st *g)
{
    const bool philox = g->type == CURAND_RNG_PSEUDO_PHILOX4_32_10;
    g->lanes = lanes_count(g->type, g->now.ordering);
    const uint64_t round = g->lanes * (philox ? UINT64_C(4) : 1), skip = g->now.offset / round;
    g->at = (unsigned)(g->now.offset % round);
    if (!allocate(g)) {
        lanes_release(g);
        return false;
    }
    if (philox)
        for (unsigned i = 0; i < g->lanes; i++)
            g->lane.block[i] = skip + (i < g->at / 4);
    else if (!g->mt)
        make_states(g, skip);
    g->ready = true;
    return true;
}

/* --- turns of XORWOW and MRG32k3a --- */

/* Words that a turn takes from each lane's sequence. */
static int words_of_turn(const struct curandGenerator_st *g, enum curand_kind kind)
{
    switch (kind) {
    case CURAND_UNIFORM_DOUBLE: return g->type == CURAND_RNG_PSEUDO_XORWOW ? 2 : 1;
    case CURAND_NORMAL:
    case CURAND_LOG_NORMAL: return 2;
    case CURAND_NORMAL_DOUBLE:
    case CURAND_LOG_NORMAL_DOUBLE: return g->type == CURAND_RNG_PSEUDO_XORWOW ? 4 : 2;
    default: return 1;
    }
}

static void words(const struct curandGenerator_st *g, size_t at, size_t n, uint32_t *out)
{
    (g->type == CURAND_RNG_PSEUDO_XORWOW ? xorwow_words : mrg_words)(&g->lane, at, n, out);
}

static void pair_of(const struct curandGenerator_st *g, uint32_t x, uint32_t y, float pair[2])
{
    if (g->type == CURAND_RNG_PSEUDO_XORWOW)
        value_pair_of_words(x, y, pair);
    else
        value_pair((float)(x * MRG_ONE), (float)(y * MRG_ONE) * VALUES_2PI, pair);
}

static uint32_t poisson_of_lane(struct curandGenerator_st *g, const struct curand_job *job, size_t lane, uint32_t first)
{
    float pair[2];
    uint32_t second;
    if (job->poisson)
        return poisson_find(job->poisson, value_uniform_double(g->type == CURAND_RNG_PSEUDO_XORWOW ? first : (uint32_t)(first * MRG_BITS)));
    words(g, lane, 1, &second);
    pair_of(g, first, second, pair);
    g->lane.kept[lane] = pair[1];
    g->lane.has[lane] = true;
    return poisson_of_normal(pair[0], job->mean);
}

/* Values of lanes at .. at + n - 1, from the i-th of the call on. w[k]: the k-th word of each lane's turn. */
static void convert(struct curandGenerator_st *g, const struct curand_job *job, size_t i, size_t n, uint32_t w[WORDS][AT_ONCE])
{
    const bool xorwow = g->type == CURAND_RNG_PSEUDO_XORWOW;
    uint32_t *bits = (uint32_t *)job->out + i;
    float *single = (float *)job->out + i, pair[2];
    double *wide = (double *)job->out + i, pairs[2];
    for (size_t k = 0; k < n; k++)
        switch (job->kind) {
        case CURAND_BITS: bits[k] = xorwow ? w[0][k] : (uint32_t)(w[0][k] * MRG_BITS); break;
        case CURAND_UNIFORM: single[k] = xorwow ? value_uniform(w[0][k]) : (float)(w[0][k] * MRG_ONE); break;
        case CURAND_UNIFORM_DOUBLE: wide[k] = xorwow ? value_uniform53(value_bits53(w[0][k], w[1][k])) : w[0][k] * MRG_ONE; break;
        case CURAND_NORMAL:
        case CURAND_LOG_NORMAL:
            pair_of(g, w[0][k], w[1][k], pair);
            single[2 * k] = pair[0];
            single[2 * k + 1] = pair[1];
            break;
        case CURAND_NORMAL_DOUBLE:
        case CURAND_LOG_NORMAL_DOUBLE:
            if (xorwow)
                value_pair_double_of_words((uint32_t[]){w[0][k], w[1][k], w[2][k], w[3][k]}, pairs);
            else
                value_pair_double(w[0][k] * MRG_ONE, w[1][k] * MRG_ONE * 2, pairs);
            wide[2 * k] = pairs[0];
            wide[2 * k + 1] = pairs[1];
            break;
        default: break;
        }
}

static void run_poisson(struct curandGenerator_st *g, const struct curand_job *job)
{
    for (size_t i = 0; i < job->n; i++) {
        uint32_t word, *out = (uint32_t *)job->out + i;
        const size_t lane = g->at;
        if (!job->poisson && g->lane.has[lane]) {
            g->lane.has[lane] = false;
            *out = poisson_of_normal(g->lane.kept[lane], job->mean);
        } else {
            words(g, lane, 1, &word);
            *out = poisson_of_lane(g, job, lane, word);
        }
        g->at = (g->at + 1) % g->lanes;
    }
}

static void run_turns(struct curandGenerator_st *g, const struct curand_job *job)
{
    const size_t each = curand_in_pairs(g->type, job->kind) ? 2 : 1;
    const int takes = words_of_turn(g, job->kind);
    uint32_t w[WORDS][AT_ONCE];
    for (size_t i = 0, n; i < job->n; i += n * each) {
        n = (job->n - i) / each;
        n = n < g->lanes - g->at ? n : g->lanes - g->at;
        n = n < AT_ONCE ? n : AT_ONCE;
        for (int k = 0; k < takes; k++)
            words(g, g->at, n, w[k]);
        convert(g, job, i, n, w);
        g->at = (unsigned)(g->at + n) % g->lanes;
    }
}

/* --- turns of Philox: four values of one block, or two blocks --- */

static void philox_turn(const struct curandGenerator_st *g, const struct curand_job *job, unsigned lane, void *four)
{
    uint32_t x[8], *bits = four;
    float *single = four;
    double *wide = four;
    const bool two = curand_size(job->kind) == 8;
    philox_block(g->now.seed, lane, g->lane.block[lane], x);
    if (two)
        philox_block(g->now.seed, lane, g->lane.block[lane] + 1, x + 4);
    for (int i = 0; i < 4; i++)
        switch (job->kind) {
        case CURAND_BITS: bits[i] = x[i]; break;
        case CURAND_UNIFORM: single[i] = value_uniform(x[i]); break;
        case CURAND_UNIFORM_DOUBLE: wide[i] = value_uniform53(value_bits53(x[2 * i], x[2 * i + 1])); break;
        case CURAND_POISSON_VALUES:
            if (job->poisson)
                bits[i] = poisson_find(job->poisson, value_uniform_double(x[i]));
            else if (i % 2 == 0) {
                float pair[2];
                value_pair_of_words(x[i], x[i + 1], pair);
                bits[i] = poisson_of_normal(pair[0], job->mean);
                bits[i + 1] = poisson_of_normal(pair[1], job->mean);
            }
            break;
        case CURAND_NORMAL:
        case CURAND_LOG_NORMAL:
            if (i % 2 == 0)
                value_pair_of_words(x[i], x[i + 1], single + i);
            break;
        default:
            if (i % 2 == 0)
                value_pair_double_of_words(x + 2 * i, wide + i);
        }
}

static void run_philox(struct curandGenerator_st *g, const struct curand_job *job)
{
    const size_t size = curand_size(job->kind);
    double room[4];
    for (size_t i = 0, n; i < job->n; i += n) {
        const unsigned lane = g->at / 4, first = g->at % 4;
        n = 4 - first < job->n - i ? 4 - first : job->n - i;
        philox_turn(g, job, lane, room);
        memcpy((char *)job->out + i * size, (char *)room + first * size, n * size);
        if (first + n == 4)
            g->lane.block[lane] += size / 4;
        g->at = (unsigned)(g->at + n) % (4 * g->lanes);
    }
}

/* --- turns of MT19937: eight values, one a word --- */

static void value_of_word(enum curand_kind kind, uint32_t x, const struct poisson_table *poisson, double mean, void *out)
{
    switch (kind) {
    case CURAND_UNIFORM: *(float *)out = (float)(x * 0x1p-32 + 0x1p-33); break; /* rounded once */
    case CURAND_UNIFORM_DOUBLE: *(double *)out = x * 0x1p-32 + 0x1p-33; break;
    case CURAND_NORMAL:
    case CURAND_LOG_NORMAL: *(float *)out = value_quantile_float(x); break;
    case CURAND_NORMAL_DOUBLE:
    case CURAND_LOG_NORMAL_DOUBLE: *(double *)out = value_quantile32(x); break;
    case CURAND_POISSON_VALUES:
        *(uint32_t *)out = poisson ? poisson_find(poisson, value_uniform_double(x)) : poisson_of_normal(value_quantile_float(x), mean);
        break;
    default: *(uint32_t *)out = x;
    }
}

static void run_mt(struct curandGenerator_st *g, const struct curand_job *job)
{
    const size_t size = curand_size(job->kind);
    for (size_t i = 0, n; i < job->n; i += n) {
        const unsigned lane = g->at / MT19937_TURN, first = g->at % MT19937_TURN;
        uint32_t x[MT19937_TURN];
        n = MT19937_TURN - first < job->n - i ? MT19937_TURN - first : job->n - i;
        mt19937_turn(g->mt, lane, x);
        for (size_t k = 0; k < n; k++)
            value_of_word(job->kind, x[first + k], job->poisson, job->mean, (char *)job->out + (i + k) * size);
        if (first + n == MT19937_TURN)
            mt19937_next(g->mt, lane);
        g->at = (unsigned)(g->at + n) % (MT19937_TURN * g->lanes);
    }
}

void lanes_run(struct curandGenerator_st *g, const struct curand_job *job)
{
    if (g->type == CURAND_RNG_PSEUDO_PHILOX4_32_10)
        run_philox(g, job);
    else if (g->type == CURAND_RNG_PSEUDO_MT19937)
        run_mt(g, job);
    else if (job->kind == CURAND_POISSON_VALUES)
        run_poisson(g, job);
    else
        run_turns(g, job);
}
