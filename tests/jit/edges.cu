// Every pair of edge values through instructions that machine code has forms of its own for: a line with a hash for each, the
// same from both executors (tests/jit.cmake compares them).
#include <cstdio>
#include <cstring>

typedef unsigned int u32;
typedef unsigned long long u64;

// OP(name, instruction)
#define FLOATS_2(OP)                                                                                                   \
    OP(add, "add.f32") OP(sub, "sub.f32") OP(mul, "mul.f32") OP(div, "div.rn.f32") OP(add_ftz, "add.ftz.f32")           \
    OP(sub_ftz, "sub.ftz.f32") OP(mul_ftz, "mul.ftz.f32") OP(div_ftz, "div.rn.ftz.f32") OP(div_approx, "div.approx.f32") \
    OP(div_approx_ftz, "div.approx.ftz.f32") OP(div_full, "div.full.f32") OP(div_full_ftz, "div.full.ftz.f32")          \
    OP(add_sat, "add.sat.f32") OP(mul_ftz_sat, "mul.ftz.sat.f32") OP(min, "min.f32") OP(max_ftz, "max.ftz.f32")         \
    OP(copysign, "copysign.f32") OP(add_rz, "add.rz.f32") OP(min_nan, "min.NaN.f32")
#define FLOATS_1(OP)                                                                                                   \
    OP(neg, "neg.f32") OP(abs, "abs.f32") OP(neg_ftz, "neg.ftz.f32") OP(abs_ftz, "abs.ftz.f32") OP(rcp, "rcp.rn.f32")   \
    OP(rcp_ftz, "rcp.rn.ftz.f32") OP(rcp_approx, "rcp.approx.ftz.f32") OP(sqrt, "sqrt.rn.f32")                          \
    OP(sqrt_ftz, "sqrt.approx.ftz.f32") OP(rsqrt, "rsqrt.approx.f32") OP(rsqrt_ftz, "rsqrt.approx.ftz.f32")             \
    OP(rni, "cvt.rni.f32.f32") OP(rmi, "cvt.rmi.f32.f32") OP(rpi_ftz, "cvt.rpi.ftz.f32.f32") OP(rzi, "cvt.rzi.f32.f32") \
    OP(sat, "cvt.sat.f32.f32") OP(sat_ftz, "cvt.ftz.sat.f32.f32") OP(sin, "sin.approx.f32") OP(ex2, "ex2.approx.ftz.f32")
#define DOUBLES_2(OP)                                                                                                  \
    OP(add, "add.f64") OP(sub, "sub.f64") OP(mul, "mul.f64") OP(div, "div.rn.f64") OP(min, "min.f64") OP(max, "max.f64") \
    OP(copysign, "copysign.f64")
#define DOUBLES_1(OP)                                                                                                  \
    OP(neg, "neg.f64") OP(abs, "abs.f64") OP(rcp, "rcp.rn.f64") OP(sqrt, "sqrt.rn.f64") OP(rsqrt, "rsqrt.approx.f64")   \
    OP(rni, "cvt.rni.f64.f64") OP(rmi, "cvt.rmi.f64.f64") OP(sat, "cvt.sat.f64.f64")
#define TO_WORD(OP)                                                                                                    \
    OP(s32, "cvt.rzi.s32") OP(u32, "cvt.rzi.u32") OP(s32_rni, "cvt.rni.s32") OP(u32_rmi, "cvt.rmi.u32")                 \
    OP(s16, "cvt.rpi.s16") OP(u16, "cvt.rni.u16") OP(s8, "cvt.rzi.s8") OP(u8, "cvt.rni.u8")
#define TO_LONG(OP) OP(s64, "cvt.rzi.s64") OP(u64, "cvt.rzi.u64") OP(s64_rni, "cvt.rni.s64") OP(u64_rpi, "cvt.rpi.u64")
#define HALVES_2(OP)                                                                                                   \
    OP(add, "add.f16x2") OP(sub, "sub.f16x2") OP(mul, "mul.f16x2") OP(min, "min.f16x2") OP(max, "max.f16x2")            \
    OP(add_ftz, "add.ftz.f16x2")
