// Constant memory: one address for the whole warp is a broadcast, n addresses are served one after another. (Seed row 19.)
//
// The lesson. The constant cache gives one word at a time. If all lanes of a warp ask for the same one it is as quick as a
// register; if they ask for n different ones it takes n turns. Filter weights, which all threads read in the same order,
// belong there; a table that every thread reads somewhere else does not.
//
// The figures: 4 warps, 8 loads each, and lanes that share an address in groups of 32, 8 and 1.
//   weigh 1 (group 32): idc__requests.sum = 32 (4 x 8 x 1)
//   weigh 2 (group 8): idc__requests.sum = 128 (4 x 8 x 4)
//   weigh 3 (group 1): idc__requests.sum = 1,024 (4 x 8 x 32)
#include "example.h"

const int THREADS = 128, BLOCK = 64, LOADS = 8, WORDS = 64;

__constant__ float weights[WORDS];

__global__ void weigh(float *out, int group)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int first = threadIdx.x % 32 / group;
    float sum = 0.0f;
    for (int k = 0; k < LOADS; k++)
        sum += weights[(first + k * 4) % WORDS];
    out[i] = sum;
}

int main()
{
    std::vector<float> w(WORDS);
    for (int i = 0; i < WORDS; i++)
        w[i] = (float)(i * i); // sums of whole numbers: exact in float
    CHECK(cudaMemcpyToSymbol(weights, w.data(), sizeof weights));
    float *out;
    CHECK(cudaMalloc(&out, THREADS * sizeof(float)));
    for (int group : {32, 8, 1}) {
        weigh<<<THREADS / BLOCK, BLOCK>>>(out, group);
        std::vector<float> wanted(THREADS);
        for (int i = 0; i < THREADS; i++)
            for (int k = 0; k < LOADS; k++)
                wanted[i] += w[(i % 32 / group + k * 4) % WORDS];
        char what[60];
        snprintf(what, sizeof what, "lanes share an address in groups of %d", group);
        expect(to_host(out, THREADS) == wanted, what);
    }
    return verdict();
}
