// Explicit heat conduction on a plate, with a fixed rim: one step after another in double precision, the largest change of a step,
// and a 9-point smoother with a tile in shared memory.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call)                                                                          \
    do {                                                                                     \
        cudaError_t err = (call);                                                            \
        if (err != cudaSuccess) {                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err));     \
            exit(EXIT_FAILURE);                                                              \
        }                                                                                    \
    } while (0)

#define IDX(i, j, pitch) ((i) * (pitch) + (j))

static const int NX = 310, NY = 205;
static const double DT = 0.1, DX2 = 1.0;

__global__ void step_kernel(const double *t, double *t_new, int nx, int ny, double alpha, double dt, double dx2)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && i < ny - 1 && j > 0 && j < nx - 1) {
        double c = t[IDX(i, j, nx)];
        double lap = (t[IDX(i, j + 1, nx)] - 2.0 * c + t[IDX(i, j - 1, nx)]) / dx2 +
                     (t[IDX(i + 1, j, nx)] - 2.0 * c + t[IDX(i - 1, j, nx)]) / dx2;
        t_new[IDX(i, j, nx)] = c + alpha * dt * lap;
    } else if (i < ny && j < nx) {
        t_new[IDX(i, j, nx)] = t[IDX(i, j, nx)];
    }
}

__inline__ __device__ double warp_max(double v)
{
    for (int off = warpSize / 2; off > 0; off /= 2)
        v = fmax(v, __shfl_down_sync(0xffffffff, v, off));
    return v;
}

__global__ void max_change_kernel(const double *a, const double *b, double *out, int n)
{
    __shared__ double parts[32];
    double m = 0.0;
    for (int k = blockIdx.x * blockDim.x + threadIdx.x; k < n; k += gridDim.x * blockDim.x)
        m = fmax(m, fabs(a[k] - b[k]));
    int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
    m = warp_max(m);
    if (lane == 0)
        parts[wid] = m;
    __syncthreads();
    m = threadIdx.x < blockDim.x / warpSize ? parts[lane] : 0.0;
    if (wid == 0)
        m = warp_max(m);
    if (threadIdx.x == 0)
        out[blockIdx.x] = m;
}

#define BX 16
#define BY 12
__constant__ float weights[9];

__global__ void smooth_kernel(const float *in, float *out, int nx, int ny)
{
    __shared__ float tile[BY + 2][BX + 2];
    int gx = blockIdx.x * BX + threadIdx.x, gy = blockIdx.y * BY + threadIdx.y;
    for (int y = threadIdx.y; y < BY + 2; y += BY)
        for (int x = threadIdx.x; x < BX + 2; x += BX) {
            int sx = min(max((int)(blockIdx.x * BX) + x - 1, 0), nx - 1);
            int sy = min(max((int)(blockIdx.y * BY) + y - 1, 0), ny - 1);
            tile[y][x] = in[sy * nx + sx];
        }
    __syncthreads();
    if (gx >= nx || gy >= ny)
        return;
    float sum = 0.0f;
    for (int dy = 0; dy < 3; dy++)
        for (int dx = 0; dx < 3; dx++)
            sum += weights[dy * 3 + dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
    out[gy * nx + gx] = sum;
}

int main()
{
    const int n = NX * NY;
    std::vector<double> h(n), r(n), back(n);
    for (int i = 0; i < NY; i++)
        for (int j = 0; j < NX; j++)
            h[IDX(i, j, NX)] = (i == 0 || j == 0) ? 100.0 : 20.0 + 5.0 * sin(0.11 * i) * cos(0.07 * j);
    double *a, *b, *part;
    CHECK(cudaMalloc(&a, n * sizeof(double)));
    CHECK(cudaMalloc(&b, n * sizeof(double)));
    CHECK(cudaMalloc(&part, 40 * sizeof(double)));
    CHECK(cudaMemcpy(a, h.data(), n * sizeof(double), cudaMemcpyHostToDevice));
    dim3 block(32, 6), grid((NX + 31) / 32, (NY + 5) / 6);
    const double alpha = 0.45;
    std::vector<double> cur = h;
    {
        step_kernel<<<grid, block>>>(a, b, NX, NY, alpha, DT, DX2);
        CHECK(cudaGetLastError());
        r = cur;
        for (int i = 1; i < NY - 1; i++)
            for (int j = 1; j < NX - 1; j++) {
                double c = cur[IDX(i, j, NX)];
                r[IDX(i, j, NX)] = c + alpha * DT * ((cur[IDX(i, j + 1, NX)] - 2 * c + cur[IDX(i, j - 1, NX)]) / DX2 +
                                                     (cur[IDX(i + 1, j, NX)] - 2 * c + cur[IDX(i - 1, j, NX)]) / DX2);
            }
        std::swap(a, b);
    }
    max_change_kernel<<<24, 160>>>(a, b, part, n);
    CHECK(cudaGetLastError());
    std::vector<double> p(24);
    CHECK(cudaMemcpy(p.data(), part, 24 * sizeof(double), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(back.data(), a, n * sizeof(double), cudaMemcpyDeviceToHost));
    int bad = 0;
    double want = 0, got = 0;
    for (int k = 0; k < n; k++) {
        bad += fabs(back[k] - r[k]) > 1e-10;
        want = fmax(want, fabs(r[k] - cur[k]));
    }
    for (double x : p)
        got = fmax(got, x);
    bad += fabs(want - got) > 1e-10;

    std::vector<float> f(n), g(n);
    for (int k = 0; k < n; k++)
        f[k] = (float)((k * 37) % 101) / 101.0f;
    float w[9] = {0.05f, 0.1f, 0.05f, 0.1f, 0.4f, 0.1f, 0.05f, 0.1f, 0.05f};
    CHECK(cudaMemcpyToSymbol(weights, w, sizeof w));
    float *fi, *fo;
    CHECK(cudaMalloc(&fi, n * sizeof(float)));
    CHECK(cudaMalloc(&fo, n * sizeof(float)));
    CHECK(cudaMemcpy(fi, f.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    smooth_kernel<<<dim3((NX + BX - 1) / BX, (NY + BY - 1) / BY), dim3(BX, BY)>>>(fi, fo, NX, NY);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(g.data(), fo, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int y = 0; y < NY; y++)
        for (int x = 0; x < NX; x++) {
            double sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++) {
                    int sx = x + dx < 0 ? 0 : x + dx >= NX ? NX - 1 : x + dx, sy = y + dy < 0 ? 0 : y + dy >= NY ? NY - 1 : y + dy;
                    sum += w[(dy + 1) * 3 + dx + 1] * f[sy * NX + sx];
                }
            bad += fabs(sum - g[y * NX + x]) > 1e-5;
        }
    cudaFree(a), cudaFree(b), cudaFree(part), cudaFree(fi), cudaFree(fo);
    printf("%s\n", bad ? "FAILED" : "PASSED");
    return bad != 0;
}
