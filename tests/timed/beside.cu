// Kernels beside each other and in a row, as tests/truth/time/host.cu has them, for beside.py: lines "what ns", by the host's clock of the model
// (the last event of all streams less the first).
#include <cstdio>
#include <cstdlib>

__global__ void work(float *out, int turns)
{
    float x = threadIdx.x, y = blockIdx.x;
    for (int i = 0; i < turns; i++) {
        x = x * y + 1;
        y = y * x + 2;
    }
    if (x + y == 1.5f)
        *out = x;
}

static cudaStream_t s[2];
static cudaEvent_t a, b, join;
static float *out;

template <class F> static void row(const char *what, int blocks, F f)
{
    float ms;
    cudaDeviceSynchronize();
    cudaEventRecord(a, s[0]);
    cudaStreamWaitEvent(s[1], a, 0);
    f();
    cudaEventRecord(join, s[1]);
    cudaStreamWaitEvent(s[0], join, 0);
    cudaEventRecord(b, s[0]);
    cudaDeviceSynchronize();
    if (cudaGetLastError() || cudaEventElapsedTime(&ms, a, b))
        exit(1);
    printf("work, %d x 256 threads%s\t%.0f\n", blocks, what, ms * 1e6);
}

int main()
{
    const int TURNS = 20000;
    cudaMalloc(&out, 4);
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    cudaEventCreate(&join);
    for (int i = 0; i < 2; i++)
        cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
    for (int blocks : {33, 66, 132, 264, 528, 1056}) {
        row("", blocks, [&] { work<<<blocks, 256, 0, s[0]>>>(out, TURNS); });
        row(", two in two streams", blocks, [&] { for (int i = 0; i < 2; i++) work<<<blocks, 256, 0, s[i]>>>(out, TURNS); });
        row(", two in one stream", blocks, [&] { for (int i = 0; i < 2; i++) work<<<blocks, 256, 0, s[0]>>>(out, TURNS); });
    }
}
