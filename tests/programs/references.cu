// Texture and surface references, as programs for CUDA 11 and older have them (clang tells of each by __cudaRegisterTexture
// and __cudaRegisterSurface), against
// the host's own reading of the same memory.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CK(call) do { cudaError_t e_ = (call); if (e_) { printf("%s, line %d\nFAILED\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)
enum { W = 16, H = 8, D = 3 };
static int bad;
static void expect(const char *what, int i, double got, double want)
{
    if (got != want && bad++ < 20)
        printf("%s %d: %g, not %g\n", what, i, got, want);
}

texture<float, 2, cudaReadModeElementType> image;
texture<float> line;                                           // 1D, linear memory
static texture<uchar4, cudaTextureType2D, cudaReadModeNormalizedFloat> colours;
texture<int4, 1, cudaReadModeElementType> fours;
texture<float, 3> volume(true, cudaFilterModePoint, cudaAddressModeWrap);
texture<float, cudaTextureType2DLayered> layers;
texture<unsigned short, 2> pitched;
surface<void, cudaSurfaceType2D> target;
static surface<void, 3> box;

__device__ float through(texture<float, 2> t, float x, float y) { return tex2D(t, x, y); }
__global__ void images(float *out) { int i = threadIdx.x; out[i] = tex2D(image, i % W + 0.5f, i / W + 0.5f) + 1000 * through(image, i % W + 0.5f, 0.5f); }
__global__ void lines(float *out) { int i = threadIdx.x; out[i] = tex1Dfetch(line, i + 3); }
__global__ void pixels(float4 *out) { int i = threadIdx.x; out[i] = tex2D(colours, i % W, i / W); }
__global__ void quads(int4 *out) { int i = threadIdx.x; out[i] = tex1Dfetch(fours, i); }
__global__ void volumes(float *out) { int i = threadIdx.x; out[i] = tex3D(volume, (i % W + 0.5f) / W + 1, (i / W % H + 0.5f) / H, (i / (W * H) + 0.5f) / D); }
__global__ void layered(float *out) { int i = threadIdx.x; out[i] = tex2DLayered(layers, i % W, i / W % H, i / (W * H)); }
__global__ void rows(int *out) { int i = threadIdx.x; out[i] = tex2D(pitched, i % W, i / W); }

__global__ void store() { int i = threadIdx.x; surf2Dwrite(i * 1.5f, target, i % W * 4, i / W); float v; surf2Dread(&v, target, i % W * 4, i / W); surf2Dwrite(v + 1, target, i % W * 4, i / W); }
__global__ void boxes() { int i = threadIdx.x; surf3Dwrite(-surf3Dread<float>(box, i % W * 4, i / W % H, i / (W * H)), box, i % W * 4, i / W % H, i / (W * H)); }

