// Copies with an offset and with a stride: what it costs when a warp's addresses do not fill whole sectors. (Rows 15, 31.)
//
// The lesson. A warp's request is served in sectors of 32 bytes. 32 neighbouring floats are 128 bytes: 4 sectors if they
// begin at a sector, 5 if they do not, whatever the offset. So an offset copy uses 4/5 of the bytes that it moves; the
// seed measures 9/10 in practice, since the neighbouring warp finds the shared sector in the cache. That is about the
// traffic behind the cache: the request still has 5. A stride of s spreads the 128 bytes over s times as many sectors
// until every lane has one of its own at s = 8; from there on 32 sectors, an eighth used. (The seed reaches "one
// transaction a lane" only at the extreme; with 4-byte words in 32-byte sectors 8 is that extreme.)
//
// The figures, 128 warps a launch. Loads and stores have the same addresses, so the same sectors.
//   offset_copy 1 (offset 0): global_load_requests = 128, gld_transactions = 512, gst_transactions = 512,
//     gld_efficiency = 100
//   offset_copy 2 (offset 1): gld_transactions = 640, gst_transactions = 640, gld_efficiency = 80
//   offset_copy 3 (offset 7): gld_transactions = 640;  offset_copy 4 (offset 8, a sector): gld_transactions = 512
//   stride_copy 1 (stride 1): gld_transactions_per_request = 4, gld_efficiency = 100
//   stride_copy 2 (stride 2): gld_transactions_per_request = 8, gld_efficiency = 50
//   stride_copy 3 (stride 4): gld_transactions_per_request = 16
//   stride_copy 4 (stride 8): gld_transactions_per_request = 32, gld_efficiency = 12.5
//   stride_copy 5 (stride 32): gld_transactions_per_request = 32, gst_transactions = 4,096 (128 x 32)
#include "example.h"

const int THREADS = 4096, BLOCK = 256;

__global__ void offset_copy(const float *in, float *out, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
    out[i] = in[i];
}

__global__ void stride_copy(const float *in, float *out, int stride)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    out[i] = in[i];
}

// What one copy must leave: `in` at first, first + step, ... (THREADS of them), 0 elsewhere.
static bool right(const std::vector<float> &in, const std::vector<float> &out, int first, int step)
{
    std::vector<float> wanted(in.size(), 0.0f);
    for (int i = 0; i < THREADS; i++)
        wanted[first + i * step] = in[first + i * step];
    return out == wanted;
}

int main()
{
    const size_t elements = THREADS * 32;
    std::vector<float> in = numbers(elements);
    float *device_in = to_device(in), *device_out;
    CHECK(cudaMalloc(&device_out, elements * sizeof(float)));
    char what[40];
    for (int offset : {0, 1, 7, 8}) {
        CHECK(cudaMemset(device_out, 0, elements * sizeof(float)));
        offset_copy<<<THREADS / BLOCK, BLOCK>>>(device_in, device_out, offset);
        snprintf(what, sizeof what, "offset %d", offset);
        expect(right(in, to_host(device_out, elements), offset, 1), what);
    }
    for (int stride : {1, 2, 4, 8, 32}) {
        CHECK(cudaMemset(device_out, 0, elements * sizeof(float)));
        stride_copy<<<THREADS / BLOCK, BLOCK>>>(device_in, device_out, stride);
        snprintf(what, sizeof what, "stride %d", stride);
        expect(right(in, to_host(device_out, elements), 0, stride), what);
    }
    return verdict();
}
