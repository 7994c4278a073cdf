// Transforms of blocks: DCT and quantisation of 8 x 8 pixels, FFT of 256 points in shared memory, a wavelet, autocorrelation.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define BLOCK_SIZE 8
#define PI 3.14159265358979323846

__constant__ float DCTv8matrix[64];
__constant__ short Q[64];

__global__ void dctQuantise(short *dst, const unsigned char *src, int stride)
{
  __shared__ float block1[BLOCK_SIZE * BLOCK_SIZE * 4];
  __shared__ float block2[BLOCK_SIZE * BLOCK_SIZE * 4];
  const int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
  float *in = block1 + tz * 64, *tmp = block2 + tz * 64;
  const int x = (blockIdx.x * 4 + tz) * BLOCK_SIZE + tx, y = blockIdx.y * BLOCK_SIZE + ty;

  in[ty * BLOCK_SIZE + tx] = (float)src[y * stride + x] - 128.0f;
  __syncthreads();

  float curelem = 0;
#pragma unroll
  for (int i = 0; i < BLOCK_SIZE; i++)
    curelem += DCTv8matrix[ty * BLOCK_SIZE + i] * in[i * BLOCK_SIZE + tx];
  tmp[ty * BLOCK_SIZE + tx] = curelem;
  __syncthreads();

  curelem = 0;
#pragma unroll
  for (int i = 0; i < BLOCK_SIZE; i++)
    curelem += tmp[ty * BLOCK_SIZE + i] * DCTv8matrix[tx * BLOCK_SIZE + i];

  short q = Q[ty * BLOCK_SIZE + tx];
  dst[y * stride + x] = (short)rintf(curelem / q);
}

