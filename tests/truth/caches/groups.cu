// Which requests of multiprocessors are one for L2, and until when?
// usage: groups. Prints a line for each launch. h200_groups.tsv was measured so:
//   ncu --csv --page raw --print-units base --clock-control none --metrics (the columns of h200_groups.tsv) --log-file groups.csv ./groups
// Built with nvcc -O3 -arch=sm_90.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
  printf("CUDA error: %s, line %d\n", cudaGetErrorString(e_), __LINE__); exit(2); } } while (0)
static int launch_number;
#define RUN(...) do { printf("LAUNCH %d ", launch_number++); __VA_ARGS__; CK(cudaGetLastError()); CK(cudaDeviceSynchronize()); printf("\n"); fflush(stdout); } while (0)
__device__ unsigned smid() { unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ void wait_until(long long t) { while (clock64() < t) ; }
__device__ __host__ unsigned mix(unsigned x) { x = (x ^ x >> 16) * 0x7feb352du; x = (x ^ x >> 15) * 0x846ca68bu; return x ^ x >> 16; }
struct set { unsigned bits[5]; };
__device__ bool has(const set &s, unsigned i) { return s.bits[i / 32] >> i % 32 & 1; }
// Each warp of the SMs `readers` reads one of mask + 1 places at random, so often: `wide` sectors of the one that lies `apart`
// sectors after the one before. All readers have read all of it before.
enum { BATCH = 16 }; // loads before the first is waited for
__global__ void among(const float *p, set readers, int loads, unsigned mask, int apart, int wide, int *arrived, long long *cycles, float *out) {
  unsigned s = smid(); bool reads = has(readers, s);
  float sum = 0;
  if (reads) {
    const float *q = p; unsigned n = (mask + 1) * 8 * apart;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) sum += __ldcg(q + i);
  }
  __syncthreads();
  if (!threadIdx.x) { atomicAdd(arrived, 1); while (atomicAdd(arrived, 0) < (int)gridDim.x) __nanosleep(200); }
  __syncthreads();
  if (!reads) return;
  unsigned lane = (threadIdx.x & 31) % (wide * 8), w = s * 32 + threadIdx.x / 32;
  long long t = clock64();
  for (int i = 0; i < loads; i += BATCH) {
    const float *q[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; k++) { unsigned x = mix((i + k) * 65536 + w); q[k] = p + (x & mask) * 8 * apart + lane; }
    float v[BATCH];
#pragma unroll
    for (int k = 0; k < BATCH; k++) v[k] = __ldcg(q[k]);
#pragma unroll
    for (int k = 0; k < BATCH; k++) sum += v[k];
  }
  if (!threadIdx.x && reads) *cycles = clock64() - t;
  if (sum == 1.5f) out[0] = sum;
}

