// expect: out-of-bounds 10 1; out-of-bounds 12 1; device-free 13 1; device-free 14 1
// flags: --tool memcheck --report-api-errors no
// says: Malloc/Free error encountered : Double free
// says: Malloc/Free error encountered : Invalid pointer to free
// says: of size 10 bytes, variable device heap
// Memory of malloc in a kernel: past its end, after free, freed twice, freed from its middle.
#include <cuda_runtime.h>
__global__ void k(char **keep) {
  volatile char *a = (char *)malloc(10), *b = (char *)malloc(40);
  a[threadIdx.x + 10] = 1;
  free((void *)a);
  a[threadIdx.x + 2] = 2;
  free((void *)a);
  free((void *)(b + 8));
  *keep = (char *)b;
}
int main() {
  char **keep;
  cudaMalloc(&keep, 8);
  k<<<1, 1>>>(keep);
  cudaDeviceSynchronize();
}
