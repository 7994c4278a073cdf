// Symmetric primitives: AES-128 in counter mode, ChaCha20, Keccak-f[1600], Adler-32.
#include <cstdio>
#include <cstdint>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

typedef uint32_t u32;
typedef uint64_t u64;
typedef uint8_t u8;

__constant__ u32 roundKeys[44];
static u8 sbox[256];
static u32 te0[256];

__device__ __forceinline__ u32 ror(u32 x, int n) { return __funnelshift_r(x, x, n); }

__global__ void aes_ctr(const u32 *__restrict__ table, const u8 *__restrict__ sub, const uint4 *__restrict__ in, uint4 *__restrict__ out, int blocks, u32 nonce)
{
    __shared__ u32 T[256];
    __shared__ u8 S[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) { T[i] = table[i]; S[i] = sub[i]; }
    __syncthreads();
    for (int b = blockIdx.x * blockDim.x + threadIdx.x; b < blocks; b += gridDim.x * blockDim.x) {
        u32 s0 = nonce ^ roundKeys[0], s1 = 0x01234567u ^ roundKeys[1], s2 = roundKeys[2], s3 = (u32)b ^ roundKeys[3];
#pragma unroll 1
        for (int r = 1; r < 10; r++) {
            const u32 *k = roundKeys + 4 * r;
            u32 t0 = T[s0 >> 24] ^ ror(T[s1 >> 16 & 255], 8) ^ ror(T[s2 >> 8 & 255], 16) ^ ror(T[s3 & 255], 24) ^ k[0];
            u32 t1 = T[s1 >> 24] ^ ror(T[s2 >> 16 & 255], 8) ^ ror(T[s3 >> 8 & 255], 16) ^ ror(T[s0 & 255], 24) ^ k[1];
            u32 t2 = T[s2 >> 24] ^ ror(T[s3 >> 16 & 255], 8) ^ ror(T[s0 >> 8 & 255], 16) ^ ror(T[s1 & 255], 24) ^ k[2];
            u32 t3 = T[s3 >> 24] ^ ror(T[s0 >> 16 & 255], 8) ^ ror(T[s1 >> 8 & 255], 16) ^ ror(T[s2 & 255], 24) ^ k[3];
            s0 = t0; s1 = t1; s2 = t2; s3 = t3;
        }
        auto last = [&](u32 a, u32 b2, u32 c, u32 d) { return (u32)S[a >> 24] << 24 | (u32)S[b2 >> 16 & 255] << 16 | (u32)S[c >> 8 & 255] << 8 | S[d & 255]; };
        uint4 x = in[b];
        x.x ^= last(s0, s1, s2, s3) ^ roundKeys[40];
        x.y ^= last(s1, s2, s3, s0) ^ roundKeys[41];
        x.z ^= last(s2, s3, s0, s1) ^ roundKeys[42];
        x.w ^= last(s3, s0, s1, s2) ^ roundKeys[43];
        out[b] = x;
    }
}

#define ROTL(x, n) ((x) << (n) | (x) >> (32 - (n)))
#define QUARTER(a, b, c, d) a += b; d ^= a; d = ROTL(d, 16); c += d; b ^= c; b = ROTL(b, 12); a += b; d ^= a; d = ROTL(d, 8); c += d; b ^= c; b = ROTL(b, 7)

__host__ __device__ inline void chacha_block(const u32 *key, u32 counter, u32 nonce, u32 *o)
{
    u32 s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, key[0], key[1], key[2], key[3], key[4], key[5], key[6], key[7], counter, nonce, 7, 9}, x[16];
    for (int i = 0; i < 16; i++) x[i] = s[i];
    for (int r = 0; r < 10; r++) {
        QUARTER(x[0], x[4], x[8], x[12]); QUARTER(x[1], x[5], x[9], x[13]);
        QUARTER(x[2], x[6], x[10], x[14]); QUARTER(x[3], x[7], x[11], x[15]);
        QUARTER(x[0], x[5], x[10], x[15]); QUARTER(x[1], x[6], x[11], x[12]);
        QUARTER(x[2], x[7], x[8], x[13]); QUARTER(x[3], x[4], x[9], x[14]);
    }
    for (int i = 0; i < 16; i++) o[i] = x[i] + s[i];
}

__global__ void chacha_stream(const u32 *__restrict__ key, u32 nonce, u32 *__restrict__ data, unsigned n)
{
    unsigned b = blockIdx.x * blockDim.x + threadIdx.x;
    if (b >= n) return;
    u32 ks[16];
    chacha_block(key, b, nonce, ks);
    uint4 *p = reinterpret_cast<uint4 *>(data) + (size_t)b * 4;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        uint4 v = p[i];
        v.x ^= ks[4 * i]; v.y ^= ks[4 * i + 1]; v.z ^= ks[4 * i + 2]; v.w ^= ks[4 * i + 3];
        p[i] = v;
    }
}

