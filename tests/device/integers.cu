// Every integer, cast and SIMD intrinsic against the same arithmetic on the host, at edge and random values.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <climits>
#include <cfenv>
#include <cmath>

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;

// CASE(name, result type, device expression, host expression): a b c are u32, x y u64, all drawn from one table.
#define CASES                                                                                                        \
    CASE(brev, u32, __brev(a), brev(a, 32)) \
    CASE(brevll, u64, __brevll(x), brev(x, 64)) \
    CASE(byte_perm, u32, __byte_perm(a, b, c), perm(a, b, c)) \
    CASE(clz, int, __clz(a), a ? __builtin_clz(a) : 32) \
    CASE(clzll, int, __clzll(x), x ? __builtin_clzll(x) : 64) \
    CASE(ffs, int, __ffs(a), __builtin_ffs(a)) \
    CASE(ffsll, int, __ffsll(x), __builtin_ffsll(x)) \
    CASE(popc, int, __popc(a), __builtin_popcount(a)) \
    CASE(popcll, int, __popcll(x), __builtin_popcountll(x)) \
    CASE(fns_up, u32, __fns(a, b % 32, c % 5 + 1), fns(a, b % 32, c % 5 + 1)) \
    CASE(fns_down, u32, __fns(a, b % 32, -(int)(c % 5)), fns(a, b % 32, -(int)(c % 5))) \
    CASE(funnel_l, u32, __funnelshift_l(a, b, c), ((u64)b << 32 | a) << (c & 31) >> 32) \
    CASE(funnel_lc, u32, __funnelshift_lc(a, b, c), c >= 32 ? a : ((u64)b << 32 | a) << c >> 32) \
    CASE(funnel_r, u32, __funnelshift_r(a, b, c), ((u64)b << 32 | a) >> (c & 31)) \
    CASE(funnel_rc, u32, __funnelshift_rc(a, b, c), c >= 32 ? b : ((u64)b << 32 | a) >> c) \
    CASE(hadd, int, __hadd((int)a, (int)b), ((s64)(int)a + (int)b) >> 1) \
    CASE(rhadd, int, __rhadd((int)a, (int)b), ((s64)(int)a + (int)b + 1) >> 1) \
    CASE(uhadd, u32, __uhadd(a, b), ((u64)a + b) >> 1) \
    CASE(urhadd, u32, __urhadd(a, b), ((u64)a + b + 1) >> 1) \
    CASE(mulhi, int, __mulhi((int)a, (int)b), (s64)(int)a * (int)b >> 32) \
    CASE(umulhi, u32, __umulhi(a, b), (u64)a * b >> 32) \
    CASE(mul64hi, s64, __mul64hi((s64)x, (s64)y), (s64)((__int128)(s64)x * (s64)y >> 64)) \
    CASE(umul64hi, u64, __umul64hi(x, y), (u64)((unsigned __int128)x * y >> 64)) \
    CASE(mul24, int, __mul24((int)a, (int)b), (int)(u32)((s64)((int)(a << 8) >> 8) * ((int)(b << 8) >> 8))) \
    CASE(umul24, u32, __umul24(a, b), (u32)((u64)(a & 0xffffff) * (b & 0xffffff))) \
    CASE(sad, u32, __sad((int)a, (int)b, c), (u32)((int)a > (int)b ? a - b : b - a) + c) \
    CASE(usad, u32, __usad(a, b, c), (a > b ? a - b : b - a) + c) \
    CASE(dp4a_s, int, __dp4a((int)a, (int)b, (int)c), (dot<signed char, signed char>)(a, b, c, 4, 8, 0)) \
    CASE(dp4a_u, u32, __dp4a(a, b, c), (dot<unsigned char, unsigned char>)(a, b, c, 4, 8, 0)) \
    CASE(dp2a_lo, int, __dp2a_lo((int)a, (int)b, (int)c), (dot<short, signed char>)(a, b, c, 2, 16, 0)) \
    CASE(dp2a_hi, u32, __dp2a_hi(a, b, c), (dot<unsigned short, unsigned char>)(a, b, c, 2, 16, 16)) \
    CASE(minmax, int, min((int)a, (int)b) ^ max((int)a, (int)b), a ^ b) \
    CASE(umin, u32, umin(a, b), a < b ? a : b) \
    CASE(umax, u32, umax(a, b), a > b ? a : b) \
    CASE(llmin, s64, llmin((s64)x, (s64)y), (s64)x < (s64)y ? x : y) \
    CASE(ullmax, u64, ullmax(x, y), x > y ? x : y) \
    CASE(abs, u32, (u32)abs((int)a), (int)a < 0 ? 0u - a : a) \
    CASE(llabs, u64, (u64)llabs((s64)x), (s64)x < 0 ? 0ull - x : x) \
    CASE(int2float_rn, float, __int2float_rn((int)a), rounded<float>((int)a, FE_TONEAREST)) \
    CASE(uint2float_rn, float, __uint2float_rn(a), rounded<float>(a, FE_TONEAREST)) \
    CASE(ll2float_rn, float, __ll2float_rn((s64)x), rounded<float>((s64)x, FE_TONEAREST)) \
    CASE(ull2double_rn, double, __ull2double_rn(x), rounded<double>(x, FE_TONEAREST)) \
    CASE(ll2double_rn, double, __ll2double_rn((s64)x), rounded<double>((s64)x, FE_TONEAREST)) \
    CASE(float2int_rn, int, __float2int_rn(f), to_int<int>(f, FE_TONEAREST)) \
    CASE(float2uint_rn, u32, __float2uint_rn(f), to_int<u32>(f, FE_TONEAREST)) \
    CASE(float2ll_rn, s64, __float2ll_rn(f), to_int<s64>(f, FE_TONEAREST)) \
    CASE(double2ull_rn, u64, __double2ull_rn(d), to_int<u64>(d, FE_TONEAREST)) \
    CASE(double2int_rn, int, __double2int_rn(d), to_int<int>(d, FE_TONEAREST)) \
    CASE(double2float_rn, float, __double2float_rn(d), rounded<float>(d, FE_TONEAREST)) \
    CASE(int2float_rz, float, __int2float_rz((int)a), rounded<float>((int)a, FE_TOWARDZERO)) \
    CASE(uint2float_rz, float, __uint2float_rz(a), rounded<float>(a, FE_TOWARDZERO)) \
    CASE(ll2float_rz, float, __ll2float_rz((s64)x), rounded<float>((s64)x, FE_TOWARDZERO)) \
    CASE(ull2double_rz, double, __ull2double_rz(x), rounded<double>(x, FE_TOWARDZERO)) \
    CASE(ll2double_rz, double, __ll2double_rz((s64)x), rounded<double>((s64)x, FE_TOWARDZERO)) \
    CASE(float2int_rz, int, __float2int_rz(f), to_int<int>(f, FE_TOWARDZERO)) \
    CASE(float2uint_rz, u32, __float2uint_rz(f), to_int<u32>(f, FE_TOWARDZERO)) \
    CASE(float2ll_rz, s64, __float2ll_rz(f), to_int<s64>(f, FE_TOWARDZERO)) \
    CASE(double2ull_rz, u64, __double2ull_rz(d), to_int<u64>(d, FE_TOWARDZERO)) \
    CASE(double2int_rz, int, __double2int_rz(d), to_int<int>(d, FE_TOWARDZERO)) \
    CASE(double2float_rz, float, __double2float_rz(d), rounded<float>(d, FE_TOWARDZERO)) \
    CASE(int2float_ru, float, __int2float_ru((int)a), rounded<float>((int)a, FE_UPWARD)) \
    CASE(uint2float_ru, float, __uint2float_ru(a), rounded<float>(a, FE_UPWARD)) \
    CASE(ll2float_ru, float, __ll2float_ru((s64)x), rounded<float>((s64)x, FE_UPWARD)) \
    CASE(ull2double_ru, double, __ull2double_ru(x), rounded<double>(x, FE_UPWARD)) \
    CASE(ll2double_ru, double, __ll2double_ru((s64)x), rounded<double>((s64)x, FE_UPWARD)) \
    CASE(float2int_ru, int, __float2int_ru(f), to_int<int>(f, FE_UPWARD)) \
    CASE(float2uint_ru, u32, __float2uint_ru(f), to_int<u32>(f, FE_UPWARD)) \
    CASE(float2ll_ru, s64, __float2ll_ru(f), to_int<s64>(f, FE_UPWARD)) \
    CASE(double2ull_ru, u64, __double2ull_ru(d), to_int<u64>(d, FE_UPWARD)) \
    CASE(double2int_ru, int, __double2int_ru(d), to_int<int>(d, FE_UPWARD)) \
    CASE(double2float_ru, float, __double2float_ru(d), rounded<float>(d, FE_UPWARD)) \
    CASE(int2float_rd, float, __int2float_rd((int)a), rounded<float>((int)a, FE_DOWNWARD)) \
    CASE(uint2float_rd, float, __uint2float_rd(a), rounded<float>(a, FE_DOWNWARD)) \
    CASE(ll2float_rd, float, __ll2float_rd((s64)x), rounded<float>((s64)x, FE_DOWNWARD)) \
    CASE(ull2double_rd, double, __ull2double_rd(x), rounded<double>(x, FE_DOWNWARD)) \
    CASE(ll2double_rd, double, __ll2double_rd((s64)x), rounded<double>((s64)x, FE_DOWNWARD)) \
    CASE(float2int_rd, int, __float2int_rd(f), to_int<int>(f, FE_DOWNWARD)) \
    CASE(float2uint_rd, u32, __float2uint_rd(f), to_int<u32>(f, FE_DOWNWARD)) \
    CASE(float2ll_rd, s64, __float2ll_rd(f), to_int<s64>(f, FE_DOWNWARD)) \
    CASE(double2ull_rd, u64, __double2ull_rd(d), to_int<u64>(d, FE_DOWNWARD)) \
    CASE(double2int_rd, int, __double2int_rd(d), to_int<int>(d, FE_DOWNWARD)) \
    CASE(double2float_rd, float, __double2float_rd(d), rounded<float>(d, FE_DOWNWARD)) \
    CASE(bits, u64, (u64)__float_as_uint(__uint_as_float(a)) << 32 | (u32)__double2loint(__longlong_as_double(x)), (u64)(canonical(a)) << 32 | (u32)canonical(x)) \
    CASE(hiloint, u64, (u64)__double_as_longlong(__hiloint2double((int)a, (int)b)), canonical((u64)a << 32 | b))

