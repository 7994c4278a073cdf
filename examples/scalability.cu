// The same grid on a small and a large GPU: the same result, in other waves. (Seed row 7.)
//
// The lesson. Blocks are given to multiprocessors as these have room, in no promised order, and a program does not say where or
// when. So a grid of 864 blocks runs on any GPU: where all of them have room at once in one wave, elsewhere in several, the
// last perhaps partly filled. Warps that wait are switched for others at no cost, since the registers of all resident
// threads stay where they are: blocks of 256 fill a multiprocessor's 2,048 threads (1,024 on a T4) eight (four) at a time.
//
//   for device in t4 a100 h200; do heddle profile --device $device examples/scalability.cu; done
//
// The figures, 864 blocks of 256 threads:
//   t4: launch__sm_count = 40, 4 blocks each are 160: launch__waves_per_multiprocessor = 5.4
//   a100: launch__sm_count = 108 (of 64 cores each), 8 blocks each are 864: launch__waves_per_multiprocessor = 1
//   h200: launch__sm_count = 132, 8 blocks each are 1,056: launch__waves_per_multiprocessor = 0.818182
//   everywhere launch__grid_size = 864 and sm__maximum_warps_per_active_cycle_pct = 100
#include "example.h"

const int BLOCKS = 864, THREADS = 256;

__host__ __device__ unsigned mixed(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

__global__ void fill(unsigned *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = mixed(i);
}

int main()
{
    std::vector<unsigned> wanted(BLOCKS * THREADS);
    unsigned *out;
    for (unsigned i = 0; i < wanted.size(); i++)
        wanted[i] = mixed(i);
    CHECK(cudaMalloc(&out, wanted.size() * sizeof *out));
    fill<<<BLOCKS, THREADS>>>(out);
    CHECK(cudaGetLastError());
    expect(to_host(out, wanted.size()) == wanted, "every block has run once, wherever it did");
    CHECK(cudaFree(out));
    return verdict();
}
