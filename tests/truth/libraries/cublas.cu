// What cuBLAS computes and answers: one line a case, "name <tab> status <tab> values as hexadecimal floats". Inputs are made by a formula, so that
// a GPU's results can be compared with Heddle's (tests/truth/libraries/compare.py).
//
//   nvcc -o cublas cublas.cu -lcublas && ./cublas > cublas.tsv
//
// The part for one element type is in this file, too, and is included for each.
#ifndef TYPED
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

static cublasHandle_t handle;

// --- numbers ---

static double noise(unsigned seed, unsigned i)
{
    unsigned long long s = (seed * 2654435761ull + i + 1) * 6364136223846793005ull + 1442695040888963407ull;
    s ^= s >> 29;
    s *= 0xbf58476d1ce4e5b9ull;
    s ^= s >> 32;
    return (double)(s % 2000001ull) / 1000000.0 - 1.0;
}

// multiples of 1/16 from -1 to 1: exact in every format with 5 bits
static double coarse(unsigned seed, unsigned i) { return (double)((int)((noise(seed, i) + 1) * 16)) / 16 - 1; }

template <class T> struct Is { static T make(double re, double) { return (T)re; } };
template <> struct Is<cuComplex> { static cuComplex make(double re, double im) { return make_cuComplex((float)re, (float)im); } };
template <> struct Is<cuDoubleComplex> { static cuDoubleComplex make(double re, double im) { return make_cuDoubleComplex(re, im); } };
template <> struct Is<__half> { static __half make(double re, double) { return __float2half((float)re); } };
template <> struct Is<__nv_bfloat16> { static __nv_bfloat16 make(double re, double) { return __float2bfloat16((float)re); } };

static std::string text(double d)
{
    char s[64];
    snprintf(s, sizeof s, "%a", d);
    return s;
}
static std::string text(float d) { return text((double)d); }
static std::string text(int d) { return std::to_string(d); }
static std::string text(signed char d) { return std::to_string((int)d); }
static std::string text(long d) { return std::to_string(d); }
static std::string text(cuComplex d) { return text(d.x) + "," + text(d.y); }
static std::string text(cuDoubleComplex d) { return text(d.x) + "," + text(d.y); }
static std::string text(__half d) { return text(__half2float(d)); }
static std::string text(__nv_bfloat16 d) { return text(__bfloat162float(d)); }

// --- arrays in device memory ---

template <class T> struct Array {
    std::vector<T> host;
    T *at = nullptr;
    Array(size_t n, unsigned seed, bool rough = false) : host(n)
    {
        for (size_t i = 0; i < n; i++)
            host[i] = rough ? Is<T>::make(coarse(seed, i), coarse(seed + 100, i)) : Is<T>::make(noise(seed, i), noise(seed + 100, i));
        send();
    }
    ~Array() { cudaFree(at); }
    Array(const Array &) = delete;
    void send()
    {
        if (!at)
            cudaMalloc((void **)&at, host.size() * sizeof(T) + 256);
        cudaMemcpy(at, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
    }
    std::string get()
    {
        std::string s;
        cudaMemcpy(host.data(), at, host.size() * sizeof(T), cudaMemcpyDeviceToHost);
        for (size_t i = 0; i < host.size(); i++)
            s += (i ? " " : "") + text(host[i]);
        return s;
    }
};

template <class T> struct Pointers {
    T **at;
    Pointers(T *base, size_t stride, int n)
    {
        std::vector<T *> p(n);
        for (int i = 0; i < n; i++)
            p[i] = base + i * stride;
        cudaMalloc((void **)&at, n * sizeof(T *));
        cudaMemcpy(at, p.data(), n * sizeof(T *), cudaMemcpyHostToDevice);
    }
    ~Pointers() { cudaFree(at); }
};

static void say(const std::string &name, int status, const std::string &values = "")
{
    printf("%s\t%d\t%s\n", name.c_str(), status, values.c_str());
    fflush(stdout);
}

// The call comes first, then what it has left.
#define SAY(name, call, values) \
    do { \
        const int status_ = (int)(call); \
        say(name, status_, values); \
    } while (0)

static const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
static const char op_names[] = "NTC";
static const cublasFillMode_t fills[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
static const cublasSideMode_t sides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};
static const cublasDiagType_t diags[] = {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT};

// a triangle that can be solved with: its diagonal is large
template <class T> static void strengthen(Array<T> &a, int n, int ld, double by = 4)
{
    for (int i = 0; i < n; i++)
        a.host[i + i * ld] = Is<T>::make(by + 0.25 * i, 0.5);
    a.send();
}

#define TYPED
#define LETTER "S"
#define TYPED_FUNCTION typed_S
#define T float
#define R float
#define F(name) cublasS##name
#define INDEX(name) cublasIs##name
#define NORM(name) cublasS##name
#include "cublas.cu"
#undef LETTER
#undef TYPED_FUNCTION
#undef T
#undef R
#undef F
#undef INDEX
#undef NORM
#define LETTER "D"
#define TYPED_FUNCTION typed_D
#define T double
#define R double
#define F(name) cublasD##name
#define INDEX(name) cublasId##name
#define NORM(name) cublasD##name
#include "cublas.cu"
#undef LETTER
#undef TYPED_FUNCTION
#undef T
#undef R
#undef F
#undef INDEX
#undef NORM
#define COMPLEX
#define LETTER "C"
#define TYPED_FUNCTION typed_C
#define T cuComplex
#define R float
#define F(name) cublasC##name
#define INDEX(name) cublasIc##name
#define NORM(name) cublasSc##name
#define MIXED(name) cublasCs##name
#include "cublas.cu"
#undef LETTER
#undef TYPED_FUNCTION
#undef T
#undef R
#undef F
#undef INDEX
#undef NORM
#undef MIXED
#define LETTER "Z"
#define TYPED_FUNCTION typed_Z
#define T cuDoubleComplex
#define R double
#define F(name) cublasZ##name
#define INDEX(name) cublasIz##name
#define NORM(name) cublasDz##name
#define MIXED(name) cublasZd##name
#include "cublas.cu"
#undef LETTER
#undef TYPED_FUNCTION
#undef T
#undef R
#undef F
#undef INDEX
#undef NORM
#undef MIXED

// --- products with types as arguments ---

template <class A, class C, class X>
static void gemm_ex(const char *name, cudaDataType a_type, cudaDataType c_type, cublasComputeType_t compute, X alpha, X beta, int m, int n, int k)
{
    for (int t = 0; t < 2; t++) {
        Array<A> a(m * k, 1, true), b(k * n, 2, true);
        Array<C> c(m * n, 3, true);
        cublasStatus_t s = cublasGemmEx(handle, ops[t], CUBLAS_OP_N, m, n, k, &alpha, a.at, a_type, t ? k : m, b.at, a_type, k, &beta, c.at, c_type, m, compute,
                                        CUBLAS_GEMM_DEFAULT);
        say(std::string("GemmEx.") + name + "." + op_names[t], s, c.get());
    }
}

static void gemm_int8(int m, int n, int k)
{
    Array<signed char> a(m * k, 1), b(k * n, 2);
    Array<int> c(m * n, 3);
    for (size_t i = 0; i < a.host.size(); i++)
        a.host[i] = (signed char)(noise(1, i) * 127);
    for (size_t i = 0; i < b.host.size(); i++)
        b.host[i] = (signed char)(noise(2, i) * 127);
    for (size_t i = 0; i < c.host.size(); i++)
        c.host[i] = (int)(noise(3, i) * 1000);
    a.send();
    b.send();
    c.send();
    int alpha = 2, beta = -3;
    cublasStatus_t s = cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, &alpha, a.at, CUDA_R_8I, k, b.at, CUDA_R_8I, k, &beta, c.at, CUDA_R_32I, m,
                                    CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT);
    say("GemmEx.int8." + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k), s, c.get());
}

