// Copies and kernels at the same time: in one stream, in stages, and small kernels side by side. (Seed row 25.)
//
// The lesson. Commands of one stream run one after the other. A copy, a kernel and a copy back, cut into four streams, overlap: while one part is
// computed the next one is copied in and the one before it copied out. The kernel here takes about as long as a copy, so three things at a time
// take little more than the longest. Kernels of few blocks in several streams run side by side, which pays where they take
// long beside a launch. Copies must be asynchronous, from page-locked memory, in streams that are not the default one.
//
// The figures, parts of 1 MiB: 4 launches in one stream, 4 in four, then 4 small ones in one stream and 4 in four.
//   scale: launches = 16
//   scale 1: launch__grid_size = 1,024
//   scale 9: launch__grid_size = 8
// With `heddle run --timed examples/overlap.cu times` the times are the GPU's, modelled: in stages it takes less than two thirds of the time, small
// kernels side by side less than half.
#include <cstring>

#include "example.h"

const int PARTS = 4, PART = 1 << 18, THREADS = 256, SMALL = 8;

__global__ void scale(float *a, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = a[i];
    for (int k = 0; k < turns; k++)
        x = 0.5f * x + 1.0f;
    a[i] = x;
}

cudaStream_t streams[PARTS];
cudaEvent_t start, stop, ended[PARTS];

// Microseconds from before the first to behind the last of what `work` puts into `n` of the streams.
template <typename F> float time_of(int n, F work)
{
    float ms;
    CHECK(cudaEventRecord(start, streams[0]));
    for (int i = 1; i < n; i++)
        CHECK(cudaStreamWaitEvent(streams[i], start, 0));
    for (int i = 0; i < PARTS; i++)
        work(i, streams[i % n]);
    for (int i = 1; i < n; i++) {
        CHECK(cudaEventRecord(ended[i], streams[i]));
        CHECK(cudaStreamWaitEvent(streams[0], ended[i], 0));
    }
    CHECK(cudaEventRecord(stop, streams[0]));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    return 1e3f * ms;
}

int main(int argc, char **argv)
{
    bool times = argc > 1 && !strcmp(argv[1], "times");
    const int turns = times ? 400 : 4;
    float *host, *device;
    CHECK(cudaMallocHost(&host, PARTS * PART * sizeof(float)));
    CHECK(cudaMalloc(&device, PARTS * PART * sizeof(float)));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int i = 0; i < PARTS; i++) {
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&ended[i], cudaEventDisableTiming));
    }
    auto stage = [&](int i, cudaStream_t s) {
        float *mine = host + i * PART, *there = device + i * PART;
        CHECK(cudaMemcpyAsync(there, mine, PART * sizeof(float), cudaMemcpyHostToDevice, s));
        scale<<<PART / THREADS, THREADS, 0, s>>>(there, turns);
        CHECK(cudaMemcpyAsync(mine, there, PART * sizeof(float), cudaMemcpyDeviceToHost, s));
    };
    auto fill = [&] { std::fill(host, host + PARTS * PART, 2.0f); }; // which scale leaves as it is
    fill();
    float one = time_of(1, stage);
    expect(std::vector<float>(host, host + PARTS * PART) == std::vector<float>(PARTS * PART, 2.0f), "in one stream");
    fill();
    float four = time_of(PARTS, stage);
    expect(std::vector<float>(host, host + PARTS * PART) == std::vector<float>(PARTS * PART, 2.0f), "in four streams");

    auto small = [&](int i, cudaStream_t s) { scale<<<SMALL, THREADS, 0, s>>>(device + i * PART, 20 * turns); };
    float behind = time_of(1, small), beside = time_of(PARTS, small);
    expect(to_host(device, PARTS * PART) == std::vector<float>(PARTS * PART, 2.0f), "small kernels");
    if (times) {
        printf("one stream %.1f us, four streams %.1f us; small kernels %.1f us, side by side %.1f us\n", one, four, behind, beside);
        expect(four < one * 2 / 3, "in stages: less than two thirds");
        expect(beside < behind / 2, "side by side: less than half");
    }
    CHECK(cudaFreeHost(host));
    CHECK(cudaFree(device));
    return verdict();
}
