// Shuffles, votes and matches of every type, with widths and partial masks, and the old forms without _sync.
#include <cstdio>
#include <cstring>

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

typedef unsigned int u32;
typedef unsigned long long u64;

#define TYPES(X) X(int) X(u32) X(long) X(unsigned long) X(long long) X(u64) X(float) X(double)

template <class T> __host__ __device__ T value(int i) { return (T)(i * i * 1234567 + 3) * (sizeof(T) == 8 ? (T)65537 : (T)1); }

// What lane `lane` reads: CUDA C++ programming guide, "Warp Shuffle Functions".
__host__ __device__ int source(int kind, int lane, int n, int width)
{
    int first = lane / width * width, at;
    switch (kind) {
    case 0: return first + (n & (width - 1));
    case 1: at = lane - n; return at < first ? lane : at;
    case 2: at = lane + n; return at >= first + width ? lane : at;
    default: at = lane ^ n; return at >= first + width ? lane : at;
    }
}

template <class T> __device__ T shuffle(int kind, T v, int n, int width)
{
    switch (kind) {
    case 0: return __shfl_sync(~0u, v, n, width);
    case 1: return __shfl_up_sync(~0u, v, n, width);
    case 2: return __shfl_down_sync(~0u, v, n, width);
    case 3: return __shfl_xor_sync(~0u, v, n, width);
    case 4: return __shfl(v, n, width);
    case 5: return __shfl_up(v, n, width);
    case 6: return __shfl_down(v, n, width);
    default: return __shfl_xor(v, n, width);
    }
}

__device__ int wrong;
__device__ void check(bool ok, int line)
{
    if (!ok && atomicAdd(&wrong, 1) < 10)
        printf("FAILED line %d, lane %d\n", line, threadIdx.x);
}
#define CHECK(x) check(x, __LINE__)

template <class T> __global__ void shuffles()
{
    const int lane = threadIdx.x;
    for (int kind = 0; kind < 8; kind++)
        for (int width = 2; width <= 32; width *= 2)
            for (int n = 0; n < 32; n++)
                CHECK(shuffle<T>(kind, value<T>(lane), n, width) == value<T>(source(kind % 4, lane, n, width)));
    if (lane % 3 == 1) { // a part of the warp, named by the mask
        u32 mask = 0x92492492;
        CHECK(__shfl_sync(mask, value<T>(lane), 4) == value<T>(4));
        CHECK(__activemask() == mask);
        CHECK(__shfl(value<T>(lane), 7) == value<T>(7));
    }
}

__global__ void votes()
{
    const u32 lane = threadIdx.x;
    const u32 patterns[] = {0u, 1u, 0x80000000u, 0x12345678u, ~0u};
    for (u32 pattern : patterns) {
        int p = pattern >> lane & 1 ? 5 : 0;
        CHECK(__ballot_sync(~0u, p) == pattern);
        CHECK(__any_sync(~0u, p) == (pattern != 0));
        CHECK(__all_sync(~0u, p) == (pattern == ~0u));
        CHECK(__ballot(p) == pattern && __any(p) == (pattern != 0) && __all(p) == (pattern == ~0u));
        CHECK(__syncthreads_count(p) == __popc(pattern));
        CHECK((__syncthreads_and(p) != 0) == (pattern == ~0u));
        CHECK((__syncthreads_or(p) != 0) == (pattern != 0));
        if (lane & 1) {
            CHECK(__ballot_sync(0xaaaaaaaa, p) == (pattern & 0xaaaaaaaa));
            CHECK(__all_sync(0xaaaaaaaa, p) == ((pattern & 0xaaaaaaaa) == 0xaaaaaaaa));
            CHECK(__ballot(p) == (pattern & 0xaaaaaaaa));
        }
        __syncwarp();
    }
    u32 sum = 0, low = ~0u, all = ~0u;
    for (u32 i = 0; i < 32; i++)
        sum += i * 7 + 1, low = min(low, i * 7 + 1), all &= i | 64;
    CHECK(__reduce_add_sync(~0u, lane * 7 + 1) == sum && __reduce_min_sync(~0u, lane * 7 + 1) == low);
    CHECK(__reduce_max_sync(~0u, -(int)lane) == 0 && __reduce_and_sync(~0u, lane | 64) == all);
    CHECK(__reduce_or_sync(~0u, lane) == 31 && __reduce_xor_sync(~0u, lane) == 0);
}

template <class T> __global__ void matches()
{
    const int lane = threadIdx.x;
    int pred;
    for (int m = 1; m < 33; m += 3) {
        u32 same = 0;
        for (int i = 0; i < 32; i++)
            same |= (u32)(i % m == lane % m) << i;
        CHECK(__match_any_sync(~0u, value<T>(lane % m)) == same);
        CHECK(__match_all_sync(~0u, value<T>(lane % m), &pred) == (m == 1 ? ~0u : 0) && pred == (m == 1));
    }
    if (lane < 7) {
        CHECK(__match_any_sync(0x7f, value<T>(lane & 1)) == (lane & 1 ? 0x2au : 0x55u));
        CHECK(__match_all_sync(0x7f, value<T>(3), &pred) == 0x7f && pred);
    }
}

int main()
{
    int bad;
#define X(T) shuffles<T><<<1, 32>>>(); matches<T><<<1, 32>>>();
    TYPES(X)
    votes<<<1, 32>>>();
    cudaError_t e = cudaMemcpyFromSymbol(&bad, wrong, sizeof bad);
    printf(e ? "FAILED: %s\n" : bad ? "FAILED\n" : "PASSED\n", cudaGetErrorString(e));
    return e || bad;
}
