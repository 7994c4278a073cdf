// Launch limits: what fits runs, what does not is refused with an error, and then nothing runs. (Seed row 2.)
//
// The lesson. A launch has no return value: ask cudaGetLastError() after it. At most 1024 threads a block, however they
// lie (1024, 1024 and 64 in x, y and z); the grid reaches 2^31 - 1 in x and 65,535 in y and z. (512, 1, 1), (8, 16, 4)
// and (32, 16, 2) fit, (32, 32, 2) is 2048 threads and does not. (The G80's limit was 512. The seed's "1 to 216 - 1" for the
// grid is 2^16 - 1 with its exponent lost.) More dynamic shared memory than 48 KB has to be opted in to by
// cudaFuncSetAttribute, or the launch is refused as well.
//
// The figures. Refused launches leave no page in the report: of 18 launches 9 run.
//   count_threads: launches = 9
//   count_threads 1: launch__block_size = 512;  2: launch__block_size = 512;  3: launch__block_size = 1,024
//   count_threads 6: launch__grid_dim_x = 65,536;  7: launch__grid_dim_y = 65,535
//   count_threads 9: launch__shared_mem_per_block_dynamic = 65,536
#include "example.h"

__global__ void count_threads(int *total)
{
    if (threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0)
        atomicAdd(total, blockDim.x * blockDim.y * blockDim.z);
}

static const struct {
    dim3 grid, block;
    size_t shared;
    cudaError_t answer;
} launches[] = {
    {dim3(1), dim3(512, 1, 1), 0, cudaSuccess},
    {dim3(1), dim3(8, 16, 4), 0, cudaSuccess},
    {dim3(1), dim3(32, 16, 2), 0, cudaSuccess},
    {dim3(1), dim3(32, 32, 2), 0, cudaErrorInvalidConfiguration},
    {dim3(1), dim3(1025), 0, cudaErrorInvalidConfiguration},
    {dim3(1), dim3(1, 1024), 0, cudaSuccess},
    {dim3(1), dim3(1, 1, 64), 0, cudaSuccess},
    {dim3(1), dim3(1, 1, 65), 0, cudaErrorInvalidConfiguration},
    {dim3(1), dim3(0), 0, cudaErrorInvalidConfiguration},
    {dim3(65536), dim3(1), 0, cudaSuccess},
    {dim3(0x80000000u), dim3(1), 0, cudaErrorInvalidConfiguration},
    {dim3(0), dim3(1), 0, cudaErrorInvalidConfiguration},
    {dim3(1, 65535), dim3(1), 0, cudaSuccess},
    {dim3(1, 65536), dim3(1), 0, cudaErrorInvalidConfiguration},
    {dim3(1, 1, 65536), dim3(1), 0, cudaErrorInvalidConfiguration},
    {dim3(1), dim3(32), 48 << 10, cudaSuccess},
    {dim3(1), dim3(32), (48 << 10) + 1, cudaErrorInvalidValue},
};

static int threads_of(dim3 grid, dim3 block)
{
    return grid.x * grid.y * grid.z * block.x * block.y * block.z;
}

int main()
{
    int *total, expected = 0, seen;
    CHECK(cudaMalloc(&total, sizeof(int)));
    CHECK(cudaMemset(total, 0, sizeof(int)));
    for (const auto &l : launches) {
        count_threads<<<l.grid, l.block, l.shared>>>(total);
        cudaError_t answer = cudaGetLastError();
        if (l.answer == cudaSuccess)
            expected += threads_of(l.grid, l.block);
        char what[200];
        snprintf(what, sizeof what, "grid (%u,%u,%u) block (%u,%u,%u) shared %zu: %s", l.grid.x, l.grid.y, l.grid.z,
                 l.block.x, l.block.y, l.block.z, l.shared, cudaGetErrorString(answer));
        expect(answer == l.answer, what);
        expect(cudaGetLastError() == cudaSuccess, "asking has cleared the error");
        CHECK(cudaMemcpy(&seen, total, sizeof seen, cudaMemcpyDeviceToHost));
        expect(seen == expected, "only the threads of launches that fit have run");
    }
    CHECK(cudaFuncSetAttribute(count_threads, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
    count_threads<<<1, 32, 64 << 10>>>(total);
    expect(cudaGetLastError() == cudaSuccess, "64 KB of dynamic shared memory run once opted in to");
    return verdict();
}
