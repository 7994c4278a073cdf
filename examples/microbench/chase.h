// The kernels of measure.cu, and one step of it: a launch whose cost tells of one memory.
//
// A chase is a chain of loads, each of which has the place of the next one: nothing can be done ahead, so clock64() around it is
// the latency of a load, and a footprint that no longer fits into a cache shows by more cycles, or by more misses where they
// are counted. One thread, unless banks or lanes are the question.
#pragma once
#include <string>

#include "../example.h"

enum Way { L1, L2, TEXTURE, CONSTANT, SHARED };

const unsigned CONSTANT_WORDS = 16384, SHARED_WORDS = 2048;
__constant__ unsigned constants[CONSTANT_WORDS];

template <Way WAY>
__device__ unsigned load(const unsigned *words, const unsigned *shared, cudaTextureObject_t texture, unsigned at)
{
    if (WAY == L1)
        return __ldca(words + at); // through L1 wherever there is one
    if (WAY == L2)
        return __ldcg(words + at); // past it
    if (WAY == TEXTURE)
        return tex1Dfetch<unsigned>(texture, (int)at);
    return WAY == CONSTANT ? constants[at] : shared[at];
}

// Each lane follows its own chain from words[first]; `warm` loads before the clock is read, `loads` after.
template <Way WAY>
__global__ void chase(const unsigned *words, cudaTextureObject_t texture, const unsigned *first, unsigned warm, unsigned loads,
                      long long *cycles, unsigned *end)
{
    extern __shared__ unsigned shared[];
    if (WAY == SHARED) {
        for (unsigned i = threadIdx.x; i < SHARED_WORDS; i += blockDim.x)
            shared[i] = words[i];
        __syncthreads();
    }
    unsigned at = first[threadIdx.x];
#pragma unroll 1
    for (unsigned i = 0; i < warm; i++)
        at = load<WAY>(words, shared, texture, at);
    long long start = clock64();
#pragma unroll 1
    for (unsigned i = 0; i < loads; i++)
        at = load<WAY>(words, shared, texture, at);
    long long stop = clock64();
    end[threadIdx.x] = at;
    if (threadIdx.x == 0)
        *cycles = stop - start;
}

// A warp's load with a stride: what a request becomes.
__global__ void coalesce(const unsigned *words, unsigned stride, unsigned *out)
{
    out[threadIdx.x] = words[threadIdx.x * stride];
}

// A load, then a store `distance` words behind it: does L1 know the line?
__global__ void line_of(unsigned *words, unsigned distance)
{
    words[distance] = __ldca(words) + 1;
}

template <typename T> __global__ void copy(const T *in, T *out)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

// --- one step ---

struct Lab {
    unsigned *words, *first, *end; // on the device
    size_t room;                   // bytes of words
    long long *cycles;
    cudaTextureObject_t texture; // over the first bytes of words
    std::vector<unsigned> host;
    bool timed; // clock64() tells memories apart
};

const size_t TEXTURE_BYTES = 1 << 20;

inline Lab open_lab(size_t room)
{
    Lab lab = {};
    lab.room = room;
    lab.host.resize(room / 4);
    CHECK(cudaMalloc(&lab.words, room));
    CHECK(cudaMemset(lab.words, 0, room));
    CHECK(cudaMalloc(&lab.first, 32 * 4));
    CHECK(cudaMalloc(&lab.end, 32 * 4));
    CHECK(cudaMalloc(&lab.cycles, sizeof(long long)));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = lab.words;
    resource.res.linear.desc = cudaCreateChannelDesc<unsigned>();
    resource.res.linear.sizeInBytes = TEXTURE_BYTES;
    cudaTextureDesc description = {};
    CHECK(cudaCreateTextureObject(&lab.texture, &resource, &description, NULL));
    return lab;
}

inline void close_lab(Lab &lab)
{
    CHECK(cudaDestroyTextureObject(lab.texture));
    CHECK(cudaFree(lab.words));
    CHECK(cudaFree(lab.first));
    CHECK(cudaFree(lab.end));
    CHECK(cudaFree(lab.cycles));
}

