// How many blocks a multiprocessor holds, and what stops the next one. (Seed row 8.)
//
// The lesson. The blocks of a multiprocessor share its warps, block slots, registers and shared memory; the one that is
// used up first decides. Occupancy is their warps over the most that it can hold. Figures for an A100 (--device a100),
// which holds 64 warps and 32 blocks and has 164 KiB of shared memory; sm__maximum_warps_per_active_cycle_pct of
//   work, launch 1, blocks of 768: 2 x 24 warps, 16 are left over: sm__maximum_warps_per_active_cycle_pct = 75
//   work, launch 2, blocks of 32: 32 slots of one warp: sm__maximum_warps_per_active_cycle_pct = 50
//   work, launch 3, blocks of 256: 8 x 8 warps: sm__maximum_warps_per_active_cycle_pct = 100
//   work, launch 4, with 78 bytes of shared memory a thread, 19,968 a block: the driver keeps 1,024 bytes of each block,
//   so 8 of 20,992 bytes fit exactly: sm__maximum_warps_per_active_cycle_pct = 100
//   work, launch 5, with 82 bytes a thread: 7 blocks: sm__maximum_warps_per_active_cycle_pct = 87.5
//   work, launch 6, with 32 KiB a block: 4 of 33 KiB: sm__maximum_warps_per_active_cycle_pct = 50
// A book divides 164 KiB by 2048 threads, 82 bytes, and calls it the limit for full occupancy, and 132 bytes a thread 62 %
// (1272 of 2048 threads): it leaves out the driver's kilobyte, and that blocks come whole. `heddle occupancy --no-reserve`
// calculates with the one and not the other: 5 blocks of 32 KiB, 62.5 %.
// Registers: the book's G80 has 8192, so 10 a thread for 768 threads. With 11, blocks of 256 are 512 threads:
//   heddle occupancy --device g80 --block 256 --registers 11
#include "example.h"

__global__ void work(float *x)
{
    x[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

static cudaDeviceProp prop;

static int least(int a, int b)
{
    return a < b ? a : b;
}

// By threads, slots and shared memory; registers are no limit here: 32 a thread fill the file with 2048 threads.
static int by_hand(int threads, int shared)
{
    int warps = (threads + 31) / 32;
    int blocks = least(prop.maxThreadsPerMultiProcessor / 32 / warps, prop.maxBlocksPerMultiProcessor);
    int bytes = (shared + (int)prop.reservedSharedMemPerBlock + 127) / 128 * 128;
    return bytes ? least(blocks, (int)prop.sharedMemPerMultiprocessor / bytes) : blocks;
}

int main()
{
    const struct {
        int threads, shared;
    } launches[] = {{768, 0}, {32, 0}, {256, 0}, {256, 78 * 256}, {256, 82 * 256}, {256, 32 * 1024}};
    CHECK(cudaGetDeviceProperties(&prop, 0));
    std::vector<float> zeros(4 * 768);
    float *x = to_device(zeros);
    float sum = 0;
    for (auto l : launches) {
        int blocks;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, work, l.threads, l.shared));
        int warps = blocks * ((l.threads + 31) / 32), most = prop.maxThreadsPerMultiProcessor / 32;
        printf("blocks of %4d, %5d bytes: %2d blocks, %2d of %d warps, %.1f %%\n", l.threads, l.shared, blocks, warps, most,
               100.0 * warps / most);
        expect(blocks == by_hand(l.threads, l.shared), "as by hand");
        work<<<4, l.threads, l.shared>>>(x);
        CHECK(cudaGetLastError());
        sum += 4 * l.threads;
    }
    // The other way round: which block has the most threads resident, and how much memory may it have?
    int grid, block, blocks;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, work));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, work, block, 0));
    expect(grid == blocks * prop.multiProcessorCount, "the smallest grid that fills the device");
    size_t bytes;
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, work, 4, 256));
    expect(by_hand(256, (int)bytes) >= 4, "4 blocks with the memory that is available for 4");
    for (float v : to_host(x, zeros.size()))
        sum -= v;
    expect(sum == 0, "every thread has worked");
    return verdict();
}
