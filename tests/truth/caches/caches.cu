// What the caches of a GPU do that no document says: one launch for each question, to be counted by a profiler.
// usage: caches [GROUP]: share, again, stores, l1, l2, dirty, partial. Prints a line for each launch.
// h200.tsv was measured so: for each group
//   ncu --csv --page raw --print-units base --metrics (the columns of h200.tsv) --log-file GROUP.csv ./caches GROUP
// Built with nvcc -O3 -arch=sm_90.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#define CK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
  printf("CUDA error: %s, line %d\n", cudaGetErrorString(e_), __LINE__); exit(2); } } while (0)
static int launch_number;
static const char *only;
static bool want(const char *group) { return !only || !strcmp(only, group); }
#define RUN(...) do { printf("LAUNCH %d ", launch_number++); __VA_ARGS__; CK(cudaGetLastError()); CK(cudaDeviceSynchronize()); printf("\n"); fflush(stdout); } while (0)

__device__ unsigned smid() { unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ void wait_until(long long t) { while (clock64() < t) ; }

// SMs in [first, first + n * step) read the same lines, SM i starts delay * i cycles later; all blocks meet first
__global__ void share(const float *p, int lines, unsigned a, unsigned b, int delay, int *arrived, float *out) {
  unsigned s = smid(); bool mine = s == a || s == b || a == 1000;
  if (!threadIdx.x) { atomicAdd(arrived, 1); while (atomicAdd(arrived, 0) < (int)gridDim.x) ; }
  __syncthreads();
  if (!mine) return;
  if (s == b && delay) wait_until(clock64() + delay);
  float sum = 0;
  for (int i = 0; i < lines; i++) sum += __ldcg(p + i * 32 + threadIdx.x);
  if (sum == 1.5f) out[0] = sum;
}

// one warp reads each line, and again `delay` cycles later
__global__ void again(const float *p, int lines, int delay, int shift, float *out) {
  float sum = 0;
  for (int i = 0; i < lines; i++) {
    float v = __ldcg(p + i * 64 + threadIdx.x);
    long long t = clock64();
    if (delay) wait_until(t + delay);
    float w = __ldcg(p + i * 64 + threadIdx.x + shift);
    sum += v + w;
  }
  if (sum == 1.5f) out[0] = sum;
}
// the same with loads that are not waited for: `n` of them in a row to the same line
template <int N> __global__ void row(const float *p, int lines, int shift, float *out) {
  float sum = 0, v[N]; int w = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, W = gridDim.x * (blockDim.x / 32), l = threadIdx.x & 31;
  for (int i = w; i < lines; i += W) {
#pragma unroll
    for (int k = 0; k < N; k++) v[k] = __ldcg(p + i * 64 + l + k * shift);
#pragma unroll
    for (int k = 0; k < N; k++) sum += v[k];
  }
  if (sum == 1.5f) out[0] = sum;
}
__global__ void vec(const float4 *p, int n, float *out) { // two words of 16 bytes: two loads of the same sectors
  float s = 0; for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { float4 v = __ldcg(p + i); s += v.x + v.w; }
  if (s == 1.5f) out[0] = s;
}
// one warp stores to each line, and again `delay` cycles later; other = 1: its neighbour warp does
__global__ void stores(float *p, int lines, int delay, int shift, int other) {
  int w = threadIdx.x / 32, l = threadIdx.x & 31;
  long long t = clock64();
  for (int i = 0; i < lines; i++) {
    t += 2000;
    wait_until(t);
    if (!w) p[i * 64 + l] = i;
    wait_until(t + delay);
    if (w == other) p[i * 64 + l + shift] = -i;
  }
}
// `n` stores to lines of their own between two to the same line
__global__ void between(float *p, int lines, int n) {
  int l = threadIdx.x & 31;
  for (int i = 0; i < lines; i++) {
    float *q = p + (size_t)i * 64 * 64;
    q[l] = i;
    for (int k = 1; k <= n; k++) q[k * 32 + l] = k;
    q[l] = -i;
    wait_until(clock64() + 4000);
  }
}
// every SM reads its own part twice
__global__ void twice(const float *p, size_t bytes_a_block, int cg, float *out) {
  const float *q = p + (size_t)blockIdx.x * bytes_a_block / 4; float sum = 0; int n = (int)(bytes_a_block / 4);
  for (int turn = 0; turn < 2; turn++) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += cg ? __ldcg(q + i) : __ldca(q + i);
    __syncthreads();
  }
  if (sum == 1.5f) out[0] = sum;
}
// all SMs read all of it, twice
__global__ void all(const float *p, int n, int *arrived, float *out) {
  float sum = 0;
  for (int turn = 0; turn < 2; turn++) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) sum += __ldcg(p + (i + blockIdx.x * 1024) % n);
    __syncthreads();
    if (!threadIdx.x) { atomicAdd(arrived, 1); while (atomicAdd(arrived, 0) < (int)gridDim.x * (turn + 1)) ; }
    __syncthreads();
  }
  if (sum == 1.5f) out[0] = sum;
}
__global__ void fill(float *p, size_t n, int step) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) p[i * step] = 1;
}

