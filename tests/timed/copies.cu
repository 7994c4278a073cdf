// Copies as tests/truth/time/host.cu makes them, once each, for copies.py: lines "what bytes ns", by events.
#include <cstdio>
#include <cstdlib>
#include <cstring>

static cudaEvent_t a, b;
static cudaStream_t s;

template <class F> static void row(const char *what, size_t bytes, F copy)
{
    float ms;
    cudaDeviceSynchronize();
    cudaEventRecord(a, s);
    copy();
    cudaEventRecord(b, s);
    cudaEventSynchronize(b);
    if (cudaGetLastError() || cudaEventElapsedTime(&ms, a, b))
        exit(1);
    printf("%s\t%zu\t%.0f\n", what, bytes, ms * 1e6);
}

int main()
{
    const size_t MOST = (size_t)256 << 20;
    char *d, *e, *pinned, *paged = (char *)calloc(MOST, 1);
    cudaMalloc(&d, MOST);
    cudaMalloc(&e, MOST);
    cudaMallocHost(&pinned, MOST);
    cudaEventCreate(&a);
    cudaEventCreate(&b);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    for (size_t n = 4096; n <= MOST; n *= 4) {
        row("host to device, pinned, async", n, [&] { cudaMemcpyAsync(d, pinned, n, cudaMemcpyHostToDevice, s); });
        row("device to host, pinned, async", n, [&] { cudaMemcpyAsync(pinned, d, n, cudaMemcpyDeviceToHost, s); });
        row("host to device, pageable, async", n, [&] { cudaMemcpyAsync(d, paged, n, cudaMemcpyHostToDevice, s); });
        row("device to host, pageable, async", n, [&] { cudaMemcpyAsync(paged, d, n, cudaMemcpyDeviceToHost, s); });
        row("host to device, pinned", n, [&] { cudaMemcpy(d, pinned, n, cudaMemcpyHostToDevice); });
        row("device to host, pinned", n, [&] { cudaMemcpy(pinned, d, n, cudaMemcpyDeviceToHost); });
        row("host to device, pageable", n, [&] { cudaMemcpy(d, paged, n, cudaMemcpyHostToDevice); });
        row("device to host, pageable", n, [&] { cudaMemcpy(paged, d, n, cudaMemcpyDeviceToHost); });
        row("device to device, async", n, [&] { cudaMemcpyAsync(e, d, n, cudaMemcpyDeviceToDevice, s); });
        row("memset, async", n, [&] { cudaMemsetAsync(d, 0, n, s); });
    }
}
