// Statistics: Welford's moments, quantiles by bisection, regression lines, a covariance matrix by tiles, k-means.
#include <cuda_runtime.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
using namespace std;

static int mistakes = 0;

static void verdict(const char *what, bool good)
{
  if (good)
    return;
  printf("%s is wrong\n", what);
  mistakes++;
}

template <typename T>
class Array {
  T *device;
  vector<T> mirror;

public:
  explicit Array(size_t n) : mirror(n)
  {
    if (cudaMalloc(&device, n * sizeof(T)) != cudaSuccess)
      abort();
    push();
  }
  Array(const Array &) = delete;
  ~Array() { cudaFree(device); }
  T *gpu() { return device; }
  T &operator[](size_t i) { return mirror[i]; }
  void push() { cudaMemcpy(device, mirror.data(), mirror.size() * sizeof(T), cudaMemcpyHostToDevice); }
  void pull()
  {
    if (cudaMemcpy(mirror.data(), device, mirror.size() * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess)
      verdict("a copy", false);
  }
};

static float sample(unsigned i)
{
  unsigned v = i * 747796405u + 2891336453u;
  v = ((v >> ((v >> 28) + 4)) ^ v) * 277803737u;
  return ((v >> 22) ^ v) % 10007u * (1.0f / 10007.0f);
}

static bool near(double got, double want, double tolerance) { return fabs(got - want) <= tolerance * (1.0 + fabs(want)); }

// ---- Mean, variance and skewness, merged pair by pair after Chan ----

template <typename Real>
struct Moments {
  Real n, mean, m2, m3;

  __device__ void add(Real x)
  {
    const Real before = n;
    n += 1;
    const Real delta = x - mean, part = delta / n, term = delta * part * before;
    mean += part;
    m3 += term * part * (n - 2) - 3 * part * m2;
    m2 += term;
  }
  __device__ void merge(const Moments &o)
  {
    if (o.n == 0)
      return;
    const Real total = n + o.n, delta = o.mean - mean, d2 = delta * delta;
    m3 += o.m3 + d2 * delta * n * o.n * (n - o.n) / (total * total) + 3 * delta * (n * o.m2 - o.n * m2) / total;
    m2 += o.m2 + d2 * n * o.n / total;
    mean += delta * o.n / total;
    n = total;
  }
};

template <typename Real>
__device__ Moments<Real> shuffled(const Moments<Real> &m, int d)
{
  return {__shfl_down_sync(~0u, m.n, d), __shfl_down_sync(~0u, m.mean, d), __shfl_down_sync(~0u, m.m2, d), __shfl_down_sync(~0u, m.m3, d)};
}

template <typename Real, int THREADS>
__global__ void moments(const float *x, int perGroup, int n, Moments<Real> *out)
{
  __shared__ Moments<Real> partial[THREADS / 32];
  Moments<Real> m = {0, 0, 0, 0};
  const int first = blockIdx.x * perGroup, last = min(first + perGroup, n);
  for (int i = first + threadIdx.x; i < last; i += THREADS)
    m.add(x[i]);
  for (int d = 16; d >= 1; d /= 2)
    m.merge(shuffled(m, d));
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = m;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < THREADS / 32; w++)
      m.merge(partial[w]);
    out[blockIdx.x] = m;
  }
}

static void testMoments()
{
  const int groups = 12, per = 507, n = groups * per - 77;
  Array<float> x(n);
  for (int i = 0; i < n; i++)
    x[i] = sample(i) * sample(i) + 0.1f * (i / per);
  x.push();
  Array<Moments<double>> out(groups);
  moments<double, 96><<<groups, 96>>>(x.gpu(), per, n, out.gpu());
  out.pull();
  bool good = true;
  for (int g = 0; g < groups; g++) {
    const int first = g * per, last = min(first + per, n);
    double mean = 0, m2 = 0, m3 = 0;
    for (int i = first; i < last; i++)
      mean += double(x[i]) / (last - first);
    for (int i = first; i < last; i++)
      m2 += pow(x[i] - mean, 2), m3 += pow(x[i] - mean, 3);
    good = good && out[g].n == last - first && near(out[g].mean, mean, 1e-9) && near(out[g].m2, m2, 1e-9) && near(out[g].m3, m3, 1e-8);
  }
  verdict("moments", good);
}

// ---- Quantiles: a warp bisects the values of its column until few enough bits are left ----

__global__ void quantiles(const float *__restrict__ table, int rows, int columns, float q, float *result, int *rounds)
{
  const int column = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (column >= columns)
    return;
  const int wanted = int(ceilf(q * rows));
  float low = -1.0f, high = 3.0f;
  int round = 0;
  while (high - low > 1e-5f && round < 40) {
    const float middle = 0.5f * (low + high);
    int below = 0;
    for (int r = lane; r < rows; r += 32)
      below += table[column * rows + r] <= middle;
    below = __reduce_add_sync(0xffffffffu, below);
    (below >= wanted ? high : low) = middle;
    round++;
  }
  if (lane == 0)
    result[column] = high, rounds[column] = round;
}

