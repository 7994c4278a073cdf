// Surfaces, layered arrays, cube maps and gathers, against what the host computes of the same arrays: the rules of the CUDA
// C++ programming guide, "Texture Functions" and "Surface Functions".
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CK(call) do { cudaError_t e_ = (call); if (e_) { printf("%s, line %d\nFAILED\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)
enum { W = 8, H = 6, L = 4 };
static int bad;
static void expect(const char *what, int i, double got, double want)
{
    if (got != want && bad++ < 20)
        printf("%s %d: %g, not %g\n", what, i, got, want);
}

// every element type and vector: what is read is written one row further down, in another surface
template <class T> __global__ void shift(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    int x = threadIdx.x, y = threadIdx.y;
    T v;
    surf2Dread(&v, from, x * (int)sizeof(T), y);
    surf2Dwrite(v, to, x * (int)sizeof(T), (y + 1) % H);
}

template <class T, class Word = T> static void round_trip(const char *name) // Word: what the kernel takes an element for
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<T>();
    std::vector<T> h(W * H), back(W * H);
    unsigned char *bytes = (unsigned char *)h.data();
    for (size_t i = 0; i < h.size() * sizeof(T); i++) bytes[i] = (unsigned char)(i * 37 + 11);
    cudaArray_t a, b;
    CK(cudaMallocArray(&a, &f, W, H, cudaArraySurfaceLoadStore));
    CK(cudaMallocArray(&b, &f, W, H, cudaArraySurfaceLoadStore));
    CK(cudaMemcpy2DToArray(a, 0, 0, h.data(), W * sizeof(T), W * sizeof(T), H, cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    cudaSurfaceObject_t from, to;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    CK(cudaCreateSurfaceObject(&from, &r));
    r.res.array.array = b;
    CK(cudaCreateSurfaceObject(&to, &r));
    static_assert(sizeof(Word) == sizeof(T), "as wide");
    shift<Word><<<1, dim3(W, H)>>>(from, to);
    CK(cudaMemcpy2DFromArray(back.data(), W * sizeof(T), b, 0, 0, W * sizeof(T), H, cudaMemcpyDeviceToHost));
    const unsigned char *got = (const unsigned char *)back.data();
    size_t row = W * sizeof(T);
    for (size_t i = 0; i < row * H; i++) expect(name, (int)i, got[(i + row) % (row * H)], bytes[i]);
    CK(cudaDestroySurfaceObject(from));
    CK(cudaDestroySurfaceObject(to));
    CK(cudaFreeArray(a));
    CK(cudaFreeArray(b));
}

static cudaArray_t volume(unsigned flags, int w, int h, int d, std::vector<float> &v)
{
    cudaArray_t a;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    CK(cudaMalloc3DArray(&a, &f, make_cudaExtent(w, h, h || flags & cudaArrayLayered ? d : 0), flags));
    v.resize((size_t)w * (h ? h : 1) * d);
    for (size_t i = 0; i < v.size(); i++) v[i] = (float)(i * 7 % 1000);
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(v.data(), w * sizeof(float), w, h ? h : 1);
    p.dstArray = a;
    p.extent = make_cudaExtent(w, h ? h : 1, d);
    p.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&p));
    return a;
}

static cudaTextureObject_t texture(cudaArray_t a, bool normalized = false, bool linear = false)
{
    cudaResourceDesc r = {};
    cudaTextureDesc t = {};
    cudaTextureObject_t o;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = cudaAddressModeClamp;
    t.normalizedCoords = normalized;
    t.filterMode = linear ? cudaFilterModeLinear : cudaFilterModePoint;
    CK(cudaCreateTextureObject(&o, &r, &t, NULL));
    return o;
}

static cudaSurfaceObject_t surface(cudaArray_t a)
{
    cudaResourceDesc r = {};
    cudaSurfaceObject_t o;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    CK(cudaCreateSurfaceObject(&o, &r));
    return o;
}

__global__ void layers2(cudaTextureObject_t t, float *out) { int i = threadIdx.x; out[i] = tex2DLayered<float>(t, i % W + 0.5f, i / W % H + 0.5f, i / (W * H) - 1); }
__global__ void layers1(cudaTextureObject_t t, float *out) { int i = threadIdx.x; float v; tex1DLayered(&v, t, i % W + 0.5f, i / W); out[i] = v + tex1DLayeredLod<float>(t, i % W + 0.5f, i / W, 0); }
__global__ void middle(cudaTextureObject_t t, float *out) { int i = threadIdx.x; out[i] = tex2DLayered<float>(t, i % (W - 1) + 1.0f, 2.5f, i / (W - 1)); }
__global__ void cube(cudaTextureObject_t t, const float *at, float *out, int layer)
{
    int i = threadIdx.x;
    out[i] = layer < 0 ? texCubemap<float>(t, at[3 * i], at[3 * i + 1], at[3 * i + 2]) : texCubemapLayered<float>(t, at[3 * i], at[3 * i + 1], at[3 * i + 2], layer);
}
template <class V> __global__ void gather(cudaTextureObject_t t, V *out) { int i = threadIdx.x; out[i] = tex2Dgather<V>(t, i % W + 0.75f, i / W + 0.75f); }
__global__ void gradients(cudaTextureObject_t t, float *out) { int i = threadIdx.x; out[i] = tex2DGrad<float>(t, i % W + 0.5f, i / W + 0.5f, make_float2(1, 0), make_float2(0, 1)); }
__global__ void edges(cudaSurfaceObject_t s, float *out) // one texel around a W * H surface
{
    int x = threadIdx.x - 1, y = threadIdx.y - 1, i = threadIdx.y * (W + 2) + threadIdx.x;
    out[2 * i] = surf2Dread<float>(s, x * 4, y, cudaBoundaryModeClamp);
    out[2 * i + 1] = surf2Dread<float>(s, x * 4, y, cudaBoundaryModeZero);
}
__global__ void store_edges(cudaSurfaceObject_t s) { surf2Dwrite((float)(1000 + threadIdx.x), s, ((int)threadIdx.x - 2) * 4, 1, cudaBoundaryModeZero); }
__global__ void volumes(cudaSurfaceObject_t s3, cudaSurfaceObject_t sl, cudaSurfaceObject_t sc)
{
    int x = threadIdx.x, y = threadIdx.y;
    for (int z = 0; z < L; z++) {
        surf3Dwrite(surf3Dread<float>(s3, x * 4, y, z) + 1, s3, x * 4, y, z);
        float v;
        surf2DLayeredread(&v, sl, x * 4, y, z);
        surf2DLayeredwrite(v * 2, sl, x * 4, y, z);
    }
    if (y < 4 && x < 4)
        for (int face = 0; face < 6; face++)
            surfCubemapwrite(surfCubemapread<float>(sc, x * 4, y, face) + face, sc, x * 4, y, face);
}
// the forms with a level or gradients are the plain ones here: no texture has smaller levels
__global__ void forms(cudaTextureObject_t t1, cudaTextureObject_t t2, cudaTextureObject_t t3, cudaTextureObject_t l1, cudaTextureObject_t l2, cudaTextureObject_t c, cudaTextureObject_t cl, int *differ)
{
    float x = threadIdx.x % W + 0.5f, y = threadIdx.x % H + 0.5f, z = threadIdx.x % L + 0.5f;
    int i = threadIdx.x % L;
    float2 g2 = make_float2(1, 2);
    float4 g4 = make_float4(1, 2, 3, 0);
    int d = tex1DGrad<float>(t1, x, 1, 2) != tex1D<float>(t1, x);
    d += tex2DGrad<float>(t2, x, y, g2, g2) != tex2D<float>(t2, x, y);
    d += tex3DGrad<float>(t3, x, y, z, g4, g4) != tex3D<float>(t3, x, y, z);
    d += tex1DLayeredGrad<float>(l1, x, i, 1, 2) != tex1DLayered<float>(l1, x, i);
    d += tex2DLayeredGrad<float>(l2, x, y, i, g2, g2) != tex2DLayered<float>(l2, x, y, i);
    d += tex2DLayeredLod<float>(l2, x, y, i, 1) != tex2DLayered<float>(l2, x, y, i);
    d += texCubemapLod<float>(c, x, -y, z, 1) != texCubemap<float>(c, x, -y, z);
    d += texCubemapGrad<float>(c, x, y, -z, g4, g4) != texCubemap<float>(c, x, y, -z);
    d += texCubemapLayeredLod<float>(cl, -x, y, z, 1, 1) != texCubemapLayered<float>(cl, -x, y, z, 1);
    d += texCubemapLayeredGrad<float>(cl, x, y, z, 0, g4, g4) != texCubemapLayered<float>(cl, x, y, z, 0);
    d += tex2DLod<float>(t2, x, y, 1) == tex2DLod<float>(t2, x + 1, y, 1) && threadIdx.x % W < W - 1; // they do read something
    atomicAdd(differ, d);
}
__global__ void lines(cudaSurfaceObject_t s1, cudaSurfaceObject_t sl, cudaSurfaceObject_t sc)
{
    int x = threadIdx.x;
    surf1Dwrite(surf1Dread<float>(s1, x * 4) * 3, s1, x * 4);
    for (int i = 0; i < L; i++)
        surf1DLayeredwrite(surf1DLayeredread<float>(sl, x * 4, i) + i, sl, x * 4, i);
    for (int face = 0; x < 4 && face < 12; face++)
        surfCubemapLayeredwrite(surfCubemapLayeredread<float>(sc, x * 4, 2, face) - face, sc, x * 4, 2, face);
}
__global__ void outside(cudaSurfaceObject_t s, float *out) { *out = surf2Dread<float>(s, W * 4, 0); }

static std::vector<float> read_back(cudaArray_t a, int w, int h, int d)
{
    std::vector<float> v((size_t)w * h * d);
    cudaMemcpy3DParms p = {};
    p.srcArray = a;
    p.dstPtr = make_cudaPitchedPtr(v.data(), w * sizeof(float), w, h);
    p.extent = make_cudaExtent(w, h, d);
    p.kind = cudaMemcpyDeviceToHost;
    CK(cudaMemcpy3D(&p));
    return v;
}

template <class T, class V> static void gather_words(const char *name)
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<T>();
    std::vector<T> h(W * H), got(4 * (W - 1));
    for (int i = 0; i < W * H; i++) h[i] = (T)(i * 0x9e3779b9u);
    cudaArray_t a;
    CK(cudaMallocArray(&a, &f, W, H, cudaArrayTextureGather));
    CK(cudaMemcpy2DToArray(a, 0, 0, h.data(), W * sizeof(T), W * sizeof(T), H, cudaMemcpyHostToDevice));
    V *out;
    CK(cudaMalloc(&out, (W - 1) * sizeof(V)));
    gather<V><<<1, W - 1>>>(texture(a), out);
    CK(cudaMemcpy(got.data(), out, (W - 1) * sizeof(V), cudaMemcpyDeviceToHost));
    const int at[4] = {W, W + 1, 1, 0};
    for (int i = 0; i < 4 * (W - 1); i++) expect(name, i, got[i], h[i / 4 + at[i % 4]]);
    CK(cudaFree(out));
}

int main(int argc, char **)
{
    round_trip<unsigned char>("uchar"); round_trip<char2>("char2"); round_trip<uchar4>("uchar4");
    round_trip<int2, long long>("long long");
    round_trip<int4, longlong2>("longlong2");
    round_trip<short>("short"); round_trip<ushort2>("ushort2"); round_trip<short4>("short4");
    round_trip<int>("int"); round_trip<uint2>("uint2"); round_trip<float>("float"); round_trip<float2>("float2"); round_trip<float4>("float4");

    float *d;
    CK(cudaMalloc(&d, 1 << 16));
    std::vector<float> v, got(4096), after;
    auto fetch = [&](int n) { CK(cudaMemcpy(got.data(), d, n * 4, cudaMemcpyDeviceToHost)); };

    // layers: the index is clamped
    cudaArray_t layered = volume(cudaArrayLayered | cudaArraySurfaceLoadStore, W, H, L, v);
    layers2<<<1, W * H * (L + 2)>>>(texture(layered), d);
    fetch(W * H * (L + 2));
    for (int i = 0; i < W * H * (L + 2); i++) {
        int layer = i / (W * H) - 1;
        expect("layers", i, got[i], v[(layer < 0 ? 0 : layer >= L ? L - 1 : layer) * W * H + i % (W * H)]);
    }
    middle<<<1, (W - 1) * L>>>(texture(layered, false, true), d); // filtered within the layer
    fetch((W - 1) * L);
    for (int i = 0; i < (W - 1) * L; i++) { const float *p = &v[(i / (W - 1)) * W * H + 2 * W + i % (W - 1)]; expect("filtered layers", i, got[i], (p[0] + p[1]) / 2); }
    std::vector<float> line;
    layers1<<<1, W * L>>>(texture(volume(cudaArrayLayered, W, 0, L, line)), d);
    fetch(W * L);
    for (int i = 0; i < W * L; i++) expect("layers of lines", i, got[i], 2 * line[i]);

    // cube maps: the middle of each texel of each face, from the guide's table turned round
    for (int maps = 1; maps <= 2; maps++) {
        std::vector<float> c, at;
        cudaArray_t a = volume(maps > 1 ? cudaArrayCubemap | cudaArrayLayered : cudaArrayCubemap, 4, 4, 6 * maps, c);
        for (int i = 0; i < 96; i++) {
            float s = (i % 4 + 0.5f) / 2 - 1, t = (i / 4 % 4 + 0.5f) / 2 - 1, m = 3;
            const float face[6][3] = {{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}};
            for (int k = 0; k < 3; k++) at.push_back(m * face[i / 16][k]);
        }
        CK(cudaMemcpy(d + 1000, at.data(), at.size() * 4, cudaMemcpyHostToDevice));
        cube<<<1, 96>>>(texture(a), d + 1000, d, maps > 1 ? 1 : -1);
        fetch(96);
        for (int i = 0; i < 96; i++) expect("cube", i, got[i], c[(maps - 1) * 96 + i]);
    }

    // gather: the four texels around the place, (0,1) (1,1) (1,0) (0,0); gradients choose nothing
    std::vector<float> flat;
    cudaArray_t plain = volume(cudaArrayTextureGather, W, H, 1, flat);
    cudaTextureObject_t t = texture(plain);
    gather<<<1, (W - 1) * 1>>>(t, (float4 *)d);
    fetch((W - 1) * 4);
    for (int i = 0; i < W - 1; i++) { expect("gather", i, got[4 * i], flat[W + i]); expect("gather", i, got[4 * i + 1], flat[W + i + 1]); expect("gather", i, got[4 * i + 2], flat[i + 1]); expect("gather", i, got[4 * i + 3], flat[i]); }
    gather_words<int, int4>("gather of int");
    gather_words<unsigned, uint4>("gather of unsigned");
    gradients<<<1, W * H>>>(t, d);
    fetch(W * H);
    for (int i = 0; i < W * H; i++) expect("gradients", i, got[i], flat[i]);

    // edges
    std::vector<float> e;
    cudaArray_t a = volume(cudaArraySurfaceLoadStore, W, H, 1, e);
    edges<<<1, dim3(W + 2, H + 2)>>>(surface(a), d);
    fetch(2 * (W + 2) * (H + 2));
    for (int i = 0; i < (W + 2) * (H + 2); i++) {
        int x = i % (W + 2) - 1, y = i / (W + 2) - 1, cx = x < 0 ? 0 : x >= W ? W - 1 : x, cy = y < 0 ? 0 : y >= H ? H - 1 : y;
        expect("clamped", i, got[2 * i], e[cy * W + cx]);
        expect("zero", i, got[2 * i + 1], cx == x && cy == y ? e[y * W + x] : 0);
    }
    store_edges<<<1, W + 4>>>(surface(a));
    after = read_back(a, W, H, 1);
    for (int i = 0; i < W * H; i++) expect("stored at the edge", i, after[i], i / W == 1 ? 1002 + i % W : e[i]);

    // volumes, layers, faces
    std::vector<float> v3, vc;
    cudaArray_t a3 = volume(cudaArraySurfaceLoadStore, W, H, L, v3), ac = volume(cudaArrayCubemap | cudaArraySurfaceLoadStore, 4, 4, 6, vc);
    volumes<<<1, dim3(W, H)>>>(surface(a3), surface(layered), surface(ac));
    after = read_back(a3, W, H, L);
    for (int i = 0; i < W * H * L; i++) expect("3d", i, after[i], v3[i] + 1);
    after = read_back(layered, W, H, L);
    for (int i = 0; i < W * H * L; i++) expect("layered", i, after[i], v[i] * 2);
    after = read_back(ac, 4, 4, 6);
    for (int i = 0; i < 96; i++) expect("faces", i, after[i], vc[i] + i / 16);

    // lines, layers of cube maps
    std::vector<float> v1, vl, vcl;
    cudaArray_t a1 = volume(cudaArraySurfaceLoadStore, W, 0, 1, v1), al = volume(cudaArrayLayered | cudaArraySurfaceLoadStore, W, 0, L, vl);
    cudaArray_t acl = volume(cudaArrayCubemap | cudaArrayLayered | cudaArraySurfaceLoadStore, 4, 4, 12, vcl);
    cudaSurfaceObject_t s1 = surface(a1);
    lines<<<1, W>>>(s1, surface(al), surface(acl));
    after = read_back(a1, W, 1, 1);
    for (int i = 0; i < W; i++) expect("1d", i, after[i], v1[i] * 3);
    after = read_back(al, W, 1, L);
    for (int i = 0; i < W * L; i++) expect("1d, layers", i, after[i], vl[i] + i / W);
    after = read_back(acl, 4, 4, 12);
    for (int i = 0; i < 192; i++) expect("faces, layers", i, after[i], vcl[i] - (i / 4 % 4 == 2 ? i / 16 : 0));
    CK(cudaMemset(d, 0, 4));
    forms<<<1, 96>>>(texture(a1), texture(plain), texture(a3), texture(al), texture(layered), texture(ac), texture(acl), (int *)d);
    int differ;
    CK(cudaMemcpy(&differ, d, 4, cudaMemcpyDeviceToHost));
    expect("forms", 0, differ, 0);
    cudaResourceDesc of = {};
    CK(cudaGetSurfaceObjectResourceDesc(&of, s1));
    expect("resource", 0, of.res.array.array == a1, 1);

    // what must be refused
    cudaArray_t none;
    cudaSurfaceObject_t s;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = plain;
    expect("no surface array", 0, cudaCreateSurfaceObject(&s, &r), cudaErrorInvalidValue);
    expect("not square", 0, cudaMalloc3DArray(&none, &f, make_cudaExtent(4, 5, 6), cudaArrayCubemap), cudaErrorInvalidValue);
    expect("not six", 0, cudaMalloc3DArray(&none, &f, make_cudaExtent(4, 4, 5), cudaArrayCubemap), cudaErrorInvalidValue);
    expect("texture, not surface", 0, cudaDestroySurfaceObject(t), cudaErrorInvalidValue);
    cudaGetLastError();
    if (argc > 1) {
        outside<<<1, 1>>>(surface(a), d);
        puts(cudaGetErrorName(cudaDeviceSynchronize()));
        return 0;
    }
    puts(bad ? "FAILED" : "PASSED");
    return bad != 0;
}
