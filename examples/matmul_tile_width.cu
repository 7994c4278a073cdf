// A tile of width T cuts global loads by T: 2 x 2 halves them, 16 x 16 leaves a sixteenth. (Seed row 31.)
//
// The lesson. In C = A * B every thread needs a row of A and a column of B, n values of each. The T x T threads of a block
// need T rows and T columns between them: fetched together, each value serves T threads, and each thread fetches n / T of
// each instead of n. The seeds show it with 2 x 2 (each value is used twice: half the loads) and compute it for 16 x 16.
// The first one's tiled kernel is no program that runs: it has blockIdx * Width where blockIdx * TILE_WIDTH is meant, and
// __syncthreads__(). The tile here is dynamic shared memory, so one kernel serves every width.
//
// The figures, n = 32. A block of 2 x 2 is a warp with 4 lanes: 256 warps. Of 16 x 16: 4 blocks of 8 warps, 32 warps.
//   naive 1 (2 x 2): global_load_requests = 16,384 (256 x 2 x 32)
//   tiled 1 (2 x 2): global_load_requests = 8,192 (256 x 2 x 16), launch__shared_mem_per_block_dynamic = 32
//   naive 2 (16 x 16): global_load_requests = 2,048 (32 x 2 x 32)
//   tiled 2 (16 x 16): global_load_requests = 128 (32 x 2 x 2), launch__shared_mem_per_block_dynamic = 2,048
#include "example.h"

__global__ void naive(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

__global__ void tiled(const float *a, const float *b, float *c, int n)
{
    extern __shared__ float tiles[]; // one for A and one for B; how large says the launch
    int width = blockDim.x, x = threadIdx.x, y = threadIdx.y;
    float *tile_a = tiles, *tile_b = tiles + width * width;
    int row = blockIdx.y * width + y, column = blockIdx.x * width + x;
    float sum = 0.0f;
    for (int first = 0; first < n; first += width) {
        tile_a[y * width + x] = a[row * n + first + x];
        tile_b[y * width + x] = b[(first + y) * n + column];
        __syncthreads(); // the tiles are whole (true dependence)
        for (int k = 0; k < width; k++)
            sum += tile_a[y * width + k] * tile_b[k * width + x];
        __syncthreads(); // nobody needs them any more (false dependence)
    }
    c[row * n + column] = sum;
}

int main()
{
    const int n = 32;
    std::vector<float> a = numbers(n * n, 1), b = numbers(n * n, 2), wanted(n * n);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < n; k++)
                sum += (double)a[i * n + k] * b[k * n + j];
            wanted[i * n + j] = (float)sum;
        }
    float *device_a = to_device(a), *device_b = to_device(b), *c;
    CHECK(cudaMalloc(&c, n * n * sizeof(float)));
    for (int width : {2, 16}) {
        dim3 block(width, width), grid(n / width, n / width);
        CHECK(cudaMemset(c, 0xff, n * n * sizeof(float)));
        naive<<<grid, block>>>(device_a, device_b, c, n);
        expect(near(to_host(c, n * n), wanted, 1e-5f), width == 2 ? "naive in blocks of 2 x 2" : "naive in blocks of 16 x 16");
        CHECK(cudaMemset(c, 0xff, n * n * sizeof(float)));
        tiled<<<grid, block, 2 * width * width * sizeof(float)>>>(device_a, device_b, c, n);
        expect(near(to_host(c, n * n), wanted, 1e-5f), width == 2 ? "tiles of 2 x 2" : "tiles of 16 x 16");
    }
    return verdict();
}
