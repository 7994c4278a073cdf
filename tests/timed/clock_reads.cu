// Two reads of clock64 and what stands between them, in a warp that has the multiprocessor for itself, beside what an H200 read
// (tests/truth/caches/warm.cu, rows "clock" of h200_warm.tsv). With "print" all of it is printed, for runs that must be equal.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define READ(t) asm volatile("mov.u64 %0, %%clock64;" : "=l"(t))
#define READ_AFTER(t, v) asm volatile("{ .reg .pred q; setp.ne.s32 q, %1, 77777; @q mov.u64 %0, %%clock64; }" : "=l"(t) : "r"(v))
#define FMA asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(y));
#define LOAD(how) asm volatile("ld.global." how ".b32 %0, [%1];" : "=r"(v) : "l"(p));
#define AROUND(i, ...) READ(a); __VA_ARGS__ READ(b); out[i] = b - a;
#define UNTIL(i, how) READ(a); LOAD(how) READ_AFTER(b, v); out[i] = b - a;
#define TWICE(...) __VA_ARGS__ __VA_ARGS__

__global__ void reads(const int *p, const float *q, int *out, int *sink)
{
    long long a, b;
    int v;
    float x = q[0], y = q[1];
    for (int k = 0; k < 2; k++) { // the second time all code has been run before
        AROUND(0, )
        AROUND(1, FMA)
        AROUND(2, TWICE(FMA))
        AROUND(3, TWICE(TWICE(FMA)))
        AROUND(4, TWICE(TWICE(TWICE(FMA))))
        AROUND(5, TWICE(TWICE(TWICE(TWICE(FMA)))))
        UNTIL(6, "cg") // from DRAM
        UNTIL(7, "cg") // from L2
        UNTIL(8, "ca")
        UNTIL(9, "ca") // from L1
        p += 1 << 20;
    }
    *sink = (int)x + v;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *what;
        int least, most, h200;
    } of[] = {{"nothing", 1, 3, 2}, {"1 multiply-add", 2, 6, 3}, {"2 that wait for each other", 6, 10, 7}, {"4", 14, 18, 15}, {"8", 30, 34, 31},
              {"16", 61, 66, 63}, {"a load from DRAM", 480, 1500, 1479}, {"from L2", 190, 370, 300}, {"from L2, through L1", 190, 370, 292}, {"from L1", 30, 45, 39}};
    enum { N = sizeof of / sizeof *of };
    int *p, *out, h[N], wrong = 0;
    float *q;
    cudaMalloc(&p, 16 << 20);
    cudaMalloc(&q, 8);
    cudaMalloc(&out, sizeof h + 4);
    cudaMemset(q, 0, 8);
    reads<<<1, 32>>>(p, q, out, out + N);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        const bool fits = h[i] >= of[i].least && h[i] <= of[i].most;
        printf("%s %4d cycles, %d to %d, an H200 %d: %s\n", fits ? "ok   " : "WRONG", h[i], of[i].least, of[i].most, of[i].h200, of[i].what);
        wrong += !fits;
    }
    puts(wrong ? "FAILED" : "PASSED");
    return wrong > 0;
}