static void testQuantiles()
{
  const int rows = 83, columns = 62;
  Array<float> table(rows * columns), result(columns);
  Array<int> rounds(columns);
  for (int i = 0; i < rows * columns; i++)
    table[i] = sample(i * 3) + sample(i * 5 + 1);
  table.push();
  const float q = 0.9f;
  quantiles<<<(columns * 32 + 159) / 160, 160>>>(table.gpu(), rows, columns, q, result.gpu(), rounds.gpu());
  result.pull(), rounds.pull();
  bool good = true;
  for (int c = 0; c < columns; c++) {
    vector<float> sorted(&table[c * rows], &table[c * rows] + rows);
    sort(sorted.begin(), sorted.end());
    good = good && fabs(result[c] - sorted[int(ceil(q * rows)) - 1]) < 3e-5 && rounds[c] > 10;
  }
  verdict("quantiles", good);
}

// ---- A line through each series that leaves out what is not a number, then again without the outliers ----

struct Line {
  float slope, intercept, r2;
  int used;
};

__device__ Line fit(const float *y, int n, int stride, const Line *previous, float cut)
{
  float sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
  int used = 0;
  for (int t = 0; t < n; t++) {
    const float v = y[t * stride], x = t - 0.5f * n;
    if (isnan(v) || (previous && fabsf(v - previous->intercept - previous->slope * x) > cut))
      continue;
    sx += x, sy += v, sxx += x * x, sxy += x * v, syy += v * v;
    used++;
  }
  if (used < 3)
    return Line{0, 0, 0, used};
  const float vx = sxx - sx * sx / used, vy = syy - sy * sy / used, c = sxy - sx * sy / used;
  const float slope = c / vx;
  return Line{slope, (sy - slope * sx) / used, vy > 0 ? c * c / (vx * vy) : 1.0f, used};
}

__global__ void trends(const float *series, int count, int length, float cut, Line *lines)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    const Line rough = fit(series + i, length, count, nullptr, 0.0f);
    lines[i] = rough.r2 > 0.999f ? rough : fit(series + i, length, count, &rough, cut);
  }
}

static void testTrends()
{
  const int count = 811, length = 30;
  Array<float> series(count * length);
  Array<Line> lines(count);
  for (int t = 0; t < length; t++)
    for (int i = 0; i < count; i++) {
      float v = 0.01f * (i % 50) * (t - 0.5f * length) + 2.0f + 0.2f * (sample(i * length + t) - 0.5f);
      if ((i + t) % 13 == 0)
        v = NAN;
      if (i % 4 == 1 && t == i % length)
        v += 50.0f;
      series[t * count + i] = v;
    }
  series.push();
  trends<<<(count + 63) / 64, 64>>>(series.gpu(), count, length, 12.0f, lines.gpu());
  lines.pull();
  bool good = true;
  for (int i = 0; i < count; i++) {
    int valid = 0;
    for (int t = 0; t < length; t++)
      valid += !isnan(series[t * count + i]) && series[t * count + i] < 30.0f;
    good = good && near(lines[i].slope, 0.01 * (i % 50), 0.012) && near(lines[i].intercept, 2.0, 0.05) && lines[i].used == valid;
  }
  verdict("trends", good);
}

// ---- Covariance of the columns of a table, a 16 by 16 tile to a block, only on and below the diagonal ----

const int TILE = 16;

__global__ void covariance(const float *x, const float *mean, int rows, int columns, float *out)
{
  if (blockIdx.x > blockIdx.y)
    return;
  __shared__ float left[TILE][TILE + 1], top[TILE][TILE + 1];
  const int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * TILE, j = blockIdx.x * TILE;
  const float meanI = i + tx < columns ? mean[i + tx] : 0, meanJ = j + tx < columns ? mean[j + tx] : 0;
  float sum = 0;
  for (int r = 0; r < rows; r += TILE) {
    const bool in = r + ty < rows;
    left[ty][tx] = in && i + tx < columns ? x[(r + ty) * columns + i + tx] - meanI : 0;
    top[ty][tx] = in && j + tx < columns ? x[(r + ty) * columns + j + tx] - meanJ : 0;
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < TILE; k++)
      sum += left[k][ty] * top[k][tx];
    __syncthreads();
  }
  if (i + ty < columns && j + tx < columns) {
    out[(i + ty) * columns + j + tx] = sum / (rows - 1);
    if (i != j)
      out[(j + tx) * columns + i + ty] = sum / (rows - 1);
  }
}

