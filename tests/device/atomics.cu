// Atomic functions of every type and scope, on global and shared memory: the old values are those of some order of the
// operations, the final value is the same as the host's.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;
enum { BLOCKS = 5, THREADS = 96, N = BLOCKS * THREADS };

// A final value that does not depend on the order: OP(name, type, initial value, argument of thread i, host's fold)
#define COMMUTING(X)                                                                                                   \
    X(Add, int, -5, i * 3 - 100, v + x) X(Add, u32, 7u, 0xffff0000u + i, v + x) X(Add, u64, 1ull << 40, i * 7ull, v + x) \
    X(Add, float, 1.0f, (float)i, v + x) X(Add, double, 0.5, i * 0.25, v + x)                                          \
    X(Sub, int, 9, i - 7, v - x) X(Sub, u32, 5u, 3u * i, v - x)                                                        \
    X(Min, int, 50, 100 - i, std::min(v, x)) X(Min, u32, 0xfffffff0u, 0x80000000u - i, std::min(v, x))                 \
    X(Min, s64, 5ll, -(s64)i << 33, std::min(v, x)) X(Min, u64, ~0ull, (u64)i + 9, std::min(v, x))                     \
    X(Max, int, -50, i - 100, std::max(v, x)) X(Max, u32, 3u, 0x80000000u + i, std::max(v, x))                         \
    X(Max, s64, -5ll, (s64)i << 33, std::max(v, x)) X(Max, u64, 0ull, ~0ull - i, std::max(v, x))                       \
    X(Inc, u32, 3u, 100u, v >= x ? 0 : v + 1) X(Dec, u32, 3u, 100u, v == 0 || v > x ? x : v - 1)                       \
    X(And, int, -1, ~(1 << i % 31), v & x) X(And, u32, ~0u, ~(2u << i % 9), v & x)                                     \
    X(And, s64, -1ll, ~(1ll << i % 60), v & x) X(And, u64, ~0ull, ~(1ull << i % 50), v & x)                            \
    X(Or, int, 0, 1 << i % 31, v | x) X(Or, u32, 1u, 2u << i % 9, v | x) X(Or, s64, 0ll, 1ll << i % 60, v | x)          \
    X(Or, u64, 4ull, 1ull << i % 50, v | x) X(Xor, int, 3, i * 77, v ^ x) X(Xor, u32, 3u, i * 0x1234567u, v ^ x)        \
    X(Xor, s64, 3ll, (s64)i << 35, v ^ x) X(Xor, u64, 3ull, (u64)i * i << 20, v ^ x)
#define EXCHANGED(X) X(int) X(u32) X(u64) X(float)
#define SCOPES(X) X() X(_block) X(_system)

__device__ u64 cell[512];
__device__ u64 seen[N];
__device__ int wrong;

template <class F, class T> __device__ void in_shared(F f, T initial, T want)
{
    __shared__ u64 word;
    T *p = (T *)&word;
    __syncthreads();
    if (threadIdx.x == 0)
        *p = initial;
    __syncthreads();
    f(p);
    __syncthreads();
    if (threadIdx.x == 0 && *p != want)
        atomicAdd(&wrong, 1);
}

__global__ void commuting()
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    int at = 0;
    if (blockIdx.x == 0) { // _block is atomic for one block only
#define X(name, T, initial, arg, fold) atomic##name##_block((T *)&cell[at++], (T)(arg));
        COMMUTING(X)
#undef X
    }
    at = 100;
#define X(name, T, initial, arg, fold) atomic##name((T *)&cell[at++], (T)(arg));
    COMMUTING(X)
#undef X
    at = 200;
#define X(name, T, initial, arg, fold) atomic##name##_system((T *)&cell[at++], (T)(arg));
    COMMUTING(X)
#undef X
}

