// Three words of an aligned line of four, read by an access of four (src/target/group.h), whose fourth word nobody asked for:
// `device WORDS`: words 4 to 6 of so many; `shared WORDS LAST`: the last words up to LAST.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define READ(type, kind, at, a, x) asm volatile("ld." kind ".u32 %0, [%1+" #a "];" : "=r"(x) : type(at) : "memory")
extern __shared__ unsigned s[];
__device__ unsigned result;

__global__ void device(unsigned *p)
{
    unsigned x, y, z, *at = (unsigned *)((unsigned long long)p & ~15ull);
    READ("l", "global", at, 16, x);
    READ("l", "global", at, 20, y);
    READ("l", "global", at, 24, z);
    result = x + y + z;
}

__global__ void shared(int last)
{
    unsigned x, y, z, at = (unsigned)__cvta_generic_to_shared(s) + last / 4 * 16;
    READ("r", "shared", at, 0, x);
    READ("r", "shared", at, 4, y);
    READ("r", "shared", at, 8, z);
    result = x + y + z;
}

int main(int argc, char **argv)
{
    int words = atoi(argv[2]);
    unsigned *p = nullptr, sum = 0;
    if (argc < 4) {
        cudaMalloc(&p, words * 4);
        cudaMemset(p, 1, words * 4);
        device<<<1, 32>>>(p);
    } else {
        shared<<<1, 32, words * 4>>>(atoi(argv[3]));
    }
    cudaError_t e = cudaDeviceSynchronize();
    if (!e)
        cudaMemcpyFromSymbol(&sum, result, 4);
    printf("%s %u\n", cudaGetErrorName(e), sum);
    return e != cudaSuccess;
}
