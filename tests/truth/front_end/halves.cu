// Sixteen-bit floating point as in inference code: axpy, layer normalisation, GELU, a product of matrices, softmax.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

#define CEIL_DIV(M, N) (((M) + (N)-1) / (N))

__global__ void axpy_half2(int n2, half alpha, const half2 *x, half2 *y) {
    const half2 a = __half2half2(alpha);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n2; i += gridDim.x * blockDim.x)
        y[i] = __hfma2(a, x[i], y[i]);
}

__device__ float warpReduceSum(float val) {
    for (int offset = 16; offset > 0; offset /= 2) val += __shfl_xor_sync(0xFFFFFFFF, val, offset);
    return val;
}

__global__ void layernorm_forward(__nv_bfloat16 *out, float *mean, float *rstd, const __nv_bfloat16 *inp,
                                  const __nv_bfloat16 *weight, const __nv_bfloat16 *bias, int N, int C) {
    int lane_id = threadIdx.x % 32;
    int warp_id = threadIdx.x / 32;
    int idx = blockIdx.x * (blockDim.x / 32) + warp_id;
    if (idx >= N) { return; }
    const __nv_bfloat16 *x = inp + idx * C;
    float sum = 0.0f;
    for (int i = lane_id; i < C; i += 32) { sum += (float)x[i]; }
    float m = warpReduceSum(sum) / C;
    if (lane_id == 0 && mean != nullptr) { mean[idx] = m; }
    sum = 0.0f;
    for (int i = lane_id; i < C; i += 32) {
        float diff = (float)x[i] - m;
        sum += diff * diff;
    }
    float s = rsqrtf(warpReduceSum(sum) / C + 1e-5f);
    if (lane_id == 0 && rstd != nullptr) { rstd[idx] = s; }
    __nv_bfloat16 *o = out + idx * C;
    for (int c = lane_id; c < C; c += 32) {
        float n = s * ((float)x[c] - m);
        o[c] = (__nv_bfloat16)(n * (float)weight[c] + (float)bias[c]);
    }
}

__global__ void gelu_forward(__nv_bfloat162 *out, const __nv_bfloat162 *inp, int n2) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n2) {
        float2 x = __bfloat1622float2(inp[i]);
        float2 r;
        const float s = 0.7978845608f;
        r.x = 0.5f * x.x * (1.0f + tanhf(s * (x.x + 0.044715f * x.x * x.x * x.x)));
        r.y = 0.5f * x.y * (1.0f + tanhf(s * (x.y + 0.044715f * x.y * x.y * x.y)));
        out[i] = __float22bfloat162_rn(r);
    }
}

template <int TS>
__global__ void hgemm(const __half *A, const __half *B, __half *C, int M, int N, int K) {
    __shared__ __half As[TS][TS], Bs[TS][TS];
    int row = blockIdx.y * TS + threadIdx.y, col = blockIdx.x * TS + threadIdx.x;
    float acc = 0.f;
    for (int t = 0; t < CEIL_DIV(K, TS); t++) {
        int ka = t * TS + threadIdx.x, kb = t * TS + threadIdx.y;
        As[threadIdx.y][threadIdx.x] = row < M && ka < K ? A[row * K + ka] : __float2half(0.f);
        Bs[threadIdx.y][threadIdx.x] = kb < K && col < N ? B[kb * N + col] : __float2half(0.f);
        __syncthreads();
        for (int k = 0; k < TS; k++) acc += __half2float(As[threadIdx.y][k]) * __half2float(Bs[k][threadIdx.x]);
        __syncthreads();
    }
    if (row < M && col < N) C[row * N + col] = __float2half(acc);
}

// a block takes a row
__global__ void softmax_rows(const half *in, half *out, int cols) {
    __shared__ float red[4];
    const half *row = in + (size_t)blockIdx.x * cols;
    half big = __float2half(-65504.f);
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        if (__hgt(row[c], big)) big = row[c];
    float m = __half2float(big);
    for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
    if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = m;
    __syncthreads();
    m = fmaxf(fmaxf(red[0], red[1]), fmaxf(red[2], red[3]));
    __syncthreads();
    float s = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) s += __expf(__half2float(row[c]) - m);
    s = warpReduceSum(s);
    if (threadIdx.x % 32 == 0) red[threadIdx.x / 32] = s;
    __syncthreads();
    s = red[0] + red[1] + red[2] + red[3];
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        out[(size_t)blockIdx.x * cols + c] = __float2half(__expf(__half2float(row[c]) - m) / s);
}

// y = relu(x * scale + shift), channel by channel, in the arithmetic of the type
template <class T>
__global__ void scale_shift_relu(const T *x, const T *scale, const T *shift, T *y, int channels, int pixels) {
    int p = blockIdx.x * blockDim.x + threadIdx.x, c = blockIdx.y;
    if (p >= pixels) return;
    T v = x[c * pixels + p] * scale[c] + shift[c];
    y[c * pixels + p] = v > T(0.0f) ? v : T(0.0f);
}

