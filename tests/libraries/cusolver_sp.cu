// cuSOLVER's sparse part: what solves a system solves it, by every function, from host and device memory, in four types; singular rows; orders and
// permutations; factors in steps; batches. 77: no LAPACK here.
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <vector>

#include "check.h"

static cusolverSpHandle_t handle;
static cusparseMatDescr_t zero, one;

template <class E> struct matrix {
    int n, base;
    std::vector<int> row, column;
    std::vector<E> value;
    int entries() const { return (int)column.size(); }
    void end() { row.push_back(entries() + base); }
    void put(int j, E v)
    {
        column.push_back(j + base);
        value.push_back(v);
    }
    std::vector<E> times(const std::vector<E> &x) const
    {
        std::vector<E> b(n, E(0));
        for (int i = 0; i < n; i++)
            for (int k = row[i] - base; k < row[i + 1] - base; k++)
                b[i] += value[k] * x[column[k] - base];
        return b;
    }
    cusparseMatDescr_t descriptor() const { return base ? one : zero; }
};

template <class E> struct is_complex { static E twist(double) { return E(0); } };
template <class R> struct is_complex<std::complex<R>> { static std::complex<R> twist(double x) { return {R(0), R(x)}; } };

// five points of a w x h grid, numbered so that its own order is a bad one; `skew` makes it unsymmetric, `twist` Hermitian with imaginary parts
template <class E> matrix<E> grid(int w, int h, int base, double skew)
{
    matrix<E> a{w * h, base, {base}, {}, {}};
    const int step = 7; // prime to the number of points
    std::vector<int> number(a.n), point(a.n);
    for (int i = 0; i < a.n; i++) {
        number[i] = (int)((long long)i * step % a.n);
        point[number[i]] = i;
    }
    for (int r = 0; r < a.n; r++) {
        int p = point[r], x = p % w, y = p / w;
        std::vector<std::pair<int, E>> entries{{r, E(4)}};
        E side = E(-1) + is_complex<E>::twist(0.25), back = E(-1) - is_complex<E>::twist(0.25);
        if (x > 0)
            entries.push_back({number[p - 1], side + E(skew)});
        if (x < w - 1)
            entries.push_back({number[p + 1], back});
        if (y > 0)
            entries.push_back({number[p - w], side});
        if (y < h - 1)
            entries.push_back({number[p + w], back - E(skew / 2)});
        std::sort(entries.begin(), entries.end(), [](auto &l, auto &m) { return l.first < m.first; });
        for (auto &e : entries)
            a.put(e.first, e.second);
        a.end();
    }
    return a;
}

