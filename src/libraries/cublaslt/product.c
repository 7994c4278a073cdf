/* cublasLt: products with epilogues, and transforms. Matrices are read into arrays without gaps, in the type that is computed in, multiplied by the
 * host's BLAS, and stored element by element: scaled, with bias and activation. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libraries/cublaslt/descriptors.h"
#include "libraries/linear/call.h"
#include "libraries/linear/elements.h"
#include "libraries/linear/products.h"

/* A matrix as the product sees it: op(X), element (i, j) lies i * down + j * across elements from the first. */
struct view {
    const char *name;
    const void *at;
    struct layout l;
    int op;
    int64_t rows, cols, down, across;
};

struct product {
    struct matmul d;
    struct view a, b, c, out;
    const void *alpha, *beta; /* in device memory, if d.pointers says so */
    double alpha_value[2], beta_value[2];
    char letter;              /* s, d, c, z, i: what is computed in */
    int64_t m, n, k;
};

enum { BIAS = 4, RELU = 2, DRELU = 8, BGRAD = 16, GELU = 32, DGELU = 64, AUX = 128, BGRADA = 256, BGRADB = 512 };

static bool has(const struct product *p, uint32_t bits)
{
    return p->d.epilogue & bits;
}

static struct view view_of(const char *name, const void *at, const struct layout *l, int op)
{
    struct view v = {.name = name, .at = at, .l = *l, .op = op};
    int64_t down = l->order == CUBLASLT_ORDER_ROW ? l->ld : 1, across = l->order == CUBLASLT_ORDER_ROW ? 1 : l->ld;
    bool turned = op != CUBLAS_OP_N;
    v.rows = (int64_t)(turned ? l->cols : l->rows);
    v.cols = (int64_t)(turned ? l->rows : l->cols);
    v.down = turned ? across : down;
    v.across = turned ? down : across;
    return v;
}

static cudaDataType type_of(const struct view *v)
{
    return (cudaDataType)v->l.element;
}

static cudaDataType computed(char letter)
{
    return letter == 's' ? CUDA_R_32F : letter == 'd' ? CUDA_R_64F : letter == 'c' ? CUDA_C_32F : letter == 'z' ? CUDA_C_64F : CUDA_R_32I;
}

/* --- checks --- */

static bool is_known_epilogue(uint32_t e)
{
    switch (e) {
    case CUBLASLT_EPILOGUE_DEFAULT:
    case CUBLASLT_EPILOGUE_RELU:
    case CUBLASLT_EPILOGUE_RELU_AUX:
    case CUBLASLT_EPILOGUE_BIAS:
    case CUBLASLT_EPILOGUE_RELU_BIAS:
    case CUBLASLT_EPILOGUE_RELU_AUX_BIAS:
    case CUBLASLT_EPILOGUE_DRELU:
    case CUBLASLT_EPILOGUE_DRELU_BGRAD:
    case CUBLASLT_EPILOGUE_GELU:
    case CUBLASLT_EPILOGUE_GELU_AUX:
    case CUBLASLT_EPILOGUE_GELU_BIAS:
    case CUBLASLT_EPILOGUE_GELU_AUX_BIAS:
    case CUBLASLT_EPILOGUE_DGELU:
    case CUBLASLT_EPILOGUE_DGELU_BGRAD:
    case CUBLASLT_EPILOGUE_BGRADA:
    case CUBLASLT_EPILOGUE_BGRADB:
        return true;
    }
    return false;
}

static char letter_of(int compute, bool is_complex)
{
    switch (compute) {
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
        return is_complex ? 'z' : 'd';
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        return 'i';
    default:
        return is_complex ? 'c' : 's';
    }
}

/* Scales are of what is computed in; float for integers that are scaled, too. */
static bool is_good_scale(int compute, cudaDataType scale, bool is_complex)
{
    switch (letter_of(compute, is_complex)) {
    case 'i':
        return scale == CUDA_R_32I || scale == CUDA_R_32F;
    case 's':
        return scale == (compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC ? CUDA_R_16F : CUDA_R_32F);
    case 'd':
        return scale == CUDA_R_64F;
    case 'c':
        return scale == CUDA_C_32F;
    default:
        return scale == CUDA_C_64F;
    }
}

