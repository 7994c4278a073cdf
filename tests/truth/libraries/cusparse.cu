// cuSPARSE: what its functions answer for small matrices, and what misuse does. Prints a line for each case: name, statuses, results.
//   nvcc -std=c++17 cusparse.cu -lcusparse -o cusparse && ./cusparse >cusparse.tsv
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cusparse.h>

using std::string;
using std::to_string;
using std::vector;
typedef signed char i8;
typedef cusparseOperation_t op_t;
static const op_t N = CUSPARSE_OPERATION_NON_TRANSPOSE, T = CUSPARSE_OPERATION_TRANSPOSE, C = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
static const char *const OPS = "NTC";

// ---- numbers ----
static unsigned hash(unsigned x)
{
    x = x * 2654435761u + 12345u;
    x ^= x >> 15;
    x *= 2246822519u;
    return x ^ x >> 13;
}

static double value(unsigned i) // in (-1, 1), multiples of 1/64: also half precision holds it
{
    return ((int)(hash(i) & 127) - 63) / 64.0;
}

template <class E> struct kind;
#define KIND(E, t, w) template <> struct kind<E> { static const cudaDataType type = t; static string name() { return w; } }
KIND(float, CUDA_R_32F, "f32");
KIND(double, CUDA_R_64F, "f64");
KIND(cuComplex, CUDA_C_32F, "c32");
KIND(cuDoubleComplex, CUDA_C_64F, "c64");
KIND(__half, CUDA_R_16F, "half");
KIND(__nv_bfloat16, CUDA_R_16BF, "bfloat16");
KIND(i8, CUDA_R_8I, "i8");
KIND(int, CUDA_R_32I, "i32");

static void set(float &e, double re, double) { e = (float)re; }
static void set(double &e, double re, double) { e = re; }
static void set(cuComplex &e, double re, double im) { e = make_cuComplex((float)re, (float)im); }
static void set(cuDoubleComplex &e, double re, double im) { e = make_cuDoubleComplex(re, im); }
static void set(__half &e, double re, double) { e = __float2half((float)re); }
static void set(__nv_bfloat16 &e, double re, double) { e = __float2bfloat16((float)re); }
static void set(i8 &e, double re, double) { e = (i8)(re * 8); }
static void set(int &e, double re, double) { e = (int)(re * 8); }
static void show(float e) { printf("\t%.17g", e); }
static void show(double e) { printf("\t%.17g", e); }
static void show(cuComplex e) { printf("\t%.17g\t%.17g", e.x, e.y); }
static void show(cuDoubleComplex e) { printf("\t%.17g\t%.17g", e.x, e.y); }
static void show(__half e) { printf("\t%.17g", __half2float(e)); }
static void show(__nv_bfloat16 e) { printf("\t%.17g", __bfloat162float(e)); }
static void show(i8 e) { printf("\t%d", e); }
static void show(int e) { printf("\t%d", e); }
static void show(long long e) { printf("\t%lld", e); }

template <class E> static E make(unsigned i)
{
    E e;
    set(e, value(i), value(i + 5000));
    return e;
}

template <class E> static vector<E> series(size_t n, unsigned from)
{
    vector<E> v(n);
    for (size_t i = 0; i < n; i++)
        v[i] = make<E>(from + (unsigned)i);
    return v;
}

// ---- device memory ----
template <class E> struct dev {
    E *p;
    size_t n;
    explicit dev(const vector<E> &v) : n(v.size())
    {
        cudaMalloc((void **)&p, (n + 1) * sizeof(E));
        cudaMemcpy(p, v.data(), n * sizeof(E), cudaMemcpyHostToDevice);
    }
    dev(size_t count, int byte) : n(count)
    {
        cudaMalloc((void **)&p, (n + 1) * sizeof(E));
        cudaMemset(p, byte, (n + 1) * sizeof(E));
    }
    dev(const dev &) = delete;
    ~dev() { cudaFree(p); }
    vector<E> get() const
    {
        vector<E> v(n);
        cudaMemcpy(v.data(), p, n * sizeof(E), cudaMemcpyDeviceToHost);
        return v;
    }
};

static void *area(size_t bytes)
{
    static char *p;
    if (!p)
        cudaMalloc((void **)&p, 8 << 20);
    return bytes <= 8 << 20 ? p : NULL;
}

static cusparseHandle_t h;

static void begin(const string &name, int status) { printf("%s\t%d", name.c_str(), status); }
template <class E> static void tell(const dev<E> &d)
{
    for (const E &e : d.get())
        show(e);
}
static void end()
{
    cudaError_t e = cudaDeviceSynchronize();
    printf(e == cudaSuccess ? "\n" : "\t%s\n", cudaGetErrorName(e));
}

// ---- matrices ----
template <class E, class I> struct sparse {
    int rows, cols, base;
    vector<I> offsets, row, col;
    vector<E> values;
    int nnz() const { return (int)values.size(); }
};

// triangle: 'L' or 'U' with a diagonal that is not small, 'F' all
template <class E, class I = int> static sparse<E, I> matrix(int rows, int cols, unsigned seed, int base = 0, char triangle = 'F', int percent = 30)
{
    sparse<E, I> m{rows, cols, base, {}, {}, {}, {}};
    for (int i = 0; i < rows; i++) {
        m.offsets.push_back((I)(m.nnz() + base));
        for (int j = 0; j < cols; j++) {
            bool diagonal = i == j && triangle != 'F';
            if (!diagonal && ((int)(hash(seed + i * 1000 + j) % 100) >= percent || (triangle == 'L' && j > i) || (triangle == 'U' && j < i)))
                continue;
            m.row.push_back((I)(i + base));
            m.col.push_back((I)(j + base));
            E e;
            set(e, diagonal ? 2 + value(seed + i) : value(seed + i * 100 + j), value(seed + i * 100 + j + 7));
            m.values.push_back(e);
        }
    }
    m.offsets.push_back((I)(m.nnz() + base));
    return m;
}

template <class E, class I> static sparse<E, I> transposed(const sparse<E, I> &a)
{
    sparse<E, I> t{a.cols, a.rows, a.base, {}, {}, {}, {}};
    for (int j = 0; j < a.cols; j++) {
        t.offsets.push_back((I)(t.nnz() + a.base));
        for (int k = 0; k < a.nnz(); k++)
            if (a.col[k] - a.base == j)
                t.row.push_back((I)(j + a.base)), t.col.push_back(a.row[k]), t.values.push_back(a.values[k]);
    }
    t.offsets.push_back((I)(t.nnz() + a.base));
    return t;
}

template <class I> static cusparseIndexType_t index_type() { return sizeof(I) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I; }

// A descriptor with its memory. format: 'r' CSR, 'c' CSC, 'o' COO.
template <class E, class I = int> struct held {
    sparse<E, I> m;
    dev<I> first, second;
    dev<E> values;
    cusparseSpMatDescr_t d;
    int status;
    held(const sparse<E, I> &a, char format)
        : m(a), first(format == 'r' ? a.offsets : format == 'c' ? transposed(a).offsets : a.row),
          second(format == 'c' ? transposed(a).col : a.col), values(format == 'c' ? transposed(a).values : a.values)
    {
        cusparseIndexBase_t base = (cusparseIndexBase_t)a.base;
        cusparseIndexType_t t = index_type<I>();
        status = format == 'r' ? cusparseCreateCsr(&d, a.rows, a.cols, a.nnz(), first.p, second.p, values.p, t, t, base, kind<E>::type)
                 : format == 'c' ? cusparseCreateCsc(&d, a.rows, a.cols, a.nnz(), first.p, second.p, values.p, t, t, base, kind<E>::type)
                                 : cusparseCreateCoo(&d, a.rows, a.cols, a.nnz(), first.p, second.p, values.p, t, base, kind<E>::type);
    }
    ~held() { cusparseDestroySpMat(d); }
};

static string label(const char *what, char format, op_t op, const string &type)
{
    return string(what) + " " + (format == 'r' ? "CSR" : format == 'c' ? "CSC" : format == 'o' ? "COO" : format == 'b' ? "BSR" : "ELL") + " " + OPS[op] + " " + type;
}

