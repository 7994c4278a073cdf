// A kernel of more than 10,000 of LLVM's instructions, with all registers alive across branches, and a small one. Prints a sum
// over what each thread got.
#include <cstdio>

#define N 24
__global__ void large(unsigned *out, int rounds)
{
    unsigned k[N], i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int j = 0; j < N; j++)
        k[j] = (i + 1) * 2654435761u ^ j * 40503u;
    for (int r = 0; r < rounds; r++) {
#pragma unroll
        for (int j = 0; j < N * 4; j++) // lanes part at some of these, and meet again
            if (k[j % N] > k[(j * 7 + 1) % N])
                k[j % N] = (k[j % N] >> 3 | k[j % N] << 29) + k[(j * 5 + 2) % N];
            else
                k[(j * 7 + 1) % N] ^= k[j % N] * 3;
        if (k[0] % 3 == 0)
            k[1] += i;
        __syncthreads();
    }
#pragma unroll
    for (int j = 1; j < N; j++)
        k[0] += k[j] * j;
    out[i] = k[0];
}

__global__ void small(unsigned *out) { out[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

int main(void)
{
    enum { THREADS = 512 };
    unsigned *d, h[THREADS], sum = 0;
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 1, sizeof h);
    large<<<THREADS / 128, 128>>>(d, 5);
    small<<<THREADS / 128, 128>>>(d);
    if (cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost) != cudaSuccess)
        return 1;
    for (int i = 0; i < THREADS; i++)
        sum = sum * 31 + h[i];
    printf("%u\n", sum);
    return 0;
}
