// Colour: YCbCr with packed chroma, HSV, histogram equalisation, ordered dither to a palette, bfloat16 tone mapping.
#include <cuda_runtime.h>
#include <cuda_bf16.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace color {

constexpr int WIDTH = 130, HEIGHT = 46, PIXELS = WIDTH * HEIGHT;

template <typename T>
struct Device {
  T *p = nullptr;
  size_t n;
  Device(size_t count) : n(count)
  {
    if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess || cudaMemset(p, 0, n * sizeof(T)) != cudaSuccess)
      throw std::string("memory");
  }
  Device(const std::vector<T> &v) : Device(v.size()) { cudaMemcpy(p, v.data(), n * sizeof(T), cudaMemcpyDefault); }
  Device(const Device &) = delete;
  ~Device() { cudaFree(p); }
  operator T *() { return p; }
  std::vector<T> host() const
  {
    std::vector<T> v(n);
    if (cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDefault) != cudaSuccess)
      throw std::string("copy");
    return v;
  }
};

static std::vector<uchar4> picture()
{
  std::vector<uchar4> v(PIXELS);
  for (int i = 0; i < PIXELS; i++) {
    const int x = i % WIDTH, y = i / WIDTH;
    v[i] = make_uchar4(x * 255 / WIDTH, (y * 5 + (x ^ y)) & 255, (x * y >> 4) & 127, 255 - (i & 15));
  }
  return v;
}

// ---- 4:2:0: a thread takes two by two pixels; integers with eight bits of fraction ----

__host__ __device__ inline uint8_t clampByte(int v) { return v < 0 ? 0 : v > 255 ? 255 : v; }
__host__ __device__ inline uint8_t luma(uchar4 c) { return clampByte(((66 * c.x + 129 * c.y + 25 * c.z + 128) >> 8) + 16); }

__host__ __device__ inline uchar2 chroma(int r, int g, int b)
{
  return make_uchar2(clampByte(((-38 * r - 74 * g + 112 * b + 512) >> 10) + 128), clampByte(((112 * r - 94 * g - 18 * b + 512) >> 10) + 128));
}

__global__ void toYuv420(const uchar4 *__restrict__ rgba, uint8_t *__restrict__ y, uchar2 *__restrict__ uv, int w, int h)
{
  const int bx = blockIdx.x * blockDim.x + threadIdx.x, by = blockIdx.y * blockDim.y + threadIdx.y;
  if (2 * bx >= w || 2 * by >= h)
    return;
  int3 sum = {0, 0, 0};
#pragma unroll
  for (int k = 0; k < 4; k++) {
    const int at = (2 * by + (k >> 1)) * w + 2 * bx + (k & 1);
    const uchar4 c = rgba[at];
    y[at] = luma(c);
    sum.x += c.x, sum.y += c.y, sum.z += c.z;
  }
  uv[by * (w / 2) + bx] = chroma(sum.x, sum.y, sum.z);
}

static bool yuv()
{
  const std::vector<uchar4> in = picture();
  Device<uchar4> rgba(in);
  Device<uint8_t> y(PIXELS);
  Device<uchar2> uv(PIXELS / 4);
  toYuv420<<<dim3((WIDTH / 2 + 31) / 32, (HEIGHT / 2 + 3) / 4), dim3(32, 4)>>>(rgba, y, uv, WIDTH, HEIGHT);
  const auto gy = y.host();
  const auto guv = uv.host();
  bool good = true;
  for (int i = 0; i < PIXELS; i++)
    good &= gy[i] == luma(in[i]);
  for (int i = 0; i < PIXELS / 4; i++) {
    const int at = i / (WIDTH / 2) * 2 * WIDTH + i % (WIDTH / 2) * 2, o[4] = {at, at + 1, at + WIDTH, at + WIDTH + 1};
    int r = 0, g = 0, b = 0;
    for (int k : o)
      r += in[k].x, g += in[k].y, b += in[k].z;
    const uchar2 want = chroma(r, g, b);
    good &= want.x == guv[i].x && want.y == guv[i].y;
  }
  return good;
}

// ---- Hue turned and saturation scaled, by way of HSV ----

__host__ __device__ float3 toHsv(float r, float g, float b)
{
  const float high = fmaxf(r, fmaxf(g, b)), low = fminf(r, fminf(g, b)), range = high - low;
  float hue = 0.0f;
  if (range > 0.0f) {
    if (high == r)
      hue = (g - b) / range + (g < b ? 6.0f : 0.0f);
    else if (high == g)
      hue = (b - r) / range + 2.0f;
    else
      hue = (r - g) / range + 4.0f;
  }
  return make_float3(hue, high > 0.0f ? range / high : 0.0f, high);
}

