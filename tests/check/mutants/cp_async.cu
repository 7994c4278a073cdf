// A filter over rows that cp.async brings into shared memory, two rows ahead.
#include <cstdio>
#include <cuda_pipeline.h>
#ifndef BUG
#define BUG 0
#endif
const int ROWS = 8, WIDTH = 64, STAGES = 3;

__device__ void bring(int (*stage)[WIDTH], const int *a, int row)
{
    if (row < ROWS + (BUG == 6))
        __pipeline_memcpy_async(&stage[row % STAGES][threadIdx.x], // @copy
                                &a[row * WIDTH + threadIdx.x], sizeof(int));
    if (BUG != 5)
        __pipeline_commit();
}

__global__ void filter(const int *a, int *out)
{
    __shared__ int stage[STAGES][WIDTH];
    int t = threadIdx.x;
    for (int r = 0; r < STAGES - 1; r++)
        bring(stage, a, r);
    for (int r = 0; r < ROWS; r++) {
        if (BUG == 1)
            __pipeline_wait_prior(STAGES - 1);
        else if (BUG != 2)
            __pipeline_wait_prior(STAGES - 2);
        if (BUG != 3)
            __syncthreads();
        if (BUG == 4)
            bring(stage, a, r + STAGES);
        int *s = stage[r % STAGES];
        out[r * WIDTH + t] = s[t] + s[(t + 1) % WIDTH]; // @use
        if (BUG != 4)
            bring(stage, a, r + STAGES - 1);
    }
}

int main()
{
    int h[ROWS * WIDTH], got[ROWS * WIDTH], *a, *out, bad = 0;
    for (int i = 0; i < ROWS * WIDTH; i++)
        h[i] = i * i;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    filter<<<1, WIDTH>>>(a, out);
    cudaMemcpy(got, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < ROWS * WIDTH; i++)
        bad += got[i] != h[i] + h[i / WIDTH * WIDTH + (i + 1) % WIDTH];
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(out);
}
