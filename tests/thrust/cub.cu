// CUB: the device's algorithms against the C++ library's, those of a block and of a warp inside of kernels of our own.
#include <cub/cub.cuh>
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

static const int N = 30011;
typedef std::vector<int> host;

static int failures;

static void check(bool holds, const char *what)
{
    if (!holds)
        printf("FAILED: %s\n", what), failures++;
}

template <class T> struct buffer {
    T *p;
    explicit buffer(size_t n) { cudaMalloc(&p, n * sizeof(T)); }
    explicit buffer(const std::vector<T> &h) : buffer(h.size()) { cudaMemcpy(p, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice); }
    ~buffer() { cudaFree(p); }
    buffer(const buffer &) = delete;
    std::vector<T> back(size_t n) const
    {
        std::vector<T> h(n);
        cudaMemcpy(h.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost);
        return h;
    }
};

// CUB's two calls: how much memory it takes, then the work
template <class F> static void run(F f)
{
    size_t bytes = 0;
    check(f(nullptr, bytes) == cudaSuccess, "the size of temporary storage");
    buffer<char> temporary(bytes);
    check(f(temporary.p, bytes) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess, "the call");
}

static host numbers(unsigned seed, int below)
{
    host h(N);
    for (int &x : h)
        x = (int)((seed = seed * 1664525u + 1013904223u) >> 8) % below;
    return h;
}

struct odd {
    __host__ __device__ bool operator()(int x) const { return x & 1; }
};

static void of_device()
{
    host h = numbers(1, 1000), want(N);
    buffer<int> in(h), out(N), few(1);
    run([&](void *t, size_t &n) { return cub::DeviceReduce::Sum(t, n, in.p, out.p, N); });
    check(out.back(1)[0] == std::accumulate(h.begin(), h.end(), 0), "DeviceReduce::Sum");
    run([&](void *t, size_t &n) { return cub::DeviceReduce::Max(t, n, in.p, out.p, N); });
    check(out.back(1)[0] == *std::max_element(h.begin(), h.end()), "DeviceReduce::Max");
    run([&](void *t, size_t &n) { return cub::DeviceScan::InclusiveSum(t, n, in.p, out.p, N); });
    std::partial_sum(h.begin(), h.end(), want.begin());
    check(out.back(N) == want, "DeviceScan::InclusiveSum");
    run([&](void *t, size_t &n) { return cub::DeviceScan::ExclusiveSum(t, n, in.p, out.p, N); });
    want.insert(want.begin(), 0), want.pop_back();
    check(out.back(N) == want, "DeviceScan::ExclusiveSum");
    run([&](void *t, size_t &n) { return cub::DeviceSelect::If(t, n, in.p, out.p, few.p, N, odd()); });
    host chosen;
    std::copy_if(h.begin(), h.end(), std::back_inserter(chosen), odd());
    check(few.back(1)[0] == (int)chosen.size() && out.back(chosen.size()) == chosen, "DeviceSelect::If");
    run([&](void *t, size_t &n) { return cub::DeviceRadixSort::SortKeys(t, n, in.p, out.p, N); });
    want = h;
    std::sort(want.begin(), want.end());
    check(out.back(N) == want, "DeviceRadixSort::SortKeys");

    host order(N);
    std::iota(order.begin(), order.end(), 0);
    buffer<int> values(order), values_out(N);
    run([&](void *t, size_t &n) { return cub::DeviceRadixSort::SortPairsDescending(t, n, in.p, out.p, values.p, values_out.p, N); });
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return h[a] > h[b]; });
    check(values_out.back(N) == order, "DeviceRadixSort::SortPairsDescending");

    host bins(10);
    for (int x : h)
        bins[x / 100]++;
    run([&](void *t, size_t &n) { return cub::DeviceHistogram::HistogramEven(t, n, in.p, out.p, 11, 0, 1000, N); });
    check(out.back(10) == bins, "DeviceHistogram::HistogramEven");

    host few_kinds = numbers(2, 3), kinds, lengths;
    for (int x : few_kinds)
        if (!kinds.empty() && kinds.back() == x)
            lengths.back()++;
        else
            kinds.push_back(x), lengths.push_back(1);
    buffer<int> runs(few_kinds), run_lengths(N);
    run([&](void *t, size_t &n) { return cub::DeviceRunLengthEncode::Encode(t, n, runs.p, out.p, run_lengths.p, few.p, N); });
    check(few.back(1)[0] == (int)kinds.size() && out.back(kinds.size()) == kinds && run_lengths.back(kinds.size()) == lengths, "DeviceRunLengthEncode");
}