static void testCovariance()
{
  const int rows = 75, columns = 41;
  Array<float> x(rows * columns), mean(columns), out(columns * columns);
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) {
      x[r * columns + c] = sample(r * columns + c) + 0.1f * (c % 5) * sample(r);
      mean[c] += x[r * columns + c] / rows;
    }
  x.push(), mean.push();
  const int tiles = (columns + TILE - 1) / TILE;
  covariance<<<dim3(tiles, tiles), dim3(TILE, TILE)>>>(x.gpu(), mean.gpu(), rows, columns, out.gpu());
  out.pull();
  bool good = true;
  for (int i = 0; i < columns; i++)
    for (int j = 0; j < columns; j++) {
      double want = 0;
      for (int r = 0; r < rows; r++)
        want += (double(x[r * columns + i]) - mean[i]) * (double(x[r * columns + j]) - mean[j]) / (rows - 1);
      good = good && near(out[i * columns + j], want, 1e-5);
    }
  verdict("covariance", good);
}

// ---- k-means: assignment and sums in fixed point, so that their order does not matter; then the centres ----

const int K = 7;

__global__ void assign(const float2 *points, int n, const float2 *centres, unsigned char *label, int3 *sums)
{
  __shared__ int3 local[K];
  __shared__ float2 c[K];
  if (threadIdx.x < K) {
    c[threadIdx.x] = centres[threadIdx.x];
    local[threadIdx.x] = make_int3(0, 0, 0);
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float2 p = points[i];
    int best = 0;
    float least = 3e38f;
#pragma unroll
    for (int k = 0; k < K; k++) {
      const float dx = p.x - c[k].x, dy = p.y - c[k].y, d = dx * dx + dy * dy;
      best = d < least ? k : best;
      least = fminf(d, least);
    }
    label[i] = best;
    atomicAdd(&local[best].x, __float2int_rn(p.x * 1024.0f));
    atomicAdd(&local[best].y, __float2int_rn(p.y * 1024.0f));
    atomicAdd(&local[best].z, 1);
  }
  __syncthreads();
  if (threadIdx.x < K * 3)
    atomicAdd(&reinterpret_cast<int *>(sums)[threadIdx.x], reinterpret_cast<int *>(local)[threadIdx.x]);
}

__global__ void recentre(const int3 *sums, float2 *centres, float *moved)
{
  const int k = threadIdx.x;
  float shift = 0.0f;
  if (k < K && sums[k].z > 0) {
    const float scale = 1.0f / (1024.0f * sums[k].z);
    const float2 old = centres[k], now = make_float2(sums[k].x * scale, sums[k].y * scale);
    centres[k] = now;
    shift = hypotf(now.x - old.x, now.y - old.y);
  }
  for (int d = 4; d; d >>= 1)
    shift = fmaxf(shift, __shfl_xor_sync(0xff, shift, d, 8));
  if (k == 0)
    *moved = shift;
}

static void testMeans()
{
  const int n = 3001;
  Array<float2> points(n), centres(K);
  Array<unsigned char> label(n);
  Array<int3> sums(K);
  Array<float> moved(1);
  for (int i = 0; i < n; i++)
    points[i] = make_float2(4.0f * cosf(0.9f * (i % K)) + sample(i), 4.0f * sinf(0.9f * (i % K)) + sample(i + n));
  for (int k = 0; k < K; k++)
    centres[k] = points[k * 19];
  points.push(), centres.push();
  vector<float2> start(&centres[0], &centres[0] + K);
  assign<<<6, 160>>>(points.gpu(), n, centres.gpu(), label.gpu(), sums.gpu());
  recentre<<<1, 8>>>(sums.gpu(), centres.gpu(), moved.gpu());
  label.pull(), sums.pull(), centres.pull(), moved.pull();
  bool good = true;
  vector<int> count(K, 0);
  vector<double> sx(K, 0), sy(K, 0);
  for (int i = 0; i < n; i++) {
    auto distance = [&](int k) { return pow(double(points[i].x) - start[k].x, 2) + pow(double(points[i].y) - start[k].y, 2); };
    for (int k = 0; k < K; k++)
      good = good && distance(label[i]) <= distance(k) + 1e-5;
    count[label[i]]++, sx[label[i]] += points[i].x, sy[label[i]] += points[i].y;
  }
  double most = 0;
  for (int k = 0; k < K; k++) {
    good = good && sums[k].z == count[k] && count[k] > 0 && near(centres[k].x, sx[k] / count[k], 1e-3) && near(centres[k].y, sy[k] / count[k], 1e-3);
    most = max(most, double(hypotf(centres[k].x - start[k].x, centres[k].y - start[k].y)));
  }
  verdict("k-means", good && near(moved[0], most, 1e-4));
}

int main()
{
  testMoments();
  testQuantiles();
  testTrends();
  testCovariance();
  testMeans();
  puts(mistakes ? "FAILED" : "PASSED");
  return mistakes ? 1 : 0;
}
