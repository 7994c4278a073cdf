// Audio: a bank of second-order filters, an FIR filter, levels of frames, a mixing desk, a resampler.
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t status, int line)
{
  if (status != cudaSuccess) {
    std::printf("line %d: %s\nFAILED\n", line, cudaGetErrorString(status));
    std::exit(1);
  }
}
#define CHECK(call) check((call), __LINE__)

template <typename T>
struct Buffer {
  T *data = nullptr;
  size_t count;
  explicit Buffer(size_t n) : count(n) { CHECK(cudaMalloc(&data, n * sizeof(T))); }
  explicit Buffer(const std::vector<T> &host) : Buffer(host.size())
  {
    CHECK(cudaMemcpy(data, host.data(), count * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Buffer() { cudaFree(data); }
  std::vector<T> read() const
  {
    std::vector<T> host(count);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
  }
};

static float tone(int i, float pitch) { return 0.6f * std::sin(0.001f * pitch * i) + 0.3f * std::sin(0.0173f * i + pitch); }

static int report(const char *name, int wrong)
{
  if (wrong)
    std::printf("%s: %d wrong\n", name, wrong);
  return wrong;
}

struct Biquad {
  float b0, b1, b2, a1, a2;
};

// Interleaved channels, a thread each: STAGES filters in a row, in transposed direct form II.
template <int STAGES>
__global__ void filterBank(const float *in, float *out, const Biquad *__restrict__ coefficients, int channels, int samples)
{
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel >= channels)
    return;
  Biquad q[STAGES];
  float z1[STAGES], z2[STAGES];
#pragma unroll
  for (int s = 0; s < STAGES; s++) {
    q[s] = coefficients[(channel % 3) * STAGES + s];
    z1[s] = z2[s] = 0.0f;
  }
  for (int t = 0; t < samples; t++) {
    float x = in[t * channels + channel];
#pragma unroll
    for (int s = 0; s < STAGES; s++) {
      const float y = q[s].b0 * x + z1[s];
      z1[s] = q[s].b1 * x - q[s].a1 * y + z2[s];
      z2[s] = q[s].b2 * x - q[s].a2 * y;
      x = y;
    }
    out[t * channels + channel] = x;
  }
}

static int testBank()
{
  const int channels = 301, samples = 40, stages = 3;
  std::vector<Biquad> coefficients;
  for (int i = 0; i < 3 * stages; i++)
    coefficients.push_back({0.2f + 0.01f * i, 0.3f, 0.15f - 0.005f * i, -0.4f + 0.03f * i, 0.12f});
  std::vector<float> in(channels * samples);
  for (int i = 0; i < channels * samples; i++)
    in[i] = tone(i / channels, 20.0f + i % channels);
  Buffer<float> din(in), dout(in.size());
  Buffer<Biquad> dq(coefficients);
  filterBank<stages><<<(channels + 63) / 64, 64>>>(din.data, dout.data, dq.data, channels, samples);
  const std::vector<float> out = dout.read();
  int wrong = 0;
  for (int c = 0; c < channels; c++) {
    double z1[stages] = {}, z2[stages] = {};
    for (int t = 0; t < samples; t++) {
      double x = in[t * channels + c];
      for (int s = 0; s < stages; s++) {
        const Biquad &q = coefficients[(c % 3) * stages + s];
        const double y = q.b0 * x + z1[s];
        z1[s] = q.b1 * x - q.a1 * y + z2[s];
        z2[s] = q.b2 * x - q.a2 * y;
        x = y;
      }
      wrong += !(std::fabs(out[t * channels + c] - x) < 1e-4);
    }
  }
  return report("filterBank", wrong);
}

const int TAPS = 23;
__constant__ float taps[TAPS];

// One signal; a block's samples and the history before them lie in shared memory.
__global__ void fir(const float *__restrict__ signal, float *__restrict__ out, int n)
{
  extern __shared__ float window[];
  const int start = blockIdx.x * blockDim.x;
  for (int i = threadIdx.x; i < blockDim.x + TAPS - 1; i += blockDim.x) {
    const int at = start + i - (TAPS - 1);
    window[i] = at >= 0 && at < n ? signal[at] : 0.0f;
  }
  __syncthreads();
  if (start + threadIdx.x >= n)
    return;
  float sum = 0.0f;
  for (int k = 0; k < TAPS; k++)
    sum = fmaf(taps[k], window[threadIdx.x + TAPS - 1 - k], sum);
  out[start + threadIdx.x] = sum;
}

static int testFir()
{
  const int n = 5003, threads = 160;
  std::vector<float> h(TAPS), signal(n);
  for (int k = 0; k < TAPS; k++)
    h[k] = (0.54f - 0.46f * std::cos(6.2831853f * k / (TAPS - 1))) / 11.0f;
  for (int i = 0; i < n; i++)
    signal[i] = tone(i, 440.0f);
  CHECK(cudaMemcpyToSymbol(taps, h.data(), sizeof taps));
  Buffer<float> in(signal), out(n);
  fir<<<(n + threads - 1) / threads, threads, (threads + TAPS - 1) * sizeof(float)>>>(in.data, out.data, n);
  const std::vector<float> got = out.read();
  int wrong = 0;
  for (int i = 0; i < n; i++) {
    double want = 0;
    for (int k = 0; k < TAPS && k <= i; k++)
      want += double(h[k]) * signal[i - k];
    wrong += !(std::fabs(got[i] - want) < 1e-5);
  }
  return report("fir", wrong);
}

struct Level {
  float rms, peak;
  int crossings;
};

// A warp reads a frame (of any length) and finds its loudness in decibels, its peak and how often it changes sign.
__global__ void levels(const float *signal, const int *frameStart, int frames, Level *result)
{
  const int lane = threadIdx.x & 31;
  const int frame = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
  if (frame >= frames)
    return;
  const int first = frameStart[frame], last = frameStart[frame + 1];
  float energy = 0.0f, peak = 0.0f;
  int crossings = 0;
  for (int i = first + lane; i < last; i += 32) {
    const float x = signal[i];
    energy += x * x;
    peak = fmaxf(peak, fabsf(x));
    if (i + 1 < last && (x < 0.0f) != (signal[i + 1] < 0.0f))
      crossings++;
  }
  for (int d = 16; d > 0; d >>= 1) {
    energy += __shfl_xor_sync(0xffffffffu, energy, d);
    peak = fmaxf(peak, __shfl_xor_sync(0xffffffffu, peak, d));
    crossings += __shfl_xor_sync(0xffffffffu, crossings, d);
  }
  if (lane == 0)
    result[frame] = Level{10.0f * log10f(energy / (last - first) + 1e-9f), peak, crossings};
}

static int testLevels()
{
  const int frames = 151;
  std::vector<int> start(1, 0);
  for (int f = 0; f < frames; f++)
    start.push_back(start.back() + 20 + f * 37 % 111);
  std::vector<float> signal(start.back());
  for (size_t i = 0; i < signal.size(); i++)
    signal[i] = tone(int(i), 300.0f + i % 7);
  Buffer<float> in(signal);
  Buffer<int> ds(start);
  Buffer<Level> out(frames);
  levels<<<(frames * 32 + 127) / 128, 128>>>(in.data, ds.data, frames, out.data);
  const std::vector<Level> got = out.read();
  int wrong = 0;
  for (int f = 0; f < frames; f++) {
    double energy = 0;
    float peak = 0;
    int crossings = 0;
    for (int i = start[f]; i < start[f + 1]; i++) {
      energy += double(signal[i]) * signal[i];
      peak = std::max(peak, std::fabs(signal[i]));
      crossings += i + 1 < start[f + 1] && (signal[i] < 0) != (signal[i + 1] < 0);
    }
    const double rms = 10 * std::log10(energy / (start[f + 1] - start[f]) + 1e-9);
    wrong += !(std::fabs(got[f].rms - rms) < 1e-2 && got[f].peak == peak && got[f].crossings == crossings);
  }
  return report("levels", wrong);
}

struct Strip {
  float gain, pan;
  bool muted;
};

// Four samples at a time of every track, placed between left and right, softly limited, out as pairs of halves.
__global__ void mix(const float4 *tracks, const Strip *__restrict__ strips, int ntracks, int quads, __half2 *stereo)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < quads; i += gridDim.x * blockDim.x) {
    float left[4] = {}, right[4] = {};
    for (int t = 0; t < ntracks; t++) {
      const Strip strip = strips[t];
      if (strip.muted)
        continue;
      float s, c;
      sincosf(strip.pan * 1.5707963f, &s, &c);
      const float4 x = tracks[t * quads + i];
      left[0] += strip.gain * c * x.x, right[0] += strip.gain * s * x.x;
      left[1] += strip.gain * c * x.y, right[1] += strip.gain * s * x.y;
      left[2] += strip.gain * c * x.z, right[2] += strip.gain * s * x.z;
      left[3] += strip.gain * c * x.w, right[3] += strip.gain * s * x.w;
    }
#pragma unroll
    for (int k = 0; k < 4; k++)
      stereo[4 * i + k] = __floats2half2_rn(tanhf(left[k]), tanhf(right[k]));
  }
}

