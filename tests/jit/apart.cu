// Lanes that are some elements apart or go down, that store all members of a structure, that turn out to be neighbours, or of which it
// is known that they are few; loads at the very ends of an allocation. Everything is computed on the host, too. Prints PASSED.
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

static const int THREADS = 128, N = 2 << 20; // bytes: a whole granule, so that nothing beside it may be read

#define BOTH __host__ __device__

// Element of thread t: `STEP` apart, the last one the array's last, or the first one its first.
template <class T, int STEP> BOTH int place(int t, bool last)
{
    int lowest = STEP < 0 ? (THREADS - 1) * -STEP : 0, highest = STEP < 0 ? 0 : (THREADS - 1) * STEP;
    return STEP * t + (last ? N / (int)sizeof(T) - 1 - highest : lowest);
}

template <class T, int STEP> __global__ void apart(const T *p, T *out, bool last, int lanes)
{
    int t = threadIdx.x;
    T *shared_room = out + 2 * THREADS;
    out[t] = p[place<T, STEP>(t, last)];
    T v = 0;
    if (t % 32 < lanes)
        v = p[place<T, STEP>(t, last)];
    shared_room[t] = v;
}

template <class T, int STEP> __global__ void apart_in_shared(T *out)
{
    __shared__ T room[THREADS * (STEP < 0 ? -STEP : STEP)];
    int t = threadIdx.x;
    for (int i = t; i < (int)(sizeof room / sizeof(T)); i += THREADS)
        room[i] = (T)(i * 7 + 3);
    __syncthreads();
    out[t] = room[STEP < 0 ? (THREADS - 1 - t) * -STEP : t * STEP];
}

static int failed;

static void expect(bool ok, const char *what, int size, int step, int t)
{
    if (!ok && !failed++)
        printf("FAILED: %s of %d bytes, %d apart, thread %d\n", what, size, step, t);
}

template <class T, int STEP> static void look(const void *device, const char *host, T *out)
{
    T have[4 * THREADS];
    const T *h = (const T *)host;
    for (int last = 0; last < 2; last++)
        for (int lanes = 32; lanes; lanes = lanes == 32 ? 17 : lanes == 17 ? 3 : 0) {
            cudaMemset(out, 0x55, sizeof have);
            apart<T, STEP><<<1, THREADS>>>((const T *)device, out, last, lanes);
            cudaMemcpy(have, out, sizeof have, cudaMemcpyDeviceToHost);
            for (int t = 0; t < THREADS; t++) {
                T want = h[place<T, STEP>(t, last)];
                expect(!memcmp(&have[t], &want, sizeof want), "load", sizeof(T), STEP, t);
                want = t % 32 < lanes ? want : (T)0;
                expect(!memcmp(&have[2 * THREADS + t], &want, sizeof want), "load of some lanes", sizeof(T), STEP, t);
            }
        }
    apart_in_shared<T, STEP><<<1, THREADS>>>(out);
    cudaMemcpy(have, out, sizeof *have * THREADS, cudaMemcpyDeviceToHost);
    for (int t = 0; t < THREADS; t++)
        expect(have[t] == (T)((STEP < 0 ? (THREADS - 1 - t) * -STEP : t * STEP) * 7 + 3), "shared load", sizeof(T), STEP, t);
}

// Blocks of 16 x 8: lanes 0 and 16 of a warp do the first; 0 alone, all but none, or some in the middle the others.
static const int W = 16, H = 8;

template <class T> __global__ void few(const T *in, T *out, T *first)
{
    __shared__ T column[H], corner[4];
    int x = threadIdx.x, y = threadIdx.y;
    T mine = 0;
    if (x == 0)
        column[y] = in[y * 3];
    if (x == 15 && y % 2)
        mine = in[y];
    if (x < 2)
        corner[y % 4] = in[x + y]; // of two lanes at one address, one
    __syncthreads();
    out[y * W + x] = column[y] * 5 + mine;
    if (x == 7)
        out[W * H + y] = column[y] + 1;
    if (x == 0 && y == 0)
        first[0] = in[N / sizeof(T) - 1] + 1; // the last and the first of what may be accessed
    if (x == 1 && y < 4)
        out[W * H + H + y] = corner[y] == in[y] || corner[y] == in[y + 1] || corner[y] == in[y + 4] || corner[y] == in[y + 5];
}

__global__ void few_vectors(const float4 *in, float4 *out)
{
    if (threadIdx.x == 3)
        out[threadIdx.y] = in[threadIdx.y + 1];
}

