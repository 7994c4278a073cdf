// Small launches in which multiprocessors have much to ask of L2: gathers, strided stores, halves of sectors, sums in memory, atomics whose old
// value is used, floats that are summed, a search that marks what it has seen, tiles in shared memory. For figures on several host threads.
#include <cstdio>
#include <vector>

static const int N = 1 << 15, BLOCK = 128, TILE = 16, SIDE = 128;

__global__ void gather(const int *to, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[to[i]] + in[to[N - 1 - i]];
}
__global__ void strided(const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i % 256 * (N / 256) + i / 256] = in[i];
}
__global__ void bytes(const int *to, unsigned char *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[2 * i] = (unsigned char)to[i];
}
__global__ void histogram(const int *to, unsigned *bins) { atomicAdd(&bins[to[blockIdx.x * blockDim.x + threadIdx.x] % 61], 1u); }
__global__ void places(const int *to, int *next, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (to[i] % 3 == 0) out[atomicAdd(next, 1)] = i;
}
__global__ void sum(const float *in, float *out) { atomicAdd(out, in[blockIdx.x * blockDim.x + threadIdx.x]); }
__global__ void mark(const int *to, int *level, int now) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (level[i] == now && level[to[i]] < 0) level[to[i]] = now + 1;
}
__global__ void multiply(const float *a, const float *b, float *c) {
  __shared__ float x[TILE][TILE], y[TILE][TILE];
  int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float all = 0;
  for (int k = 0; k < SIDE; k += TILE) {
    x[threadIdx.y][threadIdx.x] = a[row * SIDE + k + threadIdx.x];
    y[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * SIDE + column];
    __syncthreads();
    for (int i = 0; i < TILE; i++) all += x[threadIdx.y][i] * y[i][threadIdx.x];
    __syncthreads();
  }
  c[row * SIDE + column] = all;
}

template <class T> static T *room(const std::vector<T> &v) {
  T *p;
  cudaMalloc(&p, v.size() * sizeof(T));
  cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
  return p;
}

int main() {
  std::vector<int> to(N), level(N, -1);
  std::vector<float> in(N);
  unsigned lot = 1;
  for (int i = 0; i < N; i++) {
    lot = lot * 1664525u + 1013904223u;
    to[i] = lot >> 17;
    in[i] = (float)(to[i] % 1000) / 7;
  }
  for (int i = 0; i < N; i += 8) level[i] = 0;
  int *dto = room(to), *dlevel = room(level), *dout = room(std::vector<int>(N)), *dnext = room(std::vector<int>(1));
  float *din = room(in), *dfloats = room(std::vector<float>(N)), *dsum = room(std::vector<float>(1));
  unsigned *dbins = room(std::vector<unsigned>(64));
  unsigned char *dbytes = room(std::vector<unsigned char>(2 * N));
  gather<<<N / BLOCK, BLOCK>>>(dto, din, dfloats);
  strided<<<N / BLOCK, BLOCK>>>(din, dfloats);
  bytes<<<N / BLOCK, BLOCK>>>(dto, dbytes);
  histogram<<<N / BLOCK, BLOCK>>>(dto, dbins);
  places<<<N / BLOCK, BLOCK>>>(dto, dnext, dout);
  sum<<<N / BLOCK, BLOCK>>>(din, dsum);
  for (int now = 0; now < 3; now++) mark<<<N / BLOCK, BLOCK>>>(dto, dlevel, now);
  multiply<<<dim3(SIDE / TILE, SIDE / TILE), dim3(TILE, TILE)>>>(din, din + SIDE * SIDE, dfloats);
  std::vector<unsigned> bins(64);
  float all;
  cudaMemcpy(bins.data(), dbins, bins.size() * sizeof bins[0], cudaMemcpyDeviceToHost);
  cudaMemcpy(&all, dsum, sizeof all, cudaMemcpyDeviceToHost);
  unsigned counted = 0;
  for (unsigned b : bins) counted += b;
  printf("sum %.9g\n", all);
  puts(cudaDeviceSynchronize() == cudaSuccess && counted == (unsigned)N ? "PASSED" : "FAILED");
  return counted != (unsigned)N;
}
