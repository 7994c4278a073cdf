// Structures of 1, 2, 4, 8 and 16 bytes are one access, others are several. (Seed row 16.)
//
// The lesson. A thread reads 1, 2, 4, 8 or 16 bytes at once, aligned to their size. A structure that is none of these, or
// is not aligned, is read member by member, and each of these requests touches the sectors of the whole warp again. 7 bytes
// as 7 chars: 7 requests; padded to 8 by __align__(8): one. Three floats: 3 requests; __align__(16): one, at the price of
// 4 bytes in 16. (The seed calls the 7 bytes "several transactions": it is requests that multiply first. And a C++
// structure with an int in it is never 7 bytes: the compiler has padded it already.)
//
// The figures, 8 warps a launch, loads and stores alike (32 x 7 bytes are 7 sectors, 32 x 12 are 12):
//   copy<One> 1: global_load_requests = 8, gld_transactions = 8
//   copy<Two> 1: global_load_requests = 8, gld_transactions = 16
//   copy<Four> 1: global_load_requests = 8, gld_transactions = 32
//   copy<Seven> 1: global_load_requests = 56, gld_transactions = 392 (8 x 7 x 7), global_store_requests = 56
//   copy<Padded> 1: global_load_requests = 8, gld_transactions = 64, global_store_requests = 8
//   copy<Twelve> 1: global_load_requests = 24, gld_transactions = 288 (8 x 3 x 12), global_store_requests = 24
//   copy<Sixteen> 1: global_load_requests = 8, gld_transactions = 128, global_store_requests = 8
#include <cstring>

#include "example.h"

struct One { unsigned char a; };
struct Two { short a; };
struct Four { unsigned char r, g, b, a; } __attribute__((aligned(4)));
struct Seven { unsigned char a[7]; };
struct __align__(8) Padded { unsigned char a[7]; };
struct Twelve { float x, y, z; };
struct __align__(16) Sixteen { float x, y, z; };

const int THREADS = 256, BLOCK = 128;

template <typename T> __global__ void copy(const T *in, T *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}

template <typename T> static void run(const char *name, size_t size, size_t payload)
{
    std::vector<T> in(THREADS), out;
    for (int i = 0; i < THREADS; i++)
        for (size_t k = 0; k < sizeof(T); k++)
            ((unsigned char *)&in[i])[k] = (unsigned char)(i * 31 + k);
    T *device_out;
    CHECK(cudaMalloc(&device_out, THREADS * sizeof(T)));
    CHECK(cudaMemset(device_out, 0, THREADS * sizeof(T)));
    copy<<<THREADS / BLOCK, BLOCK>>>(to_device(in), device_out);
    out = to_host(device_out, THREADS);
    bool same = true;
    for (int i = 0; i < THREADS; i++)
        same &= !memcmp(&in[i], &out[i], payload); // padding need not be copied
    char what[60];
    snprintf(what, sizeof what, "%s: %zu bytes", name, sizeof(T));
    expect(same && sizeof(T) == size, what);
}

int main()
{
    run<One>("One", 1, 1);
    run<Two>("Two", 2, 2);
    run<Four>("Four", 4, 4);
    run<Seven>("Seven", 7, 7);
    run<Padded>("Padded", 8, 7);
    run<Twelve>("Twelve", 12, 12);
    run<Sixteen>("Sixteen", 16, 12);
    return verdict();
}
