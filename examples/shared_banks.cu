// A * B and A * A^T through shared memory, step by step: what each step saves, and a conflict of 32. (Rows 20 and 31.)
//
// The lesson. Shared memory has 32 banks of 4 bytes. A warp that reads one word, or 32 words of 32 banks, takes one
// wavefront; n different words of one bank take n. C = A * B with A of 64 x 32 and B of 32 x 64, a warp for 32
// neighbours in a row of C, is read three ways: from global memory; A from shared memory, where the whole warp reads one
// word at a time (a broadcast); both from shared memory, loaded once for 32 rows. C = A * A^T needs columns of a tile:
// loaded along rows and stored along columns, 32 lanes hit one bank in [32][32]. A column more, [32][33], and
// neighbours in a column are 33 words apart: 32 banks, no conflict.
//
// Mistakes of the seed: its kernels take the row from threadIdx.x and say that a warp has one threadIdx.x and threadIdx.y
// from 0 to 31. It is the other way round, x runs fastest; read its code with x and y exchanged. Its last kernel
// takes threadIdx.x for both factors, so that a thread's second coordinate does not matter at all.
//
// The figures: 4 blocks of 32 warps, 128 warps. Neighbouring shared words of one row (the broadcasts) are read 4 at a
// time, as NVIDIA's assembler merges them: 8 loads for 32 words, of 2 wavefronts each (measured on an H200).
//   ab_naive 1: global_load_requests = 8,192 (128 x 32 x 2), gld_transactions = 20,480 (128 x 32 x (1 + 4))
//   ab_shared_a 1: global_load_requests = 4,224 (128 x (1 + 32)), gld_transactions = 16,896 (128 x (4 + 128)),
//     shared_load_transactions = 2,048 (128 x 8 x 2)
//   ab_shared_both 1: global_load_requests = 256, gld_transactions = 1,024, inst_executed_shared_loads = 5,120
//     (128 x (8 + 32)), shared_ld_bank_conflict = 0
//   aat_naive 1: global_load_requests = 8,192, gld_transactions = 135,168 (128 x 32 x (1 + 32))
//   aat_shared<32> 1: gld_transactions = 1,024, shared_store_transactions = 4,224 (128 x (1 + 32)),
//     shared_st_bank_conflict = 3,968 (128 x 31), shared_ld_bank_conflict = 0
//   aat_shared<33> 1: shared_store_transactions = 256, shared_st_bank_conflict = 0, shared_ld_bank_conflict = 0
#include "example.h"

const int TILE = 32, M = 64, N = 64; // A is M x TILE, B is TILE x N

__global__ void ab_naive(const float *a, const float *b, float *c)
{
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < TILE; k++)
        sum += a[row * TILE + k] * b[k * N + column];
    c[row * N + column] = sum;
}

__global__ void ab_shared_a(const float *a, const float *b, float *c)
{
    __shared__ float tile_a[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    tile_a[y][x] = a[row * TILE + x];
    __syncwarp(); // a warp reads only the row that it wrote itself
    float sum = 0.0f;
    for (int k = 0; k < TILE; k++)
        sum += tile_a[y][k] * b[k * N + column];
    c[row * N + column] = sum;
}

__global__ void ab_shared_both(const float *a, const float *b, float *c)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    tile_a[y][x] = a[row * TILE + x];
    tile_b[y][x] = b[y * N + column];
    __syncthreads(); // every warp reads all rows of tile_b
    float sum = 0.0f;
    for (int k = 0; k < TILE; k++)
        sum += tile_a[y][k] * tile_b[k][x];
    c[row * N + column] = sum;
}

__global__ void aat_naive(const float *a, float *c)
{
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < TILE; k++)
        sum += a[row * TILE + k] * a[column * TILE + k];
    c[row * M + column] = sum;
}

template <int WIDTH> __global__ void aat_shared(const float *a, float *c)
{
    __shared__ float tile[TILE][TILE], turned[TILE][WIDTH];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    tile[y][x] = a[row * TILE + x];
    turned[x][y] = a[(blockIdx.x * TILE + y) * TILE + x]; // a warp writes a column
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < TILE; k++)
        sum += tile[y][k] * turned[k][x];
    c[row * M + column] = sum;
}

static std::vector<float> product(const std::vector<float> &a, const std::vector<float> &b, bool transposed)
{
    std::vector<float> c(M * N);
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0.0;
            for (int k = 0; k < TILE; k++)
                sum += (double)a[i * TILE + k] * (transposed ? a[j * TILE + k] : b[k * N + j]);
            c[i * N + j] = (float)sum;
        }
    return c;
}

int main()
{
    std::vector<float> a = numbers(M * TILE, 1), b = numbers(TILE * N, 2);
    std::vector<float> ab = product(a, b, false), aat = product(a, b, true);
    float *device_a = to_device(a), *device_b = to_device(b), *c;
    CHECK(cudaMalloc(&c, M * N * sizeof(float)));
    dim3 block(TILE, TILE), grid(N / TILE, M / TILE);
    void (*products[])(const float *, const float *, float *) = {ab_naive, ab_shared_a, ab_shared_both};
    const char *names[] = {"A * B from global memory", "A * B, A through shared memory", "A * B, both through shared memory"};
    for (int k = 0; k < 3; k++) {
        CHECK(cudaMemset(c, 0xff, M * N * sizeof(float)));
        products[k]<<<grid, block>>>(device_a, device_b, c);
        expect(near(to_host(c, M * N), ab, 1e-5f), names[k]);
    }
    void (*squares[])(const float *, float *) = {aat_naive, aat_shared<TILE>, aat_shared<TILE + 1>};
    const char *kinds[] = {"A * A^T from global memory", "A * A^T, tile [32][32]", "A * A^T, tile [32][33]"};
    for (int k = 0; k < 3; k++) {
        CHECK(cudaMemset(c, 0xff, M * N * sizeof(float)));
        squares[k]<<<grid, block>>>(device_a, c);
        expect(near(to_host(c, M * N), aat, 1e-5f), kinds[k]);
    }
    return verdict();
}
