// Inference in half and in eight bits: rotary positions, RMS norm, attention of one head, quantised products, four-bit weights.
#include <cstdio>
#include <cmath>
#include <cstdint>
#include <vector>
#include <cuda_fp16.h>

constexpr int cdiv(int a, int b) { return (a + b - 1) / b; }

__global__ void rope(half2 *q, int positions, int heads, int pairs, float base) {
    int p = threadIdx.x, head = blockIdx.x, pos = blockIdx.y;
    if (p >= pairs) return;
    float angle = pos * powf(base, -2.0f * p / (2 * pairs)), s, c;
    sincosf(angle, &s, &c);
    half2 *at = q + (pos * heads + head) * pairs + p;
    float2 v = __half22float2(*at);
    *at = __floats2half2_rn(v.x * c - v.y * s, v.x * s + v.y * c);
}

struct alignas(16) Half8 {
    half2 v[4];
};

// a warp a row of a multiple of 8 columns
__global__ void rmsnorm(const Half8 *x, const Half8 *weight, Half8 *out, int rows, int cols8, float eps) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float sum = 0.f;
    for (int c = lane; c < cols8; c += 32) {
        Half8 h = x[row * cols8 + c];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float2 f = __half22float2(h.v[k]);
            sum += f.x * f.x + f.y * f.y;
        }
    }
    for (int o = 16; o; o >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, o);
    half2 scale = __float2half2_rn(rsqrtf(sum / (cols8 * 8) + eps));
    for (int c = lane; c < cols8; c += 32) {
        Half8 h = x[row * cols8 + c], w = weight[c];
#pragma unroll
        for (int k = 0; k < 4; k++) h.v[k] = __hmul2(__hmul2(h.v[k], scale), w.v[k]);
        out[row * cols8 + c] = h;
    }
}

// one query a warp, a running maximum; a lane holds two of the 64 columns
__global__ void attention(const half2 *q, const half2 *k, const half2 *v, half2 *out, int queries, float scale) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= queries) return;
    float2 mine = __half22float2(q[row * 32 + lane]), acc = {0.f, 0.f};
    float top = -INFINITY, sum = 0.f;
    for (int j = 0; j <= row; j++) { // causal
        float2 key = __half22float2(k[j * 32 + lane]);
        float dot = mine.x * key.x + mine.y * key.y;
        for (int o = 16; o > 0; o /= 2) dot += __shfl_xor_sync(0xffffffff, dot, o);
        dot *= scale;
        float next = fmaxf(top, dot), shrink = __expf(top - next), weight = __expf(dot - next);
        float2 val = __half22float2(v[j * 32 + lane]);
        acc.x = acc.x * shrink + weight * val.x;
        acc.y = acc.y * shrink + weight * val.y;
        sum = sum * shrink + weight;
        top = next;
    }
    out[row * 32 + lane] = __floats2half2_rn(acc.x / sum, acc.y / sum);
}

// a block a row: the largest magnitude becomes 127
__global__ void quantise_rows(const half *x, int8_t *q, float *scale, int cols) {
    __shared__ float part[4];
    const half *row = x + blockIdx.x * cols;
    float top = 0.f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) top = fmaxf(top, fabsf(__half2float(row[c])));
    for (int o = 16; o; o >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, o));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = top;
    __syncthreads();
    for (int w = 0; w < blockDim.x / 32; w++) top = fmaxf(top, part[w]);
    float s = top > 0.f ? 127.f / top : 0.f;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
        q[blockIdx.x * cols + c] = (int8_t)max(-127, min(127, __float2int_rn(__half2float(row[c]) * s)));
    if (threadIdx.x == 0) scale[blockIdx.x] = top / 127.f;
}