// ---- products ----
template <class E, class Y, class S, class I = int>
static void spmv(char format, op_t op, int base, const char *more = "", cusparseSpMVAlg_t alg = CUSPARSE_SPMV_ALG_DEFAULT, bool zero_beta = false, int m = 13, int n = 9)
{
    held<E, I> a(matrix<E, I>(m, n, 1, base), format);
    dev<E> x(series<E>(op == N ? n : m, 200));
    dev<Y> y(series<Y>(op == N ? m : n, 300));
    if (zero_beta)
        cudaMemset(y.p, 0xff, y.n * sizeof(Y)); // not a number
    cusparseDnVecDescr_t dx, dy;
    cusparseCreateDnVec(&dx, x.n, x.p, kind<E>::type);
    cusparseCreateDnVec(&dy, y.n, y.p, kind<Y>::type);
    S alpha, beta;
    set(alpha, 1.5, 0.5);
    set(beta, zero_beta ? 0 : -0.75, 0);
    if (zero_beta)
        beta = S{};
    size_t bytes = 0;
    int s = cusparseSpMV_bufferSize(h, op, &alpha, a.d, dx, &beta, dy, kind<S>::type, alg, &bytes);
    int r = cusparseSpMV(h, op, &alpha, a.d, dx, &beta, dy, kind<S>::type, alg, area(bytes));
    begin(label("SpMV", format, op, kind<E>::name()) + (sizeof(Y) != sizeof(E) ? " to " + kind<Y>::name() : "") + (base ? " base 1" : "") + (sizeof(I) == 8 ? " index 64" : "") + more, s);
    printf("\t%d", r);
    if (!r)
        tell(y);
    end();
    cusparseDestroyDnVec(dx);
    cusparseDestroyDnVec(dy);
}

template <class E, class S>
static void spmm(char format, op_t opa, op_t opb, bool row_b, bool row_c, int batches = 1, cusparseSpMMAlg_t alg = CUSPARSE_SPMM_ALG_DEFAULT, const char *more = "", int base = 0)
{
    const int m = 8, k = 6, n = 5;
    held<E> a(matrix<E>(opa == N ? m : k, opa == N ? k : m, 11, base), format);
    const int br = opb == N ? k : n, bc = opb == N ? n : k, ldb = (row_b ? bc : br) + 2, ldc = (row_c ? n : m) + 1;
    const size_t bs = (size_t)ldb * (row_b ? br : bc), cs = (size_t)ldc * (row_c ? m : n);
    dev<E> b(series<E>(bs * batches, 400)), c(series<E>(cs * batches, 900));
    cusparseDnMatDescr_t db, dc;
    cusparseCreateDnMat(&db, br, bc, ldb, b.p, kind<E>::type, row_b ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL);
    cusparseCreateDnMat(&dc, m, n, ldc, c.p, kind<E>::type, row_c ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL);
    if (batches > 1) {
        cusparseDnMatSetStridedBatch(db, batches, bs);
        cusparseDnMatSetStridedBatch(dc, batches, cs);
        if (format == 'r')
            cusparseCsrSetStridedBatch(a.d, batches, 0, 0);
        else
            cusparseCooSetStridedBatch(a.d, batches, 0);
    }
    S alpha, beta;
    set(alpha, 1.5, 0.5);
    set(beta, -0.75, 0.25);
    size_t bytes = 0;
    int s = cusparseSpMM_bufferSize(h, opa, opb, &alpha, a.d, db, &beta, dc, kind<S>::type, alg, &bytes);
    int p = cusparseSpMM_preprocess(h, opa, opb, &alpha, a.d, db, &beta, dc, kind<S>::type, alg, area(bytes));
    int r = cusparseSpMM(h, opa, opb, &alpha, a.d, db, &beta, dc, kind<S>::type, alg, area(bytes));
    begin(label("SpMM", format, opa, kind<E>::name()) + " " + OPS[opb] + (row_b ? " row" : " col") + (row_c ? " row" : " col") + (batches > 1 ? " batch" : "") + more, s);
    printf("\t%d\t%d", p, r);
    if (!r)
        tell(c);
    end();
    cusparseDestroyDnMat(db);
    cusparseDestroyDnMat(dc);
}

template <class E, class S> static void blocks(bool ell, op_t opb, bool mv, bool row_order = true)
{
    const int bs = 2, mb = 4, kb = 3, n = 5;
    static const int offsets[] = {0, 2, 2, 5, 6}, cols[] = {0, 2, 0, 1, 2, 1}, ell_cols[] = {0, 2, 1, -1, 0, 1, 2, -1};
    dev<int> o(vector<int>(offsets, offsets + mb + 1)), c(ell ? vector<int>(ell_cols, ell_cols + 8) : vector<int>(cols, cols + 6));
    vector<E> filled = series<E>((ell ? 8 : 6) * bs * bs, 40);
    for (int i = 0; ell && i < (int)filled.size(); i++) // an empty block's values are 0; rows of blocks of 2 x 4 numbers
        if (ell_cols[i / 8 * 2 + i / 2 % 2] < 0)
            filled[i] = E{};
    dev<E> v(filled);
    cusparseSpMatDescr_t a;
    int made = ell ? cusparseCreateBlockedEll(&a, mb * bs, kb * bs, bs, 2 * bs, c.p, v.p, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, kind<E>::type)
                   : cusparseCreateBsr(&a, mb, kb, 6, bs, bs, o.p, c.p, v.p, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                       kind<E>::type, row_order ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL);
    S alpha, beta;
    set(alpha, 1.5, 0.5);
    set(beta, -0.75, 0.25);
    size_t bytes = 0;
    int s, r;
    string name = label(mv ? "SpMV" : "SpMM", ell ? 'e' : 'b', N, kind<E>::name()) + (row_order ? "" : " column blocks");
    if (mv) {
        dev<E> x(series<E>(kb * bs, 200)), y(series<E>(mb * bs, 300));
        cusparseDnVecDescr_t dx, dy;
        cusparseCreateDnVec(&dx, x.n, x.p, kind<E>::type);
        cusparseCreateDnVec(&dy, y.n, y.p, kind<E>::type);
        s = cusparseSpMV_bufferSize(h, N, &alpha, a, dx, &beta, dy, kind<S>::type, CUSPARSE_SPMV_ALG_DEFAULT, &bytes);
        r = cusparseSpMV(h, N, &alpha, a, dx, &beta, dy, kind<S>::type, CUSPARSE_SPMV_ALG_DEFAULT, area(bytes));
        begin(name, made);
        printf("\t%d\t%d", s, r);
        if (!r)
            tell(y);
        end();
    } else {
        const int br = opb == N ? kb * bs : n, bc = opb == N ? n : kb * bs;
        dev<E> b(series<E>(br * bc, 400)), y(series<E>(mb * bs * n, 900));
        cusparseDnMatDescr_t db, dc;
        cusparseCreateDnMat(&db, br, bc, br, b.p, kind<E>::type, CUSPARSE_ORDER_COL);
        cusparseCreateDnMat(&dc, mb * bs, n, mb * bs, y.p, kind<E>::type, CUSPARSE_ORDER_COL);
        s = cusparseSpMM_bufferSize(h, N, opb, &alpha, a, db, &beta, dc, kind<S>::type, CUSPARSE_SPMM_ALG_DEFAULT, &bytes);
        r = cusparseSpMM(h, N, opb, &alpha, a, db, &beta, dc, kind<S>::type, CUSPARSE_SPMM_ALG_DEFAULT, area(bytes));
        begin(name + " " + OPS[opb], made);
        printf("\t%d\t%d", s, r);
        if (!r)
            tell(y);
        end();
    }
    if (!made)
        cusparseDestroySpMat(a);
}

template <class E, class S> static void sddmm(op_t opa, op_t opb, bool row, char format = 'r')
{
    const int m = 7, n = 6, k = 4;
    held<E> c(matrix<E>(m, n, 21), format);
    const int ar = opa == N ? m : k, ac = opa == N ? k : m, br = opb == N ? k : n, bc = opb == N ? n : k;
    dev<E> a(series<E>(ar * ac, 100)), b(series<E>(br * bc, 500));
    cusparseDnMatDescr_t da, db;
    cusparseOrder_t order = row ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    cusparseCreateDnMat(&da, ar, ac, row ? ac : ar, a.p, kind<E>::type, order);
    cusparseCreateDnMat(&db, br, bc, row ? bc : br, b.p, kind<E>::type, order);
    S alpha, beta;
    set(alpha, 1.5, 0.5);
    set(beta, -0.75, 0.25);
    size_t bytes = 0;
    int s = cusparseSDDMM_bufferSize(h, opa, opb, &alpha, da, db, &beta, c.d, kind<S>::type, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes);
    int p = cusparseSDDMM_preprocess(h, opa, opb, &alpha, da, db, &beta, c.d, kind<S>::type, CUSPARSE_SDDMM_ALG_DEFAULT, area(bytes));
    int r = cusparseSDDMM(h, opa, opb, &alpha, da, db, &beta, c.d, kind<S>::type, CUSPARSE_SDDMM_ALG_DEFAULT, area(bytes));
    begin(label("SDDMM", format, opa, kind<E>::name()) + " " + OPS[opb] + (row ? " row" : " col"), s);
    printf("\t%d\t%d", p, r);
    if (!r)
        tell(c.values);
    end();
}

