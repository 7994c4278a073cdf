// Uses functions and variables of part.cu, and has a static variable, a static function and a template of the same names.
#include <cstdio>
#include "part.h"

static __device__ int mine = 3;
static __device__ __noinline__ int helper(int x) { return x * 5; }
__device__ function pointer = twice;
__constant__ int table[4];
__managed__ int total = 4;
static __managed__ int part = 7;

__global__ void first(int *p) { p[threadIdx.x] = twice(threadIdx.x) + helper(mine) + more(1) + pointer(2) + table[1]; }

static __global__ void add_main() { total++; part++; }

static __global__ void own(int *p) { *p = 1; }

int main()
{
    const int values[4] = {0, 1000, 2000, 3000};
    int *p, h[4], m = 0;
    cudaMalloc(&p, sizeof h);
    cudaMemcpyToSymbol(table, values, sizeof values);
    first<<<1, 4>>>(p);
    second(p);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    // twice(3) = 6 + 7 * 30 + 2 = 218, helper 15, more 2, pointer 4 + 212 = 216, table[1] 1000; second: 4 threads, 2000
    printf("%d\n", h[3]);
    add_main<<<1, 1>>>();
    cudaDeviceSynchronize();
    int of_part = managed_of_part();
    printf("%d %d %d\n", total, part, of_part); // 4 + 1 + 10 + 1000, 7 + 1, 100 + 1
    own<<<1, 1>>>(p);
    own_of_part(p + 1);
    cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&m, mine, sizeof m);
    printf("%d %d %d %d %s\n", h[0], h[1], m, mine_of_part(), cudaGetErrorString(cudaGetLastError()));
}
