// A small photo pipeline: RGB to luminance, Sobel edges, a 3x3 median, a separable blur of 16-bit sums, and histogram equalisation.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <algorithm>

using byte = unsigned char;

struct Image {
    int width, height;
    std::vector<byte> px;
    Image(int w, int h, int c = 1) : width(w), height(h), px(size_t(w) * h * c) {}
};

__global__ void rgbToGray(const uchar3 *rgb, byte *gray, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        uchar3 p = rgb[i];
        gray[i] = static_cast<byte>(0.299f * p.x + 0.587f * p.y + 0.114f * p.z);
    }
}

__global__ void sobel(const byte *__restrict__ src, short *__restrict__ dst, int w, int h)
{
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
        return;
    const byte *p = src + (y - 1) * w + x;
    int a = p[-1], b = p[0], c = p[1];
    p += w;
    int d = p[-1], f = p[1];
    p += w;
    int g = p[-1], hh = p[0], k = p[1];
    int gx = c + 2 * f + k - a - 2 * d - g;
    int gy = g + 2 * hh + k - a - 2 * b - c;
    dst[y * w + x] = static_cast<short>(abs(gx) + abs(gy));
}

__device__ __forceinline__ void order(byte &a, byte &b)
{
    byte t = a;
    a = min(a, b);
    b = max(t, b);
}

__global__ void median3x3(const byte *src, byte *dst, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    byte v[9];
    int n = 0;
    for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i) {
            int xx = min(max(x + i, 0), w - 1), yy = min(max(y + j, 0), h - 1);
            v[n++] = src[yy * w + xx];
        }
    for (int i = 0; i < 5; ++i)
        for (int j = i + 1; j < 9; ++j)
            order(v[i], v[j]);
    dst[y * w + x] = v[4];
}

template <int R>
__global__ void blurRows(const byte *in, uint16_t *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w)
        return;
    uint16_t sum = 0;
#pragma unroll
    for (int i = -R; i <= R; ++i) {
        int xx = x + i;
        if (xx >= 0 && xx < w)
            sum += in[y * w + xx];
    }
    out[y * w + x] = sum;
}

template <int R>
__global__ void blurColumns(const uint16_t *in, byte *out, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= w)
        return;
    unsigned sum = 0;
    for (int i = -R; i <= R; ++i)
        if (y + i >= 0 && y + i < h)
            sum += in[(y + i) * w + x];
    out[y * w + x] = sum / ((2 * R + 1) * (2 * R + 1));
}

__global__ void histogram256(const uchar4 *data, int n4, unsigned *bins)
{
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        uchar4 v = data[i];
        atomicAdd(&local[v.x], 1u);
        atomicAdd(&local[v.y], 1u);
        atomicAdd(&local[v.z], 1u);
        atomicAdd(&local[v.w], 1u);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        if (local[i])
            atomicAdd(&bins[i], local[i]);
}

__global__ void equalise(byte *data, int n, const unsigned *cdf, unsigned lowest)
{
    __shared__ byte lut[256];
    if (threadIdx.x < 256)
        lut[threadIdx.x] = (byte)((cdf[threadIdx.x] - min(cdf[threadIdx.x], lowest)) * 255ull / (n - lowest));
    __syncthreads();
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        data[i] = lut[data[i]];
    if (i + 1 < n)
        data[i + 1] = lut[data[i + 1]];
}

