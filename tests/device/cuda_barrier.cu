// cuda::barrier in shared memory (mbarrier), in global memory and on the host; memcpy_async with barriers and with
// pipelines of thread and block scope. Every block reverses its part of an array through shared memory in stages.
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/barrier>
#include <cuda_awbarrier_primitives.h>

#include <cstdio>
#include <thread>
#include <vector>

enum { THREADS = 64, STAGES = 3, TILES = 7, TILE = THREADS * 4, BLOCKS = 2, N = BLOCKS * TILES * TILE };

struct block_group {
    __device__ unsigned thread_rank() const { return threadIdx.x; }
    __device__ unsigned size() const { return blockDim.x; }
    __device__ void sync() const { __syncthreads(); }
};
struct count_phases {
    int *n;
    __host__ __device__ void operator()() { ++*n; }
};
static_assert(sizeof(cuda::barrier<cuda::thread_scope_block>) == 8, "as in libcu++");

__device__ int phases;
__device__ cuda::barrier<cuda::thread_scope_device, count_phases> in_global;
__device__ int log_[8];

// 64 threads and 4 phases; one thread drops out after the second phase
__global__ void arrivals(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ int sum;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        sum = 0;
    }
    __syncthreads();
    for (int phase = 0; phase < 4; phase++) {
        atomicAdd(&sum, phase + 1);
        if (phase == 2 && threadIdx.x == 5) {
            bar.arrive_and_drop();
            return;
        }
        cuda::barrier<cuda::thread_scope_block>::arrival_token token = bar.arrive();
        bar.wait(std::move(token));
        if (threadIdx.x == 0)
            out[phase] = sum;
        bar.wait_parity(false); // the first phase of each turn is even, and has passed
        bar.arrive_and_wait();
    }
}

__global__ void across_blocks()
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        atomicAdd(&log_[0], 1);
    in_global.arrive_and_wait();
    if (log_[0] != 1)
        atomicAdd(&log_[7], 1);
    in_global.arrive_and_wait();
}

__global__ void by_barrier(const int *in, int *out)
{
    __shared__ alignas(16) int tile[TILE];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    for (int t = 0; t < TILES; t++) {
        int at = (blockIdx.x * TILES + t) * TILE;
        cuda::memcpy_async(block_group(), tile, in + at, cuda::aligned_size_t<16>(sizeof tile), bar);
        bar.arrive_and_wait();
        for (int i = threadIdx.x; i < TILE; i += blockDim.x)
            out[at + i] = tile[TILE - 1 - i];
        __syncthreads();
    }
}

__global__ void by_thread_pipeline(const int *in, int *out)
{
    __shared__ alignas(16) int tile[STAGES][THREADS][4];
    auto pipe = cuda::make_pipeline();
    auto fetch = [&](int t) {
        pipe.producer_acquire();
        if (t < TILES)
            cuda::memcpy_async(&tile[t % STAGES][threadIdx.x], (const int (*)[4])(in + (blockIdx.x * TILES + t) * TILE) + threadIdx.x,
                               sizeof tile[0][0], pipe);
        pipe.producer_commit();
    };
    for (int t = 0; t < STAGES - 1; t++)
        fetch(t);
    for (int t = 0; t < TILES; t++) {
        fetch(t + STAGES - 1);
        pipe.consumer_wait();
        __syncthreads();
        for (int i = threadIdx.x; i < TILE; i += blockDim.x)
            out[(blockIdx.x * TILES + t) * TILE + i] = (&tile[t % STAGES][0][0])[TILE - 1 - i];
        __syncthreads();
        pipe.consumer_release();
    }
}

