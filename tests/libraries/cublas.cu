// cuBLAS against plain loops, and what is its own: pointer modes, streams, batches, types, the order among kernels. Prints PASSED; 77: no BLAS here.
//   cublas [fault]      fault: a matrix that leaves its allocation
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>

#include "check.h"

static double noise(int i)
{
    unsigned s = (unsigned)i * 2654435761u + 12345u;
    s ^= s >> 15;
    s *= 2246822519u;
    s ^= s >> 13;
    return (double)(s % 2001) / 1000 - 1;
}

template <class T> struct Number;
template <> struct Number<float> { typedef float cuda; static float make(int i) { return (float)noise(i); } static constexpr double eps = 1e-5; };
template <> struct Number<double> { typedef double cuda; static double make(int i) { return noise(i) / 3; } static constexpr double eps = 1e-13; };
template <> struct Number<std::complex<float>> {
    typedef cuComplex cuda;
    static std::complex<float> make(int i) { return {(float)noise(i), (float)noise(i + 999)}; }
    static constexpr double eps = 1e-5;
};
template <> struct Number<std::complex<double>> {
    typedef cuDoubleComplex cuda;
    static std::complex<double> make(int i) { return {noise(i), noise(i + 999)}; }
    static constexpr double eps = 1e-13;
};
static float conj_of(float v) { return v; }
static double conj_of(double v) { return v; }
template <class R> static std::complex<R> conj_of(std::complex<R> v) { return std::conj(v); }

