// Pairwise alignment and hidden Markov models: affine-gap local alignment, time warping, Viterbi, forward algorithm.
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("%s: %s\n", #x, cudaGetErrorString(e_)); exit(1); } } while (0)

constexpr int QLEN = 128, TLEN = 160, PAIRS = 96;
constexpr int GAP_OPEN = 11, GAP_EXT = 1;
__constant__ signed char c_score[16];

__global__ void __launch_bounds__(QLEN) gotoh_local(const unsigned char *__restrict__ query, const unsigned char *__restrict__ target,
                                                    int *__restrict__ best)
{
    __shared__ int sh[2][QLEN + 1], sf[2][QLEN + 1];
    __shared__ int red[QLEN / 32];
    __shared__ unsigned char st[TLEN];
    const int i = threadIdx.x, pair = blockIdx.x;
    const int q = query[pair * QLEN + i];
    for (int k = i; k < TLEN; k += QLEN) st[k] = target[pair * TLEN + k];
    for (int b = 0; b < 2; b++) {
        sh[b][i + 1] = 0; sf[b][i + 1] = -1000;
        if (i == 0) { sh[b][0] = 0; sf[b][0] = -1000; }
    }
    __syncthreads();
    int left = 0, e = -1000, diag = 0, top = 0;
    for (int d = 0; d < QLEN + TLEN - 1; d++) {
        const int j = d - i, cur = d & 1;
        int h = 0, f = -1000;
        if (j >= 0 && j < TLEN) {
            const int up = sh[cur ^ 1][i];
            f = max(up - GAP_OPEN, sf[cur ^ 1][i] - GAP_EXT);
            e = max(left - GAP_OPEN, e - GAP_EXT);
            h = max(max(0, diag + c_score[q * 4 + st[j]]), max(e, f));
            diag = up;
            left = h;
            top = max(top, h);
        }
        sh[cur][i + 1] = h;
        sf[cur][i + 1] = f;
        __syncthreads();
    }
    for (int o = 16; o; o >>= 1) top = max(top, __shfl_down_sync(~0u, top, o));
    if ((i & 31) == 0) red[i >> 5] = top;
    __syncthreads();
    if (i == 0) {
        for (int w = 1; w < QLEN / 32; w++) top = max(top, red[w]);
        best[pair] = top;
    }
}

// one warp for each window of the long series; lane i has row i of the table
__global__ void dtw_windows(const float *__restrict__ pattern, const float *__restrict__ series, int windows, int width, float *out)
{
    const int lane = threadIdx.x & 31, w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (w >= windows) return;
    const float p = pattern[lane];
    const float *s = series + w * 4;
    float mine = INFINITY, above, corner = lane == 0 ? 0.0f : INFINITY;
    for (int d = 0; d < width + 31; d++) {
        above = __shfl_up_sync(0xffffffffu, mine, 1);
        if (lane == 0) above = INFINITY;
        const int j = d - lane;
        if (j >= 0 && j < width) {
            const float cost = fabsf(p - s[j]);
            mine = cost + fminf(fminf(mine, above), corner);
            corner = above;
        } else if (j < 0) {
            corner = lane ? above : 0.0f;
        }
    }
    if (lane == 31) out[w] = mine;
}

template <int S>
__global__ void viterbi(const float *__restrict__ trans, const float *__restrict__ emit, const int *__restrict__ obs, int steps, int symbols,
                        unsigned char *back, unsigned char *path)
{
    __shared__ float a[S][S + 1];
    __shared__ float v[2][S];
    const int s = threadIdx.x, seq = blockIdx.x;
    for (int k = 0; k < S; k++) a[k][s] = trans[k * S + s];
    v[0][s] = emit[s * symbols + obs[seq * steps]];
    __syncthreads();
    unsigned char *b = back + (size_t)seq * steps * S;
    for (int t = 1; t < steps; t++) {
        const float *old = v[(t - 1) & 1];
        float top = old[0] + a[0][s];
        int from = 0;
#pragma unroll 8
        for (int k = 1; k < S; k++) {
            const float x = old[k] + a[k][s];
            if (x > top) { top = x; from = k; }
        }
        v[t & 1][s] = top + emit[s * symbols + obs[seq * steps + t]];
        b[t * S + s] = (unsigned char)from;
        __syncthreads();
    }
    if (s == 0) {
        const float *last = v[(steps - 1) & 1];
        int z = 0;
        for (int k = 1; k < S; k++) if (last[k] > last[z]) z = k;
        for (int t = steps - 1; t >= 0; t--) {
            path[seq * steps + t] = (unsigned char)z;
            if (t) z = b[t * S + z];
        }
    }
}

__device__ __forceinline__ float warp_total(float x)
{
    for (int o = 16; o > 0; o >>= 1) x += __shfl_xor_sync(0xffffffffu, x, o);
    return x;
}

__global__ void hmm_forward(const float *__restrict__ logTrans, const float *__restrict__ logEmit, const int *__restrict__ obs, int steps, int symbols,
                            int sequences, float *loglik)
{
    const int lane = threadIdx.x, seq = blockIdx.x * blockDim.y + threadIdx.y;
    if (seq >= sequences) return;
    float row[32];
#pragma unroll
    for (int k = 0; k < 32; k++) row[k] = expf(logTrans[k * 32 + lane]);
    float alpha = expf(logEmit[lane * symbols + obs[seq * steps]]) * (1.0f / 32), ll = 0;
    for (int t = 0;;) {
        const float z = warp_total(alpha);
        ll += logf(z);
        alpha /= z;
        if (++t == steps) break;
        float next = 0;
#pragma unroll
        for (int k = 0; k < 32; k++) next = fmaf(__shfl_sync(0xffffffffu, alpha, k), row[k], next);
        alpha = next * expf(logEmit[lane * symbols + obs[seq * steps + t]]);
    }
    if (lane == 0) loglik[seq] = ll;
}

template <class T> T *up(const std::vector<T> &h) { T *d; CK(cudaMalloc(&d, h.size() * sizeof(T))); CK(cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice)); return d; }
template <class T> std::vector<T> down(const T *d, size_t n) { std::vector<T> h(n); CK(cudaMemcpy(h.data(), d, n * sizeof(T), cudaMemcpyDeviceToHost)); return h; }