static bool is_8_bit_float(cudaDataType t)
{
    return t == CUDA_R_8F_E4M3 || t == CUDA_R_8F_E5M2;
}

/* Products of cuBLAS, and those of 8-bit floats and of bytes that are scaled. */
static bool types_fit(const struct product *p)
{
    cudaDataType a = type_of(&p->a), b = type_of(&p->b), out = type_of(&p->out);
    if (is_8_bit_float(a) || is_8_bit_float(b))
        return is_8_bit_float(a) && is_8_bit_float(b) && p->letter == 's' && !element_is_integer(out);
    if (p->letter == 'i' && p->d.scale == CUDA_R_32F)
        return a == CUDA_R_8I && b == CUDA_R_8I && out == CUDA_R_8I;
    return a == b && product_is_there(p->d.compute, a, out);
}

static bool is_good_layout(const struct layout *l)
{
    int64_t least = (int64_t)(l->order == CUBLASLT_ORDER_ROW ? l->cols : l->rows);
    return l->ld >= least && l->batches >= 1;
}

static bool is_supported_layout(const struct layout *l)
{
    return element_bytes((cudaDataType)l->element) && (l->order == CUBLASLT_ORDER_COL || l->order == CUBLASLT_ORDER_ROW) && l->rows < INT32_MAX && l->cols < INT32_MAX;
}

/* Whether the descriptors fit together, and are of something that is there. */
static cublasStatus_t check(struct product *p)
{
    const struct view *all[] = {&p->a, &p->b, &p->c, &p->out};
    bool is_complex = element_is_complex(type_of(&p->out));
    for (int i = 0; i < 4; i++)
        if (!is_good_layout(&all[i]->l))
            return CUBLAS_STATUS_INVALID_VALUE;
    p->m = p->out.rows;
    p->n = p->out.cols;
    p->k = p->a.cols;
    if ((unsigned)p->d.transa > CUBLAS_OP_C || (unsigned)p->d.transb > CUBLAS_OP_C)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (p->a.rows != p->m || p->b.rows != p->k || p->b.cols != p->n || p->c.rows != p->m || p->c.cols != p->n)
        return CUBLAS_STATUS_INVALID_VALUE;
    for (int i = 0; i < 4; i++)
        if (!is_supported_layout(&all[i]->l) || element_is_complex(type_of(all[i])) != is_complex)
            return CUBLAS_STATUS_NOT_SUPPORTED;
    p->letter = letter_of(p->d.compute, is_complex);
    if (!is_good_scale(p->d.compute, (cudaDataType)p->d.scale, is_complex))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (p->d.epilogue & ~(uint32_t)CUBLASLT_EPILOGUE_DEFAULT)
        p->d.epilogue &= ~(uint32_t)CUBLASLT_EPILOGUE_DEFAULT;
    if (!is_known_epilogue(p->d.epilogue) || p->d.pointers > CUBLASLT_POINTER_MODE_DEVICE || p->d.transc != CUBLAS_OP_N || p->d.fill != CUBLAS_FILL_MODE_FULL ||
        !types_fit(p))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (p->d.epilogue != CUBLASLT_EPILOGUE_DEFAULT && p->letter != 's' && p->letter != 'd')
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return CUBLAS_STATUS_SUCCESS;
}

/* --- operands --- */

static struct library_operand operand_of(const struct view *v, int32_t batches, unsigned access)
{
    size_t bytes = element_bytes(type_of(v));
    bool by_rows = v->l.order == CUBLASLT_ORDER_ROW;
    uint64_t width = by_rows ? v->l.cols : v->l.rows, height = by_rows ? v->l.rows : v->l.cols;
    return (struct library_operand){.name = v->name, .at = v->at, .width = height ? width * bytes : 0, .height = height, .pitch = (size_t)v->l.ld * bytes,
                                    .depth = v->l.batches > 1 ? (size_t)batches : 1, .slice = (size_t)v->l.stride * bytes, .access = access};
}