template <class T> T *upload(const std::vector<T> &v)
{
    T *d = nullptr;
    if (cudaMalloc(&d, v.size() * sizeof(T)) != cudaSuccess || cudaMemcpy(d, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice) != cudaSuccess)
        exit(1);
    return d;
}
template <class T> std::vector<T> download(const T *d, size_t n)
{
    std::vector<T> v(n);
    if (cudaMemcpy(v.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess)
        exit(1);
    return v;
}

int main()
{
    const int w = 420, h = 250, n = w * h;
    Image rgb(w, h, 3);
    for (int i = 0; i < 3 * n; ++i)
        rgb.px[i] = byte(((i / 3) % w * 5 + (i / 3) / w * 3 + (i % 3) * 40 + (i * 2654435761u >> 27)) & 255);
    byte *dRgb = upload(rgb.px), *dGray, *dMed, *dBlur;
    short *dEdge;
    uint16_t *dRow;
    unsigned *dBins;
    cudaMalloc(&dGray, n); cudaMalloc(&dMed, n); cudaMalloc(&dBlur, n);
    cudaMalloc(&dEdge, n * sizeof(short)); cudaMemset(dEdge, 0, n * sizeof(short));
    cudaMalloc(&dRow, n * sizeof(uint16_t)); cudaMalloc(&dBins, 1024); cudaMemset(dBins, 0, 1024);
    dim3 b(32, 4), g((w + 31) / 32, (h + 3) / 4);
    rgbToGray<<<(n + 191) / 192, 192>>>((uchar3 *)dRgb, dGray, n);
    sobel<<<g, b>>>(dGray, dEdge, w, h);
    median3x3<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(dGray, dMed, w, h);
    blurRows<3><<<dim3((w + 127) / 128, h), 128>>>(dGray, dRow, w, h);
    blurColumns<3><<<dim3((w + 127) / 128, h), 128>>>(dRow, dBlur, w, h);
    histogram256<<<20, 256>>>((uchar4 *)dMed, n / 4, dBins);
    auto gray = download(dGray, n), med = download(dMed, n), blur = download(dBlur, n);
    auto edge = download(dEdge, n);
    auto bins = download(dBins, 256);
    std::vector<unsigned> cdf(256), ref(256);
    for (byte v : med)
        ref[v]++;
    unsigned run = 0, lowest = 0;
    for (int i = 0; i < 256; ++i) {
        run += bins[i];
        cdf[i] = run;
        if (!lowest && run)
            lowest = run;
    }
    unsigned *dCdf = upload(cdf);
    equalise<<<(n / 2 + 255) / 256, 256>>>(dMed, n, dCdf, lowest);
    auto eq = download(dMed, n);
    int errors = bins != ref;
    auto at = [&](int x, int y) { return (int)gray[y * w + x]; };
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            int i = y * w + x;
            float l = 0.299f * rgb.px[3 * i] + 0.587f * rgb.px[3 * i + 1] + 0.114f * rgb.px[3 * i + 2];
            errors += std::abs((int)l - gray[i]) > 1;
            if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
                int gx = at(x + 1, y - 1) + 2 * at(x + 1, y) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x - 1, y) - at(x - 1, y + 1);
                int gy = at(x - 1, y + 1) + 2 * at(x, y + 1) + at(x + 1, y + 1) - at(x - 1, y - 1) - 2 * at(x, y - 1) - at(x + 1, y - 1);
                errors += edge[i] != std::abs(gx) + std::abs(gy);
            }
            std::vector<byte> v;
            unsigned sum = 0;
            for (int j = -3; j <= 3; ++j)
                for (int k = -3; k <= 3; ++k) {
                    if (std::abs(j) <= 1 && std::abs(k) <= 1)
                        v.push_back(gray[std::min(std::max(y + j, 0), h - 1) * w + std::min(std::max(x + k, 0), w - 1)]);
                    if (x + k >= 0 && x + k < w && y + j >= 0 && y + j < h)
                        sum += at(x + k, y + j);
                }
            std::nth_element(v.begin(), v.begin() + 4, v.end());
            errors += med[i] != v[4];
            errors += blur[i] != sum / 49;
            errors += eq[i] != (byte)((cdf[med[i]] - std::min(cdf[med[i]], lowest)) * 255ull / (n - lowest));
        }
    std::printf("%d errors: %s\n", errors, errors ? "FAILED" : "PASSED");
    return errors != 0;
}