static void products_with_types()
{
    __half h2 = __float2half(0.5f), h1 = __float2half(0.25f);
    gemm_ex<__half, __half, __half>("half16", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, h2, h1, 8, 8, 16);
    gemm_ex<__half, __half, float>("half32", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, 0.5f, 0.25f, 8, 8, 16);
    gemm_ex<__half, float, float>("half_float", CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 0.5f, 0.25f, 8, 8, 16);
    gemm_ex<__nv_bfloat16, __nv_bfloat16, float>("bfloat", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, 0.5f, 0.25f, 8, 8, 16);
    gemm_ex<__nv_bfloat16, float, float>("bfloat_float", CUDA_R_16BF, CUDA_R_32F, CUBLAS_COMPUTE_32F, 0.5f, 0.25f, 8, 8, 16);
    gemm_ex<float, float, float>("float", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 0.5f, 0.25f, 8, 8, 16);
    gemm_ex<float, float, float>("float_tf32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 0.5f, 0.25f, 8, 8, 16);
    gemm_ex<float, float, float>("float_fast16", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_16F, 0.5f, 0.25f, 8, 8, 16);
    gemm_ex<double, double, double>("double", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 0.5, 0.25, 8, 8, 16);
    gemm_ex<cuComplex, cuComplex, cuComplex>("complex", CUDA_C_32F, CUDA_C_32F, CUBLAS_COMPUTE_32F, make_cuComplex(0.5f, 1), make_cuComplex(0.25f, -1), 8, 8, 16);
    gemm_ex<__half, __half, __half>("half16_odd", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, h2, h1, 5, 3, 7);
    gemm_ex<__half, __half, float>("half32_odd", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, 0.5f, 0.25f, 5, 3, 7);
    gemm_ex<__half, float, __half>("wrong_half16_float", CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_16F, h2, h1, 8, 8, 16);
    gemm_ex<float, __half, float>("wrong_float_half", CUDA_R_32F, CUDA_R_16F, CUBLAS_COMPUTE_32F, 0.5f, 0.25f, 8, 8, 16);
    gemm_ex<double, double, float>("wrong_double32", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_32F, 0.5f, 0.25f, 8, 8, 16);
    gemm_ex<float, float, double>("wrong_float64", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_64F, 0.5, 0.25, 8, 8, 16);
    gemm_int8(8, 8, 16);
    gemm_int8(16, 4, 32);
    gemm_int8(8, 8, 6); // leading dimensions that are no multiples of 4
    // numbers that TF32 does not hold
    for (int mode = 0; mode < 2; mode++) {
        cublasSetMathMode(handle, mode ? CUBLAS_TF32_TENSOR_OP_MATH : CUBLAS_DEFAULT_MATH);
        Array<float> a(64 * 64, 1), b(64 * 64, 2), c(64 * 64, 3);
        float one = 1, zero = 0;
        cublasStatus_t s = cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 64, 64, 64, &one, a.at, 64, b.at, 64, &zero, c.at, 64);
        c.get();
        c.host.resize(16);
        std::string values;
        for (float v : c.host)
            values += text(v) + " ";
        say(mode ? "Sgemm.tf32" : "Sgemm.plain64", s, values);
    }
    cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH);
    Array<__half> a(64, 1, true), b(64, 2, true), c(64, 3, true);
    SAY("Hgemm", cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, 8, 8, 8, &h2, a.at, 8, b.at, 8, &h1, c.at, 8), c.get());
    c.get();
    Array<__half> x(20, 4, true), y(20, 5, true);
    float alpha = 0.5f, result = 0;
    SAY("AxpyEx.half", cublasAxpyEx(handle, 20, &alpha, CUDA_R_32F, x.at, CUDA_R_16F, 1, y.at, CUDA_R_16F, 1, CUDA_R_32F), y.get());
    __half hr;
    SAY("DotEx.half", cublasDotEx(handle, 20, x.at, CUDA_R_16F, 1, y.at, CUDA_R_16F, 1, &hr, CUDA_R_16F, CUDA_R_32F), "");
    printf("DotEx.half.value\t0\t%s\n", text(hr).c_str());
    SAY("Nrm2Ex.half", cublasNrm2Ex(handle, 20, x.at, CUDA_R_16F, 1, &hr, CUDA_R_16F, CUDA_R_32F), "");
    printf("Nrm2Ex.half.value\t0\t%s\n", text(hr).c_str());
    SAY("ScalEx.half", cublasScalEx(handle, 20, &alpha, CUDA_R_32F, x.at, CUDA_R_16F, 1, CUDA_R_32F), x.get());
    SAY("Nrm2Ex.wrong", cublasNrm2Ex(handle, 20, x.at, CUDA_R_16F, 1, &result, CUDA_R_32F, CUDA_R_16F), "");
}

// --- settings and misuse: statuses only ---

