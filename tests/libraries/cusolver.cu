// cuSOLVER's dense part: what solves a system solves it, what decomposes a matrix makes it again, in a stream behind a kernel. 77: no LAPACK here.
#include <cusolverDn.h>

#include <cmath>
#include <cstdio>
#include <vector>

#include "check.h"

enum { N = 12 };

// symmetric, with a large diagonal
__global__ void make(double *a, double *b)
{
    int i = threadIdx.x, j = threadIdx.y;
    a[i + N * j] = i == j ? N + i : 1.0 / (1 + i + j);
    if (j == 0)
        b[i] = i - 3;
}

static std::vector<double> host(const double *at, int n)
{
    std::vector<double> v(n);
    cudaMemcpy(v.data(), at, 8 * n, cudaMemcpyDeviceToHost);
    return v;
}

static double element(int i, int j) { return i == j ? N + i : 1.0 / (1 + i + j); }

static bool solves(const std::vector<double> &x)
{
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++)
            sum += element(i, j) * x[j];
        if (!(std::fabs(sum - (i - 3)) < 1e-12))
            return false;
    }
    return true;
}

static bool near(double a, double b) { return std::fabs(a - b) < 1e-10; }

/* x^T y of two columns */
static double dot(const std::vector<double> &x, int i, const std::vector<double> &y, int j)
{
    double sum = 0;
    for (int k = 0; k < N; k++)
        sum += x[k + N * i] * y[k + N * j];
    return sum;
}

/* Q R = A, by the whole of Q and by Q times R; the inverse by Cholesky; batches; generalised eigenvalues; singular values of a symmetric matrix are its
 * eigenvalues; the interface with 64-bit sizes the same as the other. */
