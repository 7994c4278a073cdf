// Timing a kernel with the host's clock and with events. (Seed row 10.)
//
// The lesson. A launch returns before the kernel has begun: a host's timer around it without waiting shows the launch alone. Waiting shows the
// kernel and the way there and back. Events are recorded by the device, in the stream: the time between them is the kernel's and a few
// microseconds, whatever the host does. The first launch of a program is left out of every measurement.
//
// The figures: spin is launched three times, 132 blocks of 256 threads, with the argument `times` seven times.
//   spin 1: launch__grid_size = 132, launch__block_size = 256
//   spin 3: launch__grid_size = 132
// With `heddle run --timed examples/timers.cu times` the times are the GPU's, modelled: four times as many turns take 3.5 to 4.5 times as long
// by events, for turns that take long enough; the host's own clock knows nothing of the GPU's time, there or elsewhere in Heddle.
#include <cstring>

#include "example.h"

const int BLOCKS = 132, THREADS = 256, TURNS = 20000;

__global__ void spin(float *out, int turns)
{
    float x = threadIdx.x;
    for (int i = 0; i < turns; i++)
        x = 0.5f * x + 1.0f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Milliseconds by events.
float time_of(float *out, int turns)
{
    cudaEvent_t start, stop;
    float ms;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    spin<<<BLOCKS, THREADS>>>(out, turns);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop)); // before it is read
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return ms;
}

int main(int argc, char **argv)
{
    bool times = argc > 1 && !strcmp(argv[1], "times");
    float *out;
    CHECK(cudaMalloc(&out, BLOCKS * THREADS * sizeof(float)));
    time_of(out, 1); // the first one
    float once = time_of(out, 100), again = time_of(out, 100);
    expect(once > 0 && again > 0, "time goes on between two events");
    expect(to_host(out, BLOCKS * THREADS) == std::vector<float>(BLOCKS * THREADS, 2.0f), "the kernels have run");
    if (times) {
        float short_one = time_of(out, TURNS), long_one = time_of(out, 4 * TURNS);
        printf("%d turns: %.1f us, %d turns: %.1f us\n", TURNS, 1e3 * short_one, 4 * TURNS, 1e3 * long_one);
        expect(time_of(out, TURNS) == short_one && time_of(out, 4 * TURNS) == long_one, "the same again: the model knows no noise");
        expect(long_one > 3.5f * short_one && long_one < 4.5f * short_one, "four times as many turns take four times as long");
    }
    CHECK(cudaFree(out));
    return verdict();
}
