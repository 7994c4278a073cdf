// Stores to one word, again and again: how many reach L2, and what they cost the slice that has it.
// usage: hot: each launch below once; the profiler counts (collect.sh). A warp's turns are `gap` cycles apart, by its clock.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__device__ static void rest(long long begin, int cycles)
{
    while (clock64() - begin < cycles)
        ;
}

// Lane 0 of each warp stores to its block's word, or the grid's; `words` of one sector in turn.
__global__ void again(volatile unsigned *p, int turns, int gap, int words, int apart)
{
    volatile unsigned *own = p + (size_t)blockIdx.x * apart;
    if (threadIdx.x % 32 == 0)
        for (int i = 0; i < turns; i++) {
            const long long begin = clock64();
            own[i % words] = i;
            rest(begin, gap);
        }
}

// The same, but stores that the compiler may not merge and that are not volatile, with a store to a sector of the warp's own in between.
__global__ void between(unsigned *p, unsigned *other, int turns, int gap)
{
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (threadIdx.x % 32 == 0)
        for (int i = 0; i < turns; i++) {
            const long long begin = clock64();
            other[(size_t)(warp * turns + i) * 8] = i;
            asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(i) : "memory");
            rest(begin, gap);
        }
}

// Reads that miss L1 beside it: is a load of another word kept waiting? Out: cycles of a load.
__global__ void beside(unsigned *p, const unsigned *q, int turns, int stores, unsigned *out)
{
    unsigned at = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 8, sum = 0;
    const long long begin = clock64();
    if (threadIdx.x % 32 == 0)
        for (int i = 0; i < turns; i++) {
            if (stores)
                asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(i) : "memory");
            at = (at + __ldcg(q + at)) & 0xfffff;
            sum += at;
        }
    if (threadIdx.x % 32 == 0)
        out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = (unsigned)((clock64() - begin) / turns) + (sum == 1);
}

// Reductions: how many are on their way when the blocks have ended. Each lane adds to word lane / same of the grid's, `apart` words from the next.
__global__ void reduce(unsigned *p, int turns, int lanes, int same, int apart)
{
    if ((int)threadIdx.x % 32 < lanes)
        for (int i = 0; i < turns; i++)
            atomicAdd(p + threadIdx.x % 32 / same * apart, 1u);
}

static void name(const char *what)
{
    printf("LAUNCH %s\n", what);
}

int main()
{
    enum { TURNS = 64 };
    unsigned *p, *other, *q, *out;
    cudaMalloc(&p, 1 << 20);
    cudaMalloc(&other, 1 << 28);
    cudaMalloc(&q, 1 << 22);
    cudaMalloc(&out, 1 << 16);
    unsigned *h = (unsigned *)malloc(1 << 22);
    for (int i = 0; i < 1 << 20; i++)
        h[i] = 8 * 7919;
    cudaMemcpy(q, h, 1 << 22, cudaMemcpyHostToDevice);
    char text[100];
    for (int warps = 1; warps <= 16; warps *= 4)
        for (int words = 1; words <= 8; words *= 8)
            for (int gap = 0; gap <= 512; gap = gap ? 2 * gap : 16)
                for (int blocks = 1; blocks <= 132; blocks += 131) {
                    sprintf(text, "again warps %d words %d gap %d blocks %d", warps, words, gap, blocks);
                    name(text);
                    again<<<blocks, 32 * warps>>>(p, TURNS, gap, words, 0);
                }
    for (int warps = 1; warps <= 16; warps *= 4)
        for (int gap = 0; gap <= 512; gap = gap ? 2 * gap : 16) {
            sprintf(text, "between warps %d gap %d blocks 132", warps, gap);
            name(text);
            between<<<132, 32 * warps>>>(p, other, TURNS, gap);
        }
    for (int warps = 1; warps <= 32; warps *= 2)
        for (int stores = 0; stores < 2; stores++) {
            sprintf(text, "beside warps %d stores %d blocks 132", warps, stores);
            name(text);
            beside<<<132, 32 * warps>>>(p, q, TURNS, stores, out);
            cudaMemcpy(h, out, 4 * 132 * warps, cudaMemcpyDeviceToHost);
            double sum = 0;
            for (int i = 0; i < 132 * warps; i++)
                sum += h[i];
            printf("CYCLES %.1f\n", sum / (132 * warps));
        }
    for (int warps = 1; warps <= 32; warps *= 4)
        for (int lanes = 1; lanes <= 32; lanes *= 32)
            for (int same = 1; same <= lanes; same *= 32)
                for (int apart = 1; apart <= (same < lanes ? 32 : 1); apart *= 32) {
                    sprintf(text, "reduce warps %d lanes %d same %d apart %d blocks 132", warps, lanes, same, apart);
                    name(text);
                    reduce<<<132, 32 * warps>>>(p, TURNS, lanes, same, apart);
                }
    return cudaDeviceSynchronize() ? 1 : 0;
}