template <class T> struct Array {
    std::vector<T> host;
    typename Number<T>::cuda *at;
    Array(int n, int seed) : host(n)
    {
        for (int i = 0; i < n; i++)
            host[i] = Number<T>::make(seed + i);
        cudaMalloc((void **)&at, n * sizeof(T));
        cudaMemcpy(at, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~Array() { cudaFree(at); }
    std::vector<T> get()
    {
        std::vector<T> v(host.size());
        cudaMemcpy(v.data(), at, v.size() * sizeof(T), cudaMemcpyDeviceToHost);
        return v;
    }
};

template <class T> static bool near(const std::vector<T> &a, const std::vector<T> &b)
{
    for (size_t i = 0; i < a.size(); i++)
        if (!(std::abs(a[i] - b[i]) <= Number<T>::eps * (1 + std::abs(b[i]))))
            return false;
    return true;
}

template <class T> static T element(const std::vector<T> &a, int ld, int op, int i, int j)
{
    return op == 0 ? a[i + j * ld] : op == 1 ? a[j + i * ld] : conj_of(a[j + i * ld]);
}

static const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

template <class T, class Gemm> static void products(cublasHandle_t h, Gemm gemm)
{
    typedef typename Number<T>::cuda C;
    T alpha = Number<T>::make(5), beta = Number<T>::make(6);
    for (int ta = 0; ta < 3; ta++)
        for (int tb = 0; tb < 3; tb++) {
            Array<T> a(60, 1), b(60, 100), c(60, 200);
            std::vector<T> want = c.host;
            for (int i = 0; i < 6; i++)
                for (int j = 0; j < 5; j++) {
                    T sum = 0;
                    for (int k = 0; k < 4; k++)
                        sum += element(a.host, 7, ta, i, k) * element(b.host, 8, tb, k, j);
                    want[i + j * 9] = alpha * sum + beta * c.host[i + j * 9];
                }
            CHECK(gemm(h, ops[ta], ops[tb], 6, 5, 4, (C *)&alpha, a.at, 7, b.at, 8, (C *)&beta, c.at, 9) == CUBLAS_STATUS_SUCCESS);
            CHECK(near(c.get(), want));
        }
}

static void vectors(cublasHandle_t h)
{
    Array<float> x(20, 1), y(20, 50);
    double dot = 0, sum = 0, squares = 0;
    int largest = 0, least = 0;
    for (int i = 0; i < 10; i++) {
        double v = x.host[2 * i];
        dot += v * y.host[9 - i];
        sum += std::fabs(v);
        squares += v * v;
        largest = std::fabs(v) > std::fabs(x.host[2 * largest]) ? i : largest;
        least = std::fabs(v) < std::fabs(x.host[2 * least]) ? i : least;
    }
    float r;
    int i;
    int64_t wide;
    CHECK(!cublasSdot(h, 10, x.at, 2, y.at, -1, &r) && std::fabs(r - dot) < 1e-5);
    Array<float> many(1 << 20, 0); /* as near as a GPU's tree of sums, not as one float that a million numbers are added to */
    std::fill(many.host.begin(), many.host.end(), 0.249938965f);
    cudaMemcpy(many.at, many.host.data(), many.host.size() * sizeof(float), cudaMemcpyHostToDevice);
    CHECK(!cublasSdot(h, 1 << 20, many.at, 1, many.at, 1, &r) && std::fabs(r / (0.249938965 * 0.249938965 * (1 << 20)) - 1) < 2e-7);
    CHECK(!cublasSasum(h, 10, x.at, 2, &r) && std::fabs(r - sum) < 1e-5);
    CHECK(!cublasSnrm2(h, 10, x.at, 2, &r) && std::fabs(r - std::sqrt(squares)) < 1e-5);
    CHECK(!cublasIsamax(h, 10, x.at, 2, &i) && i == largest + 1);
    CHECK(!cublasIsamin(h, 10, x.at, 2, &i) && i == least + 1);
    CHECK(!cublasIsamin_64(h, 10, x.at, 2, &wide) && wide == least + 1);
    float factor = 0.5f;
    CHECK(!cublasSaxpy(h, 10, &factor, x.at, 2, y.at, 1));
    factor = 99; /* taken at the call */
    std::vector<float> want = y.host, got = y.get();
    for (int k = 0; k < 10; k++)
        want[k] += 0.5f * x.host[2 * k];
    CHECK(near(got, want));
    /* results and factors in device memory: nothing is copied, the call need not wait */
    Array<float> result(1, 7), scale(1, 8);
    CHECK(!cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE));
    CHECK(!cublasSnrm2(h, 10, x.at, 2, result.at) && !cublasSscal(h, 20, result.at, x.at, 1));
    CHECK(!cublasSetPointerMode(h, CUBLAS_POINTER_MODE_HOST));
    want = x.host;
    for (float &v : want)
        v *= (float)std::sqrt(squares);
    CHECK(near(x.get(), want));
}

static void solving(cublasHandle_t h)
{
    Array<double> a(25, 1), b(20, 50), c(20, 70);
    for (int i = 0; i < 5; i++)
        a.host[i * 6] = 4 + i;
    cublasSetMatrix(5, 5, sizeof(double), a.host.data(), 5, a.at, 5);
    double one = 1;
    /* what trsm has solved trmm multiplies back; into a matrix of its own */
    CHECK(!cublasDtrsm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, 5, 4, &one, a.at, 5, b.at, 5));
    CHECK(!cublasDtrmm(h, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, 5, 4, &one, a.at, 5, b.at, 5, c.at, 5));
    CHECK(near(c.get(), b.host));
    /* inverses of a batch */
    double *list[2] = {a.at, c.at}, **from, **to;
    Array<double> inverse(50, 3), product(25, 4);
    double *results[2] = {inverse.at, inverse.at + 25};
    int *pivots, *info, host[2];
    cudaMalloc((void **)&from, 16);
    cudaMalloc((void **)&to, 16);
    cudaMalloc((void **)&pivots, 40);
    cudaMalloc((void **)&info, 8);
    cudaMemcpy(c.at, a.at, 0, cudaMemcpyDeviceToDevice);
    list[1] = a.at;
    cudaMemcpy(from, list, 16, cudaMemcpyHostToDevice);
    cudaMemcpy(to, results, 16, cudaMemcpyHostToDevice);
    CHECK(!cublasDmatinvBatched(h, 5, from, 5, to, 5, info, 2));
    cudaMemcpy(host, info, 8, cudaMemcpyDeviceToHost);
    CHECK(host[0] == 0 && host[1] == 0);
    double zero = 0;
    CHECK(!cublasDgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 5, 5, 5, &one, a.at, 5, inverse.at + 25, 5, &zero, product.at, 5));
    std::vector<double> unit(25, 0);
    for (int i = 0; i < 5; i++)
        unit[i * 6] = 1;
    CHECK(near(product.get(), unit));
    list[1] = list[0];
    CHECK(!cublasDgetrfBatched(h, 5, from, 5, pivots, info, 1) && !cublasDgetriBatched(h, 5, from, 5, pivots, to, 5, info, 1));
    std::vector<double> all = inverse.get();
    CHECK(near(std::vector<double>(all.begin(), all.begin() + 25), std::vector<double>(all.begin() + 25, all.end())));
    Array<double> square(25, 3), right(5, 0); // of A x = b with x all ones; nobody wants the numbers of singular systems
    for (int i = 0; i < 5; i++)
        right.host[i] = square.host[i] + square.host[i + 5] + square.host[i + 10] + square.host[i + 15] + square.host[i + 20];
    cudaMemcpy(right.at, right.host.data(), 40, cudaMemcpyHostToDevice);
    list[0] = square.at;
    list[1] = right.at;
    cudaMemcpy(from, list, 16, cudaMemcpyHostToDevice);
    int wrong = -1;
    CHECK(!cublasDgelsBatched(h, CUBLAS_OP_N, 5, 5, 1, from, 5, from + 1, 5, &wrong, nullptr, 1) && wrong == 0);
    CHECK(near(right.get(), std::vector<double>(5, 1)));
    cudaFree(from);
    cudaFree(to);
    cudaFree(pivots);
    cudaFree(info);
}

