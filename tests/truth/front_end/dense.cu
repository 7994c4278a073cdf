// Dense linear algebra: tiled and register-blocked products, a pipeline of asynchronous copies, a transposed product with a vector,
// many small inverses, a step of Cholesky.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_pipeline.h>

template <typename T, int BLOCK>
__global__ void matrixMulTiled(T *C, const T *A, const T *B, int wA, int wB, int hA)
{
    __shared__ T As[BLOCK][BLOCK];
    __shared__ T Bs[BLOCK][BLOCK + 1];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int row = blockIdx.y * BLOCK + ty, col = blockIdx.x * BLOCK + tx;
    T sum = T(0);
    for (int m = 0; m < wA; m += BLOCK)
    {
        As[ty][tx] = (row < hA && m + tx < wA) ? A[row * wA + m + tx] : T(0);
        Bs[ty][tx] = (m + ty < wA && col < wB) ? B[(m + ty) * wB + col] : T(0);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BLOCK; ++k)
            sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    if (row < hA && col < wB)
        C[row * wB + col] = sum;
}

// 64 x 64 of C a block, 4 x 4 a thread
__global__ __launch_bounds__(256) void sgemmBlocked(int M, int N, int K, float alpha, const float *__restrict__ A,
                                                    const float *__restrict__ B, float beta, float *__restrict__ C)
{
    __shared__ float a[8][64];
    __shared__ __align__(16) float b[8][64];
    const int tid = threadIdx.x, tr = tid / 16 * 4, tc = tid % 16 * 4;
    A += blockIdx.y * 64 * K;
    B += blockIdx.x * 64;
    C += blockIdx.y * 64 * N + blockIdx.x * 64;
    float acc[4][4] = {{0.0f}};
    for (int k0 = 0; k0 < K; k0 += 8)
    {
        float2 va = *reinterpret_cast<const float2 *>(&A[(tid / 4) * K + k0 + tid % 4 * 2]);
        a[tid % 4 * 2][tid / 4] = va.x;
        a[tid % 4 * 2 + 1][tid / 4] = va.y;
        b[tid / 64][tid % 64] = B[(k0 + tid / 64) * N + tid % 64];
        b[tid / 64 + 4][tid % 64] = B[(k0 + tid / 64 + 4) * N + tid % 64];
        __syncthreads();
        for (int k = 0; k < 8; k++)
        {
            float ra[4];
            for (int i = 0; i < 4; i++)
                ra[i] = a[k][tr + i];
            float4 rb = *reinterpret_cast<float4 *>(&b[k][tc]);
            for (int i = 0; i < 4; i++)
            {
                acc[i][0] += ra[i] * rb.x;
                acc[i][1] += ra[i] * rb.y;
                acc[i][2] += ra[i] * rb.z;
                acc[i][3] += ra[i] * rb.w;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
    {
        float4 c = *reinterpret_cast<float4 *>(&C[(tr + i) * N + tc]);
        c.x = alpha * acc[i][0] + beta * c.x;
        c.y = alpha * acc[i][1] + beta * c.y;
        c.z = alpha * acc[i][2] + beta * c.z;
        c.w = alpha * acc[i][3] + beta * c.w;
        *reinterpret_cast<float4 *>(&C[(tr + i) * N + tc]) = c;
    }
}

// row sums of squares of a wide matrix, rows brought in by pieces while the last piece is summed
__global__ void rowNorms(const float *A, float *norm, int cols)
{
    constexpr int PIECE = 256;
    __shared__ __align__(16) float buf[2][PIECE];
    __shared__ float parts[2];
    const float *row = A + (size_t)blockIdx.x * cols;
    int pieces = cols / PIECE, t = threadIdx.x;
    __pipeline_memcpy_async(&buf[0][4 * t], &row[4 * t], 16);
    __pipeline_commit();
    float s = 0;
    for (int p = 0; p < pieces; p++)
    {
        if (p + 1 < pieces)
            __pipeline_memcpy_async(&buf[(p + 1) & 1][4 * t], &row[(p + 1) * PIECE + 4 * t], 16);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int i = t; i < PIECE; i += 64)
            s += buf[p & 1][i] * buf[p & 1][i];
        __syncthreads();
    }
    for (int m = 16; m >= 1; m /= 2)
        s += __shfl_down_sync(0xffffffff, s, m);
    if (t % 32 == 0)
        parts[t / 32] = s;
    __syncthreads();
    if (t == 0)
        norm[blockIdx.x] = sqrtf(parts[0] + parts[1]);
}

__global__ void gemvTransposed(int rows, int cols, const double *A, const double *x, double *y)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    int r0 = blockIdx.y * 32, r1 = min(r0 + 32, rows);
    if (c < cols)
    {
        double s = 0;
        for (int r = r0; r < r1; r++)
            s += A[r * cols + c] * x[r];
        atomicAdd(&y[c], s);
    }
}

#define N4 4
__global__ void invertSmall(const float *in, float *out, int *singular, int count)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= count)
        return;
    float m[N4][2 * N4];
    for (int i = 0; i < N4; i++)
        for (int j = 0; j < N4; j++)
        {
            m[i][j] = in[id * N4 * N4 + i * N4 + j];
            m[i][N4 + j] = i == j;
        }
    for (int c = 0; c < N4; c++)
    {
        int pivot = c;
        for (int r = c + 1; r < N4; r++)
            if (fabsf(m[r][c]) > fabsf(m[pivot][c]))
                pivot = r;
        if (fabsf(m[pivot][c]) < 1e-7f)
        {
            atomicAdd(singular, 1);
            return;
        }
        for (int j = 0; j < 2 * N4; j++)
        {
            float t = m[c][j];
            m[c][j] = m[pivot][j];
            m[pivot][j] = t;
        }
        float inv = 1.0f / m[c][c];
        for (int j = 0; j < 2 * N4; j++)
            m[c][j] *= inv;
        for (int r = 0; r < N4; r++)
            if (r != c)
            {
                float f = m[r][c];
                for (int j = 0; j < 2 * N4; j++)
                    m[r][j] -= f * m[c][j];
            }
    }
    for (int i = 0; i < N4; i++)
        for (int j = 0; j < N4; j++)
            out[id * N4 * N4 + i * N4 + j] = m[i][N4 + j];
}

