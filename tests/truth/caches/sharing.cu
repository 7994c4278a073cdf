// Which requests of two multiprocessors are one for L2? By the lines and sectors of a warp's load.
// usage: sharing. Prints a line for each launch. h200_sharing.tsv was measured so:
//   ncu --csv --page raw --print-units base --metrics (the columns of h200_sharing.tsv) --log-file sharing.csv ./sharing
// Built with nvcc -O3 -arch=sm_90.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#define CK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
  printf("CUDA error: %s, line %d\n", cudaGetErrorString(e_), __LINE__); exit(2); } } while (0)
static int launch_number;
#define RUN(...) do { printf("LAUNCH %d ", launch_number++); __VA_ARGS__; CK(cudaGetLastError()); CK(cudaDeviceSynchronize()); printf("\n"); fflush(stdout); } while (0)

__device__ unsigned smid() { unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ void wait_until(long long t) { while (clock64() < t) ; }

// LINES lines a load, of each the first SECTORS sectors; UNIFORM: one word of each line. All blocks meet first, SM b is late by `delay`.
template <int LINES, int SECTORS, bool UNIFORM> __global__ void share(const float *p, int loads, unsigned a, unsigned b, int delay, int *arrived, float *out) {
  unsigned s = smid(); bool mine = s == a || s == b || a == 1000;
  if (!threadIdx.x) { atomicAdd(arrived, 1); while (atomicAdd(arrived, 0) < (int)gridDim.x) ; }
  __syncthreads();
  if (!mine) return;
  if (s == b && delay) wait_until(clock64() + delay);
  int lane = threadIdx.x & 31, lanes = 32 / LINES;
  const float *q = p + lane / lanes * 32 + (UNIFORM ? 0 : lane % lanes % (SECTORS * 8) * (SECTORS * 8 > lanes ? SECTORS * 8 / lanes : 1));
  float sum = 0;
  for (int i = 0; i < loads; i++) sum += __ldcg(q + (size_t)i * LINES * 32);
  if (sum == 1.5f) out[0] = sum;
}
// every lane reads words of its own choice
__global__ void random(const float *p, unsigned mask, int loads, float *out) {
  unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) * 2654435761u + 12345u; float sum = 0;
  for (int i = 0; i < loads; i++) { x = x * 1664525u + 1013904223u; sum += __ldcg(p + (x >> 8 & mask)); }
  if (sum == 1.5f) out[0] = sum;
}
// every warp reads sectors of its own choice, one a load
__global__ void random_uniform(const float *p, unsigned mask, int loads, float *out) {
  unsigned x = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 2654435761u + 12345u; float sum = 0;
  for (int i = 0; i < loads; i++) { x = x * 1664525u + 1013904223u; sum += __ldcg(p + (x >> 8 & mask)); }
  if (sum == 1.5f) out[0] = sum;
}
static float *p, *out;
static int *arrived, sms;
template <int LINES, int SECTORS, bool UNIFORM> static void pairs() {
  const int loads = 2048;
  auto go = [&](unsigned a, unsigned b, int delay) {
    CK(cudaMemset(arrived, 0, 4));
    RUN(printf("share lines %d sectors %d uniform %d a %u b %u delay %d loads %d", LINES, SECTORS, UNIFORM, a, b, delay, loads);
        (share<LINES, SECTORS, UNIFORM><<<sms, 32>>>(p, loads, a, b, delay, arrived, out)));
  };
  go(0, 0, 0);
  go(0, 1, 0);
  for (int delay : {0, 60, 120, 180, 240, 400}) go(0, 16, delay);
  go(1000, 0, 0);
}
int main() {
  cudaDeviceProp d; CK(cudaGetDeviceProperties(&d, 0)); sms = d.multiProcessorCount;
  size_t bytes = (size_t)64 << 20; CK(cudaMalloc(&p, bytes)); CK(cudaMalloc(&out, 4096)); CK(cudaMalloc(&arrived, 4)); CK(cudaMemset(p, 0, bytes));
  pairs<1, 4, false>(); pairs<1, 2, false>(); pairs<1, 1, false>(); pairs<1, 1, true>();
  pairs<2, 2, false>(); pairs<2, 1, false>(); pairs<4, 1, false>(); pairs<8, 1, false>(); pairs<8, 4, false>(); pairs<32, 1, true>();
  for (int sectors : {512, 2048, 8192}) for (int threads : {32, 128, 512}) {
    RUN(printf("random sectors %d threads %d loads 256", sectors, threads); random<<<sms, threads>>>(p, sectors * 8 - 1, 256, out));
    RUN(printf("random_uniform sectors %d threads %d loads 2048", sectors, threads); random_uniform<<<sms, threads>>>(p, sectors * 8 - 1, 2048, out));
  }
  return 0;
}
