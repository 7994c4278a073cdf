// The forward layer of a neural network from n inputs to 16 outputs. Blocks of 16 x 16 (outputs by inputs) multiply and reduce
// by a tree in shared memory; a second kernel adds their partial sums, a block for each output, through a sigmoid. n is a
// multiple of 16.
#include <cuda_runtime.h>
#include "../kernels/bench.h"

#define OUTPUTS 16
#define INPUTS 16 /* of a block */

static int n;
static float *input, *weight, *partial, *output;

__global__ void layer_forward(const float *input, const float *weight, float *partial)
{
    __shared__ float in[INPUTS];
    __shared__ float product[INPUTS][OUTPUTS];
    int tx = threadIdx.x, ty = threadIdx.y, first = blockIdx.x * INPUTS;
    if (tx == 0)
        in[ty] = input[first + ty];
    __syncthreads();
    product[ty][tx] = weight[(first + ty) * OUTPUTS + tx] * in[ty];
    __syncthreads();
    for (int step = INPUTS / 2; step > 0; step /= 2) {
        if (ty < step)
            product[ty][tx] += product[ty + step][tx];
        __syncthreads();
    }
    if (ty == 0)
        partial[blockIdx.x * OUTPUTS + tx] = product[0][tx];
}

__global__ void activate(const float *partial, float *output, int blocks)
{
    __shared__ float sums[256];
    float sum = 0;
    for (int i = threadIdx.x; i < blocks; i += 256)
        sum += partial[i * OUTPUTS + blockIdx.x];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int step = 128; step > 0; step /= 2) {
        if (threadIdx.x < step)
            sums[threadIdx.x] += sums[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        output[blockIdx.x] = 1 / (1 + expf(-sums[0]));
}

static void bench_setup(const char *variant, int count)
{
    (void)variant;
    n = count;
    input = to_device(bench_floats(n, 1, 0, 1), n);
    weight = to_device(bench_floats((size_t)n * OUTPUTS, 2, -0.005f, 0.01f), (size_t)n * OUTPUTS);
    partial = device_room<float>((size_t)n / INPUTS * OUTPUTS);
    output = device_room<float>(OUTPUTS);
}

static void bench_launch()
{
    layer_forward<<<n / INPUTS, dim3(OUTPUTS, INPUTS)>>>(input, weight, partial);
    activate<<<OUTPUTS, 256>>>(partial, output, n / INPUTS);
    finish();
}

static struct bench_result bench_result()
{
    return {to_host(output, OUTPUTS), OUTPUTS, 0};
}
