// cuda::std, cuda/cmath, cuda/functional, cuda/ptx and nv/target in kernels: each case is computed on both sides and compared with a
// value worked out by hand.
#include <cuda/cmath>
#include <cuda/discard_memory>
#include <cuda/functional>
#include <cuda/ptx>
#include <cuda/std/algorithm>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/chrono>
#include <cuda/std/functional>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/variant>
#include <cuda/stream_ref>
#include <nv/target>
#include <cstdio>

namespace std_ = cuda::std;

__host__ __device__ int side() { NV_IF_ELSE_TARGET(NV_IS_DEVICE, (int a = 1; return a;), (int a = 2, b = 0; return a + b;)) }
__host__ __device__ int newest()
{
    NV_DISPATCH_TARGET(NV_PROVIDES_SM_120, (return 120;), NV_PROVIDES_SM_80, (return 80;), NV_IS_HOST, (return 1;))
    return 0;
}

struct counted {
    int *alive;
    __host__ __device__ counted(int *n) : alive(n) { ++*alive; }
    __host__ __device__ counted(const counted &c) : alive(c.alive) { ++*alive; }
    __host__ __device__ ~counted() { --*alive; }
    counted &operator=(const counted &) = default;
};

__host__ __device__ int optionals()
{
    int alive = 0, result = 0;
    {
        std_::optional<counted> a, b(counted{&alive});
        a = b;
        result = alive * 10 + a.has_value();
        a.reset();
        b = std_::nullopt;
        result = result * 10 + alive;
        a.emplace(&alive);
    }
    std_::optional<int> n, m = 4;
    n = m;
    n.swap(m);
    return result * 1000 + alive * 100 + *n * 10 + (m == 4) + (std_::optional<int>() < n) + n.value_or(0) + std_::optional<int>(std_::nullopt).value_or(-4);
}
__host__ __device__ int tuples()
{
    std_::tuple<int, float> t(1, 2.5f), u(7, 3.0f);
    t = u;
    int x;
    float y;
    std_::tie(x, y) = t;
    std_::pair<int, int> p(1, 2), q(3, 4);
    std_::swap(p, q);
    p = q;
    const int old = std_::exchange(q.first, 9);
    return x * 1000 + (int)y * 100 + p.second * 10 + old + q.first;
}
__host__ __device__ int variants()
{
    std_::variant<int, float> v = 2.5f;
    const int twice = std_::visit([](auto x) { return (int)(2 * x); }, v);
    return twice * 100 + std_::holds_alternative<float>(v) * 10 + (std_::get_if<int>(&v) == nullptr) + (int)std_::get<1>(v);
}
__host__ __device__ int spans()
{
    int a[6] = {1, 2, 3, 4, 5, 6};
    std_::span<int> s(a);
    int sum = 0;
    for (int x : s.subspan(1, 3))
        sum += x;
    return sum * 100 + s.first(2).back() * 10 + (int)s.size() + (s.last(0).empty() ? 0 : 5);
}
__host__ __device__ int bits()
{
    return std_::popcount(0xf0u) * 1000 + std_::countl_zero((unsigned char)1) * 100 + std_::countr_zero(8ull) * 10 +
           (std_::rotl(0x80000001u, 1) == 3u) + (std_::rotr((unsigned short)1, 1) == 0x8000) + std_::has_single_bit(64u) +
           (std_::bit_ceil(5u) == 8) + (std_::bit_floor(5u) == 4) + (std_::bit_cast<int>(1.0f) == 0x3f800000);
}
__host__ __device__ int algorithms()
{
    int a[8] = {5, 3, 3, 1, 2, 2, 2, 8}, b[8] = {};
    std_::copy(a, a + 8, b);
    std_::reverse(b, b + 8);
    const int n = (int)(std_::unique(b, b + 8) - b); // 8 2 1 3 5
    int sorted[5] = {1, 3, 5, 7, 9};
    return b[2] * 100000 + n * 10000 + (int)std_::count(a, a + 8, 2) * 1000 + (int)(std_::lower_bound(sorted, sorted + 5, 6) - sorted) * 100 +
           (int)(std_::max_element(a, a + 8) - a) * 10 + std_::is_sorted(sorted, sorted + 5) + std_::clamp(7, 0, 2);
}
__host__ __device__ int numerics()
{
    int a[4] = {1, 2, 3, 4}, b[4];
    std_::inclusive_scan(a, a + 4, b); // 1 3 6 10
    const int last = b[3];
    std_::exclusive_scan(a, a + 4, a, 5); // 5 6 8 11
    return last * 100 + a[3] + std_::accumulate(b, b + 4, 0) + std_::transform_reduce(b, b + 2, b, 0) + std_::gcd(12, 18);
}
__host__ __device__ int functions()
{
    int x = 1;
    auto r = std_::ref(x);
    r.get() = 4;
    return x * 1000 + std_::invoke(std_::minus<>(), 9, 2) * 100 + cuda::ceil_div(7, 2) * 10 + cuda::maximum<>()(3, 5) + cuda::minimum<int>()(3, 5) +
           cuda::proclaim_return_type<int>([](int n) { return n; })(1) + (int)(std_::hash<int>()(5) == 5) + std_::identity()(7) - 7;
}
__host__ __device__ int durations()
{
    using namespace std_::chrono;
    const auto before = system_clock::now();
    return (int)duration_cast<microseconds>(nanoseconds(1500) + milliseconds(2)).count() + (system_clock::now() >= before);
}

