// One block hands rows to another through a flag a row, with cuda::atomic_ref.
#include <cstdio>
#include <cuda/atomic>
#ifndef BUG
#define BUG 0
#endif
const int ROWS = 8, WIDTH = 32;
#if BUG == 3
typedef cuda::atomic_ref<int, cuda::thread_scope_block> flag;
#else
typedef cuda::atomic_ref<int, cuda::thread_scope_device> flag;
#endif
const cuda::std::memory_order published =
    BUG == 1 ? cuda::std::memory_order_relaxed : cuda::std::memory_order_release;
const cuda::std::memory_order seen =
    BUG == 2 ? cuda::std::memory_order_relaxed : cuda::std::memory_order_acquire;

__global__ void pass(int *row, int *ready, int *out)
{
    int t = threadIdx.x;
    for (int r = 0; r < ROWS; r++) {
        int *cell = row + r * WIDTH + t;
        if (blockIdx.x == 0) {
            if (BUG == 4 && t == 0)
                flag(ready[r]).store(1, published);
            *cell = r * 100 + t; // @write
            if (BUG != 5)
                __syncthreads();
            if (BUG != 4 && t == 0)
                flag(ready[r]).store(1, published); // @publish
        } else {
            int early = BUG == 6 ? *cell : 0; // @early
            if (t == 0)
                while (flag(ready[r]).load(seen) == 0) // @wait
                    ;
            __syncthreads();
            out[r * WIDTH + t] = BUG == 6 ? early : *cell; // @read
        }
    }
}

int main()
{
    int h[ROWS * WIDTH], *row, *ready, *out, bad = 0;
    cudaMalloc(&row, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMalloc(&ready, ROWS * sizeof(int));
    cudaMemset(row, 0, sizeof h);
    cudaMemset(ready, 0, ROWS * sizeof(int));
    pass<<<2, WIDTH>>>(row, ready, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < ROWS * WIDTH; i++)
        bad += h[i] != i / WIDTH * 100 + i % WIDTH;
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(row);
    cudaFree(ready);
    cudaFree(out);
}