static void more(cusolverDnHandle_t h, double *a, double *b, double *work, int elements, int *info)
{
    double *q, *tau, *w, *u;
    int room = 0;
    cudaMalloc((void **)&q, 8 * N * N);
    cudaMalloc((void **)&u, 8 * N * N);
    cudaMalloc((void **)&tau, 8 * N);
    cudaMalloc((void **)&w, 8 * N);
    auto fresh = [&](double *to) {
        cudaDeviceSynchronize();
        make<<<1, dim3(N, N)>>>(to, b);
        cudaDeviceSynchronize();
    };
    fresh(a);
    CHECK(!cusolverDnDgeqrf_bufferSize(h, N, N, a, N, &room) && room <= elements && !cusolverDnDgeqrf(h, N, N, a, N, tau, work, room, info));
    cudaDeviceSynchronize();
    cudaMemcpy(q, a, 8 * N * N, cudaMemcpyDeviceToDevice);
    CHECK(!cusolverDnDorgqr_bufferSize(h, N, N, N, q, N, tau, &room) && !cusolverDnDorgqr(h, N, N, N, q, N, tau, work, room, info));
    fresh(u);
    CHECK(!cusolverDnDormqr_bufferSize(h, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, N, N, N, a, N, tau, u, N, &room));
    CHECK(!cusolverDnDormqr(h, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, N, N, N, a, N, tau, u, N, work, room, info));
    cudaDeviceSynchronize();
    std::vector<double> r = host(a, N * N), all = host(q, N * N), turned = host(u, N * N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k <= j; k++)
                sum += all[i + N * k] * r[k + N * j];
            CHECK(near(sum, element(i, j)) && near(dot(all, i, all, j), i == j) && near(turned[i + N * j], i <= j ? r[i + N * j] : 0));
        }
    fresh(a);
    CHECK(!cusolverDnDpotri_bufferSize(h, CUBLAS_FILL_MODE_LOWER, N, a, N, &room) && !cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, N, a, N, work, elements, info));
    CHECK(!cusolverDnDpotri(h, CUBLAS_FILL_MODE_LOWER, N, a, N, work, room, info));
    cudaDeviceSynchronize();
    std::vector<double> inverse = host(a, N * N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += element(i, k) * inverse[k > j ? k + N * j : j + N * k];
            CHECK(near(sum, i == j));
        }
    double *list[2] = {a, b}, **at;
    cudaMalloc((void **)&at, sizeof list);
    cudaMemcpy(at, list, sizeof list, cudaMemcpyHostToDevice);
    fresh(a);
    CHECK(!cusolverDnDpotrfBatched(h, CUBLAS_FILL_MODE_LOWER, N, at, N, info, 1) && !cusolverDnDpotrsBatched(h, CUBLAS_FILL_MODE_LOWER, N, 1, at, N, at + 1, N, info, 1));
    cudaDeviceSynchronize();
    CHECK(solves(host(b, N)));
    syevjInfo_t jacobi;
    cusolverDnCreateSyevjInfo(&jacobi);
    fresh(a);
    CHECK(!cusolverDnDsyevj_bufferSize(h, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, N, a, N, w, &room, jacobi));
    CHECK(!cusolverDnDsyevj(h, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, N, a, N, w, work, room, info, jacobi));
    cudaDeviceSynchronize();
    std::vector<double> values = host(w, N);
    fresh(a);
    CHECK(!cusolverDnDgesvd_bufferSize(h, N, N, &room) && !cusolverDnDgesvd(h, 'N', 'N', N, N, a, N, w, NULL, N, NULL, N, work, room, NULL, info));
    cudaDeviceSynchronize();
    std::vector<double> singular = host(w, N);
    gesvdjInfo_t rotations;
    cusolverDnCreateGesvdjInfo(&rotations);
    CHECK(!cusolverDnDgesvdj_bufferSize(h, CUSOLVER_EIG_MODE_NOVECTOR, 0, N, N, a, N, w, NULL, N, NULL, N, &room, rotations));
    cusolverDnDestroyGesvdjInfo(rotations);
    for (int i = 0; i < N; i++)
        CHECK(near(singular[i], values[N - 1 - i]));
    fresh(a);
    fresh(u); // A x = l A x: every eigenvalue is 1
    CHECK(!cusolverDnDsygvd_bufferSize(h, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, N, a, N, u, N, w, &room));
    CHECK(!cusolverDnDsygvd(h, CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, N, a, N, u, N, w, work, room, info));
    cudaDeviceSynchronize();
    for (double v : host(w, N))
        CHECK(near(v, 1));
    size_t device = 0, on_host = 0;
    int64_t *pivots;
    cusolverDnParams_t params;
    cudaMalloc((void **)&pivots, 8 * N);
    cusolverDnCreateParams(&params);
    fresh(a);
    CHECK(!cusolverDnXgetrf_bufferSize(h, params, N, N, CUDA_R_64F, a, N, CUDA_R_64F, &device, &on_host));
    CHECK(!cusolverDnXgetrf(h, params, N, N, CUDA_R_64F, a, N, pivots, CUDA_R_64F, work, device, NULL, on_host, info));
    CHECK(!cusolverDnXgetrs(h, params, CUBLAS_OP_N, N, 1, CUDA_R_64F, a, N, pivots, CUDA_R_64F, b, N, info));
    cudaDeviceSynchronize();
    CHECK(solves(host(b, N)));
    fresh(a);
    CHECK(!cusolverDnXpotrf_bufferSize(h, params, CUBLAS_FILL_MODE_UPPER, N, CUDA_R_64F, a, N, CUDA_R_64F, &device, &on_host));
    CHECK(!cusolverDnXpotrf(h, params, CUBLAS_FILL_MODE_UPPER, N, CUDA_R_64F, a, N, CUDA_R_64F, work, device, NULL, on_host, info));
    CHECK(!cusolverDnXpotrs(h, params, CUBLAS_FILL_MODE_UPPER, N, 1, CUDA_R_64F, a, N, CUDA_R_64F, b, N, info));
    cudaDeviceSynchronize();
    CHECK(solves(host(b, N)));
    fresh(a);
    CHECK(!cusolverDnXsyevd_bufferSize(h, params, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_UPPER, N, CUDA_R_64F, a, N, CUDA_R_64F, w, CUDA_R_64F, &device, &on_host));
    CHECK(!cusolverDnXsyevd(h, params, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_UPPER, N, CUDA_R_64F, a, N, CUDA_R_64F, w, CUDA_R_64F, work, device, NULL, on_host, info));
    cudaDeviceSynchronize();
    CHECK(near(host(w, N)[N - 1], values[N - 1]));
    fresh(a);
    CHECK(!cusolverDnXgeqrf_bufferSize(h, params, N, N, CUDA_R_64F, a, N, CUDA_R_64F, tau, CUDA_R_64F, &device, &on_host));
    CHECK(!cusolverDnXgeqrf(h, params, N, N, CUDA_R_64F, a, N, CUDA_R_64F, tau, CUDA_R_64F, work, device, NULL, on_host, info));
    cudaDeviceSynchronize();
    CHECK(host(a, N * N) == r);
    CHECK(!cusolverDnDestroyParams(params) && !cusolverDnDestroySyevjInfo(jacobi));
    for (void *p : {(void *)q, (void *)u, (void *)tau, (void *)w, (void *)at, (void *)pivots})
        cudaFree(p);
}

