// setp with two results and a third predicate: both results read the predicate as it was, also where one of them is written to it
// (PTX ISA 8.4, 9.7.6.2; an H200 has the same, 2026-11-28).
#include <cstdio>
#include <cuda_runtime.h>

__global__ void both(const float *a, const float *b, const int *c, int *out)
{
    int i = threadIdx.x, first, second, kept;
    asm("{ .reg .pred p, q, c;\n"
        "setp.ne.s32 c, %5, 0;\n"
        "setp.ltu.xor.f32 c|q, %3, %4, c;\n" // the first result is the predicate that is read
        "selp.s32 %0, 1, 0, c;\n"
        "selp.s32 %1, 1, 0, q;\n"
        "setp.ne.s32 c, %5, 0;\n"
        "setp.ge.and.f32 p|c, %3, %4, !c;\n" // the second one is
        "selp.s32 %2, 1, 0, p;\n"
        "@c add.s32 %2, %2, 2; }"
        : "=r"(first), "=r"(second), "=r"(kept) : "f"(a[i]), "f"(b[i]), "r"(c[i]));
    out[i] = first + 2 * second + 4 * kept;
}

int main()
{
    const int n = 64;
    float a[n], b[n], *da, *db;
    int c[n], out[n], *dc, *dout, wrong = 0;
    for (int i = 0; i < n; i++) {
        a[i] = i % 7;
        b[i] = i % 5;
        c[i] = i % 3 == 0;
    }
    cudaMalloc(&da, sizeof a), cudaMalloc(&db, sizeof b), cudaMalloc(&dc, sizeof c), cudaMalloc(&dout, sizeof out);
    cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c, sizeof c, cudaMemcpyHostToDevice);
    both<<<1, n>>>(da, db, dc, dout);
    cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        bool less = a[i] < b[i];
        int want = (less != c[i]) + 2 * (!less != c[i]) + 4 * ((!less && !c[i]) + 2 * (less && !c[i]));
        wrong += out[i] != want;
    }
    puts(wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