static bool is_zero(const double v[2])
{
    return v[0] == 0 && v[1] == 0;
}

static size_t aux_bytes(const struct product *p)
{
    return has(p, RELU | DRELU) ? 0 : element_bytes((cudaDataType)p->d.aux_type);
}

static void add_vector(struct library_more *m, const char *name, const void *at, int64_t n, size_t bytes, unsigned access)
{
    if (at && n)
        library_more(m, &(struct library_operand){.name = name, .at = at, .width = (size_t)n * bytes, .access = access});
}

static void add_epilogue(const struct product *p, struct library_more *m)
{
    size_t bias = element_bytes((cudaDataType)p->d.bias_type), aux = aux_bytes(p);
    if (has(p, BIAS))
        add_vector(m, "bias", p->d.bias, p->m, bias, LIBRARY_READ);
    if (has(p, BGRAD | BGRADA | BGRADB))
        add_vector(m, "bias gradient", p->d.bias, has(p, BGRADB) ? p->n : p->m, bias, LIBRARY_WRITE);
    if (has(p, AUX))
        library_more(m, &(struct library_operand){.name = "epilogue's auxiliary matrix", .at = p->d.aux, .width = aux ? (size_t)p->m * aux : ((size_t)p->m + 7) / 8,
                                                  .height = (size_t)p->n, .pitch = aux ? (size_t)p->d.aux_ld * aux : (size_t)p->d.aux_ld / 8,
                                                  .access = has(p, DRELU | DGELU) ? LIBRARY_READ : LIBRARY_WRITE});
    void *const scales[] = {p->d.a_scale, p->d.b_scale, p->d.c_scale, p->d.d_scale};
    for (int i = 0; i < 4; i++)
        add_vector(m, "scale", scales[i], 1, sizeof(float), LIBRARY_READ);
    add_vector(m, "largest element of D", p->d.d_amax, 1, sizeof(float), LIBRARY_WRITE);
}

static void more(void *data, struct library_more *m)
{
    struct product *p = data;
    struct library_operand o;
    if (p->d.pointers == CUBLASLT_POINTER_MODE_DEVICE) {
        element_load((cudaDataType)p->d.scale, library_host(p->alpha), p->alpha_value);
        element_load((cudaDataType)p->d.scale, library_host(p->beta), p->beta_value);
    }
    if (!is_zero(p->alpha_value)) {
        o = operand_of(&p->a, p->out.l.batches, LIBRARY_READ);
        library_more(m, &o);
        o = operand_of(&p->b, p->out.l.batches, LIBRARY_READ);
        library_more(m, &o);
    }
    if (!is_zero(p->beta_value)) {
        o = operand_of(&p->c, p->out.l.batches, LIBRARY_READ);
        library_more(m, &o);
    }
    o = operand_of(&p->out, p->out.l.batches, LIBRARY_WRITE);
    library_more(m, &o);
    add_epilogue(p, m);
}

/* --- matrices into arrays without gaps, and back --- */

static char *batch_of(const struct view *v, int32_t batch)
{
    int64_t stride = v->l.batches > 1 ? v->l.stride : 0;
    return (char *)library_host(v->at) + batch * stride * (int64_t)element_bytes(type_of(v));
}

static void read_view(const struct view *v, int32_t batch, cudaDataType to, void *dense)
{
    ptrdiff_t from_size = (ptrdiff_t)element_bytes(type_of(v)), size = (ptrdiff_t)element_bytes(to);
    char *at = batch_of(v, batch), *out = dense;
    for (int64_t j = 0; j < v->cols; j++)
        elements_convert(to, out + j * v->rows * size, size, type_of(v), at + j * v->across * from_size, v->down * from_size, (size_t)v->rows);
    for (int64_t i = 0; v->op == CUBLAS_OP_C && to == CUDA_C_32F && i < v->rows * v->cols; i++)
        ((float _Complex *)dense)[i] = conjf(((float _Complex *)dense)[i]);
    for (int64_t i = 0; v->op == CUBLAS_OP_C && to == CUDA_C_64F && i < v->rows * v->cols; i++)
        ((double _Complex *)dense)[i] = conj(((double _Complex *)dense)[i]);
}

