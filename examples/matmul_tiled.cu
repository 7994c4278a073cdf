// Matrix multiplication, naive and through 16x16 tiles in shared memory: what `./demo.sh` runs and profiles.
//
// The lesson. In the naive kernel every thread reads a whole row of A and a whole column of B from global memory: 2*n
// loads for one element of C. Threads of a block read the same values again and again. The tiled kernel lets the 256
// threads of a block fetch one 16x16 tile of A and one of B together, each thread one element of each, and then reads
// them from shared memory 16 times. A tile of width T so cuts global loads by T.
//
// The figures, for n = 256 (2,048 warps), as `heddle profile` counts them:
//   naive: 2 loads x 256 steps x 2,048 warps = 1,048,576 requests of 2 sectors each
//   tiled: 2 loads x  16 tiles x 2,048 warps =    65,536 requests of 4 sectors each
// A sixteenth of the requests and an eighth of the sectors. A warp is 2 rows of 16 threads. Naive, a request for A
// touches 2 sectors (one value in each of 2 rows), and one for B 2 (16 neighbouring floats, the same for both rows):
// less than the 128 bytes that 32 lanes ask for, since lanes share values. Tiled, each lane fetches a value of its own.
// In shared memory tile_b is read along a row and tile_a at two addresses, both broadcast: no bank conflicts.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                        \
    do {                                                                                                   \
        cudaError_t status = (call);                                                                       \
        if (status != cudaSuccess) {                                                                       \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status));     \
            exit(1);                                                                                       \
        }                                                                                                  \
    } while (0)

const int TILE = 16;

__global__ void matmul_naive(const float *a, const float *b, float *c, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

__global__ void matmul_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int first = 0; first < n; first += TILE) {
        tile_a[y][x] = a[row * n + first + x];
        tile_b[y][x] = b[(first + y) * n + column];
        __syncthreads(); // the tiles are whole
        for (int k = 0; k < TILE; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads(); // nobody reads them any more
    }
    c[row * n + column] = sum;
}

// Sums in double; how far the device's sum in float may be off grows with n.
static long wrong_elements(const std::vector<float> &a, const std::vector<float> &b, const std::vector<float> &c, int n)
{
    long wrong = 0;
    std::vector<double> sum(n);
    for (int i = 0; i < n; i++) {
        std::fill(sum.begin(), sum.end(), 0.0);
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                sum[j] += (double)a[(size_t)i * n + k] * b[(size_t)k * n + j];
        for (int j = 0; j < n; j++)
            wrong += !(std::fabs(c[(size_t)i * n + j] - sum[j]) <= 1e-6 * n); // a NaN is wrong, too
    }
    return wrong;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 256;
    if (argc > 2 || n < TILE || n > 4096 || n % TILE) {
        fprintf(stderr, "usage: matmul_tiled [N]    N x N matrices; a multiple of %d, up to 4096\n", TILE);
        return 2;
    }
    size_t elements = (size_t)n * n, bytes = elements * sizeof(float);
    std::vector<float> a(elements), b(elements), c(elements);
    unsigned random = 1;
    for (size_t i = 0; i < elements; i++) {
        a[i] = (float)((random = random * 1664525u + 1013904223u) >> 8) / (1 << 24) - 0.5f;
        b[i] = (float)((random = random * 1664525u + 1013904223u) >> 8) / (1 << 24) - 0.5f;
    }

    float *device_a, *device_b, *device_c;
    CHECK(cudaMalloc(&device_a, bytes));
    CHECK(cudaMalloc(&device_b, bytes));
    CHECK(cudaMalloc(&device_c, bytes));
    CHECK(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));

    long wrong = 0;
    dim3 block(TILE, TILE), grid(n / TILE, n / TILE);
    for (int tiled = 0; tiled < 2; tiled++) {
        CHECK(cudaMemset(device_c, 0xff, bytes)); // all NaN: an element that is not written shows
        if (tiled)
            matmul_tiled<<<grid, block>>>(device_a, device_b, device_c, n);
        else
            matmul_naive<<<grid, block>>>(device_a, device_b, device_c, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost));
        long here = wrong_elements(a, b, c, n);
        printf("%s: %d x %d, %ld wrong elements\n", tiled ? "matmul_tiled" : "matmul_naive", n, n, here);
        wrong += here;
    }
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));
    puts(wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
