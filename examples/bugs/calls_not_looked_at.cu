// expect: api-error 7 1; leak 12 1
// flags: --leak-check full
// says: a block of 2048 x 1 x 1 threads
// A block too large, whose error nobody looks at: the kernel never runs. And memory that is never freed.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void fill(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 7; }
int main() {
  const int n = 2048;
  int *a, *forgotten, h;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&forgotten, 100);
  fill<<<1, n>>>(a);
  fill<<<n / 256, 256>>>(a); // mended
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaMemcpy(&h, a + n - 1, sizeof h, cudaMemcpyDeviceToHost);
  puts(h == 7 ? "PASSED" : "FAILED");
  cudaFree(a);
}
