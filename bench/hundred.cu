// A program of about a hundred lines as a newcomer writes it: vector add, saxpy and a reduction, each checked on the
// host. bench/speed.py times `heddle run` of it: the first time (compiling) and again (from the cache).
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                      \
    do {                                                                                 \
        cudaError_t status = (call);                                                     \
        if (status != cudaSuccess) {                                                     \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

__global__ void vector_add(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

__global__ void saxpy(float alpha, const float *x, float *y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = alpha * x[i] + y[i];
}

__global__ void block_sum(const float *in, float *out, int n) {
    __shared__ float part[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? in[i] : 0.0f;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step /= 2) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

static int compare(const char *what, const std::vector<float> &got, const std::vector<float> &want) {
    int bad = 0;
    for (size_t i = 0; i < want.size(); i++)
        if (std::fabs(got[i] - want[i]) > 1e-4f * (1.0f + std::fabs(want[i]))) bad++;
    printf("%-12s %s\n", what, bad ? "differs" : "ok");
    return bad;
}

int main() {
    const int n = 100000, threads = 256, blocks = (n + threads - 1) / threads;
    const size_t bytes = n * sizeof(float);
    std::vector<float> a(n), b(n), c(n), want(n);
    for (int i = 0; i < n; i++) {
        a[i] = 0.5f * (i % 100);
        b[i] = 0.25f * (i % 37);
    }

    float *da, *db, *dc, *dsum;
    CHECK(cudaMalloc(&da, bytes));
    CHECK(cudaMalloc(&db, bytes));
    CHECK(cudaMalloc(&dc, bytes));
    CHECK(cudaMalloc(&dsum, blocks * sizeof(float)));
    CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));

    int bad = 0;
    vector_add<<<blocks, threads>>>(da, db, dc, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) want[i] = a[i] + b[i];
    bad += compare("vector_add", c, want);

    saxpy<<<64, threads>>>(2.0f, da, db, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c.data(), db, bytes, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) want[i] = 2.0f * a[i] + b[i];
    bad += compare("saxpy", c, want);

    block_sum<<<blocks, threads>>>(da, dsum, n);
    CHECK(cudaGetLastError());
    std::vector<float> sums(blocks), want_sums(blocks, 0.0f);
    CHECK(cudaMemcpy(sums.data(), dsum, blocks * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) want_sums[i / threads] += a[i];
    bad += compare("block_sum", sums, want_sums);

    CHECK(cudaFree(da));
    CHECK(cudaFree(db));
    CHECK(cudaFree(dc));
    CHECK(cudaFree(dsum));
    puts(bad ? "FAILED" : "PASSED");
    return bad != 0;
}