__global__ void fill(__half *h, signed char *c, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        h[i] = __float2half((float)(i % 7) - 3);
        c[i] = (signed char)(i % 11 - 5);
    }
}

__global__ void twice(float *x, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[i] *= 2;
}

/* A kernel writes what the product reads, another reads what it writes, in a stream of their own. */
static void types_and_streams(cublasHandle_t h)
{
    __half *a;
    signed char *c;
    float *out, alpha = 0.5f, beta = 0;
    int *sums, one = 1, none = 0;
    cudaStream_t s, known;
    cudaMalloc((void **)&a, 2 * 256);
    cudaMalloc((void **)&c, 256);
    cudaMalloc((void **)&out, 4 * 256);
    cudaMalloc((void **)&sums, 4 * 256);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    CHECK(!cublasSetStream(h, s) && !cublasGetStream(h, &known) && known == s);
    fill<<<1, 64, 0, s>>>(a, c, 256);
    CHECK(!cublasGemmEx(h, CUBLAS_OP_N, CUBLAS_OP_T, 16, 16, 16, &alpha, a, CUDA_R_16F, 16, a, CUDA_R_16F, 16, &beta, out, CUDA_R_32F, 16, CUBLAS_COMPUTE_32F,
                        CUBLAS_GEMM_DEFAULT));
    alpha = 7;
    twice<<<1, 64, 0, s>>>(out, 256);
    CHECK(!cublasGemmStridedBatchedEx(h, CUBLAS_OP_T, CUBLAS_OP_N, 8, 8, 8, &one, c, CUDA_R_8I, 8, 64, c, CUDA_R_8I, 8, 64, &none, sums, CUDA_R_32I, 8, 64, 4,
                                      CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
    float got[256];
    int counts[256];
    cudaStreamSynchronize(s);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    cudaMemcpy(counts, sums, sizeof counts, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            int sum = 0;
            for (int k = 0; k < 16; k++)
                sum += ((i + 16 * k) % 7 - 3) * ((j + 16 * k) % 7 - 3);
            wrong += got[i + 16 * j] != (float)sum;
        }
    for (int b = 0; b < 4; b++)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) {
                int sum = 0;
                for (int k = 0; k < 8; k++)
                    sum += ((64 * b + k + 8 * i) % 11 - 5) * ((64 * b + k + 8 * j) % 11 - 5);
                wrong += counts[64 * b + i + 8 * j] != sum;
            }
    CHECK(wrong == 0);
    CHECK(!cublasSetStream(h, NULL));
    cudaStreamDestroy(s);
    cudaFree(a);
    cudaFree(c);
    cudaFree(out);
    cudaFree(sums);
}

/* What is not read may be anything: C with beta 0, the other triangle, A with alpha 0. */
static void unread(cublasHandle_t h)
{
    Array<float> a(16, 1), c(16, 2);
    float nothing = 0, one = 1, bad[16];
    for (float &v : bad)
        v = NAN;
    cudaMemcpy(c.at, bad, sizeof bad, cudaMemcpyHostToDevice);
    CHECK(!cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &one, a.at, 4, a.at, 4, &nothing, c.at, 4));
    for (float v : c.get())
        CHECK(v == v);
    CHECK(!cublasSgeam(h, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, &one, a.at, 4, &nothing, NULL, 4, c.at, 4));
    CHECK(c.get() == a.host);
}

