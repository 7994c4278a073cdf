// What several multiprocessors of a GPC read at the same time: do they get it through one port, and how often is it one request for L2?
// usage: together [SMS APART SKEW]. SMS multiprocessors of one GPC (132: all) read a buffer each (APART 1) or the same one (0), each SKEW
// cycles after the one before, eight times over. Without arguments all that h200_together.tsv has. It was measured so:
//   ./together; ncu --csv --page raw --print-units base --clock-control none --cache-control none --metrics lts__t_sectors_srcunit_tex_op_read.sum,l1tex__m_xbar2l1tex_read_sectors.sum ./together
// Built with nvcc -O3 -arch=sm_90.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
#define CK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
  printf("CUDA error: %s, line %d\n", cudaGetErrorString(e_), __LINE__); exit(2); } } while (0)
__device__ unsigned smid() { unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
struct set { unsigned bits[5]; };
// the place of multiprocessor i among those of the set; -1: it is not one of them
__device__ int rank_of(const set &s, unsigned i) {
  if (!(s.bits[i / 32] >> i % 32 & 1)) return -1;
  int n = 0;
  for (unsigned k = 0; k < i; k++) n += s.bits[k / 32] >> k % 32 & 1;
  return n;
}
__global__ void __launch_bounds__(1024) together(const float4 *p, set readers, int n, int passes, int apart, int skew, int *arrived, long long *cycles, float *out) {
  int me = rank_of(readers, smid());
  const float4 *q = p + (size_t)(apart ? me : 0) * n;
  float sum = 0;
  if (me >= 0) for (int i = threadIdx.x; i < n; i += 1024) sum += __ldcg(q + i).x;
  __syncthreads();
  if (!threadIdx.x) { atomicAdd(arrived, 1); while (atomicAdd(arrived, 0) < (int)gridDim.x) ; }
  __syncthreads();
  if (me < 0) return;
  long long t0 = clock64();
  while (clock64() < t0 + me * skew) ;
  long long t = clock64();
  for (int r = 0; r < passes; r++)
    for (int i = threadIdx.x; i < n; i += 4096) {
      float4 a = __ldcg(q + i), b = __ldcg(q + i + 1024), c = __ldcg(q + i + 2048), d = __ldcg(q + i + 3072);
      sum += a.x + b.x + c.x + d.x;
    }
  __syncthreads();
  if (!threadIdx.x) cycles[me] = clock64() - t;
  if (sum == 1.5f) out[0] = sum;
}
static float4 *p; static float *out; static int *arrived, all; static long long *cycles;
static void run(int sms, int apart, int skew) {
  static const int gpc[] = {2, 3, 18, 19, 34, 35, 50, 51, 64, 65, 78, 79, 92, 93, 106, 107};
  const int n = sms > 16 ? 16384 : 65536, passes = 8;
  set s{};
  for (int i = 0; i < sms; i++) { int sm = sms > 16 ? i : gpc[i]; s.bits[sm / 32] |= 1u << sm % 32; }
  CK(cudaMemset(arrived, 0, 4)); CK(cudaMemset(cycles, 0, all * 8));
  together<<<all, 1024>>>(p, s, n, passes, apart, skew, arrived, cycles, out); CK(cudaDeviceSynchronize());
  std::vector<long long> c(all); CK(cudaMemcpy(c.data(), cycles, all * 8, cudaMemcpyDeviceToHost));
  long long most = 1;
  for (auto x : c) most = x > most ? x : most;
  printf("sms %d apart %d skew %d bytes_per_cycle %.1f\n", sms, apart, skew, (double)sms * n * 16 * passes / most);
}
int main(int argc, char **argv) {
  cudaDeviceProp d; CK(cudaGetDeviceProperties(&d, 0)); all = d.multiProcessorCount;
  CK(cudaMalloc(&p, 64 << 20)); CK(cudaMemset(p, 0, 64 << 20)); CK(cudaMalloc(&out, 64)); CK(cudaMalloc(&arrived, 64)); CK(cudaMalloc(&cycles, all * 8));
  if (argc == 4) { run(atoi(argv[1]), atoi(argv[2]), atoi(argv[3])); return 0; }
  for (int sms : {1, 2, 4, 8, 16, 132}) {
    run(sms, 1, 0);
    for (int skew : {0, 100, 1000}) if (sms < 132 || !skew) run(sms, 0, skew);
  }
  return 0;
}