static void *dense_of(const struct view *v, int32_t batch, char letter, bool tf32)
{
    cudaDataType t = computed(letter);
    void *dense = malloc((size_t)v->rows * (size_t)v->cols * element_bytes(t) + 1);
    if (dense)
        read_view(v, batch, t, dense);
    if (dense && tf32)
        elements_round_tf32(dense, (size_t)v->rows * (size_t)v->cols);
    return dense;
}

/* --- the epilogue --- */

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

static double gelu_slope(double x)
{
    double inner = 0.7978845608028654 * (x + 0.044715 * x * x * x), t = tanh(inner);
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * 0.7978845608028654 * (1 + 3 * 0.044715 * x * x);
}

static double load_number(cudaDataType t, const void *base, int64_t i)
{
    double part[2];
    element_load(t, (const char *)base + i * (int64_t)element_bytes(t), part);
    return part[0];
}

static void store_number(cudaDataType t, void *base, int64_t i, double v)
{
    const double part[2] = {v, 0};
    element_store(t, (char *)base + i * (int64_t)element_bytes(t), part);
}

static double scale_at(const void *at)
{
    return at ? (double)*(const float *)library_host(at) : 1;
}

/* One element on its way to D: what lies beside it in the auxiliary matrix is read or written. */
static double finish(const struct product *p, int32_t batch, int64_t i, int64_t j, double v)
{
    char *aux = has(p, AUX) ? (char *)library_host(p->d.aux) + batch * p->d.aux_stride * (int64_t)(aux_bytes(p) ? aux_bytes(p) : 1) : NULL;
    int64_t at = i + j * p->d.aux_ld;
    if (has(p, DRELU))
        v = aux[at / 8] >> at % 8 & 1 ? v : 0;
    if (has(p, DGELU))
        v *= gelu_slope(load_number((cudaDataType)p->d.aux_type, aux, at));
    if (has(p, BIAS))
        v += load_number((cudaDataType)p->d.bias_type, library_host(p->d.bias), batch * p->d.bias_stride + i);
    if (has(p, AUX) && has(p, RELU))
        aux[at / 8] = (char)((aux[at / 8] & ~(1 << at % 8)) | (v > 0) << at % 8);
    if (has(p, AUX) && has(p, GELU))
        store_number((cudaDataType)p->d.aux_type, aux, at, v);
    return has(p, RELU) ? fmax(v, 0) : has(p, GELU) ? gelu(v) : v;
}

static void store_real(const struct product *p, int32_t batch, const void *products, double *largest)
{
    double alpha = p->alpha_value[0] * scale_at(p->d.a_scale) * scale_at(p->d.b_scale), beta = p->beta_value[0] * scale_at(p->d.c_scale);
    double to_d = scale_at(p->d.d_scale), *sums = has(p, BGRAD) ? calloc((size_t)p->m + 1, sizeof *sums) : NULL;
    char *out = batch_of(&p->out, batch), *c = beta != 0 ? batch_of(&p->c, batch) : NULL;
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++) {
            double v = alpha != 0 ? alpha * load_number(computed(p->letter), products, i + j * p->m) : 0;
            if (c)
                v += beta * load_number(type_of(&p->c), c, i * p->c.down + j * p->c.across);
            v = finish(p, batch, i, j, v);
            if (sums)
                sums[i] += v;
            *largest = fmax(*largest, fabs(v));
            store_number(type_of(&p->out), out, i * p->out.down + j * p->out.across, v * to_d);
        }
    for (int64_t i = 0; sums && i < p->m; i++)
        store_number((cudaDataType)p->d.bias_type, library_host(p->d.bias), batch * p->d.bias_stride + i, sums[i]);
    free(sums);
}