// up to three readers: SM sm[k] asks for sector `of[k]` (of the i-th line) at T0 + i * period + at[k]
struct three { int sm[3], of[3], at[3]; };
__global__ void timed(const float *p, three r, int loads, int period, int touch, int wide, volatile long long *t0, int *arrived, float *out, unsigned *late) {
  unsigned s = smid(); float sum = 0; int me = -1;
  for (int k = 0; k < 3; k++) if (r.sm[k] == (int)s) me = k;
  unsigned lane = (threadIdx.x & 31) % (wide * 8);
  if (me >= 0 && touch) { for (int i = 0; i < loads; i++) sum += __ldcg(p + (size_t)(mix(i) & 0xffff) * 256 + (threadIdx.x & 31)) + __ldcg(p + (size_t)(mix(i) & 0xffff) * 256 + 32 + (threadIdx.x & 31)); if (sum == 1.5f) out[0] = sum; }
  __threadfence(); __syncthreads();
  if (!threadIdx.x) { if ((int)s == r.sm[2]) *t0 = clock64() + 40000; __threadfence(); atomicAdd(arrived, 1); while (atomicAdd(arrived, 0) < (int)gridDim.x) ; }
  __syncthreads();
  if (me < 0) return;
  long long T = *t0; if (T - clock64() > 300000 || clock64() - T > 300000) { T = clock64() + 20000; if (!threadIdx.x) atomicAdd(late, 1000); }
  for (int i = 0; i < loads; i++) {
    const float *q = p + (size_t)(mix(i) & 0xffff) * 256 + r.of[me] * 8 + lane;
    wait_until(T + (long long)i * period + r.at[me]);
    sum += __ldcg(q);
  }
  if (sum == 1.5f) out[0] = sum;
}
int main(int argc, char **argv) {
  cudaDeviceProp d; CK(cudaGetDeviceProperties(&d, 0)); int sms = d.multiProcessorCount;
  float *p, *out; int *arrived; long long *t0, *cycles; unsigned *late;
  size_t bytes = (size_t)256 << 20; CK(cudaMalloc(&p, bytes)); CK(cudaMalloc(&out, 4096)); CK(cudaMalloc(&arrived, 64)); CK(cudaMalloc(&t0, 64)); CK(cudaMalloc(&cycles, 64)); CK(cudaMalloc(&late, 64)); CK(cudaMemset(p, 0, bytes));
  auto of = [&](std::vector<int> v) { set s{}; for (int i : v) s.bits[i / 32] |= 1u << i % 32; return s; };
  set all{}; for (auto &b : all.bits) b = 0xffffffff;
  set g1 = of({2, 3, 18, 19, 34, 35, 50, 51, 64, 65, 78, 79, 92, 93, 106, 107});

  auto run = [&](const char *name, set readers, int threads, unsigned S, int apart, int wide) {
    CK(cudaMemset(arrived, 0, 4)); int loads = 2048;
    RUN(printf("among %s apart %d wide %d threads %d sectors %u", name, apart, wide, threads, S);
        among<<<sms, threads>>>(p, readers, loads, S - 1, apart, wide, arrived, cycles, out));
    long long c; CK(cudaMemcpy(&c, cycles, 8, cudaMemcpyDeviceToHost)); printf("CYCLES %lld\n", c);
  };
  auto when = [&](const char *name, three r, int touch, int wide) {
    CK(cudaMemset(arrived, 0, 4)); CK(cudaMemset(late, 0, 4));
    RUN(printf("timed %s touch %d wide %d sm %d,%d,%d of %d,%d,%d at %d,%d,%d", name, touch, wide, r.sm[0], r.sm[1], r.sm[2], r.of[0], r.of[1], r.of[2], r.at[0], r.at[1], r.at[2]);
        timed<<<sms, 32>>>(p, r, 256, 3000, touch, wide, t0, arrived, out, late));
    unsigned l; CK(cudaMemcpy(&l, late, 4, cudaMemcpyDeviceToHost)); if (l) printf("LATE %u\n", l);
  };
  for (int touch : {1, 0}) for (int d : {0, 10, 20, 30, 40, 50, 60, 70, 80, 100, 150, 200, 250, 300, 350, 400, 450, 500, 600, 800})
    when("pair", {{-1, 2, 18}, {0, 0, 0}, {0, 1000, 1000 + d}}, touch, 1);
  for (int wide : {1, 4}) {
    when("base", {{-1, 18, 34}, {0, 0, 0}, {0, 1000, 1020}}, 1, wide);
    for (int d : {0, 40, 60, 80, 100, 150, 200, 250, 300, 350, 400, 450, 500, 600, 800, 950}) when("same", {{2, 18, 34}, {0, 0, 0}, {1000 - d, 1000, 1020}}, 1, wide);
    for (int d : {0, 5, 10, 20, 40, 60}) when("apart", {{2, 18, 34}, {0, 0, 0}, {850, 1000, 1000 + d}}, 1, wide);
    for (int of : {1, 2, 3, 4}) for (int d : {100, 200}) when("other", {{2, 18, 34}, {of, 0, 0}, {1000 - d, 1000, 1020}}, 1, wide);
    for (int sm : {0, 4, 6, 8, 10, 12, 14, 64}) for (int d : {10, 100, 200}) when("gpc", {{sm, 18, 34}, {0, 0, 0}, {1000 - d, 1000, 1020}}, 1, wide);
    for (int d : {100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1200}) when("miss", {{2, 18, 34}, {0, 0, 0}, {1000 - d, 1000, 1020}}, 0, wide);
  }
  for (int threads : {32, 256, 1024}) for (unsigned S : {64, 512}) {
    for (int apart : {1, 2, 4, 8}) { run("g1", g1, threads, S, apart, 1); run("all", all, threads, S, apart, 1); }
    for (int wide : {2, 4}) { run("g1", g1, threads, S, 4, wide); run("all", all, threads, S, 4, wide); }
  }
  return 0;
}
