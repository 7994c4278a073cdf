// Forward progress: lanes, warps and blocks that wait for one another. Each case N times (argument, default 1000).
// Lane spin lock, both ways people write it; a flag from warp to warp; a flag from block to block, in both directions;
// the last block to arrive reduces (CUDA programming guide, "Memory fence functions").
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
    printf("CUDA error: %s, line %d\nFAILED\n", cudaGetErrorString(e_), __LINE__); exit(2); } } while (0)

// 32 lanes of each warp fight for one lock; the winner leaves the loop while the others spin.
__global__ void lock_then_work(int *lock, int *sum) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *(volatile int *)sum = *(volatile int *)sum + 1;
    __threadfence();
    atomicExch(lock, 0);
}

// The form that works on every GPU: the critical section inside the loop.
__global__ void lock_around_work(int *lock, int *sum) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *(volatile int *)sum = *(volatile int *)sum + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// Warp 0 waits for warp 1, which waits for warp 2, and so on: the last one starts the chain.
__global__ void warp_chain(volatile int *flag, int *out) {
    int warp = threadIdx.x / 32, warps = blockDim.x / 32;
    if (warp < warps - 1)
        while (flag[warp + 1] == 0) {}
    __threadfence();
    if (threadIdx.x % 32 == 0) {
        out[warp] = warp == warps - 1 ? 1 : out[warp + 1] + 1;
        __threadfence();
        flag[warp] = 1;
    }
}

// Block b waits for block b + 1 (up) or b - 1 (down). Up needs blocks that start later to become resident.
__global__ void block_chain(volatile int *flag, volatile int *out, int up) {
    int b = blockIdx.x, from = up ? b + 1 : b - 1;
    bool first = up ? b == gridDim.x - 1 : b == 0;
    if (threadIdx.x == 0) {
        if (!first)
            while (flag[from] == 0) {}
        __threadfence();
        out[b] = first ? 1 : out[from] + 1;
        __threadfence();
        flag[b] = 1;
    }
}

__device__ unsigned int arrived = 0;

__global__ void last_block_sum(const float *in, volatile float *part, float *out, int n) {
    __shared__ float s[64];
    __shared__ bool last;
    float v = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
    s[threadIdx.x] = v;
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        part[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(&arrived, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float t = 0;
        for (int b = 0; b < gridDim.x; b++) t += part[b];
        *out = t;
        arrived = 0;
    }
}

static int *zeroed(int n) { int *p; CK(cudaMalloc(&p, n * 4)); CK(cudaMemset(p, 0, n * 4)); return p; }
static int get(const int *p) { int v; CK(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost)); return v; }

int main(int argc, char **argv) {
    int times = argc > 1 ? atoi(argv[1]) : 1000, bad = 0;
    int *lock = zeroed(1), *sum = zeroed(1), *flag = zeroed(64), *out = zeroed(64);
    const int n = 4096;
    float *in, *part, *total, h[n];
    CK(cudaMalloc(&in, n * 4)); CK(cudaMalloc(&part, 64 * 4)); CK(cudaMalloc(&total, 4));
    for (int i = 0; i < n; i++) h[i] = i % 7;
    float want = 0;
    for (int i = 0; i < n; i++) want += h[i];
    CK(cudaMemcpy(in, h, n * 4, cudaMemcpyHostToDevice));
    for (int t = 0; t < times; t++) {
        CK(cudaMemset(sum, 0, 4));
        lock_then_work<<<2, 64>>>(lock, sum);
        lock_around_work<<<2, 64>>>(lock, sum);
        CK(cudaDeviceSynchronize());
        if (get(sum) != 2 * 2 * 64) bad++, printf("lock: %d of %d\n", get(sum), 2 * 2 * 64);
        CK(cudaMemset(flag, 0, 64 * 4));
        warp_chain<<<1, 256>>>(flag, out);
        CK(cudaDeviceSynchronize());
        if (get(out) != 8) bad++, printf("warp chain: %d\n", get(out));
        for (int up = 0; up < 2; up++) {
            CK(cudaMemset(flag, 0, 64 * 4));
            block_chain<<<64, 32>>>(flag, out, up);
            CK(cudaDeviceSynchronize());
            if (get(out + (up ? 0 : 63)) != 64) bad++, printf("block chain %d: %d\n", up, get(out));
        }
        CK(cudaMemset(total, 0, 4));
        last_block_sum<<<16, 64>>>(in, part, total, n);
        float got; CK(cudaMemcpy(&got, total, 4, cudaMemcpyDeviceToHost));
        if (got != want) bad++, printf("last block: %g instead of %g\n", got, want);
    }
    puts(bad ? "FAILED" : "PASSED");
    return bad != 0;
}
