// How much of what DRAM is read for is used, by stride. (Row 14.)
//
// The lesson. A DRAM never gives single words. A row of cells goes to a buffer, from there bursts go over the bus, 16 or
// 32 bytes each, and what is asked for is whole bursts: a sector of 32 bytes, two of them on newer GPUs, a line of 128 on
// Fermi, where L1 asks for lines. A warp that takes every s-th float leaves the rest of each burst unused, though it was paid
// for: half with a stride of 2, and no more than a word of each piece once the stride is longer than a piece. The same bytes
// are then moved for ever fewer floats. (The seed calls 128 bytes the size of a burst since Fermi, 32 without L1. These are
// what L1 or L2 asks for at once: the bursts of these memories are 16 or 32 bytes.)
//
//   for device in g80 c2050 k40 h200; do heddle profile --device $device --section MemoryWorkloadAnalysis examples/dram_bursts.cu; done
//
// The figures: 16,384 threads load a float each, 65,536 bytes, with strides of 1, 2, 4, 8, 16, 32. What DRAM reads:
//   pieces of 64 bytes (H200): strides of 1 to 16 read 65,536 bytes times the stride, as nothing between is left out:
//     launch 1 dram__bytes_read.sum = 65536 and derived__dram_read_use.pct = 100
//     launch 2 dram__bytes_read.sum = 131072 and derived__dram_read_use.pct = 50
//     launch 4 (stride 8) dram__bytes_read.sum = 524288 and derived__dram_read_use.pct = 12.5
//     launch 5 (stride 16) and launch 6 (stride 32) dram__bytes_read.sum = 1048576, 64 bytes for each float, and
//     derived__dram_read_use.pct = 6.25
//   sectors of 32 bytes (K40, which loads past L1): from a stride of 8 on 32 bytes for each float, dram__bytes_read.sum = 524288
//     and derived__dram_read_use.pct = 12.5
//   lines of 128 bytes (C2050): with a stride of 32 each float costs a line, dram__bytes_read.sum = 2097152 and
//     derived__dram_read_use.pct = 3.125
//   8800 GTX: lanes that are not side by side get 32 bytes each, so every stride but 1 uses 12.5: launch 1
//     derived__dram_read_use.pct = 100, launch 2 derived__dram_read_use.pct = 12.5
// Stores are side by side. On GPUs with L2 they are there when the launch ends.
#include "example.h"

const int THREADS = 16384, MOST = 32;

__global__ void every(const float *in, float *out, int stride)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = in[t * stride];
}

int main()
{
    std::vector<float> in = numbers(THREADS * MOST), wanted(THREADS);
    float *device_in = to_device(in), *device_out;
    CHECK(cudaMalloc(&device_out, THREADS * sizeof(float)));
    for (int stride = 1; stride <= MOST; stride *= 2) {
        every<<<THREADS / 256, 256>>>(device_in, device_out, stride);
        CHECK(cudaGetLastError());
        for (int t = 0; t < THREADS; t++)
            wanted[t] = in[t * stride];
        char what[32];
        snprintf(what, sizeof what, "stride %d", stride);
        expect(to_host(device_out, THREADS) == wanted, what);
    }
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
    return verdict();
}
