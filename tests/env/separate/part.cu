#include "part.h"

static __device__ int mine = 30;
static __device__ __noinline__ int helper(int x) { return x * 7; }
__device__ int counter;
extern __constant__ int table[4];
static __managed__ int part = 100;

__device__ int twice(int x) { atomicAdd(&counter, 1); return 2 * x + helper(mine) + more(1); }

static __global__ void add(int *p) { p[threadIdx.x] += counter + table[2]; }
static __global__ void own(int *p) { *p = 2; }

static __global__ void add_part() { total += 10; part++; }

int managed_of_part()
{
    add_part<<<1, 1>>>();
    cudaDeviceSynchronize();
    total += 1000;
    return part;
}

void second(int *p) { add<<<1, 4>>>(p); }
void own_of_part(int *p) { own<<<1, 1>>>(p); }

int mine_of_part()
{
    int m = 0;
    cudaMemcpyFromSymbol(&m, mine, sizeof m);
    return m;
}