/* A Hermitian matrix: eigenvalues of (2 i; -i 2) are 1 and 3. */
static void hermitian(cusolverDnHandle_t h, cuDoubleComplex *work, int elements, int *info)
{
    const cuDoubleComplex from[4] = {{2, 0}, {0, -1}, {0, 1}, {2, 0}};
    cuDoubleComplex *a;
    double *w;
    cudaMalloc((void **)&a, sizeof from);
    cudaMalloc((void **)&w, 16);
    cudaMemcpy(a, from, sizeof from, cudaMemcpyHostToDevice);
    CHECK(!cusolverDnZheevd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, 2, a, 2, w, work, elements, info));
    cudaDeviceSynchronize();
    std::vector<double> values = host(w, 2);
    CHECK(near(values[0], 1) && near(values[1], 3));
    cudaFree(a);
    cudaFree(w);
}

static void settings(cusolverDnHandle_t h, cudaStream_t s)
{
    syevjInfo_t eigen;
    gesvdjInfo_t singular;
    cusolverDnParams_t params;
    cusolverDeterministicMode_t mode;
    cudaStream_t known;
    double residual = 1;
    int n = 1, version = 0;
    CHECK(!cusolverDnGetStream(h, &known) && known == s);
    CHECK(!cusolverDnSetDeterministicMode(h, CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS));
    CHECK(!cusolverDnGetDeterministicMode(h, &mode) && mode == CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS);
    CHECK(!cusolverDnCreateParams(&params) && !cusolverDnSetAdvOptions(params, CUSOLVERDN_GETRF, CUSOLVER_ALG_1) && !cusolverDnDestroyParams(params));
    CHECK(!cusolverDnCreateSyevjInfo(&eigen) && !cusolverDnXsyevjSetTolerance(eigen, 1e-9) && !cusolverDnXsyevjSetMaxSweeps(eigen, 9) && !cusolverDnXsyevjSetSortEig(eigen, 1));
    CHECK(!cusolverDnXsyevjGetResidual(h, eigen, &residual) && residual == 0 && !cusolverDnXsyevjGetSweeps(h, eigen, &n) && n == 0 && !cusolverDnDestroySyevjInfo(eigen));
    CHECK(!cusolverDnCreateGesvdjInfo(&singular) && !cusolverDnXgesvdjSetTolerance(singular, 1e-9) && !cusolverDnXgesvdjSetMaxSweeps(singular, 9));
    CHECK(!cusolverDnXgesvdjSetSortEig(singular, 1) && !cusolverDnXgesvdjGetResidual(h, singular, &residual) && !cusolverDnXgesvdjGetSweeps(h, singular, &n));
    CHECK(!cusolverDnDestroyGesvdjInfo(singular) && !cusolverGetVersion(&version) && version == CUSOLVER_VERSION && !cusolverGetProperty(MAJOR_VERSION, &n) && n == 11);
}