__global__ void choleskyBlock(double *A, int n)
{
    extern __shared__ double L[];
    A += blockIdx.x * n * n;
    for (int i = threadIdx.x; i < n * n; i += blockDim.x)
        L[i] = A[i];
    __syncthreads();
    for (int k = 0; k < n; k++)
    {
        if (threadIdx.x == 0)
            L[k * n + k] = sqrt(L[k * n + k]);
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
            L[i * n + k] /= L[k * n + k];
        __syncthreads();
        for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x)
            for (int j = k + 1; j <= i; j++)
                L[i * n + j] -= L[i * n + k] * L[j * n + k];
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n * n; i += blockDim.x)
        A[i] = i % n <= i / n ? L[i] : 0.0;
}

template <class T> T *dev(const std::vector<T> &v)
{
    T *p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}
template <class T> void fetch(std::vector<T> &v, const T *p) { cudaMemcpy(v.data(), p, v.size() * sizeof(T), cudaMemcpyDeviceToHost); }

template <class T> int product(int h, int k, int w, double tol)
{
    std::vector<T> A(h * k), B(k * w), C(h * w);
    for (int i = 0; i < h * k; i++) A[i] = T((i * 13 % 29) - 14) / T(29);
    for (int i = 0; i < k * w; i++) B[i] = T((i * 17 % 31) - 15) / T(31);
    T *a = dev(A), *b = dev(B), *c = dev(C);
    matrixMulTiled<T, 16><<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(c, a, b, k, w, h);
    fetch(C, c);
    int bad = 0;
    for (int i = 0; i < h; i++)
        for (int j = 0; j < w; j++)
        {
            double s = 0;
            for (int x = 0; x < k; x++) s += (double)A[i * k + x] * B[x * w + j];
            bad += fabs(s - C[i * w + j]) > tol;
        }
    return bad;
}