/* Two groups: one product of 2 x 2, two of 3 x 3. */
static void groups(cublasHandle_t h)
{
    const cublasOperation_t op[2] = {CUBLAS_OP_N, CUBLAS_OP_N};
    const int sizes[2] = {2, 3}, counts[2] = {1, 2};
    const double one[2] = {1, 2}, none[2] = {0, 0};
    Array<double> a(27, 1), b(27, 40), c(27, 80);
    double *list[9], **at;
    for (int i = 0; i < 3; i++) {
        list[i] = a.at + 9 * i;
        list[3 + i] = b.at + 9 * i;
        list[6 + i] = c.at + 9 * i;
    }
    cudaMalloc((void **)&at, sizeof list);
    cudaMemcpy(at, list, sizeof list, cudaMemcpyHostToDevice);
    CHECK(!cublasDgemmGroupedBatched(h, op, op, sizes, sizes, sizes, one, at, sizes, at + 3, sizes, none, at + 6, sizes, 2, counts));
    std::vector<double> want = c.host, got = c.get();
    for (int g = 0; g < 3; g++) {
        int n = g ? 3 : 2;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int k = 0; k < n; k++)
                    sum += a.host[9 * g + i + n * k] * b.host[9 * g + k + n * j];
                want[9 * g + i + n * j] = g ? 2 * sum : sum;
            }
    }
    CHECK(near(got, want));
    cudaFree(at);
}

