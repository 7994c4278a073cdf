// What a program says and what the GPU executes: a short `if`, a long `if`, an unrolled loop. (Row 6.)
//
// The lesson. The books say: where the lanes of a warp take different ways, the warp makes a pass for each way, with a part of its
// lanes. So it is as the program is written. What the GPU executes is machine code, and there a short `if` is no branch:
// all lanes come to both ways, under predicates that half of them have off. The GPU's profilers then count no divergence, and
// 32 active lanes. A long `if` stays a branch: two passes of 16 lanes, and the profilers see it diverge. A loop whose turns
// are short has four of them side by side, and one branch for the four. (Here the assembler does that: the counter has no sign, so
// it may wrap, and the compiler before it does not know how many turns there are.)
// `heddle profile --page source examples/two_views.cu` shows both views of each line: docs/profile.md, "As written, and as executed".
//
// The figures: 2 blocks of 64 threads, 4 warps; even lanes go one way, odd ones the other; 16 turns.
//   short_if 1: ptx__branches.sum = 4, ptx__branches_divergent.sum = 4, ptx__branch_passes.sum = 8: 2 for each warp
//     ptx__branches_predicated.sum = 4, so branch = 0, divergent_branch = 0; smsp__inst_executed_op_branch.sum = 4: warps end
//   long_if 1: ptx__branches_divergent.sum = 4, ptx__branch_passes.sum = 8, ptx__branches_predicated.sum = 0
//     branch = 8 (each warp goes to the one way, and from its end around the other), divergent_branch = 4
//     smsp__inst_executed_op_branch.sum = 20: besides, each warp comes to where its lanes meet in two parts, and ends
//   turns 1: ptx__branches.sum = 68 (4 x 17: is there a turn at all, and once a turn), ptx__branches_divergent.sum = 0
//     branch = 32 (4 x 8: is there a turn; are there 4; once for each 4 of the 16; are there 2 left, is there 1)
#include "example.h"

const int THREADS = 128, BLOCK = 64, TURNS = 16;

__global__ void short_if(const float *in, const float *other, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x;
    if (i % 2 == 0)
        x = in[i] * 2.0f;
    else
        x = other[i] + 1.0f;
    out[i] = x;
}

__global__ void long_if(const float *in, float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x = in[i];
    if (i % 2 == 0) {
        x = x * x + 1.0f, x = x * x - 2.0f, x = x * x - 3.0f, x = x * x - 4.0f, x = x * x - 5.0f;
        x = x * x - 6.0f, x = x * x - 7.0f, x = x * x - 8.0f, x = x * x - 9.0f, x = x * x - 0.5f;
    } else {
        x = x * 0.5f + x, x = x * 0.6f + x, x = x * 0.7f + x, x = x * 0.8f + x, x = x * 0.9f + x;
        x = x * 1.5f + x, x = x * 1.6f + x, x = x * 1.7f + x, x = x * 1.8f + x, x = x * 1.9f + x;
    }
    out[i] = x;
}

__global__ void turns(const float *in, float *out, unsigned n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (unsigned k = 0; k < n; k += THREADS)
        sum += in[k + i];
    out[i] = sum;
}

static bool alike(const std::vector<float> &a, const std::vector<float> &b)
{
    for (int i = 0; i < THREADS; i++)
        if (std::fabs(a[i] - b[i]) > 1e-5f * std::fabs(b[i]))
            return false;
    return true;
}

int main()
{
    std::vector<float> values(TURNS * THREADS), expected(THREADS);
    for (int i = 0; i < TURNS * THREADS; i++)
        values[i] = (float)(i % 3) / 4.0f;
    float *in = to_device(values), *out;
    CHECK(cudaMalloc(&out, THREADS * sizeof(float)));

    short_if<<<THREADS / BLOCK, BLOCK>>>(in, in + THREADS, out);
    for (int i = 0; i < THREADS; i++)
        expected[i] = i % 2 ? values[i + THREADS] + 1.0f : values[i] * 2.0f;
    expect(alike(to_host(out, THREADS), expected), "short_if: every value");

    long_if<<<THREADS / BLOCK, BLOCK>>>(in, out);
    for (int i = 0; i < THREADS; i++) {
        const float even[] = {1, -2, -3, -4, -5, -6, -7, -8, -9, -0.5f}, odd[] = {0.5f, 0.6f, 0.7f, 0.8f, 0.9f, 1.5f, 1.6f, 1.7f, 1.8f, 1.9f};
        float x = values[i];
        for (int k = 0; k < 10; k++)
            x = i % 2 ? std::fma(x, odd[k], x) : std::fma(x, x, even[k]);
        expected[i] = x;
    }
    expect(alike(to_host(out, THREADS), expected), "long_if: every value");

    turns<<<THREADS / BLOCK, BLOCK>>>(in, out, TURNS * THREADS);
    for (int i = 0; i < THREADS; i++) {
        expected[i] = 0;
        for (int k = 0; k < TURNS; k++)
            expected[i] += values[k * THREADS + i];
    }
    expect(alike(to_host(out, THREADS), expected), "turns: every value");
    return verdict();
}
