// cublasLt as a transformer uses it: a product with bias, GELU and what went into it, its gradient, orders of layouts, pointers in device memory. 77: no BLAS here.
#include <cublasLt.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "check.h"

enum { M = 6, N = 5, K = 4 };

static float noise(int i) { return (float)((unsigned)(i + 1) * 2654435761u >> 20) / 2048 - 1; }

struct Array {
    std::vector<float> host;
    float *at;
    Array(int n, int seed) : host(n)
    {
        for (int i = 0; i < n; i++)
            host[i] = noise(seed + i);
        cudaMalloc((void **)&at, 4 * n);
        cudaMemcpy(at, host.data(), 4 * n, cudaMemcpyHostToDevice);
    }
    ~Array() { cudaFree(at); }
    std::vector<float> get()
    {
        std::vector<float> v(host.size());
        cudaMemcpy(v.data(), at, 4 * v.size(), cudaMemcpyDeviceToHost);
        return v;
    }
};

static double gelu(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }
static double slope(double x) { return (gelu(x + 1e-5) - gelu(x - 1e-5)) / 2e-5; }

/* Half of a matrix turned and by rows, and a third of another. */
static void transforms(cublasLtHandle_t h)
{
    Array a(M * N, 1), b(M * N, 2), c(M * N, 3);
    cublasLtMatrixTransformDesc_t t;
    cublasLtMatrixLayout_t la, lb, lc;
    int32_t rows = CUBLASLT_ORDER_ROW, turned = CUBLAS_OP_T, back = -1;
    size_t bytes = 0;
    float half = 0.5f, third = 0.25f;
    CHECK(!cublasLtMatrixTransformDescCreate(&t, CUDA_R_32F));
    CHECK(!cublasLtMatrixTransformDescSetAttribute(t, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &turned, sizeof turned));
    CHECK(!cublasLtMatrixTransformDescGetAttribute(t, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &back, sizeof back, &bytes) && back == turned && bytes == 4);
    cublasLtMatrixLayoutCreate(&la, CUDA_R_32F, N, M, N);
    cublasLtMatrixLayoutCreate(&lb, CUDA_R_32F, M, N, M);
    cublasLtMatrixLayoutCreate(&lc, CUDA_R_32F, M, N, N);
    CHECK(!cublasLtMatrixLayoutSetAttribute(lc, CUBLASLT_MATRIX_LAYOUT_ORDER, &rows, sizeof rows));
    CHECK(!cublasLtMatrixTransform(h, t, &half, a.at, la, &third, b.at, lb, c.at, lc, 0));
    std::vector<float> got = c.get();
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            CHECK(std::fabs(got[i * N + j] - (0.5f * a.host[j + N * i] + 0.25f * b.host[i + M * j])) < 1e-6);
    CHECK(!cublasLtMatrixTransformDescDestroy(t));
    for (cublasLtMatrixLayout_t l : {la, lb, lc})
        cublasLtMatrixLayoutDestroy(l);
}

/* Descriptors of the program's own, the one algorithm, and what changes nothing. */
static void settings(cublasLtHandle_t h)
{
    cublasLtMatmulDescOpaque_t desc;
    cublasLtMatrixLayoutOpaque_t l;
    cublasLtMatmulPreferenceOpaque_t preference;
    cublasLtMatrixTransformDescOpaque_t t;
    cublasLtMatmulAlgo_t algorithm;
    cublasLtMatmulHeuristicResult_t found;
    int ids[4], count = 0, n = 0;
    int32_t value = 7;
    uint64_t bytes = 5, room = 1 << 20;
    size_t written = 0, capacity = 0;
    CHECK(!cublasLtMatmulDescInit(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F) && !cublasLtMatrixLayoutInit(&l, CUDA_R_32F, 4, 4, 4));
    CHECK(!cublasLtMatmulPreferenceInit(&preference) && !cublasLtMatrixTransformDescInit(&t, CUDA_R_32F));
    CHECK(cublasLtMatmulDescInit_internal(&desc, 4, CUBLAS_COMPUTE_32F, CUDA_R_32F) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasLtMatrixLayoutInit_internal(&l, 4, CUDA_R_32F, 4, 4, 4) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasLtMatmulPreferenceInit_internal(&preference, 4) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(cublasLtMatrixTransformDescInit_internal(&t, 4, CUDA_R_32F) == CUBLAS_STATUS_INVALID_VALUE);
    CHECK(!cublasLtMatmulPreferenceSetAttribute(&preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &room, sizeof room));
    CHECK(!cublasLtMatmulPreferenceGetAttribute(&preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes, &written) && bytes == room && written == 8);
    CHECK(!cublasLtMatmulAlgoGetIds(h, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 4, ids, &count) && count == 1);
    CHECK(!cublasLtMatmulAlgoInit(h, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, ids[0], &algorithm));
    CHECK(!cublasLtMatmulAlgoCheck(h, &desc, &l, &l, &l, &l, &algorithm, &found) && found.workspaceSize == 0 && found.state == CUBLAS_STATUS_SUCCESS);
    CHECK(!cublasLtMatmulAlgoCapGetAttribute(&algorithm, CUBLASLT_ALGO_CAP_STRIDED_BATCH_SUPPORT, &value, sizeof value, &written) && value == 1);
    CHECK(!cublasLtMatmulAlgoConfigSetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &value, sizeof value));
    CHECK(!cublasLtMatmulAlgoConfigGetAttribute(&algorithm, CUBLASLT_ALGO_CONFIG_ID, &value, sizeof value, &written) && value == 0);
    CHECK(!cublasLtHeuristicsCacheSetCapacity(16) && !cublasLtHeuristicsCacheGetCapacity(&capacity) && capacity == 16);
    CHECK(cublasLtDisableCpuInstructionsSetMask(0) == 0 && cublasLtGetVersion() == CUBLAS_VERSION && cublasLtGetCudartVersion() >= 12000);
    CHECK(!cublasLtGetProperty(MAJOR_VERSION, &n) && n == 12 && !strcmp(cublasLtGetStatusName(CUBLAS_STATUS_SUCCESS), "CUBLAS_STATUS_SUCCESS"));
    CHECK(!strcmp(cublasLtGetStatusString(CUBLAS_STATUS_SUCCESS), "success"));
    CHECK(!cublasLtLoggerSetCallback(NULL) && !cublasLtLoggerSetFile(NULL) && !cublasLtLoggerOpenFile(NULL) && !cublasLtLoggerSetLevel(0));
    CHECK(!cublasLtLoggerSetMask(0) && !cublasLtLoggerForceDisable());
}

