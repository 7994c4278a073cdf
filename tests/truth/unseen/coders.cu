// Entropy and dictionary coding: canonical Huffman encode and decode, LZ match lengths, quantise with zigzag, IMA ADPCM, bit planes, delta blocks.
#include <cstdio>
#include <cstdint>
#include <cstdlib>
#include <vector>
#include <queue>
#include <algorithm>
#include <cuda_runtime.h>

#define TRY(x) do { cudaError_t e = x; if (e) { printf("%s -> %s\nFAILED\n", #x, cudaGetErrorName(e)); exit(1); } } while (0)

__constant__ uint2 codeOf[256];   // x: bits, y: length

// a block of 256 symbols: offsets by a scan of lengths, words built with OR of integers in shared memory
__global__ void huffmanEncode(const uint8_t *__restrict__ data, uint32_t *__restrict__ words, int *__restrict__ bits)
{
    __shared__ int warpSum[8];
    __shared__ uint32_t packed[132];
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const uint2 c = codeOf[data[blockIdx.x * 256 + t]];
    int pos = c.y;
#pragma unroll
    for (int o = 1; o < 32; o <<= 1) { const int v = __shfl_up_sync(~0u, pos, o); if (lane >= o) pos += v; }
    if (lane == 31) warpSum[warp] = pos;
    if (t < 132) packed[t] = 0;
    __syncthreads();
    for (int w = 0; w < warp; w++) pos += warpSum[w];
    const int total = pos;
    pos -= c.y;
    const int word = pos >> 5, shift = pos & 31;
    const uint64_t v = (uint64_t)c.x << (64 - c.y - shift);
    atomicOr(&packed[word], (uint32_t)(v >> 32));
    if ((uint32_t)v) atomicOr(&packed[word + 1], (uint32_t)v);
    __syncthreads();
    if (t == 255) bits[blockIdx.x] = total;
    if (t < 128) words[blockIdx.x * 128 + t] = packed[t];
}

struct Canonical { uint32_t first[17]; int start[17]; int count[17]; };

__global__ void huffmanDecode(const uint32_t *__restrict__ words, const Canonical *__restrict__ tree, const uint8_t *__restrict__ symbols, int blocks, uint8_t *__restrict__ out)
{
    __shared__ Canonical t;
    for (int i = threadIdx.x; i < (int)(sizeof(Canonical) / 4); i += blockDim.x) ((int *)&t)[i] = ((const int *)tree)[i];
    __syncthreads();
    const int b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= blocks) return;
    const uint32_t *w = words + b * 128;
    int bit = 0;
    for (int n = 0; n < 256; n++) {
        uint32_t code = 0;
        int len = 0;
        do {
            code = code << 1 | (w[bit >> 5] >> (31 - (bit & 31)) & 1);
            bit++;
            len++;
        } while (len < 16 && code - t.first[len] >= (uint32_t)t.count[len]);
        out[b * 256 + n] = symbols[t.start[len] + code - t.first[len]];
    }
}

template <int WINDOW, int MAXLEN>
__global__ void matchFinder(const uint8_t *__restrict__ src, int n, uchar2 *__restrict__ match)
{
    extern __shared__ uint8_t buf[];
    const int base = blockIdx.x * blockDim.x, from = max(base - WINDOW, 0), to = min(base + (int)blockDim.x + MAXLEN, n);
    for (int i = from + threadIdx.x; i < to; i += blockDim.x) buf[i - from] = src[i];
    __syncthreads();
    const int p = base + threadIdx.x - from;
    if (p + from >= n) return;
    const int room = min(MAXLEN, to - from - p);
    int best = 0, dist = 0;
    for (int q = max(p - WINDOW, 0); q < p && best < room; q++) {
        if (buf[q] != buf[p] || (best && buf[q + best] != buf[p + best])) continue;
        int l = 1;
        while (l < room && buf[q + l] == buf[p + l]) l++;
        if (l > best) { best = l; dist = p - q; }
    }
    match[p + from] = make_uchar2(best >= 3 ? best : 0, best >= 3 ? dist : 0);
}

__constant__ uint8_t zigzag[64];

__global__ void quantiseBlocks(const float *__restrict__ coef, const uint8_t *__restrict__ quant, short *__restrict__ out, int *__restrict__ size, int blocks)
{
    const int lane = threadIdx.x & 31, b = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    if (b >= blocks) return;
    int bits = 0;
    unsigned nz[2];
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int k = lane + 32 * h, z = zigzag[k];
        const int v = __float2int_rn(coef[b * 64 + z] / quant[z]);
        out[b * 64 + k] = (short)v;
        nz[h] = __ballot_sync(0xffffffffu, v != 0);
        if (v) {
            const unsigned below = nz[h] & ((1u << lane) - 1);
            int run = below ? lane - 32 + __clz(below) : (h && nz[0]) ? lane + __clz(nz[0]) : k;
            bits += (32 - __clz(abs(v))) * 2 + 4 + (run >= 16 ? run / 16 * 11 : 0);
        }
    }
    bits = __reduce_add_sync(0xffffffffu, bits);
    if (lane == 0) size[b] = bits + 4;
}

