// Kernels whose warps machine code runs several at once (src/jit/unroll_jam.h): as far as they go together, and where some of them
// do not: at a bound, inside of a loop between barriers, at an index that wraps. Each against the same in host code.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

static int bad;

// A row and a column for each thread, through tiles, for blocks of any size that is a multiple of its width.
template <int X, int Y> __global__ void multiply(const int *a, const int *b, int *c, int n)
{
    __shared__ int ta[Y][X], tb[X][X];
    int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * X + x, row = blockIdx.y * Y + y, sum = 0;
    for (int k0 = 0; k0 < n; k0 += X) {
        ta[y][x] = a[row * n + k0 + x];
        for (int k = 0; k < X; k += Y)
            tb[k + y][x] = b[(k0 + k + y) * n + col];
        __syncthreads();
        for (int k = 0; k < X; k++)
            sum += ta[y][k] * tb[k][x];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

// Much that is the same in all warps, or goes up from warp to warp, is alive where they part: at turn `when` of the loop, in
// block `where`, warps from `from` on go another way. Then all go on to the end.
__global__ void part(const int *in, int *out, int n, unsigned where, int when, int from)
{
    __shared__ int row[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t, four = t * 4, uniform = n * 3, sum = 0;
    float scale = 0.5f;
    const int *p = in + i;
    for (int k = 0; k < n; k++) {
        row[t] = p[0] + k;
        __syncthreads();
        sum += row[(t + 32) % 256] * uniform + four;
        sum += row[k % 256];
        uniform += 7;
        four += k;
        scale *= 1.25f;
        if (blockIdx.x == where && k == when) {
            if (t / 32 >= from) {
                sum += (int)(scale * 4) + four;
                asm volatile("" ::: "memory"); // not a selection
            } else {
                sum -= uniform;
                asm volatile("" ::: "memory");
            }
        }
        __syncthreads();
    }
    out[i] = sum + four * 3 + uniform + (int)(scale * 16);
}

static void parted(const int *in, int *out, int blocks, int n, int where, int when, int from)
{
    for (int b = 0; b < blocks; b++)
        for (int t = 0; t < 256; t++) {
            int four = t * 4, uniform = n * 3, sum = 0;
            float scale = 0.5f;
            for (int k = 0; k < n; k++) {
                sum += (in[b * 256 + (t + 32) % 256] + k) * uniform + four + in[b * 256 + k % 256] + k;
                uniform += 7;
                four += k;
                scale *= 1.25f;
                if (b == where && k == when)
                    sum += t / 32 >= from ? (int)(scale * 4) + four : -uniform;
            }
            out[b * 256 + t] = sum + four * 3 + uniform + (int)(scale * 16);
        }
}

// The last block ends in the middle, of a warp or of a group of warps.
__global__ void bound(const float *x, float *y, int n, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < turns; k++)
        sum += (float)k;
    if (i < n)
        y[i] = 2 * x[i] + y[i] + sum;
}

// An index of 32 bits that wraps in one of the block's warps.
__global__ void wraps(long long *out, unsigned first, int turns)
{
    unsigned at = first + threadIdx.x;
    long long sum = 0;
    for (int k = 0; k < turns; k++)
        sum += (int)(at + k);
    out[threadIdx.x] = sum + (long long)(int)at * 8;
}

static void check(const char *what, const void *have, const void *want, size_t bytes)
{
    if (memcmp(have, want, bytes)) {
        printf("FAILED: %s\n", what);
        bad++;
    }
}

template <int X, int Y> static void multiplied(const int *a, const int *b, const std::vector<int> &want, int n)
{
    std::vector<int> have(n * n);
    int *c;
    cudaMalloc(&c, n * n * sizeof *c);
    cudaMemset(c, 0, n * n * sizeof *c);
    multiply<X, Y><<<dim3(n / X, n / Y), dim3(X, Y)>>>(a, b, c, n);
    cudaMemcpy(have.data(), c, n * n * sizeof *c, cudaMemcpyDeviceToHost);
    char what[40];
    snprintf(what, sizeof what, "multiply %d x %d", X, Y);
    check(what, have.data(), want.data(), n * n * sizeof(int));
    cudaFree(c);
}

template <class T> static T *device(const std::vector<T> &v)
{
    T *p;
    cudaMalloc(&p, v.size() * sizeof(T));
    cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

int main()
{
    const int n = 128, blocks = 6;
    std::vector<int> a(n * n), b(n * n), c(n * n), in(blocks * 256), out(in.size()), want(in.size());
    for (int i = 0; i < n * n; i++)
        a[i] = i * 37 % 101 - 50, b[i] = i * 53 % 97 - 48;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    int *da = device(a), *db = device(b);
    multiplied<16, 16>(da, db, c, n);
    multiplied<32, 32>(da, db, c, n);
    multiplied<32, 8>(da, db, c, n);
    multiplied<8, 8>(da, db, c, n);
    multiplied<64, 4>(da, db, c, n);
    multiplied<64, 2>(da, db, c, n);
    multiplied<16, 4>(da, db, c, n);

    for (size_t i = 0; i < in.size(); i++)
        in[i] = (int)(i * 7919 % 1009);
    int *din = device(in), *dout = device(out);
    const int cases[][3] = {{-1, 0, 0}, {2, 0, 4}, {2, 9, 4}, {3, 20, 1}, {0, 39, 7}, {5, 17, 8}, {1, 31, 0}, {4, 3, 5}};
    for (auto &one : cases) {
        part<<<blocks, 256>>>(din, dout, 40, (unsigned)one[0], one[1], one[2]);
        parted(in.data(), want.data(), blocks, 40, one[0], one[1], one[2]);
        cudaMemcpy(out.data(), dout, out.size() * sizeof(int), cudaMemcpyDeviceToHost);
        char what[60];
        snprintf(what, sizeof what, "parted in block %d, turn %d, warp %d", one[0], one[1], one[2]);
        check(what, out.data(), want.data(), out.size() * sizeof(int));
    }

    for (int m : {256, 1000, 1024, 1100, 1279, 1500}) {
        std::vector<float> x(1536), y(1536), z(1536), got(1536);
        for (int i = 0; i < 1536; i++) {
            x[i] = i * 0.25f, y[i] = 1000.f - i;
            z[i] = i < m ? 2 * x[i] + y[i] + 3 : y[i];
        }
        float *dx = device(x), *dy = device(y);
        bound<<<(m + 255) / 256, 256>>>(dx, dy, m, 3);
        cudaMemcpy(got.data(), dy, got.size() * sizeof(float), cudaMemcpyDeviceToHost);
        check("bound", got.data(), z.data(), got.size() * sizeof(float));
        cudaFree(dx);
        cudaFree(dy);
    }

    long long sums[256], expect[256], *ds;
    cudaMalloc(&ds, sizeof sums);
    for (unsigned first : {0u, 0x7fffff80u, 0x7fffffe0u, 0x7fffffe1u, 0x7fffff01u, 0xffffff90u, 0x7ffffeffu}) {
        wraps<<<1, 256>>>(ds, first, 5);
        cudaMemcpy(sums, ds, sizeof sums, cudaMemcpyDeviceToHost);
        for (unsigned t = 0; t < 256; t++) {
            expect[t] = 8ll * (int)(first + t);
            for (int k = 0; k < 5; k++)
                expect[t] += (int)(first + t + k);
        }
        check("wraps", sums, expect, sizeof sums);
    }
    if (cudaGetLastError())
        bad++;
    printf(bad ? "FAILED: %d\n" : "PASSED\n", bad);
    return bad != 0;
}