template <class T> static void look_at_few(const void *device, const char *host, T *out, T *first)
{
    const T *in = (const T *)host;
    T have[W * H + H + 4], one;
    few<T><<<1, dim3(W, H)>>>((const T *)device, out, first);
    cudaMemcpy(have, out, sizeof have, cudaMemcpyDeviceToHost);
    cudaMemcpy(&one, first, sizeof one, cudaMemcpyDeviceToHost);
    for (int t = 0; t < W * H; t++) {
        T want = (T)(in[t / W * 3] * 5 + (t % W == 15 && t / W % 2 ? in[t / W] : (T)0));
        expect(!memcmp(&have[t], &want, sizeof want), "few", sizeof(T), 0, t);
    }
    for (int y = 0; y < H; y++)
        expect(have[W * H + y] == (T)(in[y * 3] + 1), "one column", sizeof(T), 0, y);
    for (int y = 0; y < 4; y++)
        expect(have[W * H + H + y] == 1, "two lanes at one address", sizeof(T), 0, y);
    expect(one == (T)(in[N / sizeof(T) - 1] + 1), "first and last", sizeof(T), 0, 0);
}

// Members of structures: each is stored by all lanes, and together they are all bytes. In any order, with one of another type, one that is
// written twice, one that is read in between, and one that is missing.
template <class T> struct Two { T x, y; };
template <class T> struct Three { T x, y, z; };
template <class T> struct Four { T x, y, z, w; };
struct Mixed { float x; int y; unsigned z; };

template <class T> __global__ void members(Two<T> *two, Three<T> *three, Four<T> *four, Three<T> *twice, Four<T> *missing, T *seen, Mixed *mixed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    T v = (T)(i * 3 + 1);
    two[i].y = v;
    two[i].x = (T)(v + 1);
    three[i].x = v;
    three[i].z = (T)(v * 2);
    three[i].y = (T)(v * 3);
    four[i].w = v;
    four[i].x = (T)(v + 1);
    four[i].z = (T)(v + 2);
    four[i].y = (T)(v + 3);
    ((volatile Three<T> *)twice)[i].x = (T)0;
    twice[i].x = v;
    twice[i].y = (T)(v + 1);
    seen[i] = twice[(i ^ 1) < n ? i : 0].x; // a load between, of the same memory for all the code knows
    twice[i].z = (T)(v + 2);
    missing[i].x = v;
    missing[i].y = v;
    missing[i].w = (T)(v + 1);
    mixed[i].x = i * 0.5f;
    mixed[i].y = -i;
    mixed[i].z = i * 7;
}

template <class T> static void look_at_members(char *out)
{
    const int COUNT = 700; // the last block is not full
    static Two<T> two[COUNT];
    static Three<T> three[COUNT], twice[COUNT];
    static Four<T> four[COUNT], missing[COUNT];
    static Mixed mixed[COUNT];
    static T seen[COUNT];
    char *p = out;
    auto room = [&](size_t bytes) { char *at = p; p += (bytes + 255) / 256 * 256; return at; };
    auto d2 = (Two<T> *)room(sizeof two);
    auto d3 = (Three<T> *)room(sizeof three), dt = (Three<T> *)room(sizeof twice);
    auto d4 = (Four<T> *)room(sizeof four), dm = (Four<T> *)room(sizeof missing);
    auto dx = (Mixed *)room(sizeof mixed);
    auto ds = (T *)room(sizeof seen);
    cudaMemset(out, 0x55, p - out);
    members<T><<<(COUNT + 127) / 128, 128>>>(d2, d3, d4, dt, dm, ds, dx, COUNT);
    cudaMemcpy(two, d2, sizeof two, cudaMemcpyDeviceToHost);
    cudaMemcpy(three, d3, sizeof three, cudaMemcpyDeviceToHost);
    cudaMemcpy(twice, dt, sizeof twice, cudaMemcpyDeviceToHost);
    cudaMemcpy(four, d4, sizeof four, cudaMemcpyDeviceToHost);
    cudaMemcpy(missing, dm, sizeof missing, cudaMemcpyDeviceToHost);
    cudaMemcpy(mixed, dx, sizeof mixed, cudaMemcpyDeviceToHost);
    cudaMemcpy(seen, ds, sizeof seen, cudaMemcpyDeviceToHost);
    for (int i = 0; i < COUNT; i++) {
        T v = (T)(i * 3 + 1), untouched;
        memset(&untouched, 0x55, sizeof untouched);
        expect(two[i].x == (T)(v + 1) && two[i].y == v, "two members", sizeof(T), 2, i);
        expect(three[i].x == v && three[i].y == (T)(v * 3) && three[i].z == (T)(v * 2), "three members", sizeof(T), 3, i);
        expect(four[i].x == (T)(v + 1) && four[i].y == (T)(v + 3) && four[i].z == (T)(v + 2) && four[i].w == v, "four members", sizeof(T), 4, i);
        expect(twice[i].x == v && twice[i].y == (T)(v + 1) && twice[i].z == (T)(v + 2), "a member twice", sizeof(T), 3, i);
        expect(seen[i] == ((i ^ 1) < COUNT ? v : (T)1) || i, "a member that is read", sizeof(T), 3, i);
        expect(missing[i].x == v && missing[i].y == v && !memcmp(&missing[i].z, &untouched, sizeof untouched) && missing[i].w == (T)(v + 1),
               "a member that is missing", sizeof(T), 4, i);
        expect(mixed[i].x == i * 0.5f && mixed[i].y == -i && mixed[i].z == (unsigned)i * 7, "members of several types", sizeof(T), 3, i);
    }
}

