// cuSPARSE beside dense loops: larger random matrices, all four types of the older interface, descriptors, order in streams.
//   cusparse [fault|one]      fault: a column index that leads out of its matrix; one: a product, for a profile
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstring>
#include <vector>
#include <cuComplex.h>
#include <cuda_runtime.h>
#include <cusparse.h>

#include "check.h"

using std::vector;

static const cusparseOperation_t N = CUSPARSE_OPERATION_NON_TRANSPOSE;
static unsigned state = 1;
static int below(int n)
{
    state = state * 1664525 + 1013904223;
    return (int)((state >> 8) % (unsigned)n);
}

static double number() { return (below(4001) - 2000) / 1024.0; }

template <class E> static E *device(const vector<E> &v)
{
    E *p;
    cudaMalloc((void **)&p, (v.size() + 1) * sizeof(E));
    cudaMemcpy(p, v.data(), v.size() * sizeof(E), cudaMemcpyHostToDevice);
    return p;
}

template <class E> static vector<E> host(const E *p, size_t n)
{
    vector<E> v(n);
    CHECK(cudaMemcpy(v.data(), p, n * sizeof(E), cudaMemcpyDeviceToHost) == cudaSuccess);
    return v;
}

// ---- against dense loops ----
struct sparse {
    int m, n;
    vector<int> offsets, columns;
    vector<double> values, dense; // row order
};

static sparse random_matrix(int m, int n, int percent)
{
    sparse a{m, n, {0}, {}, {}, vector<double>((size_t)m * n)};
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++)
            if (below(100) < percent) {
                a.columns.push_back(j);
                a.values.push_back(number());
                a.dense[(size_t)i * n + j] = a.values.back();
            }
        a.offsets.push_back((int)a.columns.size());
    }
    return a;
}

