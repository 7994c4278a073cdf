// Cooperative groups: ranks, sizes, exchanges, votes, matches, partitions, reductions, scans and copies of every kind of
// group, each against what the ranks say; and a grid that sums in rounds, each block reading all others' results.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>

#include <cstdio>

namespace cg = cooperative_groups;

__device__ int wrong, once;
#define CHECK(c)                                                                                                       \
    do {                                                                                                               \
        if (!(c) && !atomicAdd(&wrong, 1))                                                                             \
            printf("FAILED: line %d, thread %d: %s\n", __LINE__, (int)threadIdx.x, #c);                                \
    } while (0)

struct wide {
    double a;
    int b;
    char c;
};

template <unsigned N> __device__ void tile()
{
    cg::thread_block block = cg::this_thread_block();
    auto t = cg::tiled_partition<N>(block);
    unsigned r = threadIdx.x % N, first = threadIdx.x / N * N;
    CHECK(t.size() == N && t.num_threads() == N && t.thread_rank() == r);
    CHECK(t.meta_group_rank() == threadIdx.x / N && t.meta_group_size() == (blockDim.x + N - 1) / N);
    int v = (int)threadIdx.x * 3;
    CHECK(t.shfl(v, N / 2) == (int)(first + N / 2) * 3);
    CHECK(t.shfl_up(v, 1) == (r ? v - 3 : v));
    CHECK(t.shfl_down(v, 1) == (r + 1 < N ? v + 3 : v));
    CHECK(t.shfl_xor(v, N / 2) == (int)(threadIdx.x ^ N / 2) * 3);
    wide w = t.shfl(wide{threadIdx.x * 0.5, v, (char)r}, 0);
    CHECK(w.a == first * 0.5 && w.b == (int)first * 3 && w.c == 0);
    CHECK(t.ballot(r % 2) == (unsigned)(N == 32 ? 0xaaaaaaaa : 0xaaaaaaaa & ((1ull << N) - 1)));
    CHECK(t.any(r == 0) && (t.all(r == 0) == (N == 1)));
    CHECK(__popc(t.match_any(r % 2)) == (N == 1 ? 1 : N / 2));
    int same;
    t.match_all(7, same);
    CHECK(same);
    CHECK(cg::reduce(t, (int)r, cg::plus<int>()) == (int)(N * (N - 1) / 2));
    CHECK(cg::reduce(t, r + 5, cg::greater<unsigned>()) == N + 4 && cg::reduce(t, r + 5, cg::less<unsigned>()) == 5);
    CHECK(cg::reduce(t, 1u << r, cg::bit_or<unsigned>()) == (unsigned)(N == 32 ? ~0u : (1u << N) - 1));
    CHECK(cg::reduce(t, (int)r - 3, cg::less<int>()) == -3);
    CHECK(cg::reduce(t, (double)r, cg::plus<double>()) == N * (N - 1) / 2.0);
    CHECK(cg::reduce(t, (long long)r << 40, [](long long a, long long b) { return a > b ? a : b; }) == (long long)(N - 1) << 40);
    CHECK(cg::inclusive_scan(t, (int)r) == (int)(r * (r + 1) / 2));
    CHECK(cg::exclusive_scan(t, 2.0f) == 2.0f * r);
    CHECK(cg::inclusive_scan(t, (int)(r * 7 % 5), cg::greater<int>()) >= (int)(r * 7 % 5));
    CHECK(cg::exclusive_scan(t, (int)r, cg::greater<int>()) == (r ? (int)r - 1 : -2147483647 - 1));
    cg::thread_block_tile<N> plain = t;
    cg::thread_group any = plain;
    CHECK(any.size() == N && any.thread_rank() == r && plain.meta_group_rank() == t.meta_group_rank());
    if (N >= 4) {
        auto half = cg::tiled_partition<(N >= 4 ? N / 2 : 1)>(t);
        CHECK(half.size() == N / 2 && half.meta_group_rank() == r / (N / 2) && half.meta_group_size() == 2);
    }
    t.sync();
    any.sync();
}

__device__ void coalesced()
{
    unsigned lane = threadIdx.x % 32;
    if (lane % 3 == 1 && threadIdx.x < 64) {
        cg::coalesced_group g = cg::coalesced_threads();
        unsigned n = lane / 3; // lanes 1 4 7 ... 31: 11 of them
        CHECK(g.size() == 11 && g.thread_rank() == n);
        CHECK(g.shfl(lane, 4) == 13 && g.shfl_up(lane, 2) == (n >= 2 ? lane - 6 : lane));
        CHECK(g.shfl_down(lane, 10) == (n == 0 ? 31 : lane));
        CHECK(g.ballot(n % 2 == 0) == 0x555u && g.any(n == 10) && !g.all(n) && g.all(1));
        CHECK(g.match_any(n / 4) == (0xfu << n / 4 * 4 & 0x7ff));
        CHECK(cg::reduce(g, (int)n, cg::plus<int>()) == 55 && cg::reduce(g, n * 0.5f, cg::plus<float>()) == 27.5f);
        CHECK(cg::reduce(g, (short)n, cg::greater<short>()) == 10);
        CHECK(cg::inclusive_scan(g, 1) == (int)n + 1 && cg::exclusive_scan(g, n) == n * (n - 1) / 2);
        auto part = cg::tiled_partition(g, 4);
        CHECK(part.size() == (n < 8 ? 4 : 3) && part.thread_rank() == n % 4 && part.meta_group_rank() == n / 4);
        auto label = cg::labeled_partition(g, (int)(n % 3));
        CHECK(label.size() == (n % 3 < 2 ? 4 : 3) && label.thread_rank() == n / 3);
        CHECK(label.meta_group_size() == 3 && label.meta_group_rank() == n % 3);
        auto two = cg::binary_partition(g, n < 4);
        CHECK(two.size() == (n < 4 ? 4 : 7) && two.thread_rank() == (n < 4 ? n : n - 4));
        CHECK(cg::reduce(two, 1, cg::plus<int>()) == (int)two.size());
        CHECK(cg::invoke_one_broadcast(g, [=] { return n + 100; }) == 100);
        g.sync();
    }
}

__device__ int group_sum(const cg::thread_group &g, int *room, int v)
{
    for (int i = (int)g.size() / 2; i > 0; i /= 2) {
        room[g.thread_rank()] = v;
        g.sync();
        if ((int)g.thread_rank() < i)
            v += room[g.thread_rank() + i];
        g.sync();
    }
    return v;
}

__device__ cuda::atomic<int, cuda::thread_scope_device> total, tickets;
__device__ unsigned taken[4];

__global__ void groups(const int *in)
{
    __shared__ int room[128];
    __shared__ int tile_room[128];
    cg::thread_block block = cg::this_thread_block();
    CHECK(block.size() == 128 && block.thread_rank() == threadIdx.x && block.group_dim().x == 128);
    CHECK(block.thread_index().x == threadIdx.x && block.group_index().x == blockIdx.x && block.num_threads() == 128);
    tile<32>();
    tile<16>();
    tile<8>();
    tile<4>();
    tile<2>();
    tile<1>();
    coalesced();
    int sum = group_sum(block, room, (int)threadIdx.x);
    CHECK(threadIdx.x || sum == 128 * 127 / 2);
    cg::thread_group small = cg::tiled_partition(block, 16);
    sum = group_sum(small, room + threadIdx.x / 16 * 16, 1);
    CHECK(small.size() == 16 && (small.thread_rank() || sum == 16));
    cg::sync(block);
    CHECK(cg::this_thread().size() == 1);
    cg::cluster_group cluster = cg::this_cluster();
    CHECK(cluster.num_blocks() == 1 && cluster.block_rank() == 0 && cluster.thread_rank() == threadIdx.x);
    cg::invoke_one(block, [] { atomicAdd(&once, 1); });
    cluster.sync();
    CHECK(once == 1);

    cg::memcpy_async(block, tile_room, in, sizeof tile_room);
    cg::wait(block);
    CHECK(tile_room[127 - threadIdx.x] == in[127 - threadIdx.x]);
    block.sync();
    auto warp = cg::tiled_partition<32>(block);
    cg::memcpy_async(warp, room + threadIdx.x / 32 * 32, 32, in, 31);
    cg::memcpy_async(warp, tile_room + threadIdx.x / 32 * 32, in + 1, cuda::aligned_size_t<4>(128));
    cg::wait_prior<1>(warp);
    CHECK(room[threadIdx.x / 32 * 32 + 30] == in[30]);
    cg::wait_prior<0>(warp);
    CHECK(tile_room[threadIdx.x] == in[threadIdx.x % 32 + 1]);

    cg::reduce_update_async(warp, total, 1, cg::plus<int>());
    int mine = cg::exclusive_scan_update(warp, tickets, 1, cg::plus<int>());
    atomicOr(&taken[mine / 32], 1u << mine % 32);
}

__global__ void rounds(int *sums, int n)
{
    cg::grid_group grid = cg::this_grid();
    CHECK(grid.is_valid() && grid.size() == (unsigned long long)gridDim.x * blockDim.x && grid.num_blocks() == gridDim.x);
    CHECK(grid.thread_rank() == blockIdx.x * blockDim.x + threadIdx.x && grid.block_rank() == blockIdx.x);
    for (int round = 0; round < n; round++) {
        int sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            sum += sums[round % 2 * gridDim.x + b];
        grid.sync();
        if (threadIdx.x == 0)
            sums[(round + 1) % 2 * gridDim.x + blockIdx.x] = (sum + (int)blockIdx.x) % 1000;
        grid.sync();
    }
}
__global__ void invalid(int *out) { *out = cg::this_grid().is_valid(); }

int main()
{
    int bad, *in, *sums, host[256], n = 0, limit, blocks = 0;
    for (int i = 0; i < 256; i++)
        host[i] = i * i;
    cudaMalloc(&in, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    groups<<<1, 128>>>(in);
    unsigned all[4];
    cudaMemcpyFromSymbol(all, taken, sizeof all);
    cudaMemcpyFromSymbol(&n, total, sizeof n);
    cudaMemcpyFromSymbol(&bad, wrong, sizeof bad);
    if (n != 128 || (all[0] & all[1] & all[2] & all[3]) != ~0u)
        printf("FAILED: %d threads counted\n", n), bad++;

    // 40 blocks in rounds
    cudaMalloc(&sums, 2 * 40 * sizeof *sums);
    cudaMemset(sums, 0, 2 * 40 * sizeof *sums);
    int count = 7, want[40] = {0}, got[40];
    void *args[] = {&sums, &count};
    cudaError_t e = cudaLaunchCooperativeKernel((void *)rounds, dim3(40), dim3(96), args, 0, 0);
    for (int r = 0; r < count; r++) {
        int sum = 0;
        for (int b = 0; b < 40; b++)
            sum += want[b];
        for (int b = 0; b < 40; b++)
            want[b] = (sum + b) % 1000;
    }
    cudaMemcpy(got, sums + count % 2 * 40, sizeof got, cudaMemcpyDeviceToHost);
    for (int b = 0; b < 40; b++)
        if (got[b] != want[b] || e)
            bad++, printf("FAILED: block %d: %d instead of %d (%s)\n", b, got[b], want[b], cudaGetErrorString(e));

    // as many blocks as fit, and one more
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, rounds, 1024, 0);
    cudaDeviceGetAttribute(&limit, cudaDevAttrMultiProcessorCount, 0);
    count = 0;
    e = cudaLaunchCooperativeKernel((void *)rounds, dim3(blocks * limit), dim3(1024), args, 0, 0);
    cudaError_t more = cudaLaunchCooperativeKernel((void *)rounds, dim3(blocks * limit + 1), dim3(1024), args, 0, 0);
    if (e || more != cudaErrorCooperativeLaunchTooLarge)
        bad++, printf("FAILED: launches of the largest size: %d %d\n", e, more);
    cudaGetLastError();
    invalid<<<1, 1>>>(sums);
    cudaMemcpy(&n, sums, sizeof n, cudaMemcpyDeviceToHost);
    if (n || cudaGetLastError())
        bad++, printf("FAILED: an ordinary grid has no barrier\n");
    cudaMemcpyFromSymbol(&n, wrong, sizeof n);
    bad += n;
    printf(bad ? "FAILED: %d\n" : "PASSED\n", bad);
    return bad != 0;
}
