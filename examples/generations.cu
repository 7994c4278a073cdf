// One kernel, five generations of GPUs: what the same loads cost on each. (Seed row 15.)
//
// The lesson. How a warp's addresses become transactions has changed four times, and advice about coalescing is advice
// about one generation. 1.0 and 1.1 want the lanes of each half-warp in order from the begin of a segment, or move 32
// bytes for every lane. 1.2 and 1.3 take any order, and shrink a segment of 128 bytes to the half, or quarter, that is
// used. 2.x fetches lines of 128 bytes into L1, so that a shifted warp costs twice as much as an aligned one; past L1
// (-Xptxas -dlcm=cg) it is 32 bytes at a time. 3.x does that by itself, L1 only if asked (-dlcm=ca). From 5.0 on it is
// sectors of 32 bytes, with or without L1. Shifted, 4/5 of the bytes are used then. (The seed's two modes, 128 bytes
// or 32, are those of 2.x and 3.x.)
//
//   for device in g80 gt200 c2050 k40 gtx980; do heddle profile --device $device examples/generations.cu; done
//
// The figures: one warp, element t of load 1 (aligned), t + 1 of load 2 (shifted), t ^ 1 of load 3 (neighbours swapped),
// 2 t of load 4 (stride 2); 4 bytes each. Transactions of a load, and their sizes in bytes:
//                     aligned        shifted              swapped        stride 2
//   g80    (1.0)      2 x 64         32 x 32              32 x 32        32 x 32
//   gt200  (1.3)      2 x 64         128 + 64 + 32        2 x 64         2 x 128
//   c2050  (2.0)      128            2 x 128              128            2 x 128
//   c2050, -dlcm=cg   4 x 32         5 x 32               4 x 32         8 x 32
//   k40    (3.5)      4 x 32         5 x 32               4 x 32         8 x 32
//   k40, -dlcm=ca     128            2 x 128              128            2 x 128
//   gtx980 (5.2)      4 x 32         5 x 32               4 x 32         8 x 32
//   h200   (9.0)      4 x 32         5 x 32               4 x 32         8 x 32
// so by the words of the report
//   g80: aligned gld_transactions = 2, gld_64b = 2, gld_efficiency = 100; the others gld_transactions = 32,
//     gld_32b = 32, gld_efficiency = 12.5
//   gt200: shifted gld_transactions = 3, gld_128b = 1, gld_64b = 1, gld_32b = 1, gld_efficiency = 57.142857 (128 of
//     224 bytes)
//   c2050: gld_transactions = 1 and gld_128b = 1, shifted gld_128b = 2 and gld_efficiency = 50
//   past L1: aligned gld_transactions = 4, shifted gld_transactions = 5 and gld_efficiency = 80, stride 2
//     gld_transactions = 8
// The stores are aligned: gst_transactions = 2 on 1.x, and gst_transactions = 4 from 2.0 on, where L2 is written by 32 bytes.
#include "example.h"

const int WARP = 32;

__global__ void load(const float *in, float *out, int stride, int offset, int flip)
{
    int t = threadIdx.x;
    out[t] = in[(t ^ flip) * stride + offset];
}

int main()
{
    static const struct {
        const char *name;
        int stride, offset, flip;
    } ways[] = {{"aligned", 1, 0, 0}, {"shifted", 1, 1, 0}, {"swapped", 1, 0, 1}, {"stride 2", 2, 0, 0}};
    std::vector<float> in = numbers(2 * WARP), wanted(WARP);
    float *device_in = to_device(in), *device_out;
    CHECK(cudaMalloc(&device_out, WARP * sizeof(float)));
    for (const auto &way : ways) {
        load<<<1, WARP>>>(device_in, device_out, way.stride, way.offset, way.flip);
        CHECK(cudaGetLastError());
        for (int t = 0; t < WARP; t++)
            wanted[t] = in[(t ^ way.flip) * way.stride + way.offset];
        expect(to_host(device_out, WARP) == wanted, way.name);
    }
    CHECK(cudaFree(device_in));
    CHECK(cudaFree(device_out));
    return verdict();
}
