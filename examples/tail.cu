// The tail: one block more than the GPU has multiprocessors, and a launch takes nearly twice as long. (Row 28.)
//
// The lesson. A launch ends with its last block. 132 blocks of equal work on an H200 are one for each of its 132 multiprocessors; of
// 133 blocks one multiprocessor has two, and 131 wait for it. With many blocks for each multiprocessor the last ones weigh little:
// have at least as many blocks as multiprocessors, better several times as many, and blocks that are not too long. The same work in
// blocks of a quarter of the threads ends sooner, since its last blocks are shorter.
//
//   heddle compare examples/tail.cu --kernel-id ::work:1 --kernel-id ::work:2
//   heddle profile --section LaunchStats examples/tail.cu       "LaunchConfiguration" tells of it, too
//
// The figures: blocks of 1,024 threads, two of which fit a multiprocessor. Times are modelled; an H200 needs 1.80 times as long
// for 133 blocks as for 132 (tests/truth/time.tsv, grid_shape).
//   work 1: launch__grid_size = 132, launch__waves_per_multiprocessor = 0.5
//   work 2: launch__grid_size = 133, gpu__time_duration.sum / work 1 = 1.6 to 2.1
//   work 3: launch__grid_size = 532, gpu__time_duration.sum / work 2 = 0.5 to 0.85 (133 x 1,024 threads in blocks of 256)
#include "example.h"

const int TURNS = 512;

__host__ __device__ float turned(float x)
{
    float y = 1, z = 2, w = 3;
    for (int k = 0; k < TURNS; k++) {
        x = fmaf(x, 0.999f, 0.5f);
        y = fmaf(y, 0.999f, 0.5f);
        z = fmaf(z, 0.999f, 0.5f);
        w = fmaf(w, 0.999f, 0.5f);
    }
    return x + y + z + w;
}

__global__ void work(float *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = turned(threadIdx.x % 256);
}

static void launch(int blocks, int threads, float *out, const std::vector<float> &wanted)
{
    char what[64];
    work<<<blocks, threads>>>(out);
    CHECK(cudaGetLastError());
    std::vector<float> got = to_host(out, (size_t)blocks * threads);
    bool same = true;
    for (size_t i = 0; i < got.size(); i++)
        same &= std::fabs(got[i] - wanted[i % 256]) <= 1e-5f * std::fabs(wanted[i % 256]);
    snprintf(what, sizeof what, "%d blocks of %d threads", blocks, threads);
    expect(same, what);
}

int main()
{
    std::vector<float> wanted(256);
    float *out;
    for (int i = 0; i < 256; i++)
        wanted[i] = turned(i);
    CHECK(cudaMalloc(&out, 133 * 1024 * sizeof *out));
    launch(132, 1024, out, wanted);
    launch(133, 1024, out, wanted);
    launch(532, 256, out, wanted);
    CHECK(cudaFree(out));
    return verdict();
}