int main(int argc, char **argv) {
  if (argc > 1) only = argv[1];
  cudaDeviceProp d; CK(cudaGetDeviceProperties(&d, 0)); int sms = d.multiProcessorCount;
  size_t bytes = (size_t)256 << 20; float *p, *out; int *arrived; CK(cudaMalloc(&p, bytes)); CK(cudaMalloc(&out, 4096)); CK(cudaMalloc(&arrived, 4)); CK(cudaMemset(p, 0, bytes));
  if (want("share")) {
    CK(cudaFuncSetAttribute(share, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    int lines = 4096;
    for (unsigned b = 0; b < (unsigned)sms; b++) { CK(cudaMemset(arrived, 0, 4)); RUN(printf("share a 0 b %u delay 0 lines %d", b, lines); share<<<sms, 32, 200 << 10>>>(p, lines, 0, b, 0, arrived, out)); }
    for (int delay : {50, 100, 200, 400, 800, 1600, 3200}) for (unsigned b : {1u, 2u, 8u}) { CK(cudaMemset(arrived, 0, 4)); RUN(printf("share a 0 b %u delay %d lines %d", b, delay, lines); share<<<sms, 32, 200 << 10>>>(p, lines, 0, b, delay, arrived, out)); }
    CK(cudaMemset(arrived, 0, 4)); RUN(printf("share all lines %d", lines); share<<<sms, 32, 200 << 10>>>(p, lines, 1000, 0, 0, arrived, out));
  }
  if (want("again")) {
    for (int delay : {0, 20, 50, 100, 150, 200, 250, 300, 400, 600, 800, 1200}) for (int shift : {0, 8}) RUN(printf("again delay %d shift %d lines 4096", delay, shift); again<<<1, 32>>>(p, 4096, delay, shift, out));
    for (int blocks : {1, 132, 1056}) for (int threads : {32, 256}) for (int shift : {0, 1, 4}) {
      RUN(printf("row2 blocks %d threads %d shift %d lines 32768", blocks, threads, shift); row<2><<<blocks, threads>>>(p, 32768, shift, out));
      RUN(printf("row8 blocks %d threads %d shift %d lines 32768", blocks, threads, shift); row<8><<<blocks, threads>>>(p, 32768, shift, out));
    }
    for (int blocks : {1, 132, 528}) RUN(printf("vec blocks %d n 262144", blocks); vec<<<blocks, 256>>>((float4 *)p, 262144, out));
  }
  if (want("stores")) {
    for (int other : {0, 1}) for (int delay : {0, 10, 20, 40, 60, 80, 120, 160, 240, 400, 800}) RUN(printf("stores delay %d shift 0 other %d lines 1024", delay, other); stores<<<1, 64>>>(p, 1024, delay, 0, other));
    for (int n : {0, 1, 2, 4, 6, 8, 12, 16, 24, 32, 48}) RUN(printf("between %d lines 256", n); between<<<1, 32>>>(p, 256, n));
  }
  if (want("l1")) for (int kib = 128; kib <= 264; kib += 8) RUN(printf("l1 KiB %d", kib); twice<<<sms, 256>>>(p, (size_t)kib << 10, 0, out));
  if (want("l2")) {
    for (int mib : {8, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 64}) RUN(printf("l2 own MiB %d", mib); twice<<<sms, 1024>>>(p, ((size_t)mib << 20) / sms / 128 * 128, 1, out));
    for (int mib : {8, 16, 20, 24, 28, 32, 40, 48}) { CK(cudaMemset(arrived, 0, 4)); RUN(printf("l2 all MiB %d", mib); all<<<sms, 1024>>>(p, mib << 18, arrived, out)); }
  }
  if (want("dirty")) for (int mib : {8, 16, 24, 28, 32, 40, 48, 64, 96, 128, 192}) RUN(printf("dirty MiB %d", mib); fill<<<1056, 256>>>(p, (size_t)mib << 18, 1));
  if (want("partial")) for (int step : {2, 4, 8, 16, 32}) for (int mib : {4, 8, 16, 32, 64}) RUN(printf("partial step %d MiB %d", step, mib); fill<<<1056, 256>>>(p, ((size_t)mib << 18) / step, step));
  return 0;
}
