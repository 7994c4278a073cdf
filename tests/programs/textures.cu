// Texture objects against the rules of the CUDA C++ programming guide, computed on the host: nearest point and linear
// filtering with 8-bit weights, four address modes, normalized coordinates, read modes, arrays, pitched and linear memory.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#define CK(call) do { cudaError_t e_ = (call); if (e_) { printf("%s, line %d\nFAILED\n", cudaGetErrorString(e_), __LINE__); return 1; } } while (0)
enum { W = 13, H = 7, D = 3, N = 512 };
static int bad;
static void expect(const char *what, int i, float got, float want, float tolerance = 0)
{
    if (!(fabsf(got - want) <= tolerance) && bad++ < 20)
        printf("%s %d: %g, not %g\n", what, i, got, want);
}

__global__ void fetch2(cudaTextureObject_t t, const float2 *at, float *out) { int i = threadIdx.x; out[i] = tex2D<float>(t, at[i].x, at[i].y); }
__global__ void fetch2lod(cudaTextureObject_t t, const float2 *at, float *out) { int i = threadIdx.x; out[i] = tex2DLod<float>(t, at[i].x, at[i].y, 0); }
__global__ void fetch3(cudaTextureObject_t t, float *out) { int i = threadIdx.x; out[i] = tex3D<float>(t, i % W + 0.5f, i / W % H + 0.5f, i / (W * H) + 0.5f); }
__global__ void far(cudaTextureObject_t t, int x, int4 *o) { *o = tex1Dfetch<int4>(t, x); }
__global__ void fetch1(cudaTextureObject_t t, int4 *out) { int i = threadIdx.x; short4 v = tex1Dfetch<short4>(t, i - 2); out[i] = make_int4(v.x, v.y, v.z, v.w); }
__global__ void fetch4(cudaTextureObject_t t, float4 *out) { int i = threadIdx.x; float4 v; tex2D(&v, t, i % W + 0.5f, i / W + 0.5f); out[i] = v; }

