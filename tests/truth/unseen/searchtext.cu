// Exact and approximate string matching: Knuth-Morris-Pratt, Horspool, Aho-Corasick, rolling hash, bit-parallel Shift-And with errors.
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>
#include <queue>
#include <cuda_runtime.h>

constexpr int MAXP = 64;
__constant__ char pat[MAXP];
__constant__ int fail[MAXP + 1];
__constant__ unsigned char skip[256];

__global__ void kmp_segments(const char *__restrict__ text, int n, int m, int segment, int *__restrict__ hits)
{
    const int id = blockIdx.x * blockDim.x + threadIdx.x;
    const int begin = id * segment, end = min(begin + segment + m - 1, n);
    int count = 0, j = 0;
    for (int i = begin; i < end; i++) {
        const char c = text[i];
        while (j > 0 && (j == m || pat[j] != c)) j = fail[j];
        if (pat[j] == c) j++;
        if (j == m) count++;
    }
    hits[id] = count;
}

__global__ void horspool_shared(const char *__restrict__ text, int n, int m, int chunk, int *__restrict__ firstHit)
{
    extern __shared__ char window[];
    const int start = blockIdx.x * chunk, len = min(chunk + m - 1, n - start), per = (chunk + blockDim.x - 1) / blockDim.x;
    for (int i = threadIdx.x; i < len; i += blockDim.x) window[i] = text[start + i];
    __syncthreads();
    const int lo = threadIdx.x * per, hi = min(lo + per, len - m + 1);
    int found = 0x7fffffff;
    for (int p = lo; p < hi;) {
        int k = m - 1;
        while (k >= 0 && window[p + k] == pat[k]) k--;
        if (k < 0) { found = start + p; break; }
        p += skip[(unsigned char)window[p + m - 1]];
    }
    found = __reduce_min_sync(0xffffffffu, found);
    if ((threadIdx.x & 31) == 0) firstHit[(blockIdx.x * blockDim.x + threadIdx.x) >> 5] = found;
}

// texts of different lengths; the automaton's rows are 32 letters wide
__global__ void aho_corasick(const char *__restrict__ pool, const int *__restrict__ offsets, int texts, const short *__restrict__ delta, const unsigned *__restrict__ output, unsigned *__restrict__ seen, int *__restrict__ total)
{
    const int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= texts) return;
    unsigned mask = 0;
    int state = 0, count = 0;
    for (int i = offsets[t]; i < offsets[t + 1]; i++) {
        state = delta[state * 32 + (pool[i] & 31)];
        const unsigned o = output[state];
        if (o) { mask |= o; count += __popc(o); }
    }
    seen[t] = mask;
    total[t] = count;
}

template <uint32_t BASE, uint32_t MOD>
__global__ void rolling_fingerprints(const char *__restrict__ text, int n, int m, uint32_t top, int perThread, uint32_t *__restrict__ minimum)
{
    const int s = (blockIdx.x * blockDim.x + threadIdx.x) * perThread;
    if (s + m > n) return;
    uint32_t h = 0;
    for (int i = 0; i < m; i++) h = (uint32_t)(((uint64_t)h * BASE + (unsigned char)text[s + i]) % MOD);
    uint32_t best = h;
    for (int k = 1; k < perThread && s + k + m <= n; k++) {
        h = (uint32_t)((h + (uint64_t)(MOD - (unsigned char)text[s + k - 1]) * top) % MOD);
        h = (uint32_t)(((uint64_t)h * BASE + (unsigned char)text[s + k + m - 1]) % MOD);
        best = min(best, h);
    }
    minimum[s / perThread] = best;
}