__global__ void shared_memory()
{
#define X(name, T, initial, arg, fold)                                                                                 \
    {                                                                                                                  \
        T v = (T)(initial);                                                                                            \
        for (int i = 0; i < THREADS; i++) {                                                                            \
            T x = (T)(arg);                                                                                            \
            v = (T)(fold);                                                                                             \
        }                                                                                                              \
        in_shared([](T *p) { int i = threadIdx.x; atomic##name(p, (T)(arg)); }, (T)(initial), v);                      \
    }
    COMMUTING(X)
#undef X
}

// every value put in comes out once: as an old value, or at the end
template <class T> __global__ void exchange(int scope)
{
    const int i = blockIdx.x * THREADS + threadIdx.x;
    T *p = (T *)&cell[300], v = (T)(i + 1);
    seen[i] = (u64)(scope == 0 ? atomicExch(p, v) : scope == 1 ? atomicExch_block(p, v) : atomicExch_system(p, v));
}

template <class T> __global__ void compare_and_swap(int scope)
{
    T *p = (T *)&cell[301], old = *p, was;
    do {
        was = old;
        old = scope == 0 ? atomicCAS(p, was, (T)(was + 3)) : scope == 1 ? atomicCAS_block(p, was, (T)(was + 3))
                                                                         : atomicCAS_system(p, was, (T)(was + 3));
    } while (old != was);
}

__global__ void short_cas()
{
    unsigned short *p = (unsigned short *)&cell[302], old = *p, was;
    do {
        was = old;
        old = atomicCAS(p, was, (unsigned short)(was + 3));
    } while (old != was);
}

__global__ void counter(int *slots)
{
    int at = atomicAdd((int *)&cell[303], 1);
    slots[at] = blockIdx.x * THREADS + threadIdx.x;
}

static int failures;
#define CHECK(x) do { if (!(x)) { printf("FAILED line %d: %s\n", __LINE__, #x); failures++; } } while (0)

static void check_commuting()
{
    static u64 host[512];
    const int first[] = {0, 100, 200};
    for (int k : first) {
        int at = k;
#define X(name, T, initial, arg, fold) *(T *)&host[at++] = (T)(initial);
        COMMUTING(X)
#undef X
    }
    cudaMemcpyToSymbol(cell, host, sizeof host);
    commuting<<<BLOCKS, THREADS>>>();
    cudaMemcpyFromSymbol(host, cell, sizeof host);
    for (int k : first) {
        int at = k, n = k ? N : THREADS;
#define X(name, T, initial, arg, fold)                                                                                 \
        {                                                                                                              \
            T v = (T)(initial);                                                                                        \
            for (int i = 0; i < n; i++) {                                                                              \
                T x = (T)(arg);                                                                                        \
                v = (T)(fold);                                                                                         \
            }                                                                                                          \
            if (*(T *)&host[at] != v)                                                                                  \
                printf("FAILED atomic" #name " " #T " at %d: %llx\n", k, host[at]), failures++;                        \
            at++;                                                                                                      \
        }
        COMMUTING(X)
#undef X
    }
    shared_memory<<<2, THREADS>>>();
    int bad;
    cudaMemcpyFromSymbol(&bad, wrong, sizeof bad);
    CHECK(bad == 0);
}

template <class T> static void check_swaps()
{
    for (int scope = 0; scope < 3; scope++) {
        int blocks = scope == 1 ? 1 : BLOCKS, n = blocks * THREADS;
        T start = 0, end;
        u64 bits = 0, old[N];
        *(T *)&bits = start;
        cudaMemcpyToSymbol(cell, &bits, 8, 300 * 8);
        exchange<T><<<blocks, THREADS>>>(scope);
        cudaMemcpyFromSymbol(&end, cell, sizeof end, 300 * 8);
        cudaMemcpyFromSymbol(old, seen, sizeof old);
        std::vector<int> times(N + 1);
        times[(int)end]++;
        for (int i = 0; i < n; i++)
            times[old[i]]++;
        for (int i = 0; i <= n; i++)
            CHECK(times[i] == 1);
    }
}

template <class T> static void check_cas()
{
    for (int scope = 0; scope < 3; scope++) {
        int blocks = scope == 1 ? 1 : BLOCKS;
        T v = 5;
        cudaMemcpyToSymbol(cell, &v, sizeof v, 301 * 8);
        compare_and_swap<T><<<blocks, THREADS>>>(scope);
        cudaMemcpyFromSymbol(&v, cell, sizeof v, 301 * 8);
        CHECK(v == (T)(5 + 3 * blocks * THREADS));
    }
}

int main()
{
    check_commuting();
    check_swaps<int>();
    check_swaps<u32>();
    check_swaps<u64>();
    check_swaps<float>();
    check_cas<int>();
    check_cas<u32>();
    check_cas<u64>();
    short_cas<<<BLOCKS, THREADS>>>();
    unsigned short s;
    cudaMemcpyFromSymbol(&s, cell, 2, 302 * 8);
    CHECK(s == 3 * N);

    int *slots, host[N];
    cudaMalloc(&slots, sizeof host);
    counter<<<BLOCKS, THREADS>>>(slots);
    cudaMemcpy(host, slots, sizeof host, cudaMemcpyDeviceToHost);
    std::sort(host, host + N);
    for (int i = 0; i < N; i++)
        CHECK(host[i] == i);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    printf(failures ? "FAILED\n" : "PASSED\n");
    return failures != 0;
}
