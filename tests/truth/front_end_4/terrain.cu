// Terrain: fractal heights, normals, hill shading with shadows, contour lines, thermal erosion, water drops that carve.
#include <cuda_runtime.h>
#include <cmath>
#include <cstdio>
#include <vector>

typedef unsigned char byte;

namespace {

int failures = 0;

void expect(bool good, const char *what)
{
  if (!good) {
    printf("wrong: %s\n", what);
    failures++;
  }
}

template <typename T>
class Grid {
public:
  Grid(int width, int height) : w(width), h(height)
  {
    expect(cudaMallocManaged(&p, sizeof(T) * w * h) == cudaSuccess, "allocation");
    for (int i = 0; i < w * h; i++)
      p[i] = T();
  }
  ~Grid() { cudaFree(p); }
  Grid(const Grid &) = delete;
  T &operator()(int x, int y) { return p[y * w + x]; }
  const int w, h;
  T *p;
};

void finish(const char *what)
{
  expect(cudaGetLastError() == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess, what);
}

}

// Noise whose lattice values come out of a mix of the coordinates' bits.
__host__ __device__ inline float lattice(int x, int y, unsigned seed)
{
  unsigned v = unsigned(x) * 0x9e3779b1u ^ unsigned(y) * 0x85ebca77u ^ seed;
  v = (v ^ (v >> 15)) * 0x2c1b3c6du;
  v = (v ^ (v >> 12)) * 0x297a2d39u;
  return float((v ^ (v >> 15)) >> 8) * (1.0f / 16777216.0f);
}

__host__ __device__ float fractal(float x, float y, int octaves)
{
  float sum = 0.0f, amplitude = 0.5f;
  for (int o = 0; o < octaves; o++) {
    const float fx = floorf(x), fy = floorf(y);
    const int ix = int(fx), iy = int(fy);
    float u = x - fx, v = y - fy;
    u = u * u * (3.0f - 2.0f * u);
    v = v * v * (3.0f - 2.0f * v);
    const float top = lattice(ix, iy, o) + u * (lattice(ix + 1, iy, o) - lattice(ix, iy, o));
    const float low = lattice(ix, iy + 1, o) + u * (lattice(ix + 1, iy + 1, o) - lattice(ix, iy + 1, o));
    sum += amplitude * (top + v * (low - top));
    amplitude *= 0.5f;
    x *= 2.0f;
    y *= 2.0f;
  }
  return sum;
}

__global__ void raise(float *height, int w, int h, float scale, int octaves)
{
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h)
    height[y * w + x] = 40.0f * fractal(x * scale, y * scale, octaves);
}

// A block's heights with an edge of one cell around them; the normal packed in ten bits a component.
template <int TX, int TY>
__global__ void __launch_bounds__(TX *TY) normals(const float *__restrict__ height, int w, int h, unsigned *packed, float3 *normal)
{
  __shared__ float tile[TY + 2][TX + 2];
  const int x0 = blockIdx.x * TX - 1, y0 = blockIdx.y * TY - 1;
  for (int i = threadIdx.y * TX + threadIdx.x; i < (TX + 2) * (TY + 2); i += TX * TY) {
    const int tx = i % (TX + 2), ty = i / (TX + 2);
    tile[ty][tx] = height[min(max(y0 + ty, 0), h - 1) * w + min(max(x0 + tx, 0), w - 1)];
  }
  __syncthreads();
  const int x = x0 + 1 + threadIdx.x, y = y0 + 1 + threadIdx.y;
  if (x >= w || y >= h)
    return;
  const float dx = tile[threadIdx.y + 1][threadIdx.x + 2] - tile[threadIdx.y + 1][threadIdx.x];
  const float dy = tile[threadIdx.y + 2][threadIdx.x + 1] - tile[threadIdx.y][threadIdx.x + 1];
  const float scale = rsqrtf(dx * dx + dy * dy + 4.0f);
  const float3 n = make_float3(-dx * scale, -dy * scale, 2.0f * scale);
  normal[y * w + x] = n;
  packed[y * w + x] = unsigned((n.x * 0.5f + 0.5f) * 1023.0f) | unsigned((n.y * 0.5f + 0.5f) * 1023.0f) << 10 | unsigned(n.z * 1023.0f) << 20;
}

// Lambert's shade of a cell, or darkness where a ridge towards the sun is higher than the ray.
__global__ void hillshade(const float *height, const float3 *normal, byte *shade, int w, int h, float azimuth, float altitude, int reach)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h)
    return;
  const int x = i % w, y = i / w;
  const float sx = __cosf(azimuth), sy = __sinf(azimuth), rise = __tanf(altitude);
  const float3 n = normal[i];
  const float flat = cosf(altitude);
  float light = fmaxf(0.0f, (n.x * sx + n.y * sy) * flat + n.z * sinf(altitude));
  const float base = height[i] + 0.01f;
  for (int s = 1; s <= reach; s++) {
    const int qx = x + __float2int_rn(s * sx), qy = y + __float2int_rn(s * sy);
    if (qx < 0 || qy < 0 || qx >= w || qy >= h)
      break;
    if (height[qy * w + qx] > base + s * rise) {
      light *= 0.25f;
      break;
    }
  }
  shade[i] = byte(__saturatef(light) * 255.0f + 0.5f);
}