template <int ERRORS>
__global__ void shift_and_mismatches(const char *__restrict__ text, int n, int m, const uint64_t *__restrict__ masks, int perThread, uint64_t *__restrict__ best)
{
    __shared__ uint64_t mask[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) mask[i] = masks[i];
    __syncthreads();
    const int id = blockIdx.x * blockDim.x + threadIdx.x, s = id * perThread;
    uint64_t r[ERRORS + 1] = {}, tally = 0;
    for (int i = s; i < min(s + perThread + m - 1, n); i++) {
        const uint64_t c = mask[(unsigned char)text[i]];
        uint64_t lower = ~0ull;
#pragma unroll
        for (int e = 0; e <= ERRORS; e++) {
            const uint64_t old = r[e];
            r[e] = ((old << 1 | 1) & c) | (e ? lower << 1 | 1 : 0);
            lower = old;
            if (i - s >= m - 1 && (r[e] >> (m - 1) & 1)) { tally += 1ull << (16 * e); break; }
        }
        // levels above a hit have one too; they must be stepped all the same
        for (int e = 1; e <= ERRORS; e++) r[e] |= r[e - 1];
    }
    best[id] = tally;
}

template <class T> struct Dev { T *p; Dev(const T *h, size_t n) { cudaMalloc(&p, n * sizeof(T)); if (h) cudaMemcpy(p, h, n * sizeof(T), cudaMemcpyHostToDevice); } operator T *() { return p; } };
template <class T> std::vector<T> fetch(T *p, size_t n) { std::vector<T> v(n); if (cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess) puts("copy failed"); return v; }

