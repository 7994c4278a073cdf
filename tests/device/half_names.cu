// Every function of cuda_fp16.h and cuda_bf16.h by its name, with values that both types hold exactly (small numbers of
// few bits), so that results are exact too; mathematics within the type's last place. (Random bits: programs/halves.cu.)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdio>

__device__ int wrong;
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            atomicAdd(&wrong, 1);                                                                                      \
            printf("line %d: %s\n", __LINE__, #condition);                                                             \
        }                                                                                                              \
    } while (0)
#define IS(call, value) CHECK((float)(call) == (float)(value))
#define NEAR(call, value) CHECK(fabs((float)(call) - (value)) <= 0.008f * fabs(value))
#define IS2(call, a, b)                                                                                                \
    do {                                                                                                               \
        auto r_ = (call);                                                                                              \
        CHECK((float)r_.x == (float)(a) && (float)r_.y == (float)(b));                                                 \
    } while (0)
#define NEAR2(call, a, b)                                                                                              \
    do {                                                                                                               \
        auto r_ = (call);                                                                                              \
        NEAR(r_.x, a);                                                                                                 \
        NEAR(r_.y, b);                                                                                                 \
    } while (0)

// What both types have: T one value, P a pair of them. The compiler must not fold it: values come as arguments.
template <class T, class P> __device__ void common(float a_, float b_, float c_, float nan_)
{
    const T a = T(a_), b = T(b_), c = T(c_), nan = T(nan_); // 6, 2, -1.5, not a number
    const P p(a, c), q(b, c), n(nan, a);
    IS(__hadd(a, b), 8); IS(__hsub(a, b), 4); IS(__hmul(a, b), 12); IS(__hdiv(a, b), 3);
    IS(__hadd_rn(a, c), 4.5); IS(__hsub_rn(a, c), 7.5); IS(__hmul_rn(a, c), -9);
    IS(__hneg(a), -6); IS(__habs(c), 1.5); IS(__hfma(a, b, c), 10.5); IS(__hfma_relu(a, c, b), 0);
    IS2(__hadd2(p, q), 8, -3); IS2(__hsub2(p, q), 4, 0); IS2(__hmul2(p, q), 12, 2.25); IS2(__h2div(p, q), 3, 1);
    IS2(__hadd2_rn(p, q), 8, -3); IS2(__hsub2_rn(p, q), 4, 0); IS2(__hmul2_rn(p, q), 12, 2.25);
    IS2(__hneg2(p), -6, 1.5); IS2(__habs2(p), 6, 1.5); IS2(__hfma2(p, q, p), 18, 0.75);
    IS2(__hfma2_relu(p, q, P(T(-20.0f), b)), 0, 4.25);
    IS(__hmin(a, c), -1.5); IS(__hmax(a, c), 6); IS(__hmin(nan, a), 6); IS(__hmax(nan, a), 6);
    CHECK(__hisnan(__hmin_nan(nan, a))); CHECK(__hisnan(__hmax_nan(nan, a)));
    IS2(__hmin2(p, q), 2, -1.5); IS2(__hmax2(p, q), 6, -1.5);
    CHECK(__hisnan(__hmin2_nan(n, p).x)); CHECK(__hisnan(__hmax2_nan(n, p).x)); IS(__hmax2_nan(n, p).y, 6);
    // comparison: ordered ones are false for NaN, `u` ones true
    CHECK(__heq(a, a) && !__heq(a, b) && !__heq(nan, nan)); CHECK(__hequ(nan, a) && !__hequ(a, b));
    CHECK(__hne(a, b) && !__hne(a, a) && !__hne(nan, a)); CHECK(__hneu(nan, a) && __hneu(a, b) && !__hneu(a, a));
    CHECK(__hlt(b, a) && !__hlt(a, a) && !__hlt(nan, a)); CHECK(__hltu(nan, a) && !__hltu(a, b));
    CHECK(__hle(a, a) && !__hle(a, b) && !__hle(nan, a)); CHECK(__hleu(nan, a) && !__hleu(a, b));
    CHECK(__hgt(a, b) && !__hgt(a, a) && !__hgt(nan, a)); CHECK(__hgtu(nan, a) && !__hgtu(b, a));
    CHECK(__hge(a, a) && !__hge(b, a) && !__hge(nan, a)); CHECK(__hgeu(nan, a) && !__hgeu(b, a));
    IS2(__heq2(p, q), 0, 1); IS2(__hne2(p, q), 1, 0); IS2(__hlt2(q, p), 1, 0); IS2(__hle2(q, p), 1, 1);
    IS2(__hgt2(p, q), 1, 0); IS2(__hge2(p, q), 1, 1);
    IS2(__hequ2(n, q), 1, 0); IS2(__hneu2(n, q), 1, 1); IS2(__hltu2(n, q), 1, 0); IS2(__hleu2(n, q), 1, 0);
    IS2(__hgtu2(n, q), 1, 1); IS2(__hgeu2(n, q), 1, 1);
    CHECK(__hbeq2(p, p) && !__hbeq2(p, q)); CHECK(!__hbne2(p, q) && !__hbne2(p, p)); CHECK(!__hblt2(q, p));
    CHECK(__hble2(q, p)); CHECK(!__hbgt2(p, q)); CHECK(__hbge2(p, q));
    CHECK(__hbequ2(n, P(a, a))); CHECK(__hbneu2(n, q)); CHECK(!__hbltu2(n, q)); CHECK(!__hbleu2(n, q));
    CHECK(__hbgtu2(n, q)); CHECK(__hbgeu2(n, q));
    CHECK(__heq2_mask(p, q) == 0xffff0000u); CHECK(__hne2_mask(p, q) == 0xffffu); CHECK(__hlt2_mask(q, p) == 0xffffu);
    CHECK(__hle2_mask(q, p) == ~0u); CHECK(__hgt2_mask(p, q) == 0xffffu); CHECK(__hge2_mask(p, q) == ~0u);
    CHECK(__hequ2_mask(n, q) == 0xffffu); CHECK(__hneu2_mask(n, q) == ~0u); CHECK(__hltu2_mask(n, q) == 0xffffu);
    CHECK(__hleu2_mask(n, q) == 0xffffu); CHECK(__hgtu2_mask(n, q) == ~0u); CHECK(__hgeu2_mask(n, q) == ~0u);
    CHECK(__hisnan(nan) && !__hisnan(a)); IS2(__hisnan2(n), 1, 0);
    CHECK(__hisinf(T(INFINITY)) == 1 && __hisinf(T(-INFINITY)) == -1 && __hisinf(a) == 0);
    // mathematics
    const T x = T(2.25f);
    const P m(x, b);
    IS(hsqrt(x), 1.5); NEAR(hrsqrt(x), 1 / 1.5f); IS(hrcp(b), 0.5); NEAR(hexp(x), expf(2.25f)); IS(hexp2(b), 4);
    IS(hexp10(b), 100); NEAR(hlog(x), logf(2.25f)); IS(hlog2(b), 1); NEAR(hlog10(x), log10f(2.25f));
    NEAR(hsin(x), sinf(2.25f)); NEAR(hcos(x), cosf(2.25f)); NEAR(htanh(x), tanhf(2.25f));
    IS(hceil(x), 3); IS(hfloor(c), -2); IS(htrunc(c), -1); IS(hrint(x), 2);
    NEAR2(h2sqrt(m), 1.5f, sqrtf(2)); NEAR2(h2rsqrt(m), 1 / 1.5f, rsqrtf(2)); NEAR2(h2rcp(m), 1 / 2.25f, 0.5f);
    NEAR2(h2exp(m), expf(2.25f), expf(2)); NEAR2(h2exp2(m), exp2f(2.25f), 4.0f); NEAR2(h2exp10(m), exp10f(2.25f), 100.0f);
    NEAR2(h2log(m), logf(2.25f), logf(2)); NEAR2(h2log2(m), log2f(2.25f), 1.0f); NEAR2(h2log10(m), log10f(2.25f), log10f(2));
    NEAR2(h2sin(m), sinf(2.25f), sinf(2)); NEAR2(h2cos(m), cosf(2.25f), cosf(2)); NEAR2(h2tanh(m), tanhf(2.25f), tanhf(2));
    IS2(h2ceil(p), 6, -1); IS2(h2floor(p), 6, -2); IS2(h2trunc(p), 6, -1); IS2(h2rint(m), 2, 2);
    // pairs
    IS(__low2float(p), 6); IS(__high2float(p), -1.5); IS2(__lowhigh2highlow(p), -1.5, 6);
    // memory and other lanes
    __shared__ P word;
    word = p;
    __syncwarp(1);
    IS(atomicAdd(&word.x, b), 6); IS2(atomicAdd(&word, q), 8, -1.5); IS2(word, 10, -3);
    IS(__shfl_sync(1, a, 0), 6); IS2(__shfl_sync(1, p, 0), 6, -1.5);
}

