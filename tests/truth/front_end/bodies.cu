/* Gravity among N bodies: all pairs with a tile of float4, the same of separate arrays, an update of packed records, the energy. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define SOFTENING 1e-3f
#define TILE 128

typedef struct { float x, y, z, vx, vy, vz, m; } Body;

__device__ float3 bodyBodyInteraction(float4 bi, float4 bj, float3 ai)
{
  float3 r;
  r.x = bj.x - bi.x;
  r.y = bj.y - bi.y;
  r.z = bj.z - bi.z;
  float distSqr = r.x * r.x + r.y * r.y + r.z * r.z + SOFTENING;
  float invDist = rsqrtf(distSqr);
  float invDistCube = invDist * invDist * invDist;
  float s = bj.w * invDistCube;
  ai.x += r.x * s;
  ai.y += r.y * s;
  ai.z += r.z * s;
  return ai;
}

__global__ void forcesTiled(const float4 *pos, float4 *acc, int n)
{
  __shared__ float4 shPos[TILE];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 my = i < n ? pos[i] : make_float4(0, 0, 0, 0);
  float3 a = {0.0f, 0.0f, 0.0f};
  for (int base = 0; base < n; base += TILE) {
    int j = base + threadIdx.x;
    shPos[threadIdx.x] = j < n ? pos[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < TILE; k++)
      a = bodyBodyInteraction(my, shPos[k], a);
    __syncthreads();
  }
  if (i < n)
    acc[i] = make_float4(a.x, a.y, a.z, 0.0f);
}

__global__ void forcesSoA(const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ z,
                          const float *__restrict__ m, float *__restrict__ ax, float *__restrict__ ay, float *__restrict__ az,
                          int n, int reach)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float fx = 0, fy = 0, fz = 0;
  for (int k = 1; k <= reach; k++) {
    int j = i + k;
    if (j >= n) j -= n;
    float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
    float d2 = dx * dx + dy * dy + dz * dz + SOFTENING;
    float inv = 1.0f / sqrtf(d2);
    float s = m[j] * inv * inv * inv;
    fx += dx * s; fy += dy * s; fz += dz * s;
  }
  ax[i] = fx; ay[i] = fy; az[i] = fz;
}

__global__ void integrate(Body *p, const float4 *acc, float dt, int n)
{
  int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i < n) {
    p[i].vx += dt * acc[i].x;
    p[i].vy += dt * acc[i].y;
    p[i].vz += dt * acc[i].z;
    p[i].x += p[i].vx * dt;
    p[i].y += p[i].vy * dt;
    p[i].z += p[i].vz * dt;
  }
}

__global__ void kineticEnergy(const Body *p, double *sum, int n)
{
  extern __shared__ double cache[];
  double e = 0;
  for (int i = threadIdx.x + blockDim.x * blockIdx.x; i < n; i += blockDim.x * gridDim.x) {
    Body b = p[i];
    e += 0.5 * b.m * ((double)b.vx * b.vx + (double)b.vy * b.vy + (double)b.vz * b.vz);
  }
  cache[threadIdx.x] = e;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, cache[0]);
}

int main(void)
{
  const int n = 1111;
  size_t bytes = n * sizeof(Body);
  Body *h = (Body *)malloc(bytes), *hb = (Body *)malloc(bytes);
  float4 *hp = (float4 *)malloc(n * sizeof(float4)), *ha = (float4 *)malloc(n * sizeof(float4));
  float *soa = (float *)malloc(7 * n * sizeof(float));
  for (int i = 0; i < n; i++) {
    Body b = {sinf(0.3f * i) * (1 + i % 7), cosf(0.2f * i) * (1 + i % 5), (float)(i % 13) * 0.3f, 0.01f * (i % 3), 0.02f, -0.01f * (i % 4),
              1.0f + (i % 10) * 0.1f};
    h[i] = b;
    hp[i] = make_float4(b.x, b.y, b.z, b.m);
    soa[i] = b.x; soa[n + i] = b.y; soa[2 * n + i] = b.z; soa[3 * n + i] = b.m;
  }
  Body *db; float4 *dp, *da; float *ds; double *de;
  cudaMalloc((void **)&db, bytes); cudaMalloc((void **)&dp, n * sizeof(float4)); cudaMalloc((void **)&da, n * sizeof(float4));
  cudaMalloc((void **)&ds, 7 * n * sizeof(float)); cudaMalloc((void **)&de, sizeof(double));
  cudaMemcpy(db, h, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(dp, hp, n * sizeof(float4), cudaMemcpyHostToDevice);
  cudaMemcpy(ds, soa, 4 * n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(de, 0, sizeof(double));
  int blocks = (n + TILE - 1) / TILE, wrong = 0;
  forcesTiled<<<blocks, TILE>>>(dp, da, n);
  forcesSoA<<<(n + 95) / 96, 96>>>(ds, ds + n, ds + 2 * n, ds + 3 * n, ds + 4 * n, ds + 5 * n, ds + 6 * n, n, 75);
  integrate<<<(n + 255) / 256, 256>>>(db, da, 0.01f, n);
  kineticEnergy<<<3, 128, 128 * sizeof(double)>>>(db, de, n);
  double energy, want = 0;
  cudaMemcpy(&energy, de, sizeof energy, cudaMemcpyDeviceToHost);
  cudaMemcpy(hb, db, bytes, cudaMemcpyDeviceToHost);
  cudaMemcpy(ha, da, n * sizeof(float4), cudaMemcpyDeviceToHost);
  if (cudaMemcpy(soa, ds, 7 * n * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) wrong++;
  for (int i = 0; i < n; i++) {
    double a[3] = {0, 0, 0}, c[3] = {0, 0, 0};
    for (int j = 0; j < n; j++) {
      double d[3] = {hp[j].x - hp[i].x, hp[j].y - hp[i].y, hp[j].z - hp[i].z};
      double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + SOFTENING, s = hp[j].w / (r2 * sqrt(r2));
      for (int k = 0; k < 3; k++) {
        a[k] += d[k] * s;
        if ((j - i + n) % n >= 1 && (j - i + n) % n <= 75) c[k] += d[k] * s;
      }
    }
    double scale = 1 + fabs(a[0]) + fabs(a[1]) + fabs(a[2]);
    if (fabs(a[0] - ha[i].x) > 1e-3 * scale || fabs(a[1] - ha[i].y) > 1e-3 * scale || fabs(a[2] - ha[i].z) > 1e-3 * scale) wrong++;
    if (fabs(c[0] - soa[4 * n + i]) > 1e-3 * scale || fabs(c[2] - soa[6 * n + i]) > 1e-3 * scale) wrong++;
    if (fabs(h[i].vx + 0.01f * ha[i].x - hb[i].vx) > 1e-4 * scale || fabs(h[i].z + 0.01f * hb[i].vz - hb[i].z) > 1e-4 * scale) wrong++;
    want += 0.5 * hb[i].m * ((double)hb[i].vx * hb[i].vx + (double)hb[i].vy * hb[i].vy + (double)hb[i].vz * hb[i].vz);
  }
  if (fabs(want - energy) > 1e-9 * want) wrong++;
  puts(wrong ? "FAILED" : "PASSED");
  return wrong ? 1 : 0;
}
