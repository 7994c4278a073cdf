// Scans, sums and compaction, written with cooperative groups and without.
#include <cstdio>
#include <vector>
#include <cmath>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

template <typename T, unsigned TILE>
__global__ void tile_sums(const T *in, T *out, int segments, int length) {
  auto tile = cg::tiled_partition<TILE>(cg::this_thread_block());
  int segment = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  if (segment >= segments) return;
  T v = T();
  for (int i = tile.thread_rank(); i < length; i += tile.size()) v += in[segment * length + i];
  v = cg::reduce(tile, v, cg::plus<T>());
  if (tile.thread_rank() == 0) out[segment] = v;
}

__global__ void count_matches(const int *in, int n, int modulus, int *counter) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (in[i] % modulus == 0) {
      cg::coalesced_group active = cg::coalesced_threads();
      if (active.thread_rank() == 0) atomicAdd(counter, (int)active.size());
    }
  }
}

#define CONFLICT_FREE_OFFSET(n) ((n) >> 5)

// work-efficient scan of 2 * blockDim elements, exclusive
__global__ void prescan(float *g_odata, const float *g_idata, float *sums, int n) {
  extern __shared__ float temp[];
  int thid = threadIdx.x, m = 2 * blockDim.x, base = blockIdx.x * m;
  int ai = thid, bi = thid + m / 2;
  int bankOffsetA = CONFLICT_FREE_OFFSET(ai), bankOffsetB = CONFLICT_FREE_OFFSET(bi);
  temp[ai + bankOffsetA] = base + ai < n ? g_idata[base + ai] : 0;
  temp[bi + bankOffsetB] = base + bi < n ? g_idata[base + bi] : 0;
  int offset = 1;
  for (int d = m >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (thid < d) {
      int a = offset * (2 * thid + 1) - 1, b = offset * (2 * thid + 2) - 1;
      a += CONFLICT_FREE_OFFSET(a);
      b += CONFLICT_FREE_OFFSET(b);
      temp[b] += temp[a];
    }
    offset *= 2;
  }
  if (thid == 0) {
    int last = m - 1 + CONFLICT_FREE_OFFSET(m - 1);
    sums[blockIdx.x] = temp[last];
    temp[last] = 0;
  }
  for (int d = 1; d < m; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (thid < d) {
      int a = offset * (2 * thid + 1) - 1, b = offset * (2 * thid + 2) - 1;
      a += CONFLICT_FREE_OFFSET(a);
      b += CONFLICT_FREE_OFFSET(b);
      float t = temp[a];
      temp[a] = temp[b];
      temp[b] += t;
    }
  }
  __syncthreads();
  if (base + ai < n) g_odata[base + ai] = temp[ai + bankOffsetA];
  if (base + bi < n) g_odata[base + bi] = temp[bi + bankOffsetB];
}

// keeps the positive ones of each block's piece, in order, four elements a thread
__global__ void compact_positive(const int4 *in, int *out, int *kept, int n4) {
  __shared__ int warp_base[32];
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  int i = block.group_index().x * block.size() + block.thread_rank();
  int4 v = i < n4 ? in[i] : make_int4(0, 0, 0, 0);
  int mine = (v.x > 0) + (v.y > 0) + (v.z > 0) + (v.w > 0);
  int upto = mine;
  for (unsigned d = 1; d < warp.size(); d *= 2) {
    int t = warp.shfl_up(upto, d);
    if (warp.thread_rank() >= d) upto += t;
  }
  if (warp.thread_rank() == 31) warp_base[warp.meta_group_rank()] = upto;
  block.sync();
  if (warp.meta_group_rank() == 0) {
    int s = warp.thread_rank() < warp.meta_group_size() ? warp_base[warp.thread_rank()] : 0;
    int t = s;
    for (int d = 1; d < 32; d <<= 1) {
      int u = warp.shfl_up(t, d);
      if ((int)warp.thread_rank() >= d) t += u;
    }
    warp_base[warp.thread_rank()] = t - s;
    if (warp.thread_rank() == 31) kept[blockIdx.x] = t;
  }
  block.sync();
  int *o = out + block.group_index().x * block.size() * 4 + warp_base[warp.meta_group_rank()] + upto - mine;
  if (v.x > 0) *o++ = v.x;
  if (v.y > 0) *o++ = v.y;
  if (v.z > 0) *o++ = v.z;
  if (v.w > 0) *o++ = v.w;
}

