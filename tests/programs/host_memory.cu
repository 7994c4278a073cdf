// Host memory in kernels: registered memory at any byte of the heap, the stack and static memory, pinned memory, by the
// host's pointer and by cudaHostGetDevicePointer; loads, stores, atomics, asynchronous copies; lanes of one access in
// device and in host memory.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#define CK(call) do { cudaError_t e_ = (call); if (e_) { printf("%s, line %d\nFAILED\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)
static int bad;
static void expect(const char *what, long got, long want)
{
    if (got != want && bad++ < 20)
        printf("%s: %ld, not %ld\n", what, got, want);
}

__global__ void twice(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] *= 2; }
__global__ void sum(const char *p, int n, int *to) { for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(to, p[i]); }
__global__ void mixed(int *a, int *b, long long *counter)
{
    int *p = threadIdx.x & 1 ? a : b;
    if (!blockIdx.x) p[threadIdx.x] = 100 + threadIdx.x;
    atomicAdd((unsigned long long *)counter, threadIdx.x);
}
__global__ void vectors(const float4 *from, float4 *to) { float4 v = from[threadIdx.x]; v.w += v.x; to[threadIdx.x] = v; }
__global__ void staged(const int *from, int *to)
{
    __shared__ int s[64];
    __pipeline_memcpy_async(&s[threadIdx.x], &from[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    to[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void say(const char *text) { if (!threadIdx.x) printf("%s\n", text); }

static int fixed[1000];
static long long counter;

int main()
{
    // the heap, from an odd multiple of 4 on
    enum { N = 100000 };
    int *block = (int *)malloc((N + 10) * sizeof(int)), *h = block + 3, *d;
    for (int i = 0; i < N; i++) h[i] = i;
    CK(cudaHostRegister(h, N * sizeof(int), cudaHostRegisterMapped));
    CK(cudaHostGetDevicePointer(&d, h, 0));
    expect("device pointer", d - h, 0);
    twice<<<(N + 255) / 256, 256>>>(d, N);
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++) expect("heap", h[i], 2 * i);
    cudaPointerAttributes a;
    CK(cudaPointerGetAttributes(&a, h + 5));
    expect("type", a.type, cudaMemoryTypeHost);
    expect("device pointer of the attributes", (int *)a.devicePointer - h, 5);
    expect("host pointer of the attributes", (int *)a.hostPointer - h, 5);
    int *m;
    CK(cudaMalloc(&m, N * sizeof(int)));
    CK(cudaMemcpy(m, h, N * sizeof(int), cudaMemcpyDefault));
    twice<<<(N + 255) / 256, 256>>>(m, N);
    CK(cudaMemcpyAsync(h, m, N * sizeof(int), cudaMemcpyDefault, 0));
    CK(cudaStreamSynchronize(0));
    for (int i = 0; i < N; i++) expect("copied", h[i], 4 * i);
    CK(cudaMemset(h, 0, 40));
    expect("filled", h[9], 0);
    expect("not filled", h[10], 40);

    // bytes at an odd address, on the stack
    char text[301];
    for (int i = 0; i < 300; i++) text[i] = i % 100;
    text[300] = 0;
    CK(cudaHostRegister(text + 1, 299, 0));
    CK(cudaMemset(m, 0, 4));
    sum<<<1, 64>>>(text + 1, 299, m);
    int got;
    CK(cudaMemcpy(&got, m, 4, cudaMemcpyDeviceToHost));
    expect("bytes", got, 3 * 4950);

    // one access, half of its lanes in static memory, half on the device
    CK(cudaHostRegister(fixed, sizeof fixed, 0));
    CK(cudaHostRegister(&counter, sizeof counter, 0));
    mixed<<<4, 64>>>(fixed, m, &counter);
    int back[64];
    CK(cudaMemcpy(back, m, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) expect("mixed", i & 1 ? fixed[i] : back[i], 100 + i);
    expect("not touched", fixed[2], 0);
    expect("atomics", counter, 4 * 2016);

    // vectors, asynchronous copies, printf
    float4 *v = (float4 *)aligned_alloc(16, 64 * sizeof *v), *w = (float4 *)m;
    for (int i = 0; i < 64; i++) v[i] = make_float4(i, 0, 0, 1);
    CK(cudaHostRegister(v, 64 * sizeof *v, 0));
    vectors<<<1, 64>>>(v, w);
    vectors<<<1, 64>>>(w, v);
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++) expect("vectors", (long)v[i].w, 1 + 2 * i);
    for (int i = 0; i < 64; i++) h[i] = 7 * i;
    staged<<<1, 64>>>(h, m);
    CK(cudaMemcpy(back, m, sizeof back, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++) expect("staged", back[i], 7 * (63 - i));
    strcpy(text + 1, "printed from the host's memory");
    say<<<1, 1>>>(text + 1);
    CK(cudaDeviceSynchronize());

    unsigned flags;
    CK(cudaHostGetFlags(&flags, h));
    expect("flags", flags, cudaHostRegisterMapped);
    CK(cudaHostUnregister(h));
    CK(cudaHostUnregister(text + 1));
    CK(cudaHostUnregister(fixed));
    CK(cudaHostUnregister(v));
    CK(cudaHostUnregister(&counter));
    expect("again", cudaHostUnregister(h), cudaErrorHostMemoryNotRegistered);
    CK(cudaPointerGetAttributes(&a, h));
    expect("type", a.type, cudaMemoryTypeUnregistered);
    free(block);
    puts(bad ? "FAILED" : "PASSED");
    return bad != 0;
}
