// Vector addition: one thread an element, and a last block that is only partly needed. (Seed rows 1, 6 and 31.)
//
// The lesson. Blocks come in one size, vectors do not: the grid is rounded up and the bounds test switches the rest off.
// 4000 elements with 256 threads a block need ceil(4000 / 256) = 16 blocks, 4096 threads. 4000 = 125 x 32, so the 3
// warps past the end lie wholly outside: they fail the test together, and no warp diverges. 1003 elements with 64
// threads a block also need 16 blocks, 32 warps; 1003 = 31 x 32 + 11, so the 21 threads switched off share the last warp
// with 11 that work: 1 warp of 32 diverges, and the longer the vector the less it matters.
//
// The figures. A warp that works makes 2 load requests; 32 neighbouring floats are 4 sectors, 11 are 44 bytes, 2 sectors.
//   add 1 (n = 4000): launch__grid_size = 16, launch__block_size = 256, smsp__warps_launched.sum = 128,
//     ptx__branches_divergent.sum = 0, global_load_requests = 250 (2 x 125), gld_transactions = 1,000
//   add 2 (n = 1003): launch__grid_size = 16, launch__block_size = 64, smsp__warps_launched.sum = 32,
//     ptx__branches_divergent.sum = 1, global_load_requests = 64, gld_transactions = 252 (2 x (31 x 4 + 2))
#include "example.h"

__host__ __device__ float sum_of(float x, float y) // compiled twice: the CPU reference calls it, too
{
    return x + y;
}

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x; // automatic: every thread has its own
    if (i < n)
        c[i] = sum_of(a[i], b[i]);
}

__global__ void dimensions(dim3 *seen) // the built-in variables, as the launch set them
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        seen[0] = gridDim;
        seen[1] = blockDim;
    }
}

static void run(int n, int block)
{
    size_t bytes = n * sizeof(float);
    std::vector<float> a = numbers(n, 1), b = numbers(n, 2), c(n);
    float *device_a, *device_b, *device_c;
    dim3 *device_seen, seen[2];
    CHECK(cudaMalloc(&device_a, bytes));
    CHECK(cudaMalloc(&device_b, bytes));
    CHECK(cudaMalloc(&device_c, bytes));
    CHECK(cudaMalloc(&device_seen, sizeof seen));
    CHECK(cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice));

    int blocks = (n + block - 1) / block;
    add<<<blocks, block>>>(device_a, device_b, device_c, n);
    CHECK(cudaGetLastError());
    dimensions<<<blocks, block>>>(device_seen);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(seen, device_seen, sizeof seen, cudaMemcpyDeviceToHost));

    int wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += c[i] != sum_of(a[i], b[i]);
    printf("n = %d, %d a block: gridDim.x %u, blockDim.x %u, %d wrong\n", n, block, seen[0].x, seen[1].x, wrong);
    expect(wrong == 0, "every element is the sum");
    expect(seen[0].x == 16 && seen[0].y == 1 && seen[0].z == 1, "gridDim is (16, 1, 1)");
    expect(seen[1].x == (unsigned)block && seen[1].y == 1 && seen[1].z == 1, "blockDim is the block, 1 in y and z");
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(device_c));
    CHECK(cudaFree(device_seen));
}

int main()
{
    run(4000, 256);
    run(1003, 64);
    return verdict();
}
