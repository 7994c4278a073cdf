// Thrust's algorithms on device vectors, each against the C++ library's of the same name.
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/fill.h>
#include <thrust/gather.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/merge.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <vector>

enum { N = 20011 };
typedef std::vector<int> host;
typedef thrust::device_vector<int> device;

static int failures;

static void check(bool holds, const char *what)
{
    if (!holds)
        printf("FAILED: %s\n", what), failures++;
}
static bool same(const device &d, const host &h)
{
    host back(d.size());
    thrust::copy(d.begin(), d.end(), back.begin());
    return back == h;
}

struct odd {
    __host__ __device__ bool operator()(int x) const { return x & 1; }
};
struct twice_and {
    int more;
    __host__ __device__ int operator()(int x) const { return 2 * x + more; }
};
struct far_from {
    __host__ __device__ float operator()(const thrust::tuple<float, float> &p) const
    {
        return thrust::get<0>(p) * thrust::get<0>(p) + thrust::get<1>(p) * thrust::get<1>(p);
    }
};

static host numbers(unsigned seed, int below)
{
    host h(N);
    for (int &x : h)
        x = (int)((seed = seed * 1664525u + 1013904223u) >> 8) % below;
    return h;
}

static void sorts()
{
    host h = numbers(1, 100000);
    device d = h;
    thrust::sort(d.begin(), d.end());
    std::sort(h.begin(), h.end());
    check(same(d, h), "sort");
    thrust::sort(d.begin(), d.end(), thrust::greater<int>());
    std::sort(h.begin(), h.end(), std::greater<int>());
    check(same(d, h), "sort, greater");

    host keys = numbers(2, 50), values(N), order(N);
    device k = keys, v(N);
    thrust::sequence(v.begin(), v.end());
    thrust::stable_sort_by_key(k.begin(), k.end(), v.begin());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return keys[a] < keys[b]; });
    check(same(v, order), "stable_sort_by_key");
    check(thrust::is_sorted(k.begin(), k.end()), "is_sorted");

    host words = numbers(3, 1000);
    device w = words;
    thrust::stable_sort(w.begin(), w.end(), [] __host__ __device__(int a, int b) { return a % 10 < b % 10; });
    std::stable_sort(words.begin(), words.end(), [](int a, int b) { return a % 10 < b % 10; });
    check(same(w, words), "stable_sort by a function (merge sort)");
}

static void reductions()
{
    host h = numbers(4, 1000);
    const device d = h;
    check(thrust::reduce(d.begin(), d.end()) == std::accumulate(h.begin(), h.end(), 0), "reduce");
    check(thrust::reduce(thrust::device, d.begin(), d.end(), -1, thrust::maximum<int>()) == *std::max_element(h.begin(), h.end()), "reduce, maximum");
    check(thrust::count_if(d.begin(), d.end(), odd()) == std::count_if(h.begin(), h.end(), odd()), "count_if");
    check(thrust::max_element(d.begin(), d.end()) - d.begin() == std::max_element(h.begin(), h.end()) - h.begin(), "max_element");
    check(thrust::min_element(d.begin(), d.end()) - d.begin() == std::min_element(h.begin(), h.end()) - h.begin(), "min_element");
    check(thrust::inner_product(d.begin(), d.end(), d.begin(), 0LL) == std::inner_product(h.begin(), h.end(), h.begin(), 0LL), "inner_product");
    check(thrust::transform_reduce(d.begin(), d.end(), twice_and{1}, 0, thrust::plus<int>()) ==
              2 * std::accumulate(h.begin(), h.end(), 0) + N, "transform_reduce");

    thrust::device_vector<float> x(100, 3.0f), y(100, 4.0f), r(100);
    auto both = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin()));
    thrust::transform(both, both + 100, r.begin(), far_from());
    check(thrust::reduce(r.begin(), r.end()) == 2500.0f, "transform of pairs");

    host keys = numbers(5, 3);
    device k = keys, ones(N, 1), out_k(N), out_v(N);
    auto end = thrust::reduce_by_key(k.begin(), k.end(), ones.begin(), out_k.begin(), out_v.begin());
    host want_k, want_v;
    for (int i = 0; i < N; i++)
        if (i && keys[i] == keys[i - 1])
            want_v.back()++;
        else
            want_k.push_back(keys[i]), want_v.push_back(1);
    out_k.resize(end.first - out_k.begin());
    out_v.resize(end.second - out_v.begin());
    check(same(out_k, want_k) && same(out_v, want_v), "reduce_by_key");
}

static void scans()
{
    host h = numbers(6, 100), want(N);
    device d = h, out(N);
    thrust::inclusive_scan(d.begin(), d.end(), out.begin());
    std::partial_sum(h.begin(), h.end(), want.begin());
    check(same(out, want), "inclusive_scan");
    thrust::exclusive_scan(d.begin(), d.end(), out.begin(), 7);
    want.insert(want.begin(), 0);
    want.pop_back();
    for (int &x : want)
        x += 7;
    check(same(out, want), "exclusive_scan");
}

static void selections()
{
    host h = numbers(7, 100), want;
    device d = h, out(N);
    out.resize(thrust::copy_if(d.begin(), d.end(), out.begin(), odd()) - out.begin());
    std::copy_if(h.begin(), h.end(), std::back_inserter(want), odd());
    check(same(out, want), "copy_if");

    device u = h;
    u.erase(thrust::unique(u.begin(), u.end()), u.end());
    host hu = h;
    hu.erase(std::unique(hu.begin(), hu.end()), hu.end());
    check(same(u, hu), "unique");

    device rest = h;
    rest.erase(thrust::remove_if(rest.begin(), rest.end(), odd()), rest.end());
    host hr = h;
    hr.erase(std::remove_if(hr.begin(), hr.end(), odd()), hr.end());
    check(same(rest, hr), "remove_if");

    device p = h;
    const auto middle = thrust::stable_partition(p.begin(), p.end(), odd()) - p.begin();
    host hp = h;
    check(middle == std::stable_partition(hp.begin(), hp.end(), odd()) - hp.begin() && same(p, hp), "stable_partition");
}

static void others()
{
    host h = numbers(8, 100000), map = numbers(9, N);
    device d = h, m = map, out(N);
    thrust::gather(m.begin(), m.end(), d.begin(), out.begin());
    host want(N);
    for (int i = 0; i < N; i++)
        want[i] = h[map[i]];
    check(same(out, want), "gather");
    thrust::transform(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(N), out.begin(), twice_and{5});
    for (int i = 0; i < N; i++)
        want[i] = 2 * i + 5;
    check(same(out, want), "transform of a counting iterator");

    host a = numbers(10, 30000), b = numbers(11, 30000);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    device da = a, db = b, merged(2 * N), met(N), at(N);
    thrust::merge(da.begin(), da.end(), db.begin(), db.end(), merged.begin());
    host wanted(2 * N), common;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), wanted.begin());
    check(same(merged, wanted), "merge");
    met.resize(thrust::set_intersection(da.begin(), da.end(), db.begin(), db.end(), met.begin()) - met.begin());
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
    check(same(met, common), "set_intersection");
    thrust::lower_bound(da.begin(), da.end(), db.begin(), db.end(), at.begin());
    for (int i = 0; i < N; i++)
        want[i] = (int)(std::lower_bound(a.begin(), a.end(), b[i]) - a.begin());
    check(same(at, want), "lower_bound");
}

int main()
{
    sorts();
    reductions();
    scans();
    selections();
    others();
    if (!failures)
        printf("PASSED\n");
    return failures != 0;
}