#define WORDS_2(OP)                                                                                                    \
    OP(div_u, "div.u32") OP(div_s, "div.s32") OP(rem_u, "rem.u32") OP(rem_s, "rem.s32") OP(hi_u, "mul.hi.u32")          \
    OP(hi_s, "mul.hi.s32") OP(lo24, "mul24.lo.s32") OP(hi24, "mul24.hi.u32") OP(addsat, "add.sat.s32")                  \
    OP(subsat, "sub.sat.s32") OP(shl, "shl.b32") OP(shr, "shr.s32")
#define WORDS_3(OP)                                                                                                    \
    OP(sad_u, "sad.u32") OP(sad_s, "sad.s32") OP(madhi, "mad.hi.s32") OP(bfe_u, "bfe.u32") OP(bfe_s, "bfe.s32")         \
    OP(prmt, "prmt.b32") OP(shf_l, "shf.l.clamp.b32") OP(shf_r, "shf.r.clamp.b32") OP(shf_w, "shf.r.wrap.b32")          \
    OP(dp4a_u, "dp4a.u32.s32") OP(dp4a_s, "dp4a.s32.u32") OP(dp2a, "dp2a.hi.s32.s32") OP(fma_half, "fma.rn.f16x2") OP(slct, "slct.b32.s32")          \
    OP(madcc, "mad.lo.cc.u32")
#define WORDS_1(OP)                                                                                                    \
    OP(popc, "popc.b32") OP(clz, "clz.b32") OP(brev, "brev.b32") OP(bfind_u, "bfind.u32") OP(bfind_s, "bfind.s32")      \
    OP(shift_u, "bfind.shiftamt.u32") OP(shift_s, "bfind.shiftamt.s32")
#define LONGS_2(OP)                                                                                                    \
    OP(div_u, "div.u64") OP(div_s, "div.s64") OP(rem_u, "rem.u64") OP(rem_s, "rem.s64") OP(hi_u, "mul.hi.u64")          \
    OP(hi_s, "mul.hi.s64")
#define TESTS(OP)                                                                                                      \
    OP(finite) OP(infinite) OP(number) OP(notanumber) OP(normal) OP(subnormal)

struct all {
    u32 word[64];
    u64 wide[64];
    u64 sum[512];
};

__device__ void put(all *m, int &at, u64 v)
{
    u64 h = v + 0x9e3779b97f4a7c15ull * (threadIdx.x + 64 * blockIdx.x + 1);
    h = (h ^ h >> 31) * 0xbf58476d1ce4e5b9ull;
    atomicAdd(&m->sum[at++], h ^ h >> 29);
}