int main()
{
    srand(11);
    bool ok = true;
    signed char score[16];
    for (int i = 0; i < 16; i++) score[i] = i / 4 == i % 4 ? 5 : -4;
    CK(cudaMemcpyToSymbol(c_score, score, 16));
    std::vector<unsigned char> q(PAIRS * QLEN), t(PAIRS * TLEN);
    for (auto &c : q) c = rand() & 3;
    for (int p = 0; p < PAIRS; p++)
        for (int j = 0; j < TLEN; j++) t[p * TLEN + j] = rand() % 5 && j >= 16 && j < 140 ? q[p * QLEN + j - 16 + (j > 80 ? 3 : 0)] : rand() & 3;
    int *best; CK(cudaMalloc(&best, PAIRS * sizeof(int)));
    gotoh_local<<<PAIRS, QLEN>>>(up(q), up(t), best);
    auto hb = down(best, PAIRS);
    for (int p = 0; p < PAIRS; p++) {
        std::vector<int> H((QLEN + 1) * (TLEN + 1)), E(H.size(), -1000), F(H.size(), -1000);
        int top = 0, W = TLEN + 1;
        for (int i = 1; i <= QLEN; i++)
            for (int j = 1; j <= TLEN; j++) {
                E[i * W + j] = std::max(H[i * W + j - 1] - GAP_OPEN, E[i * W + j - 1] - GAP_EXT);
                F[i * W + j] = std::max(H[(i - 1) * W + j] - GAP_OPEN, F[(i - 1) * W + j] - GAP_EXT);
                H[i * W + j] = std::max(std::max(0, H[(i - 1) * W + j - 1] + score[q[p * QLEN + i - 1] * 4 + t[p * TLEN + j - 1]]), std::max(E[i * W + j], F[i * W + j]));
                top = std::max(top, H[i * W + j]);
            }
        ok &= top == hb[p];
    }
    if (!ok) puts("gotoh");
    const int windows = 700, width = 48;
    std::vector<float> pat(32), ser(windows * 4 + width);
    for (auto &x : pat) x = rand() % 1000 / 500.0f;
    for (auto &x : ser) x = rand() % 1000 / 500.0f;
    float *dt; CK(cudaMalloc(&dt, windows * 4));
    dtw_windows<<<(windows + 3) / 4, 128>>>(up(pat), up(ser), windows, width, dt);
    auto hd = down(dt, windows);
    for (int w = 0; w < windows; w++) {
        std::vector<float> D(33 * (width + 1), INFINITY); D[0] = 0;
        for (int i = 1; i <= 32; i++)
            for (int j = 1; j <= width; j++)
                D[i * (width + 1) + j] = fabsf(pat[i - 1] - ser[w * 4 + j - 1]) + std::min({D[(i - 1) * (width + 1) + j], D[i * (width + 1) + j - 1], D[(i - 1) * (width + 1) + j - 1]});
        if (fabsf(D[32 * (width + 1) + width] - hd[w]) > 1e-3f) { printf("dtw %d %g %g\n", w, D[32 * (width + 1) + width], hd[w]); ok = false; break; }
    }
    const int S = 32, M = 12, steps = 40, seqs = 150;
    std::vector<float> tr(S * S), em(S * M);
    for (int i = 0; i < S; i++) { float z = 0; for (int j = 0; j < S; j++) z += tr[i * S + j] = 1 + rand() % 997; for (int j = 0; j < S; j++) tr[i * S + j] = logf(tr[i * S + j] / z); }
    for (int i = 0; i < S; i++) { float z = 0; for (int j = 0; j < M; j++) z += em[i * M + j] = 1 + rand() % 991; for (int j = 0; j < M; j++) em[i * M + j] = logf(em[i * M + j] / z); }
    std::vector<int> obs(seqs * steps);
    for (auto &o : obs) o = rand() % M;
    float *dtr = up(tr), *dem = up(em), *ll; int *dobs = up(obs);
    unsigned char *back, *path;
    CK(cudaMalloc(&back, seqs * steps * S)); CK(cudaMalloc(&path, seqs * steps)); CK(cudaMalloc(&ll, seqs * 4));
    viterbi<S><<<seqs, S>>>(dtr, dem, dobs, steps, M, back, path);
    hmm_forward<<<(seqs + 3) / 4, dim3(32, 4)>>>(dtr, dem, dobs, steps, M, seqs, ll);
    auto hp = down(path, seqs * steps); auto hl = down(ll, seqs);
    for (int s = 0; s < seqs; s++) {
        std::vector<float> v(S), n(S); std::vector<double> al(S), nx(S);
        double l = 0;
        for (int k = 0; k < S; k++) { v[k] = em[k * M + obs[s * steps]]; al[k] = exp(v[k]) / S; }
        for (int t2 = 1; t2 < steps; t2++) {
            for (int k = 0; k < S; k++) {
                float b = -1e30f; nx[k] = 0;
                for (int f = 0; f < S; f++) { b = std::max(b, v[f] + tr[f * S + k]); nx[k] += al[f] * exp(tr[f * S + k]); }
                n[k] = b + em[k * M + obs[s * steps + t2]]; nx[k] *= exp(em[k * M + obs[s * steps + t2]]);
            }
            v = n; al = nx;
        }
        double z = 0; for (double x : al) z += x; l = log(z);
        float top = *std::max_element(v.begin(), v.end()), sum = em[hp[s * steps] * M + obs[s * steps]];
        for (int t2 = 1; t2 < steps; t2++) sum += tr[hp[s * steps + t2 - 1] * S + hp[s * steps + t2]] + em[hp[s * steps + t2] * M + obs[s * steps + t2]];
        if (fabsf(sum - top) > 0.01f || fabs(l - hl[s]) > 0.01) { printf("hmm %d: %g %g, %g %g\n", s, sum, top, l, hl[s]); ok = false; break; }
    }
    CK(cudaDeviceSynchronize());
    puts(ok ? "PASSED" : "FAILED");
    return !ok;
}
