// Blocks whose warps do unlike things around barriers: some leave before, some wait elsewhere, some are not whole, some
// have lanes that part. Each kernel's result is computed by the host.
#include <cstdio>
#include <vector>
#include <cuda_runtime.h>

static int failures;
static void expect(const char *what, const std::vector<int> &got, const std::vector<int> &want) {
  for (size_t i = 0; i < want.size(); i++)
    if (got[i] != want[i]) {
      printf("FAILED %s: [%zu] is %d, not %d\n", what, i, got[i], want[i]);
      failures++;
      return;
    }
}

// Every second warp leaves before the barriers.
__global__ void some_leave(int *out, int rounds) {
  __shared__ int s[256];
  int t = threadIdx.x;
  if (t / 32 % 2) return;
  for (int r = 0; r < rounds; r++) {
    s[t] = t + r;
    __syncthreads();
    out[blockIdx.x * 256 + t] += s[(t + 64) % 256 / 64 * 64 + t % 32];
    __syncthreads();
  }
}

// One barrier of the program is two instructions.
__global__ void two_places(int *out, int flip) {
  __shared__ int s[128];
  int t = threadIdx.x;
  s[t] = 3 * t;
  if ((t / 32 + flip) % 2) {
    __syncthreads();
    out[t] = s[(t + 32) % 128];
  } else {
    __syncthreads();
    out[t] = s[(t + 96) % 128] + 1000;
  }
}

// The lanes of the first warp part between barriers, the last warp has 5 threads.
__global__ void tree(const int *in, int *out, int n) {
  __shared__ int s[256];
  int t = threadIdx.x;
  s[t] = t < n ? in[blockIdx.x * n + t] : 0;
  __syncthreads();
  for (int half = 128; half; half /= 2) {
    if (t < half && t + half < blockDim.x) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// Warps hand over by named barriers with counts.
__global__ void relay(int *out) {
  __shared__ int s[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (warp == 0) {
    s[lane] = 7 * lane;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    asm volatile("bar.sync 2, 64;" ::: "memory");
    out[lane] = s[lane];
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    s[lane] += 1;
    asm volatile("bar.arrive 2, 64;" ::: "memory");
  }
  __syncthreads();
  out[32 + threadIdx.x] = s[31 - lane];
}

int main() {
  enum { BLOCKS = 50 };
  int *in, *out;
  cudaMallocManaged(&in, BLOCKS * 256 * sizeof(int));
  cudaMallocManaged(&out, BLOCKS * 256 * sizeof(int));
  std::vector<int> want(BLOCKS * 256, 0);
  auto run = [&](const char *what, size_t n) {
    cudaError_t e = cudaDeviceSynchronize();
    if (e) printf("FAILED %s: %s\n", what, cudaGetErrorString(e)), failures++;
    expect(what, std::vector<int>(out, out + n), want);
  };

  cudaMemset(out, 0, BLOCKS * 256 * sizeof(int));
  some_leave<<<BLOCKS, 256>>>(out, 10);
  for (int i = 0; i < BLOCKS * 256; i++)
    for (int r = 0; r < 10; r++)
      if (i / 32 % 2 == 0) want[i] += (i % 256 + 64) % 256 / 64 * 64 + i % 32 + r;
  run("some_leave", BLOCKS * 256);

  for (int flip = 0; flip < 2; flip++) {
    two_places<<<1, 128>>>(out, flip);
    want.resize(128);
    for (int t = 0; t < 128; t++) want[t] = (t / 32 + flip) % 2 ? 3 * ((t + 32) % 128) : 3 * ((t + 96) % 128) + 1000;
    run("two_places", 128);
  }

  for (int n : {256, 229, 64, 33}) {
    want.assign(BLOCKS, 0);
    for (int i = 0; i < BLOCKS * n; i++) in[i] = i % 101, want[i / n] += i % 101;
    tree<<<BLOCKS, n>>>(in, out, n);
    run("tree", BLOCKS);
  }

  relay<<<1, 64>>>(out);
  want.assign(96, 0);
  for (int i = 0; i < 32; i++) want[i] = 7 * i + 1, want[32 + i] = want[64 + i] = 7 * (31 - i) + 1;
  run("relay", 96);
  puts(failures ? "FAILED" : "PASSED");
  return failures != 0;
}