static void misuse()
{
    Array<float> a(64, 1), b(64, 2), c(64, 3);
    float one = 1, zero = 0, r = -5;
    int i = -5;
    auto gemm = [&](int ta, int tb, int m, int n, int k, int lda, int ldb, int ldc) {
        return cublasSgemm(handle, (cublasOperation_t)ta, (cublasOperation_t)tb, m, n, k, &one, a.at, lda, b.at, ldb, &zero, c.at, ldc);
    };
    say("misuse.gemm.good", gemm(0, 0, 4, 4, 4, 4, 4, 4));
    say("misuse.gemm.lda", gemm(0, 0, 4, 4, 4, 3, 4, 4));
    say("misuse.gemm.ldb", gemm(0, 0, 4, 4, 4, 4, 3, 4));
    say("misuse.gemm.ldc", gemm(0, 0, 4, 4, 4, 4, 4, 3));
    say("misuse.gemm.lda_zero", gemm(0, 0, 4, 4, 4, 0, 4, 4));
    say("misuse.gemm.m_negative", gemm(0, 0, -1, 4, 4, 4, 4, 4));
    say("misuse.gemm.n_negative", gemm(0, 0, 4, -1, 4, 4, 4, 4));
    say("misuse.gemm.k_negative", gemm(0, 0, 4, 4, -1, 4, 4, 4));
    say("misuse.gemm.m_zero", gemm(0, 0, 0, 4, 4, 4, 4, 4));
    SAY("misuse.gemm.k_zero", gemm(0, 0, 4, 4, 0, 4, 4, 4), c.get());
    say("misuse.gemm.op_3", gemm(3, 0, 4, 4, 4, 4, 4, 4));
    say("misuse.gemm.op_7", gemm(7, 0, 4, 4, 4, 4, 4, 4));
    say("misuse.gemm.m_zero_lda_zero", gemm(0, 0, 0, 0, 0, 0, 0, 0));
    say("misuse.gemv.incx_zero", cublasSgemv(handle, CUBLAS_OP_N, 4, 4, &one, a.at, 4, b.at, 0, &zero, c.at, 1));
    say("misuse.gemv.incy_zero", cublasSgemv(handle, CUBLAS_OP_N, 4, 4, &one, a.at, 4, b.at, 1, &zero, c.at, 0));
    say("misuse.gemv.lda", cublasSgemv(handle, CUBLAS_OP_N, 4, 4, &one, a.at, 3, b.at, 1, &zero, c.at, 1));
    say("misuse.gemv.m_negative", cublasSgemv(handle, CUBLAS_OP_N, -4, 4, &one, a.at, 4, b.at, 1, &zero, c.at, 1));
    say("misuse.gbmv.lda", cublasSgbmv(handle, CUBLAS_OP_N, 4, 4, 1, 1, &one, a.at, 2, b.at, 1, &zero, c.at, 1));
    say("misuse.gbmv.kl_negative", cublasSgbmv(handle, CUBLAS_OP_N, 4, 4, -1, 1, &one, a.at, 4, b.at, 1, &zero, c.at, 1));
    say("misuse.trsm.side_2", cublasStrsm(handle, (cublasSideMode_t)2, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 4, 4, &one, a.at, 4, b.at, 4));
    say("misuse.trsm.fill_2", cublasStrsm(handle, CUBLAS_SIDE_LEFT, (cublasFillMode_t)2, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 4, 4, &one, a.at, 4, b.at, 4));
    say("misuse.trsm.fill_5", cublasStrsm(handle, CUBLAS_SIDE_LEFT, (cublasFillMode_t)5, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 4, 4, &one, a.at, 4, b.at, 4));
    say("misuse.trsm.diag_2", cublasStrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, (cublasDiagType_t)2, 4, 4, &one, a.at, 4, b.at, 4));
    say("misuse.trsm.lda", cublasStrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_UNIT, 4, 4, &one, a.at, 3, b.at, 4));
    SAY("misuse.syrk.op_c", cublasSsyrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_C, 4, 4, &one, a.at, 4, &zero, c.at, 4), c.get());
    SAY("misuse.axpy.incx_zero", cublasSaxpy(handle, 4, &one, a.at, 0, c.at, 1), c.get());
    SAY("misuse.axpy.incy_zero", cublasSaxpy(handle, 4, &one, a.at, 1, c.at, 0), c.get());
    SAY("misuse.axpy.n_negative", cublasSaxpy(handle, -4, &one, a.at, 1, c.at, 1), c.get());
    SAY("misuse.copy.incx_zero", cublasScopy(handle, 4, a.at, 0, c.at, 1), c.get());
    SAY("misuse.scal.inc_negative", cublasSscal(handle, 4, &zero, c.at, -1), c.get());
    SAY("misuse.scal.inc_zero", cublasSscal(handle, 4, &zero, c.at, 0), c.get());
    say("misuse.scal.n_negative", cublasSscal(handle, -4, &zero, c.at, 1));
    SAY("misuse.dot.n_zero", cublasSdot(handle, 0, a.at, 1, b.at, 1, &r), text(r));
    printf("misuse.dot.n_zero.value\t0\t%s\n", text(r).c_str());
    r = -5;
    say("misuse.dot.n_negative", cublasSdot(handle, -1, a.at, 1, b.at, 1, &r));
    printf("misuse.dot.n_negative.value\t0\t%s\n", text(r).c_str());
    r = -5;
    say("misuse.dot.inc_zero", cublasSdot(handle, 3, a.at, 0, b.at, 1, &r));
    printf("misuse.dot.inc_zero.value\t0\t%s\n", text(r).c_str());
    r = -5;
    say("misuse.nrm2.inc_zero", cublasSnrm2(handle, 3, a.at, 0, &r));
    printf("misuse.nrm2.inc_zero.value\t0\t%s\n", text(r).c_str());
    r = -5;
    say("misuse.nrm2.inc_negative", cublasSnrm2(handle, 3, a.at, -1, &r));
    printf("misuse.nrm2.inc_negative.value\t0\t%s\n", text(r).c_str());
    r = -5;
    say("misuse.asum.n_negative", cublasSasum(handle, -3, a.at, 1, &r));
    printf("misuse.asum.n_negative.value\t0\t%s\n", text(r).c_str());
    say("misuse.amax.n_zero", cublasIsamax(handle, 0, a.at, 1, &i));
    printf("misuse.amax.n_zero.value\t0\t%d\n", i);
    i = -5;
    say("misuse.amax.inc_negative", cublasIsamax(handle, 4, a.at, -1, &i));
    printf("misuse.amax.inc_negative.value\t0\t%d\n", i);
    SAY("misuse.geam.in_place", cublasSgeam(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, &one, c.at, 4, &one, b.at, 4, c.at, 4), c.get());
    say("misuse.geam.in_place_transposed", cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, 4, 4, &one, c.at, 4, &one, b.at, 4, c.at, 4));
    say("misuse.geam.ldc", cublasSgeam(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, &one, a.at, 4, &one, b.at, 4, c.at, 3));
    SAY("misuse.dgmm.incx_zero", cublasSdgmm(handle, CUBLAS_SIDE_LEFT, 4, 4, a.at, 4, b.at, 0, c.at, 4), c.get());
    say("misuse.strided.batch_negative", cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a.at, 2, 4, b.at, 2, 4, &zero, c.at, 2, 4, -1));
    say("misuse.strided.batch_zero", cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, a.at, 2, 4, b.at, 2, 4, &zero, c.at, 2, 4, 0));
    int info = 77;
    const cublasFillMode_t low = CUBLAS_FILL_MODE_LOWER;
    const cublasOperation_t plain = CUBLAS_OP_N;
    const cublasDiagType_t any = CUBLAS_DIAG_NON_UNIT;
    const cublasSideMode_t left = CUBLAS_SIDE_LEFT;
    const int variants[][4] = {{-1, 4, 1, 1}, {4, 4, 0, 1}, {4, 4, 1, 0}, {4, 3, 1, 1}}; // n, leading dimension, increments
    const char *const names[] = {"n_negative", "incx_zero", "incy_zero", "ld_small"};
    for (int k = 0; k < 4; k++) {
        const int n = variants[k][0], ld = variants[k][1], ix = variants[k][2], iy = variants[k][3];
        const std::string at = std::string(".") + names[k];
        say("misuse.trmv" + at, cublasStrmv(handle, low, plain, any, n, a.at, ld, b.at, ix));
        say("misuse.trsv" + at, cublasStrsv(handle, low, plain, any, n, a.at, ld, b.at, ix));
        say("misuse.tbmv" + at, cublasStbmv(handle, low, plain, any, n, 3, a.at, ld, b.at, ix));
        say("misuse.tbsv" + at, cublasStbsv(handle, low, plain, any, n, 3, a.at, ld, b.at, ix));
        say("misuse.tpmv" + at, cublasStpmv(handle, low, plain, any, n, a.at, b.at, ix));
        say("misuse.tpsv" + at, cublasStpsv(handle, low, plain, any, n, a.at, b.at, ix));
        say("misuse.symv" + at, cublasSsymv(handle, low, n, &one, a.at, ld, b.at, ix, &zero, c.at, iy));
        say("misuse.sbmv" + at, cublasSsbmv(handle, low, n, 3, &one, a.at, ld, b.at, ix, &zero, c.at, iy));
        say("misuse.spmv" + at, cublasSspmv(handle, low, n, &one, a.at, b.at, ix, &zero, c.at, iy));
        say("misuse.ger" + at, cublasSger(handle, n, 4, &one, a.at, ix, b.at, iy, c.at, ld));
        say("misuse.syr" + at, cublasSsyr(handle, low, n, &one, a.at, ix, c.at, ld));
        say("misuse.spr" + at, cublasSspr(handle, low, n, &one, a.at, ix, c.at));
        say("misuse.syr2" + at, cublasSsyr2(handle, low, n, &one, a.at, ix, b.at, iy, c.at, ld));
        say("misuse.spr2" + at, cublasSspr2(handle, low, n, &one, a.at, ix, b.at, iy, c.at));
        say("misuse.gbmv" + at, cublasSgbmv(handle, plain, n, 4, 1, 2, &one, a.at, ld, b.at, ix, &zero, c.at, iy));
        say("misuse.gemvStrided" + at, cublasSgemvStridedBatched(handle, plain, n, 4, &one, a.at, ld, 16, b.at, ix, 4, &zero, c.at, iy, 4, 2));
        say("misuse.rot" + at, cublasSrot(handle, n, a.at, ix, b.at, iy, &one, &zero));
        say("misuse.swap" + at, cublasSswap(handle, n, a.at, ix, b.at, iy));
        say("misuse.symm" + at, cublasSsymm(handle, left, low, n, 4, &one, a.at, ld, b.at, 4, &zero, c.at, 4));
        say("misuse.syrk" + at, cublasSsyrk(handle, low, plain, n, 4, &one, a.at, ld, &zero, c.at, 4));
        say("misuse.syr2k" + at, cublasSsyr2k(handle, low, plain, n, 4, &one, a.at, 4, b.at, ld, &zero, c.at, 4));
        say("misuse.trmm" + at, cublasStrmm(handle, left, low, plain, any, n, 4, &one, a.at, ld, b.at, 4, c.at, 4));
        say("misuse.trsm" + at, cublasStrsm(handle, left, low, plain, any, n, 4, &one, a.at, 4, b.at, ld));
        say("misuse.geam" + at, cublasSgeam(handle, plain, plain, n, 4, &one, a.at, ld, &one, b.at, 4, c.at, 4));
        say("misuse.dgmm" + at, cublasSdgmm(handle, left, n, 4, a.at, ld, b.at, ix, c.at, 4));
        say("misuse.tpttr" + at, cublasStpttr(handle, low, n, a.at, c.at, ld));
        say("misuse.trttp" + at, cublasStrttp(handle, low, n, a.at, ld, c.at));
    }
    const struct {
        const char *name;
        cudaDataType alpha, x, y, execution;
    } kinds[] = {{"float", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F}, {"half", CUDA_R_32F, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F},
                 {"half_alpha", CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_32F}, {"half_all", CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F},
                 {"bfloat", CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_32F}, {"half_float", CUDA_R_32F, CUDA_R_16F, CUDA_R_32F, CUDA_R_32F},
                 {"float_double", CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_64F}, {"double_float", CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_32F},
                 {"complex", CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F}, {"complex_real", CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_R_32F},
                 {"int8", CUDA_R_32F, CUDA_R_8I, CUDA_R_8I, CUDA_R_32F}};
    double scale[2] = {0, 0};
    double result[2];
    for (const auto &k : kinds) {
        say(std::string("types.axpy.") + k.name, cublasAxpyEx(handle, 4, scale, k.alpha, a.at, k.x, 1, b.at, k.y, 1, k.execution));
        say(std::string("types.dot.") + k.name, cublasDotEx(handle, 4, a.at, k.x, 1, b.at, k.y, 1, result, k.y, k.execution));
        say(std::string("types.nrm2.") + k.name, cublasNrm2Ex(handle, 4, a.at, k.x, 1, result, k.y, k.execution));
        say(std::string("types.nrm2_real.") + k.name, cublasNrm2Ex(handle, 4, a.at, k.x, 1, result, CUDA_R_32F, CUDA_R_32F));
        say(std::string("types.asum.") + k.name, cublasAsumEx(handle, 4, a.at, k.x, 1, result, k.y, k.execution));
        say(std::string("types.scal.") + k.name, cublasScalEx(handle, 4, scale, k.alpha, a.at, k.x, 1, k.execution));
        say(std::string("types.copy.") + k.name, cublasCopyEx(handle, 4, a.at, k.x, 1, b.at, k.y, 1));
        say(std::string("types.amax.") + k.name, cublasIamaxEx(handle, 4, a.at, k.x, 1, &i));
    }
    Array<float> large(33 * 33, 1), inverse(33 * 33, 2);
    Pointers<float> from(large.at, 0, 1), to(inverse.at, 0, 1), small(a.at, 16, 1);
    say("misuse.getrf.lda", cublasSgetrfBatched(handle, 4, small.at, 3, (int *)b.at, (int *)c.at, 1));
    say("misuse.getrf.n_negative", cublasSgetrfBatched(handle, -4, small.at, 4, (int *)b.at, (int *)c.at, 1));
    say("misuse.getrs.lda", cublasSgetrsBatched(handle, CUBLAS_OP_N, 4, 1, small.at, 3, (int *)b.at, small.at, 4, &info, 1));
    printf("misuse.getrs.lda.info\t0\t%d\n", info);
    say("misuse.matinv.n_33", cublasSmatinvBatched(handle, 33, from.at, 33, to.at, 33, (int *)c.at, 1));
    say("misuse.set_pointer_mode_5", cublasSetPointerMode(handle, (cublasPointerMode_t)5));
    say("misuse.set_atomics_5", cublasSetAtomicsMode(handle, (cublasAtomicsMode_t)5));
    say("misuse.set_math_99", cublasSetMathMode(handle, (cublasMath_t)99));
    cublasSetMathMode(handle, CUBLAS_DEFAULT_MATH);
    say("misuse.set_vector.inc_zero", cublasSetVector(4, 4, a.host.data(), 0, b.at, 1));
    say("misuse.set_vector.size_zero", cublasSetVector(4, 0, a.host.data(), 1, b.at, 1));
    say("misuse.set_vector.n_negative", cublasSetVector(-4, 4, a.host.data(), 1, b.at, 1));
    say("misuse.set_vector.n_zero", cublasSetVector(0, 4, a.host.data(), 1, b.at, 1));
    say("misuse.set_matrix.lda", cublasSetMatrix(4, 4, 4, a.host.data(), 3, b.at, 4));
    say("misuse.set_matrix.ldb", cublasSetMatrix(4, 4, 4, a.host.data(), 4, b.at, 3));
    say("misuse.set_matrix.to_host", cublasSetMatrix(4, 4, 4, a.host.data(), 4, b.host.data(), 4));
    cudaGetLastError();
    int version = 0;
    say("settings.version", cublasGetVersion(handle, &version));
    cublasPointerMode_t mode;
    SAY("settings.pointer_mode", cublasGetPointerMode(handle, &mode), std::to_string((int)mode));
    cublasMath_t math;
    SAY("settings.math_mode", cublasGetMathMode(handle, &math), std::to_string((int)math));
    cublasAtomicsMode_t atomics;
    SAY("settings.atomics_mode", cublasGetAtomicsMode(handle, &atomics), std::to_string((int)atomics));
    for (int s = 0; s < 18; s++)
        printf("status.%d\t0\t%s | %s\n", s, cublasGetStatusName((cublasStatus_t)s), cublasGetStatusString((cublasStatus_t)s));
    int value = 0;
    say("property.3", cublasGetProperty((libraryPropertyType)3, &value));
    say("property.null", cublasGetProperty(MAJOR_VERSION, nullptr));
    say("null.handle.gemm", cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a.at, 4, b.at, 4, &zero, c.at, 4));
    say("null.handle.stream", cublasSetStream(nullptr, 0));
    say("null.handle.destroy", cublasDestroy(nullptr));
    say("null.create", cublasCreate(nullptr));
    say("null.version", cublasGetVersion(handle, nullptr));
    say("null.A.m_zero", cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 0, 4, 4, &one, nullptr, 4, b.at, 4, &zero, c.at, 4));
    say("null.result.dot", cublasSdot(handle, 4, a.at, 1, b.at, 1, nullptr));
    say("null.x.scal", cublasSscal(handle, 0, &one, nullptr, 1));
    say("null.A.gemm", cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, nullptr, 4, b.at, 4, &zero, c.at, 4));
    say("null.A.gemm.after", (int)cudaDeviceSynchronize());
}