// Functions on the parts of words: x, y are parts.
#define SIMD_CASES \
    SIMD(vabsdiffs, S, x > y ? x - y : y - x) \
    SIMD(vabsdiffu, U, x > y ? x - y : y - x) \
    SIMD(vadd, U, x + y) \
    SIMD(vaddss, S, clamp(x + y, LOW, HIGH)) \
    SIMD(vaddus, U, clamp(x + y, 0, ALL)) \
    SIMD(vavgs, S, (int)std::floor((x + y) / 2.0 + (x + y < 0 ? 0 : 0.5))) \
    SIMD(vavgu, U, (x + y + 1) / 2) \
    SIMD(vhaddu, U, (x + y) / 2) \
    SIMD(vmaxs, S, x > y ? x : y) \
    SIMD(vmaxu, U, x > y ? x : y) \
    SIMD(vmins, S, x < y ? x : y) \
    SIMD(vminu, U, x < y ? x : y) \
    SIMD(vsub, U, x - y) \
    SIMD(vsubss, S, clamp(x - y, LOW, HIGH)) \
    SIMD(vsubus, U, clamp(x - y, 0, ALL)) \
    SIMD(vcmpeq, U, x == y ? -1 : 0) \
    SIMD(vseteq, U, x == y) \
    SIMD(vcmpne, U, x != y ? -1 : 0) \
    SIMD(vsetne, U, x != y) \
    SIMD(vcmpges, S, x >= y ? -1 : 0) \
    SIMD(vsetges, S, x >= y) \
    SIMD(vcmpgeu, U, x >= y ? -1 : 0) \
    SIMD(vsetgeu, U, x >= y) \
    SIMD(vcmpgts, S, x > y ? -1 : 0) \
    SIMD(vsetgts, S, x > y) \
    SIMD(vcmpgtu, U, x > y ? -1 : 0) \
    SIMD(vsetgtu, U, x > y) \
    SIMD(vcmples, S, x <= y ? -1 : 0) \
    SIMD(vsetles, S, x <= y) \
    SIMD(vcmpleu, U, x <= y ? -1 : 0) \
    SIMD(vsetleu, U, x <= y) \
    SIMD(vcmplts, S, x < y ? -1 : 0) \
    SIMD(vsetlts, S, x < y) \
    SIMD(vcmpltu, U, x < y ? -1 : 0) \
    SIMD(vsetltu, U, x < y)
