// Steps of sorting algorithms: bitonic in shared memory, bitonic across blocks, digit counts, a stable rank by votes, merging.
#include <cstdio>
#include <cstdlib>
#include <algorithm>
#include <vector>

typedef unsigned int uint;

__device__ inline void Comparator(uint &keyA, uint &valA, uint &keyB, uint &valB, uint dir)
{
    uint t;
    if ((keyA > keyB) == dir)
    {
        t = keyA; keyA = keyB; keyB = t;
        t = valA; valA = valB; valB = t;
    }
}

#define SHARED_SIZE_LIMIT 512U

__global__ void bitonicSortShared(uint *d_DstKey, uint *d_DstVal, uint *d_SrcKey, uint *d_SrcVal, uint dir)
{
    __shared__ uint s_key[SHARED_SIZE_LIMIT];
    __shared__ uint s_val[SHARED_SIZE_LIMIT];
    d_SrcKey += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
    d_SrcVal += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
    d_DstKey += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
    d_DstVal += blockIdx.x * SHARED_SIZE_LIMIT + threadIdx.x;
    s_key[threadIdx.x] = d_SrcKey[0];
    s_val[threadIdx.x] = d_SrcVal[0];
    s_key[threadIdx.x + SHARED_SIZE_LIMIT / 2] = d_SrcKey[SHARED_SIZE_LIMIT / 2];
    s_val[threadIdx.x + SHARED_SIZE_LIMIT / 2] = d_SrcVal[SHARED_SIZE_LIMIT / 2];
    for (uint size = 2; size <= SHARED_SIZE_LIMIT; size <<= 1)
    {
        uint ddd = size == SHARED_SIZE_LIMIT ? dir : dir ^ ((threadIdx.x & (size / 2)) != 0);
        for (uint stride = size / 2; stride > 0; stride >>= 1)
        {
            __syncthreads();
            uint pos = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            Comparator(s_key[pos], s_val[pos], s_key[pos + stride], s_val[pos + stride], ddd);
        }
    }
    __syncthreads();
    d_DstKey[0] = s_key[threadIdx.x];
    d_DstVal[0] = s_val[threadIdx.x];
    d_DstKey[SHARED_SIZE_LIMIT / 2] = s_key[threadIdx.x + SHARED_SIZE_LIMIT / 2];
    d_DstVal[SHARED_SIZE_LIMIT / 2] = s_val[threadIdx.x + SHARED_SIZE_LIMIT / 2];
}

__global__ void bitonicMergeGlobal(int *data, int n, int j, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int ixj = i ^ j;
    if (i < n && ixj > i)
    {
        int a = data[i], b = data[ixj];
        if ((i & k) == 0 ? a > b : a < b)
        {
            data[i] = b;
            data[ixj] = a;
        }
    }
}

__global__ void digitCount(const uint *keys, int n, int shift, uint *counts)
{
    __shared__ uint hist[16];
    if (threadIdx.x < 16)
        hist[threadIdx.x] = 0;
    __syncthreads();
    int first = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    for (int k = 0; k < 4; k++)
    {
        int i = first + k * blockDim.x;
        if (i < n)
            atomicAdd(&hist[(keys[i] >> shift) & 15], 1);
    }
    __syncthreads();
    if (threadIdx.x < 16)
        counts[threadIdx.x * gridDim.x + blockIdx.x] = hist[threadIdx.x];
}

__global__ void splitByBit(const uint *in, uint *out, int n, int bit)
{
    __shared__ int zerosOfWarp[8];
    __shared__ int total;
    int base = blockIdx.x * blockDim.x, t = threadIdx.x;
    bool here = base + t < n;
    uint key = here ? in[base + t] : 0xffffffffu;
    bool zero = here && !((key >> bit) & 1);
    uint votes = __ballot_sync(0xffffffffu, zero);
    int before = __popc(votes & ((1u << (t & 31)) - 1));
    if ((t & 31) == 0)
        zerosOfWarp[t >> 5] = __popc(votes);
    __syncthreads();
    if (t == 0)
    {
        int s = 0;
        for (int w = 0; w < (int)blockDim.x / 32; w++)
        {
            int c = zerosOfWarp[w];
            zerosOfWarp[w] = s;
            s += c;
        }
        total = s;
    }
    __syncthreads();
    int rank = zerosOfWarp[t >> 5] + before;
    if (here)
        out[base + (zero ? rank : total + t - rank)] = key;
}

