// Prices of options: closed form, binomial tree, Monte Carlo with a generator of its own, implied volatility by Newton's method.
// Built with --use_fast_math.
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <cuda_runtime.h>

const float RISKFREE = 0.02f;
const float VOLATILITY = 0.30f;

__device__ inline float cndGPU(float d)
{
    const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
    const float RSQRT2PI = 0.39894228040143267793994605993438f;
    float K = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float cnd = RSQRT2PI * expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
    if (d > 0)
        cnd = 1.0f - cnd;
    return cnd;
}

__launch_bounds__(128)
__global__ void closedForm(float2 *__restrict__ call, float2 *__restrict__ put, const float2 *__restrict__ price,
                           const float2 *__restrict__ strike, const float2 *__restrict__ years, int pairs)
{
    const int opt = blockDim.x * blockIdx.x + threadIdx.x;
    if (opt >= pairs)
        return;
    float c[2], p[2];
    float2 S2 = price[opt], X2 = strike[opt], T2 = years[opt];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        float S = i ? S2.y : S2.x, X = i ? X2.y : X2.x, T = i ? T2.y : T2.x;
        float sqrtT = sqrtf(T);
        float d1 = (logf(S / X) + (RISKFREE + 0.5f * VOLATILITY * VOLATILITY) * T) / (VOLATILITY * sqrtT);
        float d2 = d1 - VOLATILITY * sqrtT;
        float n1 = cndGPU(d1), n2 = cndGPU(d2);
        float e = expf(-RISKFREE * T);
        c[i] = S * n1 - X * e * n2;
        p[i] = X * e * (1.0f - n2) - S * (1.0f - n1);
    }
    call[opt] = make_float2(c[0], c[1]);
    put[opt] = make_float2(p[0], p[1]);
}

#define STEPS 24
__global__ void binomialTree(const float *price, const float *strike, const float *years, float *value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float dt = years[i] / STEPS;
    float vdt = VOLATILITY * sqrtf(dt);
    float u = expf(vdt), d = expf(-vdt);
    float grow = expf(RISKFREE * dt), disc = 1.0f / grow;
    float pu = (grow - d) / (u - d);
    float v[STEPS + 1];
    for (int j = 0; j <= STEPS; j++) {
        float s = price[i] * expf(vdt * (2.0f * j - STEPS));
        v[j] = fmaxf(s - strike[i], 0.0f);
    }
    for (int k = STEPS; k > 0; k--)
        for (int j = 0; j < k; j++)
            v[j] = disc * (pu * v[j + 1] + (1.0f - pu) * v[j]);
    value[i] = v[0];
}

__host__ __device__ inline unsigned hash32(unsigned x)
{
    x ^= x >> 16; x *= 0x7feb352du;
    x ^= x >> 15; x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

__global__ void monteCarlo(float S, float X, float T, int paths, float *sums)
{
    __shared__ float part[8];
    unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    float mu = (RISKFREE - 0.5f * VOLATILITY * VOLATILITY) * T, sd = VOLATILITY * sqrtf(T), sum = 0.0f;
    for (int p = 0; p < paths; p += 2) {
        float u1 = (hash32(id * 977u + p) + 1.0f) * 2.3283064e-10f, u2 = hash32(id * 977u + p + 1) * 2.3283064e-10f;
        float r = sqrtf(-2.0f * logf(u1)), si, co;
        sincosf(6.2831853f * u2, &si, &co);
        float a = S * expf(mu + sd * r * co) - X, b = S * expf(mu + sd * r * si) - X;
        sum += (a > 0 ? a : 0) + (b > 0 ? b : 0);
    }
    for (int m = 16; m; m >>= 1)
        sum += __shfl_xor_sync(~0u, sum, m);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++)
            sum += part[w];
        sums[blockIdx.x] = sum;
    }
}

