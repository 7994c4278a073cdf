// Sequence models: fused LSTM cell, GRU in half precision, int8 matrix-vector product, group normalisation, causal convolution, selective scan.
#include <cstdio>
#include <cmath>
#include <vector>
#include <cstdint>
#include <cuda_runtime.h>
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

__device__ __host__ inline float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }

// gates: [batch][4 * hidden] of x W + h U + b, without activations
__global__ void lstm_pointwise(const float *__restrict__ gx, const float *__restrict__ gh, const float *__restrict__ bias,
                               const float *__restrict__ c_in, float *__restrict__ c_out, float *__restrict__ h_out, int batch, int hidden)
{
    const int idx = blockIdx.x * blockDim.x + threadIdx.x;
    if (idx >= batch * hidden) return;
    const int b = idx / hidden, j = idx % hidden, base = b * 4 * hidden + j;
    float g[4];
#pragma unroll
    for (int k = 0; k < 4; k++) g[k] = gx[base + k * hidden] + gh[base + k * hidden] + bias[k * hidden + j];
    const float in = sigmoid(g[0]), forget = sigmoid(g[1] + 1.0f), cand = tanhf(g[2]), out = sigmoid(g[3]);
    const float c = forget * c_in[idx] + in * cand;
    c_out[idx] = c;
    h_out[idx] = out * tanhf(c);
}

__device__ inline __half2 hsigmoid2(__half2 x)
{
    const __half2 one = __float2half2_rn(1.0f);
    return __h2div(one, __hadd2(one, h2exp(__hneg2(x))));
}

__global__ void gru_half(const __half2 *__restrict__ gx, const __half2 *__restrict__ gh, const __half2 *__restrict__ h, __half2 *__restrict__ next, int batch, int pairs)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < batch * pairs; i += gridDim.x * blockDim.x) {
        const int b = i / pairs, j = i - b * pairs;
        const __half2 *x = gx + b * 3 * pairs + j, *r = gh + b * 3 * pairs + j;
        const __half2 reset = hsigmoid2(__hadd2(x[0], r[0])), update = hsigmoid2(__hadd2(x[pairs], r[pairs]));
        const __half2 t = __hfma2(reset, r[2 * pairs], x[2 * pairs]);
        const float2 tf = __half22float2(t);
        const __half2 cand = __floats2half2_rn(tanhf(tf.x), tanhf(tf.y));
        next[i] = __hfma2(update, __hsub2(h[i], cand), cand);
    }
}

// a warp for each row; weights row scaled
template <int WARPS>
__global__ void gemv_s8(const int8_t *__restrict__ W, const int8_t *__restrict__ x, const float *__restrict__ scale, float xscale, float *__restrict__ y, int rows, int cols)
{
    extern __shared__ int xs[];
    for (int i = threadIdx.x; i < cols / 4; i += WARPS * 32) xs[i] = reinterpret_cast<const int *>(x)[i];
    __syncthreads();
    const int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    const int4 *w = reinterpret_cast<const int4 *>(W + (size_t)row * cols);
    int acc = 0;
    for (int k = lane; k < cols / 16; k += 32) {
        const int4 v = w[k];
        acc = __dp4a(v.x, xs[4 * k], acc);
        acc = __dp4a(v.y, xs[4 * k + 1], acc);
        acc = __dp4a(v.z, xs[4 * k + 2], acc);
        acc = __dp4a(v.w, xs[4 * k + 3], acc);
    }
    acc = __reduce_add_sync(0xffffffffu, acc);
    if (lane == 0) y[row] = acc * scale[row] * xscale;
}

__global__ void group_norm(const float *__restrict__ in, float *__restrict__ out, const float *__restrict__ gamma, const float *__restrict__ beta,
                           int channels, int spatial, int perGroup, float eps)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    __shared__ float2 part[32];
    const int groups = channels / perGroup, n = blockIdx.x / groups, g = blockIdx.x % groups, len = perGroup * spatial;
    const size_t base = ((size_t)n * channels + g * perGroup) * spatial;
    float s = 0, q = 0;
    for (int i = block.thread_rank(); i < len; i += block.size()) { const float v = in[base + i]; s += v; q += v * v; }
    s = cg::reduce(tile, s, cg::plus<float>());
    q = cg::reduce(tile, q, cg::plus<float>());
    if (tile.thread_rank() == 0) part[tile.meta_group_rank()] = make_float2(s, q);
    block.sync();
    s = q = 0;
    for (unsigned w = 0; w < tile.meta_group_size(); w++) { s += part[w].x; q += part[w].y; }
    const float mean = s / len, inv = rsqrtf(q / len - mean * mean + eps);
    for (int i = block.thread_rank(); i < len; i += block.size()) {
        const int c = g * perGroup + i / spatial;
        out[base + i] = (in[base + i] - mean) * inv * gamma[c] + beta[c];
    }
}

