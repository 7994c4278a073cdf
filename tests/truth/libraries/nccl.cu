// What two ranks' reductions give, bit for bit: every type and operation over pairs of values of all kinds, as a table:
//   type  operation  a  b  result     (bits, hexadecimal)
// On a machine with two GPUs:  nvcc -std=c++17 nccl.cu -lnccl -o nccl && ./nccl > nccl.tsv
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include <nccl.h>

#define CHECK(call) do { auto e_ = (call); if (e_) { fprintf(stderr, "%s: %d\n", #call, (int)e_); return 1; } } while (0)

static const struct { const char *name; ncclDataType_t type; int bytes; bool floating; } types[] = {
    {"int8", ncclInt8, 1, false}, {"uint8", ncclUint8, 1, false}, {"int32", ncclInt32, 4, false}, {"uint32", ncclUint32, 4, false},
    {"int64", ncclInt64, 8, false}, {"uint64", ncclUint64, 8, false}, {"float16", ncclFloat16, 2, true}, {"float32", ncclFloat32, 4, true},
    {"float64", ncclFloat64, 8, true}, {"bfloat16", ncclBfloat16, 2, true}, {"float8e4m3", ncclFloat8e4m3, 1, true}, {"float8e5m2", ncclFloat8e5m2, 1, true},
};
static const char *const ops[] = {"sum", "prod", "max", "min", "avg"};
const int N = 48;

// Bits of element i of rank r: by a formula; with floating types every sixth is scaled to small exponents so that sums round.
static uint64_t bits(int r, int i, int bytes)
{
    uint64_t x = (uint64_t)(i * 2 + r + 1) * 0x9e3779b97f4a7c15u;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 32;
    if (r == 1 && i % 3) // near the other's value
        x = bits(0, i, bytes) ^ (x & (((uint64_t)1 << (bytes * 4)) - 1));
    return bytes == 8 ? x : x & (((uint64_t)1 << bytes * 8) - 1);
}

int main()
{
    ncclComm_t comm[2];
    char *send[2], *recv[2];
    CHECK(ncclCommInitAll(comm, 2, nullptr));
    for (int r = 0; r < 2; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaMalloc(&send[r], 8 * N));
        CHECK(cudaMalloc(&recv[r], 8 * N));
    }
    for (auto &t : types)
        for (int op = 0; op < 5; op++) {
            std::vector<char> out(8 * N);
            for (int r = 0; r < 2; r++) {
                std::vector<char> in(8 * N);
                for (int i = 0; i < N; i++) {
                    uint64_t b = bits(r, i, t.bytes);
                    memcpy(&in[i * t.bytes], &b, t.bytes);
                }
                CHECK(cudaSetDevice(r));
                CHECK(cudaMemcpy(send[r], in.data(), 8 * N, cudaMemcpyHostToDevice));
            }
            CHECK(ncclGroupStart());
            for (int r = 0; r < 2; r++)
                CHECK(ncclAllReduce(send[r], recv[r], N, t.type, (ncclRedOp_t)op, comm[r], 0));
            CHECK(ncclGroupEnd());
            for (int r = 1; r >= 0; r--) {
                CHECK(cudaSetDevice(r));
                CHECK(cudaDeviceSynchronize());
            }
            CHECK(cudaMemcpy(out.data(), recv[0], 8 * N, cudaMemcpyDeviceToHost));
            for (int i = 0; i < N; i++) {
                uint64_t result = 0;
                memcpy(&result, &out[i * t.bytes], t.bytes);
                printf("%s\t%s\t%llx\t%llx\t%llx\n", t.name, ops[op], (unsigned long long)bits(0, i, t.bytes), (unsigned long long)bits(1, i, t.bytes),
                       (unsigned long long)result);
            }
        }
    return 0;
}
