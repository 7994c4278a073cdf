// expect: leak 13 3; leak 18 1; leak 19 1; leak 0 4
// flags: --leak-check full
// says: Leaked 1,000 bytes at
// says: LEAK SUMMARY: 3520 bytes leaked in 9 allocations
// says: of managed memory
// says: of the device heap
// says: ERROR SUMMARY: 9 errors
// Memory that nobody frees: cudaMalloc in a loop, managed memory, pinned memory, the device heap.
#include <cuda_runtime.h>
__device__ void *taken[8];
__global__ void take() { if (threadIdx.x & 1) free(malloc(64)); else taken[threadIdx.x] = malloc(64); }
static void allocate(void **p, size_t n) {
  cudaMalloc(p, n);
}
int main() {
  void *p, *q, *freed;
  for (volatile int i = 0; i < 3; i++) allocate(&p, 1000);
  cudaMallocManaged(&q, 200);
  cudaMallocHost(&q, 64);
  cudaMalloc(&freed, 100);
  cudaFree(freed);
  take<<<1, 8>>>();
  cudaDeviceSynchronize();
}
