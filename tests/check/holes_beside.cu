// expect: out-of-bounds 21 32; out-of-bounds 29 32; out-of-bounds 35 32; uninitialised 43 32; read-after-write 54 32
// flags: --tool all
// says: Invalid __shared__ read of size 4 bytes
// says: Access to 0x18 is out of bounds
// says: Invalid __global__ read of size 4 bytes
// says: Invalid __global__ read of size 16 bytes
// Loads that become one access of four with a hole (holes.cu): what was asked for beside it is looked at, and a vector asks for all
// of its elements, read or not.
#include <cuda_runtime.h>
#define READ(type, of, kind, at, a, x) asm volatile("ld." kind " %0, [%1+" #a "];" : "=" of(x) : type(at) : "memory")
extern __shared__ unsigned s[];

__global__ void shared_end(unsigned *out) // of six words
{
    unsigned x, y, z, at = (unsigned)__cvta_generic_to_shared(s);
    if (threadIdx.x < 6)
        s[threadIdx.x] = 1;
    __syncthreads();
    READ("r", "r", "shared.u32", at, 16, x);
    READ("r", "r", "shared.u32", at, 20, y);
    READ("r", "r", "shared.u32", at, 24, z);
    out[threadIdx.x] = x + y + z;
}
__global__ void behind(unsigned *p, unsigned *out) // of six words
{
    unsigned x, y, z, *at = (unsigned *)((unsigned long long)(p + 4) & ~15ull);
    READ("l", "r", "global.u32", at, 4, x);
    READ("l", "r", "global.u32", at, 0, y);
    READ("l", "r", "global.u32", at, 8, z);
    out[threadIdx.x] = x + y + z;
}
__global__ void vector(unsigned *p, unsigned *out) // of seven words
{
    unsigned x, y, z, w;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "l"(p + 4) : "memory");
    out[threadIdx.x] = x + y + z;
}
__global__ void unwritten(unsigned *p, unsigned *out) // word 2
{
    unsigned x, y, z, *at = (unsigned *)((unsigned long long)p & ~15ull);
    READ("l", "r", "global.u32", at, 0, x);
    READ("l", "r", "global.u32", at, 4, y);
    READ("l", "r", "global.u32", at, 8, z);
    out[threadIdx.x] = x + y + z;
}
__global__ void race(unsigned *out)
{
    unsigned x = 0, y = 0, z = 0, t = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(s);
    s[t] = t;
    __syncthreads();
    if (t == 32) {
        s[2] = 7;
    } else if (t < 32) {
        READ("r", "r", "shared.u32", at, 0, x);
        READ("r", "r", "shared.u32", at, 8, y);
        READ("r", "r", "shared.u32", at, 12, z);
    }
    out[t] = x + y + z;
}
int main()
{
    unsigned *out, *p, *q;
    cudaMalloc(&out, 64 * sizeof *out);
    cudaMalloc(&p, 6 * sizeof *p);
    cudaMalloc(&q, 7 * sizeof *q);
    shared_end<<<1, 32, 6 * sizeof *s>>>(out);
    cudaMemset(p, 0, 2 * sizeof *p);
    unwritten<<<1, 32>>>(p, out);
    cudaMemset(p, 0, 6 * sizeof *p);
    behind<<<1, 32>>>(p, out);
    cudaMemset(q, 0, 7 * sizeof *q);
    vector<<<1, 32>>>(q, out);
    race<<<1, 64, 64 * sizeof *s>>>(out);
    cudaDeviceSynchronize();
    cudaFree(q);
    cudaFree(p);
    cudaFree(out);
}
