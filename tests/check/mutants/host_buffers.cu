// Host buffers of copies: vectors, a padded matrix, a value on the stack, pinned staging.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#ifndef BUG
#define BUG 0
#endif
const int ROWS = 6, COLS = 20, N = ROWS * COLS;

__global__ void increment(int *a, const int *by, int n)
{
    int i = threadIdx.x;
    if (i < n)
        a[i] += *by;
}

static void send(int *to, int value, cudaStream_t s)
{
    int *staged;
    cudaMallocHost(&staged, sizeof(int));
    *staged = value;
    cudaMemcpyAsync(to, staged, sizeof(int), cudaMemcpyHostToDevice, s); // @send
    if (BUG == 4)
        *staged = 0; // @reuse
    cudaStreamSynchronize(s);
    cudaFreeHost(staged);
}

int main()
{
    int *h = (int *)malloc((N - (BUG == 1)) * sizeof(int));
    int *out = (int *)malloc(BUG == 2 ? N : N * sizeof(int)), *late, *d, *by, bad = 0;
    size_t pitch;
    char *rows;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocHost(&late, N * sizeof(int));
    for (int i = 0; i < N - (BUG == 1); i++)
        h[i] = i;
    cudaMallocPitch((void **)&rows, &pitch, COLS * sizeof(int), ROWS);
    cudaMalloc(&d, N * sizeof(int));
    cudaMalloc(&by, sizeof(int));
    cudaMemcpy2D(rows, pitch, h, (BUG == 3 ? COLS + 1 : COLS) * sizeof(int),
                 COLS * sizeof(int),                           // @rows
                 ROWS, cudaMemcpyHostToDevice);                // @rows
    cudaMemcpy(d, h, N * sizeof(int), cudaMemcpyHostToDevice); // @in
    send(by, 5, s);
    increment<<<1, 128, 0, s>>>(d, by, N);
    cudaMemcpyAsync(late, d, N * sizeof(int), cudaMemcpyDeviceToHost, s); // @late
    if (BUG == 5)
        bad += late[N - 1] != N + 4; // @read_early
    if (BUG == 6)
        cudaFreeHost(late); // @free_early
    cudaStreamSynchronize(s);
    cudaMemcpy(out, d, N * sizeof(int), cudaMemcpyDeviceToHost); // @out
    for (int i = 0; i < (BUG == 2 ? N / 4 : N) - (BUG == 1); i++)
        bad += out[i] != i + 5 || (BUG != 6 && late[i] != i + 5);
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(rows);
    cudaFree(d);
    cudaFree(by);
    free(h);
    if (BUG != 2)
        free(out);
}
