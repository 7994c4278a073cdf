// Threads and blocks that wait for each other: a pipeline of blocks by flags, a gate, a lock a row.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int BLOCKS = 6, THREADS = 64, ROWS = 4;

__device__ int turn, gate, longest, lock[ROWS], row[ROWS];

__global__ void pipeline(int *order)
{
    if (threadIdx.x == 0) {
        while (atomicAdd(&turn, 0) != (int)blockIdx.x + (BUG == 1 && blockIdx.x == 3)) // @turn
            ;
        __threadfence();
        order[blockIdx.x] = atomicAdd(&turn, 0);
        __threadfence();
        atomicAdd(&turn, 1);
    }
    __syncthreads();
}

__global__ void gated(int *out)
{
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0 && BUG != 2)
            atomicExch(&gate, 1);
    } else {
        if (threadIdx.x == 0) {
            if (BUG == 3)
                while (gate == 0) // @gate_plain
                    ;
            else
                while (*(volatile int *)&gate == 0) // @gate
                    ;
        }
        __syncthreads();
        out[(blockIdx.x - 1) * THREADS + threadIdx.x] = 1;
    }
}

__global__ void rows(int limit)
{
    if (threadIdx.x)
        return;
    for (int i = 0; i < ROWS; i++) {
        int r = (i + blockIdx.x) % ROWS;
        while (atomicCAS(&lock[r], 0, 1)) // @lock
            ;
        __threadfence();
        if (BUG == 4 && row[r] >= limit)
            continue;
        row[r]++;
        __threadfence();
        atomicExch(&lock[r], 0);
    }
}

__global__ void search(const int *next, int *out)
{
    int at = threadIdx.x;
    while (next[at] != at) // @walk
        at = next[at];     // @step
    out[threadIdx.x] = at;
    int n = 0;
    for (unsigned x = threadIdx.x + (BUG != 6); x != 1; n++) // @collatz
        x = x % 2 ? 3 * x + 1 : x / 2;                       // @collatz
    atomicMax(&longest, n);
}

int main()
{
    int h[BLOCKS * THREADS], order[BLOCKS], r[ROWS], *out, *o, bad = 0;
    cudaMalloc(&out, sizeof h);
    cudaMalloc(&o, sizeof order);
    pipeline<<<BLOCKS, THREADS>>>(o);
    gated<<<1 + BLOCKS, THREADS>>>(out);
    rows<<<BLOCKS, 32>>>(BLOCKS - 2);
    bad += cudaDeviceSynchronize() != cudaSuccess;
    cudaMemcpy(order, o, sizeof order, cudaMemcpyDeviceToHost);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(r, row, sizeof r);
    for (int i = 0; i < BLOCKS; i++)
        bad += order[i] != i;
    for (int i = 0; i < ROWS; i++)
        bad += r[i] != BLOCKS;
    for (int i = 0; i < BLOCKS * THREADS; i++)
        bad += h[i] != 1;
    for (int i = 0; i < THREADS; i++)
        h[i] = i / 2;
    if (BUG == 5)
        h[1] = 2, h[2] = 1;
    cudaMemcpy(out, h, THREADS * sizeof(int), cudaMemcpyHostToDevice);
    search<<<1, THREADS>>>(out, out + THREADS);
    bad += cudaMemcpy(h, out + THREADS, THREADS * sizeof(int), cudaMemcpyDeviceToHost);
    bad += h[THREADS - 1] != 0;
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(out);
    cudaFree(o);
}