static const struct { const char *name; int want; } cases[] = {{"optionals", 210042}, {"tuples", 7330}, {"variants", 513}, {"spans", 926},
    {"bits", 4736}, {"algorithms", 153373}, {"numerics", 1047}, {"functions", 4750}, {"durations", 2002}};
enum { CASES = sizeof cases / sizeof *cases };

__host__ __device__ void all(int *o)
{
    o[0] = optionals();
    o[1] = tuples();
    o[2] = variants();
    o[3] = spans();
    o[4] = bits();
    o[5] = algorithms();
    o[6] = numerics();
    o[7] = functions();
    o[8] = durations();
}

__global__ void kernel(int *o, int *p)
{
    all(o);
    p[0] = side() * 10 + (newest() == 80);
    p[1] = (int)cuda::ptx::get_sreg_ntid_x() + (cuda::ptx::get_sreg_lanemask_eq() == 1u << cuda::ptx::get_sreg_laneid());
    cuda::ptx::fence(cuda::ptx::sem_acq_rel, cuda::ptx::scope_gpu);
    __shared__ alignas(8) unsigned long b;
    cuda::ptx::mbarrier_init(&b, 1);
    const unsigned long token = cuda::ptx::mbarrier_arrive(&b);
    p[2] = cuda::ptx::mbarrier_test_wait(&b, token) + cuda::ptx::mbarrier_try_wait_parity(&b, 0u) + cuda::ptx::elect_sync(1u);
    cuda::discard_memory(p + 64, 512);
}

int main()
{
    int *o, host[CASES] = {}, failures = 0;
    cudaMallocManaged(&o, 4096);
    kernel<<<1, 1>>>(o, o + 100);
    cuda::stream_ref(cudaStream_t(0)).wait();
    all(host);
    for (int i = 0; i < CASES; i++)
        if (o[i] != cases[i].want || host[i] != cases[i].want)
            printf("FAILED: %s: %d in a kernel, %d on the host, not %d\n", cases[i].name, o[i], host[i], cases[i].want), failures++;
    if (o[100] != 11 || side() != 2 || newest() != 1 || o[101] != 2 || o[102] != 3)
        printf("FAILED: targets and PTX: %d, %d, %d, %d, %d\n", o[100], side(), newest(), o[101], o[102]), failures++;
    try {
        std_::optional<int>().value();
        printf("FAILED: the value of an empty optional\n"), failures++;
    } catch (const std_::bad_optional_access &) {
    }
    if (!failures)
        printf("PASSED\n");
    return failures != 0;
}