template <class E> static void spgemm(cusparseSpGEMMAlg_t alg, op_t opa = N, op_t opb = N, int base = 0)
{
    const int m = 7, k = 5, n = 8;
    held<E> a(matrix<E>(m, k, 31, base), 'r'), b(matrix<E>(k, n, 32, base), 'r');
    dev<int> o(m + 1, 0);
    cusparseSpMatDescr_t c;
    cusparseSpGEMMDescr_t d;
    cusparseCreateCsr(&c, m, n, 0, o.p, NULL, NULL, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, (cusparseIndexBase_t)base, kind<E>::type);
    cusparseSpGEMM_createDescr(&d);
    E alpha, beta = E{};
    set(alpha, 1.5, 0.5);
    const cudaDataType t = kind<E>::type;
    size_t b1 = 0, b2 = 0, b3 = 0;
    int s[7] = {};
    s[0] = cusparseSpGEMM_workEstimation(h, opa, opb, &alpha, a.d, b.d, &beta, c, t, alg, d, &b1, NULL);
    void *one, *two = NULL, *three = NULL;
    cudaMalloc(&one, b1 + 16);
    s[1] = cusparseSpGEMM_workEstimation(h, opa, opb, &alpha, a.d, b.d, &beta, c, t, alg, d, &b1, one);
    if (alg == CUSPARSE_SPGEMM_ALG2 || alg == CUSPARSE_SPGEMM_ALG3) {
        cusparseSpGEMM_estimateMemory(h, opa, opb, &alpha, a.d, b.d, &beta, c, t, alg, d, 0.2f, &b3, NULL, NULL);
        cudaMalloc(&three, b3 + 16);
        s[6] = cusparseSpGEMM_estimateMemory(h, opa, opb, &alpha, a.d, b.d, &beta, c, t, alg, d, 0.2f, &b3, three, &b2);
    } else {
        s[2] = cusparseSpGEMM_compute(h, opa, opb, &alpha, a.d, b.d, &beta, c, t, alg, d, &b2, NULL);
    }
    cudaMalloc(&two, b2 + 16);
    s[3] = cusparseSpGEMM_compute(h, opa, opb, &alpha, a.d, b.d, &beta, c, t, alg, d, &b2, two);
    int64_t rows = 0, cols = 0, nnz = 0, products = 0;
    cusparseSpMatGetSize(c, &rows, &cols, &nnz);
    cusparseSpGEMM_getNumProducts(d, &products);
    dev<int> ci(nnz, 0);
    dev<E> cv(nnz, 0);
    s[4] = cusparseCsrSetPointers(c, o.p, ci.p, cv.p);
    s[5] = cusparseSpGEMM_copy(h, opa, opb, &alpha, a.d, b.d, &beta, c, t, alg, d);
    begin("SpGEMM " + kind<E>::name() + " alg " + to_string(alg) + " " + OPS[opa] + OPS[opb] + (base ? " base 1" : ""), s[0]);
    for (int i = 1; i < 7; i++)
        printf("\t%d", s[i]);
    printf("\t%lld\t%lld", (long long)nnz, (long long)products);
    if (!s[5])
        tell(o), tell(ci), tell(cv);
    end();
    cusparseSpGEMM_destroyDescr(d);
    cusparseDestroySpMat(c);
    cudaFree(one), cudaFree(two), cudaFree(three);
}

template <class E> static void reuse()
{
    const int m = 7, k = 5, n = 8;
    held<E> a(matrix<E>(m, k, 31), 'r'), b(matrix<E>(k, n, 32), 'r');
    dev<int> o(m + 1, 0);
    cusparseSpMatDescr_t c;
    cusparseSpGEMMDescr_t d;
    cusparseCreateCsr(&c, m, n, 0, o.p, NULL, NULL, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, kind<E>::type);
    cusparseSpGEMM_createDescr(&d);
    E alpha, beta = E{};
    set(alpha, 1.5, 0.5);
    const cusparseSpGEMMAlg_t alg = CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC;
    size_t z[5] = {};
    void *p[5] = {};
    int s[8];
    s[0] = cusparseSpGEMMreuse_workEstimation(h, N, N, a.d, b.d, c, alg, d, &z[0], NULL);
    cudaMalloc(&p[0], z[0] + 16);
    s[1] = cusparseSpGEMMreuse_workEstimation(h, N, N, a.d, b.d, c, alg, d, &z[0], p[0]);
    s[2] = cusparseSpGEMMreuse_nnz(h, N, N, a.d, b.d, c, alg, d, &z[1], NULL, &z[2], NULL, &z[3], NULL);
    for (int i = 1; i < 4; i++)
        cudaMalloc(&p[i], z[i] + 16);
    s[3] = cusparseSpGEMMreuse_nnz(h, N, N, a.d, b.d, c, alg, d, &z[1], p[1], &z[2], p[2], &z[3], p[3]);
    int64_t rows = 0, cols = 0, nnz = 0;
    cusparseSpMatGetSize(c, &rows, &cols, &nnz);
    dev<int> ci(nnz, 0);
    dev<E> cv(nnz, 0);
    cusparseCsrSetPointers(c, o.p, ci.p, cv.p);
    s[4] = cusparseSpGEMMreuse_copy(h, N, N, a.d, b.d, c, alg, d, &z[4], NULL);
    cudaMalloc(&p[4], z[4] + 16);
    s[5] = cusparseSpGEMMreuse_copy(h, N, N, a.d, b.d, c, alg, d, &z[4], p[4]);
    s[6] = cusparseSpGEMMreuse_compute(h, N, N, &alpha, a.d, b.d, &beta, c, kind<E>::type, alg, d);
    set(beta, 0.5, 0);
    s[7] = cusparseSpGEMMreuse_compute(h, N, N, &alpha, a.d, b.d, &beta, c, kind<E>::type, alg, d);
    begin("SpGEMMreuse " + kind<E>::name(), s[0]);
    for (int i = 1; i < 8; i++)
        printf("\t%d", s[i]);
    printf("\t%lld", (long long)nnz);
    tell(o), tell(ci), tell(cv);
    end();
    cusparseSpGEMM_destroyDescr(d);
    cusparseDestroySpMat(c);
    for (void *q : p)
        cudaFree(q);
}

// ---- triangles ----
template <class E> static void triangle(bool matrices, op_t op, char which, bool unit, char format = 'r', int base = 0, char stored = 0)
{
    const int n = 9, k = 3;
    held<E> a(matrix<E>(n, n, 41, base, stored ? stored : which, 40), format);
    cusparseFillMode_t fill = which == 'L' ? CUSPARSE_FILL_MODE_LOWER : CUSPARSE_FILL_MODE_UPPER;
    cusparseDiagType_t diagonal = unit ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
    cusparseSpMatSetAttribute(a.d, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill);
    cusparseSpMatSetAttribute(a.d, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal);
    E alpha;
    set(alpha, 1.5, 0.5);
    size_t bytes = 0;
    const cudaDataType t = kind<E>::type;
    int s[4];
    begin(label(matrices ? "SpSM" : "SpSV", format, op, kind<E>::name()) + " " + which + (unit ? " unit" : "") + (base ? " base 1" : "") + (stored ? " of a full matrix" : ""), a.status);
    if (matrices) {
        dev<E> b(series<E>(n * k, 60)), c(n * k, 0);
        cusparseDnMatDescr_t db, dc;
        cusparseCreateDnMat(&db, n, k, n, b.p, t, CUSPARSE_ORDER_COL);
        cusparseCreateDnMat(&dc, n, k, n, c.p, t, CUSPARSE_ORDER_COL);
        cusparseSpSMDescr_t d;
        s[0] = cusparseSpSM_createDescr(&d);
        s[1] = cusparseSpSM_bufferSize(h, op, N, &alpha, a.d, db, dc, t, CUSPARSE_SPSM_ALG_DEFAULT, d, &bytes);
        s[2] = cusparseSpSM_analysis(h, op, N, &alpha, a.d, db, dc, t, CUSPARSE_SPSM_ALG_DEFAULT, d, area(bytes));
        s[3] = cusparseSpSM_solve(h, op, N, &alpha, a.d, db, dc, t, CUSPARSE_SPSM_ALG_DEFAULT, d);
        printf("\t%d\t%d\t%d\t%d", s[0], s[1], s[2], s[3]);
        if (!s[3])
            tell(c);
        cusparseSpSM_destroyDescr(d);
    } else {
        dev<E> x(series<E>(n, 60)), y(n, 0);
        cusparseDnVecDescr_t dx, dy;
        cusparseCreateDnVec(&dx, n, x.p, t);
        cusparseCreateDnVec(&dy, n, y.p, t);
        cusparseSpSVDescr_t d;
        s[0] = cusparseSpSV_createDescr(&d);
        s[1] = cusparseSpSV_bufferSize(h, op, &alpha, a.d, dx, dy, t, CUSPARSE_SPSV_ALG_DEFAULT, d, &bytes);
        s[2] = cusparseSpSV_analysis(h, op, &alpha, a.d, dx, dy, t, CUSPARSE_SPSV_ALG_DEFAULT, d, area(bytes));
        s[3] = cusparseSpSV_solve(h, op, &alpha, a.d, dx, dy, t, CUSPARSE_SPSV_ALG_DEFAULT, d);
        printf("\t%d\t%d\t%d\t%d", s[0], s[1], s[2], s[3]);
        if (!s[3])
            tell(y);
        cusparseSpSV_destroyDescr(d);
    }
    end();
}

