// Batched small dense algebra: pivoted LU by a warp, Cholesky solve in registers, Jacobi eigenvalues, Householder QR, matrix exponential.
#include <cstdio>
#include <cmath>
#include <vector>
#include <random>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// one warp: a matrix of N x N, lane = row
template <int N>
__global__ void lu_warp(float *__restrict__ mats, int *__restrict__ pivots, int batch)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int m = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
    if (m >= batch) return;
    const int row = warp.thread_rank();
    float a[N];
    float *A = mats + (size_t)m * N * N;
#pragma unroll
    for (int j = 0; j < N; j++) a[j] = row < N ? A[j * N + row] : 0.0f;   // column major
    int mine = row;
    bool done = row >= N;
#pragma unroll
    for (int k = 0; k < N; k++) {
        float v = done ? -1.0f : fabsf(a[k]);
        int who = row;
        for (int o = 16; o; o >>= 1) {
            float ov = warp.shfl_xor(v, o);
            int ow = warp.shfl_xor(who, o);
            if (ov > v || (ov == v && ow < who)) { v = ov; who = ow; }
        }
        if (row == who) { mine = k; done = true; }
        const float inv = 1.0f / warp.shfl(a[k], who);
        const float f = done ? 0.0f : a[k] * inv;
#pragma unroll
        for (int j = k + 1; j < N; j++) a[j] -= f * warp.shfl(a[j], who);
        if (!done) a[k] = f;
    }
    if (row < N) {
#pragma unroll
        for (int j = 0; j < N; j++) A[j * N + mine] = a[j];
        pivots[m * N + mine] = row;
    }
}

template <typename T, int N>
__global__ void cholesky_solve(const T *__restrict__ spd, const T *__restrict__ rhs, T *__restrict__ x, int batch)
{
    const int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= batch) return;
    T L[N * (N + 1) / 2], y[N];
    int at = 0;
#pragma unroll
    for (int i = 0; i < N; i++)
#pragma unroll
        for (int j = 0; j <= i; j++) L[at++] = spd[(i * N + j) * batch + b];
#pragma unroll
    for (int i = 0; i < N; i++) {
#pragma unroll
        for (int j = 0; j <= i; j++) {
            T s = L[i * (i + 1) / 2 + j];
#pragma unroll
            for (int k = 0; k < j; k++) s -= L[i * (i + 1) / 2 + k] * L[j * (j + 1) / 2 + k];
            L[i * (i + 1) / 2 + j] = i == j ? sqrt(s) : s / L[j * (j + 1) / 2 + j];
        }
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        T s = rhs[i * batch + b];
#pragma unroll
        for (int k = 0; k < i; k++) s -= L[i * (i + 1) / 2 + k] * y[k];
        y[i] = s / L[i * (i + 1) / 2 + i];
    }
#pragma unroll
    for (int i = N - 1; i >= 0; i--) {
        T s = y[i];
#pragma unroll
        for (int k = i + 1; k < N; k++) s -= L[k * (k + 1) / 2 + i] * y[k];
        y[i] = s / L[i * (i + 1) / 2 + i];
        x[i * batch + b] = y[i];
    }
}

__device__ void rotate(double (&a)[3][3], int p, int q)
{
    if (fabs(a[p][q]) < 1e-30) return;
    const double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
    const double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0)), c = rsqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; k++) { double x = a[k][p], y = a[k][q]; a[k][p] = c * x - s * y; a[k][q] = s * x + c * y; }
    for (int k = 0; k < 3; k++) { double x = a[p][k], y = a[q][k]; a[p][k] = c * x - s * y; a[q][k] = s * x + c * y; }
}

__global__ void jacobi_eigen3(const double *__restrict__ sym, double *__restrict__ values, int n)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    const double *s = sym + 6 * i;
    double a[3][3] = {{s[0], s[1], s[2]}, {s[1], s[3], s[4]}, {s[2], s[4], s[5]}};
    for (int sweep = 0; sweep < 12; sweep++) {
        if (a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2] < 1e-20) break;
        rotate(a, 0, 1); rotate(a, 0, 2); rotate(a, 1, 2);
    }
    double u = fmin(a[0][0], fmin(a[1][1], a[2][2])), w = fmax(a[0][0], fmax(a[1][1], a[2][2]));
    values[3 * i] = u; values[3 * i + 1] = a[0][0] + a[1][1] + a[2][2] - u - w; values[3 * i + 2] = w;
}

