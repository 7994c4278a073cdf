// Asynchronous copies from global to shared memory, 4, 8 and 16 bytes a thread. (Seed row 21.)
//
// The lesson. shared[i] = global[i] is a load into a register and a store from it. __pipeline_memcpy_async is one
// instruction that needs no register and lets the thread go on; __pipeline_commit closes a group of copies and
// __pipeline_wait_prior(0) waits for all groups. A thread waits for its own copies only: to read what others have copied
// takes a barrier as well. Copies of 16 bytes may pass L1 by. (The seed's kernels lack the brace that ends the loop, so
// that the clock is read in every turn, and its asynchronous one never declares the clock it starts.)
//
// In time: a copy that goes on by itself takes no register and no store, so the block is done some tens of cycles sooner.
//
// The figures: 1 block of 4 warps, 4 elements a thread: 16 requests of 4, 8 or 16 sectors. An asynchronous copy counts
// among the loads, but nothing is stored to shared memory by an instruction of its own.
//   plain_copy<int> 1: global_load_requests = 16, gld_transactions = 64, smsp__inst_executed_op_ldgsts.sum = 0,
//     smsp__sass_inst_executed_op_shared_st.sum = 16
//   async_copy<int> 1: smsp__inst_executed_op_ldgsts.sum = 16, global_load_requests = 16, gld_transactions = 64,
//     smsp__sass_inst_executed_op_shared_st.sum = 0
//   async_copy<int2> 1: smsp__inst_executed_op_ldgsts.sum = 16, gld_transactions = 128
//   async_copy<int4> 1: smsp__inst_executed_op_ldgsts.sum = 16, gld_transactions = 256
//   async_copy<int> 1 and async_copy<int4> 1, over the plain copy's launch, which takes 2,500 ns:
//     gpu__time_duration.sum / plain_copy<int> 1 = 0.95 to 0.999
//     gpu__time_duration.sum / plain_copy<int4> 1 = 0.95 to 0.999
#include <cuda_pipeline.h>

#include <cstring>

#include "example.h"

const int THREADS = 128, EACH = 4, N = THREADS * EACH;

template <typename T> __device__ void hand_out(const T *shared, T *out)
{
    __syncthreads(); // the neighbours' copies are there, too
    for (int k = 0; k < EACH; k++)
        out[k * THREADS + threadIdx.x] = shared[N - 1 - (k * THREADS + threadIdx.x)];
}

template <typename T> __global__ void plain_copy(const T *in, T *out, long long *clocks)
{
    __shared__ T shared[N];
    long long start = clock64();
    for (int k = 0; k < EACH; k++)
        shared[k * THREADS + threadIdx.x] = in[k * THREADS + threadIdx.x];
    clocks[threadIdx.x] = clock64() - start;
    hand_out(shared, out);
}

template <typename T> __global__ void async_copy(const T *in, T *out, long long *clocks)
{
    __shared__ T shared[N];
    long long start = clock64();
    for (int k = 0; k < EACH; k++)
        __pipeline_memcpy_async(&shared[k * THREADS + threadIdx.x], &in[k * THREADS + threadIdx.x], sizeof(T));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    clocks[threadIdx.x] = clock64() - start;
    hand_out(shared, out);
}

template <typename T> static void run(const char *name)
{
    std::vector<T> in(N);
    for (int i = 0; i < N * (int)(sizeof(T) / sizeof(int)); i++)
        ((int *)in.data())[i] = i * 7 + 1;
    T *device_in = to_device(in), *out;
    long long *clocks;
    CHECK(cudaMalloc(&out, N * sizeof(T)));
    CHECK(cudaMalloc(&clocks, THREADS * sizeof(long long)));
    for (int async = 0; async < 2; async++) {
        CHECK(cudaMemset(out, 0, N * sizeof(T)));
        if (async)
            async_copy<T><<<1, THREADS>>>(device_in, out, clocks);
        else
            plain_copy<T><<<1, THREADS>>>(device_in, out, clocks);
        std::vector<T> got = to_host(out, N);
        bool same = true;
        for (int i = 0; i < N; i++)
            same &= !memcmp(&got[i], &in[N - 1 - i], sizeof(T));
        char what[60];
        snprintf(what, sizeof what, "%s, %s copy", name, async ? "asynchronous" : "plain");
        expect(same, what);
        bool forward = true;
        for (long long ticks : to_host(clocks, THREADS))
            forward &= ticks >= 0;
        expect(forward, "the clock does not run backwards");
    }
}

int main()
{
    run<int>("4 bytes");
    run<int2>("8 bytes");
    run<int4>("16 bytes");
    return verdict();
}
