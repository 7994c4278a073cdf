// Loops that go down columns of a matrix: the warps of a block, and of several blocks of a row, go through their turns together
// (jit/llvm/block_form.c). Some lanes and some warps leave before, some part in the loop. Everything is computed on the host, too.
// Prints PASSED. With an argument, a store that is outside of memory: in the turn, and by the thread, that the arguments say.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define BOTH __host__ __device__

struct job {
    const int *in;
    int *out;
    int width, height, pitch;
};

// Each of them does a column, and answers a number that goes to the end of it.
BOTH int sums(const job &j, int x)
{
    int sum = 0;
    for (int y = 0; y < j.height; y++)
        sum += j.in[y * j.pitch + x];
    return sum;
}

BOTH int stencils(const job &j, int x)
{
    if (x == 0 || x >= j.width - 1)
        return -1;
    for (int y = 1; y < j.height - 1; y++) {
        int i = y * j.pitch + x;
        j.out[i] = 3 * j.in[i] + j.in[i - 1] - j.in[i + 1] + j.in[i - j.pitch] - j.in[i + j.pitch];
    }
    return x;
}

BOTH int parts(const job &j, int x)
{
    int sum = x;
    for (int y = 0; y < j.height; y++) {
        int v = j.in[y * j.pitch + x];
        if (v & 1)
            sum = sum * 3 + v;
        else if (v % 7 == 0)
            sum ^= v;
        j.out[y * j.pitch + x] = sum;
    }
    return sum;
}

BOTH int nested(const job &j, int x)
{
    long sum = 0;
    for (int y = 0; y + 4 <= j.height; y += 4) {
        long s = y;
        for (int k = 0; k < 4; k++)
            s = s * 5 + j.in[(y + k) * j.pitch + x];
        j.out[y * j.pitch + x] = (int)s;
        sum += s;
    }
    return (int)(sum ^ sum >> 32);
}

BOTH int twice(const job &j, int x)
{
    int most = -1, least = 1 << 30;
    for (int y = 0; y < j.height; y++)
        most = j.in[y * j.pitch + x] > most ? j.in[y * j.pitch + x] : most;
    if (x % 64 >= 32) // a warp of two
        return most;
    for (int y = 0; y < j.height; y++)
        least = j.in[y * j.pitch + x] < least ? j.in[y * j.pitch + x] : least;
    return most - least;
}

BOTH int breaks(const job &j, int x)
{
    int y;
    for (y = 0; y < j.height; y++)
        if (j.in[y * j.pitch + x] == 12345 && x != 3)
            break;
    return y;
}

typedef int body(const job &j, int x);
template <body *B> __global__ void columns(job j)
{
    int x = (blockIdx.y * blockDim.y + threadIdx.y) * 512 + blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= j.width)
        return;
    j.out[(j.height + blockIdx.z) * j.pitch + x] = B(j, x) + (int)blockIdx.z;
}

// Warps leave early; what the others do next was decided before.
template <bool WAITS> __global__ void gone(int *out, int n)
{
    __shared__ int s[64];
    bool some = n > 3;
    if (threadIdx.x >= 64)
        return;
    if (some) {
        s[threadIdx.x] = (int)threadIdx.x * n;
        if (WAITS)
            __syncthreads();
        else
            __syncwarp();
        out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x ^ 1] + (WAITS ? s[63 - threadIdx.x] : 0);
    } else {
        out[blockIdx.x * 64 + threadIdx.x] = -5;
    }
}

// Before the loop some lanes exit, and where x - shift goes round machine code gives its warp up. All layers of the grid do the same, so that rows are claimed whole.
__global__ void late(const double *weight, const double *in, double *out, int height, int pitch, unsigned shift, unsigned n)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x, u = x - shift;
    if (x % 320 == 5)
        return;
    out[(height + 1) * pitch + x] = 1; // so that these are two branches
    if (u >= n)
        return;
    double sum = weight[u], most = sum;
    for (int y = 0; y < height; y++) {
        double v = in[y * pitch + x];
        sum += v;
        most = v > most ? v : most;
        out[(y + 1) * pitch + x] = sum;
    }
    out[u] = sum + most;
}

// The thread `bad` stores beside of memory in its turn `turn`, and the one behind it by 7 a turn before.
__global__ void fault(int *out, int width, int height, int bad, int turn)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int y = 0; y < height; y++) {
        long at = (long)y * width + x;
        if (x == bad && y == turn)
            at += 1 << 28;
        if (x == bad + 7 && y == turn - 1)
            at += 1 << 29;
        out[at] = x + y;
    }
}

static int failed;

static void check(bool ok, const char *what, dim3 block, int width, int height)
{
    if (!ok)
        printf("FAILED: %s, blocks of %u x %u, %d x %d\n", what, block.x, block.y, width, height);
    failed += !ok;
}