static int testMix()
{
  const int tracks = 6, quads = 1201;
  std::vector<Strip> strips;
  for (int t = 0; t < tracks; t++)
    strips.push_back({0.3f + 0.1f * t, t / 5.0f, t == 2});
  std::vector<float4> x(tracks * quads);
  for (int i = 0; i < tracks * quads; i++)
    x[i] = make_float4(tone(4 * i, 50), tone(4 * i + 1, 50), tone(4 * i + 2, 50), tone(4 * i + 3, 50));
  Buffer<float4> in(x);
  Buffer<Strip> ds(strips);
  Buffer<__half2> out(4 * quads);
  mix<<<6, 128>>>(in.data, ds.data, tracks, quads, out.data);
  const std::vector<__half2> got = out.read();
  int wrong = 0;
  for (int i = 0; i < 4 * quads; i++) {
    double l = 0, r = 0;
    for (int t = 0; t < tracks; t++)
      if (!strips[t].muted) {
        const float4 &q = x[t * quads + i / 4];
        const float v[4] = {q.x, q.y, q.z, q.w};
        l += strips[t].gain * std::cos(strips[t].pan * M_PI_2) * v[i % 4];
        r += strips[t].gain * std::sin(strips[t].pan * M_PI_2) * v[i % 4];
      }
    wrong += !(std::fabs(__low2float(got[i]) - std::tanh(l)) < 3e-3 && std::fabs(__high2float(got[i]) - std::tanh(r)) < 3e-3);
  }
  return report("mix", wrong);
}