int main() {
  bool ok = true;
  const int segments = 301, length = 117;
  std::vector<float> f(segments * length), fs(segments);
  std::vector<long long> l(segments * length), ls(segments);
  for (size_t i = 0; i < f.size(); i++) f[i] = (i * 29 % 64) * 0.125f, l[i] = (long long)i * 1000003 - 77;
  float *df, *dfs;
  long long *dl, *dls;
  cudaMalloc(&df, f.size() * 4), cudaMalloc(&dfs, segments * 4), cudaMalloc(&dl, l.size() * 8), cudaMalloc(&dls, segments * 8);
  cudaMemcpy(df, f.data(), f.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dl, l.data(), l.size() * 8, cudaMemcpyHostToDevice);
  tile_sums<float, 32><<<(segments + 3) / 4, 128>>>(df, dfs, segments, length);
  tile_sums<long long, 16><<<(segments + 9) / 10, 160>>>(dl, dls, segments, length);
  cudaMemcpy(fs.data(), dfs, segments * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(ls.data(), dls, segments * 8, cudaMemcpyDeviceToHost);
  for (int s = 0; s < segments; s++) {
    double a = 0;
    long long b = 0;
    for (int i = 0; i < length; i++) a += f[s * length + i], b += l[s * length + i];
    ok &= fabs(a - fs[s]) < 1e-3 && b == ls[s];
  }

  const int n = 18000;
  std::vector<int> v(n), out(n), kept(64);
  int *dv, *dout, *dkept, counter = 0, want = 0;
  for (int i = 0; i < n; i++) v[i] = (i * 7919 + 13) % 2003 - 900, want += v[i] % 7 == 0;
  cudaMalloc(&dv, n * 4), cudaMalloc(&dout, n * 4 + 4096), cudaMalloc(&dkept, 64 * 4);
  cudaMemcpy(dv, v.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(dkept, &counter, 4, cudaMemcpyHostToDevice);
  cudaMemset(dout, 0, n * 4);
  count_matches<<<12, 224>>>(dv, n, 7, dkept);
  cudaMemcpy(&counter, dkept, 4, cudaMemcpyDeviceToHost);
  ok &= counter == want;

  const int m = 5000, half = 128, blocks = (m + 2 * half - 1) / (2 * half);
  std::vector<float> scanned(m), sums(blocks);
  float *dscan, *dsums;
  cudaMalloc(&dscan, m * 4), cudaMalloc(&dsums, blocks * 4);
  prescan<<<blocks, half, (2 * half + 2 * half / 32) * 4>>>(dscan, df, dsums, m);
  cudaMemcpy(scanned.data(), dscan, m * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(sums.data(), dsums, blocks * 4, cudaMemcpyDeviceToHost);
  double run = 0;
  for (int i = 0; i < m; i++) {
    if (i % (2 * half) == 0) {
      if (i) ok &= fabs(run - sums[i / (2 * half) - 1]) < 1e-2;
      run = 0;
    }
    ok &= fabs(run - scanned[i]) < 1e-2;
    run += f[i];
  }

  const int n4 = n / 4, cb = (n4 + 191) / 192;
  compact_positive<<<cb, 192>>>((int4 *)dv, dout, dkept, n4);
  cudaMemcpy(out.data(), dout, n * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(kept.data(), dkept, cb * 4, cudaMemcpyDeviceToHost);
  for (int b = 0; b < cb; b++) {
    int k = 0;
    for (int i = b * 768; i < n && i < (b + 1) * 768; i++)
      if (v[i] > 0) ok &= out[b * 768 + k++] == v[i];
    ok &= k == kept[b];
  }
  ok &= cudaGetLastError() == cudaSuccess;
  printf("%s\n", ok ? "PASSED" : "FAILED");
  return ok ? 0 : 1;
}