__host__ __device__ float3 fromHsv(float3 c)
{
  const float chroma = c.z * c.y, x = chroma * (1.0f - fabsf(fmodf(c.x, 2.0f) - 1.0f)), m = c.z - chroma;
  switch (int(c.x)) {
  case 0: return make_float3(chroma + m, x + m, m);
  case 1: return make_float3(x + m, chroma + m, m);
  case 2: return make_float3(m, chroma + m, x + m);
  case 3: return make_float3(m, x + m, chroma + m);
  case 4: return make_float3(x + m, m, chroma + m);
  default: return make_float3(chroma + m, m, x + m);
  }
}

__host__ __device__ inline float3 turned(uchar4 c, float turn, float saturate)
{
  float3 hsv = toHsv(c.x / 255.0f, c.y / 255.0f, c.z / 255.0f);
  hsv.x = fmodf(hsv.x + turn, 6.0f);
  hsv.y = fminf(1.0f, hsv.y * saturate);
  return fromHsv(hsv);
}

__global__ void turnHue(const uchar4 *rgba, float *planes, int n, float turn, float saturate)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float3 c = turned(rgba[i], turn, saturate);
    planes[i] = c.x;
    planes[n + i] = c.y;
    planes[2 * n + i] = c.z;
  }
}

static bool hues()
{
  const std::vector<uchar4> in = picture();
  const int n = PIXELS - 37;
  Device<uchar4> rgba(in);
  Device<float> planes(3 * n);
  turnHue<<<(n + 191) / 192, 192>>>(rgba, planes, n, 1.3f, 1.4f);
  const auto got = planes.host();
  int wrong = 0;
  for (int i = 0; i < n; i++) {
    const float3 c = turned(in[i], 1.3f, 1.4f);
    wrong += std::fabs(c.x - got[i]) > 1e-4f || std::fabs(c.y - got[n + i]) > 1e-4f || std::fabs(c.z - got[2 * n + i]) > 1e-4f;
  }
  return wrong == 0;
}

// ---- Equalisation: counts by warp in shared memory, then a table by a scan of one block, then the table applied ----

template <int WARPS>
__global__ void histogram(const uint32_t *fourPixels, int words, unsigned *bins)
{
  __shared__ unsigned counts[WARPS][256];
  for (int i = threadIdx.x; i < WARPS * 256; i += blockDim.x)
    (&counts[0][0])[i] = 0;
  __syncthreads();
  unsigned *mine = counts[threadIdx.x / 32];
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += gridDim.x * blockDim.x) {
    uint32_t word = fourPixels[i];
    for (; word; word >>= 8)
      atomicAdd(mine + (word & 255), 1);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) {
    unsigned sum = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++)
      sum += counts[w][b];
    if (sum)
      atomicAdd(&bins[b], sum);
  }
}

__global__ void equaliser(const unsigned *bins, uint8_t *table)
{
  __shared__ unsigned scan[2][256];
  const int b = threadIdx.x;
  int from = 0;
  scan[0][b] = bins[b];
  for (int d = 1; d < 256; d *= 2) {
    __syncthreads();
    scan[from ^ 1][b] = scan[from][b] + (b >= d ? scan[from][b - d] : 0);
    from ^= 1;
  }
  __syncthreads();
  const unsigned total = scan[from][255];
  table[b] = total ? (scan[from][b] * 255u + total / 2) / total : b;
}

__global__ void lookUp(const uchar4 *in, uchar4 *out, const uint8_t *__restrict__ table, int n)
{
  __shared__ alignas(4) uint8_t local[256];
  for (int i = threadIdx.x; i < 64; i += blockDim.x)
    reinterpret_cast<uint32_t *>(local)[i] = reinterpret_cast<const uint32_t *>(table)[i];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uchar4 c = in[i];
  c.x = local[c.x], c.y = local[c.y], c.z = local[c.z], c.w = local[c.w];
  out[i] = c;
}

static bool equalise()
{
  std::vector<uchar4> grey = picture();
  const int words = PIXELS / 4 - 3;
  std::vector<uint32_t> packed(words);
  std::memcpy(packed.data(), grey.data(), words * 4);
  Device<uchar4> in(grey), out(words);
  Device<unsigned> bins(256);
  Device<uint8_t> table(256);
  histogram<4><<<3, 128>>>(reinterpret_cast<uint32_t *>(in.p), words, bins);
  equaliser<<<1, 256>>>(bins, table);
  lookUp<<<(words + 127) / 128, 128>>>(in, out, table, words);
  std::vector<unsigned> count(256, 0);
  for (uint32_t w : packed)
    for (; w; w >>= 8)
      count[w & 255]++;
  bool good = bins.host() == count;
  unsigned total = 0, sum = 0;
  for (unsigned c : count)
    total += c;
  std::vector<uint8_t> want(256);
  for (int b = 0; b < 256; b++)
    sum += count[b], want[b] = (sum * 255u + total / 2) / total;
  good &= table.host() == want;
  const auto got = out.host();
  for (int i = 0; i < words; i++)
    good &= got[i].x == want[grey[i].x] && got[i].y == want[grey[i].y] && got[i].z == want[grey[i].z] && got[i].w == want[grey[i].w];
  return good;
}