__device__ float2 cmul(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
__device__ float2 cadd(float2 a, float2 b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ float2 csub(float2 a, float2 b) { return make_float2(a.x - b.x, a.y - b.y); }

template <int N>
__global__ void fftStockham(const float2 *in, float2 *out)
{
  __shared__ float2 s[2][N];
  const int t = threadIdx.x;
  in += blockIdx.x * N;
  out += blockIdx.x * N;
  s[0][t] = in[t];
  s[0][t + N / 2] = in[t + N / 2];
  int cur = 0;
  for (int ns = 1; ns < N; ns *= 2) {
    __syncthreads();
    float2 a = s[cur][t], b = s[cur][t + N / 2];
    float angle = -(float)PI * (t % ns) / ns, sn, cs;
    sincosf(angle, &sn, &cs);
    b = cmul(b, make_float2(cs, sn));
    int j = (t / ns) * ns * 2 + t % ns;
    s[cur ^ 1][j] = cadd(a, b);
    s[cur ^ 1][j + ns] = csub(a, b);
    cur ^= 1;
  }
  __syncthreads();
  out[t] = s[cur][t];
  out[t + N / 2] = s[cur][t + N / 2];
}

__global__ void haarRow(float *data, int n)
{
  extern __shared__ float row[];
  float *d = data + (size_t)blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) row[i] = d[i];
  __syncthreads();
  for (int len = n / 2; len >= 1; len /= 2) {
    float lo[2], hi[2];
    for (int k = 0; k < 2; k++) {
      int i = threadIdx.x + k * blockDim.x;
      if (i < len) {
        lo[k] = (row[2 * i] + row[2 * i + 1]) * 0.70710678f;
        hi[k] = (row[2 * i] - row[2 * i + 1]) * 0.70710678f;
      }
    }
    __syncthreads();
    for (int k = 0; k < 2; k++) {
      int i = threadIdx.x + k * blockDim.x;
      if (i < len) {
        row[i] = lo[k];
        row[len + i] = hi[k];
      }
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) d[i] = row[i];
}

__global__ void autocorrelate(const double *signal, double *r, int n, int lags)
{
  int lag = blockIdx.x;
  double sum = 0;
  for (int i = threadIdx.x; i + lag < n; i += blockDim.x)
    sum += signal[i] * signal[i + lag];
  __shared__ double s[96];
  s[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    volatile double *v = s;
    double t = v[threadIdx.x] + v[threadIdx.x + 32] + v[threadIdx.x + 64];
    for (int o = 16; o > 0; o >>= 1) t += __shfl_down_sync(0xffffffffu, t, o);
    if (threadIdx.x == 0) r[lag] = t / (n - lag);
  }
}

int main(void)
{
  const int w = 160, h = 96;
  int bad = 0;
  unsigned char *img = (unsigned char *)malloc(w * h);
  short *coef = (short *)malloc(w * h * sizeof(short)), q[64];
  float m[64];
  for (int i = 0; i < w * h; i++) img[i] = (unsigned char)(128 + 100 * sin(i % w * 0.2) * cos(i / w * 0.13) + i % 5);
  for (int u = 0; u < 8; u++)
    for (int x = 0; x < 8; x++) {
      m[u * 8 + x] = (float)((u ? 0.5 : sqrt(0.125)) * cos((2 * x + 1) * u * PI / 16));
      q[u * 8 + x] = (short)(3 + u + x);
    }
  cudaMemcpyToSymbol(DCTv8matrix, m, sizeof m);
  cudaMemcpyToSymbol(Q, q, sizeof q);
  unsigned char *dimg;
  short *dcoef;
  cudaMalloc((void **)&dimg, w * h);
  cudaMalloc((void **)&dcoef, w * h * sizeof(short));
  cudaMemcpy(dimg, img, w * h, cudaMemcpyHostToDevice);
  dctQuantise<<<dim3(w / 32, h / 8), dim3(8, 8, 4)>>>(dcoef, dimg, w);
  cudaMemcpy(coef, dcoef, w * h * sizeof(short), cudaMemcpyDeviceToHost);
  for (int by = 0; by < h; by += 8)
    for (int bx = 0; bx < w; bx += 8)
      for (int v = 0; v < 8; v++)
        for (int u = 0; u < 8; u++) {
          double s = 0;
          for (int y = 0; y < 8; y++)
            for (int x = 0; x < 8; x++) s += (img[(by + y) * w + bx + x] - 128.0) * m[v * 8 + y] * m[u * 8 + x];
          bad += fabs(coef[(by + v) * w + bx + u] - s / q[v * 8 + u]) > 0.51;
        }

  enum { N = 256, BATCH = 30 };
  float2 *x = (float2 *)malloc(N * BATCH * sizeof(float2)), *y = (float2 *)malloc(N * BATCH * sizeof(float2)), *dx, *dy;
  for (int i = 0; i < N * BATCH; i++) x[i] = make_float2((i * 31 % 97) * 0.01f, (i * 17 % 89) * -0.01f);
  cudaMalloc((void **)&dx, N * BATCH * sizeof(float2));
  cudaMalloc((void **)&dy, N * BATCH * sizeof(float2));
  cudaMemcpy(dx, x, N * BATCH * sizeof(float2), cudaMemcpyHostToDevice);
  fftStockham<N><<<BATCH, N / 2>>>(dx, dy);
  cudaMemcpy(y, dy, N * BATCH * sizeof(float2), cudaMemcpyDeviceToHost);
  for (int b = 0; b < BATCH; b++)
    for (int k = 0; k < N; k++) {
      double re = 0, im = 0;
      for (int j = 0; j < N; j++) {
        double a = -2 * PI * (j * k % N) / N, c = cos(a), s = sin(a);
        re += x[b * N + j].x * c - x[b * N + j].y * s;
        im += x[b * N + j].x * s + x[b * N + j].y * c;
      }
      bad += fabs(re - y[b * N + k].x) > 1e-2 || fabs(im - y[b * N + k].y) > 1e-2;
    }

  const int n = 512, rows = 21;
  float *data = (float *)malloc(n * rows * 4), *back = (float *)malloc(n * rows * 4), *dd;
  for (int i = 0; i < n * rows; i++) data[i] = (float)((i * i) % 103) / 103.0f;
  cudaMalloc((void **)&dd, n * rows * 4);
  cudaMemcpy(dd, data, n * rows * 4, cudaMemcpyHostToDevice);
  haarRow<<<rows, 128, n * 4>>>(dd, n);
  cudaMemcpy(back, dd, n * rows * 4, cudaMemcpyDeviceToHost);
  for (int r = 0; r < rows; r++) {
    double tmp[512], cur[512];
    for (int i = 0; i < n; i++) cur[i] = data[r * n + i];
    for (int len = n / 2; len >= 1; len /= 2) {
      for (int i = 0; i < len; i++) tmp[i] = (cur[2 * i] + cur[2 * i + 1]) * sqrt(0.5), tmp[len + i] = (cur[2 * i] - cur[2 * i + 1]) * sqrt(0.5);
      for (int i = 0; i < 2 * len; i++) cur[i] = tmp[i];
    }
    for (int i = 0; i < n; i++) bad += fabs(cur[i] - back[r * n + i]) > 1e-3;
  }

  const int samples = 3000, lags = 40;
  double *sig = (double *)malloc(samples * 8), r[40], *ds, *dr;
  for (int i = 0; i < samples; i++) sig[i] = sin(i * 0.05) + 0.3 * sin(i * 0.71);
  cudaMalloc((void **)&ds, samples * 8);
  cudaMalloc((void **)&dr, lags * 8);
  cudaMemcpy(ds, sig, samples * 8, cudaMemcpyHostToDevice);
  autocorrelate<<<lags, 96>>>(ds, dr, samples, lags);
  if (cudaMemcpy(r, dr, lags * 8, cudaMemcpyDeviceToHost) != cudaSuccess) bad++;
  for (int l = 0; l < lags; l++) {
    double s = 0;
    for (int i = 0; i + l < samples; i++) s += sig[i] * sig[i + l];
    bad += fabs(s / (samples - l) - r[l]) > 1e-10;
  }
  printf("%d wrong\n%s\n", bad, bad ? "FAILED" : "PASSED");
  return bad != 0;
}
