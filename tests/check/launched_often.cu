// expect: out-of-bounds 7 150; uninitialised 7 600; out-of-bounds 7 3; uninitialised 7 12
// flags: --cases 2
// says: and 148 more times at this place
// The same mistake in many launches from one place is one finding; from another place it is another.
#include <cuda_runtime.h>
__global__ void k(int *a, const int *b) {
  a[threadIdx.x + 1] = b[threadIdx.x % 8];
}
int main() {
  int *a, *b;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&b, 8 * sizeof(int));
  cudaMemset(b, 0, 7 * sizeof(int));
  for (volatile int i = 0; i < 150; i++) k<<<1, 32>>>(a, b);
  for (volatile int i = 0; i < 3; i++) k<<<1, 32>>>(a, b);
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(b);
}
