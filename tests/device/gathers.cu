// Addresses that differ from lane to lane: gathers and scatters of every width in global, shared, constant, managed and local
// memory, lanes that write to one place, and the faults of lanes outside of memory.
#include <cstdio>
#include <cstring>
#include <vector>

typedef unsigned int u32;
enum { THREADS = 96, N = 1024 };

__managed__ u32 managed[N];
__constant__ u32 constant[N];
__device__ int wrong;

__host__ __device__ u32 mix(u32 x)
{
    x = (x ^ 61) ^ (x >> 16);
    x *= 9;
    x ^= x >> 4;
    return x * 0x27d4eb2d;
}

template <class T> __host__ __device__ T made(u32 i);
template <> __host__ __device__ signed char made(u32 i) { return (signed char)mix(i); }
template <> __host__ __device__ unsigned short made(u32 i) { return (unsigned short)mix(i); }
template <> __host__ __device__ u32 made(u32 i) { return mix(i); }
template <> __host__ __device__ double made(u32 i) { return mix(i) * 0.5; }
template <> __host__ __device__ uint4 made(u32 i) { return make_uint4(mix(i), i, ~i, mix(i + 1)); }
template <> __host__ __device__ float2 made(u32 i) { return make_float2((float)mix(i), (float)i); }

template <class T> __host__ __device__ bool same(const T &a, const T &b) { return a == b; }
__host__ __device__ bool same(const uint4 &a, const uint4 &b) { return a.x == b.x && a.y == b.y && a.z == b.z && a.w == b.w; }
__host__ __device__ bool same(const float2 &a, const float2 &b) { return a.x == b.x && a.y == b.y; }

template <class T> __global__ void through(const T *in, T *out, u32 salt)
{
    __shared__ T cells[256];
    const u32 i = threadIdx.x, from = mix(i + salt) % N, to = 255 - (i * 7 & 127);
    T x = in[from];
    if (!same(x, made<T>(from)))
        atomicAdd(&wrong, 1);
    cells[to] = x;
    __syncthreads();
    if (i % 3) // some lanes only
        out[to] = cells[255 - ((i ^ 1) * 7 & 127)];
}

template <class T> void test_width(u32 salt)
{
    std::vector<T> host(N), got(256), want(256);
    for (u32 i = 0; i < N; i++)
        host[i] = made<T>(i);
    memset(got.data(), 0, 256 * sizeof(T));
    memset(want.data(), 0, 256 * sizeof(T));
    T *in, *out;
    cudaMalloc(&in, N * sizeof(T));
    cudaMalloc(&out, 256 * sizeof(T));
    cudaMemcpy(in, host.data(), N * sizeof(T), cudaMemcpyHostToDevice);
    cudaMemset(out, 0, 256 * sizeof(T));
    through<<<1, THREADS>>>(in, out, salt);
    cudaMemcpy(got.data(), out, 256 * sizeof(T), cudaMemcpyDeviceToHost);
    for (u32 i = 0; i < THREADS; i++)
        if (i % 3)
            want[255 - (i * 7 & 127)] = host[mix((i ^ 1) + salt) % N];
    for (int i = 0; i < 256; i++)
        if (!same(got[i], want[i])) {
            printf("FAILED: %zu bytes, cell %d\n", sizeof(T), i);
            break;
        }
    cudaFree(in);
    cudaFree(out);
}

// Of lanes that write a cell the first one's value stays; a lane's own array; memory of the host; constants.
__global__ void others(u32 *out, u32 salt)
{
    __shared__ u32 cells[8];
    u32 own[32], i = threadIdx.x, sum = 0;
    cells[i & 7] = i;
    __syncwarp();
    if (cells[i & 7] != (i & 7))
        atomicAdd(&wrong, 1);
    out[i % 5] = i;
    for (u32 k = 0; k < 32; k++)
        own[k] = k * i;
    for (u32 k = 0; k < 8; k++) {
        u32 at = mix(i + k + salt) & 31;
        own[at] += k;
        sum += own[mix(at) & 31];
    }
    out[32 + i] = sum;
    out[64 + i] = managed[mix(i) % N] + constant[mix(i + 1) % N];
    managed[i * 5] = i;
    const u32 *either = i & 1 ? cells : out; // two spaces in one access
    out[96 + i] = either[i & 1 ? i & 7 : i % 5];
}