int main(int argc, char **)
{
    float *d, *p;
    std::vector<float> h(W * H * D), got(4 * W * H * D);
    CK(cudaMalloc(&d, got.size() * 4));
    CK(cudaMalloc(&p, h.size() * 4));
    for (size_t i = 0; i < h.size(); i++) h[i] = (float)(i * 13 % 101);
    auto fetch = [&](int n) { CK(cudaMemcpy(got.data(), d, n * 4, cudaMemcpyDeviceToHost)); };

    cudaArray *a;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    CK(cudaMallocArray(&a, &f, W, H));
    CK(cudaMemcpyToArray(a, 0, 0, h.data(), W * H * 4, cudaMemcpyHostToDevice));
    image.addressMode[0] = cudaAddressModeClamp;
    image.filterMode = cudaFilterModeLinear; // in the middle of a texel there is nothing to weigh
    image.normalized = false;
    CK(cudaBindTextureToArray(image, a, f));
    images<<<1, W * H>>>(d);
    fetch(W * H);
    for (int i = 0; i < W * H; i++) expect("image", i, got[i], h[i] + 1000 * h[i % W]);
    for (float &x : h) x += 1; // bound anew, and to the same array through the C form
    CK(cudaMemcpyToArray(a, 0, 0, h.data(), W * H * 4, cudaMemcpyHostToDevice));
    const textureReference *reference;
    CK(cudaGetTextureReference(&reference, image));
    CK(cudaBindTextureToArray(reference, a, &f));
    images<<<1, W * H>>>(d);
    fetch(W * H);
    for (int i = 0; i < W * H; i++) expect("image again", i, got[i], h[i] + 1000 * h[i % W]);

    // linear memory, from the beginning and from somewhere inside
    size_t offset = 99;
    CK(cudaMemcpy(p, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
    CK(cudaBindTexture(&offset, line, p, W * H * sizeof(float)));
    expect("offset", 0, offset, 0);
    lines<<<1, W * H>>>(d);
    fetch(W * H);
    for (int i = 0; i < W * H; i++) expect("line", i, got[i], i + 3 < W * H ? h[i + 3] : 0);
    CK(cudaBindTexture(&offset, line, p + 130)); // 520 bytes: 8 past a multiple of 512
    expect("offset", 1, offset, 8);
    CK(cudaGetTextureAlignmentOffset(&offset, line));
    expect("offset", 2, offset, 8);
    lines<<<1, W>>>(d);
    fetch(W);
    for (int i = 0; i < W; i++) expect("inside", i, got[i], h[128 + 3 + i]);
    expect("no place for the offset", 0, cudaBindTexture(NULL, line, p + 1, 64), cudaErrorInvalidValue);
    cudaGetLastError();
    int4 *q = (int4 *)p;
    std::vector<int4> h4(W);
    for (int i = 0; i < W; i++) h4[i] = make_int4(i, -i, 2 * i, 1 << i);
    CK(cudaMemcpy(q, h4.data(), W * sizeof(int4), cudaMemcpyHostToDevice));
    CK(cudaBindTexture(0, fours, q, W * sizeof(int4)));
    quads<<<1, W>>>((int4 *)d);
    std::vector<int4> g4(W);
    CK(cudaMemcpy(g4.data(), d, W * sizeof(int4), cudaMemcpyDeviceToHost));
    for (int i = 0; i < W; i++) { expect("int4", i, g4[i].y, -i); expect("int4", i, g4[i].w, 1 << i); }

    // bytes as fractions
    cudaArray *ca;
    cudaChannelFormatDesc cf = cudaCreateChannelDesc<uchar4>();
    std::vector<uchar4> c(W * H);
    for (int i = 0; i < W * H; i++) c[i] = make_uchar4(i, 255 - i, 2 * i, 7);
    CK(cudaMallocArray(&ca, &cf, W, H));
    CK(cudaMemcpy2DToArray(ca, 0, 0, c.data(), W * 4, W * 4, H, cudaMemcpyHostToDevice));
    CK(cudaBindTextureToArray(colours, ca));
    pixels<<<1, W * H>>>((float4 *)d);
    fetch(4 * W * H);
    for (int i = 0; i < W * H; i++) { expect("fraction", i, got[4 * i], c[i].x / 255.0f); expect("fraction", i, got[4 * i + 1], c[i].y / 255.0f); expect("fraction", i, got[4 * i + 3], 7 / 255.0f); }

    // three dimensions, wrapped; layers
    for (int k = 0; k < 2; k++) {
        cudaArray *v;
        CK(cudaMalloc3DArray(&v, &f, make_cudaExtent(W, H, D), k ? cudaArrayLayered : 0));
        cudaMemcpy3DParms m = {};
        m.srcPtr = make_cudaPitchedPtr(h.data(), W * 4, W, H);
        m.dstArray = v;
        m.extent = make_cudaExtent(W, H, D);
        m.kind = cudaMemcpyHostToDevice;
        CK(cudaMemcpy3D(&m));
        if (k) CK(cudaBindTextureToArray(layers, v)); else CK(cudaBindTextureToArray(volume, v));
        if (k) layered<<<1, W * H * D>>>(d); else volumes<<<1, W * H * D>>>(d);
        fetch(W * H * D);
        for (int i = 0; i < W * H * D; i++) expect(k ? "layers" : "volume", i, got[i], h[i]);
    }

    // pitched memory
    unsigned short *s, hs[W * H];
    size_t pitch;
    for (int i = 0; i < W * H; i++) hs[i] = (unsigned short)(i * 500);
    CK(cudaMallocPitch(&s, &pitch, W * 2, H));
    CK(cudaMemcpy2D(s, pitch, hs, W * 2, W * 2, H, cudaMemcpyHostToDevice));
    CK(cudaBindTexture2D(NULL, pitched, s, pitched.channelDesc, W, H, pitch));
    rows<<<1, W * H>>>((int *)d);
    std::vector<int> r(W * H);
    CK(cudaMemcpy(r.data(), d, W * H * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < W * H; i++) expect("pitched", i, r[i], hs[i]);

    // surfaces, bound twice
    std::vector<float> w(W * H);
    for (int k = 0; k < 2; k++) {
        cudaArray *sa;
        CK(cudaMallocArray(&sa, &f, W, H, cudaArraySurfaceLoadStore));
        if (k) CK(cudaBindSurfaceToArray(target, sa, f)); else CK(cudaBindSurfaceToArray(target, sa));
        store<<<1, W * H>>>();
        CK(cudaMemcpyFromArray(w.data(), sa, 0, 0, W * H * 4, cudaMemcpyDeviceToHost));
        for (int i = 0; i < W * H; i++) expect("surface", i, w[i], i * 1.5 + 1);
    }
    cudaArray *sv;
    CK(cudaMalloc3DArray(&sv, &f, make_cudaExtent(W, H, D), cudaArraySurfaceLoadStore));
    cudaMemcpy3DParms in = {}, out = {};
    in.srcPtr = make_cudaPitchedPtr(h.data(), W * 4, W, H); in.dstArray = sv; in.extent = make_cudaExtent(W, H, D); in.kind = cudaMemcpyHostToDevice;
    CK(cudaMemcpy3D(&in));
    const surfaceReference *of_box;
    CK(cudaGetSurfaceReference(&of_box, box));
    CK(cudaBindSurfaceToArray(of_box, sv, &f));
    boxes<<<1, W * H * D>>>();
    out.dstPtr = make_cudaPitchedPtr(got.data(), W * 4, W, H); out.srcArray = sv; out.extent = in.extent; out.kind = cudaMemcpyDeviceToHost;
    CK(cudaMemcpy3D(&out));
    for (int i = 0; i < W * H * D; i++) expect("3d surface", i, got[i], -h[i]);

    CK(cudaUnbindTexture(line));
    expect("not bound", 0, cudaGetTextureAlignmentOffset(&offset, line), cudaErrorInvalidTextureBinding);
    textureReference none = {};
    expect("no reference", 0, cudaBindTextureToArray(&none, a, &f), cudaErrorInvalidTexture);
    cudaGetLastError();
    if (argc > 1) {
        lines<<<1, 1>>>(d);
        puts(cudaGetErrorName(cudaDeviceSynchronize()));
        return 0;
    }
    puts(bad ? "FAILED" : "PASSED");
    return bad != 0;
}
