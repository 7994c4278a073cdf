// A product of matrices by tiles in shared memory; the edge is no multiple of the tile.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int N = 24, TILE = 16, TILES = (N + TILE - 1) / TILE;

__global__ void multiply(const int *a, const int *b, int *c)
{
    __shared__ int x[TILE][TILE], y[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x, sum = 0;
    if (BUG == 4 && (row >= N || col >= N))
        return;
    for (int t = 0; t < TILES; t++) {
        int i = t * TILE + threadIdx.x, j = t * TILE + threadIdx.y;
        bool inside = BUG == 3 ? row < N : row < N && i < N;
        if (inside)
            x[threadIdx.y][threadIdx.x] = a[row * N + i]; // @load
        else
            x[threadIdx.y][threadIdx.x] = 0;
        y[threadIdx.y][threadIdx.x] = j < N && col < N ? b[j * N + col] : 0; // @load_y
        if (BUG != 1 && (BUG != 5 || inside))
            __syncthreads(); // @barrier
        for (int k = 0; k < TILE; k++)
            sum += x[threadIdx.y][k] * y[k][threadIdx.x]; // @use
        if (BUG != 2)
            __syncthreads();
    }
    if (row < N && col < N)
        c[row * N + col] = sum;
}

int main()
{
    static int h[N * N], got[N * N];
    int *a, *b, *c, bad = 0;
    for (int i = 0; i < N * N; i++)
        h[i] = i * 7 % 11;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h);
    cudaMalloc(&c, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(b, h, sizeof h, cudaMemcpyHostToDevice);
    multiply<<<dim3(TILES, TILES), dim3(TILE, TILE)>>>(a, b, c);
    cudaMemcpy(got, c, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N * N; i++) {
        int sum = 0;
        for (int k = 0; k < N; k++)
            sum += h[i / N * N + k] * h[k * N + i % N];
        bad += got[i] != sum;
    }
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}