template <typename T, int K>
__global__ void causal_conv(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int dim, int steps, int dilation)
{
    const int d = blockIdx.x * blockDim.x + threadIdx.x, t0 = blockIdx.y * 16;
    if (d >= dim) return;
    T taps[K];
#pragma unroll
    for (int k = 0; k < K; k++) taps[k] = w[k * dim + d];
    for (int t = t0; t < min(t0 + 16, steps); t++) {
        T s = T(0);
#pragma unroll
        for (int k = 0; k < K; k++) { const int at = t - k * dilation; if (at >= 0) s += taps[k] * x[at * dim + d]; }
        y[t * dim + d] = s > T(0) ? s : s * T(0.1);
    }
}

// h = exp(dt A) h + dt B x, y = C h: sixteen states for each channel, one in each lane of half a warp
__global__ void selective_scan(const float *__restrict__ x, const float *__restrict__ dt, const float *__restrict__ A, const float *__restrict__ B,
                               const float *__restrict__ C, float *__restrict__ y, int dim, int steps)
{
    const int state = threadIdx.x & 15, d = (blockIdx.x * blockDim.x + threadIdx.x) >> 4;
    const bool live = d < dim;
    const float a = live ? A[d * 16 + state] : 0;
    float h = 0;
    for (int t = 0; t < steps; t++) {
        const float step = live ? log1pf(expf(dt[t * dim + d])) : 0, v = live ? x[t * dim + d] : 0;
        h = __expf(step * a) * h + step * B[t * 16 + state] * v;
        float o = h * C[t * 16 + state];
        o += __shfl_xor_sync(0xffffffffu, o, 8); o += __shfl_xor_sync(0xffffffffu, o, 4);
        o += __shfl_xor_sync(0xffffffffu, o, 2); o += __shfl_xor_sync(0xffffffffu, o, 1);
        if (live && state == 0) y[t * dim + d] = o;
    }
}

static unsigned seed = 1;
static float rnd() { seed = seed * 1664525u + 1013904223u; return (seed >> 8) / 8388608.0f - 1; }
template <class T> T *dev(const std::vector<T> &v) { T *p; cudaMalloc((void **)&p, v.size() * sizeof(T)); cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice); return p; }
static std::vector<float> floats(size_t n) { std::vector<float> v(n); for (auto &f : v) f = rnd(); return v; }
template <class T> std::vector<T> host(const T *p, size_t n) { std::vector<T> v(n); cudaMemcpy((void *)v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost); return v; }
static bool verdict(const char *what, double worst, double limit) { if (worst < limit) return true; printf("%s: off by %g\n", what, worst); return false; }