/* Routines under a second name, with types as arguments: the same numbers as from the first. */
static void second_names(cublasHandle_t h)
{
    typedef std::complex<float> C;
    const cublasOperation_t N = CUBLAS_OP_N;
    const cublasFillMode_t low = CUBLAS_FILL_MODE_LOWER;
    C alpha(0.5f, 1), beta(-1, 0.25f);
    const cuComplex *ca = (cuComplex *)&alpha, *cb = (cuComplex *)&beta;
    float real = 0.75f, less = -0.5f;
    Array<C> a(36, 1), b(36, 100);
#define SAME(T, n, first, second) \
    do { \
        Array<T> c(n, 200); \
        std::vector<T> want; \
        CHECK(!(first)); \
        want = c.get(); \
        cudaMemcpy(c.at, c.host.data(), n * sizeof(T), cudaMemcpyHostToDevice); \
        CHECK(!(second)); \
        CHECK(c.get() == want); \
    } while (0)
#define PLAIN cublasCgemm(h, N, N, 6, 6, 6, ca, a.at, 6, b.at, 6, cb, c.at, 6)
    SAME(C, 36, PLAIN, cublasCgemm3m(h, N, N, 6, 6, 6, ca, a.at, 6, b.at, 6, cb, c.at, 6));
    SAME(C, 36, PLAIN, cublasCgemmEx(h, N, N, 6, 6, 6, ca, a.at, CUDA_C_32F, 6, b.at, CUDA_C_32F, 6, cb, c.at, CUDA_C_32F, 6));
    SAME(C, 36, PLAIN, cublasCgemm3mEx(h, N, N, 6, 6, 6, ca, a.at, CUDA_C_32F, 6, b.at, CUDA_C_32F, 6, cb, c.at, CUDA_C_32F, 6));
    SAME(C, 36, PLAIN, cublasCgemm3mStridedBatched(h, N, N, 6, 6, 6, ca, a.at, 6, 0, b.at, 6, 0, cb, c.at, 6, 0, 1));
    SAME(C, 36, cublasCsyrk(h, low, N, 6, 6, ca, a.at, 6, cb, c.at, 6), cublasCsyrkEx(h, low, N, 6, 6, ca, a.at, CUDA_C_32F, 6, cb, c.at, CUDA_C_32F, 6));
    SAME(C, 36, cublasCsyrk(h, low, N, 6, 6, ca, a.at, 6, cb, c.at, 6), cublasCsyrk3mEx(h, low, N, 6, 6, ca, a.at, CUDA_C_32F, 6, cb, c.at, CUDA_C_32F, 6));
    SAME(C, 36, cublasCherk(h, low, N, 6, 6, &real, a.at, 6, &less, c.at, 6), cublasCherkEx(h, low, N, 6, 6, &real, a.at, CUDA_C_32F, 6, &less, c.at, CUDA_C_32F, 6));
    SAME(C, 36, cublasCherk(h, low, N, 6, 6, &real, a.at, 6, &less, c.at, 6), cublasCherk3mEx(h, low, N, 6, 6, &real, a.at, CUDA_C_32F, 6, &less, c.at, CUDA_C_32F, 6));
    {
        cuComplex *list[3] = {a.at, b.at, NULL}, **at;
        cudaMalloc((void **)&at, sizeof list);
        Array<C> c(36, 200), d(36, 200);
        list[2] = d.at;
        cudaMemcpy(at, list, sizeof list, cudaMemcpyHostToDevice);
        CHECK(!PLAIN && !cublasCgemm3mBatched(h, N, N, 6, 6, 6, ca, at, 6, at + 1, 6, cb, at + 2, 6, 1) && c.get() == d.get());
        CHECK(!cublasGemmBatchedEx(h, N, N, 6, 6, 6, ca, (void **)at, CUDA_C_32F, 6, (void **)at + 1, CUDA_C_32F, 6, cb, (void **)at + 2, CUDA_C_32F, 6, 1,
                                   CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) && c.get() != d.get());
        cudaFree(at);
    }
    Array<float> x(36, 1), y(36, 2);
    SAME(float, 36, cublasSgemm(h, N, N, 6, 6, 6, &real, x.at, 6, y.at, 6, &less, c.at, 6),
         cublasSgemmEx(h, N, N, 6, 6, 6, &real, x.at, CUDA_R_32F, 6, y.at, CUDA_R_32F, 6, &less, c.at, CUDA_R_32F, 6));
    SAME(float, 36, cublasSrot(h, 9, c.at, 2, c.at + 18, 2, &real, &less),
         cublasRotEx(h, 9, c.at, CUDA_R_32F, 2, c.at + 18, CUDA_R_32F, 2, &real, &less, CUDA_R_32F, CUDA_R_32F));
    float param[5] = {-1, 0.5f, 0.25f, -0.25f, 2};
    SAME(float, 36, cublasSrotm(h, 9, c.at, 2, c.at + 18, 2, param),
         cublasRotmEx(h, 9, c.at, CUDA_R_32F, 2, c.at + 18, CUDA_R_32F, 2, param, CUDA_R_32F, CUDA_R_32F));
    SAME(float, 36, cublasSswap(h, 18, c.at, 1, c.at + 18, 1), cublasSwapEx(h, 18, c.at, CUDA_R_32F, 1, c.at + 18, CUDA_R_32F, 1));
    SAME(float, 36, cublasScopy(h, 18, c.at, 1, c.at + 18, 1), cublasCopyEx(h, 18, c.at, CUDA_R_32F, 1, c.at + 18, CUDA_R_32F, 1));
    Array<double> fine(8, 3); // whose last bits a float has not
    SAME(double, 8, cublasDcopy(h, 8, fine.at, 1, c.at, 1), cublasCopyEx(h, 8, fine.at, CUDA_R_64F, 1, c.at, CUDA_R_64F, 1));
    int first = 0, second = 0;
    CHECK(!cublasIsamin(h, 36, x.at, 1, &first) && !cublasIaminEx(h, 36, x.at, CUDA_R_32F, 1, &second) && first == second);
    CHECK(!cublasIsamax(h, 36, x.at, 1, &first) && !cublasIamaxEx(h, 36, x.at, CUDA_R_32F, 1, &second) && first == second);
    C one, two;
    CHECK(!cublasCdotc(h, 36, a.at, 1, b.at, 1, (cuComplex *)&one) && one != two);
    CHECK(!cublasDotcEx(h, 36, a.at, CUDA_C_32F, 1, b.at, CUDA_C_32F, 1, &two, CUDA_C_32F, CUDA_C_32F) && one == two);
    float r = 0, q = 0, v[8] = {3, 4, 9, 9, 3, 4, 9, 9}, g[18] = {1, 2, 0.75f, 4, 9, 9, 9, 9, 9, 1, 2, 0.75f, 4, 9, 9, 9, 9, 9};
    CHECK(!cublasSasum(h, 36, x.at, 1, &r) && !cublasAsumEx(h, 36, x.at, CUDA_R_32F, 1, &q, CUDA_R_32F, CUDA_R_32F) && r == q);
    CHECK(!cublasSrotg(h, v, v + 1, v + 2, v + 3) && !cublasRotgEx(h, v + 4, v + 5, CUDA_R_32F, v + 6, v + 7, CUDA_R_32F, CUDA_R_32F) && !memcmp(v, v + 4, 16) && v[0] == 5);
    CHECK(!cublasSrotmg(h, g, g + 1, g + 2, g + 3, g + 4));
    CHECK(!cublasRotmgEx(h, g + 9, CUDA_R_32F, g + 10, CUDA_R_32F, g + 11, CUDA_R_32F, g + 12, CUDA_R_32F, g + 13, CUDA_R_32F, CUDA_R_32F) && !memcmp(g, g + 9, 36));
    CHECK(!cublasSgemmGroupedBatched(h, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL));
    CHECK(!cublasGemmGroupedBatchedEx(h, NULL, NULL, NULL, NULL, NULL, NULL, NULL, CUDA_R_32F, NULL, NULL, CUDA_R_32F, NULL, NULL, NULL, CUDA_R_32F, NULL, 0, NULL,
                                      CUBLAS_COMPUTE_32F));
    cublasXerbla("SECOND", 2);
}

