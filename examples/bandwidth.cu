// A bandwidth test: bytes moved over time, for each way between host and device and inside the device. (Rows 11, 12, 31.)
//
// The lesson. Effective bandwidth is (bytes read + bytes written) / time, theoretical bandwidth is clock x 2 x bus width.
// What a program asks for and what the memory moves are two figures: a kernel that copies every other element uses half
// of each sector, so its effective bandwidth is at most half of what the bus does. A copy of float4 moves the same
// sectors as one of float with a quarter of the requests. Page-locked host memory is copied without a detour, pageable
// memory through a buffer of the driver. Time is taken between two events in the same stream, after one warm-up, and an
// event is waited for before its time is read. (Events show how long Heddle itself took, or with `heddle run --timed` what
// the model has for the GPU. The figures below do not depend on it.)
//
// The figures, N = 1,048,576 elements of 4 bytes, blocks of 256: 32,768 warps of 128 bytes.
//   copy<float> 1: global_load_requests = 32,768, gld_transactions = 131,072, gst_transactions = 131,072,
//     gld_efficiency = 100 (4,194,304 bytes asked for, 131,072 x 32 moved)
//   copy<float4> 1: global_load_requests = 8,192, gld_transactions = 131,072, gst_transactions = 131,072, gld_efficiency = 100
//   copy_half 1: global_load_requests = 16,384, gld_transactions = 131,072, gst_transactions = 131,072, gld_efficiency = 50
// In time, a thread that asks for 16 bytes has four times as much on its way; half of the floats take more than half as long:
//   copy<float4> 1: gpu__time_duration.sum / copy<float> 1 = 0.5 to 0.95
//   copy_half 1: gpu__time_duration.sum / copy<float> 1 = 0.6 to 0.95
// A rate that is asked for over the one that is moved is the efficiency, whatever the time:
//   copy<float> 1: gld_requested_throughput / gld_throughput = 1
//   copy_half 1: gld_requested_throughput / gld_throughput = 0.5, gst_requested_throughput / gst_throughput = 0.5
#include <cstring>

#include "example.h"

const int N = 1 << 20, THREADS = 256, ROUNDS = 4;

template <typename T> __global__ void copy(const T *in, T *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

__global__ void copy_half(const float *in, float *out)
{
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    out[i] = in[i];
}

// Milliseconds a round, the first one not counted.
template <typename F> static float time_of(F once)
{
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    once();
    CHECK(cudaEventRecord(start));
    for (int i = 0; i < ROUNDS; i++)
        once();
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return ms / ROUNDS;
}

static void show(const char *what, double bytes, float ms)
{
    printf("%-32s %8.3f GB/s\n", what, ms > 0 ? bytes / (ms * 1e-3) / 1e9 : 0.0); // decimal, as on data sheets
    expect(ms >= 0, "the second event is not before the first");
}

int main()
{
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    printf("%-32s %8.3f GB/s\n", "theoretical", prop.memoryClockRate * 1e3 * 2 * (prop.memoryBusWidth / 8) / 1e9);

    const size_t bytes = N * sizeof(float);
    std::vector<float> pageable = numbers(N), back(N);
    float *pinned, *in, *out;
    CHECK(cudaMallocHost(&pinned, bytes));
    CHECK(cudaMalloc(&in, bytes));
    CHECK(cudaMalloc(&out, bytes));
    memcpy(pinned, pageable.data(), bytes);

    show("host to device, pageable", bytes,
         time_of([&] { CHECK(cudaMemcpy(in, pageable.data(), bytes, cudaMemcpyHostToDevice)); }));
    show("host to device, page-locked", bytes,
         time_of([&] { CHECK(cudaMemcpyAsync(in, pinned, bytes, cudaMemcpyHostToDevice, 0)); }));
    show("device to device, read and write", 2 * bytes,
         time_of([&] { CHECK(cudaMemcpy(out, in, bytes, cudaMemcpyDeviceToDevice)); }));
    show("device to host, pageable", bytes,
         time_of([&] { CHECK(cudaMemcpy(back.data(), out, bytes, cudaMemcpyDeviceToHost)); }));
    expect(back == pageable, "there and back again");

    CHECK(cudaMemset(out, 0, bytes));
    show("kernel, float", 2 * bytes, time_of([&] { copy<float><<<N / THREADS, THREADS>>>(in, out); }));
    expect(to_host(out, N) == pageable, "copied float by float");
    CHECK(cudaMemset(out, 0, bytes));
    show("kernel, float4", 2 * bytes,
         time_of([&] { copy<float4><<<N / 4 / THREADS, THREADS>>>((const float4 *)in, (float4 *)out); }));
    expect(to_host(out, N) == pageable, "copied four by four");
    CHECK(cudaMemset(out, 0, bytes));
    show("kernel, every other float", bytes, time_of([&] { copy_half<<<N / 2 / THREADS, THREADS>>>(in, out); }));
    bool right = true;
    back = to_host(out, N);
    for (int i = 0; i < N; i++)
        right = right && back[i] == (i % 2 ? 0.0f : pageable[i]);
    expect(right, "every other element copied, the others left alone");
    CHECK(cudaGetLastError());
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return verdict();
}
