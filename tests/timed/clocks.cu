// What kernels read as time: clock64 and %globaltimer, against each other, against what an H200 takes for a chain of multiply-adds, and
// against events. With "print" all of it is printed, for runs that must be equal.
#include <cstdio>
#include <cstring>

__device__ unsigned long long global_timer()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

// [0], [1]: cycles before and after `n` multiply-adds that wait for each other; [2], [3]: ns.
__global__ void chain(float *p, long long *at, int n)
{
    float x = p[0];
    at[2] = global_timer();
    at[0] = clock64();
#pragma unroll 64 // a turn of a loop takes 13 cycles more (tests/truth/time/pipes.tsv)
    for (int i = 0; i < n; i++)
        x = x * 1.0001f + 0.5f;
    at[1] = clock64();
    at[3] = global_timer();
    p[0] = x;
}

static int wrong;

static void check(const char *what, double value, double least, double most)
{
    bool fits = value >= least && value <= most;
    printf("%s %s: %.9g of %g to %g\n", fits ? "ok   " : "WRONG", what, value, least, most);
    wrong += !fits;
}

int main()
{
    const int N = 1 << 16;
    float *p, ms[2];
    long long *at, h[2][4];
    cudaEvent_t a, b;
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    cudaMalloc(&p, 4);
    cudaMalloc(&at, sizeof h[0]);
    cudaMemset(p, 0, 4);
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    for (int i = 0; i < 2; i++) {
        cudaEventRecord(a);
        chain<<<1, 1>>>(p, at, (i + 1) * N);
        cudaEventRecord(b);
        cudaMemcpy(h[i], at, sizeof h[i], cudaMemcpyDeviceToHost);
        cudaEventElapsedTime(&ms[i], a, b);
    }
    double cycles = h[0][1] - h[0][0], twice = h[1][1] - h[1][0], ns = h[0][3] - h[0][2];
    check("cycles of a dependent multiply-add", cycles / N, 3.9, 4.6); // 4 on a GPU since 7.0, and the loop
    check("twice as many over once", twice / cycles, 1.99, 2.01);
    check("ns over cycles", ns * prop.clockRate / 1e6 / cycles, 0.99, 1.01);
    check("the event's time over the kernel's", ms[0] * 1e6 / ns, 1, 1.2);
    check("ns from one kernel to the next", h[1][2] - h[0][3], 1000, 50000);
    printf("%s\n", wrong ? "FAILED" : "PASSED");
    return wrong;
}