struct Segment {
  float x0, y0, x1, y1;
};

// Marching squares at a level; every crossing takes a place in a list, in no order.
__global__ void contour(const float *__restrict__ height, int w, int h, float level, Segment *list, int *count, int capacity)
{
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= w - 1)
    return;
  const float a = height[y * w + x], b = height[y * w + x + 1], c = height[(y + 1) * w + x + 1], d = height[(y + 1) * w + x];
  const int code = (a > level) | (b > level) << 1 | (c > level) << 2 | (d > level) << 3;
  if (code == 0 || code == 15)
    return;
  float2 point[4];
  int points = 0;
  if ((code & 1) != (code >> 1 & 1))
    point[points++] = make_float2(x + __fdividef(level - a, b - a), y);
  if ((code >> 1 & 1) != (code >> 2 & 1))
    point[points++] = make_float2(x + 1, y + __fdividef(level - b, c - b));
  if ((code >> 2 & 1) != (code >> 3 & 1))
    point[points++] = make_float2(x + __fdividef(level - d, c - d), y + 1);
  if ((code >> 3 & 1) != (code & 1))
    point[points++] = make_float2(x, y + __fdividef(level - a, d - a));
  const int at = atomicAdd(count, points / 2);
  for (int k = 0; k + 1 < points; k += 2)
    if (at + k / 2 < capacity)
      list[at + k / 2] = Segment{point[k].x, point[k].y, point[k + 1].x, point[k + 1].y};
}

// What slides to and from each neighbour where the slope is beyond the talus: a pure gather, so mass stays.
__host__ __device__ inline float slide(float here, float there, float talus, float rate)
{
  const float d = there - here;
  return d > talus ? rate * (d - talus) : d < -talus ? rate * (d + talus) : 0.0f;
}

__global__ void erode(const float *__restrict__ from, float *__restrict__ to, int w, int h, float talus, float rate)
{
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < w * h; i += stride) {
    const int y = i / w, x = i - y * w;
    const float here = from[i];
    float change = 0.0f;
#pragma unroll
    for (int dy = -1; dy <= 1; dy++)
#pragma unroll
      for (int dx = -1; dx <= 1; dx++) {
        const int qx = x + dx, qy = y + dy;
        if ((dx || dy) && qx >= 0 && qx < w && qy >= 0 && qy < h)
          change += slide(here, from[qy * w + qx], dx && dy ? talus * 1.41421356f : talus, rate);
      }
    to[i] = here + change;
  }
}

// Drops run down the steepest way until they lie in a pit; each cell counts those that went through it.
__global__ void rain(const float *height, int w, int h, int drops, int longest, unsigned *flow, int *ends)
{
  const int drop = blockIdx.x * blockDim.x + threadIdx.x;
  if (drop >= drops)
    return;
  int at = (drop * 7919 + 13) % (w * h), steps = 0;
  while (steps < longest) {
    atomicAdd(&flow[at], 1u);
    const int x = at % w, y = at / w;
    int best = at;
    float lowest = height[at];
    for (int k = 0; k < 4; k++) {
      const int qx = x + (k == 0) - (k == 1), qy = y + (k == 2) - (k == 3);
      if (unsigned(qx) < unsigned(w) && unsigned(qy) < unsigned(h) && height[qy * w + qx] < lowest) {
        lowest = height[qy * w + qx];
        best = qy * w + qx;
      }
    }
    if (best == at)
      break;
    at = best;
    steps++;
  }
  ends[drop] = at;
}