// Between four neighbours by Catmull and Rom's cubic; the position in 32.32 fixed point.
__global__ void resample(const float *__restrict__ in, int n, float *__restrict__ out, int m, unsigned long long step)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) {
    const unsigned long long position = step * i;
    const int whole = int(position >> 32);
    const float f = float(unsigned(position)) * 2.3283064e-10f;
    const float a = in[max(whole - 1, 0)], b = in[min(whole, n - 1)];
    const float c = in[min(whole + 1, n - 1)], d = in[min(whole + 2, n - 1)];
    out[i] = b + 0.5f * f * (c - a + f * (2.0f * a - 5.0f * b + 4.0f * c - d + f * (3.0f * (b - c) + d - a)));
  }
}

static int testResample()
{
  const int n = 3000, m = 2750;
  const unsigned long long step = (unsigned long long)(1.0883 * 4294967296.0);
  std::vector<float> signal(n);
  for (int i = 0; i < n; i++)
    signal[i] = tone(i, 90.0f);
  Buffer<float> in(signal), out(m);
  resample<<<(m + 255) / 256, 256>>>(in.data, n, out.data, m, step);
  const std::vector<float> got = out.read();
  int wrong = 0;
  for (int i = 0; i < m; i++) {
    const unsigned long long p = step * i;
    const int w = int(p >> 32);
    const double f = double(unsigned(p)) / 4294967296.0;
    const double a = signal[std::max(w - 1, 0)], b = signal[std::min(w, n - 1)], c = signal[std::min(w + 1, n - 1)], d = signal[std::min(w + 2, n - 1)];
    const double want = b + 0.5 * f * (c - a + f * (2 * a - 5 * b + 4 * c - d + f * (3 * (b - c) + d - a)));
    wrong += !(std::fabs(got[i] - want) < 1e-5);
  }
  return report("resample", wrong);
}

int main()
{
  const int wrong = testBank() + testFir() + testLevels() + testMix() + testResample();
  std::puts(wrong ? "FAILED" : "PASSED");
  return wrong != 0;
}
