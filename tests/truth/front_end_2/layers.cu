// Layers of a network in float: depthwise convolution, pooling with places, batch normalisation, cross entropy, bags of embeddings, Adam.
#include <cmath>
#include <cstdio>
#include <vector>

// NCHW, 3 x 3, stride S, zero padding of 1
template <int S>
__global__ void depthwise_conv(const float *__restrict__ in, const float *__restrict__ w, const float *__restrict__ bias,
                               float *__restrict__ out, int C, int H, int W, int OH, int OW)
{
    int ox = blockIdx.x * blockDim.x + threadIdx.x;
    int oy = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z, c = plane % C;
    if (ox >= OW || oy >= OH)
        return;
    const float *src = in + (size_t)plane * H * W;
    const float *k = w + c * 9;
    float acc = bias[c];
#pragma unroll
    for (int ky = 0; ky < 3; ky++) {
        int iy = oy * S + ky - 1;
        if (iy < 0 || iy >= H)
            continue;
#pragma unroll
        for (int kx = 0; kx < 3; kx++) {
            int ix = ox * S + kx - 1;
            if (ix >= 0 && ix < W)
                acc = fmaf(src[iy * W + ix], k[ky * 3 + kx], acc);
        }
    }
    out[((size_t)plane * OH + oy) * OW + ox] = fminf(fmaxf(acc, 0.f), 6.f);
}

__global__ void max_pool_with_indices(int total, const float *in, int H, int W, int OH, int OW, int kernel, int stride, float *out, int *where)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += blockDim.x * gridDim.x) {
        int ow = i % OW;
        int oh = (i / OW) % OH;
        int p = i / OW / OH;
        int h0 = oh * stride, w0 = ow * stride;
        int h1 = min(h0 + kernel, H), w1 = min(w0 + kernel, W);
        const float *slice = in + p * H * W;
        float best = -INFINITY;
        int at = -1;
        for (int h = h0; h < h1; ++h)
            for (int w = w0; w < w1; ++w) {
                float v = slice[h * W + w];
                if (v > best) {
                    best = v;
                    at = h * W + w;
                }
            }
        out[i] = best;
        where[i] = at;
    }
}

struct Moments { float n, mean, m2; };

__device__ Moments combine(Moments a, Moments b)
{
    float n = a.n + b.n;
    if (n == 0.f)
        return a;
    float d = b.mean - a.mean, f = b.n / n;
    return {n, a.mean + d * f, a.m2 + b.m2 + d * d * a.n * f};
}

// one block a channel: mean and variance by Welford's method, then the normalised values
__global__ void batch_norm_train(float *x, const float *gamma, const float *beta, float *mean, float *var, int N, int C, int HW, float eps)
{
    __shared__ Moments part[4];
    __shared__ float scale, shift;
    int c = blockIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    Moments m = {0.f, 0.f, 0.f};
    for (int i = threadIdx.x; i < N * HW; i += blockDim.x) {
        float v = x[(i / HW * C + c) * HW + i % HW];
        m.n += 1.f;
        float d = v - m.mean;
        m.mean += d / m.n;
        m.m2 += d * (v - m.mean);
    }
    for (int off = 16; off; off >>= 1) {
        Moments o;
        o.n = __shfl_down_sync(0xffffffffu, m.n, off);
        o.mean = __shfl_down_sync(0xffffffffu, m.mean, off);
        o.m2 = __shfl_down_sync(0xffffffffu, m.m2, off);
        m = combine(m, o);
    }
    if (lane == 0)
        part[warp] = m;
    __syncthreads();
    if (threadIdx.x == 0) {
        Moments all = part[0];
        for (int w = 1; w < 4; w++)
            all = combine(all, part[w]);
        mean[c] = all.mean;
        var[c] = all.m2 / all.n;
        scale = gamma[c] * rsqrtf(all.m2 / all.n + eps);
        shift = beta[c] - all.mean * scale;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < N * HW; i += blockDim.x) {
        float *p = &x[(i / HW * C + c) * HW + i % HW];
        *p = *p * scale + shift;
    }
}

// a warp a row: loss and the gradient in place of the logits
__global__ void cross_entropy(float *logits, const int *label, float *loss, int rows, int classes, float smoothing)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
    if (row >= rows)
        return;
    float *x = logits + row * classes;
    float top = -3.4e38f;
    for (int j = lane; j < classes; j += 32)
        top = fmaxf(top, x[j]);
    for (int m = 16; m > 0; m >>= 1)
        top = fmaxf(top, __shfl_xor_sync(0xffffffff, top, m));
    float sum = 0.f;
    for (int j = lane; j < classes; j += 32)
        sum += expf(x[j] - top);
    for (int m = 16; m > 0; m >>= 1)
        sum += __shfl_xor_sync(0xffffffff, sum, m);
    float lse = top + logf(sum);
    int y = label[row];
    if (lane == 0)
        loss[row] = y < 0 ? 0.f : lse - x[y];
    __syncwarp();
    for (int j = lane; j < classes; j += 32) {
        float p = expf(x[j] - lse);
        x[j] = y < 0 ? 0.f : p - (j == y ? 1.f - smoothing : smoothing / (classes - 1));
    }
}