// kind 0: all produce and consume; 1: the first warp produces; 2: odd warps produce
__global__ void by_block_pipeline(const int *in, int *out, int kind)
{
    __shared__ alignas(16) int tile[STAGES][TILE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    block_group group;
    bool producer = kind == 1 ? threadIdx.x < 32 : threadIdx.x / 32 % 2;
    if (kind == 0) {
        auto pipe = cuda::make_pipeline(group, &state);
        for (int t = 0, next = 0; t < TILES; t++) {
            for (; next < TILES && next < t + STAGES; next++) {
                pipe.producer_acquire();
                cuda::memcpy_async(group, tile[next % STAGES], in + (blockIdx.x * TILES + next) * TILE, sizeof tile[0], pipe);
                pipe.producer_commit();
            }
            pipe.consumer_wait();
            for (int i = threadIdx.x; i < TILE; i += blockDim.x)
                out[(blockIdx.x * TILES + t) * TILE + i] = tile[t % STAGES][TILE - 1 - i];
            pipe.consumer_release();
        }
        return;
    }
    auto pipe = kind == 1 ? cuda::make_pipeline(group, &state, 32)
                          : cuda::make_pipeline(group, &state, producer ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
    for (int t = 0; t < TILES; t++) {
        int at = (blockIdx.x * TILES + t) * TILE;
        if (producer) {
            pipe.producer_acquire();
            for (int i = threadIdx.x % 32; i < TILE; i += 32)
                cuda::memcpy_async(&tile[t % STAGES][i], in + at + i, sizeof(int), pipe);
            pipe.producer_commit();
        } else {
            pipe.consumer_wait();
            for (int i = threadIdx.x % 32; i < TILE; i += 32)
                out[at + i] = tile[t % STAGES][TILE - 1 - i];
            pipe.consumer_release();
        }
    }
}

__global__ void primitives(const int *in, int *out)
{
    __shared__ __mbarrier_t bar;
    __shared__ int tile[THREADS];
    if (threadIdx.x == 0)
        __mbarrier_init(&bar, blockDim.x);
    __syncthreads();
    __pipeline_memcpy_async(&tile[threadIdx.x], in + threadIdx.x, sizeof(int));
    __pipeline_arrive_on(&bar);
    __mbarrier_token_t token = __mbarrier_arrive(&bar);
    if (__mbarrier_token_pending_count(token) > __mbarrier_maximum_count())
        __trap();
    while (!__mbarrier_test_wait(&bar, token))
        __nanosleep(20);
    out[threadIdx.x] = tile[THREADS - 1 - threadIdx.x];
}

static int failures;

static void expect(bool ok, const char *what)
{
    if (!ok) {
        printf("FAILED: %s\n", what);
        failures++;
    }
}

template <class F> void reversed(const char *what, const int *in, F launch)
{
    int *out;
    std::vector<int> got(N);
    cudaMalloc(&out, N * sizeof *out);
    cudaMemset(out, 0xff, N * sizeof *out);
    launch(in, out);
    cudaMemcpy(got.data(), out, N * sizeof *out, cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess;
    for (int i = 0; i < N; i++)
        ok &= got[i] == i / TILE * TILE + TILE - 1 - i % TILE;
    expect(ok, what);
    cudaFree(out);
}

int main()
{
    int *in, *out, sums[4];
    std::vector<int> values(N);
    for (int i = 0; i < N; i++)
        values[i] = i;
    cudaMalloc(&in, N * sizeof *in);
    cudaMalloc(&out, sizeof sums);
    cudaMemcpy(in, values.data(), N * sizeof *in, cudaMemcpyHostToDevice);

    arrivals<<<1, THREADS>>>(out);
    cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost);
    expect(sums[0] == 64 && sums[1] == 64 * 3 && sums[2] == 64 * 6 && sums[3] == 64 * 6 + 63 * 4, "arrivals");

    int *counter;
    cudaGetSymbolAddress((void **)&counter, phases);
    cuda::barrier<cuda::thread_scope_device, count_phases> made(2 * THREADS, count_phases{counter});
    cudaMemcpyToSymbol(in_global, &made, sizeof made);
    across_blocks<<<2, THREADS>>>();
    int counted = 0, log[8];
    cudaMemcpyFromSymbol(&counted, phases, sizeof counted);
    cudaMemcpyFromSymbol(log, log_, sizeof log);
    expect(counted == 2 && log[0] == 1 && log[7] == 0, "a barrier in global memory");

    reversed("memcpy_async with a barrier", in, [](const int *a, int *b) { by_barrier<<<BLOCKS, THREADS>>>(a, b); });
    reversed("pipeline of a thread", in, [](const int *a, int *b) { by_thread_pipeline<<<BLOCKS, THREADS>>>(a, b); });
    for (int kind = 0; kind < 3; kind++)
        reversed("pipeline of a block", in, [=](const int *a, int *b) { by_block_pipeline<<<BLOCKS, THREADS>>>(a, b, kind); });

    primitives<<<1, THREADS>>>(in, in + THREADS);
    int swapped[THREADS], ok = 1;
    cudaMemcpy(swapped, in + THREADS, sizeof swapped, cudaMemcpyDeviceToHost);
    for (int i = 0; i < THREADS; i++)
        ok &= swapped[i] == THREADS - 1 - i;
    expect(ok, "the primitives");

    int turns = 0, seen[2] = {0, 0};
    cuda::barrier<cuda::thread_scope_system, count_phases> host(2, count_phases{&turns});
    std::thread other([&] {
        seen[0] = 1;
        host.arrive_and_wait();
        host.arrive_and_wait();
    });
    host.arrive_and_wait();
    seen[1] = seen[0];
    host.arrive_and_wait();
    other.join();
    expect(turns == 2 && seen[1] == 1, "a barrier of host threads");
    printf(failures ? "FAILED\n" : "PASSED\n");
    return failures != 0;
}
