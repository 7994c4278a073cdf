// What every program of this folder shares: `program [VARIANT]` runs one variant, or all; each is one launch, checked
// against the CPU, with a line `LAUNCH number variant` before it. PASSED or FAILED is the last line.
#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#define CK(call)                                                                                       \
  do {                                                                                                 \
    cudaError_t e_ = (call);                                                                           \
    if (e_ != cudaSuccess) {                                                                           \
      printf("CUDA error: %s, line %d\nFAILED\n", cudaGetErrorString(e_), __LINE__);                   \
      exit(2);                                                                                         \
    }                                                                                                  \
  } while (0)

static const char *g_only;
static char g_name[128];
static int g_launch, g_bad;
static unsigned g_rng;

static inline void init(int argc, char **argv) { g_only = argc > 1 ? argv[1] : nullptr; }

// Is this variant to be run? Every variant has random numbers of its own, whatever ran before it.
static inline bool want(const char *format, ...)
{
  va_list ap;
  va_start(ap, format);
  vsnprintf(g_name, sizeof g_name, format, ap);
  va_end(ap);
  g_rng = 2463534242u;
  for (const char *c = g_name; *c; c++) g_rng = (g_rng ^ (unsigned char)*c) * 16777619u | 1;
  return !g_only || !strcmp(g_only, g_name);
}
static inline unsigned rnd()
{
  g_rng ^= g_rng << 13;
  g_rng ^= g_rng >> 17;
  g_rng ^= g_rng << 5;
  return g_rng;
}
static inline double uniform(double low, double high) { return low + (high - low) * (rnd() >> 8) / 16777216.0; }

template <class T> static T *blank(size_t n)
{
  T *p;
  CK(cudaMalloc(&p, n * sizeof(T)));
  CK(cudaMemset(p, 0, n * sizeof(T)));
  return p;
}
template <class T> static T *sent(const std::vector<T> &v)
{
  T *p = blank<T>(v.size());
  CK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}
template <class T> static std::vector<T> back(const T *p, size_t n)
{
  std::vector<T> v(n);
  CK(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
  return v;
}
static inline void verdict(bool ok, const char *what = "")
{
  if (!ok) {
    printf("MISMATCH %s %s\n", g_name, what);
    g_bad++;
  }
}
// Equal within tolerance * (1 + |reference|); not-a-numbers are never equal.
template <class T, class U> static void check(const std::vector<T> &got, const std::vector<U> &want, double tolerance = 0)
{
  size_t bad = 0, first = 0;
  for (size_t i = 0; i < want.size(); i++)
    if (!(std::fabs((double)got[i] - (double)want[i]) <= tolerance * (1 + std::fabs((double)want[i])))) {
      if (!bad) first = i;
      bad++;
    }
  if (bad) {
    char text[160];
    snprintf(text, sizeof text, "%zu of %zu, first at %zu: %.9g, not %.9g", bad, want.size(), first, (double)got[first],
             (double)want[first]);
    verdict(false, text);
  }
}
#define RUN(...)                                                                                       \
  do {                                                                                                 \
    printf("LAUNCH %d %s\n", g_launch++, g_name);                                                      \
    fflush(stdout);                                                                                    \
    __VA_ARGS__;                                                                                       \
    CK(cudaGetLastError());                                                                            \
    CK(cudaDeviceSynchronize());                                                                       \
  } while (0)

static inline int finish()
{
  puts(g_bad ? "FAILED" : "PASSED");
  return g_bad ? 1 : 0;
}
