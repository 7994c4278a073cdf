// Rows of eight, each by a tile of a warp, with cooperative groups.
#include <cstdio>
#include <cooperative_groups.h>
#ifndef BUG
#define BUG 0
#endif
namespace cg = cooperative_groups;
const int WIDTH = 8, ROWS = 13, THREADS = 128;

__global__ void rows(const int *a, int *sum, int *last)
{
    __shared__ int cell[THREADS];
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<WIDTH>(block);
    int row = threadIdx.x / WIDTH, r = tile.thread_rank(), v = 0;
    if (row < ROWS) {
        v = a[row * WIDTH + r];
        if (BUG == 1) {
            if (r < 5)
                for (int d = WIDTH / 2; d > 0; d /= 2)
                    v += tile.shfl_down(v, d); // @part
        } else {
            for (int d = WIDTH / 2; d > 0; d /= 2)
                v += tile.shfl_down(v, d);
        }
        cell[threadIdx.x] = v; // @cell
        if (BUG == 2 && row % 2)
            block.sync(); // @block
        else if (BUG != 3)
            tile.sync();
        int first = cell[threadIdx.x - r]; // @first
        if (BUG == 4 && r == 0)
            tile.sync(); // @only
        if (r == 0)
            sum[row] = v;
        if (r == WIDTH - 1)
            last[row] = first;
    }
}

int main()
{
    int h[ROWS * WIDTH], got[ROWS], end[ROWS], *a, *sum, *last, bad = 0;
    for (int i = 0; i < ROWS * WIDTH; i++)
        h[i] = i * i % 31;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&sum, sizeof got);
    cudaMalloc(&last, sizeof got);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    rows<<<1, THREADS>>>(a, sum, last);
    cudaMemcpy(got, sum, sizeof got, cudaMemcpyDeviceToHost);
    cudaMemcpy(end, last, sizeof got, cudaMemcpyDeviceToHost);
    for (int r = 0; r < ROWS; r++) {
        int s = 0;
        for (int i = 0; i < WIDTH; i++)
            s += h[r * WIDTH + i];
        bad += got[r] != s || end[r] != s;
    }
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(sum);
    cudaFree(last);
}
