// Integers: SHA-256 of short messages, XTEA, Morton codes, Hamming distances, a small stack machine.
#include <cstdint>
#include <cstdio>
#include <vector>

#define ROTR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))

__constant__ uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

template <class Table>
__host__ __device__ void sha256_block(uint32_t state[8], const uint8_t *msg, const Table &k)
{
    uint32_t w[64];
    for (int i = 0; i < 16; i++)
        w[i] = msg[4 * i] << 24 | msg[4 * i + 1] << 16 | msg[4 * i + 2] << 8 | msg[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        uint32_t s0 = ROTR(w[i - 15], 7) ^ ROTR(w[i - 15], 18) ^ (w[i - 15] >> 3);
        uint32_t s1 = ROTR(w[i - 2], 17) ^ ROTR(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
    for (int i = 0; i < 64; i++) {
        uint32_t t1 = h + (ROTR(e, 6) ^ ROTR(e, 11) ^ ROTR(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i];
        uint32_t t2 = (ROTR(a, 2) ^ ROTR(a, 13) ^ ROTR(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
    }
    state[0] += a; state[1] += b; state[2] += c; state[3] += d; state[4] += e; state[5] += f; state[6] += g; state[7] += h;
}

struct Digest { uint32_t h[8]; };

__global__ void sha256_kernel(const uint8_t *data, int length, Digest *out, int count)
{
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid >= count)
        return;
    uint8_t block[64];
    const uint8_t *m = data + tid * length;
    for (int i = 0; i < 64; i++)
        block[i] = i < length ? m[i] : i == length ? 0x80 : 0;
    block[62] = (length * 8) >> 8;
    block[63] = (length * 8) & 255;
    uint32_t s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    sha256_block(s, block, K);
    for (int i = 0; i < 8; i++)
        out[tid].h[i] = s[i];
}

__global__ void xtea_encrypt(uint2 *v, int n, uint4 key)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    uint32_t k[4] = {key.x, key.y, key.z, key.w};
    uint32_t v0 = v[i].x, v1 = v[i].y, sum = 0;
    for (int r = 0; r < 32; r++) {
        v0 += (((v1 << 4) ^ (v1 >> 5)) + v1) ^ (sum + k[sum & 3]);
        sum += 0x9E3779B9u;
        v1 += (((v0 << 4) ^ (v0 >> 5)) + v0) ^ (sum + k[(sum >> 11) & 3]);
    }
    v[i] = make_uint2(v0, v1);
}

__host__ __device__ inline uint64_t spread(uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffffull;
    x = (x | x << 16) & 0x1f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}

__global__ void morton3(const unsigned short *xyz, uint64_t *code, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        code[i] = spread(xyz[3 * i]) | spread(xyz[3 * i + 1]) << 1 | spread(xyz[3 * i + 2]) << 2;
}

// nearest of `many` descriptors of 128 bits
__global__ void hamming_nearest(const uint4 *query, int queries, const uint4 *set, int many, int2 *best)
{
    __shared__ uint4 tile[32];
    int q = blockIdx.x * blockDim.x + threadIdx.x;
    uint4 a = query[min(q, queries - 1)];
    int2 b = make_int2(129, -1);
    for (int base = 0; base < many; base += 32) {
        __syncthreads();
        if (threadIdx.x < 32 && base + threadIdx.x < many)
            tile[threadIdx.x] = set[base + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 32 && base + k < many; k++) {
            uint4 c = tile[k];
            int d = __popc(a.x ^ c.x) + __popc(a.y ^ c.y) + __popc(a.z ^ c.z) + __popc(a.w ^ c.w);
            if (d < b.x)
                b = make_int2(d, base + k);
        }
    }
    if (q < queries)
        best[q] = b;
}

enum Op : uint8_t { PUSH, ADD, SUB, MUL, DUP, SWAP, MOD, SHR, XOR, JNZ, END };

template <class Code> __host__ __device__ int interpret(const Code *code, int x)
{
    int stack[8], sp = 0, pc = 0, steps = 0;
    stack[sp++] = x;
    while (steps++ < 200) {
        int op = code[pc++];
        switch (op) {
        case PUSH: stack[sp++] = (signed char)code[pc++]; break;
        case ADD: sp--; stack[sp - 1] = (unsigned)stack[sp - 1] + stack[sp]; break;
        case SUB: sp--; stack[sp - 1] = (unsigned)stack[sp - 1] - stack[sp]; break;
        case MUL: sp--; stack[sp - 1] = (unsigned)stack[sp - 1] * stack[sp]; break;
        case DUP: stack[sp] = stack[sp - 1]; sp++; break;
        case SWAP: { int t = stack[sp - 1]; stack[sp - 1] = stack[sp - 2]; stack[sp - 2] = t; break; }
        case MOD: sp--; stack[sp - 1] %= stack[sp] ? stack[sp] : 1; break;
        case SHR: sp--; stack[sp - 1] >>= stack[sp] & 31; break;
        case XOR: sp--; stack[sp - 1] ^= stack[sp]; break;
        case JNZ: { int target = code[pc++]; if (stack[--sp]) pc = target; break; }
        default: return stack[sp - 1];
        }
    }
    return -1;
}

__global__ void run_machine(const uint8_t *code, const int *in, int *out, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        out[i] = interpret(code, in[i]);
}

template <class T> static T *d(const std::vector<T> &v)
{
    void *p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return (T *)p;
}
template <class T> static void h(std::vector<T> &v, T *p) { cudaMemcpy(v.data(), p, v.size() * sizeof(T), cudaMemcpyDeviceToHost); }

int main()
{
    int wrong = 0;
    const int count = 900, length = 37;
    std::vector<uint8_t> data(count * length);
    for (size_t i = 0; i < data.size(); i++) data[i] = (uint8_t)(i * 167 + (i >> 5));
    std::vector<Digest> dig(count);
    auto dd = d(dig);
    sha256_kernel<<<(count + 127) / 128, 128>>>(d(data), length, dd, count);
    h(dig, dd);
    uint32_t k[64];
    cudaMemcpyFromSymbol(k, K, sizeof k);
    for (int t = 0; t < count; t++) {
        uint8_t b[64] = {0};
        for (int i = 0; i < length; i++) b[i] = data[t * length + i];
        b[length] = 0x80;
        b[62] = length * 8 >> 8, b[63] = length * 8 & 255;
        uint32_t s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
        sha256_block(s, b, k);
        for (int i = 0; i < 8; i++) wrong += s[i] != dig[t].h[i];
    }

    std::vector<uint2> v(3001), e(3001);
    for (unsigned i = 0; i < v.size(); i++) v[i] = make_uint2(i * 2654435761u, i ^ 0x5bd1e995u);
    auto dv = d(v);
    uint4 key = make_uint4(0x01234567, 0x89abcdef, 0xfedcba98, 0x76543210);
    xtea_encrypt<<<(3001 + 95) / 96, 96>>>(dv, 3001, key);
    h(e, dv);
    for (size_t i = 0; i < v.size(); i++) {
        uint32_t kk[4] = {key.x, key.y, key.z, key.w}, v0 = e[i].x, v1 = e[i].y, sum = 0x9E3779B9u * 32;
        for (int r = 0; r < 32; r++) {
            v1 -= (((v0 << 4) ^ (v0 >> 5)) + v0) ^ (sum + kk[(sum >> 11) & 3]);
            sum -= 0x9E3779B9u;
            v0 -= (((v1 << 4) ^ (v1 >> 5)) + v1) ^ (sum + kk[sum & 3]);
        }
        wrong += v0 != v[i].x || v1 != v[i].y;
    }

    std::vector<unsigned short> xyz(3 * 4100);
    for (size_t i = 0; i < xyz.size(); i++) xyz[i] = (unsigned short)(i * 40503u);
    std::vector<uint64_t> code(4100);
    auto dc = d(code);
    morton3<<<(4100 + 255) / 256, 256>>>(d(xyz), dc, 4100);
    h(code, dc);
    for (int i = 0; i < 4100; i++) {
        uint64_t want = 0;
        for (int b = 0; b < 16; b++)
            for (int a = 0; a < 3; a++) want |= (uint64_t)(xyz[3 * i + a] >> b & 1) << (3 * b + a);
        wrong += want != code[i];
    }

    std::vector<uint4> qs(500), set(210);
    unsigned s = 5;
    auto rnd = [&] { s ^= s << 13; s ^= s >> 17; return s ^= s << 5; };
    for (auto &x : qs) { x.x = rnd(); x.y = rnd(); x.z = rnd(); x.w = rnd(); }
    for (auto &x : set) { x.x = rnd(); x.y = rnd(); x.z = rnd(); x.w = rnd(); }
    std::vector<int2> best(500);
    auto db = d(best);
    hamming_nearest<<<(500 + 63) / 64, 64>>>(d(qs), 500, d(set), 210, db);
    h(best, db);
    for (int i = 0; i < 500; i++) {
        int bd = 129, at = -1;
        for (int j = 0; j < 210; j++) {
            int x = __builtin_popcount(qs[i].x ^ set[j].x) + __builtin_popcount(qs[i].y ^ set[j].y) + __builtin_popcount(qs[i].z ^ set[j].z) +
                    __builtin_popcount(qs[i].w ^ set[j].w);
            if (x < bd) bd = x, at = j;
        }
        wrong += best[i].x != bd || best[i].y != at;
    }

    // x, count -> loop: (x * 3 + 1) ^ (x >> 2), while count of x modulo 5 is not 0
    std::vector<uint8_t> prog = {DUP, PUSH, 2, SHR, SWAP, PUSH, 3, MUL, PUSH, 1, ADD, XOR, DUP, PUSH, 5, MOD, JNZ, 0, PUSH, 7, SUB, END};
    std::vector<int> in(2000), res(2000);
    for (int i = 0; i < 2000; i++) in[i] = i * 7 + 3;
    auto dres = d(res);
    run_machine<<<10, 128>>>(d(prog), d(in), dres, 2000);
    h(res, dres);
    for (int i = 0; i < 2000; i++) wrong += res[i] != interpret(prog.data(), in[i]);
    wrong += cudaGetLastError() != cudaSuccess;
    puts(wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
