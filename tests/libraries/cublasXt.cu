// cublasXt: products of host and of device matrices in four types, transposed and not, with columns apart; settings; what is refused.
// Expected: sums of small whole numbers, which are exact, computed here.
#include <complex>
#include <cstdio>
#include <vector>

#include <cublasXt.h>

static int failures;
#define CHECK(x) ((x) ? (void)0 : (failures++, (void)printf("FAILED, line %d: %s\n", __LINE__, #x)))

template <class T> T number(int i) { return T(i % 7 - 3); }
template <> std::complex<float> number(int i) { return {float(i % 7 - 3), float(i % 5 - 2)}; }
template <> std::complex<double> number(int i) { return {double(i % 7 - 3), double(i % 5 - 2)}; }
template <class T> T conjugate(T x) { return x; }
template <class R> std::complex<R> conjugate(std::complex<R> x) { return std::conj(x); }

template <class T> T at(const std::vector<T> &x, int ld, cublasOperation_t op, int i, int j)
{
    return op == CUBLAS_OP_N ? x[i + j * ld] : op == CUBLAS_OP_T ? x[j + i * ld] : conjugate(x[j + i * ld]);
}

template <class T, class F> void products(cublasXtHandle_t h, F gemm)
{
    static const cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
    const int m = 9, n = 5, k = 7, ld = 11;
    for (int c = 0; c < 9; c++) {
        cublasOperation_t oa = ops[c / 3], ob = ops[c % 3];
        std::vector<T> a(ld * ld), b(ld * ld), x(ld * n), want;
        for (int i = 0; i < ld * ld; i++)
            a[i] = number<T>(i), b[i] = number<T>(3 * i + 1);
        for (int i = 0; i < ld * n; i++)
            x[i] = number<T>(5 * i + 2);
        want = x;
        T alpha = number<T>(5), beta = number<T>(8);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
                T sum = 0;
                for (int l = 0; l < k; l++)
                    sum += at(a, ld, oa, i, l) * at(b, ld, ob, l, j);
                want[i + j * ld] = alpha * sum + beta * x[i + j * ld];
            }
        T *da; // of one product a matrix is on the device
        CHECK(!cudaMalloc(&da, a.size() * sizeof(T)) && !cudaMemcpy(da, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice));
        CHECK(gemm(h, oa, ob, m, n, k, &alpha, c % 2 ? da : a.data(), ld, b.data(), ld, &beta, x.data(), ld) == CUBLAS_STATUS_SUCCESS);
        CHECK(x == want);
        cudaFree(da);
    }
}

int main()
{
    cublasXtHandle_t h;
    int device = 0, wrong = 99, boards = 0, dim = 0;
    cublasXtPinnedMemMode_t mode;
    float one = 1, x[4] = {1, 2, 3, 4}, y[4] = {};
    CHECK(cublasXtCreate(&h) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasXtSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, x, 2, x, 2, &one, y, 2) == CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK(cublasXtDeviceSelect(h, 1, &wrong) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasXtDeviceSelect(h, 1, &device) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasXtMaxBoards(&boards) == CUBLAS_STATUS_SUCCESS && boards == 1);
    CHECK(cublasXtGetNumBoards(1, &device, &boards) == CUBLAS_STATUS_SUCCESS && boards == 1);
    CHECK(cublasXtSetBlockDim(h, 64) == CUBLAS_STATUS_SUCCESS && cublasXtGetBlockDim(h, &dim) == CUBLAS_STATUS_SUCCESS && dim == 64);
    CHECK(cublasXtSetBlockDim(h, 0) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasXtSetPinningMemMode(h, CUBLASXT_PINNING_ENABLED) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasXtGetPinningMemMode(h, &mode) == CUBLAS_STATUS_SUCCESS && mode == CUBLASXT_PINNING_ENABLED);
    CHECK(cublasXtSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 2, 2, 2, &one, x, 1, x, 2, &one, y, 2) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasXtSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, 0, 2, 2, &one, x, 2, x, 2, &one, y, 2) == CUBLAS_STATUS_SUCCESS);
    CHECK(cublasXtSsyrk(h, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 2, 2, &one, x, 2, &one, y, 2) == CUBLAS_STATUS_NOT_SUPPORTED);
    products<float>(h, cublasXtSgemm);
    products<double>(h, cublasXtDgemm);
    products<std::complex<float>>(h, [](cublasXtHandle_t h, cublasOperation_t a, cublasOperation_t b, int m, int n, int k, void *alpha, void *A, int lda,
                                        void *B, int ldb, void *beta, void *C, int ldc) {
        return cublasXtCgemm(h, a, b, m, n, k, (cuComplex *)alpha, (cuComplex *)A, lda, (cuComplex *)B, ldb, (cuComplex *)beta, (cuComplex *)C, ldc);
    });
    products<std::complex<double>>(h, [](cublasXtHandle_t h, cublasOperation_t a, cublasOperation_t b, int m, int n, int k, void *alpha, void *A, int lda,
                                         void *B, int ldb, void *beta, void *C, int ldc) {
        return cublasXtZgemm(h, a, b, m, n, k, (cuDoubleComplex *)alpha, (cuDoubleComplex *)A, lda, (cuDoubleComplex *)B, ldb, (cuDoubleComplex *)beta,
                             (cuDoubleComplex *)C, ldc);
    });
    CHECK(cublasXtDestroy(h) == CUBLAS_STATUS_SUCCESS);
    puts(failures ? "FAILED" : "PASSED");
    return failures != 0;
}
