// Threads that do more: 4 elements in a row of tiles (coarsening), and 4 x 4 elements in registers. (Seed row 31.)
//
// The lesson. A tiled kernel still loads a tile of A anew for every block along a row of C. If a block does 4 tiles of C in
// that row it loads A's tile once for all four. If a thread keeps 4 x 4 sums in registers the block's tile grows to 64 x 64
// and each value from shared memory serves 4 products: 8 loads for 16 products instead of 2 for 1. The price is
// registers, and fewer threads to hide latency with.
//
// The figures, n = 64, tiles 16 deep, so 4 steps:
//   one_each 1: smsp__warps_launched.sum = 128, global_load_requests = 1,024 (128 x 4 x (1 + 1))
//   four_in_a_row 1: smsp__warps_launched.sum = 32, global_load_requests = 640 (32 x 4 x (1 + 4))
//   four_by_four 1: smsp__warps_launched.sum = 8, global_load_requests = 256 (8 x 4 x (4 + 4))
#include "example.h"

const int TILE = 16, EACH = 4, WIDE = TILE * EACH;

__global__ void one_each(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int first = 0; first < n; first += TILE) {
        tile_a[y][x] = a[row * n + first + x];
        tile_b[y][x] = b[(first + y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void four_in_a_row(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * WIDE + x;
    float sum[EACH] = {};
    for (int first = 0; first < n; first += TILE) {
        tile_a[y][x] = a[row * n + first + x]; // once for four tiles of B
        for (int j = 0; j < EACH; j++) {
            tile_b[y][x] = b[(first + y) * n + column + j * TILE];
            __syncthreads();
            for (int k = 0; k < TILE; k++)
                sum[j] += tile_a[y][k] * tile_b[k][x];
            __syncthreads();
        }
    }
    for (int j = 0; j < EACH; j++)
        c[row * n + column + j * TILE] = sum[j];
}

__global__ void four_by_four(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[WIDE][TILE], tile_b[TILE][WIDE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * WIDE + y, column = blockIdx.x * WIDE + x;
    float sum[EACH][EACH] = {};
    for (int first = 0; first < n; first += TILE) {
        for (int i = 0; i < EACH; i++) {
            tile_a[y + i * TILE][x] = a[(row + i * TILE) * n + first + x];
            tile_b[y][x + i * TILE] = b[(first + y) * n + column + i * TILE];
        }
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            for (int i = 0; i < EACH; i++)
                for (int j = 0; j < EACH; j++)
                    sum[i][j] += tile_a[y + i * TILE][k] * tile_b[k][x + j * TILE];
        __syncthreads();
    }
    for (int i = 0; i < EACH; i++)
        for (int j = 0; j < EACH; j++)
            c[(row + i * TILE) * n + column + j * TILE] = sum[i][j];
}

int main()
{
    const int n = 64;
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
    const struct {
        const char *name;
        void (*kernel)(const float *, const float *, float *, int);
        dim3 grid;
    } ways[] = {
        {"one element a thread", one_each, dim3(n / TILE, n / TILE)},
        {"four in a row", four_in_a_row, dim3(n / WIDE, n / TILE)},
        {"four by four", four_by_four, dim3(n / WIDE, n / WIDE)},
    };
    for (const auto &way : ways) {
        CHECK(cudaMemset(c, 0xff, n * n * sizeof(float)));
        way.kernel<<<way.grid, dim3(TILE, TILE)>>>(device_a, device_b, c, n);
        expect(near(to_host(c, n * n), wanted, 1e-5f), way.name);
    }
    return verdict();
}
