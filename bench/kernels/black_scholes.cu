// Prices of n calls and n puts by the Black-Scholes formula, a thread for each pair; the normal distribution by the
// polynomial 26.2.17 of Abramowitz and Stegun.
#include <cuda_runtime.h>
#include "bench.h"

static int n;
static float *price, *strike, *years, *call, *put;

__device__ float normal(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float p = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * d * d) * p;
    return d > 0 ? 1 - tail : tail;
}

__global__ void black_scholes(const float *price, const float *strike, const float *years, float *call, float *put, int n)
{
    const float rate = 0.02f, volatility = 0.3f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float root = sqrtf(years[i]), spread = volatility * root;
    float d1 = (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) / spread, d2 = d1 - spread;
    float now = strike[i] * expf(-rate * years[i]), n1 = normal(d1), n2 = normal(d2);
    call[i] = price[i] * n1 - now * n2;
    put[i] = now * (1 - n2) - price[i] * (1 - n1);
}

static void bench_setup(const char *variant, int count)
{
    (void)variant;
    n = count;
    price = to_device(bench_floats(n, 1, 5, 25), n);
    strike = to_device(bench_floats(n, 2, 1, 99), n);
    years = to_device(bench_floats(n, 3, 0.25f, 10), n);
    call = device_room<float>(2 * (size_t)n);
    put = call + n;
}

static void bench_launch()
{
    black_scholes<<<(n + 127) / 128, 128>>>(price, strike, years, call, put, n);
    finish();
}

static struct bench_result bench_result()
{
    return {to_host(call, 2 * (size_t)n), 2 * (size_t)n, 0};
}