__device__ int lowerBound(const int *a, int n, int key)
{
    int lo = 0, hi = n;
    while (lo < hi)
    {
        int mid = (lo + hi) >> 1;
        if (a[mid] < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

__global__ void mergeByRank(const int *a, int na, const int *b, int nb, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < na)
    {
        out[i + lowerBound(b, nb, a[i])] = a[i];
    }
    else if (i < na + nb)
    {
        int j = i - na;
        out[j + lowerBound(a, na, b[j] + 1)] = b[j];
    }
}

__global__ void oddEvenPairs(ulonglong2 *items, int n)
{
    __shared__ ulonglong2 s[64];
    int t = threadIdx.x, at = blockIdx.x * 64 + t;
    s[t] = at < n ? items[at] : make_ulonglong2(~0ull, 0);
    __syncthreads();
    for (int round = 0; round < 64; round++)
    {
        int i = 2 * t + (round & 1);
        if (t < 32 && i + 1 < 64 && s[i].x > s[i + 1].x)
        {
            ulonglong2 h = s[i];
            s[i] = s[i + 1];
            s[i + 1] = h;
        }
        __syncthreads();
    }
    if (at < n)
        items[at] = s[t];
}

static uint lcg(uint &s) { s = s * 1103515245u + 12345u; return s ^ (s >> 15); }

int main()
{
    int failures = 0;
    uint seed = 7;
    const int N = 512 * 9;
    std::vector<uint> key(N), val(N), k2(N), v2(N);
    for (int i = 0; i < N; i++) key[i] = lcg(seed), val[i] = key[i] * 3 + 1;
    uint *d[4];
    for (auto &p : d) cudaMalloc(&p, N * 4);
    cudaMemcpy(d[0], key.data(), N * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(d[1], val.data(), N * 4, cudaMemcpyHostToDevice);
    bitonicSortShared<<<9, 256>>>(d[2], d[3], d[0], d[1], 1);
    cudaMemcpy(k2.data(), d[2], N * 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(v2.data(), d[3], N * 4, cudaMemcpyDeviceToHost);
    for (int b = 0; b < 9; b++)
    {
        std::vector<uint> s(key.begin() + b * 512, key.begin() + b * 512 + 512);
        std::sort(s.begin(), s.end());
        for (int i = 0; i < 512; i++) failures += s[i] != k2[b * 512 + i] || v2[b * 512 + i] != s[i] * 3 + 1;
    }

    const int M = 2048;
    std::vector<int> x(M), y(M);
    for (int i = 0; i < M; i++) x[i] = (int)(lcg(seed) % 100000) - 50000;
    int *dx;
    cudaMalloc(&dx, M * 4);
    y = x;
    for (int k = 2; k <= M / 2; k <<= 1) // everything but the last merge on the host
        for (int j = k >> 1; j > 0; j >>= 1)
            for (int i = 0; i < M; i++)
                if ((i ^ j) > i && ((i & k) == 0 ? y[i] > y[i ^ j] : y[i] < y[i ^ j])) std::swap(y[i], y[i ^ j]);
    cudaMemcpy(dx, y.data(), M * 4, cudaMemcpyHostToDevice);
    bitonicMergeGlobal<<<M / 128, 128>>>(dx, M, M / 4, M);
    for (int j = M / 4; j == M / 4; j--)
        for (int i = 0; i < M; i++)
            if ((i ^ j) > i && y[i] > y[i ^ j]) std::swap(y[i], y[i ^ j]);
    cudaMemcpy(x.data(), dx, M * 4, cudaMemcpyDeviceToHost);
    failures += x != y;

    const int blocks = (N - 100 + 767) / 768;
    std::vector<uint> counts(16 * blocks), ref(16 * blocks);
    digitCount<<<blocks, 192>>>(d[0], N - 100, 8, d[2]);
    cudaMemcpy(counts.data(), d[2], counts.size() * 4, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N - 100; i++) ref[((key[i] >> 8) & 15) * blocks + i / 768]++;
    failures += counts != ref;

    splitByBit<<<(N - 77 + 255) / 256, 256>>>(d[0], d[3], N - 77, 5);
    cudaMemcpy(v2.data(), d[3], N * 4, cudaMemcpyDeviceToHost);
    for (int b = 0; b < N - 77; b += 256)
    {
        std::vector<uint> s(key.begin() + b, key.begin() + std::min(b + 256, N - 77));
        std::stable_partition(s.begin(), s.end(), [](uint k) { return !((k >> 5) & 1); });
        for (size_t i = 0; i < s.size(); i++) failures += s[i] != v2[b + i];
    }

    const int na = 1500, nb = 1270;
    std::vector<int> a(na), c(nb), m(na + nb), want;
    for (auto &v : a) v = lcg(seed) % 5000;
    for (auto &v : c) v = lcg(seed) % 5000;
    std::sort(a.begin(), a.end());
    std::sort(c.begin(), c.end());
    std::merge(a.begin(), a.end(), c.begin(), c.end(), std::back_inserter(want));
    int *da, *dc, *dm;
    cudaMalloc(&da, na * 4), cudaMalloc(&dc, nb * 4), cudaMalloc(&dm, (na + nb) * 4);
    cudaMemcpy(da, a.data(), na * 4, cudaMemcpyHostToDevice);
    cudaMemcpy(dc, c.data(), nb * 4, cudaMemcpyHostToDevice);
    mergeByRank<<<(na + nb + 127) / 128, 128>>>(da, na, dc, nb, dm);
    cudaMemcpy(m.data(), dm, m.size() * 4, cudaMemcpyDeviceToHost);
    failures += m != want;

    const int items = 64 * 11 - 20;
    std::vector<ulonglong2> p(items), q(items);
    for (int i = 0; i < items; i++) p[i].x = ((unsigned long long)lcg(seed) << 20) ^ lcg(seed), p[i].y = ~p[i].x;
    ulonglong2 *dp;
    cudaMalloc(&dp, items * sizeof(ulonglong2));
    cudaMemcpy(dp, p.data(), items * sizeof(ulonglong2), cudaMemcpyHostToDevice);
    oddEvenPairs<<<11, 64>>>(dp, items);
    cudaMemcpy(q.data(), dp, items * sizeof(ulonglong2), cudaMemcpyDeviceToHost);
    for (int b = 0; b < items; b += 64)
    {
        auto end = p.begin() + std::min(b + 64, items);
        std::sort(p.begin() + b, end, [](const ulonglong2 &l, const ulonglong2 &r) { return l.x < r.x; });
    }
    for (int i = 0; i < items; i++) failures += p[i].x != q[i].x || q[i].y != ~p[i].x;
    failures += cudaGetLastError() != cudaSuccess;
    printf("%s\n", failures ? "FAILED" : "PASSED");
    return failures != 0;
}
