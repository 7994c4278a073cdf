// expect: uninitialised 7 192
// cudaMemcpy counts bytes. Given the number of elements it copies a quarter, and the kernel reads what nobody has written.
// The count: 256 bytes are 64 elements of 256.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>
__global__ void twice(int *a) { a[threadIdx.x] *= 2; }
int main() {
  const int n = 256;
  std::vector<int> h(n, 21);
  int *a;
  cudaMalloc(&a, n * sizeof(int));
  cudaMemcpy(a, h.data(), n, cudaMemcpyHostToDevice);
  twice<<<1, n>>>(a);
  cudaMemcpy(a, h.data(), n * sizeof(int), cudaMemcpyHostToDevice); // mended
  twice<<<1, n>>>(a);
  cudaMemcpy(h.data(), a, n * sizeof(int), cudaMemcpyDeviceToHost);
  puts(h[n - 1] == 42 ? "PASSED" : "FAILED");
  cudaFree(a);
}
