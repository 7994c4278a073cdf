// y = A x of one irregular matrix in four formats. Each result is compared with the host's.
#include <cstdio>
#include <vector>
#include <cmath>

template <typename Real, typename Index> struct Csr { Index rows; const Index *offset; const Index *column; const Real *value; };

template <typename Real, typename Index>
__global__ void csr_row_per_thread(Csr<Real, Index> A, const Real *__restrict__ x, Real *__restrict__ y, Real alpha, Real beta)
{
  Index row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= A.rows) return;
  Real dot = 0;
  const Index end = A.offset[row + 1];
  for (Index k = A.offset[row]; k < end; ++k) dot += A.value[k] * __ldg(x + A.column[k]);
  y[row] = alpha * dot + beta * y[row];
}

template <typename Real, typename Index, int LANES>
__global__ void csr_row_per_group(Csr<Real, Index> A, const Real *__restrict__ x, Real *__restrict__ y)
{
  const int lane = threadIdx.x & (LANES - 1);
  Index row = (blockIdx.x * blockDim.x + threadIdx.x) / LANES;
  Real dot = 0;
  if (row < A.rows)
    for (Index k = A.offset[row] + lane; k < A.offset[row + 1]; k += LANES) dot += A.value[k] * x[A.column[k]];
#pragma unroll
  for (int d = LANES / 2; d > 0; d >>= 1) dot += __shfl_xor_sync(0xffffffffu, dot, d, LANES);
  if (row < A.rows && lane == 0) y[row] = dot;
}

__global__ void ell_spmv(int rows, int width, const int *col, const float *val, const float *x, float *y)
{
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += blockDim.x * gridDim.x) {
    float sum = 0.f;
    for (int k = 0; k < width; k++) {
      const int c = col[k * rows + row];
      if (c < 0) break;
      sum += val[k * rows + row] * x[c];
    }
    y[row] = sum;
  }
}

struct Entry { int row, col; float val; };

__global__ void coo_spmv(const Entry *entries, int count, const float *x, float *y)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    Entry e = entries[i];
    atomicAdd(&y[e.row], e.val * x[e.col]);
  }
}

__global__ void dia_spmv(int n, int diagonals, const int *offsets, const double *data, const double *x, double *y)
{
  extern __shared__ int off[];
  if ((int)threadIdx.x < diagonals) off[threadIdx.x] = offsets[threadIdx.x];
  __syncthreads();
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < n) {
    double sum = 0;
    for (int d = 0; d < diagonals; ++d) {
      int c = row + off[d];
      if (c >= 0 && c < n) sum += data[d * n + row] * x[c];
    }
    y[row] = sum;
  }
}

static unsigned state = 12345;
static unsigned next() { return state = state * 1664525u + 1013904223u, state >> 8; }
template <class T> static T *to_device(const std::vector<T> &v) { T *p; cudaMalloc(&p, v.size() * sizeof(T)); cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice); return p; }
template <class T> static bool close(const T *d, const std::vector<double> &want, double tol)
{
  std::vector<T> got(want.size());
  if (cudaMemcpy(got.data(), d, got.size() * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess) return false;
  for (size_t i = 0; i < got.size(); i++)
    if (!(std::fabs(got[i] - want[i]) <= tol * (1 + std::fabs(want[i])))) { printf("row %zu: %g, not %g\n", i, (double)got[i], want[i]); return false; }
  return true;
}

int main()
{
  const int n = 6007, width = 24;
  std::vector<int> off(n + 1), col, ell_col(n * width, -1);
  std::vector<long long> off64, col64;
  std::vector<float> val, x(n), ell_val(n * width), y0(n, 1.0f);
  std::vector<double> vald, xd(n);
  std::vector<Entry> coo;
  for (int i = 0; i < n; i++) xd[i] = x[i] = 0.5f + (i % 17) * 0.0625f;
  std::vector<double> want(n), want2(n);
  for (int r = 0; r < n; r++) {
    int len = 1 + next() % 9 + (r % 50 == 0 ? 14 : 0);
    for (int k = 0; k < len; k++) {
      int c = (r + next() % 900) % n;
      float a = (next() % 1000) / 500.0f - 1.0f;
      col.push_back(c); val.push_back(a); coo.push_back({r, c, a});
      ell_col[k * n + r] = c; ell_val[k * n + r] = a;
      want[r] += (double)a * x[c];
    }
    off[r + 1] = (int)col.size();
    want2[r] = 1.5 * want[r] + 0.25;
  }
  for (int o : off) off64.push_back(o);
  for (int c : col) col64.push_back(c);
  for (float v : val) vald.push_back(v);
  float *dx = to_device(x), *dy = to_device(y0), *dv = to_device(val);
  Csr<float, int> A = {n, to_device(off), to_device(col), dv};
  Csr<double, long long> B = {n, to_device(off64), to_device(col64), to_device(vald)};
  double *dxd = to_device(xd), *dyd = to_device(std::vector<double>(n));
  bool ok = true;
  csr_row_per_thread<<<(n + 127) / 128, 128>>>(A, dx, dy, 1.5f, 0.25f);
  ok &= close(dy, want2, 1e-4);
  csr_row_per_group<float, int, 8><<<(n * 8 + 255) / 256, 256>>>(A, dx, dy);
  ok &= close(dy, want, 1e-4);
  csr_row_per_group<double, long long, 32><<<(n + 3) / 4, 128>>>(B, dxd, dyd);
  ok &= close(dyd, want, 1e-12);
  ell_spmv<<<20, 192>>>(n, width, to_device(ell_col), to_device(ell_val), dx, dy);
  ok &= close(dy, want, 1e-4);
  cudaMemset(dy, 0, n * sizeof(float));
  coo_spmv<<<((int)coo.size() + 255) / 256, 256>>>(to_device(coo), (int)coo.size(), dx, dy);
  ok &= close(dy, want, 1e-4);
  const int nd = 7;
  std::vector<int> offsets = {-80, -9, -1, 0, 1, 9, 80};
  std::vector<double> dia(nd * n), want3(n);
  for (int d = 0; d < nd; d++)
    for (int r = 0; r < n; r++) {
      dia[d * n + r] = d == 3 ? 6.0 : -1.0 + 0.001 * (r % 5);
      int c = r + offsets[d];
      if (c >= 0 && c < n) want3[r] += dia[d * n + r] * xd[c];
    }
  dia_spmv<<<(n + 99) / 100, 100, nd * sizeof(int)>>>(n, nd, to_device(offsets), to_device(dia), dxd, dyd);
  ok &= close(dyd, want3, 1e-12);
  printf(ok ? "PASSED\n" : "FAILED\n");
  return !ok;
}