// ---- dense and sparse ----
template <class E> static void to_dense(char format, bool row)
{
    held<E> a(matrix<E>(5, 6, 51, format == 'o'), format);
    const int ld = row ? 8 : 7;
    dev<E> b((size_t)ld * (row ? 5 : 6), 0);
    cusparseDnMatDescr_t d;
    cusparseCreateDnMat(&d, 5, 6, ld, b.p, kind<E>::type, row ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL);
    size_t bytes = 0;
    int s = cusparseSparseToDense_bufferSize(h, a.d, d, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, &bytes);
    int r = cusparseSparseToDense(h, a.d, d, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, area(bytes));
    begin(label("SparseToDense", format, N, kind<E>::name()) + (row ? " row" : " col"), s);
    printf("\t%d", r);
    tell(b);
    end();
    cusparseDestroyDnMat(d);
}

template <class E> static void to_sparse(char format, bool row, int base)
{
    vector<E> dense = series<E>(5 * 6, 70);
    for (size_t i = 0; i < dense.size(); i += 1 + i % 3)
        dense[i] = E{};
    set(dense[4], -0.0, 0);
    dev<E> b(dense);
    cusparseDnMatDescr_t d;
    cusparseCreateDnMat(&d, 5, 6, row ? 6 : 5, b.p, kind<E>::type, row ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL);
    dev<int> o((format == 'r' ? 5 : 6) + 1, 0);
    cusparseSpMatDescr_t a;
    cusparseIndexBase_t z = (cusparseIndexBase_t)base;
    const cudaDataType t = kind<E>::type;
    const cusparseIndexType_t i = CUSPARSE_INDEX_32I;
    if (format == 'r')
        cusparseCreateCsr(&a, 5, 6, 0, o.p, NULL, NULL, i, i, z, t);
    else if (format == 'c')
        cusparseCreateCsc(&a, 5, 6, 0, o.p, NULL, NULL, i, i, z, t);
    else
        cusparseCreateCoo(&a, 5, 6, 0, NULL, NULL, NULL, i, z, t);
    size_t bytes = 0;
    int s[3];
    s[0] = cusparseDenseToSparse_bufferSize(h, d, a, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, &bytes);
    s[1] = cusparseDenseToSparse_analysis(h, d, a, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, area(bytes));
    int64_t rows, cols, nnz = 0;
    cusparseSpMatGetSize(a, &rows, &cols, &nnz);
    dev<int> first(nnz, 0), second(nnz, 0);
    dev<E> v(nnz, 0);
    if (format == 'r')
        cusparseCsrSetPointers(a, o.p, second.p, v.p);
    else if (format == 'c')
        cusparseCscSetPointers(a, o.p, second.p, v.p);
    else
        cusparseCooSetPointers(a, first.p, second.p, v.p);
    s[2] = cusparseDenseToSparse_convert(h, d, a, CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, area(bytes));
    begin(label("DenseToSparse", format, N, kind<E>::name()) + (row ? " row" : " col") + (base ? " base 1" : ""), s[0]);
    printf("\t%d\t%d\t%lld", s[1], s[2], (long long)nnz);
    if (format == 'o')
        tell(first);
    else
        tell(o);
    tell(second), tell(v);
    end();
    cusparseDestroySpMat(a);
    cusparseDestroyDnMat(d);
}

template <class E, class I = int> static void vectors(int base)
{
    const vector<I> at = {(I)(base + 1), (I)(base + 4), (I)(base + 5), (I)(base + 9)};
    dev<I> i(at);
    dev<E> x(series<E>(4, 80)), y(series<E>(11, 90));
    cusparseSpVecDescr_t dx;
    cusparseDnVecDescr_t dy;
    cusparseCreateSpVec(&dx, 11, 4, i.p, x.p, index_type<I>(), (cusparseIndexBase_t)base, kind<E>::type);
    cusparseCreateDnVec(&dy, 11, y.p, kind<E>::type);
    const string type = " " + kind<E>::name() + (base ? " base 1" : "") + (sizeof(I) == 8 ? " index 64" : "");
    E alpha, beta, c, s;
    set(alpha, 1.5, 0.5), set(beta, -0.75, 0.25), set(c, 0.5, 0), set(s, 0.25, 0.125);
    begin("Axpby" + type, cusparseAxpby(h, &alpha, dx, &beta, dy));
    tell(y), end();
    begin("Gather" + type, cusparseGather(h, dy, dx));
    tell(x), end();
    begin("Rot" + type, cusparseRot(h, &c, &s, dx, dy));
    tell(x), tell(y), end();
    for (op_t op : {N, C}) {
        size_t bytes = 0;
        E result{};
        int e = cusparseSpVV_bufferSize(h, op, dx, dy, &result, kind<E>::type, &bytes);
        int r = cusparseSpVV(h, op, dx, dy, &result, kind<E>::type, area(bytes));
        cudaDeviceSynchronize();
        begin(string("SpVV ") + OPS[op] + type, e);
        printf("\t%d", r);
        show(result), end();
    }
    dev<E> z(series<E>(11, 95));
    cusparseDnVecSetValues(dy, z.p);
    begin("Scatter" + type, cusparseScatter(h, dx, dy));
    tell(z), end();
    cusparseDestroySpVec(dx);
    cusparseDestroyDnVec(dy);
}

// ---- the older interface ----
static cusparseMatDescr_t general(int base)
{
    cusparseMatDescr_t d;
    cusparseCreateMatDescr(&d);
    cusparseSetMatIndexBase(d, (cusparseIndexBase_t)base);
    return d;
}

