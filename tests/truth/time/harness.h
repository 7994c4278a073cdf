/* What the programs of this folder share: checks of calls, the clocks of a GPU, and the choice of multiprocessors.
 * Every program prints rows of words and numbers with tabs between them; a row's first word says which kind it is. */
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#define CK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
    fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); exit(2); } } while (0)

__device__ __forceinline__ unsigned smid() { unsigned s; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); return s; }
__device__ __forceinline__ unsigned long long nanoseconds() {
    unsigned long long t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t) :: "memory"); return t;
}

/* Warps of the block that measures begin together; span[0] and span[1] get the earliest begin and the latest end. */
struct span { long long begin, end; };
__device__ __forceinline__ void span_add(struct span *s, long long begin, long long end) {
    if ((threadIdx.x & 31) == 0) { atomicMin(&s->begin, begin); atomicMax(&s->end, end); }
}

static inline double median(std::vector<double> v) { std::sort(v.begin(), v.end()); return v.empty() ? 0 : v[v.size() / 2]; }
static inline double least(const std::vector<double> &v) { return *std::min_element(v.begin(), v.end()); }

template <class T> static T *device_array(size_t n, int byte = 0) {
    T *p; CK(cudaMalloc(&p, n * sizeof(T))); CK(cudaMemset(p, byte, n * sizeof(T))); return p;
}

static inline void head(const char *program) {
    cudaDeviceProp p; int driver, runtime;
    CK(cudaGetDeviceProperties(&p, 0)); CK(cudaDriverGetVersion(&driver)); CK(cudaRuntimeGetVersion(&runtime));
    printf("# %s: %s, %d multiprocessors, CUDA driver %d, runtime %d\n", program, p.name, p.multiProcessorCount, driver, runtime);
}