template <body *B> static void run(const char *what, dim3 block, int width, int height, int layers)
{
    int pitch = width + 5;
    size_t n = (size_t)pitch * (height + layers);
    std::vector<int> in(n), want(n, 7), got(n);
    unsigned r = 1;
    for (size_t i = 0; i < n; i++)
        in[i] = (int)((r = r * 1664525 + 1013904223) >> 12) % (height > 90 ? 13000 : 1000);
    job d = {nullptr, nullptr, width, height, pitch}, h = {in.data(), want.data(), width, height, pitch};
    int *din, *dout;
    cudaMalloc(&din, n * sizeof(int));
    cudaMalloc(&dout, n * sizeof(int));
    cudaMemcpy(din, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(dout, want.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    d.in = din;
    d.out = dout;
    dim3 grid((512 + block.x - 1) / block.x, ((unsigned)(width + 511) / 512 + block.y - 1) / block.y, (unsigned)layers);
    columns<B><<<grid, block>>>(d);
    cudaMemcpy(got.data(), dout, n * sizeof(int), cudaMemcpyDeviceToHost);
    check(cudaGetLastError() == cudaSuccess, what, block, width, height);
    for (int z = 0; z < layers; z++)
        for (int x = 0; x < width; x++)
            want[(size_t)(height + z) * pitch + x] = B(h, x) + z;
    check(got == want, what, block, width, height);
    cudaFree(din);
    cudaFree(dout);
}

template <bool WAITS> static void run_gone(int n)
{
    int got[3 * 64], *out;
    cudaMalloc(&out, sizeof got);
    gone<WAITS><<<3, 256>>>(out, n);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    bool ok = cudaGetLastError() == cudaSuccess;
    for (int i = 0; i < 3 * 64; i++)
        ok &= got[i] == (n > 3 ? ((i % 64) ^ 1) * n + (WAITS ? (63 - i % 64) * n : 0) : -5);
    check(ok, "gone", dim3(256), n, WAITS);
    cudaFree(out);
}

static void run_late(unsigned shift)
{
    const int width = 2048, height = 20;
    std::vector<double> in((size_t)width * height), weight(width), want((size_t)width * (height + 2), -1), got(want);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (double)(i * 7919 % 1000);
    for (int i = 0; i < width; i++)
        weight[i] = i % 17;
    double *d[3];
    const std::vector<double> *from[3] = {&weight, &in, &want};
    for (int i = 0; i < 3; i++) {
        cudaMalloc(&d[i], from[i]->size() * sizeof(double));
        cudaMemcpy(d[i], from[i]->data(), from[i]->size() * sizeof(double), cudaMemcpyHostToDevice);
    }
    late<<<dim3(width / 256, 64), 256>>>(d[0], d[1], d[2], height, width, shift, width);
    cudaMemcpy(got.data(), d[2], got.size() * sizeof(double), cudaMemcpyDeviceToHost);
    for (unsigned x = 0; x < (unsigned)width; x++)
        if (x % 320 != 5)
            want[(size_t)(height + 1) * width + x] = 1;
    for (unsigned x = shift; x < (unsigned)width; x++) {
        double sum = weight[x - shift], most = sum;
        for (int y = 0; y < height && x % 320 != 5; y++) {
            double v = in[(size_t)y * width + x];
            sum += v;
            most = v > most ? v : most;
            want[(size_t)(y + 1) * width + x] = sum;
        }
        if (x % 320 != 5)
            want[x - shift] = sum + most;
    }
    check(cudaGetLastError() == cudaSuccess && got == want, "late", dim3(256), width, (int)shift);
    for (double *p : d)
        cudaFree(p);
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        int *out;
        cudaMalloc(&out, 4096 * 100 * sizeof *out);
        fault<<<16, 256>>>(out, 4096, 100, atoi(argv[1]), atoi(argv[2]));
        printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
        return 0;
    }
    static const dim3 blocks[] = {dim3(32, 8), dim3(64, 2), dim3(256), dim3(96)};
    for (dim3 block : blocks)
        for (int width : {64, 509, 3000})
            for (int height : {5, 100}) {
                int layers = width == 509 ? 3 : 1;
                run<sums>("sums", block, width, height, layers);
                run<stencils>("stencils", block, width, height, layers);
                run<parts>("parts", block, width, height, layers);
                run<nested>("nested", block, width, height, layers);
                run<twice>("twice", block, width, height, layers);
                run<breaks>("breaks", block, width, height, layers);
            }
    for (unsigned shift : {0u, 300u, 1040u, 1500u, 2040u})
        for (int times = 0; times < 2; times++) /* the first launch does not know yet that blocks go together */
            run_late(shift);
    run_gone<true>(2);
    run_gone<true>(9);
    run_gone<false>(9);
    printf(failed ? "FAILED\n" : "PASSED\n");
    return failed != 0;
}