int main()
{
    bool ok = true; double e = 0;
    const int b = 64, H = 300;
    auto gx = floats(b * 4 * H), gh = floats(b * 4 * H), bi = floats(4 * H), c = floats(b * H);
    auto dc = dev(c), dco = dev(c), dho = dev(c);
    lstm_pointwise<<<(b * H + 255) / 256, 256>>>(dev(gx), dev(gh), dev(bi), dc, dco, dho, b, H);
    auto hc = host(dco, b * H), hh = host(dho, b * H);
    for (int i = 0; i < b * H; i++) {
        auto g = [&](int k) { int at = i / H * 4 * H + k * H + i % H; return gx[at] + gh[at] + bi[k * H + i % H]; };
        float nc = sigmoid(g(1) + 1) * c[i] + sigmoid(g(0)) * tanhf(g(2)); e = fmax(e, fmax(fabs(nc - hc[i]), fabs(sigmoid(g(3)) * tanhf(nc) - hh[i])));
    }
    ok &= verdict("lstm", e, 1e-5); e = 0;
    const int pairs = 120; std::vector<__half2> x2(b * 3 * pairs), r2(b * 3 * pairs), h2(b * pairs);
    for (auto v : {&x2, &r2, &h2}) for (auto &z : *v) z = __floats2half2_rn(rnd(), rnd());
    auto dn = dev(h2); gru_half<<<24, 128>>>(dev(x2), dev(r2), dev(h2), dn, b, pairs);
    auto hn = host(dn, b * pairs);
    for (int i = 0; i < b * pairs; i++) {
        int at = i / pairs * 3 * pairs + i % pairs; auto f = [](__half2 v) { return __half2float(__low2half(v)); };
        float r = sigmoid(f(x2[at]) + f(r2[at])), u = sigmoid(f(x2[at + pairs]) + f(r2[at + pairs])), t = tanhf(f(x2[at + 2 * pairs]) + r * f(r2[at + 2 * pairs]));
        e = fmax(e, fabs(u * f(h2[i]) + (1 - u) * t - f(hn[i])));
    }
    ok &= verdict("gru", e, 0.01); e = 0;
    const int rows = 900, cols = 1040; std::vector<int8_t> W(rows * cols), xv(cols); for (auto &w : W) w = (int8_t)(rnd() * 127); for (auto &w : xv) w = (int8_t)(rnd() * 127);
    auto sc = floats(rows); float *dy; cudaMalloc(&dy, rows * 4);
    gemv_s8<4><<<(rows + 3) / 4, 128, cols>>>(dev(W), dev(xv), dev(sc), 0.001f, dy, rows, cols);
    auto hy = host(dy, rows);
    for (int r = 0; r < rows; r++) { int s = 0; for (int k = 0; k < cols; k++) s += W[r * cols + k] * xv[k]; e = fmax(e, fabs(s * sc[r] * 0.001f - hy[r])); }
    ok &= verdict("gemv", e, 1e-2); e = 0;
    const int n = 6, ch = 32, sp = 196, pg = 4; auto in = floats(n * ch * sp), ga = floats(ch), be = floats(ch); auto dout = dev(in);
    group_norm<<<n * ch / pg, 192>>>(dev(in), dout, dev(ga), dev(be), ch, sp, pg, 1e-5f);
    auto ho = host(dout, in.size());
    for (int g = 0; g < n * ch / pg; g++) {
        double s = 0, q = 0; for (int i = 0; i < pg * sp; i++) { double v = in[g * pg * sp + i]; s += v; q += v * v; } s /= pg * sp; q = 1 / sqrt(q / (pg * sp) - s * s + 1e-5);
        for (int i = 0; i < pg * sp; i++) { int cc = g * pg % ch + i / sp; e = fmax(e, fabs((in[g * pg * sp + i] - s) * q * ga[cc] + be[cc] - ho[g * pg * sp + i])); }
    }
    ok &= verdict("norm", e, 1e-4); e = 0;
    const int dim = 256, T = 180; std::vector<double> cx(dim * T), cw(4 * dim); for (auto &v : cx) v = rnd(); for (auto &v : cw) v = rnd(); auto dcy = dev(cx);
    causal_conv<double, 4><<<dim3(2, (T + 15) / 16), 128>>>(dev(cx), dev(cw), dcy, dim, T, 3);
    auto hcy = host(dcy, cx.size());
    for (int t = 0; t < T; t++) for (int d = 0; d < dim; d++) { double s = 0; for (int k = 0; k < 4; k++) if (t - 3 * k >= 0) s += cw[k * dim + d] * cx[(t - 3 * k) * dim + d]; e = fmax(e, fabs((s > 0 ? s : 0.1 * s) - hcy[t * dim + d])); }
    ok &= verdict("conv", e, 1e-12); e = 0;
    auto sx = floats(dim * T), sdt = floats(dim * T), sA = floats(dim * 16), sB = floats(T * 16), sC = floats(T * 16); for (auto &a : sA) a = -1 - fabsf(a); auto dsy = dev(sx);
    selective_scan<<<dim * 16 / 128, 128>>>(dev(sx), dev(sdt), dev(sA), dev(sB), dev(sC), dsy, dim, T);
    auto hsy = host(dsy, sx.size());
    for (int d = 0; d < dim; d += 3) { double h[16] = {}; for (int t = 0; t < T; t++) { double st = log1p(exp(sdt[t * dim + d])), o = 0; for (int k = 0; k < 16; k++) { h[k] = exp(st * sA[d * 16 + k]) * h[k] + st * sB[t * 16 + k] * sx[t * dim + d]; o += h[k] * sC[t * 16 + k]; } e = fmax(e, fabs(o - hsy[t * dim + d])); } }
    ok &= verdict("scan", e, 1e-3);
    ok &= cudaDeviceSynchronize() == cudaSuccess;
    puts(ok ? "PASSED" : "FAILED");
    return !ok;
}
