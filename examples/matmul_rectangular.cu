// Tiled multiplication of matrices of any shape, j x k times k x l, with tested bounds. (Seed row 31.)
//
// The lesson. When the tile does not divide the matrices three tests are needed, and each guards something else. A thread
// outside C still helps to load, so it must not return before the barrier. What lies outside A or B counts as 0. And only
// threads inside C store. One test for all three is wrong: a thread inside C may have nothing to load in the last tile, and
// one outside C may have. Rows of A and C are bounded by j, columns of A and rows of B by k, columns of B and C by l.
//
// The figures: 20 x 37 times 37 x 24 in tiles of 16: 2 x 2 blocks of 8 warps, 3 tiles (16, 16 and 5 wide). A warp is 2
// rows of 16 and loads if one of its lanes lies inside.
//   A: 8 warps in each of the 2 upper blocks and 2 (rows 16 to 19) in the 2 lower, in all 3 tiles: 3 x 20 = 60
//   B: in each block 8 + 8 warps, and 3 in the last tile (rows 32 and 33, 34 and 35, 36): 4 x 19 = 76
//   multiply 1: launch__grid_size = 4, global_load_requests = 136 (60 + 76), global_store_requests = 20 (2 x 8 + 2 x 2)
#include "example.h"

const int TILE = 16;

__global__ void multiply(const float *a, const float *b, float *c, int rows, int inner, int columns)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
    float sum = 0.0f;
    for (int first = 0; first < inner; first += TILE) {
        tile_a[y][x] = row < rows && first + x < inner ? a[row * inner + first + x] : 0.0f;
        tile_b[y][x] = first + y < inner && column < columns ? b[(first + y) * columns + column] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    if (row < rows && column < columns)
        c[row * columns + column] = sum;
}

static void run(int j, int k, int l)
{
    std::vector<float> a = numbers(j * k, 1), b = numbers(k * l, 2), wanted(j * l);
    for (int row = 0; row < j; row++)
        for (int column = 0; column < l; column++) {
            double sum = 0.0;
            for (int i = 0; i < k; i++)
                sum += (double)a[row * k + i] * b[i * l + column];
            wanted[row * l + column] = (float)sum;
        }
    float *device_a = to_device(a), *device_b = to_device(b), *c;
    CHECK(cudaMalloc(&c, j * l * sizeof(float)));
    CHECK(cudaMemset(c, 0xff, j * l * sizeof(float))); // all NaN: an element that is not written shows
    dim3 block(TILE, TILE), grid((l + TILE - 1) / TILE, (j + TILE - 1) / TILE);
    multiply<<<grid, block>>>(device_a, device_b, c, j, k, l);
    char what[60];
    snprintf(what, sizeof what, "%d x %d times %d x %d", j, k, k, l);
    expect(near(to_host(c, j * l), wanted, 1e-5f), what);
    CHECK(cudaFree(device_a));
    CHECK(cudaFree(device_b));
    CHECK(cudaFree(c));
}

int main()
{
    run(20, 37, 24);
    run(1, 1, 1);
    run(16, 16, 16);
    run(3, 50, 33);
    return verdict();
}