static void conversions()
{
    for (int base : {0, 1}) {
        const string more = base ? " base 1" : "";
        sparse<float, int> m = matrix<float>(5, 6, 61, base);
        const int nnz = m.nnz();
        dev<int> o(m.offsets), r(m.row), c(m.col), o2(6, 0), r2(nnz, 0);
        dev<float> v(m.values);
        begin("coo2csr" + more, cusparseXcoo2csr(h, r.p, nnz, 5, o2.p, (cusparseIndexBase_t)base));
        tell(o2), end();
        begin("csr2coo" + more, cusparseXcsr2coo(h, o.p, nnz, 5, r2.p, (cusparseIndexBase_t)base));
        tell(r2), end();
        dev<int> co(7, 0), ri(nnz, 0);
        dev<float> cv(nnz, 0);
        size_t bytes = 0;
        int s = cusparseCsr2cscEx2_bufferSize(h, 5, 6, nnz, v.p, o.p, c.p, cv.p, co.p, ri.p, CUDA_R_32F, CUSPARSE_ACTION_NUMERIC, (cusparseIndexBase_t)base,
                                              CUSPARSE_CSR2CSC_ALG_DEFAULT, &bytes);
        int t = cusparseCsr2cscEx2(h, 5, 6, nnz, v.p, o.p, c.p, cv.p, co.p, ri.p, CUDA_R_32F, CUSPARSE_ACTION_NUMERIC, (cusparseIndexBase_t)base,
                                   CUSPARSE_CSR2CSC_ALG_DEFAULT, area(bytes));
        begin("csr2cscEx2" + more, s);
        printf("\t%d", t);
        tell(co), tell(ri), tell(cv), end();
        cusparseMatDescr_t da = general(base), dc = general(0);
        for (cusparseDirection_t direction : {CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN}) {
            const string way = direction == CUSPARSE_DIRECTION_ROW ? " row" : " column";
            dev<int> bo(4, 0);
            int blocks = -1;
            s = cusparseXcsr2bsrNnz(h, direction, 5, 6, da, o.p, c.p, 2, dc, bo.p, &blocks);
            cudaDeviceSynchronize();
            dev<int> bc(blocks, 0), fo(7, 0);
            dev<float> bv((size_t)blocks * 4, 0);
            t = cusparseScsr2bsr(h, direction, 5, 6, da, v.p, o.p, c.p, 2, dc, bv.p, bo.p, bc.p);
            begin("csr2bsr" + way + more, s);
            printf("\t%d\t%d", t, blocks);
            tell(bo), tell(bc), tell(bv), end();
            dev<int> fc((size_t)blocks * 4, 0);
            dev<float> fv((size_t)blocks * 4, 0);
            begin("bsr2csr" + way + more, cusparseSbsr2csr(h, direction, 3, 3, dc, bv.p, bo.p, bc.p, 2, da, fv.p, fo.p, fc.p));
            tell(fo), tell(fc), tell(fv), end();
            dev<int> go(3, 0);
            int n = -1;
            int room = 0;
            s = cusparseScsr2gebsr_bufferSize(h, direction, 5, 6, da, v.p, o.p, c.p, 3, 2, &room);
            t = cusparseXcsr2gebsrNnz(h, direction, 5, 6, da, o.p, c.p, dc, go.p, 3, 2, &n, area(room));
            dev<int> gc(n, 0);
            dev<float> gv((size_t)n * 6, 0);
            int u = cusparseScsr2gebsr(h, direction, 5, 6, da, v.p, o.p, c.p, dc, gv.p, go.p, gc.p, 3, 2, area(room));
            begin("csr2gebsr" + way + more, s);
            printf("\t%d\t%d\t%d", t, u, n);
            tell(go), tell(gc), tell(gv), end();
        }
        cusparseDestroyMatDescr(da);
        cusparseDestroyMatDescr(dc);
    }
    const vector<int> rows = {3, 0, 1, 3, 0, 2, 1, 1}, cols = {2, 4, 1, 0, 0, 3, 1, 0};
    for (int by = 0; by < 2; by++) {
        dev<int> r(rows), c(cols), p(8, 0);
        size_t bytes = 0;
        cusparseCreateIdentityPermutation(h, 8, p.p);
        int s = cusparseXcoosort_bufferSizeExt(h, 4, 5, 8, r.p, c.p, &bytes);
        int t = by ? cusparseXcoosortByColumn(h, 4, 5, 8, r.p, c.p, p.p, area(bytes)) : cusparseXcoosortByRow(h, 4, 5, 8, r.p, c.p, p.p, area(bytes));
        begin(by ? "coosortByColumn" : "coosortByRow", s);
        printf("\t%d", t);
        tell(r), tell(c), tell(p), end();
    }
    for (int csc = 0; csc < 2; csc++) {
        dev<int> o(vector<int>{0, 2, 5, 5, 8}), c(vector<int>{4, 0, 3, 1, 2, 2, 0, 1}), p(8, 0);
        cusparseMatDescr_t d = general(0);
        size_t bytes = 0;
        cusparseCreateIdentityPermutation(h, 8, p.p);
        int s = csc ? cusparseXcscsort_bufferSizeExt(h, 5, 4, 8, o.p, c.p, &bytes) : cusparseXcsrsort_bufferSizeExt(h, 4, 5, 8, o.p, c.p, &bytes);
        int t = csc ? cusparseXcscsort(h, 5, 4, 8, d, o.p, c.p, p.p, area(bytes)) : cusparseXcsrsort(h, 4, 5, 8, d, o.p, c.p, p.p, area(bytes));
        begin(csc ? "cscsort" : "csrsort", s);
        printf("\t%d", t);
        tell(c), tell(p), end();
        cusparseDestroyMatDescr(d);
    }
    for (cusparseDirection_t direction : {CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN}) {
        vector<float> dense = series<float>(6 * 5, 110);
        for (size_t i = 0; i < dense.size(); i += 1 + i % 3)
            dense[i] = 0;
        dev<float> a(dense);
        dev<int> each(direction == CUSPARSE_DIRECTION_ROW ? 5 : 5, 0);
        cusparseMatDescr_t d = general(0);
        int total = -1;
        int s = cusparseSnnz(h, direction, 5, 5, d, a.p, 6, each.p, &total);
        cudaDeviceSynchronize();
        begin(direction == CUSPARSE_DIRECTION_ROW ? "nnz row" : "nnz column", s);
        printf("\t%d", total);
        tell(each), end();
        cusparseDestroyMatDescr(d);
    }
}

static void geam(int base)
{
    sparse<double, int> a = matrix<double>(5, 6, 61, base), b = matrix<double>(5, 6, 62, 0);
    dev<int> ao(a.offsets), ac(a.col), bo(b.offsets), bc(b.col), co(6, 0);
    dev<double> av(a.values), bv(b.values);
    cusparseMatDescr_t da = general(base), db = general(0), dc = general(base);
    double alpha = 1.5, beta = -0.75;
    size_t bytes = 0;
    int nnz = -1, s[3];
    s[0] = cusparseDcsrgeam2_bufferSizeExt(h, 5, 6, &alpha, da, a.nnz(), av.p, ao.p, ac.p, &beta, db, b.nnz(), bv.p, bo.p, bc.p, dc, NULL, co.p, NULL, &bytes);
    s[1] = cusparseXcsrgeam2Nnz(h, 5, 6, da, a.nnz(), ao.p, ac.p, db, b.nnz(), bo.p, bc.p, dc, co.p, &nnz, area(bytes));
    dev<int> cc(nnz, 0);
    dev<double> cv(nnz, 0);
    s[2] = cusparseDcsrgeam2(h, 5, 6, &alpha, da, a.nnz(), av.p, ao.p, ac.p, &beta, db, b.nnz(), bv.p, bo.p, bc.p, dc, cv.p, co.p, cc.p, area(bytes));
    begin(base ? "csrgeam2 f64 base 1" : "csrgeam2 f64", s[0]);
    printf("\t%d\t%d\t%d", s[1], s[2], nnz);
    tell(co), tell(cc), tell(cv), end();
}

static void factors()
{
    sparse<double, int> a = matrix<double>(8, 8, 71, 0, 'F', 35);
    for (int i = 0; i < 8; i++) { // a diagonal that is there and large, symmetric for the Cholesky factor
        bool has = false;
        for (int k = a.offsets[i]; k < a.offsets[i + 1]; k++)
            has = has || a.col[k] == i;
        if (has)
            continue;
        int at = a.offsets[i];
        while (at < a.offsets[i + 1] && a.col[at] < i)
            at++;
        a.col.insert(a.col.begin() + at, i);
        a.row.insert(a.row.begin() + at, i);
        a.values.insert(a.values.begin() + at, 0);
        for (int r = i + 1; r <= 8; r++)
            a.offsets[r]++;
    }
    for (int i = 0; i < a.nnz(); i++)
        a.values[i] = a.row[i] == a.col[i] ? 4 + value(i) : value(1000 + (a.row[i] + 1) * (a.col[i] + 1));
    const int nnz = a.nnz();
    for (int cholesky = 0; cholesky < 2; cholesky++) {
        dev<int> o(a.offsets), c(a.col);
        dev<double> v(a.values);
        cusparseMatDescr_t d = general(0);
        int bytes = 0, at = -7, s[5];
        if (cholesky) {
            csric02Info_t i;
            cusparseCreateCsric02Info(&i);
            s[0] = cusparseDcsric02_bufferSize(h, 8, nnz, d, v.p, o.p, c.p, i, &bytes);
            s[1] = cusparseDcsric02_analysis(h, 8, nnz, d, v.p, o.p, c.p, i, CUSPARSE_SOLVE_POLICY_USE_LEVEL, area(bytes));
            s[2] = cusparseXcsric02_zeroPivot(h, i, &at);
            s[3] = cusparseDcsric02(h, 8, nnz, d, v.p, o.p, c.p, i, CUSPARSE_SOLVE_POLICY_USE_LEVEL, area(bytes));
            s[4] = cusparseXcsric02_zeroPivot(h, i, &at);
            cusparseDestroyCsric02Info(i);
        } else {
            csrilu02Info_t i;
            cusparseCreateCsrilu02Info(&i);
            s[0] = cusparseDcsrilu02_bufferSize(h, 8, nnz, d, v.p, o.p, c.p, i, &bytes);
            s[1] = cusparseDcsrilu02_analysis(h, 8, nnz, d, v.p, o.p, c.p, i, CUSPARSE_SOLVE_POLICY_USE_LEVEL, area(bytes));
            s[2] = cusparseXcsrilu02_zeroPivot(h, i, &at);
            s[3] = cusparseDcsrilu02(h, 8, nnz, d, v.p, o.p, c.p, i, CUSPARSE_SOLVE_POLICY_USE_LEVEL, area(bytes));
            s[4] = cusparseXcsrilu02_zeroPivot(h, i, &at);
            cusparseDestroyCsrilu02Info(i);
        }
        begin(cholesky ? "csric02 f64" : "csrilu02 f64", s[0]);
        printf("\t%d\t%d\t%d\t%d\t%d", s[1], s[2], s[3], s[4], at);
        tell(v), end();
    }
    for (int zero = 0; zero < 2; zero++) { // a pivot that is missing, one that becomes zero
        dev<int> o(vector<int>{0, 2, zero ? 4 : 3, zero ? 5 : 4}), c(zero ? vector<int>{0, 1, 0, 1, 2} : vector<int>{0, 1, 0, 2});
        dev<double> v(zero ? vector<double>{2, 1, 2, 1, 3} : vector<double>{2, 1, 2, 3});
        cusparseMatDescr_t d = general(0);
        csrilu02Info_t i;
        cusparseCreateCsrilu02Info(&i);
        int bytes = 0, at = -7, at2 = -7, n = zero ? 5 : 4, s[5];
        s[0] = cusparseDcsrilu02_bufferSize(h, 3, n, d, v.p, o.p, c.p, i, &bytes);
        s[1] = cusparseDcsrilu02_analysis(h, 3, n, d, v.p, o.p, c.p, i, CUSPARSE_SOLVE_POLICY_NO_LEVEL, area(bytes));
        s[2] = cusparseXcsrilu02_zeroPivot(h, i, &at);
        s[3] = cusparseDcsrilu02(h, 3, n, d, v.p, o.p, c.p, i, CUSPARSE_SOLVE_POLICY_NO_LEVEL, area(bytes));
        s[4] = cusparseXcsrilu02_zeroPivot(h, i, &at2);
        begin(zero ? "csrilu02 zero pivot" : "csrilu02 no pivot", s[0]);
        printf("\t%d\t%d\t%d\t%d\t%d\t%d", s[1], s[2], s[3], s[4], at, at2);
        end();
        cusparseDestroyCsrilu02Info(i);
    }
}

