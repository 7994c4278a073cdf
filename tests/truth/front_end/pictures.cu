// Texture objects: rotation with bilinear filtering, an RGBA picture of normalised bytes, a table in linear memory, rays through a volume.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

static void check(cudaError_t e, int line)
{
  if (e == cudaSuccess) return;
  printf("line %d: %s\nFAILED\n", line, cudaGetErrorString(e));
  exit(1);
}
#define ck(x) check((x), __LINE__)

__global__ void transformKernel(float *output, int width, int height, float theta, cudaTextureObject_t tex)
{
  unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;

  float u = (float)x - (float)width / 2;
  float v = (float)y - (float)height / 2;
  float tu = (u * cosf(theta) - v * sinf(theta)) / width;
  float tv = (v * cosf(theta) + u * sinf(theta)) / height;

  output[y * width + x] = tex2D<float>(tex, tu + 0.5f, tv + 0.5f);
}

__global__ void brighten(uchar4 *out, int width, int height, float gain, cudaTextureObject_t tex)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    float4 c = tex2D<float4>(tex, x, y);
    float4 l = tex2D<float4>(tex, x - 1, y), r = tex2D<float4>(tex, x + 1, y);
    c.x = __saturatef((c.x * 2 + l.x + r.x) * 0.25f * gain);
    c.y = __saturatef((c.y * 2 + l.y + r.y) * 0.25f * gain);
    c.z = __saturatef((c.z * 2 + l.z + r.z) * 0.25f * gain);
    out[y * width + x] = make_uchar4(c.x * 255.0f, c.y * 255.0f, c.z * 255.0f, c.w * 255.0f);
  }
}

__global__ void gatherTable(const int *index, float2 *out, int n, cudaTextureObject_t table)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float2 a = tex1Dfetch<float2>(table, index[i]);
    float2 b = tex1Dfetch<float2>(table, index[n - 1 - i]);
    out[i] = make_float2(a.x + b.y, a.y - b.x);
  }
}

__global__ void maximumIntensity(float *out, int w, int h, int depth, cudaTextureObject_t volume)
{
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h) return;
  float best = 0.0f;
  for (int z = 0; z < depth; z++) {
    float v = tex3D<float>(volume, x + 0.25f * z, y + 0.5f, z + 0.5f);
    best = fmaxf(best, v);
    if (best > 0.995f) break;
  }
  out[y * w + x] = best;
}

static float clampf(float v, float lo, float hi) { return v < lo ? lo : v > hi ? hi : v; }