// C = A B', four products an instruction
__global__ void product_int8(const int *a, const int *b, const float *sa, const float *sb, float *c, int m, int n, int k4) {
    __shared__ int ta[8][17], tb[16][17];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 8 + y, col = blockIdx.x * 16 + x, acc = 0;
    for (int base = 0; base < k4; base += 16) {
        ta[y][x] = row < m && base + x < k4 ? a[row * k4 + base + x] : 0;
        for (int r = y; r < 16; r += 8) {
            int cc = blockIdx.x * 16 + r;
            tb[r][x] = cc < n && base + x < k4 ? b[cc * k4 + base + x] : 0;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) acc = __dp4a(ta[y][k], tb[x][k], acc);
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = acc * sa[row] * sb[col];
}

// y = W x, W in four bits with a scale for every 32 columns; a warp a row
__global__ void gemv_int4(const uint32_t *w, const half *scales, const half *x, half *y, int rows, int cols) {
    extern __shared__ half2 sx[];
    for (int c = threadIdx.x; c < cols / 2; c += blockDim.x) sx[c] = reinterpret_cast<const half2 *>(x)[c];
    __syncthreads();
    int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5), lane = threadIdx.x & 31;
    if (row >= rows) return;
    float total = 0.f;
    for (int word = lane; word < cols / 8; word += 32) {
        uint32_t bits = w[row * (cols / 8) + word];
        float sum = 0.f;
        for (int k = 0; k < 4; k++, bits >>= 8) {
            float2 f = __half22float2(sx[word * 4 + k]);
            sum += ((int)(bits & 15) - 8) * f.x + ((int)(bits >> 4 & 15) - 8) * f.y;
        }
        total += sum * __half2float(scales[row * (cols / 32) + word / 4]);
    }
    for (int o = 16; o; o >>= 1) total += __shfl_down_sync(0xffffffff, total, o);
    if (lane == 0) y[row] = __float2half_rn(total);
}

__global__ void swiglu(const half *gate, const half *up, half *out, int n) {
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i + 1 < n) {
        half2 g = *(const half2 *)(gate + i), u = *(const half2 *)(up + i);
        half2 one = __float2half2_rn(1.f);
        *(half2 *)(out + i) = __hmul2(__h2div(g, __hadd2(one, h2exp(__hneg2(g)))), u);
    } else if (i < n) {
        float g = __half2float(gate[i]);
        out[i] = __float2half(g / (1.f + __expf(-g)) * __half2float(up[i]));
    }
}

static int wrong;
static void near(const char *what, double got, double want, double tol) {
    if (!(fabs(got - want) <= tol * (1 + fabs(want))) && wrong++ < 5) printf("%s: %g instead of %g\n", what, got, want);
}
template <class T> T *up(const std::vector<T> &v) {
    T *d;
    cudaMalloc(&d, v.size() * sizeof(T));
    cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return d;
}
template <class T> T *room(int n) {
    T *d;
    cudaMalloc(&d, n * sizeof(T));
    return d;
}
template <class T> std::vector<T> down(const T *d, int n) {
    std::vector<T> v(n);
    if (cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess) wrong++;
    return v;
}
static float f(half h) { return __half2float(h); }
static std::vector<half> waves(int n, float a, float size) {
    std::vector<half> v(n);
    for (int i = 0; i < n; i++) v[i] = __float2half(size * (sinf(a * i) + 0.4f * cosf(1.9f * i + a)));
    return v;
}