__global__ void halves(float a_, float b_, float c_, float nan, float third, const __half *h)
{
    common<__half, __half2>(a_, b_, c_, nan);
    const __half a = a_, b = b_, c = c_; // 6, 2, -1.5
    const __half2 p(a, c), q(b, c);
    IS(__hadd_sat(a, b), 1); IS(__hsub_sat(b, a), 0); IS(__hmul_sat(c, c), 1); IS(__hfma_sat(a, c, b), 0);
    IS2(__hadd2_sat(p, q), 1, 0); IS2(__hsub2_sat(p, q), 1, 0); IS2(__hmul2_sat(p, q), 1, 1);
    IS2(__hfma2_sat(p, q, p), 1, 0.75);
    // a third: 0x3555 to nearest and down, 0x3556 up
    CHECK(__half_as_ushort(__float2half(third)) == 0x3555); CHECK(__half_as_ushort(__float2half_rn(third)) == 0x3555);
    CHECK(__half_as_ushort(__float2half_rz(third)) == 0x3555); CHECK(__half_as_ushort(__float2half_rd(third)) == 0x3555);
    CHECK(__half_as_ushort(__float2half_ru(third)) == 0x3556); CHECK(__half_as_short(__double2half(third)) == 0x3555);
    IS(__half2float(__ushort_as_half(0x3c00)), 1); IS(__short_as_half(0x4000), 2);
    IS2(__half2half2(a), 6, 6); IS2(make_half2(a, b), 6, 2); IS2(__float2half2_rn(a_), 6, 6);
    IS2(__floats2half2_rn(a_, b_), 6, 2); IS2(__float22half2_rn(make_float2(a_, c_)), 6, -1.5); IS2(__half22float2(p), 6, -1.5);
    IS(__low2half(p), 6); IS(__high2half(p), -1.5); IS2(__low2half2(p), 6, 6); IS2(__high2half2(p), -1.5, -1.5);
    IS2(__lows2half2(p, q), 6, 2); IS2(__highs2half2(p, q), -1.5, -1.5); IS2(__halves2half2(a, b), 6, 2);
    IS(__ldg(h), 5);
    const __half x = 2.75f, y = -2.75f;
    CHECK(__half2int_rn(x) == 3 && __half2int_rz(x) == 2 && __half2int_rd(y) == -3 && __half2int_ru(y) == -2);
    CHECK(__half2uint_rn(x) == 3 && __half2uint_rz(x) == 2 && __half2uint_rd(x) == 2 && __half2uint_ru(x) == 3);
    CHECK(__half2short_rn(y) == -3 && __half2short_rz(y) == -2 && __half2short_rd(y) == -3 && __half2short_ru(y) == -2);
    CHECK(__half2ushort_rn(x) == 3 && __half2ushort_rz(x) == 2 && __half2ushort_rd(x) == 2 && __half2ushort_ru(x) == 3);
    CHECK(__half2ll_rn(y) == -3 && __half2ll_rz(y) == -2 && __half2ll_rd(y) == -3 && __half2ll_ru(y) == -2);
    CHECK(__half2ull_rn(x) == 3 && __half2ull_rz(x) == 2 && __half2ull_rd(x) == 2 && __half2ull_ru(x) == 3);
    IS(__int2half_rn(-2049), -2048); IS(__uint2half_rn(2051u), 2052); IS(__short2half_rn((short)-7), -7);
    IS(__ushort2half_rn((unsigned short)9), 9); IS(__ll2half_rn(-11ll), -11); IS(__ull2half_rn(12ull), 12);
    IS(__int2half_rz(2049), 2048); IS(__int2half_rd(2049), 2048); IS(__int2half_ru(2049), 2050);
    IS(__uint2half_rz(2049u), 2048); IS(__uint2half_rd(2049u), 2048); IS(__uint2half_ru(2049u), 2050);
    IS(__ll2half_rz(2049ll), 2048); IS(__ll2half_rd(2049ll), 2048); IS(__ll2half_ru(2049ll), 2050);
    IS(__ull2half_rz(2049ull), 2048); IS(__ull2half_rd(2049ull), 2048); IS(__ull2half_ru(2049ull), 2050);
    IS(__short2half_rz((short)2049), 2048); IS(__short2half_rd((short)2049), 2048); IS(__short2half_ru((short)2049), 2050);
    IS(__ushort2half_rz((unsigned short)2049), 2048); IS(__ushort2half_rd((unsigned short)2049), 2048); IS(__ushort2half_ru((unsigned short)2049), 2050);
    CHECK(__half2char_rz(x) == 2 && __half2uchar_rz(y) == 0);
}