void test_others(u32 salt)
{
    u32 *out, got[128], host[N];
    for (u32 i = 0; i < N; i++)
        host[i] = managed[i] = mix(i);
    cudaMalloc(&out, sizeof got);
    cudaMemcpyToSymbol(constant, host, sizeof host);
    others<<<1, 32>>>(out, salt);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    bool ok = true;
    for (u32 i = 0; i < 32; i++) {
        u32 own[32], sum = 0;
        for (u32 k = 0; k < 32; k++)
            own[k] = k * i;
        for (u32 k = 0; k < 8; k++) {
            u32 at = mix(i + k + salt) & 31;
            own[at] += k;
            sum += own[mix(at) & 31];
        }
        ok &= got[i % 5] == i % 5 && got[32 + i] == sum && managed[i * 5] == i && got[64 + i] == host[mix(i) % N] + host[mix(i + 1) % N] &&
              got[96 + i] == (i & 1 ? i & 7 : i % 5);
    }
    if (!ok)
        printf("FAILED: other memory\n");
    cudaFree(out);
}

// Neighbours in a shared array whose ends lie between two lanes: those that are off would be beside it.
__global__ void beside(const u32 *in, u32 *out, u32 fault)
{
    __shared__ u32 cells[45];
    u32 t = threadIdx.x, x = 1;
    if (t < 45)
        cells[t] = in[t];
    __syncthreads();
    if (t < 8)
        x = cells[t];
    for (u32 d = 1; d < 8; d *= 2)
        if (t >= d && t < 45)
            x += cells[t - d] * (d + 1);
    if (t > 3 && t < 44)
        x ^= cells[t + 1];
    if (t < fault)
        x += cells[t + 4096];
    __syncthreads();
    if (t > 39 && t < 45)
        cells[t] = x;
    if (t == 44)
        x += cells[43] + cells[40];
    out[t] = x;
}

void test_beside()
{
    u32 *in, *out, host[64], got[64], want[64];
    for (u32 i = 0; i < 64; i++)
        host[i] = mix(i);
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    beside<<<1, 64>>>(in, out, 0);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (u32 t = 0; t < 64; t++) {
        want[t] = t < 8 ? host[t] : 1;
        for (u32 d = 1; d < 8; d *= 2)
            if (t >= d && t < 45)
                want[t] += host[t - d] * (d + 1);
        if (t > 3 && t < 44)
            want[t] ^= host[t + 1];
    }
    want[44] += want[43] + want[40];
    if (memcmp(got, want, sizeof got))
        printf("FAILED: short shared arrays\n");
}

// Lanes go through a row each warp, and leave it one by one, from behind or (`last`) from the front; some read every other element.
template <class T> __global__ void walk(const u32 *first, const T *in, T *out, bool last)
{
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, begin = first[warp], end = first[warp + 1];
    u32 to = last && lane < 7 ? begin + 20 : end, step = warp % 4 == 3 ? 2 : 1;
    T sum = T();
    for (u32 i = begin + lane * step; i < to; i += 32 * step)
        sum += in[i];
    out[threadIdx.x] = sum;
}

template <class T> static void test_walk(bool last)
{
    u32 *first;
    T *in, *out;
    cudaMallocManaged(&first, 9 * sizeof *first);
    cudaMallocManaged(&in, N * sizeof *in);
    cudaMallocManaged(&out, 256 * sizeof *out);
    for (u32 i = 0; i < N; i++)
        in[i] = made<T>(i);
    for (u32 i = 0; i < 9; i++)
        first[i] = i < 8 ? i * 125 + i * i % 5 : N;
    for (u32 round = 0; round < 3; round++)
        walk<<<1, 256>>>(first, in, out, last);
    cudaDeviceSynchronize();
    for (u32 t = 0; t < 256; t++) {
        u32 warp = t / 32, lane = t % 32, step = warp % 4 == 3 ? 2 : 1, to = last && lane < 7 ? first[warp] + 20 : first[warp + 1];
        T sum = T();
        for (u32 i = first[warp] + lane * step; i < to; i += 32 * step)
            sum += in[i];
        if (out[t] != sum)
            printf("FAILED: thread %u of a walk\n", t);
    }
}

__global__ void outside(u32 *p, u32 far)
{
    p[threadIdx.x == 13 ? far : mix(threadIdx.x) % 64] = 1;
}

int main()
{
    for (u32 salt = 0; salt < 4; salt++) {
        test_width<signed char>(salt);
        test_width<unsigned short>(salt);
        test_width<u32>(salt);
        test_width<double>(salt);
        test_width<float2>(salt);
        test_width<uint4>(salt);
        test_others(salt);
    }
    test_beside();
    for (bool last : {false, true}) {
        test_walk<u32>(last);
        test_walk<double>(last);
    }
    int bad = -1;
    cudaMemcpyFromSymbol(&bad, wrong, sizeof bad);
    if (bad)
        printf("FAILED: %d lanes\n", bad);
    u32 *p;
    cudaMalloc(&p, 256);
    outside<<<1, 32>>>(p, 0x10000000);
    if (cudaDeviceSynchronize() != cudaErrorIllegalAddress)
        printf("FAILED: a lane outside of memory\n");
    puts("PASSED");
    return 0;
}
