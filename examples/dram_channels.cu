// Which channel of DRAM an address goes to: all of them busy, or one for all. (Row 14.)
//
// The lesson. One bus of DRAM is far too slow for a GPU, so there are many, and the addresses are interleaved: neighbouring
// pieces of 256 bytes lie in different channels. Whoever reads a long array keeps all busy. Whoever walks down a column
// of a matrix takes a piece of every row, and if a row is a multiple of what all channels hold together, every piece lies in
// the same channel: the others have nothing to do. On the GPUs of the 8 and 200 series that was a plague ("partition
// camping"): rows of 2,048 bytes met one of the GTX 280's eight partitions. Two ways out: rows with a piece more than they
// need (a pad), or another order of the blocks. Since Fermi the places are scattered by a hash, and no such stride is known; the
// H200's busiest channel has 1.06, 1.31 and 1.31 times the mean in the three (heddle profile --section MemoryWorkloadAnalysis).
//
//   for device in gt200 h200; do heddle profile --device $device --section MemoryWorkloadAnalysis examples/dram_channels.cu; done
//
// The figures, GTX 280 (8 partitions of 64 bits, here 16 channels of 32 bits). 16 blocks of 64 threads read 3,008 pieces,
// 188 each, and write a piece each at the end, side by side: 3,024 pieces, 189 a channel on the average.
//   launch 1, one piece after the other: 188 and 1 in every channel, derived__dram_channel_busiest_to_mean.ratio = 1
//   launch 2, rows of 2,048 bytes: every 8th piece, two channels have 1,504 and 1 each, 1505 / 189:
//     derived__dram_channel_busiest_to_mean.ratio = 7.962963
//   launch 3, rows of 2,304 bytes: every 9th piece, all channels again: derived__dram_channel_busiest_to_mean.ratio = 1
// Each way dram__bytes_read.sum = 770048.
#include "example.h"

const int PIECE = 64; // floats: 256 bytes
const int ROWS = 3008, BLOCKS = 16;

// Each block adds up the first 64 columns of its rows.
__global__ void column(const float *in, float *out, int row_floats)
{
    float sum = 0;
    for (int row = blockIdx.x; row < ROWS; row += gridDim.x)
        sum += in[row * row_floats + threadIdx.x];
    out[blockIdx.x * PIECE + threadIdx.x] = sum;
}

int main()
{
    static const struct {
        const char *name;
        int row_floats;
    } ways[] = {{"one after the other", PIECE}, {"rows of 2,048 bytes", 512}, {"rows of 2,304 bytes", 512 + PIECE}};
    std::vector<float> in = numbers(ROWS * (512 + PIECE)), wanted(BLOCKS * PIECE);
    float *device_in = to_device(in), *device_out;
    CHECK(cudaMalloc(&device_out, wanted.size() * sizeof(float)));
    for (const auto &way : ways) {
        column<<<BLOCKS, PIECE>>>(device_in, device_out, way.row_floats);
        CHECK(cudaGetLastError());
        for (int b = 0; b < BLOCKS; b++)
            for (int t = 0; t < PIECE; t++) {
                float sum = 0;
                for (int row = b; row < ROWS; row += BLOCKS)
                    sum += in[row * way.row_floats + t];
                wanted[b * PIECE + t] = sum;
            }
        expect(to_host(device_out, BLOCKS * PIECE) == wanted, way.name);
    }
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
    return verdict();
}
