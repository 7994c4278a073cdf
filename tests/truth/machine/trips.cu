// Loops that the assembler unrolls, with every number of turns from 0 to 33: what a GPU executes of four turns side by side, of two and of
// one turn left over, where the lanes of a warp do as many turns or not (src/simt/trips.h). The loops are PTX, so that no compiler in front
// of the assembler unrolls them. `LAUNCH number kernel kind turns` stands before a launch. Kinds: `same`, `mixed` (lane i does 7 i modulo
// turns + 1), `half` (lanes 16 and up do none), `one` (only lane 5 does some), and `rising` (lane i does i * turns / 31). What lanes compute is
// the number of their turns.
#include "../rules/harness.h"

enum { BLOCKS = 4, THREADS = 128, MOST = 33 };

// x += 1 so often in each turn, by FFMA
#define ONCE "fma.rn.f32 %0, %0, %1, %1;\n"
#define TIMES_4 ONCE ONCE ONCE ONCE
#define TIMES_9 TIMES_4 TIMES_4 ONCE
#define LOOP(begin, body, step, again)                                                                                                \
  asm volatile("{\n.reg .pred p, q;\n.reg .s32 i;\n.reg .b64 a;\n.reg .f32 f;\nsetp.lt.s32 p, %2, 1;\n" begin                          \
               "\n@p bra OUT;\nAGAIN:\n" body step again "@q bra AGAIN;\nOUT:\n}"                                                       \
               : "+f"(x)                                                                                                              \
               : "f"(one), "r"(n), "l"(ones));
#define UP(body) LOOP("mov.s32 i, 0;\nmov.b64 a, %3;\n", body, "add.s32 i, i, 1;\n", "setp.lt.s32 q, i, %2;\n")
#define DOWN_TO_0(body) LOOP("mov.s32 i, %2;\nmov.b64 a, %3;\n", body, "add.s32 i, i, -1;\n", "setp.ne.s32 q, i, 0;\n")
#define LOAD "ld.global.f32 f, [a];\nadd.f32 %0, %0, f;\nadd.s64 a, a, 4;\n"

#define KERNELS(K)                                                                                                                    \
  K(few, 1, UP(ONCE))                                                                                                                 \
  K(some, 4, UP(TIMES_4))                                                                                                             \
  K(many, 9, UP(TIMES_9))                                                                                                             \
  K(loads, 1, UP(LOAD))                                                                                                               \
  K(equality, 1, DOWN_TO_0(ONCE))
#define KERNEL(name, each, loop)                                                                                                      \
  __global__ void name(float *out, const float *ones, const int *turns)                                                    \
  {                                                                                                                                   \
    int t = threadIdx.x, n = turns[t];                                                                                                \
    float x = 0, one = *ones;                                                                                                                   \
    loop out[blockIdx.x * THREADS + t] = x;                                                                                           \
  }                                                                                                                                   \
  __global__ void name##_uniform(float *out, const float *ones, int n)                                                     \
  {                                                                                                                                   \
    float x = 0, one = *ones;                                                                                                         \
    loop out[blockIdx.x * THREADS + threadIdx.x] = x;                                                                                 \
  }
KERNELS(KERNEL)

// An unrolled loop in one that is not: each turn of that is a visit.
__global__ void nested(float *out, const float *ones, const int *turns, int m)
{
  int t = threadIdx.x;
  float x = 0, one = *ones;
#pragma unroll 1
  for (int j = 0; j < m; j++) {
    int n = (turns[t] + j) & 7;
    UP(ONCE)
  }
  out[blockIdx.x * THREADS + t] = x;
}

// Of known length, and whole.
__global__ void whole(float *out, const float *ones, const int *turns)
{
  const int n = 7;
  float x = 0, one = *ones;
  LOOP("mov.s32 i, 0;\nmov.b64 a, %3;\n", ONCE, "add.s32 i, i, 1;\n", "setp.lt.s32 q, i, 7;\n")
  out[blockIdx.x * THREADS + threadIdx.x] = x + 0 * turns[threadIdx.x];
}

static const char *const kinds[] = {"same", "mixed", "half", "one", "rising"};

static int turns_of(int kind, int lane, int n)
{
  switch (kind) {
  case 0: return n;
  case 1: return 7 * lane % (n + 1);
  case 2: return lane < 16 ? n : 0;
  case 3: return lane == 5 ? n : 0;
  default: return lane * n / 31;
  }
}

static void check(const float *out, const std::vector<float> &expected)
{
  std::vector<float> got(BLOCKS * THREADS);
  CK(cudaMemcpy(got.data(), out, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < got.size(); i++)
    if (got[i] != expected[i % THREADS]) {
      if (g_bad++ < 9) printf("%s, thread %zu: %g turns, not %g\n", g_name, i, got[i], expected[i % THREADS]);
      return;
    }
}

int main(int argc, char **argv)
{
  init(argc, argv);
  float *out = blank<float>(BLOCKS * THREADS), *ones = sent(std::vector<float>(MOST, 1));
  std::vector<int> turns(THREADS);
  std::vector<float> expected(THREADS);
  for (int kind = 0; kind < 5; kind++)
    for (int n = 0; n <= MOST; n++) {
      for (int t = 0; t < THREADS; t++) turns[t] = turns_of(kind, t % 32, n);
      int *device = sent(turns);
#define CHECKED(call, value)                                                                                                              \
  {                                                                                                                                   \
    printf("LAUNCH %d %s\n", g_launch++, g_name);                                                                                     \
    fflush(stdout);                                                                                                                   \
    for (int t = 0; t < THREADS; t++) expected[t] = (value);                                                                          \
    call;                                                                                                                             \
    CK(cudaGetLastError());                                                                                                           \
    CK(cudaDeviceSynchronize());                                                                                                      \
    check(out, expected);                                                                                                             \
  }
#define LAUNCH(name, each, loop)                                                                                                      \
  if (want(#name " %s %d", kinds[kind], n)) CHECKED((name<<<BLOCKS, THREADS>>>(out, ones, device)), each * turns[t])                    \
  if (kind == 0 && want(#name " uniform %d", n)) CHECKED((name##_uniform<<<BLOCKS, THREADS>>>(out, ones, n)), each * turns[t])
      KERNELS(LAUNCH)
      int sum[MOST + 1][8] = {{0}}; // of the first m turns of the outer loop, from a number on
      for (int first = 0; first < 8; first++)
        for (int m = 0; m < MOST; m++) sum[m + 1][first] = sum[m][first] + ((first + m) & 7);
      if (want("nested %s %d", kinds[kind], n)) CHECKED((nested<<<BLOCKS, THREADS>>>(out, ones, device, n)), sum[n][turns[t] & 7])
      if (n == 0 && want("whole %s %d", kinds[kind], n)) CHECKED((whole<<<BLOCKS, THREADS>>>(out, ones, device)), 7)
      CK(cudaFree(device));
    }
  printf(g_bad ? "FAILED\n" : "PASSED\n");
  return g_bad != 0;
}
