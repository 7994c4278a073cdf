// Image analysis: grey morphology, tile histogram equalisation, jump flooding, non-maximum suppression, non-local means, nearest-sample rotation.
#include <cstdio>
#include <cstring>
#include <cmath>
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned char uchar;
#define cudaCheck(e) do { if ((e) != cudaSuccess) { printf("CUDA error at line %d\nFAILED\n", __LINE__); return 1; } } while (0)

struct MaxOp { static constexpr int identity = 0; __host__ __device__ int operator()(int a, int b) const { return a > b ? a : b; } };
struct MinOp { static constexpr int identity = 255; __host__ __device__ int operator()(int a, int b) const { return a < b ? a : b; } };

template <class Op, int R>
__global__ void morphology(const uchar *__restrict__ src, uchar *__restrict__ dst, int w, int h, int pitch)
{
    constexpr int TW = 32, TH = 8;
    __shared__ uchar tile[TH + 2 * R][TW + 2 * R];
    __shared__ uchar rows[TH + 2 * R][TW];
    Op op;
    const int x0 = blockIdx.x * TW, y0 = blockIdx.y * TH, tid = threadIdx.y * TW + threadIdx.x;
    for (int i = tid; i < (TH + 2 * R) * (TW + 2 * R); i += TW * TH) {
        const int ly = i / (TW + 2 * R), lx = i % (TW + 2 * R), gx = x0 + lx - R, gy = y0 + ly - R;
        tile[ly][lx] = gx >= 0 && gx < w && gy >= 0 && gy < h ? src[gy * pitch + gx] : Op::identity;
    }
    __syncthreads();
    for (int ly = threadIdx.y; ly < TH + 2 * R; ly += TH) {
        int v = tile[ly][threadIdx.x];
#pragma unroll
        for (int k = 1; k <= 2 * R; k++) v = op(v, tile[ly][threadIdx.x + k]);
        rows[ly][threadIdx.x] = (uchar)v;
    }
    __syncthreads();
    const int x = x0 + threadIdx.x, y = y0 + threadIdx.y;
    if (x < w && y < h) {
        int v = rows[threadIdx.y][threadIdx.x];
#pragma unroll
        for (int k = 1; k <= 2 * R; k++) v = op(v, rows[threadIdx.y + k][threadIdx.x]);
        dst[y * pitch + x] = (uchar)v;
    }
}

// one block a tile of 32 x 32: clipped histogram (integer atomics in shared memory), its running sum is the tone curve
__global__ void claheCurves(const uchar *__restrict__ img, int pitch, int tilesX, int clip, uchar *__restrict__ curves)
{
    __shared__ int hist[256];
    __shared__ int excess;
    const int t = threadIdx.x;
    hist[t] = 0;
    if (t == 0) excess = 0;
    __syncthreads();
    const uchar *base = img + (blockIdx.x / tilesX) * 32 * pitch + (blockIdx.x % tilesX) * 32;
    for (int i = t; i < 1024; i += 256) atomicAdd(&hist[base[(i >> 5) * pitch + (i & 31)]], 1);
    __syncthreads();
    int v = hist[t];
    if (v > clip) { atomicAdd(&excess, v - clip); v = clip; }
    __syncthreads();
    v += excess / 256 + (t < excess % 256);
    hist[t] = v;
    __syncthreads();
    for (int o = 1; o < 256; o <<= 1) {
        const int add = t >= o ? hist[t - o] : 0;
        __syncthreads();
        hist[t] += add;
        __syncthreads();
    }
    curves[blockIdx.x * 256 + t] = (uchar)((hist[t] * 255 + 512) / 1024);
}

__host__ __device__ inline uchar blendCurves(const uchar *curves, int tx, int ty, int x, int y, int v)
{
    const float fx = (x - 15.5f) / 32, fy = (y - 15.5f) / 32;
    int x0 = (int)floorf(fx), y0 = (int)floorf(fy);
    const float ax = fx - x0, ay = fy - y0;
    const int x1 = x0 + 1 < tx ? x0 + 1 : tx - 1, y1 = y0 + 1 < ty ? y0 + 1 : ty - 1;
    if (x0 < 0) x0 = 0;
    if (y0 < 0) y0 = 0;
    const float top = curves[(y0 * tx + x0) * 256 + v] * (1 - ax) + curves[(y0 * tx + x1) * 256 + v] * ax;
    const float low = curves[(y1 * tx + x0) * 256 + v] * (1 - ax) + curves[(y1 * tx + x1) * 256 + v] * ax;
    return (uchar)(top * (1 - ay) + low * ay + 0.5f);
}

