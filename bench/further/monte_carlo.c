/* Prices of n call options, each by 65536 paths, with half the width of the 95 % confidence interval. */
#include "../kernels/bench.h"
#include "monte_carlo.h"

static int n;
static struct option *option;
static float *normal, *value; /* of each option: price, half the interval's width */

static void monte_carlo(const struct option *restrict option, const float *restrict normal, float *restrict value, int n)
{
#pragma omp parallel for
    for (int k = 0; k < n; k++) {
        struct option o = option[k];
        float drift = (RATE - 0.5f * VOLATILITY * VOLATILITY) * o.years, spread = VOLATILITY * sqrtf(o.years);
        float sum = 0, square = 0;
#pragma omp simd reduction(+ : sum, square)
        for (int i = 0; i < PATHS; i++) {
            float payoff = fmaxf(o.price * expf(drift + spread * normal[i]) - o.strike, 0);
            sum += payoff;
            square += payoff * payoff;
        }
        float mean = sum / PATHS, variance = square / PATHS - mean * mean, discount = expf(-RATE * o.years);
        value[2 * k] = discount * mean;
        value[2 * k + 1] = discount * 1.96f * sqrtf(variance / PATHS);
    }
}

static void bench_setup(const char *variant, int count)
{
    (void)variant;
    n = count;
    option = options(n);
    normal = normals();
    value = bench_room(2 * sizeof *value * (size_t)n);
}

static void bench_launch(void)
{
    monte_carlo(option, normal, value, n);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){value, 2 * (size_t)n, 0};
}
