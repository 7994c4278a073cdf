// Lanes of a warp that meet in the same collective instruction at different places of the program: in the two arms of a branch, and
// in the turns of a loop that is unrolled while lanes leave it at different turns. They find what lanes at one place find.
#include <cstdio>
#include <cstring>

#define RUN(name, arms, loop)                                   \
    __global__ void apart_##name(const unsigned *in, unsigned *out) \
    {                                                            \
        unsigned v = in[threadIdx.x], lane = threadIdx.x, r;     \
        if (v & 1) {                                             \
            r = (arms);                                          \
            atomicAdd(out + 64, r);                              \
        } else {                                                 \
            v = v * 3 + in[lane ^ 1];                            \
            r = (arms);                                          \
            atomicXor(out + 65, r);                              \
        }                                                        \
        out[lane] = r;                                           \
    }                                                            \
    __global__ void together_##name(const unsigned *in, unsigned *out) \
    {                                                            \
        unsigned v = in[threadIdx.x], lane = threadIdx.x, r;     \
        const bool odd = v & 1;                                  \
        if (!odd)                                                \
            v = v * 3 + in[lane ^ 1];                            \
        __syncwarp();                                            \
        r = (arms);                                              \
        if (odd)                                                 \
            atomicAdd(out + 64, r);                              \
        else                                                     \
            atomicXor(out + 65, r);                              \
        out[lane] = r;                                           \
    }                                                            \
    template <int COUNT> __global__ void loop_##name(const unsigned *in, unsigned *out) \
    {                                                            \
        unsigned v = in[threadIdx.x], lane = threadIdx.x, m = ~0u, r = 0; \
        const unsigned n = v % 10;                               \
        _Pragma("unroll COUNT") for (unsigned j = 0;; j++) {     \
            m = __ballot_sync(m, j < n);                         \
            if (j >= n) break;                                   \
            r += (loop);                                         \
        }                                                        \
        out[lane] = r;                                           \
    }

RUN(ballot, __ballot_sync(~0u, v & 2), __ballot_sync(m, v & 2))
RUN(any, __any_sync(~0u, v == in[3]), __any_sync(m, v == in[3]))
RUN(all, __all_sync(~0u, v != in[3]), __all_sync(m, v != in[3]))
RUN(idx, __shfl_sync(~0u, v, lane * 5), __shfl_sync(m, v, __ffs(m) - 1))
RUN(down, __shfl_down_sync(~0u, v, 1), __shfl_down_sync(m, v, 0))
RUN(exchanged, __shfl_xor_sync(~0u, v, 1), __shfl_xor_sync(m, v, 0))
RUN(wide, __shfl_up_sync(~0u, v * 0x100000001ull, 3) >> 20, __shfl_sync(m, v * 0x100000001ull, __ffs(m) - 1) >> 20)
RUN(match, __match_any_sync(~0u, v % 5), __match_any_sync(m, v % 5))
RUN(match_wide, __match_any_sync(~0u, v % 3 + (1ull << 40)), __match_any_sync(m, v % 3 + (1ull << 40)))
RUN(sync, (__syncwarp(~0u), v), (__syncwarp(m), v))
#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)
RUN(reduce, __reduce_add_sync(~0u, v), __reduce_add_sync(m, v))
RUN(least, __reduce_min_sync(~0u, v), __reduce_min_sync(m, v))
#else
RUN(reduce, v, v)
RUN(least, v, v)
#endif

// The negated operand of one arm's vote, a result that one arm drops, and a shuffle of which one arm wants the predicate.
__global__ void forms(const unsigned *in, unsigned *out)
{
    unsigned v = in[threadIdx.x], a = 0, b = 0, c = 0;
    if (v & 1)
        asm volatile("{.reg .pred p, q; setp.ne.u32 p, %3, 0; vote.sync.ballot.b32 %0, !p, -1;\n"
                     "shfl.sync.down.b32 %1|q, %4, 3, 31, -1; selp.u32 %2, 1, 0, q;}"
                     : "=r"(a), "=r"(b), "=r"(c) : "r"(v & 4), "r"(v));
    else
        asm volatile("{.reg .pred p; .reg .b32 u; setp.eq.u32 p, %1, 0; vote.sync.ballot.b32 u, p, -1;\n"
                     "shfl.sync.down.b32 %0, %2, 3, 31, -1;}"
                     : "=r"(b) : "r"(v & 4), "r"(v));
    out[threadIdx.x] = a;
    out[32 + threadIdx.x] = b;
    out[64 + threadIdx.x] = c;
}

typedef void kernel(const unsigned *, unsigned *);
static const struct { const char *name; kernel *one, *other; } pairs[] = {
#define ROW(name) {#name " in arms", apart_##name, together_##name}, {#name " in a loop", loop_##name<4>, loop_##name<1>},
    ROW(ballot) ROW(any) ROW(all) ROW(idx) ROW(down) ROW(exchanged) ROW(wide) ROW(match) ROW(match_wide) ROW(sync) ROW(reduce) ROW(least)
};

static bool run(const char *name, kernel *k, const unsigned *in, unsigned *out)
{
    memset(out, 0, 4096);
    k<<<1, 32>>>(in, out);
    const cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess)
        printf("%s: %s\n", name, cudaGetErrorString(e));
    return e == cudaSuccess;
}

int main()
{
    unsigned *in, *out, *other;
    cudaMallocManaged(&in, 4096);
    cudaMallocManaged(&out, 4096);
    cudaMallocManaged(&other, 4096);
    for (unsigned i = 0; i < 32; i++)
        in[i] = i * 2654435761u >> 20;
    int wrong = 0;
    for (auto &p : pairs) {
        const bool ran = run(p.name, p.one, in, out) && run(p.name, p.other, in, other);
        if (!ran || memcmp(out, other, 4096))
            printf("%s: apart is not together\n", p.name), wrong++;
        if (!ran)
            return 1;
    }
    if (!run("forms", forms, in, out))
        return 1;
    unsigned ballot = 0;
    for (int i = 0; i < 32; i++)
        ballot |= (unsigned)!(in[i] & 4) << i;
    for (int i = 0; i < 32; i++) {
        const bool odd = in[i] & 1;
        if (out[i] != (odd ? ballot : 0) || out[32 + i] != in[i < 29 ? i + 3 : i] || out[64 + i] != (odd && i < 29))
            printf("forms: lane %d has %x %x %x\n", i, out[i], out[32 + i], out[64 + i]), wrong++;
    }
    printf(wrong ? "FAILED\n" : "PASSED\n");
    return wrong != 0;
}