__global__ void claheApply(uchar *img, int w, int h, int pitch, const uchar *__restrict__ curves, int tx, int ty)
{
    const int x = 4 * (blockIdx.x * blockDim.x + threadIdx.x), y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    uchar4 *p = (uchar4 *)(img + y * pitch + x);
    uchar4 v = *p;
    v.x = blendCurves(curves, tx, ty, x, y, v.x);
    v.y = blendCurves(curves, tx, ty, x + 1, y, v.y);
    v.z = blendCurves(curves, tx, ty, x + 2, y, v.z);
    v.w = blendCurves(curves, tx, ty, x + 3, y, v.w);
    *p = v;
}

__global__ void jumpFlood(const short2 *__restrict__ in, short2 *__restrict__ out, int w, int h, int step)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    short2 best = in[y * w + x];
    int dist = best.x < 0 ? 0x7fffffff : (best.x - x) * (best.x - x) + (best.y - y) * (best.y - y);
    for (int dy = -step; dy <= step; dy += step)
        for (int dx = -step; dx <= step; dx += step) {
            const int xx = x + dx, yy = y + dy;
            if ((dx | dy) == 0 || xx < 0 || yy < 0 || xx >= w || yy >= h) continue;
            const short2 s = in[yy * w + xx];
            if (s.x < 0) continue;
            const int d = (s.x - x) * (s.x - x) + (s.y - y) * (s.y - y);
            if (d < dist) { dist = d; best = s; }
        }
    out[y * w + x] = best;
}

__host__ __device__ inline int edgeAt(const uchar *s, int pitch, int low, int high)
{
    auto grad = [&](const uchar *p, int &gx, int &gy) { gx = 3 * (p[1 - pitch] - p[-1 - pitch] + p[1 + pitch] - p[-1 + pitch]) + 10 * (p[1] - p[-1]); gy = 3 * (p[pitch - 1] - p[-pitch - 1] + p[pitch + 1] - p[-pitch + 1]) + 10 * (p[pitch] - p[-pitch]); };
    int gx, gy, hx, hy;
    grad(s, gx, gy);
    const int ax = gx < 0 ? -gx : gx, ay = gy < 0 ? -gy : gy, m = ax + ay;
    if (m < low) return 0;
    int off;
    if (ay * 5 < ax * 2) off = 1;
    else if (ax * 5 < ay * 2) off = pitch;
    else off = (gx ^ gy) < 0 ? 1 - pitch : 1 + pitch;
    grad(s + off, hx, hy);
    if ((hx < 0 ? -hx : hx) + (hy < 0 ? -hy : hy) > m) return 0;
    grad(s - off, hx, hy);
    if ((hx < 0 ? -hx : hx) + (hy < 0 ? -hy : hy) >= m) return 0;
    return m >= high ? 255 : 128;
}

__global__ void thinEdges(const uchar *__restrict__ src, uchar *__restrict__ dst, int w, int h, int pitch, int low, int high)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x + 2, y = blockIdx.y * blockDim.y + threadIdx.y + 2;
    if (x >= w - 2 || y >= h - 2) return;
    dst[y * pitch + x] = (uchar)edgeAt(src + y * pitch + x, pitch, low, high);
}