// a block reduces a tall panel to R; rows in shared memory, column sums by warps
__global__ void householder_panel(const float *__restrict__ panels, float *__restrict__ R, int rows, int cols)
{
    extern __shared__ float sm[];
    float *A = sm, *dots = sm + rows * cols;
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5, warps = blockDim.x >> 5;
    for (int i = t; i < rows * cols; i += blockDim.x) A[i] = panels[blockIdx.x * rows * cols + i];
    __syncthreads();
    for (int k = 0; k < cols; k++) {
        for (int j = k + warp; j < cols; j += warps) {
            float s = 0;
            for (int i = k + lane; i < rows; i += 32) s += A[k * rows + i] * A[j * rows + i];
            for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(0xffffffffu, s, o);
            if (lane == 0) dots[j] = s;
        }
        __syncthreads();
        const float akk = A[k * rows + k], alpha = akk > 0 ? -sqrtf(dots[k]) : sqrtf(dots[k]);
        const float beta = 1.0f / (dots[k] - alpha * akk);
        for (int j = k + 1 + warp; j < cols; j += warps) {
            const float top = A[j * rows + k], f = beta * (dots[j] - alpha * top);
            for (int i = k + 1 + lane; i < rows; i += 32) A[j * rows + i] -= f * A[k * rows + i];
            __syncwarp();
            if (lane == 0) A[j * rows + k] = top - f * (akk - alpha);
        }
        __syncthreads();
        if (t == 0) A[k * rows + k] = alpha;
        __syncthreads();
    }
    for (int i = t; i < cols * cols; i += blockDim.x) R[blockIdx.x * cols * cols + i] = i % cols <= i / cols ? A[i / cols * rows + i % cols] : 0.0f;
}

struct Mat4 {
    float m[4][4];
    __host__ __device__ static Mat4 mul(const Mat4 &a, const Mat4 &b)
    {
        Mat4 c;
        for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) { float s = 0; for (int k = 0; k < 4; k++) s += a.m[i][k] * b.m[k][j]; c.m[i][j] = s; }
        return c;
    }
};

__host__ __device__ inline Mat4 exponential(Mat4 a, int squarings)
{
    const float scale = ldexpf(1.0f, -squarings);
    Mat4 sum, term;
    for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) { a.m[i][j] *= scale; sum.m[i][j] = term.m[i][j] = i == j; }
    for (int k = 1; k <= 6; k++) {
        term = Mat4::mul(term, a);
        for (int i = 0; i < 4; i++) for (int j = 0; j < 4; j++) { term.m[i][j] /= k; sum.m[i][j] += term.m[i][j]; }
    }
    for (int s = 0; s < squarings; s++) sum = Mat4::mul(sum, sum);
    return sum;
}

__global__ void expm4(const Mat4 *in, Mat4 *out, int n, int squarings)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = exponential(in[i], squarings);
}

template <class T> T *push(const std::vector<T> &v) { T *p; cudaMalloc(&p, v.size() * sizeof(T)); cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice); return p; }
template <class T> std::vector<T> pull(T *p, size_t n) { std::vector<T> v(n); cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost); return v; }

