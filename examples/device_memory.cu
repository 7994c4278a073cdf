// Device memory: allocation and its alignment, the kinds of copy, padded rows, 3D, and errors. (Seed row 3.)
//
// The lesson. Device memory belongs to the device: the host holds its address but must copy to look inside. Every
// allocation starts at a multiple of 256 bytes (at least), so the first warp of an array is aligned; rows of a matrix
// are only if their length is. cudaMallocPitch pads each row to the next such boundary and says how far rows lie apart.
// A call that fails says why, by number, name and sentence; it changes nothing.
//
// The figures. 64 rows of 100 floats (400 bytes, 12.5 sectors), a warp for the first 32 floats of each row:
//   row_start 1 (rows side by side): global_load_requests = 64, gld_transactions = 288: every other row begins in the
//     middle of a sector and touches 5, 32 x 4 + 32 x 5
//   row_start 2 (padded): global_load_requests = 64, gld_transactions = 256: 64 x 4
#include <cstdint>
#include <cstring>

#include "example.h"

const int ROWS = 64, COLUMNS = 100;

__global__ void row_start(const char *matrix, size_t pitch, float *out)
{
    const float *row = (const float *)(matrix + blockIdx.x * pitch);
    out[blockIdx.x * 32 + threadIdx.x] = row[threadIdx.x];
}

static void alignment()
{
    bool aligned = true;
    for (size_t bytes : {1, 100, 257, 5000}) {
        void *p;
        CHECK(cudaMalloc(&p, bytes)); // not freed before the next: each lies behind the last
        aligned &= (uintptr_t)p % 256 == 0;
    }
    expect(aligned, "allocations of any size start at multiples of 256 bytes");
}

static void kinds(const std::vector<float> &in)
{
    size_t bytes = in.size() * sizeof(float);
    std::vector<float> staged(in.size()), out(in.size());
    float *first, *second;
    CHECK(cudaMalloc(&first, bytes));
    CHECK(cudaMalloc(&second, bytes));
    CHECK(cudaMemcpy(staged.data(), in.data(), bytes, cudaMemcpyHostToHost));
    CHECK(cudaMemcpy(first, staged.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(second, first, bytes, cudaMemcpyDeviceToDevice));
    CHECK(cudaMemcpy(out.data(), second, bytes, cudaMemcpyDeviceToHost));
    expect(out == in, "host to host to device to device to host: unchanged");
    std::vector<float> guessed(in.size());
    CHECK(cudaMemcpy(guessed.data(), first, bytes, cudaMemcpyDefault)); // the addresses say which way
    expect(guessed == in, "cudaMemcpyDefault finds the direction");

    expect(cudaMemcpy(first, in.data(), bytes, (cudaMemcpyKind)99) == cudaErrorInvalidMemcpyDirection,
           "a kind that is none: cudaErrorInvalidMemcpyDirection");
    expect(cudaMemcpy(first, in.data(), (size_t)1 << 40, cudaMemcpyHostToDevice) == cudaErrorInvalidValue,
           "far past the end: cudaErrorInvalidValue");
    CHECK(cudaFree(first));
    CHECK(cudaFree(second));
    CHECK(cudaFree(nullptr)); // allowed, does nothing
}

static void rows(const std::vector<float> &in)
{
    size_t width = COLUMNS * sizeof(float), pitch;
    float *dense = to_device(in), *padded, *out;
    CHECK(cudaMallocPitch(&padded, &pitch, width, ROWS));
    CHECK(cudaMalloc(&out, ROWS * 32 * sizeof(float)));
    CHECK(cudaMemcpy2D(padded, pitch, dense, width, width, ROWS, cudaMemcpyDeviceToDevice));
    printf("pitch of a row of %zu bytes: %zu\n", width, pitch);
    expect(pitch >= width && pitch % 256 == 0, "the pitch is a multiple of 256 bytes");

    std::vector<float> starts, all(in.size());
    for (int row = 0; row < ROWS; row++)
        starts.insert(starts.end(), &in[row * COLUMNS], &in[row * COLUMNS + 32]);
    row_start<<<ROWS, 32>>>((char *)dense, width, out);
    expect(to_host(out, ROWS * 32) == starts, "rows side by side");
    row_start<<<ROWS, 32>>>((char *)padded, pitch, out);
    expect(to_host(out, ROWS * 32) == starts, "padded rows");
    CHECK(cudaMemcpy2D(all.data(), width, padded, pitch, width, ROWS, cudaMemcpyDeviceToHost));
    expect(all == in, "cudaMemcpy2D takes the padding out again");
}

static void boxes()
{
    const size_t w = 20, h = 6, d = 5;
    std::vector<char> in(w * h * d), out(w * h * d);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (char)(i * 7);
    cudaPitchedPtr box;
    cudaExtent extent = make_cudaExtent(w, h, d);
    CHECK(cudaMalloc3D(&box, extent));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(in.data(), w, w, h);
    copy.dstPtr = box;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    copy.srcPtr = box;
    copy.srcPos = make_cudaPos(4, 1, 2); // a part: 10 x 3 x 2 from (4, 1, 2), to the origin
    copy.dstPtr = make_cudaPitchedPtr(out.data(), w, w, h);
    copy.extent = make_cudaExtent(10, 3, 2);
    copy.kind = cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpy3D(&copy));
    bool same = true;
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 3; y++)
            same &= !memcmp(&out[(z * h + y) * w], &in[((z + 2) * h + y + 1) * w + 4], 10);
    expect(same, "cudaMalloc3D and cudaMemcpy3D: a box out of a box");
    CHECK(cudaFree(box.ptr));
}

static void errors()
{
    void *p = nullptr;
    cudaError_t status = cudaMalloc(&p, (size_t)1 << 50);
    expect(status == cudaErrorMemoryAllocation, "a petabyte: cudaErrorMemoryAllocation");
    expect(status == 2 && !strcmp(cudaGetErrorName(status), "cudaErrorMemoryAllocation") &&
               !strcmp(cudaGetErrorString(status), "out of memory"), "its number 2, its name, its sentence");
    expect(cudaPeekAtLastError() == status && cudaGetLastError() == status && cudaGetLastError() == cudaSuccess,
           "the last error: peeking keeps it, getting clears it");
    int on_stack;
    expect(cudaFree(&on_stack) == cudaErrorInvalidValue && !strcmp(cudaGetErrorString(cudaGetLastError()), "invalid argument"),
           "freeing what is no allocation: invalid argument");
}

int main()
{
    std::vector<float> in = numbers(ROWS * COLUMNS);
    alignment();
    kinds(in);
    cudaGetLastError(); // the two refused copies
    rows(in);
    boxes();
    errors();
    return verdict();
}
