// Where a variable lives: register, local, shared, constant and global; who sees it and for how long. (Seed row 4.)
//
// The lesson.
//   declared                         memory     seen by   lives as long as
//   int x;            in a kernel    register   a thread  the thread
//   int a[16];        in a kernel    local      a thread  the thread
//   __shared__ int s; in a kernel    shared     a block   the block
//   __device__ int g; outside        global     all       the program
//   __constant__ int c; outside      constant   all       the program; kernels only read it
// An array of a thread is in local memory, off the chip, only if its index is known at run time alone: with constant
// indices it becomes registers (small_array below makes no local access). Constant variables may fill 65,536 bytes
// together and `table` takes all of them: one more and the device code is refused (NVIDIA's assembler will not make it,
// Heddle says so at the first launch).
// Mistakes of the seeds: one spells the qualifiers with one underscore, `_device_`; another puts every automatic
// array into local memory.
//
// The figures, 4 warps each:
//   local_array 1: local_store_requests = 64 (4 x 16 stores), local_load_requests = 4
//     local_store_transactions_per_request = 4 (the same element of all lanes lies side by side),
//     local_load_transactions_per_request = 32 (16 elements: no two lanes share a sector)
//   small_array 1: local_store_requests = 0, local_load_requests = 0
//   block_sums 1: launch__shared_mem_per_block_static = 256 (64 ints),
//     launch__shared_mem_per_block_dynamic = 256
#include "example.h"

const int THREADS = 128, BLOCK = 64;

__device__ int total = 1000;                  // global: lives from launch to launch, has a first value
__device__ int *where;                        // and a pointer to a global may be a global itself
__constant__ int table[65536 / sizeof(int)];  // all there is

__global__ void local_array(int *out, int turn)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine[16];
    for (int k = 0; k < 16; k++)
        mine[(k * 5 + turn) & 15] = i + k; // known at run time only
    out[i] = mine[(i + turn) & 15];
}

__global__ void small_array(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine[4];
    for (int k = 0; k < 4; k++)
        mine[k] = i * k;
    out[i] = mine[1] + mine[2] + mine[3];
}

__global__ void block_sums(const int *in, int *out)
{
    __shared__ int here[BLOCK];        // static: its size is in the program
    extern __shared__ int scratch[];   // dynamic: its size is in the launch
    int t = threadIdx.x;
    here[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    scratch[t] = here[BLOCK - 1 - t];  // written by another thread of the block
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int k = 0; k < BLOCK; k++)
            sum += scratch[k];
        out[blockIdx.x] = sum;
    }
}

__global__ void add_to_total(int amount)
{
    atomicAdd(&total, amount);
}

__global__ void point()
{
    where = &total;
}

__global__ void follow(int *out)
{
    *out = *where; // a pointer that an earlier launch stored
}

__global__ void look_up(const int *index, int *out)
{
    out[threadIdx.x] = table[index[threadIdx.x]];
}

static bool all(const std::vector<int> &values, int (*expected)(int))
{
    for (size_t i = 0; i < values.size(); i++)
        if (values[i] != expected((int)i))
            return false;
    return true;
}

int main()
{
    int *out, seen;
    CHECK(cudaMalloc(&out, THREADS * sizeof(int)));
    local_array<<<THREADS / BLOCK, BLOCK>>>(out, 3);
    // mine[(k * 5 + 3) & 15] = i + k, read at (i + 3) & 15: k * 5 = i, so k = i * 13, for 5 x 13 = 65 = 1 modulo 16
    expect(all(to_host(out, THREADS), [](int i) { return i + (i * 13 & 15); }), "local array: each thread its own");
    small_array<<<THREADS / BLOCK, BLOCK>>>(out);
    expect(all(to_host(out, THREADS), [](int i) { return 6 * i; }), "small array with constant indices");

    std::vector<int> in(THREADS);
    for (int i = 0; i < THREADS; i++)
        in[i] = i;
    block_sums<<<THREADS / BLOCK, BLOCK, BLOCK * sizeof(int)>>>(to_device(in), out);
    expect(all(to_host(out, 2), [](int b) { return b ? 6112 : 2016; }), "shared: sums of 0..63 and of 64..127");

    for (int k = 0; k < 3; k++)
        add_to_total<<<1, 32>>>(1);
    CHECK(cudaMemcpyFromSymbol(&seen, total, sizeof seen));
    expect(seen == 1096, "a global keeps its value from launch to launch: 1000 + 3 x 32");
    int *address;
    CHECK(cudaGetSymbolAddress((void **)&address, total));
    CHECK(cudaMemset(address, 0, sizeof(int)));
    point<<<1, 1>>>();
    add_to_total<<<1, 1>>>(7);
    follow<<<1, 1>>>(out);
    expect(to_host(out, 1)[0] == 7, "through a pointer to a global that an earlier launch kept");

    size_t bytes;
    CHECK(cudaGetSymbolSize(&bytes, table));
    expect(bytes == 65536, "the constant variables of a program may have 65,536 bytes");
    std::vector<int> whole(65536 / sizeof(int)), index(32);
    for (size_t i = 0; i < whole.size(); i++)
        whole[i] = (int)i * 3;
    for (int i = 0; i < 32; i++)
        index[i] = 16383 - i * 500;
    CHECK(cudaMemcpyToSymbol(table, whole.data(), bytes));
    look_up<<<1, 32>>>(to_device(index), out);
    expect(all(to_host(out, 32), [](int i) { return 3 * (16383 - i * 500); }), "a constant table that the host has filled");
    return verdict();
}