static int told;
static void logger(const char *) { told++; }

static void settings(cublasHandle_t h)
{
    int n = 0, version = 0;
    cublasPointerMode_t pointers;
    cublasAtomicsMode_t atomics;
    cublasMath_t math;
    cublasLogCallback known;
    CHECK(!cublasGetVersion(h, &version) && version == CUBLAS_VERSION);
    CHECK(!cublasGetProperty(MAJOR_VERSION, &n) && n == 12);
    CHECK(cublasGetCudartVersion() >= 12000);
    CHECK(!cublasGetPointerMode(h, &pointers) && pointers == CUBLAS_POINTER_MODE_HOST);
    CHECK(!cublasSetAtomicsMode(h, CUBLAS_ATOMICS_ALLOWED) && !cublasGetAtomicsMode(h, &atomics) && atomics == CUBLAS_ATOMICS_ALLOWED);
    CHECK(!cublasSetMathMode(h, CUBLAS_TF32_TENSOR_OP_MATH) && !cublasGetMathMode(h, &math) && math == CUBLAS_TF32_TENSOR_OP_MATH);
    /* with TF32 1 + 2^-12 is 1 */
    Array<float> a(1, 1), c(1, 2);
    float close = 1 + 1.0f / 4096, one = 1, zero = 0;
    cudaMemcpy(a.at, &close, 4, cudaMemcpyHostToDevice);
    CHECK(!cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a.at, 1, a.at, 1, &zero, c.at, 1) && c.get()[0] == 1);
    CHECK(!cublasSetMathMode(h, CUBLAS_DEFAULT_MATH));
    CHECK(!cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a.at, 1, a.at, 1, &zero, c.at, 1) && c.get()[0] == close * close);
    CHECK(!cublasSetSmCountTarget(h, 4) && !cublasGetSmCountTarget(h, &n) && n == 4);
    CHECK(!cublasSetWorkspace(h, a.at, 4));
    CHECK(!strcmp(cublasGetStatusName(CUBLAS_STATUS_INVALID_VALUE), "CUBLAS_STATUS_INVALID_VALUE") && *cublasGetStatusString(CUBLAS_STATUS_NOT_SUPPORTED));
    CHECK(!cublasSetLoggerCallback(logger) && !cublasGetLoggerCallback(&known) && known == logger);
    CHECK(!cublasLoggerConfigure(1, 0, 0, NULL) && !cublasSscal(h, 1, &one, a.at, 1) && told == 1 && !cublasLoggerConfigure(0, 0, 0, NULL));
    CHECK(cublasUint8gemmBias(h, CUBLAS_OP_N, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, NULL, 0, 1, NULL, 0, 1, NULL, 0, 1, 1, 0) == CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK(cublasUint8gemmBias(h, CUBLAS_OP_N, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, NULL, 0, 1, NULL, 0, 1, NULL, 0, 1, 1, 0) == CUBLAS_STATUS_NOT_SUPPORTED);
}

