// Which source registers an instruction can read in a cycle: the same loop, its instructions with other registers and reuse flags, which are
// written over those of the machine code.
// usage: banks banks.cubin. Rows, in cycles of the multiprocessor for an instruction of one warp, one block:
//   banks operation a b c reuse warps cycles      reuse: 1 a, 2 b, 4 c are kept for the next instruction
// Built with nvcc -std=c++17 -O3 -arch=sm_90 -cubin banks.cu && nvcc -std=c++17 -O3 -arch=sm_90 -o banks banks.cu -lcuda.
#include "harness.h"
#include <cuda.h>
#include <string>
typedef unsigned U32; typedef unsigned long long U64;

enum { UNROLL = 128, TURNS = 16, PASSES = 3 };
#define KERNEL(name, text) \
    extern "C" __global__ void __launch_bounds__(1024) name(struct span *span, U32 *out, U32 zero) { \
        U32 x = threadIdx.x + zero, a = threadIdx.x * 3 + zero, b = threadIdx.x * 5 + zero; \
        U32 more[16]; \
        for (int i = 0; i < 16; i++) more[i] = clock64() + i; /* registers that may be read */ \
        _Pragma("unroll 1") for (int pass = 0; pass < PASSES; pass++) { \
            __syncthreads(); \
            long long begin = clock64(); \
            _Pragma("unroll 1") for (U32 t = 0; t < TURNS + zero; t++) { \
                _Pragma("unroll") for (int u = 0; u < UNROLL; u++) asm volatile(text : "+r"(x) : "r"(a), "r"(b)); } \
            span_add(span + pass, begin, clock64()); \
        } \
        if (zero) for (int i = 0; i < 16; i++) out[i] = x + more[i]; \
    }
KERNEL(step_ffma, "{.reg .f32 x, a, b; mov.b32 x, %0; mov.b32 a, %1; mov.b32 b, %2; fma.rn.f32 x, x, a, b; mov.b32 %0, x;}")
KERNEL(step_fadd, "{.reg .f32 x, a; mov.b32 x, %0; mov.b32 a, %1; add.rn.f32 x, x, a; mov.b32 %0, x;}")
KERNEL(step_hfma2, "fma.rn.f16x2 %0, %0, %1, %2;")
KERNEL(step_imad, "mad.lo.u32 %0, %0, %1, %2;")
KERNEL(step_lop3, "lop3.b32 %0, %0, %1, %2, 0x6a;")

static const struct operation { const char *kernel, *name; unsigned code; int sources; } operations[] = {
    {"step_ffma", "FFMA", 0x223, 3}, {"step_fadd", "FADD", 0x221, 2}, {"step_hfma2", "HFMA2", 0x231, 3}, {"step_imad", "IMAD", 0x224, 3}, {"step_lop3", "LOP3", 0x212, 3},
};
static const struct { int a, b, c, reuse; } cases[] = {
    {5, 7, 6, 0}, {5, 6, 8, 0}, {5, 6, 7, 0}, {6, 5, 7, 0}, {6, 8, 5, 0}, {5, 7, 9, 0}, {4, 6, 8, 0}, {4, 8, 12, 0}, {5, 9, 13, 0}, {4, 5, 6, 0}, {5, 5, 6, 0},
    {5, 5, 7, 0}, {5, 5, 5, 0}, {5, 6, 5, 0}, {5, 7, 9, 1}, {5, 7, 9, 2}, {5, 7, 9, 4}, {5, 7, 9, 3}, {5, 7, 9, 7}, {5, 7, 6, 1}, {5, 7, 6, 2}, {5, 7, 6, 4}, {5, 6, 8, 1}, {5, 6, 8, 2}, {5, 6, 8, 4},
    {5, 255, 7, 0}, {5, 255, 6, 0}, {5, 7, 255, 0}, {5, 6, 255, 0},
};
#define CU(call) do { CUresult r_ = (call); if (r_ != CUDA_SUCCESS) { fprintf(stderr, "%s: error %d\n", #call, (int)r_); exit(2); } } while (0)

int main(int argc, char **argv) {
    FILE *f = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!f) { fprintf(stderr, "usage: banks banks.cubin\n"); return 2; }
    std::string text; char piece[65536]; size_t got;
    while ((got = fread(piece, 1, sizeof piece, f)) > 0) text.append(piece, got);
    fclose(f);
    head("banks");
    struct span *span = device_array<struct span>(PASSES); U32 *out = device_array<U32>(64), zero = 0;
    for (auto &o : operations) for (auto &c : cases) {
        if (o.sources == 2 && (c.c != 6 || c.reuse > 3)) continue;
        std::string changed = text; int found = 0;
        auto is_step = [&](size_t i) { // HFMA2 has two codes, which take turns
            U64 low; memcpy(&low, &text[i], 8);
            return (low >> 12 & 15) == 7 && ((low & 0xfff) == o.code || (o.code == 0x231 && (low & 0xfff) == 0x235));
        };
        for (size_t i = 16; i + 32 <= text.size(); i += 16) { // an instruction has 16 bytes; those of the loop stand together
            if (!is_step(i) || (!is_step(i - 16) && !is_step(i + 16))) continue;
            U64 low, high; memcpy(&low, &changed[i], 8); memcpy(&high, &changed[i + 8], 8);
            low = (low & ~(0xffull << 24) & ~(0xffull << 32)) | (U64)c.a << 24 | (U64)c.b << 32; // R0, which is written, stays
            if (o.sources == 3) high = (high & ~0xffull) | c.c;
            high = (high & ~(0xfull << 58) & ~(0x1full << 41)) | (U64)c.reuse << 58 | 0x11ull << 41; // the next one a cycle later, of this warp
            memcpy(&changed[i], &low, 8); memcpy(&changed[i + 8], &high, 8);
            found++;
        }
        CUmodule m; CUfunction k;
        CU(cuModuleLoadData(&m, changed.data()));
        CU(cuModuleGetFunction(&k, m, o.kernel));
        if (found < UNROLL * 9 / 10) { fprintf(stderr, "%s: %d instructions found\n", o.name, found); return 2; }
        for (int warps : {4, 8, 16, 32}) {
            double best = 1e30;
            for (int r = 0; r < 3; r++) {
                struct span spans[PASSES];
                for (auto &s : spans) s = {INT64_MAX, 0};
                CK(cudaMemcpy(span, spans, sizeof spans, cudaMemcpyHostToDevice));
                void *args[] = {&span, &out, &zero};
                CU(cuLaunchKernel(k, 1, 1, 1, warps * 32, 1, 1, 0, 0, args, 0));
                CK(cudaMemcpy(spans, span, sizeof spans, cudaMemcpyDeviceToHost));
                for (int i = 1; i < PASSES; i++) best = std::min(best, (double)(spans[i].end - spans[i].begin));
            }
            printf("banks\t%s\t%d\t%d\t%d\t%d\t%d\t%.3f\n", o.name, c.a, c.b, o.sources == 3 ? c.c : -1, c.reuse, warps, best / (TURNS * UNROLL) / warps);
        }
        CU(cuModuleUnload(m));
    }
    return 0;
}
