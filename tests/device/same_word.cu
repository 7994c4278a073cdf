// Lanes that store to one place, in every form that machine code has for a store's addresses: whose value stays is an H200's
// rule (tests/truth/same_word/), of each half of a warp for 8 bytes and each quarter for 16 the first lane's, the last group's.
#include <cstdio>
#include <cstring>
#include <vector>

typedef unsigned int u32;
enum { PATTERNS = 9, CELLS = 48, WARPS = 2, ALL = PATTERNS * WARPS * CELLS };

template <class T> __host__ __device__ T of(u32 v) { return (T)v; }
template <> __host__ __device__ uint2 of(u32 v) { return make_uint2(v, v + 1); }
template <> __host__ __device__ uint4 of(u32 v) { return make_uint4(v, v + 1, v + 2, v + 3); }

// Where a lane stores. x, y: its place in the block; n: not known before the launch.
__host__ __device__ u32 cell(int pattern, u32 lane, u32 x, u32 y, u32 n, const unsigned char *table)
{
    switch (pattern) {
    case 0: return 0;
    case 1: return n;
    case 2: return lane / 2;
    case 3: return lane % 8;
    case 4: return x;     // rows of the block above each other
    case 5: return y % 4; // one place for each row
    case 6: return y % 4 * n + x;
    case 7: return y % 4 * (3 - n) + x / 2 + 8;
    default: return table[lane];
    }
}

// Each pattern has cells of its own; so has each warp.
template <class T, bool SHARED, bool GUARDED> __global__ void stores(T *out, u32 n, u32 mask, const unsigned char *table)
{
    __shared__ T cells[SHARED ? ALL : 1];
    u32 i = threadIdx.y * blockDim.x + threadIdx.x, lane = i % 32;
    for (u32 c = i; c < ALL && SHARED; c += 32 * WARPS)
        cells[c] = of<T>(99);
    __syncthreads();
#pragma unroll
    for (int p = 0; p < PATTERNS; p++) {
        T *to = (SHARED ? cells : out) + (p * WARPS + i / 32) * CELLS;
        if (!GUARDED || mask >> lane & 1)
            to[cell(p, lane, threadIdx.x, threadIdx.y, n, table)] = of<T>(lane);
    }
    __syncthreads();
    for (u32 c = i; c < ALL && SHARED; c += 32 * WARPS)
        out[c] = cells[c];
}

static int failed, tested;

template <class T, bool SHARED, bool GUARDED> void test_one(dim3 block, u32 n, u32 mask)
{
    unsigned char table[32], *place;
    T *out;
    std::vector<T> want(ALL, of<T>(99)), got(ALL);
    for (u32 i = 0; i < 32; i++)
        table[i] = (i * 7 + 3) % 11;
    cudaMalloc(&out, ALL * sizeof(T));
    cudaMalloc(&place, 32);
    cudaMemcpy(out, want.data(), ALL * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemcpy(place, table, 32, cudaMemcpyHostToDevice);
    stores<T, SHARED, GUARDED><<<1, block>>>(out, n, mask, place);
    cudaMemcpy(got.data(), out, ALL * sizeof(T), cudaMemcpyDeviceToHost);
    cudaFree(out);
    cudaFree(place);
    u32 group = sizeof(T) <= 4 ? 32 : 128 / sizeof(T);
    T none = of<T>(99);
    for (int p = 0; p < PATTERNS; p++) {
        for (u32 i = 0; i < 32 * WARPS; i++) { // groups from the last one on, each from its first lane on: the first to come stays
            u32 lane = i % group + (31 - i % 32) / group * group, t = i / 32 * 32 + lane;
            u32 at = (p * WARPS + i / 32) * CELLS + cell(p, lane, t % block.x, t / block.x, n, table);
            if (mask >> lane & 1 && !memcmp(&want[at], &none, sizeof(T)))
                want[at] = of<T>(lane);
        }
        tested++;
        size_t from = p * WARPS * CELLS, bytes = WARPS * CELLS * sizeof(T);
        if (memcmp(&got[from], &want[from], bytes) && failed++ < 20)
            printf("FAILED: %s, %zu bytes, pattern %d, block of %u x %u, n %u, %s %08x\n", SHARED ? "shared" : "global",
                   sizeof(T), p, block.x, block.y, n, GUARDED ? "some lanes" : "all lanes", mask);
    }
}

template <class T> void test_type()
{
    for (u32 width = 8; width <= 32; width *= 2)
        for (u32 n = 0; n < 3; n += 2) {
            dim3 block(width, 32 * WARPS / width);
            test_one<T, false, false>(block, n, ~0u);
            test_one<T, true, false>(block, n, ~0u);
            for (u32 mask : {0xfffffffeu, 0x0ff0a5f0u, 0x0000ff00u, 0x00800000u}) {
                test_one<T, false, true>(block, n, mask);
                test_one<T, true, true>(block, n, mask);
            }
        }
}

// Which types: all, or the one that is named by its bytes, "x": a vector.
int main(int argc, char **argv)
{
    auto wanted = [&](const char *name) { return argc < 2 || !strcmp(argv[1], name); };
    if (wanted("2"))
        test_type<unsigned short>();
    if (wanted("4"))
        test_type<float>();
    if (wanted("8"))
        test_type<double>();
    if (wanted("8x"))
        test_type<uint2>();
    if (wanted("16"))
        test_type<uint4>();
    printf("%d of %d\n%s\n", tested - failed, tested, failed || !tested ? "FAILED" : "PASSED");
}
