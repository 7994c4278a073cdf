// Text by words of four bytes, with lengths that are no multiple of four.
#include <cstdio>
#include <cstring>
#ifndef BUG
#define BUG 0
#endif
const int LENGTH = 1021;
__device__ char table[26];
__device__ char after_table[26];
__constant__ int weight[5] = {1, 2, 3, 5, 8};

__global__ void upper(const char *text, char *out, int n, int *sum)
{
    int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x), s = 0;
    if (i + 4 <= n || (BUG == 1 && i < n)) {
        unsigned w = *(const unsigned *)(text + i); // @word
        for (int k = 0; k < 4; k++, w >>= 8)
            out[i + k] = (w & 255) - 32;          // @out
        s = weight[BUG == 3 ? i % 5 + 1 : i % 5]; // @weight
    } else {
        for (int k = i; k < n + (BUG == 2); k++)
            out[k] = text[k] - 32; // @tail
    }
    if (i < 26)
        table[i] = 'a' + i;
    if (BUG == 4 && i == 28)
        table[i] = 'z'; // @table
    atomicAdd(sum, s);
}

__global__ void letters(char *out)
{
    out[threadIdx.x] = table[threadIdx.x * 4] ? table[threadIdx.x * 4] : '?'; // @look
    after_table[threadIdx.x] = 0;
}

int main()
{
    char h[LENGTH + 1], got[LENGTH + 1], few[7], *text, *out, *seven;
    int *sum, total = 0, wanted = 0, bad = 0;
    for (int i = 0; i < LENGTH; i++)
        h[i] = 'a' + i % 26;
    cudaMalloc(&text, LENGTH);
    cudaMalloc(&out, LENGTH);
    cudaMalloc(&sum, sizeof(int));
    cudaMalloc(&seven, 7);
    cudaMemset(sum, 0, sizeof(int));
    cudaMemcpy(text, h, BUG == 6 ? LENGTH + 1 : LENGTH, cudaMemcpyHostToDevice); // @in
    upper<<<2, 128>>>(text, out, LENGTH, sum);
    letters<<<1, BUG == 5 ? 8 : 7>>>(seven);
    cudaMemcpy(got, out, LENGTH, cudaMemcpyDeviceToHost);
    cudaMemcpy(few, seven, 7, cudaMemcpyDeviceToHost);
    cudaMemcpy(&total, sum, sizeof(int), cudaMemcpyDeviceToHost);
    const int w[5] = {1, 2, 3, 5, 8};
    for (int i = 0; i + 4 <= LENGTH; i += 4)
        wanted += w[i % 5];
    for (int i = 0; i < LENGTH; i++)
        bad += got[i] != h[i] - 32;
    puts(bad || memcmp(few, "aeimquy", 7) || total != wanted ? "FAILED" : "PASSED");
    cudaFree(text);
    cudaFree(out);
    cudaFree(sum);
    cudaFree(seven);
}