static cusparseSpMatDescr_t describe(const sparse &a)
{
    cusparseSpMatDescr_t d;
    CHECK(!cusparseCreateCsr(&d, a.m, a.n, a.values.size(), device(a.offsets), device(a.columns), device(a.values), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                             CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    return d;
}

static vector<double> randoms(size_t n)
{
    vector<double> v(n);
    for (double &x : v)
        x = number();
    return v;
}

static bool close(const vector<double> &a, const vector<double> &b)
{
    double worst = 0, most = 1;
    for (size_t i = 0; i < a.size(); i++)
        worst = std::max(worst, fabs(a[i] - b[i])), most = std::max(most, fabs(b[i]));
    return a.size() == b.size() && worst <= 1e-12 * most;
}

static void products(cusparseHandle_t h, int m, int k, int n, int percent)
{
    const sparse a = random_matrix(m, k, percent), b = random_matrix(k, n, percent);
    cusparseSpMatDescr_t da = describe(a), db = describe(b), dc;
    const vector<double> x = randoms(k), y = randoms(m), dense = randoms((size_t)k * n);
    const double alpha = 1.25, beta = -0.5, zero = 0;
    double *px = device(x), *py = device(y), *pd = device(dense), *pc;
    cusparseDnVecDescr_t dx, dy;
    CHECK(!cusparseCreateDnVec(&dx, k, px, CUDA_R_64F) && !cusparseCreateDnVec(&dy, m, py, CUDA_R_64F));
    size_t bytes = 0;
    CHECK(!cusparseSpMV_bufferSize(h, N, &alpha, da, dx, &beta, dy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes));
    CHECK(!cusparseSpMV_preprocess(h, N, &alpha, da, dx, &beta, dy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, NULL));
    CHECK(!cusparseSpMV(h, N, &alpha, da, dx, &beta, dy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, NULL));
    vector<double> want(m);
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int j = 0; j < k; j++)
            sum += a.dense[(size_t)i * k + j] * x[j];
        want[i] = alpha * sum + beta * y[i];
    }
    CHECK(close(host(py, m), want));
    cudaMalloc((void **)&pc, (size_t)m * n * sizeof(double)); // not written: beta is 0
    cusparseDnMatDescr_t dm, dn;
    CHECK(!cusparseCreateDnMat(&dm, k, n, n, pd, CUDA_R_64F, CUSPARSE_ORDER_ROW) && !cusparseCreateDnMat(&dn, m, n, m, pc, CUDA_R_64F, CUSPARSE_ORDER_COL));
    CHECK(!cusparseSpMM(h, N, N, &alpha, da, dm, &zero, dn, CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT, NULL));
    want.assign((size_t)m * n, 0);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < k; l++)
                want[(size_t)j * m + i] += alpha * a.dense[(size_t)i * k + l] * dense[(size_t)l * n + j];
    CHECK(close(host(pc, (size_t)m * n), want));

    // A B, then to a dense matrix
    int *offsets = device(vector<int>(m + 1));
    CHECK(!cusparseCreateCsr(&dc, m, n, 0, offsets, NULL, NULL, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    cusparseSpGEMMDescr_t g;
    void *room;
    int64_t rows, cols, nnz;
    CHECK(!cusparseSpGEMM_createDescr(&g));
    CHECK(!cusparseSpGEMM_workEstimation(h, N, N, &alpha, da, db, &zero, dc, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, g, &bytes, NULL));
    cudaMalloc(&room, bytes);
    CHECK(!cusparseSpGEMM_workEstimation(h, N, N, &alpha, da, db, &zero, dc, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, g, &bytes, room));
    CHECK(!cusparseSpGEMM_compute(h, N, N, &alpha, da, db, &zero, dc, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, g, &bytes, NULL));
    CHECK(!cusparseSpGEMM_compute(h, N, N, &alpha, da, db, &zero, dc, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, g, &bytes, room));
    CHECK(!cusparseSpMatGetSize(dc, &rows, &cols, &nnz) && rows == m && cols == n);
    int *columns = device(vector<int>(nnz));
    double *values = device(vector<double>(nnz));
    CHECK(!cusparseCsrSetPointers(dc, offsets, columns, values));
    CHECK(!cusparseSpGEMM_copy(h, N, N, &alpha, da, db, &zero, dc, CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, g));
    CHECK(!cusparseSpGEMM_destroyDescr(g));
    CHECK(!cusparseSparseToDense(h, dc, dn, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, NULL));
    want.assign((size_t)m * n, 0);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < k; l++)
                want[(size_t)j * m + i] += alpha * a.dense[(size_t)i * k + l] * b.dense[(size_t)l * n + j];
    CHECK(close(host(pc, (size_t)m * n), want));
    CHECK(!cusparseDestroySpMat(da) && !cusparseDestroySpMat(db) && !cusparseDestroySpMat(dc) && !cusparseDestroyDnVec(dx) && !cusparseDestroyDnVec(dy));
    CHECK(!cusparseDestroyDnMat(dm) && !cusparseDestroyDnMat(dn));
}

// ---- the older interface in all four types ----
template <class E> static E make(double re, double im);
template <> float make<float>(double re, double) { return (float)re; }
template <> double make<double>(double re, double) { return re; }
template <> cuComplex make<cuComplex>(double re, double im) { return make_cuComplex((float)re, (float)im); }
template <> cuDoubleComplex make<cuDoubleComplex>(double re, double im) { return make_cuDoubleComplex(re, im); }
typedef std::complex<double> wide;
static wide widen(float v) { return v; }
static wide widen(double v) { return v; }
static wide widen(cuComplex v) { return wide(v.x, v.y); }
static wide widen(cuDoubleComplex v) { return wide(v.x, v.y); }

template <class E> static vector<E> series(size_t n)
{
    vector<E> v(n);
    for (E &x : v)
        x = make<E>(number(), number());
    return v;
}

template <class E> static double residual(const vector<E> &a, const vector<wide> &b) // largest difference
{
    double worst = 0;
    for (size_t i = 0; i < a.size(); i++)
        worst = std::max(worst, abs(widen(a[i]) - b[i]));
    return worst;
}

