// Allocation in the order of a stream: cudaMallocAsync and cudaFreeAsync. (Seed row 27.)
//
// The lesson. cudaMalloc and cudaFree may wait for the whole device. Their asynchronous forms take their place in a stream
// like any other work: memory exists from its allocation to its release in the stream's order, so a temporary can be
// allocated, used and released without the host ever waiting. Another stream may use it only behind an event (or other
// order) after the allocation, and must be done before the release. What was released serves later allocations of the
// stream at once.
//
// The figures, 3 rounds of two kernels over 2048 ints (64 warps) with a temporary between them:
//   squares: launches = 3, add_up: launches = 4
//   squares 1: global_store_requests = 64
//   add_up 1: global_load_requests = 64, gld_transactions = 256
#include "example.h"

const int N = 2048, BLOCK = 256;

__global__ void squares(int *out, int first)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = (first + i) * (first + i) % 1000;
}

__global__ void add_up(const int *in, int *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(sum, in[i]);
}

static int wanted(int first)
{
    int sum = 0;
    for (int i = 0; i < N; i++)
        sum += (first + i) * (first + i) % 1000;
    return sum;
}

int main()
{
    cudaStream_t stream, other;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    int *sums, *results;
    CHECK(cudaMalloc(&sums, 4 * sizeof(int)));
    CHECK(cudaMemset(sums, 0, 4 * sizeof(int)));
    CHECK(cudaMallocHost(&results, 4 * sizeof(int)));
    CHECK(cudaDeviceSynchronize()); // the other streams do not wait for the default one

    for (int round = 0; round < 3; round++) { // queued without waiting once
        int *temporary;
        CHECK(cudaMallocAsync((void **)&temporary, N * sizeof(int), stream));
        squares<<<N / BLOCK, BLOCK, 0, stream>>>(temporary, round * 100);
        add_up<<<N / BLOCK, BLOCK, 0, stream>>>(temporary, &sums[round]);
        if (round == 2) { // another stream reads it too, between allocation and release
            cudaEvent_t written, read;
            CHECK(cudaEventCreate(&written));
            CHECK(cudaEventCreate(&read));
            CHECK(cudaEventRecord(written, stream));
            CHECK(cudaStreamWaitEvent(other, written, 0));
            add_up<<<N / BLOCK, BLOCK, 0, other>>>(temporary, &sums[3]);
            CHECK(cudaEventRecord(read, other));
            CHECK(cudaStreamWaitEvent(stream, read, 0));
        }
        CHECK(cudaFreeAsync(temporary, stream));
    }
    CHECK(cudaMemcpyAsync(results, sums, 4 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    expect(results[0] == wanted(0) && results[1] == wanted(100) && results[2] == wanted(200), "three temporaries, one after another");
    expect(results[3] == wanted(200), "used by another stream in between");

    int *p;
    CHECK(cudaMallocAsync((void **)&p, 100, stream));
    CHECK(cudaStreamSynchronize(stream));
    expect(cudaFree(p) == cudaSuccess, "cudaFree releases it as well");
    CHECK(cudaMalloc(&p, 100));
    expect(cudaFreeAsync(p, stream) == cudaSuccess, "and cudaFreeAsync what cudaMalloc gave");
    expect(cudaMallocAsync((void **)&p, (size_t)1 << 50, stream) == cudaErrorMemoryAllocation, "a petabyte is refused");
    cudaGetLastError();
    return verdict();
}