template <typename Index>
__global__ void embedding_bag(const float4 *__restrict__ table, const Index *__restrict__ ids, const int *__restrict__ offset, float4 *out,
                              int bags, int dim4, bool average)
{
    int bag = blockIdx.x * blockDim.y + threadIdx.y;
    if (bag >= bags)
        return;
    int a = offset[bag], b = offset[bag + 1];
    for (int d = threadIdx.x; d < dim4; d += blockDim.x) {
        float4 s = make_float4(0.f, 0.f, 0.f, 0.f);
        for (int i = a; i < b; i++) {
            float4 v = table[(size_t)ids[i] * dim4 + d];
            s.x += v.x, s.y += v.y, s.z += v.z, s.w += v.w;
        }
        if (average && b > a) {
            float r = 1.f / (b - a);
            s.x *= r, s.y *= r, s.z *= r, s.w *= r;
        }
        out[bag * dim4 + d] = s;
    }
}

__global__ void adam_step(float *__restrict__ w, const float *__restrict__ g, float *__restrict__ m, float *__restrict__ v, int n, float lr,
                          float beta1, float beta2, float eps, float decay, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float grad = g[i] + decay * w[i];
    float mi = beta1 * m[i] + (1.f - beta1) * grad;
    float vi = beta2 * v[i] + (1.f - beta2) * grad * grad;
    m[i] = mi;
    v[i] = vi;
    float mh = mi / (1.f - powf(beta1, (float)step)), vh = vi / (1.f - powf(beta2, (float)step));
    w[i] -= lr * mh / (sqrtf(vh) + eps);
}

template <class T> T *up(const std::vector<T> &v)
{
    T *p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}
template <class T> void down(std::vector<T> &v, const T *p) { cudaMemcpy(v.data(), p, v.size() * sizeof(T), cudaMemcpyDeviceToHost); }
static bool far(double a, double b, double tol) { return !(fabs(a - b) <= tol * (1 + fabs(b))); }