__constant__ short stepTable[89];

__host__ __device__ inline int adpcmStep(int sample, int &pred, int &index, const short *steps)
{
    const int adjust[8] = {-1, -1, -1, -1, 2, 4, 6, 8};
    int step = steps[index], diff = sample - pred, code = 0;
    if (diff < 0) { code = 8; diff = -diff; }
    int delta = step >> 3;
    for (int bit = 4; bit; bit >>= 1) { if (diff >= step) { code |= bit; diff -= step; delta += step; } step >>= 1; }
    pred += code & 8 ? -delta : delta;
    pred = pred > 32767 ? 32767 : pred < -32768 ? -32768 : pred;
    index += adjust[code & 7];
    index = index < 0 ? 0 : index > 88 ? 88 : index;
    return code;
}

__global__ void adpcmEncode(const short *__restrict__ pcm, int channels, int length, uint32_t *__restrict__ out)
{
    const int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= channels) return;
    int pred = 0, index = 0;
    for (int w = 0; w < length / 8; w++) {
        uint32_t word = 0;
        for (int k = 0; k < 8; k++) word |= (uint32_t)adpcmStep(pcm[(w * 8 + k) * channels + c], pred, index, stepTable) << (4 * k);
        out[w * channels + c] = word;
    }
}

// 32 values to 32 planes by a transposition between lanes
__global__ void bitPlanes(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, int *__restrict__ used, int groups)
{
    const int lane = threadIdx.x & 31, g = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (g >= groups) return;
    const uint32_t v = in[g * 32 + lane], before = __shfl_up_sync(~0u, v, 1);
    int d = (int)(v - (lane ? before : 0));
    uint32_t x = (uint32_t)(d << 1) ^ (uint32_t)(d >> 31), m = 0x0000ffffu;
#pragma unroll
    for (int s = 16; s; s >>= 1, m ^= m << s) {
        const uint32_t y = __shfl_xor_sync(~0u, x, s);
        x = lane & s ? (x & ~m) | (y >> s & m) : (x & m) | (y << s & ~m);
    }
    out[g * 32 + lane] = x;
    const unsigned any = __ballot_sync(~0u, x != 0);
    if (lane == 0) used[g] = any ? 32 - __clz(any) : 0;
}

template <class T> T *up(const std::vector<T> &v) { T *p; TRY(cudaMalloc(&p, v.size() * sizeof(T))); TRY(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice)); return p; }
template <class T> T *room(size_t n) { T *p; TRY(cudaMalloc(&p, n * sizeof(T))); TRY(cudaMemset(p, 0, n * sizeof(T))); return p; }
template <class T> std::vector<T> down(T *p, size_t n) { std::vector<T> v(n); TRY(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost)); return v; }

