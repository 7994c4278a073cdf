// The pull of n bodies on each other, all pairs, 256 bodies at a time in shared memory. n is a multiple of 256.
#include <cuda_runtime.h>
#include "bench.h"

static int n;
static float4 *body, *pull;

__global__ void nbody(const float4 *body, float4 *pull, int n)
{
    __shared__ float4 tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 me = body[i];
    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < n; first += 256) {
        tile[threadIdx.x] = body[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 256; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float f = tile[k].w * inverse * inverse * inverse;
            ax += f * dx;
            ay += f * dy;
            az += f * dz;
        }
        __syncthreads();
    }
    pull[i] = make_float4(ax, ay, az, 0);
}

static void bench_setup(const char *variant, int count)
{
    (void)variant;
    n = count;
    body = to_device((float4 *)bench_floats(4 * (size_t)n, 1, 0, 1), n);
    pull = device_room<float4>(n);
}

static void bench_launch()
{
    nbody<<<n / 256, 256>>>(body, pull, n);
    finish();
}

static struct bench_result bench_result()
{
    return {to_host(pull, n), 4 * (size_t)n, 0};
}
