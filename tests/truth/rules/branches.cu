// Divergence: branches that 1 to 32 lanes of a warp take, nested ones, switches, loops of different length, early ends.
// The two ways differ in their loads, so requests and sectors tell how lanes were grouped.
#include "patterns.h"

#define LANE int lane = threadIdx.x & 31, i = blockIdx.x * blockDim.x + threadIdx.x;
__global__ void one_way(const u32 *in, u32 *out, int n)
{
  LANE u32 s = 1;
  if (lane < n) s += in[i] * 3;
  out[i] = s;
}
__global__ void two_ways(const u32 *in, u32 *out, int n)
{
  LANE u32 s;
  if (lane % 32 < n) {
    s = in[i] * 3 + in[i + 64];
    s ^= s >> 3;
  } else {
    s = in[2 * i] * 5;
    s += s << 2 ^ in[(s & 31) + 32];
  }
  out[i] = s;
}
__global__ void alternating(const u32 *in, u32 *out, int n)
{
  LANE u32 s = 0;
  if (lane / n & 1)
    for (int k = 0; k < 5; k++) s = s * 3 + in[i + k * 32];
  else
    for (int k = 0; k < 3; k++) s = s * 5 ^ in[i + k * 16];
  out[i] = s;
}
__global__ void nested(const u32 *in, u32 *out, int n)
{
  LANE u32 s = in[i];
  if (s & 1) {
    s += in[i + 1];
    if (s & 2) {
      s *= in[i + 2];
      if (lane < n) s ^= in[(s & 15) + 3];
    } else
      s -= in[i + 4];
  } else if (lane < n)
    s += in[i + 5];
  out[i] = s;
}
__global__ void switches(const u32 *in, u32 *out, int n)
{
  LANE u32 s = in[i];
  switch (lane % n) {
  case 0: s += in[i + 1]; break;
  case 1: s *= in[i + 2]; break;
  case 2: s ^= in[i + 3]; break;
  case 3: s -= in[i + 4]; break;
  case 4: s = s * 3 + in[2 * i]; break;
  case 5: s = s * 7 + in[3 * i]; break;
  default: s = s >> 3 ^ in[(s & 7) + 1];
  }
  out[i] = s;
}
__global__ void loop_lengths(const u32 *in, u32 *out, int n)
{
  LANE u32 s = 0;
#pragma unroll 1
  for (int k = 0; k < lane % n + 1; k++) s = s * 3 + in[i + k];
  out[i] = s;
}
__global__ void loop_lengths_free(const u32 *in, u32 *out, int n)
{
  LANE u32 s = 0;
  for (int k = 0; k < lane % n + 1; k++) s = s * 3 + in[i + k];
  out[i] = s;
}
__global__ void loop_break(const u32 *in, u32 *out, int n)
{
  LANE u32 s = lane;
#pragma unroll 1
  for (int k = 0; k < 40; k++) {
    u32 v = in[(i + k * 7) & 255];
    if ((v & 31) < (u32)n) continue;
    s += v;
    if ((s & 63) < 4) break;
  }
  out[i] = s;
}
__global__ void early_end(const u32 *in, u32 *out, int n)
{
  LANE if (lane >= n) return;
  u32 s = in[i];
  if (s & 1) return;
  out[i] = s * 3 + in[i + 1];
}
__global__ void floats(const u32 *in, u32 *out, int n)
{
  LANE float x = (float)(in[i] & 1023), s;
  if (lane < n)
    s = x * 1.5f + 2.0f;
  else
    s = (x + 1.0f) * (x - 2.0f);
  out[i] = __float_as_uint(s);
}
__global__ void __launch_bounds__(64) barriers(const u32 *in, u32 *out, int n)
{
  __shared__ u32 s[64];
  LANE s[threadIdx.x] = in[i];
  __syncthreads();
  for (int d = 32; d; d >>= 1) {
    if ((int)threadIdx.x < d && (int)threadIdx.x < n) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  out[i] = s[threadIdx.x];
}

// The same on the host, a thread at a time.
static u32 host(const char *kernel, const std::vector<u32> &in, int i, int n, u32 before)
{
  std::string k_(kernel);
  int lane = i & 31;
  u32 s = 0;
  if (k_ == "one_way") return lane < n ? 1 + in[i] * 3 : 1;
  if (k_ == "two_ways") {
    if (lane < n) return s = in[i] * 3 + in[i + 64], s ^ s >> 3;
    s = in[2 * i] * 5;
    return s + (s << 2 ^ in[(s & 31) + 32]);
  }
  if (k_ == "alternating") {
    if (lane / n & 1)
      for (int k = 0; k < 5; k++) s = s * 3 + in[i + k * 32];
    else
      for (int k = 0; k < 3; k++) s = s * 5 ^ in[i + k * 16];
    return s;
  }
  if (k_ == "nested") {
    s = in[i];
    if (s & 1) {
      s += in[i + 1];
      if (!(s & 2)) return s - in[i + 4];
      s *= in[i + 2];
      return lane < n ? s ^ in[(s & 15) + 3] : s;
    }
    return lane < n ? s + in[i + 5] : s;
  }
  if (k_ == "switches") {
    s = in[i];
    switch (lane % n) {
    case 0: return s + in[i + 1];
    case 1: return s * in[i + 2];
    case 2: return s ^ in[i + 3];
    case 3: return s - in[i + 4];
    case 4: return s * 3 + in[2 * i];
    case 5: return s * 7 + in[3 * i];
    default: return s >> 3 ^ in[(s & 7) + 1];
    }
  }
  if (k_.substr(0, 12) == "loop_lengths") {
    for (int k = 0; k < lane % n + 1; k++) s = s * 3 + in[i + k];
    return s;
  }
  if (k_ == "loop_break") {
    s = lane;
    for (int k = 0; k < 40; k++) {
      u32 v = in[(i + k * 7) & 255];
      if ((v & 31) < (u32)n) continue;
      s += v;
      if ((s & 63) < 4) break;
    }
    return s;
  }
  if (k_ == "early_end") return lane >= n || in[i] & 1 ? before : in[i] * 3 + in[i + 1];
  float x = (float)(in[i] & 1023), f = lane < n ? x * 1.5f + 2.0f : (x + 1.0f) * (x - 2.0f);
  memcpy(&s, &f, 4);
  return s;
}

int main(int argc, char **argv)
{
  init(argc, argv);
  std::vector<u32> in(1024);
  g_rng = 99;
  for (auto &x : in) x = rnd();
  u32 *din = sent(in), *out = blank<u32>(128);
#define CASE(kernel, n)                                                                                \
  if (want(#kernel ",%d", n)) {                                                                        \
    CK(cudaMemset(out, 0, 512));                                                                       \
    RUN(kernel<<<2, 64>>>(din, out, n));                                                               \
    auto got = back(out, 128);                                                                         \
    for (int i = 0; i < 128; i++) verdict(got[i] == host(#kernel, in, i, n, 0));                       \
  }
  for (int n : {0, 1, 2, 5, 8, 16, 17, 31, 32}) {
    CASE(one_way, n) CASE(two_ways, n) CASE(nested, n) CASE(floats, n) CASE(early_end, n) CASE(loop_break, n)
  }
  for (int n : {1, 2, 4, 8, 16}) CASE(alternating, n)
  for (int n : {1, 2, 3, 5, 7}) CASE(switches, n)
  for (int n : {1, 2, 7, 16, 32}) {
    CASE(loop_lengths, n) CASE(loop_lengths_free, n)
  }
  for (int n : {1, 8, 32, 64})
    if (want("barriers,%d", n)) {
      RUN(barriers<<<2, 64>>>(din, out, n));
      auto got = back(out, 128);
      for (int b = 0; b < 2; b++) {
        std::vector<u32> s(in.begin() + b * 64, in.begin() + b * 64 + 64);
        for (int d = 32; d; d >>= 1)
          for (int t = 0; t < d && t < n; t++) s[t] += s[t + d];
        for (int t = 0; t < 64; t++) verdict(got[b * 64 + t] == s[t]);
      }
    }
  return finish();
}