/* Every second element, and a part of a matrix; both ways, at once and in a stream. */
static void moves()
{
    double from[24], to[24], *x;
    for (int i = 0; i < 24; i++)
        from[i] = i + 1, to[i] = 0;
    cudaMalloc((void **)&x, sizeof from);
    cudaMemset(x, 0, sizeof from);
    CHECK(!cublasSetVector(5, 8, from, 2, x, 3) && !cublasGetVector(5, 8, x, 3, to, 4));
    for (int i = 0; i < 20; i++)
        CHECK(to[i] == (i % 4 ? 0 : from[i / 2]));
    CHECK(!cublasSetMatrix(3, 4, 8, from, 6, x, 5) && !cublasGetMatrix(3, 4, 8, x, 5, to, 4));
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 3; i++)
            CHECK(to[i + 4 * j] == from[i + 6 * j]);
    cudaStream_t s;
    cudaStreamCreate(&s);
    CHECK(!cublasSetVectorAsync(6, 8, from, 1, x, 1, s) && !cublasGetVectorAsync(6, 8, x, 1, to, 1, s) && !cudaStreamSynchronize(s) && to[5] == 6);
    CHECK(!cublasSetMatrixAsync(2, 2, 8, from, 2, x, 2, s) && !cublasGetMatrixAsync(2, 2, 8, x, 2, to, 3, s) && !cudaStreamSynchronize(s) && to[4] == 4);
    cudaStreamDestroy(s);
    cudaFree(x);
}

static int fault(cublasHandle_t h)
{
    float *a, one = 1, zero = 0;
    cudaMalloc((void **)&a, 4 << 20);
    int put = cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 1024, 1024, 1024, &one, a, 1 << 20, a, 1024, &zero, a, 1024);
    printf("%d %s\n", put, cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

int main(int argc, char **argv)
{
    cublasHandle_t h;
    cublasStatus_t s = cublasCreate(&h);
    if (s == CUBLAS_STATUS_NOT_INITIALIZED) {
        printf("skipped: no BLAS is installed here\n");
        return 77;
    }
    if (argc > 1 && !strcmp(argv[1], "fault"))
        return fault(h);
    products<float>(h, cublasSgemm);
    products<double>(h, cublasDgemm);
    products<std::complex<float>>(h, cublasCgemm);
    products<std::complex<double>>(h, cublasZgemm);
    vectors(h);
    solving(h);
    types_and_streams(h);
    unread(h);
    groups(h);
    second_names(h);
    settings(h);
    moves();
    CHECK(!cublasDestroy(h));
    CHECK(cudaGetLastError() == cudaSuccess);
    printf(failures ? "FAILED\n" : "PASSED\n");
    return failures != 0;
}
