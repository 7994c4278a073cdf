// Heat in a rod, all steps in one cooperative launch: two arrays, grid.sync() between steps.
#include <cstdio>
#include <cooperative_groups.h>
#ifndef BUG
#define BUG 0
#endif
namespace cg = cooperative_groups;
const int BLOCKS = 4, THREADS = 64, N = BLOCKS * THREADS, STEPS = 6;

__global__ void heat(int *now, int *next)
{
    cg::grid_group grid = cg::this_grid();
    int i = blockIdx.x * THREADS + threadIdx.x;
    for (int s = 0; s < STEPS; s++) {
        int left = i > 0 ? now[i - 1] : 0;                    // @left
        int right = i < N - 1 + (BUG == 4) ? now[i + 1] : 0;  // @right
        (BUG == 3 ? now : next)[i] = (left + now[i] + right); // @store
        if (BUG == 1)
            __syncthreads();
        else if (BUG == 5 && s == STEPS - 1 && blockIdx.x == 0)
            return;
        else if (BUG != 2)
            grid.sync(); // @sync
        int *other = BUG == 3 ? next : now;
        now = BUG == 3 ? now : next;
        next = other;
    }
}

int main()
{
    static int h[2][N], got[N];
    int *a, *b, bad = 0;
    for (int i = 0; i < N; i++)
        h[0][i] = i % 7;
    cudaMalloc(&a, sizeof got);
    cudaMalloc(&b, sizeof got);
    cudaMemcpy(a, h[0], sizeof got, cudaMemcpyHostToDevice);
    void *args[] = {&a, &b};
    cudaLaunchCooperativeKernel((const void *)heat, BLOCKS, THREADS, args, 0, 0); // @launch
    cudaMemcpy(got, STEPS % 2 ? b : a, sizeof got, cudaMemcpyDeviceToHost);
    for (int s = 0; s < STEPS; s++)
        for (int i = 0; i < N; i++)
            h[(s + 1) % 2][i] =
                (i ? h[s % 2][i - 1] : 0) + h[s % 2][i] + (i < N - 1 ? h[s % 2][i + 1] : 0);
    for (int i = 0; i < N; i++)
        bad += got[i] != h[STEPS % 2][i];
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(b);
}
