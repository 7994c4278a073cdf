// Rows and banks of DRAM: a stream against jumps from row to row, in one bank or in several. (Row 14.)
//
// The lesson. The cells of a bank are read a row at a time, into a buffer; what lies in the open row is had at once, another
// row means writing this one back and reading that one, which takes some 44 ns for 7 ns of data here. A stream opens each
// row once and takes all of it. Jumps that stay in one bank pay for a row with each access, and the bus is idle
// five sixths of the time. The same jumps spread over the banks open as many rows, but while one bank fetches its row
// others deliver: that is what banks are for. The seed's sum: if the cells take 20 times as long as the bus, 21 banks
// keep it full. `heddle devices` has that figure for each GPU (dram_banks_to_fill: 25 for the GTX 280 with one burst a
// row; here each access takes four bursts, so seven of its eight banks would do. What is left is the rate at which rows may
// be opened, tRRD: one in 10 ns, and the data of an access take 7).
//
//   heddle profile --device gt200 --section MemoryWorkloadAnalysis examples/dram_rows.cu
//
// The figures, GTX 280: no cache is in the way. 16 channels with pieces of 256 bytes; in a channel 8 pieces are a row of 2,048
// bytes, the next 8 the same row of the next bank, of 8. So 16 x 256 x 8 = 32,768 bytes further is the next bank, and eight
// times that the next row of the same bank. One block of 16 threads, a transaction of 64 bytes a step; in the end the sums are
// written where the last step has read, in the open row: one access more, a hit.
//   launch 1, stream: 512 steps of 64 bytes are one row in each of 16 channels, which were closed: 512 + 1 - 16 hits,
//     derived__dram_accesses.sum = 513, derived__dram_row_hits.sum = 497, derived__dram_row_conflicts.sum = 0
//   launch 2, 64 jumps in one bank: the first finds it closed, derived__dram_row_conflicts.sum = 63,
//     derived__dram_row_hits.sum = 1, derived__dram_bank_busiest_to_mean.ratio = 8 (one of 8 banks)
//   launch 3, 64 jumps through 8 banks: as many rows, derived__dram_row_conflicts.sum = 56, derived__dram_row_hits.sum = 1, but
//     bus efficiency is near 75 % instead of near 17 %.
#include "example.h"

const int LANES = 16;

__global__ void walk(float *data, int step, int steps)
{
    float sum = 0;
#pragma unroll 1 // steps in their order: turns side by side may ask for the last one first
    for (int i = 0; i < steps; i++)
        sum += data[i * step + threadIdx.x];
    data[(steps - 1) * step + threadIdx.x] = sum;
}

int main()
{
    static const struct {
        const char *name;
        int step, steps; // floats
    } ways[] = {{"stream", 16, 512}, {"jumps in one bank", 8 * 8192, 64}, {"jumps through the banks", 8192, 64}};
    const int all = 64 * 8 * 8192;
    std::vector<float> data = numbers(all);
    for (const auto &way : ways) {
        float *device = to_device(data);
        walk<<<1, LANES>>>(device, way.step, way.steps);
        CHECK(cudaGetLastError());
        std::vector<float> got = to_host(device, all), wanted = data;
        for (int t = 0; t < LANES; t++) {
            float sum = 0;
            for (int i = 0; i < way.steps; i++)
                sum += data[i * way.step + t];
            wanted[(way.steps - 1) * way.step + t] = sum;
        }
        expect(got == wanted, way.name);
        CHECK(cudaFree(device));
    }
    return verdict();
}