#define SIMD_ONE_CASES SIMD1(vabs, x < 0 ? -x : x) SIMD1(vabsss, clamp(x < 0 ? -x : x, 0, HIGH)) SIMD1(vneg, -x) SIMD1(vnegss, clamp(-x, LOW, HIGH))

template <class T> T brev(T v, int n) { T r = 0; for (int i = 0; i < n; i++) r |= (v >> i & 1) << (n - 1 - i); return r; }
static u32 perm(u32 a, u32 b, u32 s)
{
    u32 r = 0;
    for (int i = 0; i < 4; i++)
        r |= (u32)(((u64)b << 32 | a) >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
    return r;
}
static u32 fns(u32 m, int base, int n)
{
    if (n == 0)
        return m >> base & 1 ? base : ~0u;
    for (int i = base; i >= 0 && i < 32; i += n < 0 ? -1 : 1)
        if (m >> i & 1) {
            if (n == 1 || n == -1)
                return i;
            n += n < 0 ? 1 : -1;
        }
    return ~0u;
}
template <class A, class B> u32 dot(u32 a, u32 b, u32 c, int n, int width, int from)
{
    for (int i = 0; i < n; i++)
        c += (u32)((int)(A)(a >> width * i) * (int)(B)(b >> (from + 8 * i)));
    return c;
}
static int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
// Through long double, which holds every 64-bit integer and every double exactly; so only the last step rounds.
template <class R, class V> R rounded(V v, int mode)
{
    volatile long double wide = v;
    fesetround(mode);
    volatile R r = (R)wide;
    fesetround(FE_TONEAREST);
    return r != r ? (R)NAN : r;
}
// PTX ISA, cvt: out of range goes to the nearest end. NaN: 0 from float to 32 bits, else the highest bit alone, as the
// H200 does (tests/truth/lanes_h200.tsv).
template <class R, class V> R to_int(V v, int mode)
{
    volatile long double r = v;
    fesetround(mode);
    r = rintl(r);
    fesetround(FE_TONEAREST);
    const bool is_signed = (R)-1 < 0;
    const long double top = ldexpl(1, 8 * (int)sizeof(R) - (is_signed ? 1 : 0)), low = is_signed ? -top : 0;
    const R highest = (R)((u64)-1 >> (64 - 8 * (int)sizeof(R) + (is_signed ? 1 : 0)));
    if (v != v)
        return sizeof(R) == 8 || sizeof(V) == 8 ? (R)(1ull << (8 * sizeof(R) - 1)) : 0;
    return r >= top ? highest : r <= low ? (R)~highest * (R)is_signed : (R)r;
}
static u32 canonical(u32 a) { return a; }
static u64 canonical(u64 a) { return a; }

#define CASE(name, R, device, host) K_##name,
#define SIMD(name, sign, value) K_##name##2, K_##name##4,
#define SIMD1(name, value) K_##name##2, K_##name##4,
enum { CASES SIMD_CASES SIMD_ONE_CASES NCASES };
#undef CASE
#undef SIMD
#undef SIMD1
static const char *const names[] = {
#define CASE(name, R, device, host) #name,
#define SIMD(name, sign, value) #name "2", #name "4",
#define SIMD1(name, value) #name "2", #name "4",
    CASES SIMD_CASES SIMD_ONE_CASES
#undef CASE
#undef SIMD
#undef SIMD1
};

struct input { u32 a, b, c; u64 x, y; float f; double d; };
template <class T> __host__ __device__ u64 bits_of(T v) { u64 r = 0; memcpy(&r, &v, sizeof v); return r; }

__global__ void run(const input *in, u64 *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const u32 a = in[i].a, b = in[i].b, c = in[i].c;
    const u64 x = in[i].x, y = in[i].y;
    const float f = in[i].f;
    const double d = in[i].d;
    u64 *o = out + (size_t)i * NCASES;
#define CASE(name, R, device, host) o[K_##name] = bits_of<R>(device);
#define SIMD(name, sign, value) o[K_##name##2] = __##name##2(a, b); o[K_##name##4] = __##name##4(a, b);
#define SIMD1(name, value) o[K_##name##2] = __##name##2(a); o[K_##name##4] = __##name##4(a);
    CASES SIMD_CASES SIMD_ONE_CASES
#undef CASE
#undef SIMD
#undef SIMD1
}

template <class T, int W, class F> u32 parts(u32 a, u32 b, F f)
{
    u32 r = 0;
    for (int at = 0; at < 32; at += W)
        r |= ((u32)f((int)(T)(a >> at), (int)(T)(b >> at)) & ((1u << W) - 1)) << at;
    return r;
}

static void reference(const input &in, u64 *o)
{
    const u32 a = in.a, b = in.b, c = in.c;
    const u64 x = in.x, y = in.y;
    const float f = in.f;
    const double d = in.d;
    (void)a, (void)b, (void)c, (void)x, (void)y, (void)f, (void)d;
#define CASE(name, R, device, host) o[K_##name] = bits_of<R>((R)(host));
#define WORD_S2 short
#define WORD_U2 unsigned short
#define WORD_S4 signed char
#define WORD_U4 unsigned char
#define SIMD(name, sign, value)                                                                      \
    { enum { LOW = -32768, HIGH = 32767, ALL = 65535 }; o[K_##name##2] = parts<WORD_##sign##2, 16>(a, b, [](int x, int y) -> int { return value; }); } \
    { enum { LOW = -128, HIGH = 127, ALL = 255 }; o[K_##name##4] = parts<WORD_##sign##4, 8>(a, b, [](int x, int y) -> int { return value; }); }
#define SIMD1(name, value) SIMD(name, S, value)
    CASES SIMD_CASES SIMD_ONE_CASES
}

static u64 random64() { static u64 s = 88172645463325252ull; s ^= s << 13; s ^= s >> 7; s ^= s << 17; return s; }

int main()
{
    enum { N = 4096 };
    static const u64 edges[] = {0, 1, 2, 31, 32, 33, 0x7fff, 0x8000, 0xffff, 0x7f7f7f7f, 0x80808080, 0x7fffffff, 0x80000000,
                                0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, ~0ull, 0x7fff8000ffff0001};
    static const double floats[] = {0, -0.0, 0.5, -0.5, 1.5, 2.5, -1.5, 1e10, -1e10, 3e19, -3e19, 2147483647.5, -2147483648.5,
                                    4294967295.5, INFINITY, -INFINITY, 9223372036854775808.0, 1e-40, 16777217.0, 1.0 + 0x1p-24, NAN};
    enum { NE = sizeof edges / sizeof *edges, NF = sizeof floats / sizeof *floats };
    input *in = (input *)calloc(N, sizeof *in), *din;
    u64 *out = (u64 *)malloc(sizeof(u64) * NCASES * N), *dout, want[NCASES];
    for (int i = 0; i < N; i++) {
        bool edge = i < NE * NE;
        u64 p = edge ? edges[i / NE] : random64(), q = edge ? edges[i % NE] : random64();
        in[i] = input{(u32)p, (u32)q, (u32)(i % 3 ? i % 70 : random64()), p, q, 0, 0};
        in[i].d = i < NF ? floats[i] : (double)(s64)random64() * ldexp(1, -(int)(random64() % 70));
        in[i].f = (float)in[i].d;
    }
    cudaMalloc(&din, N * sizeof *in);
    cudaMalloc(&dout, sizeof(u64) * NCASES * N);
    cudaMemcpy(din, in, N * sizeof *in, cudaMemcpyHostToDevice);
    run<<<N / 64, 64>>>(din, dout);
    cudaError_t e = cudaMemcpy(out, dout, sizeof(u64) * NCASES * N, cudaMemcpyDeviceToHost);
    if (e)
        return printf("FAILED: %s\n", cudaGetErrorString(e)), 1;
    int bad = 0;
    for (int i = 0; i < N; i++) {
        reference(in[i], want);
        for (int k = 0; k < NCASES; k++)
            if (out[(size_t)i * NCASES + k] != want[k] && bad++ < 20)
                printf("FAILED %s(a %x b %x c %x x %llx y %llx f %a d %a): %llx, not %llx\n", names[k], in[i].a, in[i].b, in[i].c,
                       in[i].x, in[i].y, in[i].f, in[i].d, out[(size_t)i * NCASES + k], want[k]);
    }
    printf(bad ? "FAILED: %d\n" : "PASSED: %d functions\n", bad ? bad : (int)NCASES);
    return bad != 0;
}
