// Double-precision matrix products: one element a thread from global memory, tiles of 8, 16, 32 in shared memory, tiles
// with 2 x 2 elements a thread.
#include "harness.h"

__global__ void naive(const double *a, const double *b, double *c, int n)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  double s = 0;
  for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x];
  c[y * n + x] = s;
}
template <int T> __global__ void tiled(const double *a, const double *b, double *c, int n)
{
  __shared__ double ta[T][T], tb[T][T];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * T + tx, y = blockIdx.y * T + ty;
  double s = 0;
  for (int t = 0; t < n; t += T) {
    ta[ty][tx] = a[y * n + t + tx];
    tb[ty][tx] = b[(t + ty) * n + x];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < T; k++) s += ta[ty][k] * tb[k][tx];
    __syncthreads();
  }
  c[y * n + x] = s;
}
template <int T> __global__ void tiled_2x2(const double *a, const double *b, double *c, int n)
{
  __shared__ double ta[2 * T][T], tb[T][2 * T];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 2 * T + tx, y = blockIdx.y * 2 * T + ty;
  double s00 = 0, s01 = 0, s10 = 0, s11 = 0;
  for (int t = 0; t < n; t += T) {
    ta[ty][tx] = a[y * n + t + tx];
    ta[ty + T][tx] = a[(y + T) * n + t + tx];
    tb[ty][tx] = b[(t + ty) * n + x];
    tb[ty][tx + T] = b[(t + ty) * n + x + T];
    __syncthreads();
    for (int k = 0; k < T; k++) {
      double a0 = ta[ty][k], a1 = ta[ty + T][k], b0 = tb[k][tx], b1 = tb[k][tx + T];
      s00 += a0 * b0;
      s01 += a0 * b1;
      s10 += a1 * b0;
      s11 += a1 * b1;
    }
    __syncthreads();
  }
  c[y * n + x] = s00;
  c[y * n + x + T] = s01;
  c[(y + T) * n + x] = s10;
  c[(y + T) * n + x + T] = s11;
}

int main(int argc, char **argv)
{
  init(argc, argv);
  const int n = 64;
  std::vector<double> a(n * n), b(n * n), ref(n * n);
  for (auto &v : a) v = uniform(-1, 1);
  for (auto &v : b) v = uniform(-1, 1);
  for (int y = 0; y < n; y++)
    for (int x = 0; x < n; x++) {
      double s = 0;
      for (int k = 0; k < n; k++) s = fma(a[y * n + k], b[k * n + x], s);
      ref[y * n + x] = s;
    }
  double *da = sent(a), *db = sent(b), *c = blank<double>(n * n);
#define CASE(name, grid, block, ...)                                                                   \
  if (want(name)) {                                                                                    \
    CK(cudaMemset(c, 0, n * n * sizeof *c));                                                           \
    RUN(__VA_ARGS__<<<grid, block>>>(da, db, c, n));                                                   \
    check(back(c, n * n), ref, 1e-13);                                                                 \
  }
  CASE("naive", dim3(n / 32, n / 8), dim3(32, 8), naive)
  CASE("tile=8", dim3(n / 8, n / 8), dim3(8, 8), tiled<8>)
  CASE("tile=16", dim3(n / 16, n / 16), dim3(16, 16), tiled<16>)
  CASE("tile=32", dim3(n / 32, n / 32), dim3(32, 32), tiled<32>)
  CASE("tile=8,2x2", dim3(n / 16, n / 16), dim3(8, 8), tiled_2x2<8>)
  CASE("tile=16,2x2", dim3(n / 32, n / 32), dim3(16, 16), tiled_2x2<16>)
  return finish();
}
