// expect: api-error 13 1; api-error 18 1; api-error 19 1; api-error 21 3; api-error 24 1; api-error 25 1; api-error 26 1
// flags: --tool memcheck
// says: due to "invalid argument" on CUDA API call to cudaMemcpy.
// says: the destination 0x200000000000: 4097 bytes from there leave the allocation of 4096 bytes at 0x200000000000
// says: is in an allocation of 16 bytes at 0x200000002000 that was freed
// says: 4 bytes inside the allocation of 4096 bytes
// says: on CUDA API call to cudaMemcpy2D.
// says: the pointer is a null pointer
// says: on CUDA API call to cudaLaunchKernel.
// Calls with wrong pointers and sizes: each is told with where it was made.
#include <cuda_runtime.h>
static char host[8192];
__global__ void nothing() {}
int main() {
  char *a, *b;
  cudaMalloc(&a, 4096);
  cudaMalloc(&b, 16);
  cudaMemcpy(a, host, 4097, cudaMemcpyHostToDevice);
  cudaFree(a + 4);
  cudaFree(b);
  for (volatile int i = 0; i < 3; i++) cudaFree(b);
  nothing<<<1, 1>>>();
  nothing<<<1, 2048>>>();
  cudaMemcpy2D(a, 100, host, 50, 60, 2, cudaMemcpyHostToDevice);
  cudaMemset(nullptr, 0, 4);
  cudaMemcpyAsync(host, b, 4, cudaMemcpyDeviceToHost);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaStreamQuery(s);
  cudaFree(a);
}
