// cuSOLVER's dense part: what solves a system solves it, what decomposes a matrix makes it again, in a stream behind a kernel. 77: no LAPACK here.
#include <cusolverDn.h>

#include <cmath>
#include <cstdio>
#include <vector>

static int failures;
#define CHECK(what) \
    do { \
        if (!(what)) { \
            printf("FAILED line %d: %s\n", __LINE__, #what); \
            failures++; \
        } \
    } while (0)

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
    CHECK(cusolverDnDpotrf(h, CUBLAS_FILL_MODE_LOWER, N, a, N - 1, work, room, info) == CUSOLVER_STATUS_INVALID_VALUE);
    CHECK(!cusolverDnDestroyGesvdjInfo(jacobi) && !cusolverDnDestroy(h) && cudaGetLastError() == cudaSuccess);
    printf(failures ? "FAILED\n" : "PASSED\n");
    return failures != 0;
}
