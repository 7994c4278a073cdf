// Prices of n call options, each by 65536 paths, with half the width of the 95 % confidence interval. A block of 256 threads
// for each option sums payoffs and their squares, and reduces both in shared memory.
#include <cuda_runtime.h>
#include "../kernels/bench.h"
#include "monte_carlo.h"

#define THREADS 256

static int n;
static struct option *option;
static float *normal;
static float2 *value; /* price, half the interval's width */

__global__ void monte_carlo(const struct option *option, const float *normal, float2 *value)
{
    __shared__ float sums[THREADS], squares[THREADS];
    struct option o = option[blockIdx.x];
    float drift = (RATE - 0.5f * VOLATILITY * VOLATILITY) * o.years, spread = VOLATILITY * sqrtf(o.years);
    float sum = 0, square = 0;
    for (int i = threadIdx.x; i < PATHS; i += THREADS) {
        float payoff = fmaxf(o.price * expf(drift + spread * normal[i]) - o.strike, 0.0f);
        sum += payoff;
        square += payoff * payoff;
    }
    sums[threadIdx.x] = sum;
    squares[threadIdx.x] = square;
    __syncthreads();
    for (int step = THREADS / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) {
            sums[threadIdx.x] += sums[threadIdx.x + step];
            squares[threadIdx.x] += squares[threadIdx.x + step];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        float mean = sums[0] / PATHS, variance = squares[0] / PATHS - mean * mean, discount = expf(-RATE * o.years);
        value[blockIdx.x] = make_float2(discount * mean, discount * 1.96f * sqrtf(variance / PATHS));
    }
}

static void bench_setup(const char *variant, int count)
{
    (void)variant;
    n = count;
    option = to_device(options(n), n);
    normal = to_device(normals(), PATHS);
    value = device_room<float2>(n);
}

static void bench_launch()
{
    monte_carlo<<<n, THREADS>>>(option, normal, value);
    finish();
}

static struct bench_result bench_result()
{
    return {to_host(value, n), 2 * (size_t)n, 0};
}