static void bands()
{
    const int m = 9, n = 2;
    size_t bytes = 0;
    vector<double> dl = series<double>(m, 120), d = series<double>(m, 130), du = series<double>(m, 140);
    for (double &x : d)
        x += 3;
    dl[0] = du[m - 1] = 0;
    for (int pivot = 0; pivot < 2; pivot++) {
        dev<double> l(dl), c(d), u(du), b(series<double>((m + 1) * n, 150));
        int s = pivot ? cusparseDgtsv2_bufferSizeExt(h, m, n, l.p, c.p, u.p, b.p, m + 1, &bytes)
                      : cusparseDgtsv2_nopivot_bufferSizeExt(h, m, n, l.p, c.p, u.p, b.p, m + 1, &bytes);
        int t = pivot ? cusparseDgtsv2(h, m, n, l.p, c.p, u.p, b.p, m + 1, area(bytes)) : cusparseDgtsv2_nopivot(h, m, n, l.p, c.p, u.p, b.p, m + 1, area(bytes));
        begin(pivot ? "gtsv2 f64" : "gtsv2_nopivot f64", s);
        printf("\t%d", t);
        tell(b), end();
    }
    {
        vector<double> l3, c3, u3;
        for (int b = 0; b < 3; b++)
            for (int i = 0; i < m + 2; i++) {
                l3.push_back(i == 0 || i >= m ? 0 : value(160 + b * 20 + i));
                c3.push_back(3 + value(260 + b * 20 + i));
                u3.push_back(i >= m - 1 ? 0 : value(360 + b * 20 + i));
            }
        dev<double> l(l3), c(c3), u(u3), x(series<double>(3 * (m + 2), 460));
        int s = cusparseDgtsv2StridedBatch_bufferSizeExt(h, m, l.p, c.p, u.p, x.p, 3, m + 2, &bytes);
        int t = cusparseDgtsv2StridedBatch(h, m, l.p, c.p, u.p, x.p, 3, m + 2, area(bytes));
        begin("gtsv2StridedBatch f64", s);
        printf("\t%d", t);
        tell(x), end();
    }
    for (int algo = 0; algo < 3; algo++) {
        const int k = 3;
        vector<double> l3(m * k), c3(m * k), u3(m * k);
        for (int i = 0; i < m; i++)
            for (int b = 0; b < k; b++) {
                l3[i * k + b] = i ? value(160 + b * 20 + i) : 0;
                c3[i * k + b] = 3 + value(260 + b * 20 + i);
                u3[i * k + b] = i < m - 1 ? value(360 + b * 20 + i) : 0;
            }
        dev<double> l(l3), c(c3), u(u3), x(series<double>(m * k, 460));
        int s = cusparseDgtsvInterleavedBatch_bufferSizeExt(h, algo, m, l.p, c.p, u.p, x.p, k, &bytes);
        int t = cusparseDgtsvInterleavedBatch(h, algo, m, l.p, c.p, u.p, x.p, k, area(bytes));
        begin("gtsvInterleavedBatch f64 algo " + to_string(algo), s);
        printf("\t%d", t);
        tell(x), end();
    }
    const int k = 2;
    vector<double> s5(m * k), l5(m * k), c5(m * k), u5(m * k), w5(m * k);
    for (int i = 0; i < m; i++)
        for (int b = 0; b < k; b++) {
            s5[i * k + b] = i > 1 ? value(500 + b * 20 + i) : 0;
            l5[i * k + b] = i ? value(560 + b * 20 + i) : 0;
            c5[i * k + b] = 5 + value(660 + b * 20 + i);
            u5[i * k + b] = i < m - 1 ? value(760 + b * 20 + i) : 0;
            w5[i * k + b] = i < m - 2 ? value(860 + b * 20 + i) : 0;
        }
    dev<double> s2(s5), l2(l5), c2(c5), u2(u5), w2(w5), x(series<double>(m * k, 960));
    int s = cusparseDgpsvInterleavedBatch_bufferSizeExt(h, 0, m, s2.p, l2.p, c2.p, u2.p, w2.p, x.p, k, &bytes);
    int t = cusparseDgpsvInterleavedBatch(h, 0, m, s2.p, l2.p, c2.p, u2.p, w2.p, x.p, k, area(bytes));
    begin("gpsvInterleavedBatch f64", s);
    printf("\t%d", t);
    tell(x), end();
}

static void older_products()
{
    const int bs = 2, mb = 4, kb = 3;
    dev<int> o(vector<int>{0, 2, 2, 5, 6}), c(vector<int>{0, 2, 0, 1, 2, 1});
    dev<double> v(series<double>(24, 40)), x(series<double>(6, 200)), b(series<double>(6 * 3, 400));
    cusparseMatDescr_t d = general(0);
    double alpha = 1.5, beta = -0.75;
    for (cusparseDirection_t direction : {CUSPARSE_DIRECTION_ROW, CUSPARSE_DIRECTION_COLUMN}) {
        dev<double> y(series<double>(8, 300)), y2(series<double>(8 * 3, 300));
        begin(direction == CUSPARSE_DIRECTION_ROW ? "bsrmv f64 row" : "bsrmv f64 column",
              cusparseDbsrmv(h, direction, N, mb, kb, 6, &alpha, d, v.p, o.p, c.p, bs, x.p, &beta, y.p));
        tell(y), end();
        begin(direction == CUSPARSE_DIRECTION_ROW ? "bsrmm f64 row" : "bsrmm f64 column",
              cusparseDbsrmm(h, direction, N, N, mb, 3, kb, 6, &alpha, d, v.p, o.p, c.p, bs, b.p, 6, &beta, y2.p, 8));
        tell(y2), end();
    }
    int bytes = 0;
    dev<double> a(series<double>(6 * 5, 400)), sv(series<double>(3, 20)), y(series<double>(5, 30));
    dev<int> si(vector<int>{0, 2, 5});
    int s = cusparseDgemvi_bufferSize(h, N, 5, 6, 3, &bytes);
    int t = cusparseDgemvi(h, N, 5, 6, &alpha, a.p, 5, 3, sv.p, si.p, &beta, y.p, CUSPARSE_INDEX_BASE_ZERO, area(bytes));
    begin("gemvi f64", s);
    printf("\t%d", t);
    tell(y), end();
    cusparseDestroyMatDescr(d);
}

// ---- misuse ----
static void say(const char *name, int status) { printf("status: %s\t%d\n", name, status); }

