/* The forward layer of a neural network from n inputs to 16 outputs: weighted sums, then a sigmoid. */
#include "../kernels/bench.h"

#define OUTPUTS 16

static int n;
static float *input, *weight, *output;

static void layer_forward(const float *restrict input, const float *restrict weight, float *restrict output, int n)
{
    float sum[OUTPUTS] = {0};
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++)
        for (int o = 0; o < OUTPUTS; o++)
            sum[o] += weight[i * OUTPUTS + o] * input[i];
    for (int o = 0; o < OUTPUTS; o++)
        output[o] = 1 / (1 + expf(-sum[o]));
}

static void bench_setup(const char *variant, int count)
{
    (void)variant;
    n = count;
    input = bench_floats((size_t)n, 1, 0, 1);
    weight = bench_floats((size_t)n * OUTPUTS, 2, -0.005f, 0.01f);
    output = bench_room(sizeof *output * OUTPUTS);
}

static void bench_launch(void)
{
    layer_forward(input, weight, output, n);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){output, OUTPUTS, 0};
}