// A band's rows times x: what the right-hand side was.
template <class E> static vector<wide> times(const vector<const vector<E> *> &diagonals, const vector<E> &x, int m)
{
    vector<wide> y(m);
    const int side = (int)diagonals.size() / 2;
    for (int i = 0; i < m; i++)
        for (int d = -side; d <= side; d++)
            if (i + d >= 0 && i + d < m)
                y[i] += widen((*diagonals[d + side])[i]) * widen(x[i + d]);
    return y;
}

#define OLDER(S, E, precision)                                                                                                                 \
    static void older_##S(cusparseHandle_t h)                                                                                                  \
    {                                                                                                                                          \
        const int m = 50;                                                                                                                      \
        size_t bytes = 0;                                                                                                                      \
        int room = 0;                                                                                                                          \
        vector<E> ds = series<E>(m), dl = series<E>(m), d = series<E>(m), du = series<E>(m), dw = series<E>(m), b = series<E>(m);              \
        for (E &v : d)                                                                                                                         \
            v = make<E>(widen(v).real() + 9, widen(v).imag());                                                                                 \
        dl[0] = ds[0] = ds[1] = du[m - 1] = dw[m - 1] = dw[m - 2] = make<E>(0, 0);                                                             \
        E *ps = device(ds), *pl = device(dl), *pd = device(d), *pu = device(du), *pw = device(dw);                                             \
        for (int way = 0; way < 5; way++) {                                                                                                    \
            E *px = device(b);                                                                                                                 \
            int e = way == 0 ? cusparse##S##gtsv2_bufferSizeExt(h, m, 1, pl, pd, pu, px, m, &bytes)                                            \
                    : way == 1 ? cusparse##S##gtsv2_nopivot_bufferSizeExt(h, m, 1, pl, pd, pu, px, m, &bytes)                                  \
                    : way == 2 ? cusparse##S##gtsv2StridedBatch_bufferSizeExt(h, m, pl, pd, pu, px, 1, m, &bytes)                              \
                    : way == 3 ? cusparse##S##gtsvInterleavedBatch_bufferSizeExt(h, 0, m, pl, pd, pu, px, 1, &bytes)                           \
                               : cusparse##S##gpsvInterleavedBatch_bufferSizeExt(h, 0, m, ps, pl, pd, pu, pw, px, 1, &bytes);                  \
            CHECK(!e);                                                                                                                        \
            e = way == 0 ? cusparse##S##gtsv2(h, m, 1, pl, pd, pu, px, m, NULL)                                                                \
                : way == 1 ? cusparse##S##gtsv2_nopivot(h, m, 1, pl, pd, pu, px, m, NULL)                                                      \
                : way == 2 ? cusparse##S##gtsv2StridedBatch(h, m, pl, pd, pu, px, 1, m, NULL)                                                  \
                : way == 3 ? cusparse##S##gtsvInterleavedBatch(h, 0, m, pl, pd, pu, px, 1, NULL)                                               \
                           : cusparse##S##gpsvInterleavedBatch(h, 0, m, ps, pl, pd, pu, pw, px, 1, NULL);                                      \
            CHECK(!e);                                                                                                                        \
            const vector<E> x = host(px, m);                                                                                                   \
            CHECK(residual(b, way < 4 ? times<E>({&dl, &d, &du}, x, m) : times<E>({&ds, &dl, &d, &du, &dw}, x, m)) < precision);              \
        }                                                                                                                                      \
        /* a small matrix: blocks and back, a sum with itself, the product with its blocks, factors */                                         \
        const vector<int> offsets = {0, 2, 4, 6, 8}, columns = {0, 3, 1, 2, 1, 2, 0, 3};                                                       \
        const vector<E> values = {make<E>(4, 0), make<E>(1, .5), make<E>(5, 0), make<E>(2, 1), make<E>(2, -1), make<E>(6, 0),                  \
                                  make<E>(1, -.5), make<E>(3, 0)};                                                                             \
        int *po = device(offsets), *pc = device(columns), *bo = device(vector<int>(3)), *bc = device(vector<int>(4));                          \
        E *pv = device(values), *bv = device(vector<E>(16)), one = make<E>(1, 0), none = make<E>(0, 0);                                        \
        cusparseMatDescr_t g;                                                                                                                  \
        int blocks = 0;                                                                                                                        \
        CHECK(!cusparseCreateMatDescr(&g));                                                                                                   \
        CHECK(!cusparseXcsr2bsrNnz(h, CUSPARSE_DIRECTION_ROW, 4, 4, g, po, pc, 2, g, bo, &blocks) && blocks == 4);                            \
        CHECK(!cusparse##S##csr2bsr(h, CUSPARSE_DIRECTION_ROW, 4, 4, g, pv, po, pc, 2, g, bv, bo, bc));                                       \
        CHECK(!cusparse##S##csr2gebsr_bufferSize(h, CUSPARSE_DIRECTION_ROW, 4, 4, g, pv, po, pc, 2, 2, &room));                               \
        CHECK(!cusparseXcsr2gebsrNnz(h, CUSPARSE_DIRECTION_ROW, 4, 4, g, po, pc, g, bo, 2, 2, &blocks, NULL) && blocks == 4);                 \
        CHECK(!cusparse##S##csr2gebsr(h, CUSPARSE_DIRECTION_ROW, 4, 4, g, pv, po, pc, g, bv, bo, bc, 2, 2, NULL));                            \
        int *fo = device(vector<int>(5)), *fc = device(vector<int>(16));                                                                       \
        E *fv = device(vector<E>(16)), *px = device(b), *py = device(vector<E>(4)), *pz = device(vector<E>(4));                                \
        CHECK(!cusparse##S##bsr2csr(h, CUSPARSE_DIRECTION_ROW, 2, 2, g, bv, bo, bc, 2, g, fv, fo, fc));                                       \
        CHECK(!cusparse##S##bsrmv(h, CUSPARSE_DIRECTION_ROW, N, 2, 2, 4, &one, g, bv, bo, bc, 2, px, &none, py));                             \
        CHECK(!cusparse##S##bsrmm(h, CUSPARSE_DIRECTION_ROW, N, N, 2, 1, 2, 4, &one, g, bv, bo, bc, 2, px, 4, &none, pz, 4));                 \
        vector<wide> want(4);                                                                                                                  \
        for (int i = 0; i < 4; i++)                                                                                                            \
            for (int k = offsets[i]; k < offsets[i + 1]; k++)                                                                                  \
                want[i] += widen(values[k]) * widen(b[columns[k]]);                                                                            \
        CHECK(residual(host(py, 4), want) < precision && residual(host(pz, 4), want) < precision);                                            \
        int *each = device(vector<int>(4)), total = 0;                                                                                         \
        CHECK(!cusparse##S##nnz(h, CUSPARSE_DIRECTION_COLUMN, 4, 4, g, fv, 4, each, &total) && total == 8); /* a column is a row of it */     \
        CHECK(host(each, 4) == vector<int>({2, 2, 2, 2}));                                                                                    \
        int *so = device(vector<int>(5)), *sc = device(vector<int>(8)), nnz = 0;                                                               \
        E *sv = device(vector<E>(8)), two = make<E>(2, 0);                                                                                     \
        CHECK(!cusparse##S##csrgeam2_bufferSizeExt(h, 4, 4, &one, g, 8, pv, po, pc, &two, g, 8, pv, po, pc, g, sv, so, sc, &bytes));          \
        CHECK(!cusparseXcsrgeam2Nnz(h, 4, 4, g, 8, po, pc, g, 8, po, pc, g, so, &nnz, NULL) && nnz == 8);                                     \
        CHECK(!cusparse##S##csrgeam2(h, 4, 4, &one, g, 8, pv, po, pc, &two, g, 8, pv, po, pc, g, sv, so, sc, NULL));                          \
        vector<wide> triple;                                                                                                                   \
        for (const E &v : values)                                                                                                              \
            triple.push_back(3.0 * widen(v));                                                                                                  \
        CHECK(residual(host(sv, 8), triple) < precision && host(sc, 8) == columns && host(so, 5) == offsets);                                 \
        int *xi = device(vector<int>({0, 3}));                                                                                                 \
        E *xv = device(vector<E>({make<E>(2, 0), make<E>(1, 0)}));                                                                             \
        CHECK(!cusparse##S##gemvi_bufferSize(h, N, 4, 4, 2, &room));                                                                          \
        CHECK(!cusparse##S##gemvi(h, N, 4, 4, &one, fv, 4, 2, xv, xi, &none, py, CUSPARSE_INDEX_BASE_ZERO, NULL));                            \
        const vector<E> dense = host(fv, 16);                                                                                                  \
        for (int i = 0; i < 4; i++)                                                                                                            \
            want[i] = 2.0 * widen(dense[i]) + widen(dense[12 + i]);                                                                            \
        CHECK(residual(host(py, 4), want) < precision);                                                                                       \
        /* rows of the factors: 4 and 5 stay, what is below is divided by them; Cholesky: the roots */                                         \
        csrilu02Info_t lu;                                                                                                                     \
        csric02Info_t ic;                                                                                                                      \
        int at = 7;                                                                                                                            \
        E *v1 = device(values), *v2 = device(values);                                                                                          \
        CHECK(!cusparseCreateCsrilu02Info(&lu) && !cusparse##S##csrilu02_bufferSize(h, 4, 8, g, v1, po, pc, lu, &room));                      \
        CHECK(!cusparse##S##csrilu02_analysis(h, 4, 8, g, v1, po, pc, lu, CUSPARSE_SOLVE_POLICY_NO_LEVEL, NULL));                             \
        CHECK(!cusparse##S##csrilu02(h, 4, 8, g, v1, po, pc, lu, CUSPARSE_SOLVE_POLICY_NO_LEVEL, NULL));                                      \
        CHECK(!cusparseXcsrilu02_zeroPivot(h, lu, &at) && at == -1 && !cusparseDestroyCsrilu02Info(lu));                                      \
        CHECK(!cusparseCreateCsric02Info(&ic) && !cusparse##S##csric02_bufferSize(h, 4, 8, g, v2, po, pc, ic, &room));                        \
        CHECK(!cusparse##S##csric02_analysis(h, 4, 8, g, v2, po, pc, ic, CUSPARSE_SOLVE_POLICY_NO_LEVEL, NULL));                              \
        CHECK(!cusparse##S##csric02(h, 4, 8, g, v2, po, pc, ic, CUSPARSE_SOLVE_POLICY_NO_LEVEL, NULL));                                       \
        CHECK(!cusparseXcsric02_zeroPivot(h, ic, &at) && at == -1 && !cusparseDestroyCsric02Info(ic));                                        \
        vector<wide> f(8), c(8);                                                                                                               \
        for (int i = 0; i < 8; i++)                                                                                                            \
            f[i] = c[i] = widen(values[i]);                                                                                                    \
        f[4] /= f[2], f[5] -= f[4] * f[3], f[6] /= f[0], f[7] -= f[6] * f[1];                                                                  \
        c[0] = sqrt(c[0]), c[2] = sqrt(c[2]), c[4] /= c[2], c[5] = sqrt(c[5] - norm(c[4])), c[6] /= c[0], c[7] = sqrt(c[7] - norm(c[6]));      \
        CHECK(residual(host(v1, 8), f) < precision && residual(host(v2, 8), c) < precision);                                                  \
        CHECK(!cusparseDestroyMatDescr(g));                                                                                                   \
    }
OLDER(S, float, 1e-4)
OLDER(D, double, 1e-12)
OLDER(C, cuComplex, 1e-4)
OLDER(Z, cuDoubleComplex, 1e-12)

// ---- descriptors ----
static void descriptors(cusparseHandle_t h)
{
    int place[8];
    double number[8];
    int64_t size, nnz, rows, cols, ld, block, width;
    void *i, *j, *v;
    const void *ci, *cj, *cv;
    cusparseIndexType_t ti, tj;
    cusparseIndexBase_t base;
    cudaDataType type;
    cusparseOrder_t order;
    cusparseFormat_t format;
    const cusparseIndexType_t I = CUSPARSE_INDEX_32I;
    const cusparseIndexBase_t B = CUSPARSE_INDEX_BASE_ONE;

    cusparseSpVecDescr_t x;
    cusparseConstSpVecDescr_t kx;
    CHECK(!cusparseCreateSpVec(&x, 8, 3, place, number, I, B, CUDA_R_64F) && !cusparseSpVecSetValues(x, number + 1));
    CHECK(!cusparseSpVecGet(x, &size, &nnz, &i, &v, &ti, &base, &type) && size == 8 && nnz == 3 && i == place && v == number + 1 && base == B);
    CHECK(!cusparseConstSpVecGet(x, &size, &nnz, &ci, &cv, &ti, &base, &type) && ci == place && type == CUDA_R_64F && ti == I);
    CHECK(!cusparseSpVecGetIndexBase(x, &base) && base == B && !cusparseSpVecGetValues(x, &v) && v == number + 1);
    CHECK(!cusparseConstSpVecGetValues(x, &cv) && cv == number + 1 && !cusparseDestroySpVec(x));
    CHECK(!cusparseCreateConstSpVec(&kx, 8, 3, place, number, I, B, CUDA_R_64F) && !cusparseDestroySpVec(kx));

    cusparseDnVecDescr_t y;
    cusparseConstDnVecDescr_t ky;
    CHECK(!cusparseCreateDnVec(&y, 8, number, CUDA_R_64F) && !cusparseDnVecSetValues(y, number + 1) && !cusparseDnVecGet(y, &size, &v, &type) && v == number + 1);
    CHECK(!cusparseConstDnVecGet(y, &size, &cv, &type) && size == 8 && !cusparseDnVecGetValues(y, &v) && !cusparseConstDnVecGetValues(y, &cv) && cv == v);
    CHECK(!cusparseDestroyDnVec(y) && !cusparseCreateConstDnVec(&ky, 8, number, CUDA_R_64F) && !cusparseDestroyDnVec(ky));

    cusparseDnMatDescr_t m;
    cusparseConstDnMatDescr_t km;
    int batches;
    CHECK(!cusparseCreateDnMat(&m, 2, 3, 4, number, CUDA_R_64F, CUSPARSE_ORDER_COL) && !cusparseDnMatSetValues(m, number + 1));
    CHECK(!cusparseDnMatGet(m, &rows, &cols, &ld, &v, &type, &order) && rows == 2 && cols == 3 && ld == 4 && order == CUSPARSE_ORDER_COL && v == number + 1);
    CHECK(!cusparseConstDnMatGet(m, &rows, &cols, &ld, &cv, &type, &order) && cv == v && !cusparseDnMatGetValues(m, &v) && !cusparseConstDnMatGetValues(m, &cv));
    CHECK(!cusparseDnMatSetStridedBatch(m, 2, 12) && !cusparseDnMatGetStridedBatch(m, &batches, &size) && batches == 2 && size == 12 && !cusparseDestroyDnMat(m));
    CHECK(!cusparseCreateConstDnMat(&km, 2, 3, 4, number, CUDA_R_64F, CUSPARSE_ORDER_COL) && !cusparseDestroyDnMat(km));

    cusparseSpMatDescr_t a;
    cusparseConstSpMatDescr_t ka;
    CHECK(!cusparseCreateCsr(&a, 3, 4, 5, place, place + 1, number, I, I, B, CUDA_R_64F) && !cusparseSpMatGetFormat(a, &format) && format == CUSPARSE_FORMAT_CSR);
    CHECK(!cusparseCsrGet(a, &rows, &cols, &nnz, &i, &j, &v, &ti, &tj, &base, &type) && rows == 3 && cols == 4 && nnz == 5 && i == place && j == place + 1);
    CHECK(!cusparseConstCsrGet(a, &rows, &cols, &nnz, &ci, &cj, &cv, &ti, &tj, &base, &type) && cv == number);
    CHECK(!cusparseSpMatSetValues(a, number + 2) && !cusparseSpMatGetValues(a, &v) && v == number + 2 && !cusparseConstSpMatGetValues(a, &cv) && cv == v);
    CHECK(!cusparseSpMatGetIndexBase(a, &base) && base == B && !cusparseCsrSetStridedBatch(a, 3, 4, 5) && !cusparseSpMatGetStridedBatch(a, &batches) && batches == 3);
    cusparseFillMode_t fill = CUSPARSE_FILL_MODE_UPPER;
    CHECK(!cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
    fill = CUSPARSE_FILL_MODE_LOWER;
    CHECK(!cusparseSpMatGetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill) && fill == CUSPARSE_FILL_MODE_UPPER && !cusparseDestroySpMat(a));
    CHECK(!cusparseCreateConstCsr(&ka, 3, 4, 5, place, place, number, I, I, B, CUDA_R_64F) && !cusparseDestroySpMat(ka));
    CHECK(!cusparseCreateCsc(&a, 3, 4, 5, place, place, number, I, I, B, CUDA_R_64F) && !cusparseCscSetPointers(a, place, place + 1, number));
    CHECK(!cusparseCscGet(a, &rows, &cols, &nnz, &i, &j, &v, &ti, &tj, &base, &type) && j == place + 1);
    CHECK(!cusparseConstCscGet(a, &rows, &cols, &nnz, &ci, &cj, &cv, &ti, &tj, &base, &type) && !cusparseDestroySpMat(a));
    CHECK(!cusparseCreateConstCsc(&ka, 3, 4, 5, place, place, number, I, I, B, CUDA_R_64F) && !cusparseDestroySpMat(ka));
    CHECK(!cusparseCreateCoo(&a, 3, 4, 5, place, place, number, I, B, CUDA_R_64F) && !cusparseCooSetPointers(a, place + 1, place, number));
    CHECK(!cusparseCooGet(a, &rows, &cols, &nnz, &i, &j, &v, &ti, &base, &type) && i == place + 1 && !cusparseCooSetStridedBatch(a, 2, 5));
    CHECK(!cusparseConstCooGet(a, &rows, &cols, &nnz, &ci, &cj, &cv, &ti, &base, &type) && !cusparseDestroySpMat(a));
    CHECK(!cusparseCreateConstCoo(&ka, 3, 4, 5, place, place, number, I, B, CUDA_R_64F) && !cusparseDestroySpMat(ka));
    CHECK(!cusparseCreateBsr(&a, 3, 4, 2, 2, 2, place, place, number, I, I, B, CUDA_R_64F, CUSPARSE_ORDER_ROW) && !cusparseBsrSetStridedBatch(a, 2, 4, 2, 8));
    CHECK(!cusparseDestroySpMat(a) && !cusparseCreateConstBsr(&ka, 3, 4, 2, 2, 2, place, place, number, I, I, B, CUDA_R_64F, CUSPARSE_ORDER_ROW));
    CHECK(!cusparseDestroySpMat(ka) && !cusparseCreateBlockedEll(&a, 4, 6, 2, 4, place, number, I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    CHECK(!cusparseBlockedEllGet(a, &rows, &cols, &block, &width, &i, &v, &ti, &base, &type) && block == 2 && width == 4);
    CHECK(!cusparseConstBlockedEllGet(a, &rows, &cols, &block, &width, &ci, &cv, &ti, &base, &type) && !cusparseDestroySpMat(a));
    CHECK(!cusparseCreateConstBlockedEll(&ka, 4, 6, 2, 4, place, number, I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F) && !cusparseDestroySpMat(ka));

    cusparseMatDescr_t g;
    CHECK(!cusparseCreateMatDescr(&g) && !cusparseSetMatType(g, CUSPARSE_MATRIX_TYPE_SYMMETRIC) && cusparseGetMatType(g) == CUSPARSE_MATRIX_TYPE_SYMMETRIC);
    CHECK(!cusparseSetMatFillMode(g, CUSPARSE_FILL_MODE_UPPER) && cusparseGetMatFillMode(g) == CUSPARSE_FILL_MODE_UPPER);
    CHECK(!cusparseSetMatDiagType(g, CUSPARSE_DIAG_TYPE_UNIT) && cusparseGetMatDiagType(g) == CUSPARSE_DIAG_TYPE_UNIT);
    CHECK(!cusparseSetMatIndexBase(g, B) && cusparseGetMatIndexBase(g) == B && !cusparseDestroyMatDescr(g));

    cudaStream_t stream = (cudaStream_t)1;
    cusparsePointerMode_t mode;
    CHECK(!cusparseGetStream(h, &stream) && !stream && !cusparseGetPointerMode(h, &mode) && mode == CUSPARSE_POINTER_MODE_HOST);
    CHECK(cusparseCreateSlicedEll() == CUSPARSE_STATUS_NOT_SUPPORTED && cusparseCreateSlicedEll() == CUSPARSE_STATUS_NOT_SUPPORTED); // says so, once
}

// ---- order ----
__global__ void fill(double *x, int n, double v)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = v;
}

static void streams(cusparseHandle_t h)
{
    const int n = 1000;
    const sparse a = random_matrix(n, n, 2);
    cusparseSpMatDescr_t d = describe(a);
    double *x = device(vector<double>(n)), *y = device(vector<double>(n)), one = 1, zero = 0;
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    CHECK(!cusparseSetStream(h, s));
    for (int i = 1; i < 20; i++) {
        cusparseDnVecDescr_t dx, dy;
        cusparseCreateDnVec(&dx, n, x, CUDA_R_64F);
        cusparseCreateDnVec(&dy, n, y, CUDA_R_64F);
        fill<<<(n + 255) / 256, 256, 0, s>>>(x, n, i);
        CHECK(!cusparseSpMV(h, N, &one, d, dx, &zero, dy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, NULL));
        fill<<<(n + 255) / 256, 256, 0, s>>>(x, n, -1);
        cusparseDestroyDnVec(dx), cusparseDestroyDnVec(dy); // what is queued goes on
        double got[2], want = 0;
        cudaMemcpyAsync(got, y, sizeof got, cudaMemcpyDeviceToHost, s);
        cudaStreamSynchronize(s);
        for (int k = a.offsets[1]; k < a.offsets[2]; k++)
            want += a.values[k] * i;
        CHECK(fabs(got[1] - want) < 1e-9);
    }
    CHECK(!cusparseSetStream(h, 0));
    cudaStreamDestroy(s);
}

static int fault()
{
    cusparseHandle_t h;
    sparse a = random_matrix(6, 6, 50);
    a.columns[3] = 6;
    cusparseSpMatDescr_t d = describe(a);
    cusparseDnVecDescr_t dx, dy;
    double one = 1, zero = 0;
    cusparseCreate(&h);
    cusparseCreateDnVec(&dx, 6, device(vector<double>(6)), CUDA_R_64F);
    cusparseCreateDnVec(&dy, 6, device(vector<double>(6)), CUDA_R_64F);
    int put = cusparseSpMV(h, N, &one, d, dx, &zero, dy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, NULL);
    printf("%d %s\n", put, cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}

static int one() // 2 x 12 operations; 4 offsets, 12 indices, 12 values and 4 numbers of x in, 3 of y out
{
    cusparseHandle_t h;
    const sparse a = random_matrix(3, 4, 100);
    cusparseSpMatDescr_t d = describe(a);
    cusparseDnVecDescr_t dx, dy;
    double one = 1, zero = 0;
    cusparseCreate(&h);
    cusparseCreateDnVec(&dx, 4, device(vector<double>(4)), CUDA_R_64F);
    cusparseCreateDnVec(&dy, 3, device(vector<double>(3)), CUDA_R_64F);
    return cusparseSpMV(h, N, &one, d, dx, &zero, dy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, NULL) || cudaDeviceSynchronize();
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "fault"))
        return fault();
    if (argc > 1 && !strcmp(argv[1], "one"))
        return one();
    cusparseHandle_t h;
    CHECK(!cusparseCreate(&h));
    products(h, 1, 1, 1, 100);
    products(h, 70, 90, 50, 10);
    products(h, 200, 30, 120, 3);
    products(h, 40, 60, 40, 0);
    older_S(h), older_D(h), older_C(h), older_Z(h);
    descriptors(h);
    streams(h);
    CHECK(!cusparseDestroy(h));
    printf(failures ? "%d FAILED\n" : "PASSED\n", failures);
    return failures != 0;
}