template <class T> struct on_device {
    T *at;
    explicit on_device(const std::vector<T> &v)
    {
        cudaMalloc((void **)&at, v.size() * sizeof(T));
        cudaMemcpy(at, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    }
    explicit on_device(size_t n) { cudaMalloc((void **)&at, n * sizeof(T)); }
    ~on_device() { cudaFree(at); }
    std::vector<T> get(size_t n) const
    {
        std::vector<T> v(n);
        cudaMemcpy(v.data(), at, n * sizeof(T), cudaMemcpyDeviceToHost);
        return v;
    }
};

template <class E> double distance(const std::vector<E> &x, const std::vector<E> &y)
{
    double most = 0;
    for (size_t i = 0; i < x.size(); i++)
        most = std::abs(x[i] - y[i]) <= most ? most : std::abs(x[i] - y[i]); // a NaN stays
    return most;
}

template <class E> std::vector<E> wanted(int n)
{
    std::vector<E> x(n);
    for (int i = 0; i < n; i++)
        x[i] = E(1 + i % 5) + is_complex<E>::twist(i % 3);
    return x;
}

#define TYPED(S, E, T, R, TOO_FAR) \
    static void systems_##S(int base) \
    { \
        matrix<E> plain = grid<E>(9, 11, base, 0), skew = grid<E>(9, 11, base, 0.5); \
        const int n = plain.n, nnz = plain.entries(); \
        std::vector<E> x = wanted<E>(n), b = plain.times(x), c = skew.times(x), out(n); \
        int bad = 9; \
        auto good = [&] { \
            bool is = bad == -1 && distance(out, x) < TOO_FAR; \
            bad = 9; \
            std::fill(out.begin(), out.end(), E(0)); \
            return is; \
        }; \
        T *o = (T *)out.data(); \
        const T *v = (const T *)plain.value.data(), *s = (const T *)skew.value.data(); \
        CHECK(!cusolverSp##S##csrlsvcholHost(handle, n, nnz, plain.descriptor(), v, plain.row.data(), plain.column.data(), (T *)b.data(), 0, 0, o, &bad) && good()); \
        CHECK(!cusolverSp##S##csrlsvluHost(handle, n, nnz, skew.descriptor(), s, skew.row.data(), skew.column.data(), (T *)c.data(), 0, 1, o, &bad) && good()); \
        CHECK(!cusolverSp##S##csrlsvqrHost(handle, n, nnz, skew.descriptor(), s, skew.row.data(), skew.column.data(), (T *)c.data(), 0, 2, o, &bad) && good()); \
        on_device<int> row(plain.row), column(plain.column); \
        on_device<E> pv(plain.value), sv(skew.value), db(b), dc(c), dx((size_t)n); \
        CHECK(!cusolverSp##S##csrlsvchol(handle, n, nnz, plain.descriptor(), (T *)pv.at, row.at, column.at, (T *)db.at, 0, 0, (T *)dx.at, &bad)); \
        cudaMemcpy(out.data(), dx.at, n * sizeof(E), cudaMemcpyDeviceToHost); \
        CHECK(good()); \
        CHECK(!cusolverSp##S##csrlsvqr(handle, n, nnz, skew.descriptor(), (T *)sv.at, row.at, column.at, (T *)dc.at, 0, 3, (T *)dx.at, &bad)); \
        cudaMemcpy(out.data(), dx.at, n * sizeof(E), cudaMemcpyDeviceToHost); \
        CHECK(good()); \
        size_t inside = 0, work = 0; \
        char buffer[1]; /* is not used */ \
        /* Cholesky in steps, on the host and on the device */ \
        csrcholInfoHost_t hc; \
        csrcholInfo_t gc; \
        CHECK(!cusolverSpCreateCsrcholInfoHost(&hc) && !cusolverSpCreateCsrcholInfo(&gc)); \
        CHECK(cusolverSp##S##csrcholSolveHost(handle, n, (T *)b.data(), o, hc, buffer) == CUSOLVER_STATUS_INVALID_VALUE); \
        CHECK(!cusolverSpXcsrcholAnalysisHost(handle, n, nnz, plain.descriptor(), plain.row.data(), plain.column.data(), hc)); \
        CHECK(!cusolverSp##S##csrcholBufferInfoHost(handle, n, nnz, plain.descriptor(), v, plain.row.data(), plain.column.data(), hc, &inside, &work) && inside && work); \
        CHECK(inside < (size_t)n * 30 * sizeof(E)); /* a narrow band: the matrix's own order has one of 90 */ \
        CHECK(!cusolverSp##S##csrcholFactorHost(handle, n, nnz, plain.descriptor(), v, plain.row.data(), plain.column.data(), hc, buffer)); \
        CHECK(!cusolverSp##S##csrcholZeroPivotHost(handle, hc, 0, &bad) && !cusolverSp##S##csrcholSolveHost(handle, n, (T *)b.data(), o, hc, buffer) && good()); \
        CHECK(!cusolverSpXcsrcholAnalysis(handle, n, nnz, plain.descriptor(), row.at, column.at, gc)); \
        CHECK(!cusolverSp##S##csrcholBufferInfo(handle, n, nnz, plain.descriptor(), (T *)pv.at, row.at, column.at, gc, &inside, &work)); \
        CHECK(!cusolverSp##S##csrcholFactor(handle, n, nnz, plain.descriptor(), (T *)pv.at, row.at, column.at, gc, buffer)); \
        CHECK(!cusolverSp##S##csrcholZeroPivot(handle, gc, 0, &bad) && !cusolverSp##S##csrcholSolve(handle, n, (T *)db.at, (T *)dx.at, gc, buffer)); \
        cudaMemcpy(out.data(), dx.at, n * sizeof(E), cudaMemcpyDeviceToHost); \
        CHECK(good()); \
        on_device<R> diagonal((size_t)n); \
        CHECK(!cusolverSp##S##csrcholDiag(handle, gc, diagonal.at)); \
        for (R d : diagonal.get(n)) \
            CHECK(d > 1 && d <= 2); /* roots of what elimination leaves of 4 */ \
        CHECK(!cusolverSpDestroyCsrcholInfoHost(hc) && !cusolverSpDestroyCsrcholInfo(gc)); \
        csrluInfoHost_t hl; \
        CHECK(!cusolverSpCreateCsrluInfoHost(&hl)); \
        CHECK(!cusolverSpXcsrluAnalysisHost(handle, n, nnz, skew.descriptor(), skew.row.data(), skew.column.data(), hl)); \
        CHECK(!cusolverSp##S##csrluBufferInfoHost(handle, n, nnz, skew.descriptor(), s, skew.row.data(), skew.column.data(), hl, &inside, &work) && inside && work); \
        CHECK(!cusolverSp##S##csrluFactorHost(handle, n, nnz, skew.descriptor(), s, skew.row.data(), skew.column.data(), hl, 1, buffer)); \
        CHECK(!cusolverSp##S##csrluZeroPivotHost(handle, hl, 0, &bad) && !cusolverSp##S##csrluSolveHost(handle, n, (T *)c.data(), o, hl, buffer) && good()); \
        CHECK(!cusolverSpDestroyCsrluInfoHost(hl)); \
        /* QR in steps: A - 1 I */ \
        csrqrInfoHost_t hq; \
        csrqrInfo_t gq; \
        T mu = {}; \
        *(R *)&mu = 1; \
        std::vector<E> less = c; \
        for (int i = 0; i < n; i++) \
            less[i] -= x[i]; \
        on_device<E> dless(less); \
        CHECK(!cusolverSpCreateCsrqrInfoHost(&hq) && !cusolverSpCreateCsrqrInfo(&gq)); \
        CHECK(!cusolverSpXcsrqrAnalysisHost(handle, n, n, nnz, skew.descriptor(), skew.row.data(), skew.column.data(), hq)); \
        CHECK(cusolverSpXcsrqrAnalysisHost(handle, n + 1, n, nnz, skew.descriptor(), skew.row.data(), skew.column.data(), hq) == CUSOLVER_STATUS_NOT_SUPPORTED); \
        CHECK(!cusolverSp##S##csrqrBufferInfoHost(handle, n, n, nnz, skew.descriptor(), s, skew.row.data(), skew.column.data(), hq, &inside, &work) && inside && work); \
        CHECK(!cusolverSp##S##csrqrSetupHost(handle, n, n, nnz, skew.descriptor(), s, skew.row.data(), skew.column.data(), mu, hq)); \
        CHECK(!cusolverSp##S##csrqrFactorHost(handle, n, n, nnz, NULL, NULL, hq, buffer)); \
        CHECK(!cusolverSp##S##csrqrZeroPivotHost(handle, hq, 0, &bad) && !cusolverSp##S##csrqrSolveHost(handle, n, n, (T *)less.data(), o, hq, buffer) && good()); \
        CHECK(!cusolverSpXcsrqrAnalysis(handle, n, n, nnz, skew.descriptor(), row.at, column.at, gq)); \
        CHECK(!cusolverSp##S##csrqrBufferInfo(handle, n, n, nnz, skew.descriptor(), (T *)sv.at, row.at, column.at, gq, &inside, &work)); \
        CHECK(!cusolverSp##S##csrqrSetup(handle, n, n, nnz, skew.descriptor(), (T *)sv.at, row.at, column.at, mu, gq)); \
        CHECK(!cusolverSp##S##csrqrFactor(handle, n, n, nnz, NULL, NULL, gq, buffer) && !cusolverSp##S##csrqrZeroPivot(handle, gq, 0, &bad)); \
        CHECK(!cusolverSp##S##csrqrSolve(handle, n, n, (T *)dless.at, (T *)dx.at, gq, buffer)); \
        cudaMemcpy(out.data(), dx.at, n * sizeof(E), cudaMemcpyDeviceToHost); \
        CHECK(good()); \
        /* two matrices of one structure */ \
        std::vector<E> both = plain.value, rights = b; \
        both.insert(both.end(), skew.value.begin(), skew.value.end()); \
        rights.insert(rights.end(), c.begin(), c.end()); \
        on_device<E> two(both), right(rights), answers(2 * (size_t)n); \
        CHECK(!cusolverSpXcsrqrAnalysisBatched(handle, n, n, nnz, plain.descriptor(), row.at, column.at, gq)); \
        CHECK(!cusolverSp##S##csrqrBufferInfoBatched(handle, n, n, nnz, plain.descriptor(), (T *)two.at, row.at, column.at, 2, gq, &inside, &work)); \
        CHECK(!cusolverSp##S##csrqrsvBatched(handle, n, n, nnz, plain.descriptor(), (T *)two.at, row.at, column.at, (T *)right.at, (T *)answers.at, 2, gq, buffer)); \
        std::vector<E> pair = x; \
        pair.insert(pair.end(), x.begin(), x.end()); \
        CHECK(distance(answers.get(2 * n), pair) < TOO_FAR); \
        CHECK(!cusolverSpDestroyCsrqrInfoHost(hq) && !cusolverSpDestroyCsrqrInfo(gq)); \
        /* row 1 has only column 0: it must come first */ \
        matrix<E> turned{3, base, {base}, {}, {}}; \
        turned.put(0, E(0)), turned.put(1, E(2)), turned.end(), turned.put(0, E(5)), turned.end(), turned.put(1, E(1)), turned.put(2, E(3)), turned.end(); \
        int order[3], found = 0; \
        CHECK(!cusolverSp##S##csrzfdHost(handle, 3, 5, turned.descriptor(), (T *)turned.value.data(), turned.row.data(), turned.column.data(), order, &found)); \
        CHECK(found == 3 && order[0] == 1 && order[1] == 0 && order[2] == 2); \
    }
TYPED(S, float, float, float, 1e-4)
TYPED(D, double, double, double, 1e-11)
TYPED(C, std::complex<float>, cuComplex, float, 1e-4)
TYPED(Z, std::complex<double>, cuDoubleComplex, double, 1e-11)

/* The row is the first whose column depends on those before, also where the band's order is another one. */
static void singular()
{
    matrix<double> a = grid<double>(9, 11, 0, 0.5);
    const int n = a.n;
    std::vector<double> b(n, 1.0), x(n);
    int bad = 9;
    for (int k = 0; k < a.entries(); k++) // column 40 becomes 0
        if (a.column[k] == 40)
            a.value[k] = 0;
    CHECK(!cusolverSpDcsrlsvqrHost(handle, n, a.entries(), zero, a.value.data(), a.row.data(), a.column.data(), b.data(), 1e-12, 0, x.data(), &bad));
    CHECK(bad == 40 && std::isnan(x[0]));
    matrix<double> d{3, 0, {0}, {}, {}};
    d.put(0, 2), d.end(), d.put(1, 1e-9), d.end(), d.put(2, 3), d.end();
    CHECK(!cusolverSpDcsrlsvluHost(handle, 3, 3, zero, d.value.data(), d.row.data(), d.column.data(), b.data(), 1e-6, 0, x.data(), &bad) && bad == 1);
    CHECK(!cusolverSpDcsrlsvluHost(handle, 3, 3, zero, d.value.data(), d.row.data(), d.column.data(), b.data(), 1e-12, 0, x.data(), &bad) && bad == -1 && x[0] == 0.5);
    d.value[2] = -3; // not positive definite
    CHECK(!cusolverSpDcsrlsvcholHost(handle, 3, 3, zero, d.value.data(), d.row.data(), d.column.data(), b.data(), 0, 0, x.data(), &bad) && bad == 2);
    on_device<int> row(d.row), column(d.column);
    on_device<double> value(d.value), right(b), out((size_t)3);
    CHECK(!cusolverSpDcsrlsvchol(handle, 3, 3, zero, value.at, row.at, column.at, right.at, 0, 0, out.at, &bad) && bad == 2);
    CHECK(cusolverSpDcsrlsvcholHost(handle, 0, 3, zero, d.value.data(), d.row.data(), d.column.data(), b.data(), 0, 0, x.data(), &bad) == CUSOLVER_STATUS_INVALID_VALUE);
    d.column[0] = 3; // outside
    CHECK(cusolverSpDcsrlsvqrHost(handle, 3, 3, zero, d.value.data(), d.row.data(), d.column.data(), b.data(), 0, 0, x.data(), &bad) == CUSOLVER_STATUS_INVALID_VALUE);
}

static int bandwidth(const matrix<double> &a)
{
    int most = 0;
    for (int i = 0; i < a.n; i++)
        for (int k = a.row[i] - a.base; k < a.row[i + 1] - a.base; k++)
            most = std::max(most, std::abs(a.column[k] - a.base - i));
    return most;
}

static void orders(int base)
{
    matrix<double> a = grid<double>(9, 11, base, 0.5);
    const int n = a.n, nnz = a.entries();
    std::vector<int> p(n), map(nnz);
    int same = 9;
    size_t bytes = 0;
    CHECK(!cusolverSpXcsrissymHost(handle, n, nnz, a.descriptor(), a.row.data(), a.row.data() + 1, a.column.data(), &same) && same == 1);
    const int one_way[] = {base, base + 2, base + 3}, columns[] = {base, base + 1, base + 1};
    CHECK(!cusolverSpXcsrissymHost(handle, 2, 3, a.descriptor(), one_way, one_way + 1, columns, &same) && same == 0);
    cusolverStatus_t (*const all[])(cusolverSpHandle_t, int, int, const cusparseMatDescr_t, const int *, const int *, int *) = {
        cusolverSpXcsrsymmdqHost, cusolverSpXcsrsymamdHost, cusolverSpXcsrsymrcmHost};
    for (auto order : all) {
        std::vector<int> sorted;
        CHECK(!order(handle, n, nnz, a.descriptor(), a.row.data(), a.column.data(), p.data()));
        sorted = p;
        std::sort(sorted.begin(), sorted.end());
        for (int i = 0; i < n; i++)
            CHECK(sorted[i] == i);
    }
    std::vector<int> q(n);
    CHECK(!cusolverSpXcsrmetisndHost(handle, n, nnz, a.descriptor(), a.row.data(), a.column.data(), NULL, q.data()) && q == p);
    matrix<double> b = a;
    for (int k = 0; k < nnz; k++)
        map[k] = k;
    CHECK(!cusolverSpXcsrperm_bufferSizeHost(handle, n, n, nnz, b.descriptor(), b.row.data(), b.column.data(), p.data(), p.data(), &bytes));
    std::vector<char> buffer(bytes);
    CHECK(bytes && !cusolverSpXcsrpermHost(handle, n, n, nnz, b.descriptor(), b.row.data(), b.column.data(), p.data(), p.data(), map.data(), buffer.data()));
    for (int k = 0; k < nnz; k++)
        b.value[k] = a.value[map[k]];
    std::vector<double> x = wanted<double>(n), px(n), right = a.times(x), got;
    for (int i = 0; i < n; i++)
        px[i] = x[p[i]];
    got = b.times(px);
    for (int i = 0; i < n; i++) { // B = A(p, p), columns ascending
        CHECK(std::fabs(got[i] - right[p[i]]) < 1e-12);
        CHECK(std::is_sorted(b.column.begin() + (b.row[i] - base), b.column.begin() + (b.row[i + 1] - base)));
    }
    CHECK(bandwidth(a) > 60 && bandwidth(b) <= 20);
    p[0] = p[1]; // no permutation
    CHECK(cusolverSpXcsrpermHost(handle, n, n, nnz, b.descriptor(), b.row.data(), b.column.data(), p.data(), p.data(), map.data(), buffer.data()) ==
          CUSOLVER_STATUS_INVALID_VALUE);
}

int main()
{
    if (cusolverSpCreate(&handle) == CUSOLVER_STATUS_NOT_INITIALIZED)
        return 77;
    cudaStream_t s, known;
    cudaStreamCreate(&s);
    CHECK(!cusolverSpSetStream(handle, s) && !cusolverSpGetStream(handle, &known) && known == s);
    cusparseCreateMatDescr(&zero);
    cusparseCreateMatDescr(&one);
    cusparseSetMatIndexBase(one, CUSPARSE_INDEX_BASE_ONE);
    for (int base = 0; base < 2; base++) {
        systems_S(base);
        systems_D(base);
        systems_C(base);
        systems_Z(base);
        orders(base);
    }
    singular();
    csrluInfoHost_t lu;
    int lower, upper;
    CHECK(!cusolverSpCreateCsrluInfoHost(&lu) && cusolverSpXcsrluNnzHost(handle, &lower, &upper, lu) == CUSOLVER_STATUS_NOT_SUPPORTED);
    CHECK(!cusolverSpDestroyCsrluInfoHost(lu));
    cusparseDestroyMatDescr(zero);
    cusparseDestroyMatDescr(one);
    CHECK(!cusolverSpDestroy(handle) && cudaDeviceSynchronize() == cudaSuccess);
    printf("%s\n", failures ? "FAILED" : "PASSED");
    return failures != 0;
}