enum { THREADS = 128, EACH = 4 };

__global__ void in_a_block(const int *in, int *sums, int *scanned, int *sorted, int *warps)
{
    typedef cub::BlockLoad<int, THREADS, EACH, cub::BLOCK_LOAD_TRANSPOSE> load;
    typedef cub::BlockStore<int, THREADS, EACH, cub::BLOCK_STORE_TRANSPOSE> store;
    typedef cub::BlockReduce<int, THREADS> reduce;
    typedef cub::BlockScan<int, THREADS> scan;
    typedef cub::BlockRadixSort<int, THREADS, EACH> sort;
    typedef cub::WarpReduce<int> warp;
    __shared__ union {
        typename load::TempStorage load;
        typename store::TempStorage store;
        typename reduce::TempStorage reduce;
        typename scan::TempStorage scan;
        typename sort::TempStorage sort;
        typename warp::TempStorage warp[THREADS / 32];
    } shared;
    const int first = blockIdx.x * THREADS * EACH;
    int x[EACH], y[EACH];
    load(shared.load).Load(in + first, x);
    __syncthreads();
    const int sum = reduce(shared.reduce).Sum(x);
    if (!threadIdx.x)
        sums[blockIdx.x] = sum;
    __syncthreads();
    scan(shared.scan).InclusiveSum(x, y);
    __syncthreads();
    store(shared.store).Store(scanned + first, y);
    __syncthreads();
    const int of_warp = warp(shared.warp[threadIdx.x / 32]).Reduce(x[0], cub::Max());
    if (threadIdx.x % 32 == 0)
        warps[(blockIdx.x * THREADS + threadIdx.x) / 32] = of_warp;
    __syncthreads();
    sort(shared.sort).Sort(x);
    __syncthreads();
    store(shared.store).Store(sorted + first, x);
}

static void of_blocks()
{
    enum { BLOCKS = 20, ITEMS = THREADS * EACH };
    host h = numbers(3, 5000);
    buffer<int> in(h), sums(BLOCKS), scanned(N), sorted(N), warps(N);
    in_a_block<<<BLOCKS, THREADS>>>(in.p, sums.p, scanned.p, sorted.p, warps.p);
    check(cudaDeviceSynchronize() == cudaSuccess, "the kernel");
    host want_sums(BLOCKS), want_scanned(BLOCKS * ITEMS), want_sorted(h.begin(), h.begin() + BLOCKS * ITEMS), want_warps(BLOCKS * THREADS / 32);
    for (int b = 0; b < BLOCKS; b++) {
        const auto from = h.begin() + b * ITEMS;
        want_sums[b] = std::accumulate(from, from + ITEMS, 0);
        std::partial_sum(from, from + ITEMS, want_scanned.begin() + b * ITEMS);
        std::sort(want_sorted.begin() + b * ITEMS, want_sorted.begin() + (b + 1) * ITEMS);
        for (int t = 0; t < THREADS; t++)
            want_warps[(b * THREADS + t) / 32] = std::max(want_warps[(b * THREADS + t) / 32], from[t * EACH]);
    }
    check(sums.back(BLOCKS) == want_sums, "BlockReduce");
    check(scanned.back(BLOCKS * ITEMS) == want_scanned, "BlockScan");
    check(sorted.back(BLOCKS * ITEMS) == want_sorted, "BlockRadixSort");
    check(warps.back(BLOCKS * THREADS / 32) == want_warps, "WarpReduce");
}

int main()
{
    of_device();
    of_blocks();
    if (!failures)
        printf("PASSED\n");
    return failures != 0;
}
