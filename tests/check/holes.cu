// expect: nothing
// flags: --tool all
// Loads that become one access of four (src/target/group.h) with a hole, an element that nobody asked for: behind the end of
// shared, local and device memory, before and behind registered memory, never written, or written by another thread meanwhile.
#include <cuda_runtime.h>
#include <sys/mman.h>
#define THREE(type, of, kind, at, a, b, c)                                              \
    {                                                                                   \
        asm volatile("ld." kind " %0, [%1+" #a "];" : "=" of(x) : type(at) : "memory"); \
        asm volatile("ld." kind " %0, [%1+" #b "];" : "=" of(y) : type(at) : "memory"); \
        asm volatile("ld." kind " %0, [%1+" #c "];" : "=" of(z) : type(at) : "memory"); \
    }
extern __shared__ unsigned s[];
__device__ unsigned *line_of(unsigned *p) { return (unsigned *)((unsigned long long)p & ~15ull); }

__global__ void shared_end(unsigned *out) // of seven words
{
    unsigned x, y, z, at = (unsigned)__cvta_generic_to_shared(s);
    if (threadIdx.x < 7)
        s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    THREE("r", "r", "shared.u32", at, 16, 20, 24)
    out[threadIdx.x] = x + y + z;
}

__global__ void local_end(unsigned *out)
{
    __align__(16) unsigned a[7], x, y, z;
    for (int i = 0; i < 7; i++)
        a[i] = out[i];
    unsigned at = (unsigned)__cvta_generic_to_local(a);
    asm volatile("" ::"l"(a) : "memory");
    THREE("r", "r", "local.u32", at, 16, 20, 24)
    out[threadIdx.x] = x + y + z;
}

__global__ void behind(unsigned *p, unsigned *out) // words 4 to 6 of seven
{
    unsigned x, y, z, *at = line_of(p + 4);
    THREE("l", "r", "global.u32", at, 0, 4, 8)
    out[threadIdx.x] = x + y + z;
}

__global__ void before(unsigned *p, unsigned *out) // words 1 to 3, p is the first
{
    unsigned x, y, z, *at = line_of(p);
    THREE("l", "r", "global.u32", at, 4, 8, 12)
    out[threadIdx.x] = x + y + z;
}

__global__ void all_but_one(unsigned *p)
{
    p[threadIdx.x < 1 ? 0 : threadIdx.x + 1] = 1;
}

__global__ void unwritten(unsigned *p, unsigned *out) // word 1
{
    unsigned x, y, z, *at = line_of(p);
    THREE("l", "r", "global.u32", at, 0, 8, 12)
    out[threadIdx.x] = x + y + z;
}

__global__ void others(unsigned *out)
{
    unsigned x = 0, y = 0, z = 0, t = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(s);
    s[t] = t;
    __syncthreads();
    if (t == 32)
        s[1] = 7;
    else if (t < 32)
        THREE("r", "r", "shared.u32", at, 0, 8, 12)
    out[t] = x + y + z;
}

__global__ void other_halves(unsigned *out)
{
    unsigned short x = 0, y = 0, z = 0, *h = (unsigned short *)s;
    unsigned t = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(s);
    s[t] = t;
    __syncthreads();
    if (t == 32)
        h[3] = 7;
    else if (t < 32)
        THREE("r", "h", "shared.u16", at, 0, 2, 4)
    out[t] = x + y + z;
}

int main()
{
    unsigned *out, *p, *host = (unsigned *)mmap((void *)0x10000000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    cudaMalloc(&out, 64 * sizeof *out);
    cudaMemset(out, 0, 64 * sizeof *out);
    cudaMalloc(&p, 7 * sizeof *p);
    shared_end<<<1, 32, 7 * sizeof *s>>>(out);
    local_end<<<1, 32>>>(out);
    all_but_one<<<1, 6>>>(p);
    unwritten<<<1, 32>>>(p, out);
    behind<<<1, 32>>>(p, out);
    cudaHostRegister(host + 1, 6 * sizeof *host, 0);
    before<<<1, 32>>>(host + 1, out);
    behind<<<1, 32>>>(host, out);
    others<<<1, 64, 64 * sizeof *s>>>(out);
    other_halves<<<1, 64, 64 * sizeof *s>>>(out);
    cudaDeviceSynchronize();
    cudaHostUnregister(host + 1);
    cudaFree(p);
    cudaFree(out);
}
