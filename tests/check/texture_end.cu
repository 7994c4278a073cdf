// expect: out-of-bounds 8 12
// says: Invalid __global__ read of size 8 bytes
// A texture that is larger than its memory: that it can be made is as on a GPU, a fetch behind the memory's end is an error.
#include <cstring>
#include <cuda_runtime.h>
__global__ void fetch(cudaTextureObject_t t, float *out) {
  int i = threadIdx.x;
  float2 v = tex1Dfetch<float2>(t, i + 480);
  out[i] = v.x + v.y;
}
int main() {
  float2 *p;
  float *out;
  cudaTextureObject_t t;
  cudaResourceDesc r;
  cudaTextureDesc d;
  memset(&r, 0, sizeof r);
  memset(&d, 0, sizeof d);
  cudaMalloc(&p, 500 * sizeof(float2));
  cudaMalloc(&out, 32 * sizeof(float));
  cudaMemset(p, 0, 500 * sizeof(float2));
  r.resType = cudaResourceTypeLinear;
  r.res.linear.devPtr = p;
  r.res.linear.sizeInBytes = 1 << 20;
  r.res.linear.desc = cudaCreateChannelDesc<float2>();
  cudaCreateTextureObject(&t, &r, &d, nullptr);
  fetch<<<1, 32>>>(t, out);
  cudaDeviceSynchronize();
  cudaDestroyTextureObject(t);
  cudaFree(p);
  cudaFree(out);
}
