// Lanes that look at each other or rely on being together, where each is a thread of its own: warp functions with and without
// a mask, volatile memory without a barrier, locks, barriers with counts, named barriers, warps that spin for each other.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;
__device__ int lock, taken;

__device__ void reduce_volatile(volatile int *s, int t)
{
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}
__global__ void together(int *out)
{
    __shared__ int s[96];
    int t = threadIdx.x;
    s[t] = t;
    s[t + 32] = t;
    __syncthreads();
    if (t < 32)
        reduce_volatile(s, t);
    __syncthreads();
    unsigned here = __activemask();
    unsigned odd = 0;
    if (t & 1)
        odd = __activemask();
    else
        odd = ~__activemask();
    out[t] = s[0] + (here == ~0u) + (odd == 0xaaaaaaaau) + __shfl_sync(~0u, t, 31 - (t & 31)) + __popc(__ballot_sync(~0u, t % 3 == 0));
    auto active = cg::coalesced_threads();
    if (t % 5 == 0) {
        auto some = cg::coalesced_threads();
        out[t] += 1000 * some.size() + some.thread_rank();
    }
    out[t] += 100000 * active.size();
}
__global__ void locked(int *out)
{
    for (bool done = false; !done;) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            int v = *(volatile int *)&taken;
            *(volatile int *)&taken = v + 1;
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }
    }
    __syncthreads();
    if (!threadIdx.x)
        out[blockIdx.x] = taken;
}
__global__ void hands_over(int *out)
{
    __shared__ volatile int flag;
    if (!threadIdx.x)
        flag = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        while (flag != 63)
            ;
    else if (threadIdx.x >= 32)
        while (flag != (int)threadIdx.x - 1 && flag != 63)
            if (threadIdx.x == 32)
                break;
    if (threadIdx.x >= 32)
        flag = threadIdx.x;
    int n = __syncthreads_count(threadIdx.x % 7 == 0);
    asm volatile("bar.sync 1, 64;");
    out[threadIdx.x] = n + flag;
}
__global__ void grid(int *out)
{
    cg::grid_group g = cg::this_grid();
    out[g.thread_rank()] = 1;
    g.sync();
    int sum = 0;
    for (unsigned i = 0; i < g.size(); i++)
        sum += out[i];
    g.sync();
    out[g.thread_rank()] = sum;
}
static void show(const char *what, const int *device, int n)
{
    int host[64];
    cudaMemcpy(host, device, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("%s:", what);
    for (int i = 0; i < n; i++)
        printf(" %d", host[i]);
    printf("\n");
}
int main()
{
    int *out;
    cudaMalloc(&out, 64 * sizeof(int));
    together<<<1, 64>>>(out);
    show("together", out, 64);
    locked<<<1, 64>>>(out);
    show("locked", out, 1);
    hands_over<<<1, 64>>>(out);
    show("hands over", out, 64);
    void *args[] = {&out};
    cudaLaunchCooperativeKernel((void *)grid, dim3(4), dim3(8), args, 0, 0);
    show("grid", out, 32);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