int main()
{
  const int w = 101, h = 67;
  Grid<float> height(w, h), eroded(w, h);
  raise<<<dim3((w + 31) / 32, (h + 3) / 4), dim3(32, 4)>>>(height.p, w, h, 0.07f, 5);
  finish("raise");
  bool good = true;
  for (int i = 0; i < w * h; i++)
    good &= std::fabs(height.p[i] - 40.0f * fractal((i % w) * 0.07f, (i / w) * 0.07f, 5)) < 0.01f;
  expect(good, "heights");

  Grid<unsigned> packed(w, h), flow(w, h);
  Grid<float3> normal(w, h);
  normals<16, 8><<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8)>>>(height.p, w, h, packed.p, normal.p);
  finish("normals");
  good = true;
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      const float dx = height(x + 1 < w ? x + 1 : x, y) - height(x ? x - 1 : 0, y);
      const float dy = height(x, y + 1 < h ? y + 1 : y) - height(x, y ? y - 1 : 0);
      const float s = 1.0f / std::sqrt(dx * dx + dy * dy + 4.0f);
      const float3 n = normal(x, y);
      good &= std::fabs(n.x + dx * s) < 1e-5f && std::fabs(n.y + dy * s) < 1e-5f && std::fabs(n.z - 2 * s) < 1e-5f;
      good &= std::fabs(float(packed(x, y) & 1023) - (n.x * 0.5f + 0.5f) * 1023.0f) < 1.01f && std::fabs(float(packed(x, y) >> 20) - n.z * 1023.0f) < 1.01f;
    }
  expect(good, "slopes");

  Grid<byte> shade(w, h);
  const float azimuth = 0.6f, altitude = 0.5f;
  hillshade<<<(w * h + 127) / 128, 128>>>(height.p, normal.p, shade.p, w, h, azimuth, altitude, 24);
  finish("hillshade");
  int different = 0, dark = 0;
  for (int i = 0; i < w * h; i++) {
    const double sx = std::cos(azimuth), sy = std::sin(azimuth), rise = std::tan(altitude);
    double light = std::fmax(0.0, (normal.p[i].x * sx + normal.p[i].y * sy) * std::cos(altitude) + normal.p[i].z * std::sin(altitude));
    for (int s = 1; s <= 24; s++) {
      const int x = i % w + int(std::rint(s * sx)), y = i / w + int(std::rint(s * sy));
      if (x < 0 || y < 0 || x >= w || y >= h)
        break;
      if (height(x, y) > height.p[i] + 0.01 + s * rise) {
        light *= 0.25, dark++;
        break;
      }
    }
    different += std::fabs(shade.p[i] - std::fmin(light, 1.0) * 255.0) > 1.5;
  }
  expect(different < 20 && dark > 0, "shades");

  Grid<Segment> list(w, h);
  Grid<int> count(1, 1);
  const float level = 20.0f;
  contour<<<dim3((w - 1 + 47) / 48, h - 1), 48>>>(height.p, w, h, level, list.p, count.p, w * h);
  finish("contour");
  int crossings = 0;
  for (int y = 0; y < h - 1; y++)
    for (int x = 0; x < w - 1; x++) {
      const bool a = height(x, y) > level, b = height(x + 1, y) > level, c = height(x + 1, y + 1) > level, d = height(x, y + 1) > level;
      crossings += ((a != b) + (b != c) + (c != d) + (d != a)) / 2;
    }
  good = count.p[0] == crossings && crossings > 0;
  for (int i = 0; i < crossings && good; i++) {
    const Segment s = list.p[i];
    const int x = int(s.x0), y = int(s.y0);
    const float fx = s.x0 - x, fy = s.y0 - y;
    const float right = x + 1 < w ? height(x + 1, y) : height(x, y), below = y + 1 < h ? height(x, y + 1) : height(x, y);
    const float there = fy == 0.0f ? height(x, y) + fx * (right - height(x, y)) : height(x, y) + fy * (below - height(x, y));
    good &= std::fabs(there - level) < 0.02f && std::fabs(s.x1 - s.x0) < 1.01f && std::fabs(s.y1 - s.y0) < 1.01f;
  }
  expect(good, "contour lines");

  erode<<<7, 192>>>(height.p, eroded.p, w, h, 0.5f, 0.1f);
  finish("erode");
  double before = 0, after = 0;
  for (int i = 0; i < w * h; i++)
    before += height.p[i], after += eroded.p[i];
  good = std::fabs(before - after) < 1e-5 * before;
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) {
      float want = height(x, y);
      for (int k = 0; k < 9; k++)
        if (k != 4)
          want += slide(height(x, y), height(x + k % 3 - 1, y + k / 3 - 1), k % 2 ? 0.5f : 0.70710678f, 0.1f);
      good &= std::fabs(want - eroded(x, y)) < 1e-3f;
    }
  expect(good, "erosion");

  const int drops = 2900;
  Grid<int> ends(drops, 1);
  rain<<<(drops + 223) / 224, 224>>>(eroded.p, w, h, drops, 60, flow.p, ends.p);
  finish("rain");
  std::vector<unsigned> want(w * h, 0);
  good = true;
  for (int drop = 0; drop < drops; drop++) {
    int at = (drop * 7919 + 13) % (w * h);
    for (int s = 0; s < 60; s++) {
      want[at]++;
      const int x = at % w, y = at / w, to[4] = {x + 1 < w ? at + 1 : at, x ? at - 1 : at, y + 1 < h ? at + w : at, y ? at - w : at};
      int best = at;
      for (int k = 0; k < 4; k++)
        best = eroded.p[to[k]] < eroded.p[best] ? to[k] : best;
      if (best == at)
        break;
      at = best;
    }
    good &= ends.p[drop] == at;
  }
  for (int i = 0; i < w * h; i++)
    good &= flow.p[i] == want[i];
  expect(good, "rain");
  puts(failures ? "FAILED" : "PASSED");
  return failures != 0;
}
