// Managed variables: host code and kernels see the same bytes at the same address; initialisers, arrays, structs, static
// ones, pointers between them, and the calls that take symbols.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CK(call) do { cudaError_t e_ = (call); if (e_) { printf("%s, line %d\nFAILED\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)
static int bad;
static void expect(const char *what, long got, long want)
{
    if (got != want && bad++ < 20)
        printf("%s: %ld, not %ld\n", what, got, want);
}

struct body { int n; float at[3]; const char *name; };
__device__ __managed__ int ret[1000];
__managed__ int seven = 7;
__managed__ __device__ body sun = {3, {1.5f, 2.5f, -3.5f}, nullptr};
static __managed__ double table[4] = {0.5, 0.25};
static __managed__ int only_read = 11;   // the host writes it, kernels only read
static __managed__ int only_device = 5;  // no host code names it
__managed__ int *pointer = &seven, *inside = &ret[10];
__managed__ unsigned long long counter;
namespace deep { namespace { __managed__ short little = -2; } }
__device__ int plain = 100;
__managed__ int *to_plain;
constexpr int N = 5;
__managed__ volatile int flag;

__global__ void add(int a, int b) { ret[threadIdx.x] = a + b + threadIdx.x; }
__global__ void look(int *out)
{
    out[0] = seven; out[1] = sun.n + (int)(sun.at[2] * 2); out[2] = (int)(table[1] * 100); out[3] = only_read;
    out[4] = only_device++; out[5] = *pointer; out[6] = deep::little; out[7] = inside - ret; out[8] = *to_plain;
    out[9] = (int *)&seven == pointer;
    seven = 70; sun.at[0] += 1; table[3] = 9; deep::little = 42; *inside = -1;
}
__global__ void count() { atomicAdd(&counter, 1ull); }
__global__ void through(int *p, body *b) { *p += 1; b->n = 99; }

static const int before_main = seven + (int)(sun.at[1] * 2); // 12: no CUDA call was made yet

int main()
{
    expect("before main", before_main, 12);
    expect("initialiser", sun.at[2] * 2, -7);
    expect("static", table[0] * 10, 5);
    expect("pointer", pointer - &seven, 0);
    expect("pointer into", inside - ret, 10);
    add<<<1, 1000>>>(10, 100);
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < 1000; i++) expect("array", ret[i], 110 + i);

    only_read = 12;
    seven = 8;
    CK(cudaGetSymbolAddress((void **)&to_plain, plain));
    int *out, h[10];
    CK(cudaMalloc(&out, sizeof h));
    look<<<1, 1>>>(out);
    CK(cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost));
    const int want[10] = {8, -4, 25, 12, 5, 8, -2, 10, 100, 1};
    for (int i = 0; i < 10; i++) expect("kernel", h[i], want[i]);
    expect("host", seven, 70);
    expect("host, struct", sun.at[0] * 2, 5);
    expect("host, static", table[3], 9);
    expect("host, unnamed namespace", deep::little, 42);
    expect("host, through a pointer", ret[10], -1);
    look<<<1, 1>>>(out);
    CK(cudaMemcpy(&h[4], out + 4, 4, cudaMemcpyDeviceToHost));
    expect("only the device's", h[4], 6);

    count<<<100, 100>>>();
    CK(cudaDeviceSynchronize());
    expect("atomics", counter, 10000);
    through<<<1, 1>>>(&seven, &sun); // by address, as any managed memory
    CK(cudaDeviceSynchronize());
    expect("by address", seven, 71);
    expect("by address, struct", sun.n, 99);

    // symbols
    int *address, five[5] = {1, 2, 3, 4, 5}, back[5] = {0};
    size_t bytes;
    CK(cudaGetSymbolAddress((void **)&address, ret));
    expect("symbol's address", address - ret, 0);
    CK(cudaGetSymbolSize(&bytes, sun));
    expect("symbol's size", bytes, sizeof sun);
    CK(cudaMemcpyToSymbol(ret, five, sizeof five, 4 * sizeof(int)));
    expect("to symbol", ret[8], 5);
    CK(cudaMemcpyFromSymbol(back, ret, sizeof back, 4 * sizeof(int)));
    expect("from symbol", back[4], 5);
    expect("past the end", cudaMemcpyToSymbol(ret, five, sizeof five, 997 * sizeof(int)), cudaErrorInvalidValue);
    CK(cudaMemcpy(out, ret, 40, cudaMemcpyDefault));
    CK(cudaMemcpy(h, out, 40, cudaMemcpyDeviceToHost));
    expect("copied", h[4], 1);
    CK(cudaMemset(ret, 0, sizeof ret));
    expect("filled", ret[8], 0);
    CK(cudaMemPrefetchAsync(ret, sizeof ret, 0));
    cudaPointerAttributes a;
    CK(cudaPointerGetAttributes(&a, &sun.at));
    expect("type", a.type, cudaMemoryTypeManaged);
    expect("device", a.device, 0);
    expect("device pointer", (char *)a.devicePointer - (char *)&sun, 4);
    expect("free", cudaFree(&seven), cudaErrorInvalidValue);
    expect("unregister", cudaHostUnregister(&seven), cudaErrorHostMemoryNotRegistered);
    cudaGetLastError();

    flag = 1;
    CK(cudaDeviceReset()); // first values again
    expect("after a reset", seven, 7);
    add<<<1, 10>>>(1, 1);
    CK(cudaDeviceSynchronize());
    expect("after a reset, kernel", ret[9], 11);
    puts(bad ? "FAILED" : "PASSED");
    return bad != 0;
}