struct Keccak {
    u64 a[25];
    __host__ __device__ static u64 rot(u64 x, int n) { return n ? x << n | x >> (64 - n) : x; }
    __host__ __device__ void permute()
    {
        const int rho[24] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44};
        const int pi[24] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};
        u8 lfsr = 1;
#pragma unroll 1
        for (int round = 0; round < 24; round++) {
            u64 c[5];
#pragma unroll
            for (int x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma unroll
            for (int x = 0; x < 5; x++) {
                u64 d = c[(x + 4) % 5] ^ rot(c[(x + 1) % 5], 1);
#pragma unroll
                for (int y = 0; y < 25; y += 5) a[y + x] ^= d;
            }
            u64 t = a[1];
#pragma unroll
            for (int i = 0; i < 24; i++) { u64 k = a[pi[i]]; a[pi[i]] = rot(t, rho[i]); t = k; }
#pragma unroll
            for (int y = 0; y < 25; y += 5) {
                u64 r0 = a[y], r1 = a[y + 1];
#pragma unroll
                for (int x = 0; x < 3; x++) a[y + x] ^= ~a[y + x + 1] & a[y + x + 2];
                a[y + 3] ^= ~a[y + 4] & r0;
                a[y + 4] ^= ~r0 & r1;
            }
            for (int j = 0; j < 7; j++) {
                if (lfsr & 1) a[0] ^= 1ull << ((1 << j) - 1);
                lfsr = lfsr << 1 ^ (lfsr >> 7 ? 0x71 : 0);
            }
        }
    }
};

__global__ void keccak_many(const u64 *__restrict__ messages, u64 *__restrict__ digests, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    Keccak k;
#pragma unroll
    for (int w = 0; w < 25; w++) k.a[w] = w < 16 ? messages[w * n + i] : 0;
    k.a[16] = 0x8000000000000006ull;
    k.permute();
    for (int w = 0; w < 4; w++) digests[w * n + i] = k.a[w];
}

__global__ void adler_chunks(const u8 *__restrict__ text, int chunk, u32 *__restrict__ sums)
{
    const u8 *p = text + (size_t)blockIdx.x * chunk;
    u32 a = 0; u64 b = 0;
    for (int i = threadIdx.x; i < chunk; i += blockDim.x) { a += p[i]; b += (u64)(chunk - i) * p[i]; }
    for (int o = 16; o > 0; o /= 2) { a += __shfl_down_sync(0xffffffff, a, o); b += __shfl_down_sync(0xffffffff, b, o); }
    __shared__ u32 wa[32]; __shared__ u64 wb[32];
    int lane = threadIdx.x % 32, w = threadIdx.x / 32;
    if (!lane) { wa[w] = a; wb[w] = b; }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < blockDim.x / 32; k++) { a += wa[k]; b += wb[k]; }
        sums[blockIdx.x] = (u32)((b + chunk) % 65521) << 16 | (a + 1) % 65521;
    }
}

static u8 mul2(u8 x) { return x << 1 ^ (x & 128 ? 27 : 0); }
static void tables()
{
    u8 p = 1, q = 1;
    do {
        p ^= mul2(p); q ^= q << 1; q ^= q << 2; q ^= q << 4; if (q & 128) q ^= 9;
        u8 x = q ^ (u8)(q << 1 | q >> 7) ^ (u8)(q << 2 | q >> 6) ^ (u8)(q << 3 | q >> 5) ^ (u8)(q << 4 | q >> 4);
        sbox[p] = x ^ 0x63;
    } while (p != 1);
    sbox[0] = 0x63;
    for (int i = 0; i < 256; i++) { u8 s = sbox[i], d = mul2(s); te0[i] = (u32)d << 24 | s << 16 | s << 8 | (u8)(d ^ s); }
}
static void aes_plain(const u32 *rk, u8 *s)
{
    auto add = [&](int r) { for (int i = 0; i < 16; i++) s[i] ^= rk[r * 4 + i / 4] >> (24 - i % 4 * 8); };
    add(0);
    for (int r = 1; r <= 10; r++) {
        u8 t[16];
        for (int i = 0; i < 16; i++) t[i] = sbox[s[(i + 4 * (i % 4)) % 16]];
        for (int c = 0; c < 4; c++) for (int i = 0; i < 4; i++) {
            u8 *x = t + 4 * c;
            s[4 * c + i] = r == 10 ? x[i] : mul2(x[i]) ^ mul2(x[(i + 1) % 4]) ^ x[(i + 1) % 4] ^ x[(i + 2) % 4] ^ x[(i + 3) % 4];
        }
        add(r);
    }
}

