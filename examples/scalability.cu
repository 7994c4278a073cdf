// The same grid on a small and a large GPU: the same result, in other waves. (Seed row 7.)
//
// The lesson. Blocks are given to multiprocessors as these have room, in no promised order, and a program does not say where or
// when. So a grid of 864 blocks runs on any GPU: where all of them have room at once in one wave, elsewhere in several, the
// last perhaps partly filled. Warps that wait are switched for others at no cost, since the registers of all resident
// threads stay where they are: blocks of 256 fill a multiprocessor's 2,048 threads (1,024 on a T4) eight (four) at a time.
//
// In time: `follow` goes from element to element, so its warps do nothing but wait. Twice as many blocks take as long where all have room at
// once, and twice as long where they come in waves.
//
//   for device in t4 a100 h200; do heddle profile --device $device examples/scalability.cu; done
//
// The figures, 864 blocks of 256 threads:
//   t4: launch__sm_count = 40, 4 blocks each are 160: launch__waves_per_multiprocessor = 5.4
//   a100: launch__sm_count = 108 (of 64 cores each), 8 blocks each are 864: launch__waves_per_multiprocessor = 1
//   h200: launch__sm_count = 132, 8 blocks each are 1,056: launch__waves_per_multiprocessor = 0.818182
//   follow 2 (864 blocks), over 432 blocks: on a t4 gpu__time_duration.sum / follow 1 = 1.6 to 2.3, 6 waves for 3;
//     on an a100 and an h200 gpu__time_duration.sum / follow 1 = 0.95 to 1.15
//   everywhere launch__grid_size = 864 and sm__maximum_warps_per_active_cycle_pct = 100
#include "example.h"

const int BLOCKS = 864, THREADS = 256, PLACES = 32 * BLOCKS, STEPS = 64;

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

// All threads of a warp go the same way.
__global__ void follow(const unsigned *next, unsigned *out)
{
    unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, at = 32 * warp % PLACES;
    for (int step = 0; step < STEPS; step++)
        at = __ldcg(next + at); // from L2
    out[warp] = at;
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
    std::vector<unsigned> next(PLACES), ends(BLOCKS * THREADS / 32);
    for (unsigned i = 0; i < next.size(); i++)
        next[i] = (i + 37 * 32) % PLACES;
    for (unsigned i = 0; i < ends.size(); i++)
        ends[i] = (i + 37 * STEPS) * 32 % PLACES;
    unsigned *ways = to_device(next);
    follow<<<BLOCKS / 2, THREADS>>>(ways, out);
    follow<<<BLOCKS, THREADS>>>(ways, out);
    expect(to_host(out, ends.size()) == ends, "every warp has come to its end");
    CHECK(cudaFree(out));
    return verdict();
}
