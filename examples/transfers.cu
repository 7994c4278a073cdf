// Copies between host and device: pageable and page-locked memory, small ones and large ones. (Seed row 24.)
//
// The lesson. Page-locked memory is copied by the device itself. Pageable memory the driver must copy to a page-locked buffer first, so it is
// slower, and the call waits. Each copy costs some microseconds besides its bytes: one of 4 MiB is faster than 1,024 of 4 KiB. What is copied often
// belongs in page-locked memory; what is small belongs together.
//
// The figures: no kernel but the one that checks what has arrived: 4,096 blocks of 256 threads.
//   add_one 1: launch__grid_size = 4,096, gld_transactions = 131,072
// With `heddle run --timed examples/transfers.cu times` the times are the GPU's, modelled: page-locked memory is more than twice as fast as pageable
// memory, and one copy more than ten times as fast as 1,024 with the same bytes.
#include <cstring>

#include "example.h"

const size_t N = 1 << 20, BYTES = N * sizeof(float), PARTS = 1024;

__global__ void add_one(float *a)
{
    a[blockIdx.x * blockDim.x + threadIdx.x] += 1.0f;
}

cudaEvent_t start, stop;

// Microseconds of what `copy` puts into the default stream.
template <typename F> float time_of(F copy)
{
    float ms;
    CHECK(cudaEventRecord(start));
    copy();
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    return 1e3f * ms;
}

int main(int argc, char **argv)
{
    bool times = argc > 1 && !strcmp(argv[1], "times");
    std::vector<float> pageable = numbers(N);
    float *locked, *device;
    CHECK(cudaMallocHost(&locked, BYTES));
    CHECK(cudaMalloc(&device, BYTES));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));

    memcpy(locked, pageable.data(), BYTES);
    float slow = time_of([&] { CHECK(cudaMemcpy(device, pageable.data(), BYTES, cudaMemcpyHostToDevice)); });
    float fast = time_of([&] { CHECK(cudaMemcpyAsync(device, locked, BYTES, cudaMemcpyHostToDevice)); });
    float small = time_of([&] {
        for (size_t i = 0; i < PARTS; i++)
            CHECK(cudaMemcpyAsync(device + i * N / PARTS, locked + i * N / PARTS, BYTES / PARTS, cudaMemcpyHostToDevice));
    });
    add_one<<<N / 256, 256>>>(device);
    std::vector<float> wanted = pageable;
    for (float &x : wanted)
        x += 1.0f;
    expect(to_host(device, N) == wanted, "all of it has arrived");
    if (times) {
        printf("pageable %.1f us, page-locked %.1f us, page-locked in %zu parts %.1f us\n", slow, fast, PARTS, small);
        expect(slow > 2 * fast, "page-locked memory is more than twice as fast");
        expect(small > 10 * fast, "one copy is more than ten times as fast as many");
    }
    CHECK(cudaFreeHost(locked));
    CHECK(cudaFree(device));
    return verdict();
}