int main()
{
    int bad = product<float>(70, 85, 100, 1e-4) + product<double>(50, 48, 61, 1e-12);
    const int M = 128, N = 192, K = 72;
    std::vector<float> A(M * K), B(K * N), C(M * N, 0.5f);
    for (int i = 0; i < M * K; i++) A[i] = (i % 23) * 0.04f - 0.4f;
    for (int i = 0; i < K * N; i++) B[i] = (i % 19) * 0.05f - 0.45f;
    float *a = dev(A), *b = dev(B), *c = dev(C);
    sgemmBlocked<<<dim3(N / 64, M / 64), 256>>>(M, N, K, 2.0f, a, b, -1.0f, c);
    fetch(C, c);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
        {
            double s = 0;
            for (int k = 0; k < K; k++) s += A[i * K + k] * B[k * N + j];
            bad += fabs(2 * s - 0.5 - C[i * N + j]) > 1e-3;
        }
    const int rows = 40, cols = 1280;
    std::vector<float> wide(rows * cols), norm(rows);
    for (int i = 0; i < rows * cols; i++) wide[i] = ((i * 7) % 101) * 0.01f;
    float *dw = dev(wide), *dn = dev(norm);
    rowNorms<<<rows, 64>>>(dw, dn, cols);
    fetch(norm, dn);
    for (int r = 0; r < rows; r++)
    {
        double s = 0;
        for (int k = 0; k < cols; k++) s += (double)wide[r * cols + k] * wide[r * cols + k];
        bad += fabs(sqrt(s) - norm[r]) > 1e-3;
    }
    const int gr = 150, gc = 410;
    std::vector<double> G(gr * gc), x(gr), y(gc);
    for (int i = 0; i < gr * gc; i++) G[i] = (i % 37) * 0.1;
    for (int i = 0; i < gr; i++) x[i] = 1.0 - i * 0.01;
    double *dG = dev(G), *dx = dev(x), *dy = dev(y);
    gemvTransposed<<<dim3((gc + 63) / 64, (gr + 31) / 32), 64>>>(gr, gc, dG, dx, dy);
    fetch(y, dy);
    for (int j = 0; j < gc; j++)
    {
        double s = 0;
        for (int i = 0; i < gr; i++) s += G[i * gc + j] * x[i];
        bad += fabs(s - y[j]) > 1e-9;
    }
    const int count = 1500;
    std::vector<float> small(count * 16), inverse(count * 16);
    for (int i = 0; i < count * 16; i++) small[i] = (i * 2654435761u >> 20) % 1000 * 0.002f - 1.0f + (i % 16 % 5 == 0 ? 3.0f : 0.0f);
    std::vector<int> zero(1);
    float *ds = dev(small), *di = dev(inverse);
    int *dz = dev(zero);
    invertSmall<<<(count + 127) / 128, 128>>>(ds, di, dz, count);
    fetch(inverse, di);
    fetch(zero, dz);
    bad += zero[0] != 0;
    for (int id = 0; id < count; id++)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
            {
                double s = 0;
                for (int k = 0; k < 4; k++) s += (double)small[id * 16 + i * 4 + k] * inverse[id * 16 + k * 4 + j];
                bad += !(fabs(s - (i == j)) < 1e-2);
            }
    const int n = 30, mats = 12;
    std::vector<double> S(mats * n * n), L;
    for (int m = 0; m < mats; m++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) S[(m * n + i) * n + j] = (i == j ? n + m : 0) + 1.0 / (1 + (i > j ? i - j : j - i));
    L = S;
    double *dS = dev(S);
    choleskyBlock<<<mats, 64, n * n * sizeof(double)>>>(dS, n);
    fetch(L, dS);
    for (int m = 0; m < mats; m++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++)
            {
                double s = 0;
                for (int k = 0; k <= j; k++) s += L[(m * n + i) * n + k] * L[(m * n + j) * n + k];
                bad += fabs(s - S[(m * n + i) * n + j]) > 1e-9;
            }
    bad += cudaGetLastError() != cudaSuccess;
    printf("%s\n", bad ? "FAILED" : "PASSED");
    return bad != 0;
}
