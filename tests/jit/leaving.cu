// Lanes that leave a loop at different turns, and what they take out of it (target/leaving.h); and registers that nobody has written,
// which are 0 in each warp. Everything is computed on the host, too. Prints PASSED.
#include <cstdio>
#include <cuda_runtime.h>

static const int THREADS = 256, BLOCKS = 3, N = THREADS * BLOCKS, WORDS = 1 << 14;

#define BOTH __host__ __device__

// A counter that is read behind the loop, which lanes leave after `turns`.
BOTH unsigned one(const unsigned *p, int t, int turns)
{
    int i = t;
    unsigned sum = 0;
    while (i < t + 32 * turns) {
        sum = sum * 3 + p[i & (WORDS - 1)];
        i += 32;
    }
    return sum * 31 + i;
}

// Two loops over one counter, as the compiler makes of an unrolled one, and a third that goes down again.
BOTH unsigned three(const unsigned *p, int t, int turns)
{
    int i = t * 4;
    unsigned sum = 0;
    for (; i < t * 4 + (turns & 3); i++)
        sum = sum * 5 + p[i & (WORDS - 1)];
    for (; i < t * 4 + turns; i += 4)
        sum = sum * 7 + p[i & (WORDS - 1)] + p[(i + 1) & (WORDS - 1)];
    for (; i > t * 3; i -= 8)
        sum = sum * 11 + p[i & (WORDS - 1)];
    return sum + i;
}

// Left in the middle, from an inner loop as well, with both counters alive behind.
BOTH unsigned inner(const unsigned *p, int t, int turns)
{
    int i = 0, j = t;
    unsigned sum = t;
    for (i = 0; i < turns; i++) {
        for (j = t; j < t + i; j++) {
            sum = sum * 3 + p[j & (WORDS - 1)];
            if (sum % 61 == 0)
                goto out;
        }
        if (p[(t + i) & (WORDS - 1)] % 19 == 0)
            break;
        if (sum % 7 == 3)
            continue;
        sum += j;
    }
out:
    return sum * 17 + i * 5 + j;
}

// The same number in all lanes of the loop, another in each behind it.
BOTH unsigned same(const unsigned *p, int t, int turns)
{
    int k = 0;
    unsigned sum = 0;
    do {
        sum = sum * 13 + p[k * 64];
        k++;
    } while (k < turns && sum % 5 != 0);
    return p[(k * 77 + t) & (WORDS - 1)] + k;
}

BOTH unsigned all(const unsigned *p, int t, int kind)
{
    int turns = p[t] % 23, far = t * 7 % 29;
    switch (kind) {
    case 0: return one(p, t, turns);
    case 1: return three(p, t, far);
    case 2: return inner(p, t, turns);
    case 3: return same(p, t, far);
    default: return t % 3 ? one(p, t, far) : three(p, t, turns);
    }
}

template <int KIND>
__global__ void leave(const unsigned *p, unsigned *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = all(p, t, KIND);
}

__global__ void unwritten(unsigned *out)
{
    unsigned t = threadIdx.x, v, w;
    asm volatile("{.reg .u32 a, b; .reg .pred q; setp.lt.u32 q, %2, 40; @q mov.u32 a, %2; @q bra on; add.u32 b, b, 1; on: mov.u32 %0, a; mov.u32 %1, b;}"
                 : "=r"(v), "=r"(w) : "r"(t));
    out[blockIdx.x * blockDim.x + t] = v * 2 + w;
}

// The first warp has no predicate of its own, which is 0 then; that says nothing of the warps behind it.
__global__ void passed_over(unsigned *out)
{
    unsigned t = threadIdx.x, v = 1;
    asm volatile("{.reg .pred p, q; setp.lt.u32 q, %1, 32; @q bra on; setp.lt.u32 p, %1, 1000; on: bar.sync 0; @!p bra out; mov.u32 %0, 2; st.global.u32 [%2], %0; out: bar.sync 0;}"
                 : "+r"(v) : "r"(t), "l"(out + blockIdx.x * blockDim.x + t) : "memory");
}

static int differ(const char *what, const unsigned *have, const unsigned *want)
{
    for (int i = 0; i < N; i++)
        if (have[i] != want[i]) {
            printf("FAILED: %s, thread %d: %u instead of %u\n", what, i, have[i], want[i]);
            return 1;
        }
    return 0;
}

int main()
{
    static unsigned host[WORDS], have[N], want[N];
    unsigned *p, *out;
    int failed = 0;
    for (int i = 0; i < WORDS; i++)
        host[i] = i * 2654435761u >> 7;
    cudaMalloc(&p, sizeof host);
    cudaMalloc(&out, sizeof have);
    cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice);
    for (int kind = 0; kind < 7; kind++) {
        cudaMemset(out, 0, sizeof have);
        for (int t = 0; t < N; t++)
            want[t] = kind == 6 ? t % THREADS < 32 ? 0 : 2 : kind == 5 ? (t % THREADS < 40 ? t % THREADS * 2 : 1) : all(host, t, kind);
        switch (kind) {
        case 0: leave<0><<<BLOCKS, THREADS>>>(p, out); break;
        case 1: leave<1><<<BLOCKS, THREADS>>>(p, out); break;
        case 2: leave<2><<<BLOCKS, THREADS>>>(p, out); break;
        case 3: leave<3><<<BLOCKS, THREADS>>>(p, out); break;
        case 4: leave<4><<<BLOCKS, THREADS>>>(p, out); break;
        case 5: unwritten<<<BLOCKS, THREADS>>>(out); break;
        default: passed_over<<<BLOCKS, THREADS>>>(out);
        }
        if (cudaMemcpy(have, out, sizeof have, cudaMemcpyDeviceToHost))
            return 1;
        char what[20];
        snprintf(what, sizeof what, "kind %d", kind);
        failed += differ(what, have, want);
    }
    puts(failed ? "FAILED" : "PASSED");
    return failed;
}
