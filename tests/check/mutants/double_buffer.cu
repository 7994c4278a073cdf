// Chunks of a large array go through two pinned buffers and two streams: copy in, square, copy out.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int CHUNK = 256, CHUNKS = 8;

__global__ void square(const int *a, int *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = a[i] * a[i]; // @kernel
}

int main()
{
    static int got[CHUNKS * CHUNK];
    int *in[2], *out[2], *a[2], *b[2], bad = 0;
    cudaStream_t stream[2];
    cudaEvent_t copied[2], done[2];
    for (int i = 0; i < 2; i++) {
        cudaMallocHost(&in[i], CHUNK * sizeof(int));
        cudaMallocHost(&out[i], CHUNK * sizeof(int));
        cudaMalloc(&a[i], CHUNK * sizeof(int));
        cudaMalloc(&b[i], CHUNK * sizeof(int));
        cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking);
        cudaEventCreate(&copied[i]);
        cudaEventCreate(&done[i]);
    }
    for (int c = 0; c < CHUNKS + 2; c++) {
        int i = c % 2;
        if (c >= 2) {
            if (BUG != 3)
                cudaEventSynchronize(done[i]);
            for (int k = 0; k < CHUNK; k++)
                got[(c - 2) * CHUNK + k] = out[i][k]; // @collect
        }
        if (c >= CHUNKS)
            continue;
        for (int k = 0; k < CHUNK; k++)
            in[i][k] = c * CHUNK + k; // @fill
        if (BUG == 4)
            cudaEventRecord(done[i], stream[i]);
        cudaMemcpyAsync(a[i], in[i], CHUNK * sizeof(int), cudaMemcpyHostToDevice,
                        stream[i]); // @in
        if (BUG == 1)
            square<<<1, CHUNK, 0, stream[1 - i]>>>(a[i], b[i]); // @wrong_stream
        else
            square<<<1, CHUNK, 0, stream[i]>>>(a[i], b[BUG == 5 ? 0 : i]); // @launch
        cudaMemcpyAsync(out[i], b[BUG == 5 ? 0 : i], CHUNK * sizeof(int), cudaMemcpyDeviceToHost,
                        stream[i]); // @out
        if (BUG == 2)
            cudaEventRecord(done[i], stream[1 - i]);
        else if (BUG != 4)
            cudaEventRecord(done[i], stream[i]);
    }
    for (int i = 0; i < CHUNKS * CHUNK; i++)
        bad += got[i] != i * i;
    cudaDeviceSynchronize();
    puts(bad ? "FAILED" : "PASSED");
    for (int i = 0; i < 2; i++) {
        cudaFreeHost(in[i]);
        cudaFreeHost(out[i]);
        cudaFree(a[i]);
        cudaFree(b[i]);
    }
}
