// Functions that call themselves, against the same functions on the host: fib, Ackermann, quicksort with local arrays, a
// walk through a tree, mutual recursion, recursion through pointers and virtual functions, structs by value, lanes of
// different depths, barriers and shuffles after it; two calls in a row, a call in a loop, and the stack's limit.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CK(call) do { cudaError_t e_ = (call); if (e_) { printf("%s, line %d\nFAILED\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)
#define BOTH __host__ __device__ __noinline__
static int bad;
static void expect(const char *what, int i, long got, long want)
{
    if (got != want && bad++ < 20)
        printf("%s %d: %ld, not %ld\n", what, i, got, want);
}

BOTH int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
BOTH int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }

BOTH void quicksort(int *a, int low, int high)
{
    if (low >= high)
        return;
    int pivot = a[(low + high) / 2], i = low, j = high;
    while (i <= j) {
        while (a[i] < pivot) i++;
        while (a[j] > pivot) j--;
        if (i <= j) { int t = a[i]; a[i] = a[j]; a[j] = t; i++; j--; }
    }
    quicksort(a, low, j);
    quicksort(a, i, high);
}

struct node { int value, left, right; };
BOTH int walk(const node *t, int at, int depth) { return at < 0 ? 0 : t[at].value * depth + walk(t, t[at].left, depth + 1) + walk(t, t[at].right, depth + 1); }

BOTH bool odd(int n);
BOTH bool even(int n) { return n == 0 ? true : !odd(n - 1) == false ? odd(n - 1) : false; }
BOTH bool odd(int n) { return n == 0 ? false : even(n - 1); }

struct pair { double a; int b; };
BOTH pair collect(pair p, int n) // structs by value, in and out
{
    if (n == 0) return p;
    pair q = collect({p.a + n, p.b * 2 % 1000003}, n - 1);
    return {q.a - p.b, q.b + n};
}

BOTH long digits(int n) // a local array in each call
{
    char own[12];
    for (int i = 0; i < 12; i++) own[i] = (char)(n * 7 + i);
    long below = n > 0 ? digits(n - 1) : 1;
    long sum = 0;
    for (int i = 0; i < 12; i++) sum = sum * 3 + own[(i + below) % 12 < 0 ? 0 : (i + below) % 12];
    return (below * 31 + sum) % 1000003;
}

typedef int (*step)(int, int);
__device__ int down(int which, int n);
__device__ int other(int which, int n) { return n <= 0 ? 100 : 1 + down(which ^ 1, n - 2); }
__device__ step steps[2] = {down, other};
__device__ int down(int which, int n) { return n <= 0 ? which : 2 + steps[which](which, n - 1); }
static int host_down(int which, int n);
static int host_other(int which, int n) { return n <= 0 ? 100 : 1 + host_down(which ^ 1, n - 2); }
static int host_down(int which, int n) { return n <= 0 ? which : 2 + (which ? host_other : host_down)(which, n - 1); }

struct shape { virtual __device__ float area(int depth) const = 0; };
struct square : shape { float side; __device__ square(float s) : side(s) {} __device__ float area(int) const override { return side * side; } };
struct group : shape {
    const shape *a, *b;
    __device__ group(const shape *x, const shape *y) : a(x), b(y) {}
    __device__ float area(int depth) const override { return depth + a->area(depth + 1) + b->area(depth + 1); }
};

__device__ int product(int n) { return n < 2 ? 1 : n * product(n - 1) % 9973; }
__device__ __noinline__ int twice(int n) { return product(n) + product(n + 1); }

__global__ void fibs(int *out) { out[threadIdx.x] = fib(threadIdx.x % 22); }
__global__ void ackermanns(int *out) { out[threadIdx.x] = ackermann(threadIdx.x % 3, threadIdx.x % 5); }
__global__ void sorts(int *data, int n) { quicksort(data + threadIdx.x * n, 0, n - 1); }
__global__ void walks(const node *t, int *out) { out[threadIdx.x] = walk(t, threadIdx.x, 1); }
__global__ void parity(int *out) { out[threadIdx.x] = even(threadIdx.x % 11) + 2 * odd(threadIdx.x % 7); }
__global__ void collects(pair *out) { out[threadIdx.x] = collect({threadIdx.x * 0.5, (int)threadIdx.x}, threadIdx.x % 6); }
__global__ void digit(long *out) { out[threadIdx.x] = digits(threadIdx.x % 9); }
__global__ void pointers(int *out) { int i = threadIdx.x; out[i] = steps[i & 1](i & 1, i % 10); }
__global__ void areas(float *out)
{
    square s(threadIdx.x), t(2);
    group a(&s, &t), b(&a, &a), c(&b, &s);
    const shape *p = threadIdx.x % 3 == 0 ? (const shape *)&c : threadIdx.x % 3 == 1 ? (const shape *)&b : &s;
    out[threadIdx.x] = p->area(1);
}
__global__ void mixed(int *out) // several calls, in a loop, in a branch, then all lanes together
{
    __shared__ int sum;
    int i = threadIdx.x, v = twice(i % 6);
    if (i == 0) sum = 0;
    __syncthreads();
    for (int k = 0; k < i % 4; k++) v += fib(k + i % 3);
    if (i & 1) v += product(i % 8); else v -= fib(i % 8);
    v += __shfl_down_sync(~0u, v, 1);
    atomicAdd(&sum, 1);
    __syncthreads();
    out[i] = v + sum + __popc(__ballot_sync(~0u, i < 40));
}
__device__ int deep(volatile int *p, int n) { if (n == 0) return p[0]; int r = deep(p, n - 1); p[1] = r; return r + p[2]; }
__global__ void dive(int *p, int n) { p[8] = deep(p, n); }