__global__ void bfloats(float a_, float b_, float c_, float nan, float third)
{
    common<__nv_bfloat16, __nv_bfloat162>(a_, b_, c_, nan);
    const __nv_bfloat16 a = a_, b = b_, c = c_;
    const __nv_bfloat162 p(a, c), q(b, c);
    IS(__hadd_sat(a, b), 1); IS(__hsub_sat(b, a), 0); IS(__hmul_sat(c, c), 1); IS(__hfma_sat(a, c, b), 0); IS(__hadd_sat(a, __nv_bfloat16(nan)), 0);
    IS2(__hadd2_sat(p, q), 1, 0); IS2(__hsub2_sat(p, q), 1, 0); IS2(__hmul2_sat(p, q), 1, 1); IS2(__hfma2_sat(p, q, p), 1, 0.75);
    // a third: 0x3eaaaaab, so 0x3eab to nearest and up, 0x3eaa down
    CHECK(__bfloat16_as_ushort(__float2bfloat16(third)) == 0x3eab); CHECK(__bfloat16_as_ushort(__float2bfloat16_rn(third)) == 0x3eab);
    CHECK(__bfloat16_as_ushort(__float2bfloat16_rz(third)) == 0x3eaa); CHECK(__bfloat16_as_ushort(__float2bfloat16_rd(third)) == 0x3eaa);
    CHECK(__bfloat16_as_ushort(__float2bfloat16_ru(third)) == 0x3eab); CHECK(__bfloat16_as_short(__double2bfloat16(third)) == 0x3eab);
    IS(__bfloat162float(__ushort_as_bfloat16(0x3f80)), 1); IS(__short_as_bfloat16(0x4000), 2);
    IS2(__bfloat162bfloat162(a), 6, 6); IS2(make_bfloat162(a, b), 6, 2); IS2(__float2bfloat162_rn(a_), 6, 6);
    IS2(__floats2bfloat162_rn(a_, b_), 6, 2); IS2(__float22bfloat162_rn(make_float2(a_, c_)), 6, -1.5);
    IS2(__bfloat1622float2(p), 6, -1.5);
    IS(__low2bfloat16(p), 6); IS(__high2bfloat16(p), -1.5); IS2(__low2bfloat162(p), 6, 6); IS2(__high2bfloat162(p), -1.5, -1.5);
    IS2(__lows2bfloat162(p, q), 6, 2); IS2(__highs2bfloat162(p, q), -1.5, -1.5); IS2(__halves2bfloat162(a, b), 6, 2);
    CHECK(__half_as_ushort(static_cast<__half>(__ushort_as_bfloat16(0xc049))) == 0xc248); /* -3.140625 */
    CHECK(__half_as_ushort(static_cast<__half>(__ushort_as_bfloat16(0x4780))) == 0x7c00); /* 65536 */
    CHECK(__bfloat16_as_ushort(static_cast<__nv_bfloat16>(__ushort_as_half(0x7bff))) == 0x4780); /* 65504 */
    CHECK(__bfloat16_as_ushort(static_cast<__nv_bfloat16>(__ushort_as_half(0x0001))) == 0x3380); /* 2^-24 */
    const __nv_bfloat16 x = 2.75f, y = -2.75f;
    CHECK(__bfloat162int_rn(x) == 3 && __bfloat162int_rz(x) == 2 && __bfloat162int_rd(y) == -3 && __bfloat162int_ru(y) == -2);
    CHECK(__bfloat162uint_rn(x) == 3 && __bfloat162uint_rz(x) == 2 && __bfloat162uint_rd(x) == 2 && __bfloat162uint_ru(x) == 3);
    CHECK(__bfloat162short_rn(y) == -3 && __bfloat162short_rz(y) == -2 && __bfloat162short_rd(y) == -3 && __bfloat162short_ru(y) == -2);
    CHECK(__bfloat162ushort_rn(x) == 3 && __bfloat162ushort_rz(x) == 2 && __bfloat162ushort_rd(x) == 2 && __bfloat162ushort_ru(x) == 3);
    CHECK(__bfloat162ll_rn(y) == -3 && __bfloat162ll_rz(y) == -2 && __bfloat162ll_rd(y) == -3 && __bfloat162ll_ru(y) == -2);
    CHECK(__bfloat162ull_rn(x) == 3 && __bfloat162ull_rz(x) == 2 && __bfloat162ull_rd(x) == 2 && __bfloat162ull_ru(x) == 3);
    IS(__int2bfloat16_rn(-257), -256); IS(__uint2bfloat16_rn(259u), 260); IS(__short2bfloat16_rn((short)-7), -7);
    IS(__ushort2bfloat16_rn((unsigned short)9), 9); IS(__ll2bfloat16_rn(-11ll), -11); IS(__ull2bfloat16_rn(12ull), 12);
    IS(__int2bfloat16_rz(257), 256); IS(__int2bfloat16_rd(257), 256); IS(__int2bfloat16_ru(257), 258);
    IS(__uint2bfloat16_rz(257u), 256); IS(__uint2bfloat16_rd(257u), 256); IS(__uint2bfloat16_ru(257u), 258);
    IS(__ll2bfloat16_rz(257ll), 256); IS(__ll2bfloat16_rd(257ll), 256); IS(__ll2bfloat16_ru(257ll), 258);
    IS(__ull2bfloat16_rz(257ull), 256); IS(__ull2bfloat16_rd(257ull), 256); IS(__ull2bfloat16_ru(257ull), 258);
    IS(__short2bfloat16_rz((short)257), 256); IS(__short2bfloat16_rd((short)257), 256); IS(__short2bfloat16_ru((short)257), 258);
    IS(__ushort2bfloat16_rz((unsigned short)257), 256); IS(__ushort2bfloat16_rd((unsigned short)257), 256); IS(__ushort2bfloat16_ru((unsigned short)257), 258);
    CHECK(__bfloat162char_rz(x) == 2 && __bfloat162uchar_rz(y) == 0);
}

int main()
{
    __half five = 5.0f, *h;
    int n;
    cudaMalloc(&h, sizeof five);
    cudaMemcpy(h, &five, sizeof five, cudaMemcpyHostToDevice);
    halves<<<1, 1>>>(6, 2, -1.5f, NAN, 1.0f / 3, h);
    bfloats<<<1, 1>>>(6, 2, -1.5f, NAN, 1.0f / 3);
    cudaError_t e = cudaMemcpyFromSymbol(&n, wrong, sizeof n);
    printf(e || n ? "FAILED: %s, %d wrong\n" : "PASSED\n", cudaGetErrorString(e), n);
    return e || n;
}