int main()
{
    cublasLtHandle_t h;
    if (cublasLtCreate(&h) == CUBLAS_STATUS_NOT_INITIALIZED)
        return 77;
    Array a(M * K, 1), b(K * N, 100), d(M * N, 200), bias(M, 300), aux(M * N, 400), scale(2, 500);
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t la, lb, ld;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
    int count = 0;
    const cublasOperation_t turned = CUBLAS_OP_T;
    uint32_t epilogue = CUBLASLT_EPILOGUE_GELU_AUX_BIAS;
    int64_t aux_ld = M;
    CHECK(!cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    CHECK(!cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &turned, sizeof turned));
    CHECK(!cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    CHECK(!cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias.at, sizeof bias.at));
    CHECK(!cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, &aux.at, sizeof aux.at));
    CHECK(!cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &aux_ld, sizeof aux_ld));
    CHECK(!cublasLtMatrixLayoutCreate(&la, CUDA_R_32F, K, M, K) && !cublasLtMatrixLayoutCreate(&lb, CUDA_R_32F, K, N, K) && !cublasLtMatrixLayoutCreate(&ld, CUDA_R_32F, M, N, M));
    CHECK(!cublasLtMatmulPreferenceCreate(&preference));
    CHECK(!cublasLtMatmulAlgoGetHeuristic(h, desc, la, lb, ld, ld, preference, 1, &found, &count) && count == 1 && found.workspaceSize == 0);
    float one = 1, zero = 0;
    CHECK(!cublasLtMatmul(h, desc, &one, a.at, la, b.at, lb, &zero, d.at, ld, d.at, ld, &found.algo, NULL, 0, 0));
    std::vector<float> out = d.get(), before = aux.get(), products(M * N);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = bias.host[i];
            for (int k = 0; k < K; k++)
                sum += a.host[k + K * i] * b.host[k + K * j];
            products[i + M * j] = (float)sum;
            CHECK(std::fabs(before[i + M * j] - sum) < 1e-5 && std::fabs(out[i + M * j] - gelu(sum)) < 1e-5);
        }
    // the gradient: what comes from behind, times the slope where the product was; by factors in device memory, and a layout by rows
    float factors[2] = {2, 0};
    cudaMemcpy(scale.at, factors, 8, cudaMemcpyHostToDevice);
    int32_t device = CUBLASLT_POINTER_MODE_DEVICE, rows = CUBLASLT_ORDER_ROW;
    int64_t by_rows = N;
    epilogue = CUBLASLT_EPILOGUE_DGELU;
    CHECK(!cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue));
    CHECK(!cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_POINTER_MODE, &device, sizeof device));
    CHECK(!cublasLtMatrixLayoutSetAttribute(ld, CUBLASLT_MATRIX_LAYOUT_ORDER, &rows, sizeof rows) && !cublasLtMatrixLayoutSetAttribute(ld, CUBLASLT_MATRIX_LAYOUT_LD, &by_rows, sizeof by_rows));
    CHECK(!cublasLtMatmul(h, desc, scale.at, a.at, la, b.at, lb, scale.at + 1, d.at, ld, d.at, ld, NULL, NULL, 0, 0));
    out = d.get();
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            CHECK(std::fabs(out[i * N + j] - 2 * (products[i + M * j] - bias.host[i]) * slope(before[i + M * j])) < 1e-4);
    transforms(h);
    settings(h);
    int32_t tiles = CUBLASLT_ORDER_COL32;
    CHECK(!cublasLtMatrixLayoutSetAttribute(la, CUBLASLT_MATRIX_LAYOUT_ORDER, &tiles, sizeof tiles));
    CHECK(cublasLtMatmulAlgoGetHeuristic(h, desc, la, lb, ld, ld, preference, 1, &found, &count) == CUBLAS_STATUS_NOT_SUPPORTED && count == 0);
    CHECK(!cublasLtMatmulDescDestroy(desc) && !cublasLtMatrixLayoutDestroy(la) && !cublasLtMatrixLayoutDestroy(lb) && !cublasLtMatrixLayoutDestroy(ld));
    CHECK(!cublasLtMatmulPreferenceDestroy(preference) && !cublasLtDestroy(h) && cudaDeviceSynchronize() == cudaSuccess);
    printf(failures ? "FAILED\n" : "PASSED\n");
    return failures != 0;
}
