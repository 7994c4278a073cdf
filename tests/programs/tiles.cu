/* Tiles of several warps: ranks, barriers, values passed, reductions; with the program's memory and without. Expected: by hand. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;

#ifdef BEFORE_80 /* bytes of block_tile_memory<512>, by nvcc */
enum { BYTES = 160 };
#else
enum { BYTES = 8 };
#endif

struct triple {
    unsigned short a, b, c;
};

/* One bit for each rule that does not hold. */
template <unsigned Size, class Block> __device__ unsigned rules(const Block &block)
{
    auto tile = cg::tiled_partition<Size>(block);
    unsigned t = threadIdx.x, rank = t % Size, first = t - rank, bad = 0;
    __shared__ unsigned seen[512];
    bad |= (tile.size() != Size || tile.thread_rank() != rank || tile.meta_group_rank() != t / Size ||
            tile.meta_group_size() != blockDim.x / Size) << 0;
    for (unsigned round = 0; round < 3; round++) { /* all of the tile, and only it, must have come */
        for (unsigned i = 0; i < rank * (round + t / Size) % 50; i++)
            __nanosleep(1);
        seen[t] = round + 1;
        tile.sync();
        bad |= (seen[first + (rank + 37) % Size] != round + 1) << 1;
        tile.sync();
    }
    triple w = {(unsigned short)t, (unsigned short)(2 * t), (unsigned short)(3 * t)}, got = tile.shfl(w, Size - 3);
    bad |= (got.a != first + Size - 3 || got.b != 2 * got.a || got.c != 3 * got.a) << 2;
    bad |= (!tile.any(t == first + Size / 2) || tile.any(t == (first + Size) % blockDim.x && blockDim.x > Size)) << 3;
    bad |= (tile.all(rank != Size - 1) || !tile.all(rank < Size)) << 4;
    bad |= (cg::reduce(tile, (int)t, cg::plus<int>()) != (int)(Size * first + Size * (Size - 1) / 2)) << 5;
    bad |= (cg::reduce(tile, (double)rank, cg::greater<double>()) != Size - 1) << 6;
    bad |= (cg::reduce(tile, (long long)t, [](long long a, long long b) { return a < b ? a : b; }) != first) << 7;
    auto half = cg::tiled_partition<Size / 2>(tile);
    bad |= (half.thread_rank() != rank % (Size / 2) || half.meta_group_size() != 2 || half.meta_group_rank() != rank / (Size / 2)) << 8;
    bad |= (cg::reduce(half, 1, cg::plus<int>()) != Size / 2) << 9;
    return bad;
}

#ifndef BEFORE_80
__global__ void tiles(unsigned *bad)
{
    auto block = cg::this_thread_block();
    bad[threadIdx.x] = rules<64>(block) | rules<128>(block) << 10 | rules<256>(block) << 20;
    bad[threadIdx.x] |= rules<512>(block);
}
#endif

__global__ void with_memory(unsigned *bad)
{
    __shared__ cg::block_tile_memory<512> memory;
    auto block = cg::this_thread_block(memory);
    bad[threadIdx.x] = rules<64>(block) | rules<256>(block) << 10 | (sizeof memory != BYTES) << 20;
}

int main()
{
    unsigned *bad, all = 0;
    cudaMallocManaged(&bad, 2 * 512 * sizeof *bad);
#ifndef BEFORE_80
    tiles<<<1, 512>>>(bad);
#endif
    with_memory<<<1, 512>>>(bad + 512);
    cudaError_t e = cudaDeviceSynchronize();
    for (int i = 0; i < 1024; i++)
        all |= bad[i];
    printf("%s, %#x\n", cudaGetErrorName(e), all);
    return e != cudaSuccess || all;
}