static void store_complex(const struct product *p, int32_t batch, const void *products)
{
    double _Complex alpha = p->alpha_value[0] + I * p->alpha_value[1], beta = p->beta_value[0] + I * p->beta_value[1];
    ptrdiff_t size = (ptrdiff_t)element_bytes(type_of(&p->out)), c_size = (ptrdiff_t)element_bytes(type_of(&p->c));
    char *out = batch_of(&p->out, batch), *c = beta != 0 ? batch_of(&p->c, batch) : NULL;
    for (int64_t j = 0; j < p->n; j++)
        for (int64_t i = 0; i < p->m; i++) {
            double part[2];
            element_load(computed(p->letter), (const char *)products + (i + j * p->m) * (ptrdiff_t)element_bytes(computed(p->letter)), part);
            double _Complex v = alpha != 0 ? alpha * (part[0] + I * part[1]) : 0;
            if (c) {
                element_load(type_of(&p->c), c + (i * p->c.down + j * p->c.across) * c_size, part);
                v += beta * (part[0] + I * part[1]);
            }
            element_store(type_of(&p->out), out + (i * p->out.down + j * p->out.across) * size, (const double[2]){creal(v), cimag(v)});
        }
}

/* Sums of A's rows or B's columns, over k. */
static void store_input_sums(const struct product *p, int32_t batch, const void *a, const void *b)
{
    cudaDataType t = computed(p->letter);
    int64_t n = has(p, BGRADA) ? p->m : p->n;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t l = 0; l < p->k; l++)
            sum += has(p, BGRADA) ? load_number(t, a, i + l * p->m) : load_number(t, b, l + i * p->k);
        store_number((cudaDataType)p->d.bias_type, library_host(p->d.bias), batch * p->d.bias_stride + i, sum);
    }
}

static void multiply(const struct product *p, void *a, void *b, void *products)
{
    static const double one[] = {1, 0}, none[] = {0, 0};
    static const float one_float[] = {1, 0}, none_float[] = {0, 0};
    static const int one_int = 1, none_int = 0;
    bool single = p->letter == 's' || p->letter == 'c', ints = p->letter == 'i';
    int m = (int)p->m, n = (int)p->n, k = (int)p->k, lda = m > 1 ? m : 1, ldb = k > 1 ? k : 1;
    char plain = 'N';
    const void *alpha = ints ? (const void *)&one_int : single ? (const void *)one_float : one, *beta = ints ? (const void *)&none_int : single ? (const void *)none_float : none;
    void *v[] = {&plain, &plain, &m, &n, &k, (void *)alpha, a, &lda, b, &ldb, (void *)beta, products, &lda};
    char name[8];
    snprintf(name, sizeof name, "%cgemm", p->letter);
    if (ints)
        own_find('i', "gemm")(v);
    else
        host_call(host_find(name), v, 13);
}

static cudaError_t run(void *data)
{
    const struct product *p = data;
    bool tf32 = p->d.compute == CUBLAS_COMPUTE_32F_FAST_TF32 && p->letter == 's', is_complex = p->letter == 'c' || p->letter == 'z', used = !is_zero(p->alpha_value);
    double largest = 0;
    for (int32_t batch = 0; batch < p->out.l.batches; batch++) {
        void *a = used ? dense_of(&p->a, batch, p->letter, tf32) : NULL, *b = used ? dense_of(&p->b, batch, p->letter, tf32) : NULL;
        void *products = calloc((size_t)p->m * (size_t)p->n + 1, element_bytes(computed(p->letter)));
        if (products && (!used || (a && b))) {
            if (used)
                multiply(p, a, b, products);
            if (is_complex)
                store_complex(p, batch, products);
            else
                store_real(p, batch, products, &largest);
            if (has(p, BGRADA | BGRADB) && used)
                store_input_sums(p, batch, a, b);
        }
        free(a);
        free(b);
        free(products);
    }
    if (p->d.d_amax)
        *(float *)library_host(p->d.d_amax) = (float)largest;
    return cudaSuccess;
}