template <class T> T *put(const std::vector<T> &v) {
    T *d;
    cudaMalloc(&d, sizeof(T) * v.size());
    cudaMemcpy(d, v.data(), sizeof(T) * v.size(), cudaMemcpyHostToDevice);
    return d;
}
template <class T> std::vector<float> get(const T *d, size_t n) {
    std::vector<T> v(n);
    cudaMemcpy(v.data(), d, sizeof(T) * n, cudaMemcpyDeviceToHost);
    std::vector<float> f(n);
    for (size_t i = 0; i < n; i++) f[i] = (float)v[i];
    return f;
}
static int wrong;
static void near(const char *what, float got, double want, double rel) {
    if (!(fabs(got - want) <= rel * (1 + fabs(want))) && wrong++ < 5) printf("%s: %g instead of %g\n", what, got, want);
}
static float wave(int i) { return sinf(i * 0.37f) + 0.25f * cosf(i * 1.7f); }

int main() {
    const int n = 20000;
    std::vector<half> x(n), y(n);
    for (int i = 0; i < n; i++) x[i] = wave(i), y[i] = wave(i + 5000);
    half *dx = put(x), *dy = put(y);
    axpy_half2<<<20, 128>>>(n / 2, __float2half(0.75f), (half2 *)dx, (half2 *)dy);
    auto r = get(dy, n);
    for (int i = 0; i < n; i++) near("axpy", r[i], 0.75 * (float)x[i] + (float)y[i], 1e-3);

    const int N = 203, C = 200;
    std::vector<__nv_bfloat16> a(N * C), w(C), b(C);
    for (int i = 0; i < N * C; i++) a[i] = wave(3 * i) * (1 + i % 3);
    for (int c = 0; c < C; c++) w[c] = 1.0f + 0.01f * c, b[c] = 0.1f * (c % 7);
    __nv_bfloat16 *da = put(a), *dw = put(w), *db = put(b), *dout, *dgelu;
    float *dmean, *drstd;
    cudaMalloc(&dout, N * C * 2);
    cudaMalloc(&dgelu, N * C * 2);
    cudaMalloc(&dmean, N * 4);
    cudaMalloc(&drstd, N * 4);
    layernorm_forward<<<CEIL_DIV(N, 4), 128>>>(dout, dmean, drstd, da, dw, db, N, C);
    r = get(dout, N * C);
    for (int i = 0; i < N; i++) {
        double m = 0, v = 0;
        for (int c = 0; c < C; c++) m += (float)a[i * C + c];
        m /= C;
        for (int c = 0; c < C; c++) v += ((float)a[i * C + c] - m) * ((float)a[i * C + c] - m);
        for (int c = 0; c < C; c++) near("layernorm", r[i * C + c], ((float)a[i * C + c] - m) / sqrt(v / C + 1e-5) * (float)w[c] + (float)b[c], 1e-2);
    }
    gelu_forward<<<CEIL_DIV(N * C / 2, 256), 256>>>((__nv_bfloat162 *)dgelu, (__nv_bfloat162 *)dout, N * C / 2);
    auto gl = get(dgelu, N * C);
    for (int i = 0; i < N * C; i++) {
        double v = r[i];
        near("gelu", gl[i], 0.5 * v * (1 + tanh(0.7978845608 * (v + 0.044715 * v * v * v))), 1e-2);
    }

    const int M = 70, P = 100, K = 90;
    std::vector<half> A(M * K), B(K * P);
    for (int i = 0; i < M * K; i++) A[i] = wave(i) * 0.25f;
    for (int i = 0; i < K * P; i++) B[i] = wave(i + 77) * 0.25f;
    half *dA = put(A), *dB = put(B), *dC;
    cudaMalloc(&dC, M * P * sizeof(half));
    hgemm<16><<<dim3(CEIL_DIV(P, 16), CEIL_DIV(M, 16)), dim3(16, 16)>>>(dA, dB, dC, M, P, K);
    r = get(dC, M * P);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < P; j++) {
            double s = 0;
            for (int k = 0; k < K; k++) s += (double)(float)A[i * K + k] * (float)B[k * P + j];
            near("gemm", r[i * P + j], s, 2e-3);
        }

    const int rows = 45, cols = 333;
    softmax_rows<<<rows, 128>>>(dx, dy, cols);
    r = get(dy, rows * cols);
    for (int i = 0; i < rows; i++) {
        double s = 0;
        for (int c = 0; c < cols; c++) s += exp((double)(float)x[i * cols + c]);
        for (int c = 0; c < cols; c++) near("softmax", r[i * cols + c], exp((double)(float)x[i * cols + c]) / s, 1e-3);
    }

    const int channels = 12, pixels = 1600;
    scale_shift_relu<half><<<dim3(CEIL_DIV(pixels, 192), channels), 192>>>(dx, dx + 50, dx + 90, dy, channels, pixels);
    r = get(dy, channels * pixels);
    for (int i = 0; i < channels * pixels; i++)
        near("relu", r[i], fmax(0.0, (double)(float)x[i] * (float)x[50 + i / pixels] + (float)x[90 + i / pixels]), 3e-3);
    scale_shift_relu<__nv_bfloat16><<<dim3(CEIL_DIV(900, 192), channels), 192>>>(da, dw, db, dout, channels, 900);
    r = get(dout, channels * 900);
    for (int i = 0; i < channels * 900; i++)
        near("relu", r[i], fmax(0.0, (double)(float)a[i] * (float)w[i / 900] + (float)b[i / 900]), 3e-2);
    if (cudaGetLastError() != cudaSuccess) wrong++;
    printf(wrong ? "FAILED\n" : "PASSED\n");
    return wrong != 0;
}