__global__ void run(all *m)
{
    int at = 0;
    const u32 x = m->word[threadIdx.x], y = m->word[blockIdx.x], z = m->word[(threadIdx.x * 7 + blockIdx.x * 3) % 64];
    const u64 wx = m->wide[threadIdx.x], wy = m->wide[blockIdx.x];
    u32 r;
    u64 w;
#define OP(name, op) asm volatile("{.reg .f32 a, b, d; mov.b32 a, %1; mov.b32 b, %2; " op " d, a, b; mov.b32 %0, d;}" : "=r"(r) : "r"(x), "r"(y)); put(m, at, r);
    FLOATS_2(OP)
#undef OP
#define OP(name, op) asm volatile("{.reg .f32 a, d; mov.b32 a, %1; " op " d, a; mov.b32 %0, d;}" : "=r"(r) : "r"(x)); put(m, at, r);
    FLOATS_1(OP)
#undef OP
#define OP(name, op) asm volatile("{.reg .f64 a, b, d; .reg .pred p; mov.b64 a, %1; mov.b64 b, %2; " op " d, a, b; testp.notanumber.f64 p, d; mov.b64 %0, d; selp.b64 %0, 1, %0, p;}" : "=l"(w) : "l"(wx), "l"(wy)); put(m, at, w);
    DOUBLES_2(OP)
#undef OP
#define OP(name, op) asm volatile("{.reg .f64 a, d; mov.b64 a, %1; " op " d, a; mov.b64 %0, d;}" : "=l"(w) : "l"(wx)); put(m, at, w);
    DOUBLES_1(OP)
#undef OP
#define OP(name, op) asm volatile("{.reg .f32 a; mov.b32 a, %1; " op ".f32 %0, a;}" : "=r"(r) : "r"(x)); put(m, at, r); asm volatile("{.reg .f64 a; mov.b64 a, %1; " op ".f64 %0, a;}" : "=r"(r) : "l"(wx)); put(m, at, r);
    TO_WORD(OP)
#undef OP
#define OP(name, op) asm volatile("{.reg .f32 a; mov.b32 a, %1; " op ".f32 %0, a;}" : "=l"(w) : "r"(x)); put(m, at, w); asm volatile("{.reg .f64 a; mov.b64 a, %1; " op ".f64 %0, a;}" : "=l"(w) : "l"(wx)); put(m, at, w);
    TO_LONG(OP)
#undef OP
#define OP(name, op) asm volatile(op " %0, %1, %2;" : "=r"(r) : "r"(x), "r"(y)); put(m, at, r);
    WORDS_2(OP) HALVES_2(OP)
#undef OP
#define OP(name, op) asm volatile(op " %0, %1, %2, %3;" : "=r"(r) : "r"(x), "r"(y), "r"(z)); put(m, at, r); asm volatile(op " %0, %1, %2, %3;" : "=r"(r) : "r"(z), "r"(x), "r"(y)); put(m, at, r);
    WORDS_3(OP)
#undef OP
#define OP(name, op) asm volatile(op " %0, %1;" : "=r"(r) : "r"(x)); put(m, at, r);
    WORDS_1(OP)
#undef OP
#define OP(name, op) asm volatile(op " %0, %1, %2;" : "=l"(w) : "l"(wx), "l"(wy)); put(m, at, w);
    LONGS_2(OP)
#undef OP
#define OP(name) asm volatile("{.reg .pred p; .reg .f32 a; mov.b32 a, %1; testp." #name ".f32 p, a; selp.u32 %0, 1, 0, p;}" : "=r"(r) : "r"(x)); put(m, at, r); asm volatile("{.reg .pred p; .reg .f64 a; mov.b64 a, %1; testp." #name ".f64 p, a; selp.u32 %0, 1, 0, p;}" : "=r"(r) : "l"(wx)); put(m, at, r);
    TESTS(OP)
#undef OP
    asm volatile("{.reg .f32 a, b, c, d; mov.b32 a, %1; mov.b32 b, %2; mov.b32 c, %3; fma.rn.ftz.f32 d, a, b, c; mov.b32 %0, d;}" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    put(m, at, r);
    asm volatile("{.reg .f32 a, b, c, d; mov.b32 a, %1; mov.b32 b, %2; mov.b32 c, %3; fma.rn.ftz.sat.f32 d, a, b, c; mov.b32 %0, d;}" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    put(m, at, r);
    asm volatile("{.reg .b16 h; .reg .f32 a; mov.b32 a, %1; cvt.rn.f16.f32 h, a; mov.b32 %0, {h, h};}" : "=r"(r) : "r"(x));
    put(m, at, r);
    asm volatile("{.reg .b16 h; .reg .f32 a; mov.b32 a, %1; cvt.rn.bf16.f32 h, a; mov.b32 %0, {h, h};}" : "=r"(r) : "r"(x));
    put(m, at, r);
    asm volatile("{.reg .f32 a, b; mov.b32 a, %1; mov.b32 b, %2; cvt.rn.f16x2.f32 %0, a, b;}" : "=r"(r) : "r"(x), "r"(y));
    put(m, at, r);
    asm volatile("{.reg .b16 h, g; .reg .f32 a; mov.b32 {h, g}, %1; cvt.f32.f16 a, h; mov.b32 %0, a;}" : "=r"(r) : "r"(x));
    put(m, at, r);
    asm volatile("{.reg .b16 h, g; .reg .f32 a; mov.b32 {h, g}, %1; cvt.f32.f16 a, g; mov.b32 %0, a;}" : "=r"(r) : "r"(x));
    put(m, at, r);
    asm volatile("{.reg .f32 a; .reg .f64 b; mov.b64 b, %1; cvt.rn.ftz.f32.f64 a, b; mov.b32 %0, a;}" : "=r"(r) : "l"(wx));
    put(m, at, r);
    asm volatile("{.reg .f32 a; .reg .f64 b; mov.b32 a, %1; cvt.ftz.f64.f32 b, a; mov.b64 %0, b;}" : "=l"(w) : "r"(x));
    put(m, at, w);
    asm volatile("{.reg .f32 a; .reg .f64 b; mov.b32 a, %1; cvt.f64.f32 b, a; mov.b64 %0, b;}" : "=l"(w) : "r"(x));
    put(m, at, w);
    asm volatile("{.reg .f32 a, b; .reg .pred p; mov.b32 a, %1; mov.b32 b, %2; setp.lt.ftz.f32 p, a, b; selp.u32 %0, 1, 0, p;}" : "=r"(r) : "r"(x), "r"(y));
    put(m, at, r);
    asm volatile("{.reg .u64 l; .reg .u32 a; add.cc.u32 a, %1, %2; addc.cc.u32 a, %1, a; subc.u32 %0, a, %2;}" : "=r"(r) : "r"(x), "r"(y));
    put(m, at, r);
    asm volatile("sub.cc.u64 %0, %1, %2; subc.cc.u64 %0, %1, %0; madc.hi.u64 %0, %0, %1, %2;" : "=&l"(w) : "l"(wx), "l"(wy));
    put(m, at, w);
    asm volatile("bfi.b32 %0, %1, %2, %3, %1;" : "=r"(r) : "r"(x), "r"(y), "r"(z));
    put(m, at, r);
    asm volatile("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(w) : "l"(wx), "l"(wy), "r"(z), "r"(y));
    put(m, at, w);
    asm volatile("bfe.s64 %0, %1, %2, %3;" : "=l"(w) : "l"(wx), "r"(y), "r"(z));
    put(m, at, w);
}

int main()
{
    static const u32 floats[] = {0, 1, 0x007fffff, 0x00800000, 0x00800001, 0x3f800000, 0x3f7fffff, 0x3f800001, 0x7f7fffff, 0x7f800000, 0x7fc00000,
        0x7f800001, 0x40490fdb, 0x3f000000, 0x4b000000, 0x4effffff, 0x4f000000, 0x4f800000, 0x5f000000, 0x5f800000, 0x7e800000, 0x7e800001,
        0x33800000, 0x38800000, 0x477fefff, 0x477ff000, 0x40200000, 0x3f4ccccd, 0x20000000, 0x1fffffff, 0x437f8000, 0x46fffe00};
    static const u64 doubles[] = {0, 1, 0x000fffffffffffff, 0x0010000000000000, 0x3ff0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000000,
        0x7ff0000000000001, 0x381fffffffffffff, 0x3810000000000000, 0x380fffffffffffff, 0x380ffffff0000000, 0x36a0000000000000, 0x41dfffffffc00000,
        0x41dfffffffe00000, 0x41e0000000000000, 0x41efffffffe00000, 0x41f0000000000000, 0x43e0000000000000, 0x43dfffffffffffff, 0x43f0000000000000,
        0x4004000000000000, 0x3fe0000000000000, 0x406fe00000000000, 0x406ff00000000000, 0x40dfffc000000000, 0x3fefffffffffffff, 0x41dfffffffffffff, 5, 7, 0x123456789abcdef0};
    all *m, host;
    memset(&host, 0, sizeof host);
    for (int i = 0; i < 32; i++) {
        host.word[i] = floats[i];
        host.word[32 + i] = floats[i] ^ 0x80000000;
        host.wide[i] = doubles[i];
        host.wide[32 + i] = doubles[i] ^ 0x8000000000000000;
    }
    cudaMalloc(&m, sizeof host);
    cudaMemcpy(m, &host, sizeof host, cudaMemcpyHostToDevice);
    run<<<64, 64>>>(m);
    if (cudaMemcpy(&host, m, sizeof host, cudaMemcpyDeviceToHost))
        return 1;
    int at = 0;
#define OP(name, op) printf("%-20s %016llx\n", op, host.sum[at++]);
    FLOATS_2(OP) FLOATS_1(OP) DOUBLES_2(OP) DOUBLES_1(OP)
#define BOTH(name, op) OP(name, op) OP(name, op)
    TO_WORD(BOTH) TO_LONG(BOTH) WORDS_2(OP) HALVES_2(OP) WORDS_3(BOTH) WORDS_1(OP) LONGS_2(OP)
#define TEST(name) BOTH(name, "testp." #name)
    TESTS(TEST)
    for (int i = 0; i < 16; i++)
        OP(, "others")
    return 0;
}