int main() {
    const int positions = 20, heads = 6, pairs = 24;
    auto q = waves(positions * heads * pairs * 2, 0.31f, 1.f);
    half *dq = up(q);
    rope<<<dim3(heads, positions), 32>>>((half2 *)dq, positions, heads, pairs, 10000.f);
    auto r = down(dq, (int)q.size());
    for (size_t i = 0; i < q.size(); i += 2) {
        int p = i / 2 % pairs, pos = i / 2 / (pairs * heads);
        double a = pos * pow(10000.0, -(double)p / pairs), x = f(q[i]), y = f(q[i + 1]);
        near("rope", f(r[i]), x * cos(a) - y * sin(a), 2e-3);
        near("rope", f(r[i + 1]), x * sin(a) + y * cos(a), 2e-3);
    }

    const int rows = 61, cols = 328;
    auto x = waves(rows * cols, 0.77f, 1.5f), w = waves(cols, 0.2f, 1.f);
    half *dx = up(x), *dw = up(w), *dout = room<half>(rows * cols);
    rmsnorm<<<cdiv(rows, 4), 128>>>((Half8 *)dx, (Half8 *)dw, (Half8 *)dout, rows, cols / 8, 1e-5f);
    r = down(dout, rows * cols);
    for (int i = 0; i < rows; i++) {
        double s = 0;
        for (int c = 0; c < cols; c++) s += f(x[i * cols + c]) * f(x[i * cols + c]);
        for (int c = 0; c < cols; c++) near("rmsnorm", f(r[i * cols + c]), f(x[i * cols + c]) / sqrt(s / cols + 1e-5) * f(w[c]), 5e-3);
    }

    const int queries = 50;
    auto k = waves(queries * 64, 0.55f, 0.7f), v = waves(queries * 64, 1.3f, 1.f);
    half *dk = up(k), *dv = up(v), *da = room<half>(queries * 64);
    attention<<<cdiv(queries, 4), 128>>>((half2 *)dx, (half2 *)dk, (half2 *)dv, (half2 *)da, queries, 0.125f);
    r = down(da, queries * 64);
    for (int i = 0; i < queries; i++) {
        std::vector<double> p(i + 1);
        double sum = 0;
        for (int j = 0; j <= i; j++) {
            double dot = 0;
            for (int c = 0; c < 64; c++) dot += f(x[i * 64 + c]) * f(k[j * 64 + c]);
            sum += p[j] = exp(dot * 0.125);
        }
        for (int c = 0; c < 64; c++) {
            double o = 0;
            for (int j = 0; j <= i; j++) o += p[j] / sum * f(v[j * 64 + c]);
            near("attention", f(r[i * 64 + c]), o, 3e-3);
        }
    }

    int8_t *dqi = room<int8_t>(rows * cols);
    float *ds = room<float>(rows), *dc = room<float>(rows * rows);
    quantise_rows<<<rows, 96>>>(dx, dqi, ds, cols);
    auto qi = down(dqi, rows * cols);
    auto s = down(ds, rows);
    for (int i = 0; i < rows; i++) {
        float top = 0;
        for (int c = 0; c < cols; c++) top = fmaxf(top, fabsf(f(x[i * cols + c])));
        near("scale", s[i], top / 127, 1e-6);
        for (int c = 0; c < cols; c++)
            if (fabs(qi[i * cols + c] - f(x[i * cols + c]) * 127 / top) > 0.51) wrong++;
    }
    const int n = 37;
    product_int8<<<dim3(cdiv(n, 16), cdiv(rows, 8)), dim3(16, 8)>>>((int *)dqi, (int *)dqi, ds, ds, dc, rows, n, cols / 4);
    auto c = down(dc, rows * n);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++) {
            int dot = 0;
            for (int t = 0; t < cols; t++) dot += qi[i * cols + t] * qi[j * cols + t];
            near("product", c[i * n + j], dot * (double)s[i] * s[j], 1e-5);
        }

    const int wr = 90, wc = 320;
    std::vector<uint32_t> bits(wr * wc / 8);
    std::vector<half> sc(wr * wc / 32);
    for (size_t i = 0; i < bits.size(); i++) bits[i] = (uint32_t)i * 2654435761u ^ (uint32_t)i << 7;
    for (size_t i = 0; i < sc.size(); i++) sc[i] = __float2half(0.01f + 0.001f * (i % 13));
    half *dy = room<half>(wr);
    gemv_int4<<<cdiv(wr, 4), 128, wc * 2>>>(up(bits), up(sc), dx, dy, wr, wc);
    r = down(dy, wr);
    for (int i = 0; i < wr; i++) {
        double sum = 0;
        for (int t = 0; t < wc; t++)
            sum += ((int)(bits[i * (wc / 8) + t / 8] >> t % 8 * 4 & 15) - 8) * (double)f(x[t]) * f(sc[i * (wc / 32) + t / 32]);
        near("int4", f(r[i]), sum, 3e-3);
    }

    const int odd = 7777;
    swiglu<<<cdiv(odd / 2 + 1, 128), 128>>>(dx, dx + 5000, dout, odd);
    r = down(dout, odd);
    for (int i = 0; i < odd; i++) near("swiglu", f(r[i]), f(x[i]) / (1 + exp(-f(x[i]))) * f(x[5000 + i]), 6e-3);
    puts(wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
