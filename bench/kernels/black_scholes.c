/* Prices of n calls and n puts by the Black-Scholes formula; the normal distribution by the polynomial 26.2.17 of
 * Abramowitz and Stegun. */
#include "bench.h"

static int n;
static float *price, *strike, *years, *call, *put;

static inline float normal(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float p = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * d * d) * p;
    return d > 0 ? 1 - tail : tail;
}

static void black_scholes(const float *restrict price, const float *restrict strike, const float *restrict years,
                          float *restrict call, float *restrict put, int n)
{
    const float rate = 0.02f, volatility = 0.3f;
#pragma omp parallel for simd
    for (int i = 0; i < n; i++) {
        float root = sqrtf(years[i]), spread = volatility * root;
        float d1 = (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / spread, d2 = d1 - spread;
        float now = strike[i] * expf(-rate * years[i]), n1 = normal(d1), n2 = normal(d2);
        call[i] = price[i] * n1 - now * n2;
        put[i] = now * (1 - n2) - price[i] * (1 - n1);
    }
}

static void bench_setup(const char *variant, int count)
{
    (void)variant;
    n = count;
    price = bench_floats((size_t)n, 1, 5, 25);
    strike = bench_floats((size_t)n, 2, 1, 99);
    years = bench_floats((size_t)n, 3, 0.25f, 10);
    call = bench_room(2 * sizeof *call * (size_t)n);
    put = call + n;
}

static void bench_launch(void)
{
    black_scholes(price, strike, years, call, put, n);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){call, 2 * (size_t)n, 0};
}
