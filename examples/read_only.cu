// The read-only path: __ldg and `const __restrict__`. (Seed row 17.)
//
// The lesson. Data that no thread writes during a launch may be read through the read-only path, whose grain is a sector
// of 32 bytes: __ldg(pointer) says so, and `const T *__restrict__` lets the compiler find out. On compute capability 3.5
// to 5.x that was the texture cache, apart from L1. Since 6.x it is the same L1 and the same counters: the three kernels
// below show the same figures on a device of today, and a lane that needs 4 bytes of a sector still moves 32. What the
// hint still buys is freedom for the compiler to move the load.
//
// The figures: 8 warps, each lane one float of a table 16 floats from its neighbour's: 32 sectors a warp. The indices
// are 32 neighbouring ints, 4 sectors.
//   plain 1: global_load_requests = 16, gld_transactions = 288 (8 x (4 + 32))
//   with_ldg 1: global_load_requests = 16, gld_transactions = 288
//   restricted 1: global_load_requests = 16, gld_transactions = 288
// On a Kepler (--device k40), where the path is apart, with_ldg and restricted have readonly_load_requests = 16 and
// readonly_load_transactions = 288 sectors instead, and gld_transactions = 0; nc_cache_global_hit_rate = 0, as no sector is read twice.
#include "example.h"

const int THREADS = 256, BLOCK = 128, APART = 16;

__global__ void plain(const float *table, const int *index, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[index[i]];
}

__global__ void with_ldg(const float *table, const int *index, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __ldg(&table[__ldg(&index[i])]);
}

__global__ void restricted(const float *__restrict__ table, const int *__restrict__ index, float *__restrict__ out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = table[index[i]];
}

int main()
{
    std::vector<float> table = numbers(THREADS * APART), wanted(THREADS);
    std::vector<int> index(THREADS);
    for (int i = 0; i < THREADS; i++) {
        index[i] = (THREADS - 1 - i) * APART;
        wanted[i] = table[index[i]];
    }
    float *device_table = to_device(table), *out;
    int *device_index = to_device(index);
    CHECK(cudaMalloc(&out, THREADS * sizeof(float)));
    void (*kernels[])(const float *, const int *, float *) = {plain, with_ldg, restricted};
    const char *names[] = {"plain loads", "__ldg", "const __restrict__"};
    for (int k = 0; k < 3; k++) {
        CHECK(cudaMemset(out, 0, THREADS * sizeof(float)));
        kernels[k]<<<THREADS / BLOCK, BLOCK>>>(device_table, device_index, out);
        expect(to_host(out, THREADS) == wanted, names[k]);
    }
    return verdict();
}