static void misuse()
{
    cusparseHandle_t g;
    cusparseSpMatDescr_t a = NULL, w;
    cusparseDnVecDescr_t x = NULL, y = NULL, z;
    cusparseDnMatDescr_t b, c;
    dev<int> o(vector<int>{0, 1, 2}), i(vector<int>{0, 1});
    dev<float> v(vector<float>{1, 2}), xs(vector<float>{3, 4, 5, 6}), ys(vector<float>{5, 6, 7, 8});
    float one = 1, zero = 0;
    size_t bytes = 0;
    int part = -1;
    const cusparseIndexType_t I = CUSPARSE_INDEX_32I;
    const cusparseIndexBase_t B = CUSPARSE_INDEX_BASE_ZERO;
    const cudaDataType F = CUDA_R_32F;
    const cusparseSpMVAlg_t A = CUSPARSE_SPMV_ALG_DEFAULT;
    say("Create NULL", cusparseCreate(NULL));
    say("Create", cusparseCreate(&g));
    say("Destroy", cusparseDestroy(g));
    say("Destroy NULL", cusparseDestroy(NULL));
    say("SetStream NULL handle", cusparseSetStream(NULL, 0));
    say("SetPointerMode 7", cusparseSetPointerMode(h, (cusparsePointerMode_t)7));
    cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_HOST);
    say("GetVersion NULL", cusparseGetVersion(h, NULL));
    say("GetProperty NULL", cusparseGetProperty(MAJOR_VERSION, NULL));
    say("GetProperty 9", cusparseGetProperty((libraryPropertyType)9, &part));
    say("CreateCsr NULL", cusparseCreateCsr(NULL, 2, 2, 2, o.p, i.p, v.p, I, I, B, F));
    say("CreateCsr rows -1", cusparseCreateCsr(&w, -1, 2, 2, o.p, i.p, v.p, I, I, B, F));
    say("CreateCsr rows 0", cusparseCreateCsr(&w, 0, 2, 0, o.p, i.p, v.p, I, I, B, F));
    say("CreateCsr nnz -1", cusparseCreateCsr(&w, 2, 2, -1, o.p, i.p, v.p, I, I, B, F));
    say("CreateCsr nnz 5 of 4", cusparseCreateCsr(&w, 2, 2, 5, o.p, i.p, v.p, I, I, B, F));
    say("CreateCsr no offsets", cusparseCreateCsr(&w, 2, 2, 2, NULL, i.p, v.p, I, I, B, F));
    say("CreateCsr no columns", cusparseCreateCsr(&w, 2, 2, 2, o.p, NULL, v.p, I, I, B, F));
    say("CreateCsr no values", cusparseCreateCsr(&w, 2, 2, 2, o.p, i.p, NULL, I, I, B, F));
    say("CreateCsr nothing, nnz 0", cusparseCreateCsr(&w, 2, 2, 0, o.p, NULL, NULL, I, I, B, F));
    say("CreateCsr nnz 0, no offsets", cusparseCreateCsr(&w, 2, 2, 0, NULL, NULL, NULL, I, I, B, F));
    say("CreateCsr index 16U", cusparseCreateCsr(&w, 2, 2, 2, o.p, i.p, v.p, CUSPARSE_INDEX_16U, I, B, F));
    say("CreateCsr offsets 64, columns 32", cusparseCreateCsr(&w, 2, 2, 2, o.p, i.p, v.p, CUSPARSE_INDEX_64I, I, B, F));
    say("CreateCsr offsets 32, columns 64", cusparseCreateCsr(&w, 2, 2, 2, o.p, i.p, v.p, I, CUSPARSE_INDEX_64I, B, F));
    say("CreateCsr index 9", cusparseCreateCsr(&w, 2, 2, 2, o.p, i.p, v.p, (cusparseIndexType_t)9, I, B, F));
    say("CreateCsr base 2", cusparseCreateCsr(&w, 2, 2, 2, o.p, i.p, v.p, I, I, (cusparseIndexBase_t)2, F));
    say("CreateCsr type 99", cusparseCreateCsr(&w, 2, 2, 2, o.p, i.p, v.p, I, I, B, (cudaDataType)99));
    say("CreateCsr type C_8I", cusparseCreateCsr(&w, 2, 2, 2, o.p, i.p, v.p, I, I, B, CUDA_C_8I));
    say("CreateCsr", cusparseCreateCsr(&a, 2, 2, 2, o.p, i.p, v.p, I, I, B, F));
    say("CreateCoo", cusparseCreateCoo(&w, 2, 2, 2, i.p, i.p, v.p, I, B, F));
    say("CsrSetPointers of COO", cusparseCsrSetPointers(w, o.p, i.p, v.p));
    say("CsrSetStridedBatch of COO", cusparseCsrSetStridedBatch(w, 2, 0, 0));
    say("SpMatSetAttribute size 1", cusparseSpMatSetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, &part, 1));
    say("SpMatSetAttribute 9", cusparseSpMatSetAttribute(a, (cusparseSpMatAttribute_t)9, &part, 4));
    say("SpMatGetAttribute not set", cusparseSpMatGetAttribute(a, CUSPARSE_SPMAT_FILL_MODE, &part, sizeof(cusparseFillMode_t)));
    say("the attribute", part);
    say("CreateDnVec -1", cusparseCreateDnVec(&z, -1, xs.p, F));
    say("CreateDnVec no values", cusparseCreateDnVec(&z, 2, NULL, F));
    say("CreateDnVec size 0", cusparseCreateDnVec(&z, 0, NULL, F));
    say("CreateDnVec type 99", cusparseCreateDnVec(&z, 2, xs.p, (cudaDataType)99));
    say("CreateDnMat ld 1", cusparseCreateDnMat(&b, 2, 2, 1, xs.p, F, CUSPARSE_ORDER_COL));
    say("CreateDnMat order 5", cusparseCreateDnMat(&b, 2, 2, 2, xs.p, F, (cusparseOrder_t)5));
    say("CreateDnMat", cusparseCreateDnMat(&b, 2, 2, 2, xs.p, F, CUSPARSE_ORDER_COL));
    say("CreateDnMat c", cusparseCreateDnMat(&c, 2, 2, 2, ys.p, F, CUSPARSE_ORDER_COL));
    cusparseCreateDnVec(&x, 2, xs.p, F);
    cusparseCreateDnVec(&y, 2, ys.p, F);
    cusparseCreateDnVec(&z, 3, ys.p, F);
    say("SpMV NULL handle", cusparseSpMV(NULL, N, &one, a, x, &zero, y, F, A, NULL));
    say("SpMV NULL alpha", cusparseSpMV(h, N, NULL, a, x, &zero, y, F, A, NULL));
    say("SpMV NULL matrix", cusparseSpMV(h, N, &one, NULL, x, &zero, y, F, A, NULL));
    say("SpMV NULL x", cusparseSpMV(h, N, &one, a, NULL, &zero, y, F, A, NULL));
    say("SpMV op 7", cusparseSpMV(h, (op_t)7, &one, a, x, &zero, y, F, A, NULL));
    say("SpMV size of y", cusparseSpMV(h, N, &one, a, x, &zero, z, F, A, NULL));
    say("SpMV size of x", cusparseSpMV(h, N, &one, a, z, &zero, y, F, A, NULL));
    say("SpMV compute f64", cusparseSpMV(h, N, &one, a, x, &zero, y, CUDA_R_64F, A, NULL));
    say("SpMV compute f16", cusparseSpMV(h, N, &one, a, x, &zero, y, CUDA_R_16F, A, NULL));
    say("SpMV alg COO of CSR", cusparseSpMV(h, N, &one, a, x, &zero, y, F, CUSPARSE_SPMV_COO_ALG1, area(1)));
    say("SpMV alg 99", cusparseSpMV(h, N, &one, a, x, &zero, y, F, (cusparseSpMVAlg_t)99, area(1)));
    say("SpMV_bufferSize NULL", cusparseSpMV_bufferSize(h, N, &one, a, x, &zero, y, F, A, NULL));
    say("SpMV_bufferSize", cusparseSpMV_bufferSize(h, N, &one, a, x, &zero, y, F, A, &bytes));
    say("SpMV x is y", cusparseSpMV(h, N, &one, a, x, &zero, x, F, A, area(1)));
    say("SpMM op B 2 sizes", cusparseSpMM(h, N, T, &one, a, b, &zero, c, F, CUSPARSE_SPMM_ALG_DEFAULT, area(1)));
    say("SpMM alg 99", cusparseSpMM(h, N, N, &one, a, b, &zero, c, F, (cusparseSpMMAlg_t)99, area(1)));
    say("SpMM compute f64", cusparseSpMM(h, N, N, &one, a, b, &zero, c, CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT, area(1)));
    say("SpMM NULL B", cusparseSpMM(h, N, N, &one, a, NULL, &zero, c, F, CUSPARSE_SPMM_ALG_DEFAULT, area(1)));
    cusparseSpSVDescr_t d;
    cusparseSpSV_createDescr(&d);
    say("SpSV_solve without analysis", cusparseSpSV_solve(h, N, &one, a, x, y, F, CUSPARSE_SPSV_ALG_DEFAULT, d));
    say("SpSV_createDescr NULL", cusparseSpSV_createDescr(NULL));
    say("DestroySpMat NULL", cusparseDestroySpMat(NULL));
    say("DestroyDnVec NULL", cusparseDestroyDnVec(NULL));
    say("CreateMatDescr NULL", cusparseCreateMatDescr(NULL));
    cusparseMatDescr_t m;
    cusparseCreateMatDescr(&m);
    say("type of a new MatDescr", cusparseGetMatType(m));
    say("base of a new MatDescr", cusparseGetMatIndexBase(m));
    say("fill mode of a new MatDescr", cusparseGetMatFillMode(m));
    say("diagonal of a new MatDescr", cusparseGetMatDiagType(m));
    say("SetMatType 9", cusparseSetMatType(m, (cusparseMatrixType_t)9));
    say("SetMatIndexBase 9", cusparseSetMatIndexBase(m, (cusparseIndexBase_t)9));
    say("coo2csr nnz -1", cusparseXcoo2csr(h, i.p, -1, 2, o.p, B));
    say("csr2coo m -1", cusparseXcsr2coo(h, o.p, 2, -1, i.p, B));
    for (int s = 0; s < 14; s++)
        printf("text: %d\t%s\t%s\n", s, cusparseGetErrorName((cusparseStatus_t)s), cusparseGetErrorString((cusparseStatus_t)s));
    say("SpMV no buffer", cusparseSpMV(h, N, &one, a, x, &zero, y, F, A, NULL));
    say("coo2csr NULL", cusparseXcoo2csr(h, NULL, 2, 2, o.p, B));
    printf("after it\t%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}

static void modes() // scalars in device memory
{
    held<float> a(matrix<float>(6, 6, 1), 'r');
    dev<float> x(series<float>(6, 200)), y(series<float>(6, 300)), s(vector<float>{1.5f, -0.75f});
    cusparseDnVecDescr_t dx, dy;
    cusparseCreateDnVec(&dx, 6, x.p, CUDA_R_32F);
    cusparseCreateDnVec(&dy, 6, y.p, CUDA_R_32F);
    cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_DEVICE);
    begin("SpMV device scalars f32", cusparseSpMV(h, N, s.p, a.d, dx, s.p + 1, dy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, area(1)));
    tell(y), end();
    cusparseSetPointerMode(h, CUSPARSE_POINTER_MODE_HOST);
}