static int place(int mode, int i, int n)
{
    if (mode == cudaAddressModeWrap) return (i % n + n) % n;
    if (mode == cudaAddressModeMirror) { i = (i % (2 * n) + 2 * n) % (2 * n); return i < n ? i : 2 * n - 1 - i; }
    if (mode == cudaAddressModeBorder) return i < 0 || i >= n ? -1 : i;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

// the guide's formulas, in double but for the weights
static float reference(const std::vector<float> &v, int mode, bool linear, bool normalized, float border, float2 c)
{
    double x = c.x, y = c.y;
    if (normalized) { x *= W; y *= H; }
    auto texel = [&](int i, int j) {
        i = place(mode, i, W); j = place(mode, j, H);
        return i < 0 || j < 0 ? (double)border : (double)v[j * W + i];
    };
    if (!linear) return (float)texel((int)floor(x), (int)floor(y));
    x -= 0.5; y -= 0.5;
    double i = floor(x), j = floor(y), a = floor((x - i) * 256 + 0.5) / 256, b = floor((y - j) * 256 + 0.5) / 256;
    return (float)((1 - a) * (1 - b) * texel(i, j) + a * (1 - b) * texel(i + 1, j) + (1 - a) * b * texel(i, j + 1) + a * b * texel(i + 1, j + 1));
}

int main()
{
    std::vector<float> h(W * H);
    unsigned seed = 1;
    auto rnd = [&] { return (seed = seed * 1664525u + 1013904223u) >> 8; };
    for (auto &x : h) x = rnd() % 1000;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaArray_t a;
    CK(cudaMallocArray(&a, &f, W, H));
    CK(cudaMemcpy2DToArray(a, 0, 0, h.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
    std::vector<float> back(W * H);
    CK(cudaMemcpyFromArray(back.data(), a, 0, 0, W * H * 4, cudaMemcpyDeviceToHost));
    bad += back != h;
    float *pitched; size_t pitch;
    CK(cudaMallocPitch(&pitched, &pitch, W * 4, H));
    CK(cudaMemcpy2D(pitched, pitch, h.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
    float2 *at; float *out;
    CK(cudaMalloc(&at, N * sizeof *at)); CK(cudaMalloc(&out, N * sizeof(float4)));
    std::vector<float2> c(N); std::vector<float> got(N);

    for (int resource = 0; resource < 2; resource++)
        for (int mode = 0; mode < 4; mode++)
            for (int linear = 0; linear < 2; linear++)
                for (int normalized = 0; normalized < 2; normalized++) {
                    cudaResourceDesc r = {}; cudaTextureDesc t = {}; cudaTextureObject_t o;
                    if (resource) { r.resType = cudaResourceTypePitch2D; r.res.pitch2D.devPtr = pitched; r.res.pitch2D.desc = f; r.res.pitch2D.width = W; r.res.pitch2D.height = H; r.res.pitch2D.pitchInBytes = pitch; }
                    else { r.resType = cudaResourceTypeArray; r.res.array.array = a; }
                    t.addressMode[0] = t.addressMode[1] = (cudaTextureAddressMode)mode;
                    t.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
                    t.normalizedCoords = normalized;
                    t.borderColor[0] = 5;
                    CK(cudaCreateTextureObject(&o, &r, &t, NULL));
                    // multiples of 1/64 texel (1/128 of the size for wrap and mirror): exact in every step
                    for (auto &p : c) p = normalized ? make_float2((int)(rnd() % 512 - 128) / 128.0f, (int)(rnd() % 512 - 128) / 128.0f)
                                                     : make_float2((int)(rnd() % 1600) / 64.0f - 6, (int)(rnd() % 1000) / 64.0f - 4);
                    CK(cudaMemcpy(at, c.data(), N * sizeof *at, cudaMemcpyHostToDevice));
                    if (mode & 1) fetch2<<<1, N>>>(o, at, out); else fetch2lod<<<1, N>>>(o, at, out);
                    CK(cudaMemcpy(got.data(), out, N * 4, cudaMemcpyDeviceToHost));
                    int means = !normalized && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror) ? (int)cudaAddressModeClamp : mode;
                    for (int i = 0; i < N; i++) // weights of normalized coordinates: 13 * 1/128 has more bits than 8
                        expect(linear ? "linear" : "point", i, got[i], reference(h, means, linear, normalized, 5, c[i]), linear ? 0.01f : 0);
                    CK(cudaDestroyTextureObject(o));
                }

    // three dimensions
    std::vector<float> volume(W * H * D);
    for (auto &x : volume) x = rnd() % 1000;
    cudaArray_t b;
    cudaMemcpy3DParms p = {};
    CK(cudaMalloc3DArray(&b, &f, make_cudaExtent(W, H, D)));
    p.srcPtr = make_cudaPitchedPtr(volume.data(), W * 4, W, H); p.dstArray = b; p.extent = make_cudaExtent(W, H, D); p.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&p));
    cudaResourceDesc r = {}; cudaTextureDesc t = {}; cudaTextureObject_t o;
    r.resType = cudaResourceTypeArray; r.res.array.array = b;
    t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = cudaAddressModeClamp;
    CK(cudaCreateTextureObject(&o, &r, &t, NULL));
    fetch3<<<1, W * H * D>>>(o, out);
    CK(cudaMemcpy(got.data(), out, W * H * D * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < W * H * D; i++) expect("3d", i, got[i], volume[i]);
    CK(cudaDestroyTextureObject(o));

    // linear memory: four shorts a texel, zero outside
    std::vector<short4> s(20); std::vector<int4> s4(24);
    for (int i = 0; i < 20; i++) s[i] = make_short4(i, -i, 1000 * i, -32768);
    short4 *ds; CK(cudaMalloc(&ds, 20 * sizeof *ds)); CK(cudaMemcpy(ds, s.data(), 20 * sizeof *ds, cudaMemcpyHostToDevice));
    r = {}; r.resType = cudaResourceTypeLinear; r.res.linear.devPtr = ds; r.res.linear.desc = cudaCreateChannelDesc<short4>(); r.res.linear.sizeInBytes = 20 * sizeof *ds;
    t = {}; CK(cudaCreateTextureObject(&o, &r, &t, NULL));
    fetch1<<<1, 24>>>(o, (int4 *)out);
    CK(cudaMemcpy(s4.data(), out, 24 * 16, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 24; i++) {
        bool in = i >= 2 && i < 22;
        expect("1d", i, s4[i].y, in ? -(i - 2) : 0); expect("1d", i, s4[i].z, in ? 1000 * (i - 2) : 0); expect("1d", i, s4[i].w, in ? -32768 : 0);
    }
    CK(cudaDestroyTextureObject(o));

    // past the end of its allocation: what is there can be fetched (a GPU's driver does not ask how long the memory is)
    r.res.linear.sizeInBytes += 100 << 20;
    CK(cudaCreateTextureObject(&o, &r, &t, NULL));
    fetch1<<<1, 22>>>(o, (int4 *)out);
    CK(cudaMemcpy(s4.data(), out, 22 * 16, cudaMemcpyDeviceToHost));
    for (int i = 2; i < 22; i++) expect("1d beyond", i, s4[i].y, -(i - 2));
    CK(cudaDestroyTextureObject(o));

    // a single row, without a pitch
    cudaArray_t row; CK(cudaMallocArray(&row, &f, W, 1));
    CK(cudaMemcpy2DToArray(row, 0, 0, h.data() + W, 0, W * 4, 1, cudaMemcpyHostToDevice));
    CK(cudaMemcpy2DFromArray(back.data(), 0, row, 0, 0, W * 4, 1, cudaMemcpyDeviceToHost));
    for (int i = 0; i < W; i++) expect("row", i, back[i], h[W + i]);
    bad += cudaMemcpy2DToArray(a, 0, 0, h.data(), 0, W * 4, 2, cudaMemcpyHostToDevice) != cudaErrorInvalidPitchValue;
    CK(cudaFreeArray(row));

    // bytes read as fractions; missing components 0 and 1
    std::vector<uchar2> u(W * H); std::vector<float4> u4(W * H);
    for (int i = 0; i < W * H; i++) u[i] = make_uchar2(i, 255 - i);
    cudaChannelFormatDesc f2 = cudaCreateChannelDesc<uchar2>();
    cudaArray_t ua; CK(cudaMallocArray(&ua, &f2, W, H)); CK(cudaMemcpyToArray(ua, 0, 0, u.data(), W * H * 2, cudaMemcpyHostToDevice));
    r = {}; r.resType = cudaResourceTypeArray; r.res.array.array = ua; t = {}; t.readMode = cudaReadModeNormalizedFloat;
    CK(cudaCreateTextureObject(&o, &r, &t, NULL));
    fetch4<<<1, W * H>>>(o, (float4 *)out);
    CK(cudaMemcpy(u4.data(), out, W * H * 16, cudaMemcpyDeviceToHost));
    for (int i = 0; i < W * H; i++) { expect("bytes", i, u4[i].x, i / 255.0f); expect("bytes", i, u4[i].y, (255 - i) / 255.0f); expect("bytes", i, u4[i].z, 0); expect("bytes", i, u4[i].w, 1); }

    // what must be refused
    cudaChannelFormatDesc odd = cudaCreateChannelDesc(8, 16, 0, 0, cudaChannelFormatKindUnsigned);
    cudaArray_t none; bad += cudaMallocArray(&none, &odd, 4, 4) != cudaErrorInvalidChannelDescriptor;
    t.readMode = cudaReadModeElementType; t.filterMode = cudaFilterModeLinear;
    bad += cudaCreateTextureObject(&o, &r, &t, NULL) != cudaErrorInvalidFilterSetting;
    bad += cudaMemcpy2DToArray(a, 4, 0, h.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice) != cudaErrorInvalidValue;
    bad += cudaDestroyTextureObject(12345) != cudaErrorInvalidValue;
    cudaGetLastError();
    CK(cudaFreeArray(a)); CK(cudaFreeArray(b)); CK(cudaFreeArray(ua));

    // what is beyond the allocation cannot be fetched; the device is spoilt
    r = {}; r.resType = cudaResourceTypeLinear; r.res.linear.devPtr = ds; r.res.linear.desc = cudaCreateChannelDesc<short4>(); r.res.linear.sizeInBytes = 1 << 30;
    t = {}; CK(cudaCreateTextureObject(&o, &r, &t, NULL));
    far<<<1, 1>>>(o, 100000000, (int4 *)out); // 800 MB from there
    bad += cudaDeviceSynchronize() != cudaErrorIllegalAddress;
    puts(bad ? "FAILED" : "PASSED");
    return bad != 0;
}