// ---- Ordered dither: Bayer's matrix from interleaved bits, and the nearest of a palette ----

__host__ __device__ inline int bayer(int x, int y)
{
  const int d = x ^ y;
  return (d & 1) << 5 | (y & 1) << 4 | (d & 2) << 2 | (y & 2) << 1 | (d & 4) >> 1 | (y & 4) >> 2;
}

__host__ __device__ inline int nearestIn(const uchar4 *palette, int colours, int r, int g, int b)
{
  int best = 0, least = 1 << 30;
  for (int k = 0; k < colours; k++) {
    const uchar4 p = palette[k];
    const int dr = r - p.x, dg = g - p.y, db = b - p.z;
    const int distance = 3 * dr * dr + 6 * dg * dg + db * db;
    if (distance < least)
      least = distance, best = k;
  }
  return best;
}

__constant__ uchar4 palette[16];

// Two pixels to a byte, a nibble each.
__global__ void dither(const uchar4 *__restrict__ rgba, int w, int h, int strength, int colours, uint8_t *packed)
{
  const int x = 2 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y;
  if (x >= w)
    return;
  unsigned two = 0;
  for (int k = 0; k < 2; k++) {
    const uchar4 c = rgba[y * w + x + k];
    const int shift = (bayer(x + k, y) - 32) * strength / 64;
    two |= nearestIn(palette, colours, clampByte(c.x + shift), clampByte(c.y + shift), clampByte(c.z + shift)) << 4 * k;
  }
  packed[(y * w + x) / 2] = two;
}

static bool dithering()
{
  const std::vector<uchar4> in = picture();
  uchar4 colours[16];
  for (int k = 0; k < 16; k++)
    colours[k] = make_uchar4((k & 1) * 170 + (k >> 3) * 85, (k >> 1 & 1) * 170 + (k >> 3) * 85, (k >> 2 & 1) * 170, 255);
  cudaMemcpyToSymbol(palette, colours, sizeof colours);
  Device<uchar4> rgba(in);
  Device<uint8_t> packed(PIXELS / 2);
  dither<<<dim3((WIDTH / 2 + 63) / 64, HEIGHT), 64>>>(rgba, WIDTH, HEIGHT, 48, 13, packed);
  const auto got = packed.host();
  bool good = true;
  for (int i = 0; i < PIXELS; i++) {
    const int shift = (bayer(i % WIDTH, i / WIDTH) - 32) * 48 / 64;
    const int want = nearestIn(colours, 13, clampByte(in[i].x + shift), clampByte(in[i].y + shift), clampByte(in[i].z + shift));
    good &= (got[i / 2] >> 4 * (i & 1) & 15) == want;
  }
  return good;
}

// ---- Light in bfloat16, three to a pixel, to bytes of sRGB ----

__global__ void toneMap(const __nv_bfloat16 *light, float exposure, uint8_t *srgb, int n)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const float v = __bfloat162float(light[i]) * exposure;
    const float x = v * (2.51f * v + 0.03f) / (v * (2.43f * v + 0.59f) + 0.14f);
    const float linear = fminf(fmaxf(x, 0.0f), 1.0f);
    const float s = linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1.0f / 2.4f) - 0.055f;
    srgb[i] = uint8_t(lrintf(255.0f * s));
  }
}

static bool toneMapping()
{
  const int n = 3 * 1501;
  std::vector<__nv_bfloat16> light(n);
  for (int i = 0; i < n; i++)
    light[i] = __float2bfloat16(i < 300 ? 0.00002f * i : std::exp2(-9.0f + 14.0f * i / n));
  Device<__nv_bfloat16> in(light);
  Device<uint8_t> out(n);
  toneMap<<<7, 160>>>(in, 0.8f, out, n);
  const auto got = out.host();
  int wrong = 0;
  for (int i = 0; i < n; i++) {
    const double v = double(__bfloat162float(light[i])) * 0.8f;
    const double x = std::min(1.0, std::max(0.0, v * (2.51 * v + 0.03) / (v * (2.43 * v + 0.59) + 0.14)));
    wrong += std::fabs(got[i] - 255 * (x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055)) > 0.51;
  }
  return wrong == 0;
}

}

int main()
{
  bool passed = true;
  const struct { const char *name; bool (*run)(); } tests[] = {
    {"yuv", color::yuv}, {"hues", color::hues}, {"equalise", color::equalise}, {"dithering", color::dithering}, {"toneMapping", color::toneMapping}};
  for (const auto &t : tests)
    try {
      if (!t.run())
        passed = false, std::printf("%s: wrong\n", t.name);
    } catch (const std::string &what) {
      passed = false, std::printf("%s: %s\n", t.name, what.c_str());
    }
  std::puts(passed ? "PASSED" : "FAILED");
  return passed ? 0 : 1;
}
