// expect: out-of-bounds 25 1; out-of-bounds 27 1; out-of-bounds 27 1; out-of-bounds 30 1; uninitialised 33 1; unwritten-copy 35 1; unwritten-copy 37 1
// flags: -lcublas --tool all
// says: Invalid __global__ read by cublasSgemm: operand 'A' leaves its allocation
// says: read of operand 'A': 16 bytes from 0x200000000060 on, of 4 times 16 bytes that begin 96 bytes apart
// says: Invalid __global__ read by cublasSaxpy: operand 'y' leaves its allocation
// says: Invalid __global__ write by cublasScopy: operand 'y' leaves its allocation
// says: is in an allocation of 64 bytes that was freed
// says: 64 of its 64 bytes were never written, the first at
// Operands of library calls: a leading dimension that leads out of the allocation, a vector that is too short, memory that was freed, and
// numbers that nobody has written. What a call does not read may be unwritten: the other triangle, C where beta is 0.
#include <cublas_v2.h>
#include <cuda_runtime.h>
int main() {
  float host[16] = {1}, one = 1, zero = 0, *a, *b, *c, *d;
  cublasHandle_t h;
  if (cublasCreate(&h)) return 77;
  cudaMalloc(&a, 64);
  cudaMalloc(&b, 64);
  cudaMalloc(&c, 64);
  cudaMalloc(&d, 64);
  cublasSetMatrix(4, 4, 4, host, 4, a, 4);
  cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a, 4, a, 4, &zero, b, 4);
  cublasSetMatrix(4, 2, 4, host, 4, c, 8);
  cublasStrsm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 2, 2, &one, c, 8, b, 4);
  cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a, 24, a, 4, &zero, b, 4);
  cudaGetLastError();
  cublasSaxpy(h, 17, &one, a, 1, b, 1);
  float *gone = d;
  cudaFree(d);
  cublasScopy(h, 16, a, 1, gone, 1);
  cudaDeviceSynchronize();
  cudaMalloc(&d, 64);
  cublasSgemv(h, CUBLAS_OP_N, 4, 4, &one, d, 4, c, 1, &one, c, 1);
  cublasDestroy(h);
  cudaMemcpy(host, d, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(host, c, 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(host, c, 64, cudaMemcpyDeviceToHost);
  cudaFree(a); cudaFree(b); cudaFree(c); cudaFree(d);
}
