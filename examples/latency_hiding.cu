// Two ways to hide the time that memory takes: other warps, and loads that do not wait for each other. (Rows 7, 35.)
//
// The lesson. A warp that adds what it loads waits for each load: hundreds of cycles. Meanwhile its scheduler issues for other warps, at no
// cost: 32 warps on a multiprocessor do 32 times the work of one in hardly more time. Or the warp has four loads on their way at once
// before it adds the first: the same work in much less than half of the time. `heddle profile --section WarpStateStats` says how many cycles
// each way leaves between two instructions, and that they are waits for memory (long scoreboard).
//
//   heddle compare examples/latency_hiding.cu --kernel-id '::sum<1>:1' --kernel-id '::sum<4>:1'
//
// The figures: each thread adds 64 floats that lie a grid apart; a block on each of 132 multiprocessors. Times are modelled; an H200 takes 26.9 us
// with one warp a block, 28.5 with 32, and 10.2 with four loads at a time (tests/truth/time.tsv, latency_hiding).
//   sum<1> 1: global_load_requests = 8,448 (132 warps, 64 loads)
//   sum<1> 2: global_load_requests = 270,336 (32 times as many), gpu__time_duration.sum / sum<1> 1 = 0.9 to 1.25
//   sum<4> 1: global_load_requests = 8,448, gpu__time_duration.sum / sum<1> 1 = 0.2 to 0.5
#include "example.h"

const int BLOCKS = 132, EACH = 64;

template <int LOADS> __global__ void sum(const float *in, float *out)
{
    int threads = gridDim.x * blockDim.x, thread = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < EACH; k += LOADS) {
        float v[LOADS];
#pragma unroll
        for (int u = 0; u < LOADS; u++)
            v[u] = in[thread + threads * (k + u)];
#pragma unroll
        for (int u = 0; u < LOADS; u++)
            s += v[u];
        if (s < -1) // never: but it depends on what was loaded, so no load of the next turn can begin before
            break;
    }
    out[thread] = s;
}

template <int LOADS> static void launch(int warps, const std::vector<float> &all, const float *in, float *out)
{
    int threads = BLOCKS * 32 * warps;
    char what[64];
    sum<LOADS><<<BLOCKS, 32 * warps>>>(in, out);
    CHECK(cudaGetLastError());
    std::vector<float> got = to_host(out, threads);
    bool same = true;
    for (int t = 0; t < threads; t++) {
        float s = 0;
        for (int k = 0; k < EACH; k++)
            s += all[t + threads * k];
        same &= std::fabs(got[t] - s) <= 1e-5f * s;
    }
    snprintf(what, sizeof what, "%d warps a block, %d loads at a time", warps, LOADS);
    expect(same, what);
}

int main()
{
    std::vector<float> all = numbers(BLOCKS * 1024 * EACH);
    for (float &x : all)
        x += 0.5f; // 0 to 1
    float *in = to_device(all), *out;
    CHECK(cudaMalloc(&out, BLOCKS * 1024 * sizeof *out));
    launch<1>(1, all, in, out);
    launch<1>(32, all, in, out);
    launch<4>(1, all, in, out);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
    return verdict();
}