int main()
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    cusparseCreate(&h);
    for (char f : {'r', 'c', 'o'})
        for (op_t op : {N, T, C}) {
            spmv<float, float, float>(f, op, 0);
            spmv<cuComplex, cuComplex, cuComplex>(f, op, 0);
        }
    for (char f : {'r', 'o'})
        for (op_t op : {N, T})
            spmv<double, double, double>(f, op, 1), spmv<double, double, double, long long>(f, op, 0);
    spmv<cuDoubleComplex, cuDoubleComplex, cuDoubleComplex>('r', C, 1);
    spmv<__half, __half, float>('r', N, 0);
    spmv<__half, float, float>('r', N, 0);
    spmv<__nv_bfloat16, __nv_bfloat16, float>('r', N, 0);
    spmv<__nv_bfloat16, float, float>('r', T, 0);
    spmv<i8, int, int>('r', N, 0);
    spmv<i8, float, float>('r', N, 0);
    spmv<__half, __half, __half>('r', N, 0, " compute half");
    spmv<float, float, double>('r', N, 0, " compute f64");
    spmv<float, float, float>('r', N, 0, " alg CSR 1", CUSPARSE_SPMV_CSR_ALG1);
    spmv<float, float, float>('r', N, 0, " alg CSR 2", CUSPARSE_SPMV_CSR_ALG2);
    spmv<float, float, float>('o', N, 0, " alg COO 1", CUSPARSE_SPMV_COO_ALG1);
    spmv<float, float, float>('o', N, 0, " alg COO 2", CUSPARSE_SPMV_COO_ALG2);
    spmv<float, float, float>('r', N, 0, " beta 0", CUSPARSE_SPMV_ALG_DEFAULT, true);
    spmv<float, float, float>('o', N, 0, " beta 0", CUSPARSE_SPMV_ALG_DEFAULT, true);
    spmv<float, float, float>('r', T, 0, " beta 0", CUSPARSE_SPMV_ALG_DEFAULT, true);
    spmv<float, float, float>('r', N, 0, " 40x300", CUSPARSE_SPMV_ALG_DEFAULT, false, 40, 300);
    modes();

    for (char f : {'r', 'c', 'o'})
        for (op_t op : {N, T})
            for (op_t ob : {N, T})
                spmm<float, float>(f, op, ob, false, false);
    spmm<float, float>('r', N, N, true, true), spmm<float, float>('r', N, N, true, false), spmm<float, float>('r', T, T, true, true);
    spmm<double, double>('r', N, N, false, false), spmm<double, double>('o', N, T, true, true);
    spmm<cuComplex, cuComplex>('r', C, N, false, false), spmm<cuComplex, cuComplex>('r', N, C, false, false), spmm<cuDoubleComplex, cuDoubleComplex>('o', C, T, false, false);
    spmm<float, float>('r', N, N, false, false, 3), spmm<float, float>('o', N, N, true, true, 2);
    spmm<__half, float>('r', N, N, true, true), spmm<__nv_bfloat16, float>('r', N, N, true, true);
    spmm<double, double>('r', N, N, false, false, 1, CUSPARSE_SPMM_ALG_DEFAULT, " base 1", 1);
    spmm<float, float>('r', N, N, true, true, 1, CUSPARSE_SPMM_CSR_ALG1, " alg CSR 1"), spmm<float, float>('r', N, N, true, true, 1, CUSPARSE_SPMM_CSR_ALG2, " alg CSR 2");
    spmm<float, float>('r', N, N, true, true, 1, CUSPARSE_SPMM_CSR_ALG3, " alg CSR 3"), spmm<float, float>('o', N, N, true, true, 1, CUSPARSE_SPMM_COO_ALG4, " alg COO 4");
    blocks<float, float>(false, N, true), blocks<double, double>(false, N, true, false), blocks<float, float>(false, N, false), blocks<double, double>(false, T, false, false);
    blocks<__half, float>(true, N, false), blocks<float, float>(true, N, false), blocks<double, double>(true, T, false);

    sddmm<float, float>(N, N, true), sddmm<float, float>(N, T, true), sddmm<float, float>(N, N, false), sddmm<double, double>(T, N, false), sddmm<cuComplex, cuComplex>(N, N, true);
    sddmm<float, float>(T, T, true), sddmm<__half, float>(N, N, true), sddmm<float, float>(N, N, true, 'c'), sddmm<float, float>(N, N, true, 'o');
    for (cusparseSpGEMMAlg_t g : {CUSPARSE_SPGEMM_DEFAULT, CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC, CUSPARSE_SPGEMM_ALG1, CUSPARSE_SPGEMM_ALG2, CUSPARSE_SPGEMM_ALG3})
        spgemm<float>(g);
    spgemm<double>(CUSPARSE_SPGEMM_DEFAULT, N, N, 1), spgemm<cuComplex>(CUSPARSE_SPGEMM_DEFAULT), spgemm<cuDoubleComplex>(CUSPARSE_SPGEMM_DEFAULT);
    spgemm<float>(CUSPARSE_SPGEMM_DEFAULT, T, N), spgemm<__half>(CUSPARSE_SPGEMM_DEFAULT);
    reuse<float>(), reuse<double>();

    for (int matrices = 0; matrices < 2; matrices++)
        for (op_t op : {N, T})
            for (char which : {'L', 'U'})
                for (bool unit : {false, true})
                    triangle<double>(matrices != 0, op, which, unit);
    for (int matrices = 0; matrices < 2; matrices++) {
        triangle<float>(matrices != 0, N, 'L', false), triangle<cuComplex>(matrices != 0, C, 'U', false), triangle<cuDoubleComplex>(matrices != 0, T, 'L', false);
        triangle<double>(matrices != 0, N, 'L', false, 'o'), triangle<double>(matrices != 0, N, 'U', false, 'r', 1), triangle<double>(matrices != 0, N, 'L', true, 'r', 0, 'F');
        triangle<double>(matrices != 0, N, 'L', false, 'c'), triangle<double>(matrices != 0, T, 'U', false, 'o', 1);
    }

    for (char f : {'r', 'c', 'o'})
        for (bool row : {false, true})
            to_dense<float>(f, row), to_sparse<float>(f, row, f == 'c');
    to_dense<cuDoubleComplex>('r', true), to_sparse<cuComplex>('r', true, 1), to_dense<__half>('r', true), to_sparse<__half>('r', false, 0), to_sparse<i8>('r', true, 0);
    vectors<float>(0), vectors<double>(1), vectors<cuComplex>(0), vectors<cuDoubleComplex, long long>(1);
    conversions();
    geam(0), geam(1);
    factors();
    bands();
    older_products();
    misuse();
    int version = 0, part[3] = {-1, -1, -1};
    cusparseGetVersion(h, &version);
    for (int i = 0; i < 3; i++)
        cusparseGetProperty((libraryPropertyType)i, &part[i]);
    printf("version\t%d\t%d %d %d\n", version, part[0], part[1], part[2]);
    return 0;
}
