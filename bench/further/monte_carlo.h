/* What the Monte Carlo programs share: options, and normal numbers that any compiler makes bit by bit the same. */
#ifndef MONTE_CARLO_H
#define MONTE_CARLO_H

#define PATHS 65536
#define RATE 0.02f
#define VOLATILITY 0.3f

struct option {
    float price, strike, years;
};

static inline struct option *options(int n)
{
    struct option *o = (struct option *)bench_room((size_t)n * sizeof *o);
    for (int i = 0; i < n; i++) {
        o[i].price = 5 + 25 * bench_unit(3 * (uint32_t)i);
        o[i].strike = 5 + 25 * bench_unit(3 * (uint32_t)i + 1);
        o[i].years = 0.25f + 4 * bench_unit(3 * (uint32_t)i + 2);
    }
    return o;
}

/* PATHS numbers, normal for our purpose: each is the sum of 12 in [0, 1), less 6. */
static inline float *normals(void)
{
    float *z = (float *)bench_room(PATHS * sizeof *z);
    for (uint32_t i = 0; i < PATHS; i++) {
        int64_t sum = 0;
        for (uint32_t k = 0; k < 12; k++)
            sum += bench_word(12 * i + k) >> 8;
        z[i] = (float)(sum - (6 << 24)) * 0x1p-24f;
    }
    return z;
}

#endif
