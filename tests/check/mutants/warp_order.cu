// Warps of one block that pass values on. Each bug relies on warps that run in order, or on lanes
// in lockstep.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int THREADS = 64, WARP = 32;

__global__ void run(const int *a, int *out, int *leader)
{
    __shared__ int factor, row[THREADS + 1], pair[THREADS], tree[THREADS], winner;
    int t = threadIdx.x, lane = t % WARP;
    if (t == 0)
        factor = a[0] + 2; // @factor
    if (t == 0)
        winner = -1;
    if (t == THREADS - 1)
        row[THREADS] = 0;
    row[t] = a[t];
    if (BUG != 1)
        __syncthreads();
    int x = row[t] * factor; // @use
    __syncthreads();
    int next = row[t + 1]; // @next
    if (BUG != 2)
        __syncthreads();
    row[t] = next; // @shift
    pair[t] = x;   // @pair
    if (BUG != 3)
        __syncwarp();
    int other = pair[t ^ 1]; // @other
    volatile int *mine = tree + t;
    *mine = x;
    __syncthreads();
    for (int d = WARP / 2; d > 0; d /= 2) {
        int y = lane < d ? mine[d] : 0; // @far
        if (BUG != 4)
            __syncwarp();
        if (lane < d)
            *mine = *mine + y; // @near
        if (BUG != 4)
            __syncwarp();
    }
    if (lane == 0 && (BUG == 5 || t == 0))
        if (atomicCAS(&winner, -1, t) == -1) // @winner
            *leader = t;
    out[t] = other + row[t] + (lane == 0 ? *mine : 0);
}

int main()
{
    int h[THREADS], got[THREADS], *a, *out, *leader, first = -1, bad = 0;
    for (int i = 0; i < THREADS; i++)
        h[i] = i + 1;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMalloc(&leader, sizeof(int));
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    run<<<1, THREADS>>>(a, out, leader);
    cudaMemcpy(got, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(&first, leader, sizeof first, cudaMemcpyDeviceToHost);
    for (int t = 0; t < THREADS; t++) {
        int sum = 0;
        for (int i = t; t % WARP == 0 && i < t + WARP; i++)
            sum += h[i] * 3;
        bad += got[t] != h[t ^ 1] * 3 + (t < THREADS - 1 ? h[t + 1] : 0) + sum;
    }
    puts(bad || first != 0 ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(out);
    cudaFree(leader);
}