int main()
{
    int bad = 0;
    const int N = 2, C = 6, H = 29, W = 45, OH = (H - 1) / 2 + 1, OW = (W - 1) / 2 + 1;
    std::vector<float> x(N * C * H * W), k(C * 9), bias(C), y(N * C * OH * OW);
    for (size_t i = 0; i < x.size(); i++) x[i] = sinf(0.37f * i) * 2;
    for (size_t i = 0; i < k.size(); i++) k[i] = cosf(1.3f * i);
    for (int c = 0; c < C; c++) bias[c] = 0.3f * c;
    float *dx = up(x), *dy = up(y);
    depthwise_conv<2><<<dim3((OW + 15) / 16, (OH + 7) / 8, N * C), dim3(16, 8)>>>(dx, up(k), up(bias), dy, C, H, W, OH, OW);
    down(y, dy);
    for (int p = 0; p < N * C; p++)
        for (int i = 0; i < OH * OW; i++) {
            double s = bias[p % C];
            for (int t = 0; t < 9; t++) {
                int r = i / OW * 2 + t / 3 - 1, q = i % OW * 2 + t % 3 - 1;
                if (r >= 0 && r < H && q >= 0 && q < W) s += (double)x[(p * H + r) * W + q] * k[p % C * 9 + t];
            }
            bad += far(y[p * OH * OW + i], s < 0 ? 0 : s > 6 ? 6 : s, 1e-5);
        }

    const int PH = 14, PW = 22;
    std::vector<float> pool(N * C * PH * PW);
    std::vector<int> where(pool.size());
    float *dp = up(pool);
    int *dw = up(where);
    max_pool_with_indices<<<9, 192>>>((int)pool.size(), dx, H, W, PH, PW, 3, 2, dp, dw);
    down(pool, dp);
    down(where, dw);
    for (size_t i = 0; i < pool.size(); i++) {
        int p = i / (PH * PW), h0 = i / PW % PH * 2, w0 = i % PW * 2;
        float best = -1e30f;
        int at = -1;
        for (int h = h0; h < h0 + 3 && h < H; h++)
            for (int w = w0; w < w0 + 3 && w < W; w++)
                if (x[(p * H + h) * W + w] > best) best = x[(p * H + h) * W + w], at = h * W + w;
        bad += best != pool[i] || at != where[i];
    }

    std::vector<float> gamma(C, 1.5f), beta(C, -0.25f), mean(C), var(C), bn(x.size());
    float *dm = up(mean), *dv = up(var);
    batch_norm_train<<<C, 128>>>(dx, up(gamma), up(beta), dm, dv, N, C, H * W, 1e-5f);
    down(bn, dx);
    down(mean, dm);
    down(var, dv);
    for (int c = 0; c < C; c++) {
        double s = 0, s2 = 0;
        for (int n = 0; n < N; n++)
            for (int i = 0; i < H * W; i++) s += x[(n * C + c) * H * W + i];
        s /= N * H * W;
        for (int n = 0; n < N; n++)
            for (int i = 0; i < H * W; i++) s2 += pow(x[(n * C + c) * H * W + i] - s, 2);
        s2 /= N * H * W;
        bad += far(mean[c], s, 1e-4) || far(var[c], s2, 1e-4);
        for (int i = 0; i < H * W; i++) bad += far(bn[c * H * W + i], 1.5 * (x[c * H * W + i] - s) / sqrt(s2 + 1e-5) - 0.25, 1e-3);
    }

    const int rows = 100, classes = 77;
    std::vector<float> logit(rows * classes), grad(rows * classes), loss(rows);
    std::vector<int> label(rows);
    for (size_t i = 0; i < logit.size(); i++) logit[i] = (float)(i * 31 % 113) * 0.1f - 5;
    for (int r = 0; r < rows; r++) label[r] = r % 9 == 4 ? -1 : r * 7 % classes;
    float *dl = up(logit), *ds = up(loss);
    cross_entropy<<<(rows + 3) / 4, 128>>>(dl, up(label), ds, rows, classes, 0.1f);
    down(grad, dl);
    down(loss, ds);
    for (int r = 0; r < rows; r++) {
        double s = 0;
        for (int j = 0; j < classes; j++) s += exp((double)logit[r * classes + j]);
        int l = label[r];
        bad += far(loss[r], l < 0 ? 0 : log(s) - logit[r * classes + l], 1e-4);
        for (int j = 0; j < classes; j++)
            bad += far(grad[r * classes + j], l < 0 ? 0 : exp((double)logit[r * classes + j]) / s - (j == l ? 0.9 : 0.1 / (classes - 1)), 1e-4);
    }

    const int bags = 130, words = 60, dim = 40;
    std::vector<float> table(words * dim), sum(bags * dim);
    std::vector<long long> ids;
    std::vector<int> off(1);
    for (size_t i = 0; i < table.size(); i++) table[i] = (float)((i * 97) % 211) * 0.01f;
    for (int b = 0; b < bags; b++) {
        for (int i = 0; i < b % 7; i++) ids.push_back((b * 13 + i * 29) % words);
        off.push_back((int)ids.size());
    }
    float *dt = up(table), *db = up(sum);
    embedding_bag<<<(bags + 7) / 8, dim3(16, 8)>>>((const float4 *)dt, up(ids), up(off), (float4 *)db, bags, dim / 4, true);
    down(sum, db);
    for (int b = 0; b < bags; b++)
        for (int d = 0; d < dim; d++) {
            double s = 0;
            for (int i = off[b]; i < off[b + 1]; i++) s += table[ids[i] * dim + d];
            bad += far(sum[b * dim + d], off[b + 1] > off[b] ? s / (off[b + 1] - off[b]) : 0, 1e-5);
        }

    const int n = 5003;
    std::vector<float> w(n), g(n), m(n), v(n);
    for (int i = 0; i < n; i++) w[i] = 0.01f * (i % 200), g[i] = sinf(i), m[i] = 0.1f * cosf(i), v[i] = 0.001f * (i % 50);
    std::vector<float> w1(w);
    float *dW = up(w);
    adam_step<<<(n + 255) / 256, 256>>>(dW, up(g), up(m), up(v), n, 1e-3f, 0.9f, 0.999f, 1e-8f, 0.01f, 12);
    down(w1, dW);
    for (int i = 0; i < n; i++) {
        double gr = g[i] + 0.01 * w[i], mi = 0.9 * m[i] + 0.1 * gr, vi = 0.999 * v[i] + 0.001 * gr * gr;
        bad += far(w1[i], w[i] - 1e-3 * (mi / (1 - pow(0.9, 12))) / (sqrt(vi / (1 - pow(0.999, 12))) + 1e-8), 1e-4);
    }
    bad += cudaDeviceSynchronize() != cudaSuccess;
    puts(bad ? "FAILED" : "PASSED");
    return bad != 0;
}