static int host_product(int n) { return n < 2 ? 1 : n * host_product(n - 1) % 9973; }

int main()
{
    enum { T = 64, N = 50 };
    int *d, h[T];
    CK(cudaMalloc(&d, 1 << 20));
#define RUN(kernel, type, want) { type r[T]; kernel; CK(cudaMemcpy(r, d, sizeof r, cudaMemcpyDeviceToHost)); for (int i = 0; i < T; i++) expect(#kernel, i, r[i], want); }
    RUN((fibs<<<1, T>>>(d)), int, fib(i % 22))
    RUN((ackermanns<<<1, T>>>(d)), int, ackermann(i % 3, i % 5))
    RUN((parity<<<1, T>>>(d)), int, even(i % 11) + 2 * odd(i % 7))
    RUN((digit<<<1, T>>>((long *)d)), long, digits(i % 9))
    RUN((pointers<<<1, T>>>(d)), int, (i & 1 ? host_other : host_down)(i & 1, i % 10))

    int *sorted = (int *)malloc(T * N * sizeof(int));
    unsigned seed = 1;
    for (int i = 0; i < T * N; i++) sorted[i] = (seed = seed * 1664525u + 1013904223u) >> 20;
    CK(cudaMemcpy(d, sorted, T * N * sizeof(int), cudaMemcpyHostToDevice));
    sorts<<<1, T>>>(d, N);
    for (int t = 0; t < T; t++) quicksort(sorted + t * N, 0, N - 1);
    int *back = (int *)malloc(T * N * sizeof(int));
    CK(cudaMemcpy(back, d, T * N * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < T * N; i++) expect("sorted", i, back[i], sorted[i]);

    node tree[T], *dt = (node *)(d + 1000);
    for (int i = 0; i < T; i++) tree[i] = {i * i % 17, 2 * i + 1 < T ? 2 * i + 1 : -1, 3 * i + 2 < T ? 3 * i + 2 : -1};
    CK(cudaMemcpy(dt, tree, sizeof tree, cudaMemcpyHostToDevice));
    RUN((walks<<<1, T>>>(dt, d)), int, walk(tree, i, 1))

    pair p[T];
    collects<<<1, T>>>((pair *)d);
    CK(cudaMemcpy(p, d, sizeof p, cudaMemcpyDeviceToHost));
    for (int i = 0; i < T; i++) { pair w = collect({i * 0.5, i}, i % 6); expect("struct, double", i, (long)(p[i].a * 2), (long)(w.a * 2)); expect("struct, int", i, p[i].b, w.b); }

    float f[T];
    areas<<<1, T>>>((float *)d);
    CK(cudaMemcpy(f, d, sizeof f, cudaMemcpyDeviceToHost));
    for (int i = 0; i < T; i++) { // a = k + s + t in depth k, twice in b
        long s = i * i, b1 = 1 + 2 * (2 + s + 4), c = 1 + (2 + 2 * (3 + s + 4)) + s;
        expect("virtual", i, (long)f[i], i % 3 == 0 ? c : i % 3 == 1 ? b1 : s);
    }

    int v[T];
    for (int i = 0; i < T; i++) {
        v[i] = host_product(i % 6) + host_product(i % 6 + 1);
        for (int k = 0; k < i % 4; k++) v[i] += fib(k + i % 3);
        v[i] += i & 1 ? host_product(i % 8) : -fib(i % 8);
    }
    RUN((mixed<<<1, T>>>(d)), int, v[i] + v[i % 32 == 31 ? i : i + 1] + T + (i < 32 ? 32 : 8))

    // the limit: 1 KiB is not enough for 200 calls, 64 KiB is
    size_t limit;
    CK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    expect("limit", 0, limit, 1024);
    CK(cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10));
    CK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    expect("limit", 1, limit, 64 << 10);
    h[0] = 5; h[2] = 3;
    CK(cudaMemcpy(d, h, 12, cudaMemcpyHostToDevice));
    dive<<<1, 32>>>(d, 1000);
    CK(cudaMemcpy(h, d + 8, 4, cudaMemcpyDeviceToHost));
    expect("deep", 0, h[0], 3005);
    puts(bad ? "FAILED" : "PASSED");
    return bad != 0;
}