static void shape(const void *data, char *text, size_t size)
{
    const struct product *p = data;
    int n = snprintf(text, size, "m %lld, n %lld, k %lld", (long long)p->m, (long long)p->n, (long long)p->k);
    if (p->out.l.batches > 1 && n > 0 && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, ", batches %d", (int)p->out.l.batches);
}

static enum library_peak peak_of(const struct product *p)
{
    size_t bytes = element_bytes(type_of(&p->a));
    if (p->letter == 'd' || p->letter == 'z')
        return LIBRARY_DOUBLE_MATRIX;
    return bytes == 1 ? LIBRARY_INT8_MATRIX : bytes == 2 ? LIBRARY_HALF_MATRIX : p->d.compute == CUBLAS_COMPUTE_32F_FAST_TF32 ? LIBRARY_TF32_MATRIX : LIBRARY_SINGLE;
}

/* --- calls --- */

/* Everything but the pointers. */
static cublasStatus_t describe(struct product *p, cublasLtHandle_t handle, cublasLtMatmulDesc_t d, cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                               cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t out)
{
    if (!lt_is_one(handle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!d || !a || !b || !c || !out)
        return CUBLAS_STATUS_INVALID_VALUE;
    memset(p, 0, sizeof *p);
    p->d = *matmul_of(d);
    p->a = view_of("A", NULL, layout_of(a), p->d.transa);
    p->b = view_of("B", NULL, layout_of(b), p->d.transb);
    p->c = view_of("C", NULL, layout_of(c), CUBLAS_OP_N);
    p->out = view_of("D", NULL, layout_of(out), CUBLAS_OP_N);
    if (p->d.aux_type < 0)
        p->d.aux_type = (int32_t)p->out.l.element;
    if (p->d.bias_type < 0)
        p->d.bias_type = (int32_t)p->out.l.element;
    return check(p);
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t computeDesc, const void *alpha, const void *A, cublasLtMatrixLayout_t Adesc,
                              const void *B, cublasLtMatrixLayout_t Bdesc, const void *beta, const void *C, cublasLtMatrixLayout_t Cdesc, void *D,
                              cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t *algo, void *workspace, size_t workspaceSizeInBytes, cudaStream_t stream)
{
    struct product p;
    struct library_operand o[2];
    (void)algo, (void)workspace, (void)workspaceSizeInBytes;
    cublasStatus_t s = describe(&p, lightHandle, computeDesc, Adesc, Bdesc, Cdesc, Ddesc);
    if (!s && (!alpha || !beta || (has(&p, BIAS | BGRAD | BGRADA | BGRADB) && !p.d.bias) || (has(&p, AUX) && (!p.d.aux || p.d.aux_ld < p.m))))
        s = CUBLAS_STATUS_INVALID_VALUE;
    if (s)
        return s;
    bool device = p.d.pointers == CUBLASLT_POINTER_MODE_DEVICE;
    size_t bytes = element_bytes((cudaDataType)p.d.scale);
    p.a.at = A;
    p.b.at = B;
    p.c.at = C;
    p.out.at = D;
    p.alpha = alpha;
    p.beta = beta;
    if (!device) {
        element_load((cudaDataType)p.d.scale, alpha, p.alpha_value);
        element_load((cudaDataType)p.d.scale, beta, p.beta_value);
    }
    o[0] = (struct library_operand){.name = "alpha", .at = alpha, .width = bytes, .access = LIBRARY_READ};
    o[1] = (struct library_operand){.name = "beta", .at = beta, .width = bytes, .access = LIBRARY_READ};
    double each = p.letter == 'c' || p.letter == 'z' ? 8 : 2;
    const struct library_call call = {.library = "cublasLt", .function = "cublasLtMatmul", .peak = peak_of(&p), .operand = o, .operands = device ? 2 : 0,
                                      .flops = each * (double)p.m * (double)p.n * (double)p.k * p.out.l.batches, .data = &p, .data_bytes = sizeof p, .more = more,
                                      .run = run, .shape = shape};
    return library_call(stream, &call, false) ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}

/* --- the one algorithm --- */

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t operationDesc, cublasLtMatrixLayout_t Adesc,
                                       cublasLtMatrixLayout_t Bdesc, cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc, const cublasLtMatmulAlgo_t *algo,
                                       cublasLtMatmulHeuristicResult_t *result)
{
    struct product p;
    cublasStatus_t s = describe(&p, lightHandle, operationDesc, Adesc, Bdesc, Cdesc, Ddesc);
    if (!algo || !result)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!s)
        *result = (cublasLtMatmulHeuristicResult_t){.algo = *algo, .state = CUBLAS_STATUS_SUCCESS, .wavesCount = 1};
    return s;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t lightHandle, cublasLtMatmulDesc_t operationDesc, cublasLtMatrixLayout_t Adesc,
                                              cublasLtMatrixLayout_t Bdesc, cublasLtMatrixLayout_t Cdesc, cublasLtMatrixLayout_t Ddesc,
                                              cublasLtMatmulPreference_t preference, int requestedAlgoCount,
                                              cublasLtMatmulHeuristicResult_t heuristicResultsArray[], int *returnAlgoCount)
{
    struct product p;
    if (lt_is_one(lightHandle) && (!preference || requestedAlgoCount < 1 || !heuristicResultsArray || !returnAlgoCount))
        return CUBLAS_STATUS_INVALID_VALUE;
    cublasStatus_t s = describe(&p, lightHandle, operationDesc, Adesc, Bdesc, Cdesc, Ddesc);
    if (returnAlgoCount)
        *returnAlgoCount = !s;
    if (!s)
        heuristicResultsArray[0] = (cublasLtMatmulHeuristicResult_t){.state = CUBLAS_STATUS_SUCCESS, .wavesCount = 1};
    return s;
}

cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t lightHandle, cublasComputeType_t computeType, cudaDataType_t scaleType, cudaDataType_t Atype,
                                        cudaDataType_t Btype, cudaDataType_t Ctype, cudaDataType_t Dtype, int requestedAlgoCount, int algoIdsArray[],
                                        int *returnAlgoCount)
{
    (void)computeType, (void)scaleType, (void)Ctype;
    if (!lt_is_one(lightHandle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (requestedAlgoCount < 1 || !algoIdsArray || !returnAlgoCount)
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!element_bytes(Atype) || !element_bytes(Btype) || !element_bytes(Dtype))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    algoIdsArray[0] = 0;
    *returnAlgoCount = 1;
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t lightHandle, cublasComputeType_t computeType, cudaDataType_t scaleType, cudaDataType_t Atype,
                                      cudaDataType_t Btype, cudaDataType_t Ctype, cudaDataType_t Dtype, int algoId, cublasLtMatmulAlgo_t *algo)
{
    int id, n;
    if (!algo || algoId)
        return CUBLAS_STATUS_INVALID_VALUE;
    memset(algo, 0, sizeof *algo);
    return cublasLtMatmulAlgoGetIds(lightHandle, computeType, scaleType, Atype, Btype, Ctype, Dtype, 1, &id, &n);
}

/* --- transforms: C = alpha op(A) + beta op(B), in any of the orders --- */

static cudaError_t run_transform(void *data)
{
    const struct product *p = data;
    double _Complex alpha = p->alpha_value[0] + I * p->alpha_value[1], beta = p->beta_value[0] + I * p->beta_value[1];
    const struct view *from[] = {&p->a, &p->b};
    for (int32_t batch = 0; batch < p->out.l.batches; batch++)
        for (int64_t j = 0; j < p->n; j++)
            for (int64_t i = 0; i < p->m; i++) {
                double _Complex v = 0;
                for (int s = 0; s < 2; s++) {
                    double _Complex factor = s ? beta : alpha;
                    double part[2];
                    if (factor == 0)
                        continue;
                    element_load(type_of(from[s]), batch_of(from[s], batch) + (i * from[s]->down + j * from[s]->across) * (ptrdiff_t)element_bytes(type_of(from[s])), part);
                    v += factor * (part[0] + I * (from[s]->op == CUBLAS_OP_C ? -part[1] : part[1]));
                }
                element_store(type_of(&p->out), batch_of(&p->out, batch) + (i * p->out.down + j * p->out.across) * (ptrdiff_t)element_bytes(type_of(&p->out)),
                              (const double[2]){creal(v), cimag(v)});
            }
    return cudaSuccess;
}

static void more_transform(void *data, struct library_more *m)
{
    struct product *p = data;
    const struct view *from[] = {&p->a, &p->b};
    const double *factor[] = {p->alpha_value, p->beta_value};
    struct library_operand o;
    if (p->d.pointers == CUBLASLT_POINTER_MODE_DEVICE) {
        element_load((cudaDataType)p->d.scale, library_host(p->alpha), p->alpha_value);
        element_load((cudaDataType)p->d.scale, library_host(p->beta), p->beta_value);
    }
    for (int s = 0; s < 2; s++) {
        o = operand_of(from[s], p->out.l.batches, LIBRARY_READ);
        if (!is_zero(factor[s]))
            library_more(m, &o);
    }
    o = operand_of(&p->out, p->out.l.batches, LIBRARY_WRITE);
    library_more(m, &o);
}

cublasStatus_t cublasLtMatrixTransform(cublasLtHandle_t lightHandle, cublasLtMatrixTransformDesc_t transformDesc, const void *alpha, const void *A,
                                       cublasLtMatrixLayout_t Adesc, const void *beta, const void *B, cublasLtMatrixLayout_t Bdesc, void *C,
                                       cublasLtMatrixLayout_t Cdesc, cudaStream_t stream)
{
    struct product p = {0};
    if (!lt_is_one(lightHandle))
        return CUBLAS_STATUS_NOT_INITIALIZED;
    if (!transformDesc || !alpha || !beta || !Adesc || !Cdesc)
        return CUBLAS_STATUS_INVALID_VALUE;
    const struct transform *t = transform_of(transformDesc);
    p.d.scale = t->scale;
    p.d.pointers = t->pointers;
    p.a = view_of("A", A, layout_of(Adesc), t->transa);
    p.b = view_of("B", B, layout_of(Bdesc ? Bdesc : Cdesc), Bdesc ? t->transb : CUBLAS_OP_N);
    p.out = view_of("C", C, layout_of(Cdesc), CUBLAS_OP_N);
    p.alpha = alpha;
    p.beta = beta;
    p.m = p.out.rows;
    p.n = p.out.cols;
    bool device = t->pointers == CUBLASLT_POINTER_MODE_DEVICE;
    if (!device) {
        element_load((cudaDataType)t->scale, alpha, p.alpha_value);
        element_load((cudaDataType)t->scale, beta, p.beta_value);
    }
    if (!is_good_layout(&p.a.l) || !is_good_layout(&p.b.l) || !is_good_layout(&p.out.l) || p.a.rows != p.m || p.a.cols != p.n || p.b.rows != p.m || p.b.cols != p.n ||
        (!Bdesc && !device && !is_zero(p.beta_value)))
        return CUBLAS_STATUS_INVALID_VALUE;
    if (!is_supported_layout(&p.a.l) || !is_supported_layout(&p.b.l) || !is_supported_layout(&p.out.l) || t->pointers > CUBLASLT_POINTER_MODE_DEVICE)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    size_t bytes = element_bytes((cudaDataType)t->scale);
    const struct library_operand o[] = {{.name = "alpha", .at = alpha, .width = bytes, .access = LIBRARY_READ}, {.name = "beta", .at = beta, .width = bytes, .access = LIBRARY_READ}};
    const struct library_call call = {.library = "cublasLt", .function = "cublasLtMatrixTransform", .flops = 3.0 * (double)p.m * (double)p.n * p.out.l.batches,
                                      .peak = LIBRARY_SINGLE, .operand = o, .operands = device ? 2 : 0, .data = &p, .data_bytes = sizeof p, .more = more_transform,
                                      .run = run_transform};
    return library_call(stream, &call, false) ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}
