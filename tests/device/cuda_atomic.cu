// cuda::atomic and cuda::atomic_ref: every size, operation, order and scope on the device and on the host, against what
// the operations add up to; latch, semaphore and flag; a message passed from one block to another.
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/atomic>
#include <cuda/std/cstdint>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>
#include <cuda/std/utility>

#include <cstdio>
#include <cstring>

enum { BLOCKS = 3, THREADS = 96, N = BLOCKS * THREADS };

__device__ int wrong;
#define CHECK(c)                                                                                                       \
    do {                                                                                                               \
        if (!(c)) {                                                                                                    \
            if (!atomicAdd(&wrong, 1))                                                                                 \
                printf("FAILED: line %d\n", __LINE__);                                                                 \
        }                                                                                                              \
    } while (0)

static_assert(cuda::std::is_same<cuda::std::tuple<int>, std::tuple<int>>::value, "");
static_assert(cuda::std::numeric_limits<cuda::std::uint8_t>::max() == 255, "");
static_assert(sizeof(cuda::atomic<char>) == 1 && sizeof(cuda::atomic<double, cuda::thread_scope_block>) == 8, "");

struct pair {
    int a, b;
};
struct cells {
    cuda::atomic<int, cuda::thread_scope_device> i;
    cuda::atomic<unsigned long long, cuda::thread_scope_system> u;
    cuda::atomic<float, cuda::thread_scope_device> f;
    cuda::atomic<double> d;
    cuda::atomic<signed char, cuda::thread_scope_device> c[4];
    cuda::atomic<short, cuda::thread_scope_device> s[2];
    cuda::atomic<pair, cuda::thread_scope_device> p;
    cuda::atomic<int *, cuda::thread_scope_device> pointer;
    cuda::atomic<int, cuda::thread_scope_device> least, most;
    cuda::atomic<unsigned, cuda::thread_scope_device> bits[3];
    cuda::atomic<bool> yes;
    int plain;
    cuda::counting_semaphore<cuda::thread_scope_device, 2> gate;
    cuda::latch<cuda::thread_scope_device> together;
    int inside, most_inside;
};
__device__ cells all;
__device__ cuda::atomic<int, cuda::thread_scope_device> turn(0);
__device__ int message, received[BLOCKS];

__global__ void device_side()
{
    int t = blockIdx.x * THREADS + threadIdx.x;
    all.i.fetch_add(t, cuda::memory_order_relaxed);
    all.i++;
    --all.i;
    all.u.fetch_sub(t, cuda::memory_order_acq_rel);
    all.f.fetch_add(1.5f, cuda::std::memory_order_acquire);
    all.d += 0.25;
    all.c[t % 4].fetch_add((signed char)1, cuda::memory_order_release);
    all.s[t % 2] -= (short)2;
    all.least.fetch_min(-t);
    all.most.fetch_max(t);
    all.bits[0].fetch_or(1u << t % 32);
    all.bits[1].fetch_and(~(1u << t % 31));
    all.bits[2] ^= 1u << t % 32;
    all.pointer.fetch_add(2);
    pair old = all.p.load(), now;
    do {
        now = {old.a + 1, old.b + t};
    } while (!all.p.compare_exchange_weak(old, now, cuda::memory_order_acq_rel, cuda::memory_order_relaxed));
    cuda::atomic_ref<int, cuda::thread_scope_device>(all.plain).fetch_add(3);
    all.yes.store(true, cuda::memory_order_release);

    __shared__ cuda::atomic<int, cuda::thread_scope_block> local;
    __shared__ cuda::atomic<unsigned char, cuda::thread_scope_block> byte[8];
    if (threadIdx.x == 0)
        local.store(5), byte[3].store(200);
    __syncthreads();
    local += 2;
    byte[3].fetch_add((unsigned char)1);
    __syncthreads();
    CHECK(local == 5 + 2 * THREADS);
    CHECK(byte[3].load(cuda::memory_order_acquire) == (200 + THREADS) % 256);
    __syncthreads();
    CHECK(local.exchange(1) == 5 + 2 * THREADS || local.load() == 1);

    // never more than two inside; then everybody leaves together
    all.gate.acquire();
    int n = atomicAdd(&all.inside, 1) + 1;
    atomicMax(&all.most_inside, n);
    atomicAdd(&all.inside, -1);
    all.gate.release();
    all.together.arrive_and_wait();
    CHECK(cuda::std::as_const(all.i).load() == N * (N - 1) / 2);
    CHECK(all.p.load().a == N && all.p.load().b == N * (N - 1) / 2);
}

__global__ void passed_on()
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        message = 42;
        turn.store(1, cuda::memory_order_release);
        turn.notify_all();
    } else {
        turn.wait(0, cuda::memory_order_acquire);
        received[blockIdx.x] = message;
    }
}

int main()
{
    cells *host = (cells *)calloc(1, sizeof *host);
    new (&host->gate) cuda::counting_semaphore<cuda::thread_scope_device, 2>(2);
    new (&host->together) cuda::latch<cuda::thread_scope_device>(N);
    host->bits[1] = ~0u;
    cudaMemcpyToSymbol(all, host, sizeof *host);
    device_side<<<BLOCKS, THREADS>>>();
    passed_on<<<BLOCKS, 32>>>();
    cudaMemcpyFromSymbol((void *)host, all, sizeof *host);
    int bad = 0, got[BLOCKS];
    cudaMemcpyFromSymbol(&bad, wrong, sizeof bad);
    cudaMemcpyFromSymbol(got, received, sizeof got);
    auto expect = [&](bool c, const char *what) {
        if (!c)
            bad++, printf("FAILED: %s\n", what);
    };
    expect(cudaDeviceSynchronize() == cudaSuccess, "the launches");
    expect(got[1] == 42 && got[2] == 42, "the message");
    expect(host->i.load() == N * (N - 1) / 2 && host->u.load() == 0ull - N * (N - 1) / 2, "sums");
    expect(host->f.load() == 1.5f * N && host->d == 0.25 * N, "floating sums");
    for (int k = 0; k < 4; k++)
        expect(host->c[k].load() == N / 4, "bytes");
    expect(host->s[0].load() == -N && host->s[1].load() == -N, "halves of a word");
    expect(host->least == -(N - 1) && host->most == N - 1, "minimum, maximum");
    expect(host->bits[0] == ~0u && host->bits[1] == 1u << 31 && host->bits[2] == ~0u, "bits");
    expect(host->pointer.load() == (int *)(sizeof(int) * 2 * N), "pointer");
    expect(host->plain == 3 * N && host->yes && host->most_inside >= 1 && host->most_inside <= 2, "the rest");

    // the same on the host
    cuda::std::atomic<int> a(3);
    int was = 7;
    expect(a.fetch_add(4) == 3 && a.exchange(9) == 7 && !a.compare_exchange_strong(was, 1) && was == 9, "host exchange");
    expect((a -= 2) == 7 && ++a == 8 && a-- == 8 && a.fetch_max(100) == 7 && a == 100, "host arithmetic");
    cuda::atomic<double> d(1);
    expect(d.fetch_add(0.5) == 1 && d.load() == 1.5, "host double");
    double plain = 2;
    expect(cuda::atomic_ref<double>(plain).exchange(3) == 2 && plain == 3, "host reference");
    cuda::std::atomic_flag flag;
    flag.clear();
    expect(!flag.test_and_set() && flag.test_and_set() && flag.test(), "host flag");
    printf(bad ? "FAILED: %d\n" : "PASSED\n", bad);
    return bad != 0;
}