int main()
{
    bool ok = true;
    tables();
    u32 rk[44] = {0x2b7e1516, 0x28aed2a6, 0xabf71588, 0x09cf4f3c};
    u8 rc = 1;
    for (int i = 4; i < 44; i++) {
        u32 t = rk[i - 1];
        if (i % 4 == 0) { t = t << 8 | t >> 24; t = (u32)sbox[t >> 24] << 24 | sbox[t >> 16 & 255] << 16 | sbox[t >> 8 & 255] << 8 | sbox[t & 255]; t ^= (u32)rc << 24; rc = mul2(rc); }
        rk[i] = rk[i - 4] ^ t;
    }
    cudaMemcpyToSymbol(roundKeys, rk, sizeof rk);
    const int N = 24000;
    std::vector<u32> data(N * 16);
    for (size_t i = 0; i < data.size(); i++) data[i] = (u32)(i * 2654435761u ^ i >> 3);
    u32 *dt, *din, *dout, *dkey; u8 *ds; u64 *dm, *dd;
    cudaMalloc(&dt, 1024); cudaMalloc(&ds, 256); cudaMalloc(&din, N * 64); cudaMalloc(&dout, N * 64); cudaMalloc(&dkey, 32);
    cudaMemcpy(dt, te0, 1024, cudaMemcpyHostToDevice); cudaMemcpy(ds, sbox, 256, cudaMemcpyHostToDevice);
    cudaMemcpy(din, data.data(), N * 64, cudaMemcpyHostToDevice); cudaMemcpy(dkey, rk, 32, cudaMemcpyHostToDevice);
    aes_ctr<<<60, 256>>>(dt, ds, (uint4 *)din, (uint4 *)dout, N * 4, 0xdeadbeef);
    std::vector<u32> got(N * 16);
    cudaMemcpy(got.data(), dout, N * 64, cudaMemcpyDeviceToHost);
    for (int b = 0; b < N * 4; b += 37) {
        u32 w[4] = {0xdeadbeef, 0x01234567, 0, (u32)b}; u8 s[16];
        for (int i = 0; i < 16; i++) s[i] = w[i / 4] >> (24 - i % 4 * 8);
        aes_plain(rk, s);
        for (int i = 0; i < 4; i++) ok &= got[b * 4 + i] == (data[b * 4 + i] ^ ((u32)s[4 * i] << 24 | s[4 * i + 1] << 16 | s[4 * i + 2] << 8 | s[4 * i + 3]));
    }
    if (!ok) puts("aes");
    chacha_stream<<<(N + 191) / 192, 192>>>(dkey, 77, din, N);
    cudaMemcpy(got.data(), din, N * 64, cudaMemcpyDeviceToHost);
    for (int b = 0; b < N; b += 13) { u32 o[16]; chacha_block(rk, b, 77, o); for (int i = 0; i < 16; i++) ok &= got[b * 16 + i] == (o[i] ^ data[b * 16 + i]); }
    if (!ok) puts("chacha");
    const int K = 9000;
    std::vector<u64> msg(16 * K), dig(4 * K);
    for (size_t i = 0; i < msg.size(); i++) msg[i] = i * 0x9E3779B97F4A7C15ull;
    cudaMalloc(&dm, msg.size() * 8); cudaMalloc(&dd, dig.size() * 8);
    cudaMemcpy(dm, msg.data(), msg.size() * 8, cudaMemcpyHostToDevice);
    keccak_many<<<(K + 127) / 128, 128>>>(dm, dd, K);
    cudaMemcpy(dig.data(), dd, dig.size() * 8, cudaMemcpyDeviceToHost);
    for (int i = 0; i < K; i += 11) { Keccak k; memset(&k, 0, sizeof k); for (int w = 0; w < 16; w++) k.a[w] = msg[w * K + i]; k.a[16] = 0x8000000000000006ull; k.permute(); for (int w = 0; w < 4; w++) ok &= k.a[w] == dig[w * K + i]; }
    if (!ok) puts("keccak");
    const int chunk = 5000, chunks = 200;
    adler_chunks<<<chunks, 160>>>((u8 *)din, chunk, dt);
    std::vector<u32> ad(chunks); cudaMemcpy(ad.data(), dt, chunks * 4, cudaMemcpyDeviceToHost);
    for (int c = 0; c < chunks; c++) { u32 a = 1, b = 0; const u8 *p = (u8 *)got.data() + (size_t)c * chunk; for (int i = 0; i < chunk; i++) { a = (a + p[i]) % 65521; b = (b + a) % 65521; } ok &= ad[c] == (b << 16 | a); }
    puts(ok && cudaDeviceSynchronize() == cudaSuccess ? "PASSED" : "FAILED");
    return !ok;
}