int main()
{
    cusolverDnHandle_t h;
    if (cusolverDnCreate(&h) == CUSOLVER_STATUS_NOT_INITIALIZED)
        return 77;
    double *a, *b, *work, *w, *u, *v;
    int *pivots, *info, room = 0, told = -1;
    cudaStream_t s;
    cudaMalloc((void **)&a, 8 * N * N);
    cudaMalloc((void **)&b, 8 * N);
    cudaMalloc((void **)&u, 8 * N * N);
    cudaMalloc((void **)&v, 8 * N * N);
    cudaMalloc((void **)&w, 8 * N);
    cudaMalloc((void **)&pivots, 4 * N);
    cudaMalloc((void **)&info, 4);
    cudaStreamCreate(&s);
    CHECK(!cusolverDnSetStream(h, s));
    make<<<1, dim3(N, N), 0, s>>>(a, b);
    CHECK(!cusolverDnDgetrf_bufferSize(h, N, N, a, N, &room) && room > 0);
    cudaMalloc((void **)&work, 8 * room);
    CHECK(!cusolverDnDgetrf(h, N, N, a, N, work, pivots, info) && !cusolverDnDgetrs(h, CUBLAS_OP_N, N, 1, a, N, pivots, b, N, info));
    cudaStreamSynchronize(s);
    cudaMemcpy(&told, info, 4, cudaMemcpyDeviceToHost);
    CHECK(told == 0 && solves(host(b, N)));
    make<<<1, dim3(N, N), 0, s>>>(a, b);
    CHECK(!cusolverDnDpotrf_bufferSize(h, CUBLAS_FILL_MODE_LOWER, N, a, N, &room) && !cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, N, a, N, work, room, info));
    CHECK(!cusolverDnDpotrs(h, CUBLAS_FILL_MODE_LOWER, N, 1, a, N, b, N, info));
    cudaStreamSynchronize(s);
    CHECK(solves(host(b, N)));
    // A V = V diag(W), then A = U diag(S) V^T
    make<<<1, dim3(N, N), 0, s>>>(a, b);
    CHECK(!cusolverDnDsyevd_bufferSize(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, N, a, N, w, &room));
    CHECK(!cusolverDnDsyevd(h, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, N, a, N, w, work, room, info));
    cudaStreamSynchronize(s);
    std::vector<double> vectors = host(a, N * N), values = host(w, N);
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int j = 0; j < N; j++)
                sum += element(i, j) * vectors[j + N * k];
            CHECK(std::fabs(sum - values[k] * vectors[i + N * k]) < 1e-11);
            CHECK(k == 0 || values[k] >= values[k - 1]);
        }
    make<<<1, dim3(N, N), 0, s>>>(a, b);
    gesvdjInfo_t jacobi;
    CHECK(!cusolverDnCreateGesvdjInfo(&jacobi));
    CHECK(!cusolverDnDgesvdj(h, CUSOLVER_EIG_MODE_VECTOR, 0, N, N, a, N, w, u, N, v, N, work, room, info, jacobi));
    cudaStreamSynchronize(s);
    std::vector<double> left = host(u, N * N), right = host(v, N * N);
    values = host(w, N);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += left[i + N * k] * values[k] * right[j + N * k];
            CHECK(std::fabs(sum - element(i, j)) < 1e-11);
        }
    settings(h, s);
    cudaStreamSynchronize(s);
    cudaFree(work);
    cudaMalloc((void **)&work, 16 * 8192);
    more(h, a, b, work, 8192, info);
    hermitian(h, (cuDoubleComplex *)work, 8192, info);
    CHECK(cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, N, a, N - 1, work, room, info) == CUSOLVER_STATUS_INVALID_VALUE);
    for (int i = 0; i < 2; i++) // says so, once
        CHECK(cusolverDnDsytrf(h, CUBLAS_FILL_MODE_LOWER, N, a, N, info, work, room, info) == CUSOLVER_STATUS_NOT_SUPPORTED);
    CHECK(!cusolverDnDestroyGesvdjInfo(jacobi) && !cusolverDnDestroy(h) && cudaGetLastError() == cudaSuccess);
    printf(failures ? "FAILED\n" : "PASSED\n");
    return failures != 0;
}