int main()
{
    bool ok = true; unsigned s = 9; auto rnd = [&] { s = s * 1664525u + 1013904223u; return s >> 8; };
    const int blocks = 220, n = blocks * 256; std::vector<uint8_t> d(n); for (int i = 0; i < n; i++) { unsigned a = rnd() % 40, b = rnd() % 40; d[i] = i > 60 && rnd() % 4 ? d[i - 1 - rnd() % 3 * 20] : (uint8_t)(std::min(a, b) + 60); }
    std::vector<long> freq(256, 0); for (auto c : d) freq[c]++; typedef std::pair<long, int> N; std::priority_queue<N, std::vector<N>, std::greater<N>> q; std::vector<int> parent(600, -1), len(256, 0); int next = 256;
    for (int i = 0; i < 256; i++) if (freq[i]) q.push({freq[i], i}); while (q.size() > 1) { N a = q.top(); q.pop(); N b = q.top(); q.pop(); parent[a.second] = parent[b.second] = next; q.push({a.first + b.first, next++}); }
    for (int i = 0; i < 256; i++) if (freq[i]) for (int k = i; parent[k] >= 0; k = parent[k]) len[i]++;
    Canonical can = {}; std::vector<uint2> codes(256, make_uint2(0, 0)); std::vector<uint8_t> symbols; unsigned code = 0; for (int l = 1; l <= 16; l++) { code <<= 1; can.first[l] = code; can.start[l] = symbols.size(); for (int i = 0; i < 256; i++) if (len[i] == l) { codes[i] = make_uint2(code++, l); symbols.push_back(i); can.count[l]++; } }
    TRY(cudaMemcpyToSymbol(codeOf, codes.data(), 256 * sizeof(uint2)));
    uint8_t *dd = up(d), *dout = room<uint8_t>(n); uint32_t *words = room<uint32_t>(blocks * 128); int *bits = room<int>(blocks);
    huffmanEncode<<<blocks, 256>>>(dd, words, bits); huffmanDecode<<<(blocks + 31) / 32, 32>>>(words, up(std::vector<Canonical>(1, can)), up(symbols), blocks, dout);
    auto hb = down(bits, blocks); for (int b = 0; b < blocks; b++) { int t = 0; for (int i = 0; i < 256; i++) t += len[d[b * 256 + i]]; ok &= t == hb[b] && t <= 4096; } ok &= down(dout, n) == d; if (!ok) puts("huffman");
    uchar2 *mt = room<uchar2>(n); matchFinder<128, 32><<<(n + 127) / 128, 128, 128 + 128 + 32>>>(dd, n, mt); auto hm = down(mt, n);
    for (int p = 0; p < n; p += 7) { int base = p / 128 * 128, from = std::max(base - 128, 0), to = std::min(base + 160, n), best = 0; for (int k = std::max(p - 128, from); k < p; k++) { int l = 0; while (l < std::min(32, to - p) && d[k + l] == d[p + l]) l++; best = std::max(best, l); } if ((best >= 3 ? best : 0) != hm[p].x) { printf("match %d\n", p); ok = false; break; } for (int k = 0; k < hm[p].x; k++) ok &= d[p + k] == d[p + k - hm[p].y]; }
    uint8_t zz[64]; for (int i = 0, x = 0, y = 0; i < 64; i++) { zz[i] = y * 8 + x; if ((x + y) & 1) { if (y == 7) x++; else if (x == 0) y++; else x--, y++; } else { if (x == 7) y++; else if (y == 0) x++; else x++, y--; } } TRY(cudaMemcpyToSymbol(zigzag, zz, 64));
    const int qb = 2500; std::vector<float> cf(qb * 64); std::vector<uint8_t> qt(64); for (int i = 0; i < 64; i++) qt[i] = 10 + i % 8 * 5 + i / 8 * 6; for (int i = 0; i < qb * 64; i++) cf[i] = ((int)(rnd() % 2000) - 1000) / (1.0f + (i % 8) * (i / 8 % 8)); short *qo = room<short>(qb * 64); int *qs = room<int>(qb);
    quantiseBlocks<<<(qb + 3) / 4, 128>>>(up(cf), up(qt), qo, qs, qb); auto hq = down(qo, qb * 64); auto hs = down(qs, qb); int off = 0;
    for (int b = 0; b < qb; b++) { int t = 4, last = -1; for (int k = 0; k < 64; k++) { int v = hq[b * 64 + k]; off += abs(v * qt[zz[k]] - cf[b * 64 + zz[k]]) > qt[zz[k]] * 0.5f + 1; if (v) { int run = k - last - 1, l = 0; last = k; for (int m = abs(v); m; m >>= 1) l++; t += 2 * l + 4 + (run >= 16 ? run / 16 * 11 : 0); } } off += t != hs[b]; } if (off) { printf("quantise %d\n", off); ok = false; }
    std::vector<short> st(89); double f = 7; for (auto &x : st) { x = (short)std::min(32767.0, f); f *= 1.1; } TRY(cudaMemcpyToSymbol(stepTable, st.data(), 178));
    const int ch = 3000, ln = 64; std::vector<short> pcm(ch * ln); for (int i = 0; i < ch * ln; i++) pcm[i] = (short)((i >= ch ? pcm[i - ch] : 0) * 7 / 8 + (int)(rnd() % 2000) - 1000); uint32_t *ao = room<uint32_t>(ch * ln / 8); adpcmEncode<<<(ch + 63) / 64, 64>>>(up(pcm), ch, ln, ao); auto ha = down(ao, ch * ln / 8);
    for (int c = 0; c < ch; c += 3) { int p = 0, x = 0; for (int i = 0; i < ln; i++) { int k = adpcmStep(pcm[i * ch + c], p, x, st.data()); if ((int)(ha[i / 8 * ch + c] >> (i % 8 * 4) & 15) != k) { printf("adpcm %d\n", c); ok = false; i = ln; } } }
    const int g = 4000; std::vector<uint32_t> v(g * 32); for (int i = 0; i < g * 32; i++) v[i] = i * 100 + rnd() % 500; uint32_t *bo = room<uint32_t>(g * 32); int *us = room<int>(g); bitPlanes<<<(g + 7) / 8, 256>>>(up(v), bo, us, g); auto hp = down(bo, g * 32); auto hu = down(us, g);
    for (int k = 0; k < g; k++) { uint32_t all = 0; for (int i = 0; i < 32; i++) { int e = (int)(v[k * 32 + i] - (i ? v[k * 32 + i - 1] : 0)); uint32_t z = (uint32_t)(e << 1) ^ (uint32_t)(e >> 31); all |= z; for (int b = 0; b < 32; b++) if ((hp[k * 32 + b] >> i & 1) != (z >> b & 1)) ok = false; } ok &= hu[k] == (all ? 32 - __builtin_clz(all) : 0); } if (!ok) puts("planes, or before");
    TRY(cudaDeviceSynchronize()); puts(ok ? "PASSED" : "FAILED");
    return !ok;
}
