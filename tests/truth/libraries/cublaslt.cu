// What cublasLt computes and answers: one line a case, "name <tab> status <tab> values as hexadecimal floats"; inputs by a formula.
//
//   nvcc -std=c++17 -o cublaslt cublaslt.cu -lcublasLt && ./cublaslt > cublaslt.tsv
#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <string>
#include <vector>

static cublasLtHandle_t handle;
static void *workspace;
static const size_t room = 4 << 20;

// multiples of 1/16 from -1 to 1: exact in every format with 5 bits
static float noise(unsigned seed, unsigned i)
{
    unsigned long long s = (seed * 2654435761ull + i + 1) * 6364136223846793005ull + 1442695040888963407ull;
    s ^= s >> 29;
    s *= 0xbf58476d1ce4e5b9ull;
    s ^= s >> 32;
    return (float)((int)(s % 33) - 16) / 16;
}

template <class T> T make(float v) { return (T)v; }
template <> __half make<__half>(float v) { return __float2half(v); }
template <> __nv_bfloat16 make<__nv_bfloat16>(float v) { return __float2bfloat16(v); }
static double number(float v) { return v; }
static double number(double v) { return v; }
static double number(int v) { return v; }
static double number(signed char v) { return v; }
static double number(unsigned char v) { return v; }
static double number(__half v) { return __half2float(v); }
static double number(__nv_bfloat16 v) { return __bfloat162float(v); }

template <class T> struct Array {
    std::vector<T> host;
    T *at;
    Array(size_t n, unsigned seed, float scale = 1) : host(n)
    {
        for (size_t i = 0; i < n; i++)
            host[i] = make<T>(noise(seed, i) * scale);
        cudaMalloc((void **)&at, n * sizeof(T));
        cudaMemcpy(at, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    }
    ~Array() { cudaFree(at); }
    std::string get()
    {
        std::string s;
        char text[40];
        cudaMemcpy(host.data(), at, host.size() * sizeof(T), cudaMemcpyDeviceToHost);
        for (T v : host) {
            snprintf(text, sizeof text, "%s%a", s.empty() ? "" : " ", number(v));
            s += text;
        }
        return s;
    }
};

static void say(const std::string &name, int status, const std::string &values = "")
{
    printf("%s\t%d\t%s\n", name.c_str(), status, values.c_str());
    fflush(stdout);
}

struct Options {
    cublasOperation_t ta = CUBLAS_OP_N, tb = CUBLAS_OP_N;
    int row_a = 0, row_b = 0, row_d = 0, batches = 1, m = 16, n = 8, k = 32;
    uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
    cudaDataType scale = CUDA_R_32F;
    int bias_type = -1, aux_type = -1;
};

template <class A, class D, class S, class Bias, class Aux>
static void product(const std::string &name, cudaDataType a_type, cudaDataType d_type, S alpha, S beta, const Options &o, float size = 1)
{
    const int m = o.m, n = o.n, k = o.k;
    Array<A> a(m * k * o.batches, 1, size), b(k * n * o.batches, 2, size);
    Array<D> c(m * n * o.batches, 3, size), d(m * n * o.batches, 4, size);
    Array<Bias> bias(m > n ? m : n, 5);
    Array<Aux> aux(128 * n, 6);
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t la, lb, lc, ld;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
    int count = 0;
    cublasLtMatmulDescCreate(&desc, o.compute, o.scale);
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &o.ta, sizeof o.ta);
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSB, &o.tb, sizeof o.tb);
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &o.epilogue, sizeof o.epilogue);
    if (o.epilogue & (4 | 16 | 256 | 512))
        cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias.at, sizeof bias.at);
    if (o.bias_type >= 0)
        cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, &o.bias_type, sizeof o.bias_type);
    if (o.epilogue & 128) {
        int64_t aux_ld = o.epilogue & (2 | 8) ? 128 : m;
        cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux.at, sizeof aux.at);
        cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &aux_ld, sizeof aux_ld);
    }
    auto layout = [&](cublasLtMatrixLayout_t *l, cudaDataType t, int rows, int cols, int by_rows) {
        const int32_t order = by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
        const int64_t stride = (int64_t)rows * cols;
        cublasLtMatrixLayoutCreate(l, t, rows, cols, by_rows ? cols : rows);
        cublasLtMatrixLayoutSetAttribute(*l, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
        cublasLtMatrixLayoutSetAttribute(*l, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &o.batches, sizeof o.batches);
        cublasLtMatrixLayoutSetAttribute(*l, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride, sizeof stride);
    };
    layout(&la, a_type, o.ta ? k : m, o.ta ? m : k, o.row_a);
    layout(&lb, a_type, o.tb ? n : k, o.tb ? k : n, o.row_b);
    layout(&lc, d_type, m, n, o.row_d);
    layout(&ld, d_type, m, n, o.row_d);
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof room);
    int s = cublasLtMatmulAlgoGetHeuristic(handle, desc, la, lb, lc, ld, preference, 1, &found, &count);
    say(name + ".heuristic", s, std::to_string(s ? 0 : count));
    s = cublasLtMatmul(handle, desc, &alpha, a.at, la, b.at, lb, &beta, c.at, lc, d.at, ld, s ? nullptr : &found.algo, workspace, room, 0);
    std::string values;
    if (!s) {
        values = d.get();
        if (o.epilogue & (16 | 256 | 512))
            values += " " + bias.get();
        if ((o.epilogue & 128) && !(o.epilogue & (8 | 64))) {
            std::string all = aux.get(), part;
            if (o.epilogue & 2) { // bits: 16 bytes a column, of which the first two hold 16 rows
                const unsigned char *bytes = (const unsigned char *)aux.host.data();
                for (int j = 0; j < n; j++)
                    part += " " + std::to_string(bytes[16 * j]) + " " + std::to_string(bytes[16 * j + 1]);
            } else {
                char text[40];
                for (int i = 0; i < m * n; i++) {
                    snprintf(text, sizeof text, " %a", number(aux.host[i]));
                    part += text;
                }
            }
            values += part;
        }
    }
    say(name, s, values);
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatmulDescDestroy(desc);
    for (cublasLtMatrixLayout_t l : {la, lb, lc, ld})
        cublasLtMatrixLayoutDestroy(l);
}

