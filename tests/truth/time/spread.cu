// How long loads from DRAM take, one by one: quantiles. A warp asks for N lines of 128 bytes (or lane 0 for one word) at random in 2 GiB and
// waits for all of them; then it may store to S lines.
// usage: spread. Rows: DRAM, or L2 where it has the lines; warps of each multiprocessor, multiprocessors, lanes, lines at once, lines stored, mean, then the quantiles in cycles:
//   least 5 % 10 % 25 % 50 % 75 % 90 % 95 % 99 % most
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

enum { TURNS = 200, FIRST = 20, MANY = 1 << 24 };
typedef unsigned long long U64;

__device__ static U64 next(U64 &state)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return state >> 33;
}

template <int N, int S> __global__ void ask(unsigned *p, unsigned *to, size_t lines, int lanes, unsigned short *out, unsigned *sink)
{
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    U64 state = warp * 7919ull + 12345;
    unsigned sum = 0;
    for (int t = 0; t < TURNS; t++) {
        size_t at[N], stored[S + 1];
        for (int i = 0; i < N; i++)
            at[i] = next(state) % lines * 32 + lane;
        for (int i = 0; i < S; i++)
            stored[i] = next(state) % lines * 32 + lane;
        unsigned v[N];
        __syncwarp();
        const long long begin = clock64();
        if ((int)lane < lanes) {
#pragma unroll
            for (int i = 0; i < N; i++)
                v[i] = __ldcg(p + at[i]);
#pragma unroll
            for (int i = 0; i < N; i++)
                sum += v[i];
        }
        asm volatile("" ::"r"(sum));
        const long long end = clock64() + (sum == 0x12345678);
        if (lane == 0)
            out[warp * TURNS + t] = (unsigned short)min(end - begin, 65535ll);
#pragma unroll
        for (int i = 0; i < S; i++)
            to[stored[i]] = t;
    }
    if (sum == 1)
        *sink = sum;
}

template <int N, int S> static void measure(unsigned *p, unsigned *to, size_t lines, int blocks, int warps, int lanes, unsigned short *out, unsigned *sink)
{
    const size_t n = (size_t)blocks * warps * TURNS;
    std::vector<unsigned short> h(n), v;
    cudaMemset(p, 0, lines * 128);
    ask<N, S><<<blocks, 32 * warps>>>(p, to, lines, lanes, out, sink);
    if (cudaMemcpy(h.data(), out, n * 2, cudaMemcpyDeviceToHost))
        exit(1);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        if (i % TURNS >= FIRST) {
            v.push_back(h[i]);
            sum += h[i];
        }
    std::sort(v.begin(), v.end());
    printf("%s\t%d\t%d\t%d\t%d\t%d\t%.1f", lines < MANY ? "L2" : "DRAM", warps, blocks, lanes, N, S, sum / v.size());
    for (double q : {0., .05, .1, .25, .5, .75, .9, .95, .99, 1.})
        printf("\t%d", v[std::min(v.size() - 1, (size_t)(q * v.size()))]);
    puts("");
}

int main()
{
    const size_t lines = MANY;
    unsigned *p, *to, *sink;
    unsigned short *out;
    if (cudaMalloc(&p, lines * 128) || cudaMalloc(&to, lines * 128) || cudaMalloc(&out, 132 * 32 * TURNS * 2) || cudaMalloc(&sink, 4))
        return 1;
    for (int blocks : {1, 132})
        for (int warps : {1, 2, 4, 8, 16, 32}) {
            if (blocks == 1 && warps > 1 && warps != 8)
                continue;
            measure<1, 0>(p, to, lines, blocks, warps, 1, out, sink);
            measure<1, 0>(p, to, lines, blocks, warps, 32, out, sink);
            measure<2, 0>(p, to, lines, blocks, warps, 32, out, sink);
            measure<4, 0>(p, to, lines, blocks, warps, 32, out, sink);
            measure<8, 0>(p, to, lines, blocks, warps, 32, out, sink);
            measure<4, 1>(p, to, lines, blocks, warps, 32, out, sink);
            measure<4, 4>(p, to, lines, blocks, warps, 32, out, sink);
        }
    const size_t few = 1 << 17; // 16 MiB, which L2 has
    for (int warps : {1, 8}) {
        measure<1, 0>(p, to, few, 132, warps, 1, out, sink);
        measure<1, 0>(p, to, few, 132, warps, 32, out, sink);
        measure<4, 0>(p, to, few, 132, warps, 32, out, sink);
        measure<8, 0>(p, to, few, 132, warps, 32, out, sink);
        measure<4, 4>(p, to, few, 132, warps, 32, out, sink);
    }
    return 0;
}