inline size_t common(size_t a, size_t b)
{
    return b ? common(b, a % b) : a;
}

// A line for whoever counts: the n-th of these lines is the n-th launch. Cycles a load, or '-' without a clock that means anything.
inline void tell(const Lab &lab, const char *what, size_t bytes, size_t stride, unsigned loads, double cycles)
{
    printf("step %s %zu %zu %u ", what, bytes, stride, loads);
    if (lab.timed)
        printf("%.2f\n", cycles);
    else
        puts("-");
}

// Before the clock is read the chain is left as the copy of it did, or is in L2 at least (where there are times; elsewhere
// launches begin with empty caches), or was gone around once.
enum State { COPIED, IN_L2, WARM };

// A chain through `bytes` of memory, a word every `stride` bytes; far: jumping about, so that neighbours do not follow each
// other.
template <Way WAY> double step(Lab &lab, const char *what, size_t bytes, size_t stride, State state, bool far = false)
{
    const unsigned least = 4096, most = 32768; // loads that are measured, of a chain that is gone around again
    size_t n = bytes / stride, jump = far ? n * 382 / 1000 + 1 : 1;
    while (common(jump, n) != 1)
        jump++;
    for (size_t i = 0; i < n; i++)
        lab.host[i * stride / 4] = (unsigned)((i + jump) % n * stride / 4);
    void *words = lab.words;
    if (WAY == CONSTANT)
        CHECK(cudaGetSymbolAddress(&words, constants));
    CHECK(cudaMemcpy(words, lab.host.data(), bytes, cudaMemcpyHostToDevice));
    unsigned before = state == WARM ? (unsigned)n : 0, loads = n < most ? (unsigned)n : most;
    if (state == WARM && loads < least)
        loads = least;
    CHECK(cudaMemset(lab.first, 0, 32 * 4));
    if (state == IN_L2 && lab.timed)
        chase<L2><<<1, 1>>>((unsigned *)words, lab.texture, lab.first, 0, (unsigned)n, lab.cycles, lab.end);
    chase<WAY><<<1, 1, WAY == SHARED ? SHARED_WORDS * 4 : 0>>>(lab.words, lab.texture, lab.first, before, loads, lab.cycles, lab.end);
    CHECK(cudaGetLastError());
    double cycles = (double)to_host(lab.cycles, 1)[0] / loads;
    if (to_host(lab.end, 1)[0] != (before + loads) % n * jump % n * stride / 4)
        expect(false, "a chain ends where it should");
    tell(lab, what, bytes, stride, loads, cycles);
    return cycles;
}

// All 32 lanes read their own word again and again: lane i has word where(i).
template <Way WAY, typename F> double lanes(Lab &lab, const char *what, size_t number, F where)
{
    const unsigned loads = 64;
    std::vector<unsigned> first(32);
    std::fill(lab.host.begin(), lab.host.begin() + SHARED_WORDS, 0);
    for (unsigned i = 0; i < 32; i++)
        first[i] = lab.host[where(i)] = where(i);
    if (WAY == CONSTANT)
        CHECK(cudaMemcpyToSymbol(constants, lab.host.data(), SHARED_WORDS * 4));
    else
        CHECK(cudaMemcpy(lab.words, lab.host.data(), SHARED_WORDS * 4, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(lab.first, first.data(), 32 * 4, cudaMemcpyHostToDevice));
    chase<WAY><<<1, 32, WAY == SHARED ? SHARED_WORDS * 4 : 0>>>(lab.words, lab.texture, lab.first, loads, loads, lab.cycles,
                                                               lab.end);
    CHECK(cudaGetLastError());
    double cycles = (double)to_host(lab.cycles, 1)[0] / loads;
    if (to_host(lab.end, 32) != first)
        expect(false, "each lane ends at its own word");
    tell(lab, what, number, 0, 2 * loads, cycles);
    return cycles;
}
