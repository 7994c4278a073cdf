// Kernels that wait for those that they launch (dynamic parallelism as before CUDA 12, "CDP1"), for devices before compute capability 9.0:
// what a block has launched is done when cudaDeviceSynchronize answers. CUDA C++ programming guide 12, section 9.6.
#include <cstdio>
#include <cstring>

static int failures;

static void expect(bool good, const char *what)
{
    if (!good) {
        printf("FAILED: %s (%s)\n", what, cudaGetErrorString(cudaPeekAtLastError()));
        failures++;
    }
}

__global__ void fill(int *to, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = value;
}

// Halves, as long as it is worth it, then the sum of both: a tree of waiting parents.
__global__ void sum(int *a, int n, int *result, int *scratch)
{
    if (n <= 4) {
        *result = 0;
        for (int i = 0; i < n; i++)
            *result += a[i];
        return;
    }
    int half = n / 2;
    sum<<<1, 1>>>(a, half, scratch, scratch + 2);
    sum<<<1, 1>>>(a + half, n - half, scratch + 1, scratch + 2 + n);
    cudaError_t e = cudaDeviceSynchronize();
    *result = e ? -(int)e : scratch[0] + scratch[1];
}

// Each block has its own children: one of its threads launches, and all see what was done.
__global__ void blocks(int *pieces, int *seen)
{
    int *mine = pieces + blockIdx.x * 64;
    if (threadIdx.x == 0) {
        fill<<<2, 32>>>(mine, 64, 10 * blockIdx.x);
        cudaDeviceSynchronize();
        fill<<<1, 32>>>(mine, 32, 7);
        fill<<<1, 1>>>(mine, 1, 8); // the same stream: behind it
        cudaDeviceSynchronize();
    }
    __syncthreads();
    seen[blockIdx.x * blockDim.x + threadIdx.x] = mine[threadIdx.x];
    if (threadIdx.x == 0)
        fill<<<1, 64>>>(mine, 64, -1); // not waited for: runs when the grid has ended
}

__global__ void lanes(int *a)
{
    fill<<<1, 1>>>(a + threadIdx.x, 1, threadIdx.x); // each lane launches, and all wait
    cudaDeviceSynchronize();
    a[64 + threadIdx.x] = a[threadIdx.x ^ 1];
}

__global__ void faults(int *a)
{
    fill<<<1, 1>>>((int *)nullptr, 1, 0);
    cudaDeviceSynchronize();
    *a = 1; // never
}

int main(int argc, char **argv)
{
    const int N = 100;
    int *a, want = 0;
    cudaMallocManaged(&a, 100000 * sizeof *a);
    size_t depth = 0;
    expect(!cudaDeviceGetLimit(&depth, cudaLimitDevRuntimeSyncDepth) && depth == 2, "two levels may wait");
    for (int i = 0; i < N; i++)
        want += a[i] = i * i % 37;
    sum<<<1, 1>>>(a, N, a + N, a + N + 1);
    expect(!cudaDeviceSynchronize() && a[N] < 0, "more than two levels: cudaErrorSyncDepthExceeded");
    expect(!cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 8), "a limit of 8");
    sum<<<1, 1>>>(a, N, a + N, a + N + 1);
    expect(!cudaDeviceSynchronize() && a[N] == want, "a tree of sums");

    int *seen = a + 1000;
    blocks<<<5, 64>>>(a, seen);
    expect(!cudaDeviceSynchronize(), "children of blocks");
    for (int i = 0; i < 5 * 64; i++) {
        expect(seen[i] == (i % 64 == 0 ? 8 : i % 64 < 32 ? 7 : 10 * (i / 64)), "what a block has waited for");
        expect(a[i] == -1, "what it has not");
    }
    lanes<<<1, 32>>>(a);
    expect(!cudaDeviceSynchronize(), "children of lanes");
    for (int i = 0; i < 32; i++)
        expect(a[64 + i] == (i ^ 1), "children of other lanes");
    if (argc > 1 && !strcmp(argv[1], "fault")) {
        *a = 0;
        faults<<<1, 1>>>(a);
        expect(cudaDeviceSynchronize() == cudaErrorIllegalAddress && *a == 0, "a child's fault ends its parent");
    }
    puts(failures ? "FAILED" : "PASSED");
    return failures;
}