int main()
{
    std::mt19937 g(5); std::uniform_real_distribution<float> u(-1, 1);
    double worst[5] = {};
    const int N = 16, batch = 500;
    std::vector<float> A(N * N * batch); for (auto &x : A) x = u(g);
    float *dA = push(A); int *dp; cudaMalloc(&dp, N * batch * 4);
    lu_warp<N><<<(batch + 3) / 4, 128>>>(dA, dp, batch);
    auto F = pull(dA, A.size()); auto P = pull(dp, N * batch);
    for (int m = 0; m < batch; m++) for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {
        double s = 0; const float *f = &F[m * N * N];
        for (int k = 0; k <= j && k <= i; k++) s += (k == i ? 1.0 : f[k * N + i]) * f[j * N + k];
        worst[0] = fmax(worst[0], fabs(s - A[m * N * N + j * N + P[m * N + i]]));
    }
    const int M = 6, nb = 8000;
    std::vector<double> S(M * M * nb), r(M * nb);
    for (int b = 0; b < nb; b++) {
        double q[M][M]; for (auto &x : q) for (auto &y : x) y = u(g);
        for (int i = 0; i < M; i++) { r[i * nb + b] = u(g); for (int j = 0; j < M; j++) { double s = i == j; for (int k = 0; k < M; k++) s += q[i][k] * q[j][k]; S[(i * M + j) * nb + b] = s; } }
    }
    double *dx; cudaMalloc(&dx, M * nb * 8);
    cholesky_solve<double, M><<<(nb + 127) / 128, 128>>>(push(S), push(r), dx, nb);
    auto X = pull(dx, M * nb);
    for (int b = 0; b < nb; b++) for (int i = 0; i < M; i++) { double s = 0; for (int j = 0; j < M; j++) s += S[(i * M + j) * nb + b] * X[j * nb + b]; worst[1] = fmax(worst[1], fabs(s - r[i * nb + b])); }
    const int ne = 12000; std::vector<double> sy(6 * ne); for (auto &x : sy) x = u(g);
    double *dv; cudaMalloc(&dv, 3 * ne * 8);
    jacobi_eigen3<<<(ne + 127) / 128, 128>>>(push(sy), dv, ne);
    auto V = pull(dv, 3 * ne);
    for (int i = 0; i < ne; i++) for (int k = 0; k < 3; k++) { const double *s = &sy[6 * i]; double l = V[3 * i + k], a = s[0] - l, b = s[3] - l, c = s[5] - l; worst[2] = fmax(worst[2], fabs(a * (b * c - s[4] * s[4]) - s[1] * (s[1] * c - s[4] * s[2]) + s[2] * (s[1] * s[4] - b * s[2]))); }
    const int rows = 96, cols = 12, panels = 150; std::vector<float> W(rows * cols * panels); for (auto &x : W) x = u(g);
    float *dR; cudaMalloc(&dR, cols * cols * panels * 4);
    householder_panel<<<panels, 128, (rows * cols + cols) * sizeof(float)>>>(push(W), dR, rows, cols);
    auto R = pull(dR, cols * cols * panels);
    for (int p = 0; p < panels; p++) for (int i = 0; i < cols; i++) for (int j = i; j < cols; j++) {
        double s = 0, t = 0; for (int k = 0; k < rows; k++) s += (double)W[(p * cols + i) * rows + k] * W[(p * cols + j) * rows + k];
        for (int k = 0; k <= i; k++) t += (double)R[(p * cols + i) * cols + k] * R[(p * cols + j) * cols + k];
        worst[3] = fmax(worst[3], fabs(s - t));
    }
    const int nx = 5000; std::vector<Mat4> E(nx); for (auto &e : E) for (auto &q : e.m) for (auto &x : q) x = u(g);
    Mat4 *dE; cudaMalloc(&dE, nx * sizeof(Mat4));
    expm4<<<(nx + 63) / 64, 64>>>(push(E), dE, nx, 3);
    auto Q = pull(dE, nx);
    for (int i = 0; i < nx; i += 3) { Mat4 w = exponential(E[i], 3); for (int k = 0; k < 16; k++) worst[4] = fmax(worst[4], fabs(w.m[k / 4][k % 4] - Q[i].m[k / 4][k % 4])); }
    const double limit[5] = {1e-3, 1e-9, 1e-7, 1e-3, 1e-3};
    bool ok = cudaDeviceSynchronize() == cudaSuccess;
    for (int i = 0; i < 5; i++) if (!(worst[i] < limit[i])) { ok = false; printf("part %d: %g\n", i, worst[i]); }
    puts(ok ? "PASSED" : "FAILED");
    return !ok;
}
