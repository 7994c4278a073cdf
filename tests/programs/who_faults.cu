// Faults of several kinds, in kernels where several threads fault: the message names the same one in each executor and with any
// number of host threads (tests/programs/who_faults.sh). The kind is the argument; without one: how many there are.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

// far: elements from a to where nothing is mapped. n: iterations.
__global__ void straight(int *a, long far, int n) { a[threadIdx.x % 32 >= 7 && blockIdx.x >= 3 ? far : threadIdx.x] = n; }

__global__ void both_ways(int *a, long far, int n)
{
    int i = threadIdx.x;
    if ((i * 7 + n) % 3 == 1)
        a[i + far] = i;
    else
        a[i + 2 * far] = i + 1;
}

__global__ void one_way(int *a, long far, int n)
{
    int i = threadIdx.x;
    if (i & 1)
        for (int k = 0; k < i; k++) a[i] += k * n;
    else if (i > 4)
        a[i + far] = i;
}

// A later warp faults in an earlier iteration.
__global__ void later_warp_first(int *a, long far, int n)
{
    int warp = threadIdx.x / 32, when = n / (1 + warp);
    for (int k = 0; k <= n; k++) a[k >= when ? far + k : threadIdx.x] += k;
}

// Lanes leave or fault at different iterations, the first lane last.
__global__ void later_lane_first(int *a, long far, int n)
{
    int i = threadIdx.x % 32;
    for (int k = 0; k < 100 - 3 * i + n % 2; k++) a[i] += k;
    a[i + far] = 1;
}

__global__ void loop_in_a_way(int *a, long far, int n)
{
    int i = threadIdx.x;
    if (i % 5 == 3)
        for (int k = 0; k < i; k++) a[k == 40 ? far + i : i] += k;
    a[i] += n;
}

__global__ void behind_a_barrier(int *a, long far, int n)
{
    __shared__ int s[256];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    if (s[255 - threadIdx.x] == 0 && threadIdx.x > 70) a[far * (1 + threadIdx.x % 4)] = n;
    __syncthreads();
    a[threadIdx.x] = s[threadIdx.x];
}

__global__ void before_a_barrier(int *a, long far, int n)
{
    int warp = threadIdx.x / 32;
    for (int k = 0; k < 5; k++) {
        if (k == 4 - warp % 3 && warp > 1) a[far + threadIdx.x] = n;
        __syncthreads();
    }
}

__global__ void misaligned(int *a, long far, int n)
{
    char *p = (char *)a + threadIdx.x * 4 + (threadIdx.x > 40) * n % 3;
    *(int *)p = 1;
}

__global__ void traps(int *a, long far, int n)
{
    a[threadIdx.x] = 1;
    if (threadIdx.x % 32 == 9 && threadIdx.x > n % 50) __trap();
}

__global__ void shared_range(int *a, long far, int n)
{
    __shared__ int s[64];
    s[threadIdx.x % 64] = 0;
    __syncthreads();
    a[threadIdx.x] = s[threadIdx.x > 33 ? (threadIdx.x + n) * 100 : threadIdx.x % 64];
}

__global__ void local_range(int *a, long far, int n)
{
    int v[8];
    for (int k = 0; k < 8; k++) v[k] = a[k];
    a[threadIdx.x] = v[threadIdx.x > 5 ? threadIdx.x * n : threadIdx.x % 8];
}

__global__ void atomics(int *a, long far, int n)
{
    if (threadIdx.x % 3 == 2) atomicAdd(&a[threadIdx.x > 60 ? far : 0], n);
}

__global__ void gathers(int *a, long far, int n)
{
    long at = (long)((threadIdx.x * 2654435761u) >> 24) * (far / 64);
    a[threadIdx.x] = a[at] + a[far - at];
}

__global__ void vectors(int *a, long far, int n)
{
    int4 v = ((int4 *)a)[threadIdx.x % 32 == 30 ? far : threadIdx.x % 64];
    a[threadIdx.x] = v.x + v.w;
}

__device__ __noinline__ float deep(int n, float x) { return n ? sqrtf(deep(n - 1, x) + n) : x; }
__global__ void stack(int *a, long far, int n) { a[threadIdx.x] = (int)deep((int)threadIdx.x / 7 * n, 1); }

typedef void kernel(int *, long, int);
static const struct { const char *name; kernel *run; } kinds[] = {
#define KIND(f) {#f, f}
    KIND(straight), KIND(both_ways), KIND(one_way), KIND(later_warp_first), KIND(later_lane_first), KIND(loop_in_a_way),
    KIND(behind_a_barrier), KIND(before_a_barrier), KIND(misaligned), KIND(traps), KIND(shared_range), KIND(local_range),
    KIND(atomics), KIND(gathers), KIND(vectors), KIND(stack),
#undef KIND
};

int main(int argc, char **argv)
{
    int n = sizeof kinds / sizeof *kinds, *a;
    if (argc < 2) return printf("%d\n", n) < 0;
    kernel *run = kinds[atoi(argv[1])].run;
    cudaMalloc(&a, 1 << 20);
    run<<<40, 256>>>(a, 1l << 30, argc > 2 ? atoi(argv[2]) : 100000);
    printf("%s: %s\n", kinds[atoi(argv[1])].name, cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