template <int P, int S>
__host__ __device__ inline float denoise(const uchar *img, int x, int y, int w, int h, int pitch, float k)
{
    float sum = 0, norm = 0;
    for (int sy = -S; sy <= S; sy++)
        for (int sx = -S; sx <= S; sx++) {
            float d = 0;
            for (int py = -P; py <= P; py++)
                for (int px = -P; px <= P; px++) {
                    int ax = x + px, ay = y + py, bx = ax + sx, by = ay + sy;
                    ax = ax < 0 ? 0 : ax >= w ? w - 1 : ax; bx = bx < 0 ? 0 : bx >= w ? w - 1 : bx;
                    ay = ay < 0 ? 0 : ay >= h ? h - 1 : ay; by = by < 0 ? 0 : by >= h ? h - 1 : by;
                    const float e = (float)img[ay * pitch + ax] - (float)img[by * pitch + bx];
                    d += e * e;
                }
            const float g = expf(-d * k);
            const int cx = x + sx < 0 ? 0 : x + sx >= w ? w - 1 : x + sx, cy = y + sy < 0 ? 0 : y + sy >= h ? h - 1 : y + sy;
            sum += g * img[cy * pitch + cx];
            norm += g;
        }
    return sum / norm;
}

__global__ void nonLocalMeans(const uchar *__restrict__ img, float *__restrict__ out, int w, int h, int pitch, float k)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = denoise<1, 2>(img, x, y, w, h, pitch, k);
}

__global__ void rotateNearest(cudaTextureObject_t tex, float *out, int w, int h, float s, float c)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    const float u = x - w / 2, v = y - h / 2;
    out[y * w + x] = 0.75f * tex2D<float>(tex, floorf(c * u - s * v) + w / 2 + 0.5f, floorf(s * u + c * v) + h / 2 + 0.5f) + 0.25f;
}