__global__ void impliedVolatility(const float *price, const float *strike, const float *years, const float *quote, float *sigma, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float S = price[i], X = strike[i], T = years[i], v = 0.5f, root = sqrtf(T), discounted = X * expf(-RISKFREE * T);
        for (int it = 0; it < 6; it++) {
            float d1 = (__logf(S / X) + (RISKFREE + 0.5f * v * v) * T) / (v * root);
            float d2 = d1 - v * root;
            float model = S * normcdff(d1) - discounted * normcdff(d2);
            float vega = S * root * 0.39894228f * __expf(-0.5f * d1 * d1);
            v -= __fdividef(model - quote[i], fmaxf(vega, 1e-3f));
            v = fminf(fmaxf(v, 0.01f), 2.0f);
        }
        sigma[i] = v;
    }
}

static double cnd(double d) { return 0.5 * erfc(-d / sqrt(2.0)); }
static double bs(double S, double X, double T, double v)
{
    double d1 = (log(S / X) + (RISKFREE + 0.5 * v * v) * T) / (v * sqrt(T));
    return S * cnd(d1) - X * exp(-RISKFREE * T) * cnd(d1 - v * sqrt(T));
}

int main(int argc, char **argv)
{
    const int n = 5000, bytes = n * sizeof(float);
    float *h[7], *d[7];
    for (int k = 0; k < 7; k++) {
        h[k] = (float *)calloc(n, sizeof(float));
        if (cudaMalloc((void **)&d[k], bytes) != cudaSuccess) return 1;
    }
    for (int i = 0; i < n; i++) {
        h[0][i] = 40.0f + (i * 7919 % 1000) * 0.02f;
        h[1][i] = 38.0f + (i * 104729 % 1000) * 0.02f;
        h[2][i] = 0.5f + (i % 97) * 0.03f;
        h[3][i] = (float)bs(h[0][i], h[1][i], h[2][i], 0.2 + (i % 31) * 0.01);
    }
    for (int k = 0; k < 4; k++)
        cudaMemcpy(d[k], h[k], bytes, cudaMemcpyHostToDevice);
    closedForm<<<(n / 2 + 127) / 128, 128>>>((float2 *)d[4], (float2 *)d[5], (float2 *)d[0], (float2 *)d[1], (float2 *)d[2], n / 2);
    cudaMemcpy(h[4], d[4], bytes, cudaMemcpyDeviceToHost);
    cudaMemcpy(h[5], d[5], bytes, cudaMemcpyDeviceToHost);
    binomialTree<<<(1000 + 63) / 64, 64>>>(d[0], d[1], d[2], d[6], 1000);
    cudaMemcpy(h[6], d[6], 4000, cudaMemcpyDeviceToHost);
    long bad = 0;
    for (int i = 0; i < n; i++) {
        double c = bs(h[0][i], h[1][i], h[2][i], VOLATILITY), p = c - h[0][i] + h[1][i] * exp(-RISKFREE * h[2][i]);
        bad += fabs(c - h[4][i]) > 2e-3 || fabs(p - h[5][i]) > 2e-3;
        bad += i < 1000 && fabs(c - h[6][i]) > 0.25;
    }
    impliedVolatility<<<13, 160>>>(d[0], d[1], d[2], d[3], d[6], n);
    cudaMemcpy(h[6], d[6], bytes, cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        bad += fabs(h[6][i] - (0.2 + (i % 31) * 0.01)) > 5e-3;
    const int blocks = 40, threads = 128, paths = 64;
    monteCarlo<<<blocks, threads>>>(42.0f, 40.0f, 1.0f, paths, d[6]);
    if (cudaMemcpy(h[6], d[6], blocks * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
    double mean = 0;
    for (int b = 0; b < blocks; b++)
        mean += h[6][b];
    mean *= exp(-RISKFREE) / ((double)blocks * threads * paths);
    bad += fabs(mean - bs(42, 40, 1, VOLATILITY)) > 0.1;
    printf("mean %.4f, closed form %.4f\n%s\n", mean, bs(42, 40, 1, VOLATILITY), bad ? "FAILED" : "PASSED");
    return bad != 0;
}