static void epilogues()
{
    const struct {
        const char *name;
        uint32_t bits;
    } all[] = {{"default", 1}, {"relu", 2}, {"relu_aux", 130}, {"bias", 4}, {"relu_bias", 6}, {"relu_aux_bias", 134}, {"drelu", 136}, {"drelu_bgrad", 152},
               {"gelu", 32}, {"gelu_aux", 160}, {"gelu_bias", 36}, {"gelu_aux_bias", 164}, {"dgelu", 192}, {"dgelu_bgrad", 208}, {"bgrada", 256}, {"bgradb", 512},
               {"wrong_3", 3}, {"wrong_1024", 1024}};
    for (const auto &e : all) {
        Options o;
        o.epilogue = e.bits;
        o.ta = CUBLAS_OP_T;
        product<float, float, float, float, float>(std::string("epilogue.float.") + e.name, CUDA_R_32F, CUDA_R_32F, 0.5f, 0.25f, o);
        product<__half, __half, float, __half, __half>(std::string("epilogue.half.") + e.name, CUDA_R_16F, CUDA_R_16F, 0.5f, 0.25f, o);
        product<__nv_bfloat16, __nv_bfloat16, float, __nv_bfloat16, __nv_bfloat16>(std::string("epilogue.bfloat.") + e.name, CUDA_R_16BF, CUDA_R_16BF, 0.5f, 0.25f, o);
    }
}

static void layouts()
{
    for (int bits = 0; bits < 32; bits++) {
        Options o;
        o.ta = bits & 1 ? CUBLAS_OP_T : CUBLAS_OP_N;
        o.tb = bits & 2 ? CUBLAS_OP_T : CUBLAS_OP_N;
        o.row_a = bits >> 2 & 1;
        o.row_b = bits >> 3 & 1;
        o.row_d = bits >> 4 & 1;
        product<float, float, float, float, float>("layout.float." + std::to_string(bits), CUDA_R_32F, CUDA_R_32F, 1.0f, -0.5f, o);
    }
    Options o;
    o.batches = 3;
    product<float, float, float, float, float>("batches.float", CUDA_R_32F, CUDA_R_32F, 1.0f, -0.5f, o);
    o.ta = CUBLAS_OP_T;
    product<__half, __half, float, __half, __half>("batches.half", CUDA_R_16F, CUDA_R_16F, 1.0f, -0.5f, o);
}

static void types()
{
    Options o;
    o.ta = CUBLAS_OP_T;
    product<__half, float, float, float, float>("types.half_float", CUDA_R_16F, CUDA_R_32F, 1.0f, 0.5f, o);
    product<__nv_bfloat16, float, float, float, float>("types.bfloat_float", CUDA_R_16BF, CUDA_R_32F, 1.0f, 0.5f, o);
    product<float, __half, float, float, float>("types.float_half", CUDA_R_32F, CUDA_R_16F, 1.0f, 0.5f, o);
    o.compute = CUBLAS_COMPUTE_16F;
    o.scale = CUDA_R_16F;
    product<__half, __half, __half, __half, __half>("types.half16", CUDA_R_16F, CUDA_R_16F, make<__half>(1), make<__half>(0.5f), o);
    o.compute = CUBLAS_COMPUTE_64F;
    o.scale = CUDA_R_64F;
    product<double, double, double, double, double>("types.double", CUDA_R_64F, CUDA_R_64F, 1.0, 0.5, o);
    o.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
    o.scale = CUDA_R_32F;
    product<float, float, float, float, float>("types.tf32", CUDA_R_32F, CUDA_R_32F, 1.0f, 0.5f, o);
    o.compute = CUBLAS_COMPUTE_32I;
    o.scale = CUDA_R_32I;
    product<signed char, int, int, int, int>("types.int8", CUDA_R_8I, CUDA_R_32I, 1, 0, o, 100);
    o.scale = CUDA_R_32F;
    product<signed char, signed char, float, float, float>("types.int8_scaled", CUDA_R_8I, CUDA_R_8I, 0.001f, 0.0f, o, 100);
    o.compute = CUBLAS_COMPUTE_32F;
    product<float, float, float, float, float>("types.odd", CUDA_R_32F, CUDA_R_32F, 1.0f, 0.5f, [] {
        Options p;
        p.m = 5;
        p.n = 3;
        p.k = 7;
        return p;
    }());
    o.scale = CUDA_R_64F;
    product<float, float, double, float, float>("types.wrong_scale", CUDA_R_32F, CUDA_R_32F, 1.0, 0.5, o);
}