int main()
{
    const int w = 384, h = 192, pitch = 384, n = pitch * h, tx = w / 32, ty = h / 32;
    std::vector<uchar> im(n), got(n), want(n);
    for (int i = 0; i < n; i++) im[i] = (uchar)(128 + 60 * sinf(i % w * 0.05f) + 50 * cosf(i / w * 0.09f) + (i * 2654435761u >> 28));
    uchar *a, *b, *cv; float *f; short2 *s, *t;
    cudaCheck(cudaMalloc(&a, n)); cudaCheck(cudaMalloc(&b, n)); cudaCheck(cudaMalloc(&cv, tx * ty * 256)); cudaCheck(cudaMalloc(&f, n * 4)); cudaCheck(cudaMalloc(&s, n * 4)); cudaCheck(cudaMalloc(&t, n * 4));
    cudaCheck(cudaMemcpy(a, im.data(), n, cudaMemcpyHostToDevice));
    auto box = [&](int r, bool top) { for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) { int v = top ? 0 : 255; for (int yy = std::max(0, y - r); yy <= std::min(h - 1, y + r); yy++) for (int xx = std::max(0, x - r); xx <= std::min(w - 1, x + r); xx++) v = top ? std::max(v, (int)im[yy * w + xx]) : std::min(v, (int)im[yy * w + xx]); want[y * w + x] = v; } };
    morphology<MaxOp, 2><<<dim3(w / 32, h / 8), dim3(32, 8)>>>(a, b, w, h, pitch);
    cudaCheck(cudaMemcpy(got.data(), b, n, cudaMemcpyDeviceToHost)); box(2, true); if (got != want) return puts("dilate FAILED"), 1;
    morphology<MinOp, 3><<<dim3(w / 32, h / 8), dim3(32, 8)>>>(a, b, w, h, pitch);
    cudaCheck(cudaMemcpy(got.data(), b, n, cudaMemcpyDeviceToHost)); box(3, false); if (got != want) return puts("erode FAILED"), 1;
    cudaCheck(cudaMemset(b, 0, n));
    thinEdges<<<dim3(w / 64, h / 4), dim3(64, 4)>>>(a, b, w, h, pitch, 60, 200);
    cudaCheck(cudaMemcpy(got.data(), b, n, cudaMemcpyDeviceToHost));
    for (int y = 2; y < h - 2; y++) for (int x = 2; x < w - 2; x++) if (got[y * w + x] != edgeAt(&im[y * w + x], pitch, 60, 200)) return puts("edges FAILED"), 1;
    nonLocalMeans<<<dim3(w / 32, h / 4), dim3(32, 4)>>>(a, f, w, h, pitch, 0.0008f);
    std::vector<float> ff(n); cudaCheck(cudaMemcpy(ff.data(), f, n * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i += 29) if (fabsf(ff[i] - denoise<1, 2>(im.data(), i % w, i / w, w, h, pitch, 0.0008f)) > 0.01f) return puts("nlm FAILED"), 1;
    claheCurves<<<tx * ty, 256>>>(a, pitch, tx, 24, cv);
    claheApply<<<dim3(w / 128, h / 4), dim3(32, 4)>>>(a, w, h, pitch, cv, tx, ty);
    std::vector<uchar> curves(tx * ty * 256); cudaCheck(cudaMemcpy(curves.data(), cv, curves.size(), cudaMemcpyDeviceToHost)); cudaCheck(cudaMemcpy(got.data(), a, n, cudaMemcpyDeviceToHost));
    for (int k = 0; k < tx * ty; k++) {
        int hist[256] = {}, ex = 0, run = 0; for (int i = 0; i < 1024; i++) hist[im[(k / tx * 32 + i / 32) * w + k % tx * 32 + i % 32]]++;
        for (int &v : hist) if (v > 24) { ex += v - 24; v = 24; }
        for (int v = 0; v < 256; v++) { run += hist[v] + ex / 256 + (v < ex % 256); if (curves[k * 256 + v] != (uchar)((run * 255 + 512) / 1024)) return puts("curves FAILED"), 1; }
    }
    int off = 0; for (int i = 0; i < n; i++) off += abs(got[i] - blendCurves(curves.data(), tx, ty, i % w, i / w, im[i])) > 1; if (off) return puts("clahe FAILED"), 1;
    std::vector<short2> seed(n, make_short2(-1, -1)); std::vector<int> seeds; for (int i = 5; i < n; i += 1777) seed[i] = make_short2(i % w, i / w), seeds.push_back(i);
    cudaCheck(cudaMemcpy(s, seed.data(), n * 4, cudaMemcpyHostToDevice));
    for (int step = 32; step; step >>= 1) { jumpFlood<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(s, t, w, h, step); std::swap(s, t); }
    cudaCheck(cudaMemcpy(seed.data(), s, n * 4, cudaMemcpyDeviceToHost));
    int nearest = 0, asked = 0;
    for (int i = 0; i < n; i += 7, asked++) { int x = i % w, y = i / w, best = 1 << 30, mine = seed[i].x < 0 ? 1 << 29 : (seed[i].x - x) * (seed[i].x - x) + (seed[i].y - y) * (seed[i].y - y); for (int k : seeds) best = std::min(best, (k % w - x) * (k % w - x) + (k / w - y) * (k / w - y)); nearest += mine == best; }
    if (nearest < asked * 0.97) { printf("flood %d of %d FAILED\n", nearest, asked); return 1; }
    cudaArray_t arr; cudaChannelFormatDesc d = cudaCreateChannelDesc<float>(); cudaCheck(cudaMallocArray(&arr, &d, w, h)); cudaCheck(cudaMemcpy2DToArray(arr, 0, 0, ff.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
    cudaResourceDesc rd; memset(&rd, 0, sizeof rd); rd.resType = cudaResourceTypeArray; rd.res.array.array = arr; cudaTextureDesc td; memset(&td, 0, sizeof td); td.addressMode[0] = td.addressMode[1] = cudaAddressModeClamp; td.filterMode = cudaFilterModePoint;
    cudaTextureObject_t tex; cudaCheck(cudaCreateTextureObject(&tex, &rd, &td, nullptr));
    rotateNearest<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(tex, f, w, h, 0.587f, 0.809f);
    std::vector<float> fr(n); cudaCheck(cudaMemcpy(fr.data(), f, n * 4, cudaMemcpyDeviceToHost)); off = 0;
    for (int i = 0; i < n; i++) { float u = i % w - w / 2, v = i / w - h / 2; int x = (int)floorf(0.809f * u - 0.587f * v) + w / 2, y = (int)floorf(0.587f * u + 0.809f * v) + h / 2; x = std::min(std::max(x, 0), w - 1); y = std::min(std::max(y, 0), h - 1); off += fabsf(fr[i] - 0.75f * ff[y * w + x] - 0.25f) > 1e-3f; }
    if (off > n / 50) { printf("rotate %d FAILED\n", off); return 1; }
    puts("PASSED");
    return 0;
}