int main()
{
    bool ok = true;
    const int n = 240000;
    std::string text(n, ' ');
    unsigned s = 7;
    for (int i = 0; i < n; i++) { s = s * 1103515245 + 12345; text[i] = 'a' + (s >> 20) % 3; }
    const std::string p = "abacababca"; const int m = p.size();
    for (int i = 100; i + m < n; i += 1733) text.replace(i, m, p);
    int f[MAXP + 1] = {0, 0}; for (int i = 1, k = 0; i < m; i++) { while (k && p[i] != p[k]) k = f[k]; if (p[i] == p[k]) k++; f[i + 1] = k; }
    unsigned char sk[256]; memset(sk, m, 256); for (int i = 0; i + 1 < m; i++) sk[(unsigned char)p[i]] = m - 1 - i;
    cudaMemcpyToSymbol(pat, p.data(), m); cudaMemcpyToSymbol(fail, f, sizeof f); cudaMemcpyToSymbol(skip, sk, 256);
    Dev<char> dt(text.data(), n);
    const int seg = 40, threads = n / seg;
    Dev<int> dk(nullptr, (threads + 127) / 128 * 128);
    kmp_segments<<<(threads + 127) / 128, 128>>>(dt, n, m, seg, dk);
    int count = 0, want = 0; for (int c : fetch(dk.p, threads)) count += c;
    for (size_t at = text.find(p); at != std::string::npos; at = text.find(p, at + 1)) want++;
    if (count != want) { printf("kmp %d %d\n", count, want); ok = false; }
    const int chunk = 1500, blocks = n / chunk; Dev<int> df(nullptr, blocks * 4);
    horspool_shared<<<blocks, 128, chunk + m>>>(dt, n, m, chunk, df);
    auto hf = fetch(df.p, blocks * 4);
    for (int b = 0; b < blocks; b++) { int lo = 0x7fffffff; for (int w = 0; w < 4; w++) lo = std::min(lo, hf[b * 4 + w]); size_t at = text.find(p, b * chunk); int should = at != std::string::npos && at < (size_t)(b + 1) * chunk ? (int)at : 0x7fffffff; if (lo != should) { printf("horspool %d\n", b); ok = false; break; } }
    const char *words[] = {"abac", "ccb", "bab", "cab", "aaaa", "bcbcb", "ca", "abcabc", "bbbbb", "cac"}; const int W = 10;
    std::vector<short> delta(32, 0); std::vector<unsigned> out(1, 0); std::vector<int> link(1, 0);
    for (int w = 0; w < W; w++) { int st = 0; for (const char *c = words[w]; *c; c++) { int k = *c & 31; if (!delta[st * 32 + k]) { delta[st * 32 + k] = (short)out.size(); out.push_back(0); link.push_back(0); delta.resize(out.size() * 32, 0); } st = delta[st * 32 + k]; } out[st] |= 1u << w; }
    std::queue<int> q; for (int k = 0; k < 32; k++) if (delta[k]) q.push(delta[k]);
    while (!q.empty()) { int st = q.front(); q.pop(); out[st] |= out[link[st]]; for (int k = 0; k < 32; k++) { short &d = delta[st * 32 + k]; if (d) { link[d] = delta[link[st] * 32 + k]; q.push(d); } else d = delta[link[st] * 32 + k]; } }
    std::vector<int> off(1, 0); while (off.back() < n - 120) off.push_back(off.back() + 10 + off.size() * 13 % 90); const int texts = off.size() - 1;
    Dev<unsigned> dseen(nullptr, texts); Dev<int> dtot(nullptr, texts);
    aho_corasick<<<(texts + 63) / 64, 64>>>(dt, Dev<int>(off.data(), off.size()), texts, Dev<short>(delta.data(), delta.size()), Dev<unsigned>(out.data(), out.size()), dseen, dtot);
    auto hs = fetch(dseen.p, texts); auto ht = fetch(dtot.p, texts);
    for (int t = 0; t < texts; t += 5) { std::string x = text.substr(off[t], off[t + 1] - off[t]); unsigned mask = 0; int c = 0; for (int w = 0; w < W; w++) for (size_t at = x.find(words[w]); at != std::string::npos; at = x.find(words[w], at + 1)) mask |= 1u << w, c++; if (mask != hs[t] || c != ht[t]) { printf("automaton %d\n", t); ok = false; break; } }
    constexpr uint32_t BASE = 263, MOD = 2147483629u; uint32_t top = 1; for (int i = 1; i < 24; i++) top = (uint64_t)top * BASE % MOD;
    const int per = 12, prints = (n - 24) / per; Dev<uint32_t> dm(nullptr, n / per + 1);
    rolling_fingerprints<BASE, MOD><<<(n / per + 255) / 256, 256>>>(dt, n, 24, top, per, dm);
    auto hm = fetch(dm.p, prints);
    for (int i = 0; i < prints; i += 9) { uint32_t lo = ~0u; for (int k = 0; k < per; k++) { uint32_t h = 0; for (int j = 0; j < 24; j++) h = ((uint64_t)h * BASE + (unsigned char)text[i * per + k + j]) % MOD; lo = std::min(lo, h); } if (lo != hm[i]) { printf("rolling %d\n", i); ok = false; break; } }
    std::vector<uint64_t> masks(256, 0); for (int i = 0; i < m; i++) masks[(unsigned char)p[i]] |= 1ull << i;
    const int pt = 48, nt = n / pt; Dev<uint64_t> db(nullptr, nt);
    shift_and_mismatches<2><<<nt / 100, 100>>>(dt, n, m, Dev<uint64_t>(masks.data(), 256), pt, db);
    auto hb = fetch(db.p, nt);
    for (int i = 0; i < nt; i += 3) {
        uint64_t tally = 0, r[3] = {};
        for (int k = i * pt; k < std::min(i * pt + pt + m - 1, n); k++) {
            uint64_t c = masks[(unsigned char)text[k]], lower = ~0ull;
            for (int e = 0; e <= 2; e++) { uint64_t old = r[e]; r[e] = ((old << 1 | 1) & c) | (e ? lower << 1 | 1 : 0); lower = old; if (k - i * pt >= m - 1 && (r[e] >> (m - 1) & 1)) { tally += 1ull << (16 * e); break; } }
            for (int e = 1; e <= 2; e++) r[e] |= r[e - 1];
        }
        if (tally != hb[i]) { printf("shift-and %d\n", i); ok = false; break; }
    }
    ok &= cudaDeviceSynchronize() == cudaSuccess;
    puts(ok ? "PASSED" : "FAILED");
    return !ok;
}