// Lanes whose addresses have no shape, and that are neighbours all the same: behind a loop that they leave at different turns, and where
// an edge is clamped.
template <class T> __global__ void edges(const T *in, T *out, T *sums, int n)
{
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    int left = max(x - 1, 0), right = min(x + 1, n - 1), up = max(y - 1, 0), down = min(y + 1, n - 1);
    out[y * n + x] = (T)(in[y * n + left] + in[y * n + right] + in[up * n + x] + in[down * n + x]);
    int t = (y % 8) * 16 + threadIdx.x, length = n * 5 + 3;
    T sum = 0;
    for (int i = t; i < length; i += 128) {
        sum = (T)(sum + in[i]);
        if (!blockIdx.x && !blockIdx.y)
            sums[i] = sum;
    }
}

template <class T> static void look_at_edges(const char *device, const char *host, char *out)
{
    const int n = 48, length = n * 5 + 3;
    const T *in = (const T *)host;
    static T have[n * n], sums[length], want[length];
    edges<T><<<dim3(n / 16, n / 8), dim3(16, 8)>>>((const T *)device, (T *)out, (T *)(out + 65536), n);
    cudaMemcpy(have, out, sizeof have, cudaMemcpyDeviceToHost);
    cudaMemcpy(sums, out + 65536, sizeof sums, cudaMemcpyDeviceToHost);
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            int left = x ? x - 1 : 0, right = x < n - 1 ? x + 1 : x, up = y ? y - 1 : 0, down = y < n - 1 ? y + 1 : y;
            T sum = (T)(in[y * n + left] + in[y * n + right] + in[up * n + x] + in[down * n + x]);
            expect(!memcmp(&have[y * n + x], &sum, sizeof sum), "clamped edges", sizeof(T), 0, y * n + x);
        }
    for (int i = 0; i < length; i++) {
        want[i] = (T)((i < 128 ? (T)0 : want[i - 128]) + in[i]);
        expect(!memcmp(&sums[i], &want[i], sizeof want[i]), "stores of a loop that lanes leave", sizeof(T), 0, i);
    }
}

int main()
{
    static char host[N];
    char *device, *out;
    for (int i = 0; i < N / 4; i++) {
        float f = (float)(i % 9973);
        memcpy(host + 4 * i, &f, 4);
    }
    if (cudaMalloc(&device, N) || cudaMalloc(&out, N))
        return 1;
    cudaMemcpy(device, host, N, cudaMemcpyHostToDevice);
    look<float, 2>(device, host, (float *)out);
    look<float, 3>(device, host, (float *)out);
    look<float, 4>(device, host, (float *)out);
    look<float, 5>(device, host, (float *)out);
    look<float, -1>(device, host, (float *)out);
    look<float, -4>(device, host, (float *)out);
    look<unsigned short, 3>(device, host, (unsigned short *)out);
    look<unsigned short, -1>(device, host, (unsigned short *)out);
    look<long long, 2>(device, host, (long long *)out);
    look<long long, -2>(device, host, (long long *)out);
    look_at_members<float>(out);
    look_at_members<double>(out);
    look_at_members<unsigned char>(out);
    look_at_edges<float>(device, host, out);
    look_at_edges<unsigned char>(device, host, out);
    look_at_edges<long long>(device, host, out);
    look_at_few<float>(device, host, (float *)out, (float *)(out + N - 8));
    look_at_few<unsigned char>(device, host, (unsigned char *)out, (unsigned char *)(out + N - 8));
    look_at_few<unsigned long long>(device, host, (unsigned long long *)out, (unsigned long long *)(out + N - 8));
    few_vectors<<<1, dim3(W, H)>>>((float4 *)device, (float4 *)out);
    float4 have[H];
    cudaMemcpy(have, out, sizeof have, cudaMemcpyDeviceToHost);
    expect(!memcmp(have, host + 16, sizeof have), "vectors", 16, 0, 0);
    puts(failed || cudaGetLastError() ? "FAILED" : "PASSED");
    return failed > 0;
}