int main()
{
    if (cublasCreate(&handle)) {
        printf("no cuBLAS\n");
        return 1;
    }
    typed_S();
    typed_D();
    typed_C();
    typed_Z();
    products_with_types();
    misuse();
    return 0;
}

#else // --- for one element type ---

#define CASE(name) std::string(name "." LETTER ".")
#define JOIN(a, b) JOIN_(a, b)
#define JOIN_(a, b) a##b
#define MAKE(re, im) Is<T>::make(re, im)

namespace JOIN(in_, TYPED_FUNCTION) {

static void level1()
{
    const T alpha = MAKE(0.75, -0.5), beta = MAKE(-0.25, 0.125);
    const R real = (R)0.625;
    for (int inc = -2; inc <= 2; inc++) {
        if (!inc)
            continue;
        const std::string at = std::to_string(inc);
        Array<T> x(20, 1), y(20, 2);
        int i = -1;
        R r = -1;
        if (inc > 0) {
            int s = INDEX(amax)(handle, 9, x.at, inc, &i);
            say(CASE("amax") + at, s, text(i));
            s = INDEX(amin)(handle, 9, x.at, inc, &i);
            say(CASE("amin") + at, s, text(i));
            s = NORM(asum)(handle, 9, x.at, inc, &r);
            say(CASE("asum") + at, s, text(r));
            s = NORM(nrm2)(handle, 9, x.at, inc, &r);
            say(CASE("nrm2") + at, s, text(r));
            SAY(CASE("scal") + at, F(scal)(handle, 9, &alpha, x.at, inc), x.get());
#ifdef COMPLEX
            SAY(CASE("scal_real") + at, MIXED(scal)(handle, 9, &real, x.at, inc), x.get());
#endif
        }
        T d = MAKE(0, 0);
#ifdef COMPLEX
        int s = F(dotu)(handle, 9, x.at, inc, y.at, 2, &d);
        say(CASE("dotu") + at, s, text(d));
        s = F(dotc)(handle, 9, x.at, inc, y.at, 2, &d);
        say(CASE("dotc") + at, s, text(d));
        SAY(CASE("rot_real") + at, MIXED(rot)(handle, 9, x.at, inc, y.at, 2, &real, &real), x.get() + " " + y.get());
#else
        int s = F(dot)(handle, 9, x.at, inc, y.at, 2, &d);
        say(CASE("dot") + at, s, text(d));
        for (int flag = -2; flag < 2; flag++) {
            T param[5] = {(T)flag, 0.5, -0.25, 0.75, 1.5};
            SAY(CASE("rotm") + at + "." + std::to_string(flag), F(rotm)(handle, 9, x.at, inc, y.at, 2, param), x.get() + " " + y.get());
        }
#endif
        SAY(CASE("axpy") + at, F(axpy)(handle, 9, &beta, x.at, inc, y.at, -2), y.get());
        SAY(CASE("rot") + at, F(rot)(handle, 9, x.at, inc, y.at, 2, &real, &alpha), x.get() + " " + y.get());
        SAY(CASE("swap") + at, F(swap)(handle, 9, x.at, inc, y.at, 2), x.get() + " " + y.get());
        SAY(CASE("copy") + at, F(copy)(handle, 9, x.at, inc, y.at, 2), y.get());
    }
    const double pairs[][4] = {{3, 1, 4, 2}, {-3, 0, 4, 0}, {4, 0, -3, 1}, {0, 0, 2, 1}, {2, 1, 0, 0}, {0, 0, 0, 0}};
    for (int i = 0; i < 6; i++) {
        T a = MAKE(pairs[i][0], pairs[i][1]), b = MAKE(pairs[i][2], pairs[i][3]), sine = MAKE(9, 9);
        R c = 9;
        int s = F(rotg)(handle, &a, &b, &c, &sine);
#ifdef COMPLEX
        say(CASE("rotg") + std::to_string(i), s, text(a) + " " + text(c) + " " + text(sine));
#else
        say(CASE("rotg") + std::to_string(i), s, text(a) + " " + text(b) + " " + text(c) + " " + text(sine));
        T d1 = (T)(1 + i), d2 = (T)(pairs[i][0] * 0.5), x1 = (T)0.75, y1 = (T)pairs[i][2], param[5] = {9, 9, 9, 9, 9};
        s = F(rotmg)(handle, &d1, &d2, &x1, &y1, param);
        std::string values = text(d1) + " " + text(d2) + " " + text(x1) + " " + text(param[0]);
        if (param[0] == -1)
            values += " " + text(param[1]) + " " + text(param[2]) + " " + text(param[3]) + " " + text(param[4]);
        say(CASE("rotmg") + std::to_string(i), s, values);
#endif
    }
    // factors and results in device memory
    Array<T> x(20, 1), y(20, 2), factor(1, 7), result(1, 8);
    Array<R> norm(1, 9);
    Array<int> index(1, 9);
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
    SAY(CASE("device.axpy"), F(axpy)(handle, 20, factor.at, x.at, 1, y.at, 1), y.get());
    SAY(CASE("device.nrm2"), NORM(nrm2)(handle, 20, y.at, 1, norm.at), norm.get());
    SAY(CASE("device.amax"), INDEX(amax)(handle, 20, y.at, 1, index.at), index.get());
#ifdef COMPLEX
    SAY(CASE("device.dotc"), F(dotc)(handle, 20, x.at, 1, y.at, 1, result.at), result.get());
#else
    SAY(CASE("device.dot"), F(dot)(handle, 20, x.at, 1, y.at, 1, result.at), result.get());
#endif
    cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
}

static void level2()
{
    const T alpha = MAKE(0.75, -0.5), beta = MAKE(-0.25, 0.125);
    const R real = (R)0.625;
    (void)real;
    for (int t = 0; t < 3; t++) {
        const std::string op(1, op_names[t]);
        Array<T> a(40, 1), x(20, 2), y(20, 3), band(40, 4);
        SAY(CASE("gemv") + op, F(gemv)(handle, ops[t], 5, 4, &alpha, a.at, 6, x.at, 2, &beta, y.at, -1), y.get());
        SAY(CASE("gbmv") + op, F(gbmv)(handle, ops[t], 5, 6, 1, 2, &alpha, band.at, 5, x.at, 1, &beta, y.at, 2), y.get());
        for (int u = 0; u < 2; u++)
            for (int d = 0; d < 2; d++) {
                const std::string at = op + "LU"[u] + "NU"[d];
                Array<T> m(40, 5), p(40, 6), v(20, 7);
                strengthen(m, 5, 6);
                SAY(CASE("trmv") + at, F(trmv)(handle, fills[u], ops[t], diags[d], 5, m.at, 6, v.at, 2), v.get());
                SAY(CASE("trsv") + at, F(trsv)(handle, fills[u], ops[t], diags[d], 5, m.at, 6, v.at, 2), v.get());
                SAY(CASE("tbmv") + at, F(tbmv)(handle, fills[u], ops[t], diags[d], 5, 2, m.at, 6, v.at, 1), v.get());
                for (int i = 0; i < 5; i++)
                    m.host[i * 6 + (u ? 2 : 0)] = MAKE(4, 1);
                m.send();
                SAY(CASE("tbsv") + at, F(tbsv)(handle, fills[u], ops[t], diags[d], 5, 2, m.at, 6, v.at, 1), v.get());
                SAY(CASE("tpmv") + at, F(tpmv)(handle, fills[u], ops[t], diags[d], 5, p.at, v.at, -1), v.get());
                for (int i = 0, k = 0; i < 5; i++) {
                    k = u ? i * (i + 3) / 2 : i * 5 - i * (i - 1) / 2;
                    p.host[k] = MAKE(4, 1);
                }
                p.send();
                SAY(CASE("tpsv") + at, F(tpsv)(handle, fills[u], ops[t], diags[d], 5, p.at, v.at, -1), v.get());
            }
    }
    for (int u = 0; u < 2; u++) {
        const std::string fill(1, "LU"[u]);
        Array<T> a(40, 1), x(20, 2), y(20, 3), c(40, 4), p(40, 5);
        SAY(CASE("symv") + fill, F(symv)(handle, fills[u], 5, &alpha, a.at, 6, x.at, 2, &beta, y.at, 1), y.get());
        SAY(CASE("syr") + fill, F(syr)(handle, fills[u], 5, &alpha, x.at, 2, c.at, 6), c.get());
        SAY(CASE("syr2") + fill, F(syr2)(handle, fills[u], 5, &alpha, x.at, 2, y.at, -1, c.at, 6), c.get());
#ifdef COMPLEX
        SAY(CASE("hemv") + fill, F(hemv)(handle, fills[u], 5, &alpha, a.at, 6, x.at, 2, &beta, y.at, 1), y.get());
        SAY(CASE("hbmv") + fill, F(hbmv)(handle, fills[u], 5, 2, &alpha, a.at, 6, x.at, 2, &beta, y.at, 1), y.get());
        SAY(CASE("hpmv") + fill, F(hpmv)(handle, fills[u], 5, &alpha, p.at, x.at, 2, &beta, y.at, 1), y.get());
        SAY(CASE("her") + fill, F(her)(handle, fills[u], 5, &real, x.at, 2, c.at, 6), c.get());
        SAY(CASE("her2") + fill, F(her2)(handle, fills[u], 5, &alpha, x.at, 2, y.at, -1, c.at, 6), c.get());
        SAY(CASE("hpr") + fill, F(hpr)(handle, fills[u], 5, &real, x.at, 2, p.at), p.get());
        SAY(CASE("hpr2") + fill, F(hpr2)(handle, fills[u], 5, &alpha, x.at, 2, y.at, -1, p.at), p.get());
#else
        SAY(CASE("sbmv") + fill, F(sbmv)(handle, fills[u], 5, 2, &alpha, a.at, 6, x.at, 2, &beta, y.at, 1), y.get());
        SAY(CASE("spmv") + fill, F(spmv)(handle, fills[u], 5, &alpha, p.at, x.at, 2, &beta, y.at, 1), y.get());
        SAY(CASE("spr") + fill, F(spr)(handle, fills[u], 5, &alpha, x.at, 2, p.at), p.get());
        SAY(CASE("spr2") + fill, F(spr2)(handle, fills[u], 5, &alpha, x.at, 2, y.at, -1, p.at), p.get());
#endif
    }
    Array<T> a(40, 1), x(20, 2), y(20, 3);
#ifdef COMPLEX
    SAY(CASE("geru"), F(geru)(handle, 5, 4, &alpha, x.at, 2, y.at, -1, a.at, 6), a.get());
    SAY(CASE("gerc"), F(gerc)(handle, 5, 4, &alpha, x.at, 2, y.at, -1, a.at, 6), a.get());
#else
    SAY(CASE("ger"), F(ger)(handle, 5, 4, &alpha, x.at, 2, y.at, -1, a.at, 6), a.get());
#endif
}

static void level3()
{
    const T alpha = MAKE(0.75, -0.5), beta = MAKE(-0.25, 0.125), zero = MAKE(0, 0);
    const R real = (R)0.625, less = (R)-0.5;
    (void)real, (void)less;
    for (int t = 0; t < 3; t++)
        for (int o = 0; o < 3; o++) {
            Array<T> a(42, 1), b(42, 2), c(42, 3);
            const std::string at = std::string(1, op_names[t]) + op_names[o];
            SAY(CASE("gemm") + at, F(gemm)(handle, ops[t], ops[o], 5, 4, 3, &alpha, a.at, 6, b.at, 7, &beta, c.at, 6), c.get());
            Array<T> ga(42, 4), gb(42, 5), gc(42, 6);
            SAY(CASE("geam") + at, F(geam)(handle, ops[t], ops[o], 5, 4, &alpha, ga.at, 6, &beta, gb.at, 6, gc.at, 7), gc.get());
        }
    {
        Array<T> a(42, 1), b(42, 2), c(42, 3);
        for (auto &v : c.host)
            v = MAKE(NAN, NAN);
        c.send();
        SAY(CASE("gemm.beta_zero"), F(gemm)(handle, CUBLAS_OP_N, CUBLAS_OP_N, 5, 4, 3, &alpha, a.at, 5, b.at, 3, &zero, c.at, 5), c.get().substr(0, 0));
        c.get();
        std::string values;
        for (int i = 0; i < 20; i++)
            values += text(c.host[i]) + " ";
        say(CASE("gemm.beta_zero.values"), 0, values);
    }
    for (int u = 0; u < 2; u++) {
        for (int t = 0; t < 2; t++) {
            Array<T> a(42, 1), b(42, 2), c(42, 3);
            const std::string at = std::string(1, "LU"[u]) + op_names[t];
            SAY(CASE("syrk") + at, F(syrk)(handle, fills[u], ops[t], 5, 4, &alpha, a.at, 6, &beta, c.at, 6), c.get());
            SAY(CASE("syr2k") + at, F(syr2k)(handle, fills[u], ops[t], 5, 4, &alpha, a.at, 6, b.at, 7, &beta, c.at, 6), c.get());
            SAY(CASE("syrkx") + at, F(syrkx)(handle, fills[u], ops[t], 5, 4, &alpha, a.at, 6, b.at, 7, &beta, c.at, 6), c.get());
#ifdef COMPLEX
            const cublasOperation_t o = t ? CUBLAS_OP_C : CUBLAS_OP_N;
            SAY(CASE("herk") + at, F(herk)(handle, fills[u], o, 5, 4, &real, a.at, 6, &less, c.at, 6), c.get());
            SAY(CASE("her2k") + at, F(her2k)(handle, fills[u], o, 5, 4, &alpha, a.at, 6, b.at, 7, &less, c.at, 6), c.get());
            SAY(CASE("herkx") + at, F(herkx)(handle, fills[u], o, 5, 4, &alpha, a.at, 6, b.at, 7, &less, c.at, 6), c.get());
#endif
        }
        for (int s = 0; s < 2; s++) {
            Array<T> a(42, 1), b(42, 2), c(42, 3);
            const std::string at = std::string(1, "LU"[u]) + "LR"[s];
            SAY(CASE("symm") + at, F(symm)(handle, sides[s], fills[u], 5, 4, &alpha, a.at, 6, b.at, 7, &beta, c.at, 6), c.get());
#ifdef COMPLEX
            SAY(CASE("hemm") + at, F(hemm)(handle, sides[s], fills[u], 5, 4, &alpha, a.at, 6, b.at, 7, &beta, c.at, 6), c.get());
#endif
            for (int t = 0; t < 3; t++)
                for (int d = 0; d < 2; d++) {
                    const std::string all = at + op_names[t] + "NU"[d];
                    Array<T> m(42, 4), x(42, 5), y(42, 6);
                    strengthen(m, 5, 6);
                    SAY(CASE("trmm") + all, F(trmm)(handle, sides[s], fills[u], ops[t], diags[d], 5, 4, &alpha, m.at, 6, x.at, 7, y.at, 6), y.get());
                    SAY(CASE("trsm") + all, F(trsm)(handle, sides[s], fills[u], ops[t], diags[d], 5, 4, &alpha, m.at, 6, x.at, 7), x.get());
                }
        }
        Array<T> p(42, 7), m(42, 8), q(42, 9);
        SAY(CASE("tpttr") + "LU"[u], F(tpttr)(handle, fills[u], 5, p.at, m.at, 6), m.get());
        SAY(CASE("trttp") + "LU"[u], F(trttp)(handle, fills[u], 5, m.at, 6, q.at), q.get());
    }
    for (int s = 0; s < 2; s++)
        for (int inc = -1; inc < 3; inc += 2) {
            Array<T> a(42, 1), x(20, 2), c(42, 3);
            SAY(CASE("dgmm") + "LR"[s] + std::to_string(inc), F(dgmm)(handle, sides[s], 5, 4, a.at, 6, x.at, inc, c.at, 7), c.get());
        }
}

static void batches()
{
    const T alpha = MAKE(0.75, -0.5), beta = MAKE(-0.25, 0.125);
    enum { N = 3, STEP = 30 };
    Array<T> a(N * STEP, 1), b(N * STEP, 2), c(N * STEP, 3), inverse(N * STEP, 4), tau(N * STEP, 5);
    Pointers<T> pa(a.at, STEP, N), pb(b.at, STEP, N), pc(c.at, STEP, N), pi(inverse.at, STEP, N), pt(tau.at, STEP, N);
    Array<int> pivots(N * 4, 1), info(N, 1);
    SAY(CASE("gemmBatched"), F(gemmBatched)(handle, CUBLAS_OP_N, CUBLAS_OP_T, 4, 4, 3, &alpha, pa.at, 5, pb.at, 5, &beta, pc.at, 6, N), c.get());
    SAY(CASE("gemmStridedBatched"), F(gemmStridedBatched)(handle, CUBLAS_OP_T, CUBLAS_OP_N, 4, 4, 3, &alpha, a.at, 5, STEP, b.at, 5, 0, &beta, c.at, 6, STEP, N), c.get());
    SAY(CASE("gemvBatched"), F(gemvBatched)(handle, CUBLAS_OP_N, 4, 3, &alpha, pa.at, 5, pb.at, 1, &beta, pc.at, 2, N), c.get());
    SAY(CASE("gemvStridedBatched"), F(gemvStridedBatched)(handle, CUBLAS_OP_T, 4, 3, &alpha, a.at, 5, STEP, b.at, 1, STEP, &beta, c.at, 2, STEP, N), c.get());
    for (int k = 0; k < N; k++)
        for (int i = 0; i < 4; i++)
            a.host[k * STEP + i * 6] = MAKE(3 + i, 1);
    a.send();
    SAY(CASE("trsmBatched"), F(trsmBatched)(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 4, 3, &alpha, pa.at, 5, pb.at, 5, N), b.get());
    for (int k = 0; k < N; k++)
        for (int i = 0; i < 4; i++)
            a.host[k * STEP + i * 6] = MAKE(0.25 * (i + 1), 0.1);
    a.send();
    SAY(CASE("matinvBatched"), F(matinvBatched)(handle, 4, pa.at, 5, pi.at, 5, info.at, N), inverse.get() + " " + info.get());
    SAY(CASE("getrfBatched"), F(getrfBatched)(handle, 4, pa.at, 5, pivots.at, info.at, N), a.get() + " " + pivots.get() + " " + info.get());
    SAY(CASE("getriBatched"), F(getriBatched)(handle, 4, pa.at, 5, pivots.at, pi.at, 5, info.at, N), inverse.get() + " " + info.get());
    int host = 7;
    int s = F(getrsBatched)(handle, CUBLAS_OP_N, 4, 2, pa.at, 5, pivots.at, pb.at, 5, &host, N);
    say(CASE("getrsBatched"), s, b.get() + " " + text(host));
    Array<T> plain(N * STEP, 6);
    for (int k = 0; k < N; k++)
        for (int i = 0; i < 4; i++)
            plain.host[k * STEP + i * 6] = MAKE(3 + i, 1);
    plain.send();
    Pointers<T> pp(plain.at, STEP, N);
    SAY(CASE("getrfBatched.unpivoted"), F(getrfBatched)(handle, 4, pp.at, 5, nullptr, info.at, N), plain.get() + " " + info.get());
    s = F(geqrfBatched)(handle, 5, 3, pc.at, 5, pt.at, &host, N);
    say(CASE("geqrfBatched"), s, c.get() + " " + text(host));
    Array<T> left(N * STEP, 7), right(N * STEP, 8);
    Pointers<T> pl(left.at, STEP, N), pr(right.at, STEP, N);
    s = F(gelsBatched)(handle, CUBLAS_OP_N, 5, 3, 2, pl.at, 5, pr.at, 5, &host, info.at, N);
    right.get();
    std::string values;
    for (int k = 0; k < N; k++)
        for (int j = 0; j < 2; j++)
            for (int i = 0; i < 3; i++)
                values += text(right.host[k * STEP + j * 5 + i]) + " ";
    say(CASE("gelsBatched"), s, values + text(host));
    // a matrix that has no inverse
    for (auto &v : left.host)
        v = MAKE(1, 0);
    left.send();
    SAY(CASE("getrfBatched.singular"), F(getrfBatched)(handle, 4, pl.at, 5, pivots.at, info.at, N), info.get() + " " + pivots.get());
}

} // namespace

static void TYPED_FUNCTION()
{
    JOIN(in_, TYPED_FUNCTION)::level1();
    JOIN(in_, TYPED_FUNCTION)::level2();
    JOIN(in_, TYPED_FUNCTION)::level3();
    JOIN(in_, TYPED_FUNCTION)::batches();
}
#undef CASE
#undef JOIN
#undef JOIN_
#undef MAKE
#endif
