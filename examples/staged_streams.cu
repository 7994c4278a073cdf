// Copy and execute in stages: 4 streams, each with its part of the data. (Seed rows 25 and 31.)
//
// The lesson. Copy everything, then compute, then copy back: the copy engine and the multiprocessors take turns. Cut in
// four, part 2 is copied while part 1 is computed. It needs page-locked host memory (a copy from pageable memory is not
// asynchronous), streams other than the default one, and a device with asyncEngineCount > 0. The kernel is the same, it
// only gets a quarter of the grid and a pointer to its part.
//
// The figures, N = 16384 in blocks of 64:
//   scale: launches = 5
//   scale 1 (all at once): launch__grid_size = 256, global_load_requests = 512, gld_transactions = 2,048
//   scale 2 (first stage): launch__grid_size = 64, global_load_requests = 128, gld_transactions = 512
//   scale 5 (last stage): launch__grid_size = 64, global_load_requests = 128, gld_transactions = 512
#include <algorithm>

#include "example.h"

const int N = 16384, THREADS = 64, STREAMS = 4, PART = N / STREAMS;

__global__ void scale(float *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = 2.0f * a[i] + 1.0f;
}

int main()
{
    int engines;
    CHECK(cudaDeviceGetAttribute(&engines, cudaDevAttrAsyncEngineCount, 0));
    printf("copy engines: %d\n", engines);
    std::vector<float> in = numbers(N), wanted(N);
    for (int i = 0; i < N; i++)
        wanted[i] = 2.0f * in[i] + 1.0f; // the product by 2 is exact, so fused or not the result is the same
    float *host, *device;
    CHECK(cudaMallocHost(&host, N * sizeof(float)));
    CHECK(cudaMalloc(&device, N * sizeof(float)));

    std::copy(in.begin(), in.end(), host);
    CHECK(cudaMemcpy(device, host, N * sizeof(float), cudaMemcpyHostToDevice));
    scale<<<N / THREADS, THREADS>>>(device);
    CHECK(cudaMemcpy(host, device, N * sizeof(float), cudaMemcpyDeviceToHost));
    expect(std::vector<float>(host, host + N) == wanted, "all at once");

    std::copy(in.begin(), in.end(), host);
    CHECK(cudaMemset(device, 0, N * sizeof(float)));
    cudaStream_t streams[STREAMS];
    for (cudaStream_t &stream : streams)
        CHECK(cudaStreamCreate(&stream));
    for (int i = 0; i < STREAMS; i++) {
        float *mine = host + i * PART, *there = device + i * PART;
        CHECK(cudaMemcpyAsync(there, mine, PART * sizeof(float), cudaMemcpyHostToDevice, streams[i]));
        scale<<<PART / THREADS, THREADS, 0, streams[i]>>>(there);
        CHECK(cudaMemcpyAsync(mine, there, PART * sizeof(float), cudaMemcpyDeviceToHost, streams[i]));
    }
    for (cudaStream_t stream : streams) {
        CHECK(cudaStreamSynchronize(stream));
        CHECK(cudaStreamDestroy(stream));
    }
    expect(std::vector<float>(host, host + N) == wanted, "in four stages");
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
    return verdict();
}
