// Textures over linear memory that is larger than its allocation, or not there: an H200 makes an object of any aligned address
// (driver 13000, 2026-11-23), and only a fetch that finds no memory is an error.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

int failed;

static cudaTextureObject_t make(const char *name, void *p, size_t bytes, cudaError_t h200)
{
    cudaTextureObject_t t = 0;
    cudaResourceDesc r;
    cudaTextureDesc d;
    memset(&r, 0, sizeof r);
    memset(&d, 0, sizeof d);
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = p;
    r.res.linear.sizeInBytes = bytes;
    r.res.linear.desc = cudaCreateChannelDesc<float2>();
    d.filterMode = cudaFilterModePoint;
    d.readMode = cudaReadModeElementType;
    cudaError_t e = cudaCreateTextureObject(&t, &r, &d, NULL);
    cudaGetLastError();
    printf("%s: %s%s\n", name, cudaGetErrorName(e), e == h200 ? "" : ", unlike the H200");
    failed += e != h200;
    return t;
}

__global__ void fetch(cudaTextureObject_t t, int at, float2 *out)
{
    *out = tex1Dfetch<float2>(t, at);
}

static void expect(const char *name, cudaTextureObject_t t, int at, float2 *out, cudaError_t error, float value)
{
    *out = make_float2(-1, -1);
    fetch<<<1, 1>>>(t, at, out);
    cudaError_t e = cudaDeviceSynchronize();
    bool good = e == error && (e || out->y == value);
    printf("%s: %s%s\n", name, cudaGetErrorName(e), good ? "" : ", not so");
    failed += !good;
}

int main()
{
    const size_t mib = 1 << 20;
    float2 *p, *q, *out;
    cudaMalloc((void **)&p, mib);
    cudaMalloc((void **)&q, 16 * mib);
    cudaMallocManaged((void **)&out, sizeof *out);
    float2 last = make_float2(3, 4);
    cudaMemcpy(p + mib / sizeof *p - 1, &last, sizeof last, cudaMemcpyHostToDevice);
    make("all", p, mib, cudaSuccess);
    make("256 bytes more", p, mib + 256, cudaSuccess);
    make("8 bytes more", p, mib + 8, cudaSuccess);
    make("up to 2 MiB", p, 2 * mib, cudaSuccess);
    make("4 MiB", p, 4 * mib, cudaSuccess);
    make("128 MiB", p, 128 * mib, cudaSuccess);
    cudaTextureObject_t large = make("1 GiB", p, 1024 * mib, cudaSuccess);
    make("16 MiB, 256 bytes more", q, 16 * mib + 256, cudaSuccess);
    make("16 MiB from its middle", q + mib, 16 * mib, cudaSuccess);
    make("NULL", NULL, 4096, cudaErrorInvalidValue);
    cudaTextureObject_t nothing = make("nothing there", (void *)0x100000000000, 4096, cudaSuccess);
    cudaTextureObject_t none = make("0 bytes", p, 0, cudaSuccess);
    make("not aligned", p + 1, 4096, cudaErrorInvalidValue);
    expect("the last texel that there is", large, mib / sizeof *p - 1, out, cudaSuccess, 4);
    expect("outside of the texture", large, -1, out, cudaSuccess, 0);
    expect("of no texels", none, 0, out, cudaSuccess, 0);
    expect("outside of what is nowhere", nothing, 4096, out, cudaSuccess, 0);
    expect("far outside of the allocation", large, 1000 * mib / sizeof *p, out, cudaErrorIllegalAddress, 0);
    puts(failed ? "FAILED" : "PASSED");
    return failed != 0;
}
