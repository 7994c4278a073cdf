// See main.cu.
#include "shared.cuh"
static __global__ void add(int *p, int v) { *p += v * 10; }
__global__ void other_file(int *p) { add<<<1, 1>>>(p, 10); }