int main(int, char **)
{
  int bad = 0;
  const int W = 150, H = 110;
  std::vector<float> image(W * H), result(W * H);
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) image[y * W + x] = 0.5f + 0.25f * sinf(x * 0.1f) + 0.2f * cosf(y * 0.15f);
  cudaChannelFormatDesc desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaArray_t arr;
  ck(cudaMallocArray(&arr, &desc, W, H));
  ck(cudaMemcpy2DToArray(arr, 0, 0, image.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
  cudaResourceDesc res = {};
  res.resType = cudaResourceTypeArray;
  res.res.array.array = arr;
  cudaTextureDesc td = {};
  td.addressMode[0] = td.addressMode[1] = cudaAddressModeWrap;
  td.filterMode = cudaFilterModeLinear;
  td.readMode = cudaReadModeElementType;
  td.normalizedCoords = 1;
  cudaTextureObject_t tex;
  ck(cudaCreateTextureObject(&tex, &res, &td, NULL));
  float *dOut;
  ck(cudaMalloc(&dOut, W * H * 4));
  const float theta = 0.6f;
  transformKernel<<<dim3((W + 7) / 8, (H + 7) / 8), dim3(8, 8)>>>(dOut, W, H, theta, tex);
  ck(cudaGetLastError());
  ck(cudaMemcpy(result.data(), dOut, W * H * 4, cudaMemcpyDeviceToHost));
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      float u = x - W / 2.0f, v = y - H / 2.0f;
      float s = ((u * cosf(theta) - v * sinf(theta)) / W + 0.5f) * W - 0.5f, t = ((v * cosf(theta) + u * sinf(theta)) / H + 0.5f) * H - 0.5f;
      int i = (int)floorf(s), j = (int)floorf(t);
      float a = s - i, b = t - j;
      auto at = [&](int p, int q) { return image[((q % H) + H) % H * W + ((p % W) + W) % W]; };
      float want = (1 - b) * ((1 - a) * at(i, j) + a * at(i + 1, j)) + b * ((1 - a) * at(i, j + 1) + a * at(i + 1, j + 1));
      bad += fabsf(want - result[y * W + x]) > 0.01f;
    }

  std::vector<uchar4> rgba(W * H), lit(W * H);
  for (int i = 0; i < W * H; i++) rgba[i] = make_uchar4(i % 200, (i / W) * 2, (i * 7) % 251, i % 256);
  cudaChannelFormatDesc cd = cudaCreateChannelDesc<uchar4>();
  cudaArray_t carr;
  ck(cudaMallocArray(&carr, &cd, W, H));
  ck(cudaMemcpy2DToArray(carr, 0, 0, rgba.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
  res.res.array.array = carr;
  td.addressMode[0] = td.addressMode[1] = cudaAddressModeClamp;
  td.filterMode = cudaFilterModePoint;
  td.readMode = cudaReadModeNormalizedFloat;
  td.normalizedCoords = 0;
  cudaTextureObject_t ctex;
  ck(cudaCreateTextureObject(&ctex, &res, &td, NULL));
  brighten<<<dim3((W + 31) / 32, (H + 3) / 4), dim3(32, 4)>>>((uchar4 *)dOut, W, H, 1.3f, ctex);
  ck(cudaMemcpy(lit.data(), dOut, W * H * 4, cudaMemcpyDeviceToHost));
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      const uchar4 *row = &rgba[y * W];
      uchar4 c = row[x], l = row[x ? x - 1 : 0], r = row[x < W - 1 ? x + 1 : x], g = lit[y * W + x];
      bad += abs((int)clampf((c.x * 2 + l.x + r.x) * 0.325f, 0, 255) - g.x) > 1 || abs((int)clampf((c.z * 2 + l.z + r.z) * 0.325f, 0, 255) - g.z) > 1;
      bad += abs(c.w - g.w) > 1;
    }

  const int n = 9000, entries = 777;
  std::vector<float2> table(entries), picked(n);
  std::vector<int> index(n);
  for (int i = 0; i < entries; i++) table[i] = make_float2(i * 0.5f, 1000.0f - i);
  for (int i = 0; i < n; i++) index[i] = i * 31 % entries;
  float2 *dTable, *dPicked;
  int *dIndex;
  ck(cudaMalloc(&dTable, entries * sizeof(float2)));
  ck(cudaMalloc(&dPicked, n * sizeof(float2)));
  ck(cudaMalloc(&dIndex, n * sizeof(int)));
  ck(cudaMemcpy(dTable, table.data(), entries * sizeof(float2), cudaMemcpyHostToDevice));
  ck(cudaMemcpy(dIndex, index.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  cudaResourceDesc lin = {};
  lin.resType = cudaResourceTypeLinear;
  lin.res.linear.devPtr = dTable;
  lin.res.linear.desc = cudaCreateChannelDesc<float2>();
  lin.res.linear.sizeInBytes = entries * sizeof(float2);
  cudaTextureDesc ltd = {};
  ltd.readMode = cudaReadModeElementType;
  cudaTextureObject_t ltex;
  ck(cudaCreateTextureObject(&ltex, &lin, &ltd, NULL));
  gatherTable<<<(n + 255) / 256, 256>>>(dIndex, dPicked, n, ltex);
  ck(cudaMemcpy(picked.data(), dPicked, n * sizeof(float2), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) {
    float2 a = table[index[i]], b = table[index[n - 1 - i]];
    bad += picked[i].x != a.x + b.y || picked[i].y != a.y - b.x;
  }

  const int S = 48, D = 20;
  std::vector<float> vol(S * S * D), mip(S * S);
  for (int z = 0; z < D; z++)
    for (int y = 0; y < S; y++)
      for (int x = 0; x < S; x++) {
        float d = (x - 24) * (x - 24) + (y - 20) * (y - 20) + (z - 10) * (z - 10) * 3.0f;
        vol[(z * S + y) * S + x] = d < 60 ? 1.0f : 20.0f / d;
      }
  cudaArray_t varr;
  ck(cudaMalloc3DArray(&varr, &desc, make_cudaExtent(S, S, D)));
  cudaMemcpy3DParms cp = {};
  cp.srcPtr = make_cudaPitchedPtr(vol.data(), S * 4, S, S);
  cp.dstArray = varr;
  cp.extent = make_cudaExtent(S, S, D);
  cp.kind = cudaMemcpyHostToDevice;
  ck(cudaMemcpy3D(&cp));
  res.res.array.array = varr;
  cudaTextureDesc vtd = {};
  vtd.addressMode[0] = vtd.addressMode[1] = vtd.addressMode[2] = cudaAddressModeClamp;
  vtd.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t vtex;
  ck(cudaCreateTextureObject(&vtex, &res, &vtd, NULL));
  maximumIntensity<<<dim3(3, 6), dim3(16, 8)>>>(dOut, S, S, D, vtex);
  ck(cudaMemcpy(mip.data(), dOut, S * S * 4, cudaMemcpyDeviceToHost));
  for (int y = 0; y < S; y++)
    for (int x = 0; x < S; x++) {
      float best = 0;
      for (int z = 0; z < D && best <= 0.995f; z++) {
        float s = x + 0.25f * z - 0.5f;
        int i = (int)floorf(s), p = i < 0 ? 0 : i > S - 1 ? S - 1 : i, q = i + 1 > S - 1 ? S - 1 : i + 1;
        float a = s - i;
        best = fmaxf(best, (1 - a) * vol[(z * S + y) * S + p] + a * vol[(z * S + y) * S + q]);
      }
      bad += fabsf(best - mip[y * S + x]) > 0.01f;
    }
  printf("%s\n", bad ? "FAILED" : "PASSED");
  return bad ? 1 : 0;
}