static void misuse()
{
    Array<float> a(1024, 1), b(1024, 2), c(1024, 3);
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t l, other, small;
    float one = 1, zero = 0;
    int32_t four = 4;
    int64_t eight = 8;
    size_t written = 0;
    say("create.desc", cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    say("create.layout", cublasLtMatrixLayoutCreate(&l, CUDA_R_32F, 16, 16, 16));
    say("create.layout.small", cublasLtMatrixLayoutCreate(&small, CUDA_R_32F, 16, 16, 8));
    cublasLtMatrixLayoutCreate(&other, CUDA_R_32F, 16, 12, 16);
    auto multiply = [&](cublasLtMatrixLayout_t la, cublasLtMatrixLayout_t lb, cublasLtMatrixLayout_t ld) {
        return (int)cublasLtMatmul(handle, desc, &one, a.at, la, b.at, lb, &zero, c.at, ld, c.at, ld, nullptr, workspace, room, 0);
    };
    say("misuse.good", multiply(l, l, l));
    say("misuse.ld", multiply(small, l, l));
    say("misuse.k", multiply(other, l, l));
    say("misuse.n", multiply(l, l, other));
    say("misuse.no_workspace", cublasLtMatmul(handle, desc, &one, a.at, l, b.at, l, &zero, c.at, l, c.at, l, nullptr, nullptr, 0, 0));
    say("set.size_small", cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &four, 2));
    say("set.size_large", cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, &eight, 8));
    say("set.unknown", cublasLtMatmulDescSetAttribute(desc, (cublasLtMatmulDescAttributes_t)9, &four, 4));
    say("set.null", cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, nullptr, 4));
    say("set.trans_4", cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &four, 4));
    int s = multiply(l, l, l);
    say("misuse.trans_4", s);
    four = 0;
    cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &four, 4);
    s = cublasLtMatmulDescGetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &four, 4, &written);
    say("get.epilogue", s, std::to_string(four) + " " + std::to_string(written));
    s = cublasLtMatmulDescGetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, nullptr, 0, &written);
    say("get.size", s, std::to_string(written));
    s = cublasLtMatrixLayoutGetAttribute(l, CUBLASLT_MATRIX_LAYOUT_LD, &eight, 4, &written);
    say("get.size_small", s);
    for (int attribute = 0; attribute < 8; attribute++) {
        s = cublasLtMatrixLayoutGetAttribute(l, (cublasLtMatrixLayoutAttribute_t)attribute, nullptr, 0, &written);
        say("layout.size." + std::to_string(attribute), s, std::to_string(written));
    }
    for (int attribute = 0; attribute < 27; attribute++) {
        written = 0;
        s = cublasLtMatmulDescGetAttribute(desc, (cublasLtMatmulDescAttributes_t)attribute, nullptr, 0, &written);
        if (attribute != 9 && attribute != 16)
            say("desc.size." + std::to_string(attribute), s, std::to_string(written));
    }
    say("destroy.null", cublasLtMatmulDescDestroy(nullptr));
    say("null.handle", cublasLtMatmul(nullptr, desc, &one, a.at, l, b.at, l, &zero, c.at, l, c.at, l, nullptr, workspace, room, 0));
}

// Matrices of another order, scaled and added.
static void transforms()
{
    Array<float> a(256, 1), b(256, 2), c(256, 3);
    cublasLtMatrixTransformDesc_t t;
    cublasLtMatrixLayout_t l, rows;
    float one = 1, zero = 0;
    int32_t order = CUBLASLT_ORDER_ROW;
    cublasLtMatrixLayoutCreate(&l, CUDA_R_32F, 16, 16, 16);
    cublasLtMatrixTransformDescCreate(&t, CUDA_R_32F);
    cublasLtMatrixLayoutCreate(&rows, CUDA_R_32F, 16, 16, 16);
    cublasLtMatrixLayoutSetAttribute(rows, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order);
    int s = cublasLtMatrixTransform(handle, t, &one, a.at, l, &zero, nullptr, nullptr, c.at, rows, 0);
    say("transform.order", s, c.get());
    float half = 0.5f;
    s = cublasLtMatrixTransform(handle, t, &one, a.at, l, &half, b.at, l, c.at, l, 0);
    say("transform.sum", s, c.get());
}

int main()
{
    if (cublasLtCreate(&handle)) {
        printf("no cublasLt\n");
        return 1;
    }
    cudaMalloc(&workspace, room);
    epilogues();
    layouts();
    types();
    misuse();
    transforms();
    return 0;
}
