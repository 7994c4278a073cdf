// Loads of lanes that are some elements apart or go down, and accesses of lanes of which it is known that they are few, at the very
// ends of an allocation. Everything is computed on the host, too. Prints PASSED.
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

template <class T> static void look_at_steps(const void *device, const char *host, void *out)
{
    look<T, 2>(device, host, (T *)out);
    look<T, 3>(device, host, (T *)out);
    look<T, 4>(device, host, (T *)out);
    look<T, 5>(device, host, (T *)out);
    look<T, -1>(device, host, (T *)out);
    look<T, -2>(device, host, (T *)out);
    look<T, -4>(device, host, (T *)out);
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
    look_at_steps<float>(device, host, out);
    look_at_steps<unsigned short>(device, host, out);
    look_at_steps<long long>(device, host, out);
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
