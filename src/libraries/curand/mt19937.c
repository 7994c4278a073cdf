/* MT19937 in lanes (see mt19937.h). The generator: Matsumoto and Nishimura, ACM TOMACS 8(1), 1998. Lanes are made when they are first
 * asked for, each from the one before by a jump: a polynomial in the step, applied to the state by Horner's rule, eight bits at a time
 * (Haramoto, Matsumoto, Nishimura, Panneton and L'Ecuyer, INFORMS J. Comput. 20(3), 2008). */
#include "libraries/curand/mt19937.h"

#include <stdlib.h>
#include <string.h>

#include "libraries/curand/mt19937_jump.h"

enum {
    N = MT19937_WORDS,
    M = 397,
    TURNS = N / MT19937_TURN,         /* of a batch: the words of one pass over the state */
    BLOCK = 7 * MT19937_TURN,         /* words that eight threads take in seven turns */
    UNMADE = TURNS,                   /* the batch has not been computed */
};

struct mt19937 {
    uint32_t (*state)[N]; /* of lanes below `made`: raw words of the present batch, or of the one before */
    uint8_t *turn;        /* in the batch; UNMADE: its words come first */
    unsigned made;
    uint32_t beginning[N];     /* of lane `made` */
    uint32_t sums[256][N];     /* of jumps: the polynomials of degree below 8, applied */
    uint16_t order[TURNS][MT19937_TURN];
};

static inline uint32_t step(uint32_t first, uint32_t second, uint32_t middle)
{
    const uint32_t y = (first & 0x80000000u) | (second & 0x7fffffffu);
    return middle ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
}

static void batch(uint32_t s[N])
{
    for (int i = 0; i < N; i++)
        s[i] = step(s[i], s[(i + 1) % N], s[(i + M) % N]);
}

/* In which order threads give out a batch: first one word each that lies between blocks, then blocks, of which each thread takes seven
 * words in a row. */
static void make_order(struct mt19937 *m)
{
    static const uint16_t heads[MT19937_TURN] = {0, 113, 170, 283, 340, 397, 510, 567};
    unsigned turn = 1, head = 1;
    memcpy(m->order[0], heads, sizeof heads);
    for (unsigned begin = 1; begin < N; begin += BLOCK) {
        if (head < MT19937_TURN && begin == heads[head]) {
            begin++;
            head++;
        }
        for (unsigned i = 0; i < 7; i++, turn++)
            for (unsigned thread = 0; thread < MT19937_TURN; thread++)
                m->order[turn][thread] = (uint16_t)(begin + 7 * thread + i);
    }
}

struct mt19937 *mt19937_new(uint32_t seed)
{
    struct mt19937 *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->state = malloc(MT19937_LANES * sizeof *m->state);
    m->turn = malloc(MT19937_LANES);
    if (!m->state || !m->turn) {
        mt19937_free(m);
        return NULL;
    }
    make_order(m);
    m->beginning[0] = seed;
    for (uint32_t i = 1; i < N; i++)
        m->beginning[i] = 1812433253u * (m->beginning[i - 1] ^ m->beginning[i - 1] >> 30) + i;
    return m;
}

void mt19937_free(struct mt19937 *m)
{
    if (!m)
        return;
    free(m->state);
    free(m->turn);
    free(m);
}

/* --- jumps --- */

static void add(uint32_t *restrict sum, const uint32_t *restrict a, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum[i] ^= a[i];
}

static void make_sums(struct mt19937 *m)
{
    uint32_t w[N + 8];
    memcpy(w, m->beginning, sizeof m->beginning);
    for (int i = 0; i < 8; i++)
        w[N + i] = step(w[i], w[i + 1], w[i + M]);
    for (int bits = 1; bits < 256; bits++) { /* one bit more than a sum that is there */
        const int low = __builtin_ctz((unsigned)bits);
        memcpy(m->sums[bits], m->sums[bits & (bits - 1)], sizeof m->sums[bits]);
        add(m->sums[bits], w + low, N);
    }
}

/* From the highest eight coefficients down: the state eight steps on, and the next eight. The state is a ring. */
static void jump(struct mt19937 *m)
{
    uint32_t s[N] = {0};
    unsigned at = 0; /* where the ring begins */
    make_sums(m);
    for (size_t byte = sizeof mt19937_jump; byte-- > 0;) {
        for (int i = 0; i < 8; i++, at = (at + 1) % N)
            s[at] = step(s[at], s[(at + 1) % N], s[(at + M) % N]);
        const uint32_t *sum = m->sums[mt19937_jump[byte]];
        add(s + at, sum, N - at);
        add(s, sum + (N - at), at);
    }
    memcpy(m->beginning, s + at, (N - at) * sizeof *s);
    memcpy(m->beginning + (N - at), s, at * sizeof *s);
}

/* --- words --- */

static void need(struct mt19937 *m, unsigned lane)
{
    while (m->made <= lane) {
        memcpy(m->state[m->made], m->beginning, sizeof m->beginning);
        m->turn[m->made++] = UNMADE;
        if (m->made < MT19937_LANES)
            jump(m);
    }
}

void mt19937_turn(struct mt19937 *m, unsigned lane, uint32_t words[MT19937_TURN])
{
    need(m, lane);
    if (m->turn[lane] == UNMADE) {
        batch(m->state[lane]);
        m->turn[lane] = 0;
    }
    for (int i = 0; i < MT19937_TURN; i++) {
        uint32_t y = m->state[lane][m->order[m->turn[lane]][i]];
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c5680u;
        y ^= y << 15 & 0xefc60000u;
        words[i] = y ^ y >> 18;
    }
}

void mt19937_next(struct mt19937 *m, unsigned lane)
{
    m->turn[lane]++;
}
