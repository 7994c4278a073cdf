// The C++ face of the runtime: typed launches, occupancy by a function object, a stream's memory as a typed pointer.
#include <cstdio>

static int wrong;
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            printf("line %d: %s\n", __LINE__, #condition), wrong++;                                                    \
    } while (0)

__global__ void scale(float *p, double by, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= by;
}

// Never a constant: clang alone would stop here.
__device__ constexpr float log10_inverse() { return 1.f / ::log(10.f); }
__global__ void uses_it(float *p) { *p = log10_inverse(); }

__global__ void cells(int *p) { p[threadIdx.x] = threadIdx.x; }

struct four_a_thread {
    size_t operator()(int threads) const { return 4u * threads; }
};

int main()
{
    float *p, h[4] = {1, 2, 3, 4};
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s) == cudaSuccess);
    CHECK(cudaMallocAsync(&p, sizeof h, s) == cudaSuccess);
    CHECK(cudaMemcpyAsync(p, h, sizeof h, cudaMemcpyHostToDevice, s) == cudaSuccess);
    cudaLaunchConfig_t c = {};
    c.gridDim = dim3(1);
    c.blockDim = dim3(4);
    c.stream = s;
    CHECK(cudaLaunchKernelEx(&c, scale, p, 3, 4) == cudaSuccess); // 3 is an int, the parameter a double
    CHECK(cudaMemcpyAsync(h, p, sizeof h, cudaMemcpyDeviceToHost, s) == cudaSuccess);
    CHECK(cudaStreamSynchronize(s) == cudaSuccess);
    CHECK(h[0] == 3 && h[3] == 12);
    CHECK(cudaFreeAsync(p, s) == cudaSuccess);

    // The smallest grid that fills the device has a block for every place of every multiprocessor.
    int grid, block, sms, places;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0) == cudaSuccess);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, cells) == cudaSuccess);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&places, cells, block, 0) == cudaSuccess);
    CHECK(grid == places * sms && places * block == 2048);
    CHECK(cudaOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, cells, 0, 96) == cudaSuccess);
    CHECK(block == 64); // 32 blocks of 64 are 2048 threads, 21 of 96 only 2016
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, cells, four_a_thread()) == cudaSuccess);
    CHECK(grid % sms == 0 && grid / sms * block == 2048);
    CHECK(cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(&grid, &block, cells, four_a_thread(), 128) == cudaSuccess);
    CHECK(block == 128);
    const char *name;
    CHECK(cudaFuncGetName(&name, cells) == cudaSuccess);
    printf(wrong ? "FAILED\n" : "PASSED %s\n", name);
    return wrong;
}
