// What the host's calls and its copies take: copies by kind of memory and size, calls, kernels beside copies and beside each other,
// memory that both sides touch.
// usage: host [GROUP]: copy, call, beside, mapped, managed, priority. Rows, times in ns:
//   copy    what bytes by-events by-the-host bytes-a-ns-of-events      best of several; the host's time ends when the data are there
//   call    what by-the-host                                           median; the call alone
//   beside  what ns
//   mapped  what bytes ns bytes-a-ns
//   managed what bytes ns bytes-a-ns
// Built with nvcc -std=c++17 -O3 -arch=sm_90.
#include "harness.h"
#include <chrono>
typedef unsigned U32; typedef unsigned long long U64;
static double now() { return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
__global__ void nothing() {}
__global__ void wait_for(int cycles) { long long t = clock64(); while (clock64() - t < cycles) ; }
__global__ void work(float *out, int turns) {
    float x = threadIdx.x, y = blockIdx.x;
    for (int i = 0; i < turns; i++) { x = x * y + 1; y = y * x + 2; }
    if (x + y == 1.5f) *out = x;
}
__global__ void read_all(const uint4 *p, size_t n, U32 *out) {
    U32 sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) { uint4 v = p[i]; sum ^= v.x ^ v.y ^ v.z ^ v.w; }
    if (sum == 12345) *out = sum;
}
__global__ void write_all(uint4 *p, size_t n) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) p[i] = make_uint4((U32)i, 1, 2, 3);
}
__global__ void chase(const U32 *p, int steps, U64 *out) {
    U32 x = 0; long long t = clock64();
    for (int i = 0; i < steps; i++) x = ((const volatile U32 *)p)[x];
    out[0] = clock64() - t; out[1] = x;
}
static cudaEvent_t ea, eb, ec; static cudaStream_t s1, s2;
static double between(cudaEvent_t a, cudaEvent_t b) { float ms; CK(cudaEventElapsedTime(&ms, a, b)); return ms * 1e6; }
template <class F> static void copy_row(const char *what, size_t bytes, F f) {
    double device = 1e30, host = 1e30; int times = bytes > (256u << 20) ? 3 : bytes > (16u << 20) ? 5 : 20;
    for (int r = 0; r < times; r++) {
        CK(cudaDeviceSynchronize());
        CK(cudaEventRecord(ea, s1)); f(); CK(cudaEventRecord(eb, s1)); CK(cudaEventSynchronize(eb));
        if (r) device = std::min(device, between(ea, eb));
        CK(cudaDeviceSynchronize());
        double t = now(); f(); CK(cudaStreamSynchronize(s1));
        if (r) host = std::min(host, now() - t);
    }
    printf("copy\t%s\t%zu\t%.0f\t%.0f\t%.3f\n", what, bytes, device, host, bytes / device);
}
template <class F> static void call_row(const char *what, F f, int times = 200) {
    std::vector<double> v;
    for (int i = 0; i < times; i++) { double t = now(); f(); v.push_back(now() - t); if (i % 16 == 15) CK(cudaDeviceSynchronize()); }
    printf("call\t%s\t%.0f\n", what, median(v));
    CK(cudaDeviceSynchronize());
}
template <class F> static double host_best(F f, int times = 7) {
    double best = 1e30;
    for (int i = 0; i < times; i++) { CK(cudaDeviceSynchronize()); double t = now(); f(); CK(cudaDeviceSynchronize()); if (i) best = std::min(best, now() - t); }
    return best;
}

int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : NULL;
    auto want = [&](const char *group) { return !only || !strcmp(only, group); };
    head("host");
    const size_t MOST = (size_t)1 << 30;
    char *d1 = device_array<char>(MOST), *d2 = device_array<char>(MOST), *pinned, *pinned2, *paged = (char *)malloc(MOST);
    CK(cudaMallocHost(&pinned, MOST)); CK(cudaMallocHost(&pinned2, 64 << 20)); memset(paged, 1, MOST); memset(pinned, 1, MOST);
    CK(cudaEventCreate(&ea)); CK(cudaEventCreate(&eb)); CK(cudaEventCreate(&ec)); CK(cudaStreamCreateWithFlags(&s1, cudaStreamNonBlocking)); CK(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
    float *out = (float *)d1;
    if (want("copy"))
        for (size_t bytes = 4; bytes <= MOST; bytes *= bytes < 256 ? 4 : 2) {
            if (bytes > 4096 && bytes < (1 << 20) && (__builtin_ctzll(bytes) & 1)) continue;
            copy_row("host to device, pinned, async", bytes, [&] { CK(cudaMemcpyAsync(d1, pinned, bytes, cudaMemcpyHostToDevice, s1)); });
            copy_row("device to host, pinned, async", bytes, [&] { CK(cudaMemcpyAsync(pinned, d1, bytes, cudaMemcpyDeviceToHost, s1)); });
            copy_row("host to device, pageable, async", bytes, [&] { CK(cudaMemcpyAsync(d1, paged, bytes, cudaMemcpyHostToDevice, s1)); });
            copy_row("device to host, pageable, async", bytes, [&] { CK(cudaMemcpyAsync(paged, d1, bytes, cudaMemcpyDeviceToHost, s1)); });
            copy_row("host to device, pinned", bytes, [&] { CK(cudaMemcpy(d1, pinned, bytes, cudaMemcpyHostToDevice)); });
            copy_row("device to host, pinned", bytes, [&] { CK(cudaMemcpy(pinned, d1, bytes, cudaMemcpyDeviceToHost)); });
            copy_row("host to device, pageable", bytes, [&] { CK(cudaMemcpy(d1, paged, bytes, cudaMemcpyHostToDevice)); });
            copy_row("device to host, pageable", bytes, [&] { CK(cudaMemcpy(paged, d1, bytes, cudaMemcpyDeviceToHost)); });
            copy_row("device to device, async", bytes, [&] { CK(cudaMemcpyAsync(d2, d1, bytes, cudaMemcpyDeviceToDevice, s1)); });
            copy_row("memset, async", bytes, [&] { CK(cudaMemsetAsync(d1, 0, bytes, s1)); });
        }
    if (want("copy"))
        for (size_t width : {4, 64, 256, 1024, 4096, 65536}) {
            size_t rows = std::min((size_t)4096, (64u << 20) / (2 * width)); char name[64];
            snprintf(name, sizeof name, "host to device, pinned, rows of %zu, pitch %zu", width, 2 * width);
            copy_row(name, rows * width, [&] { CK(cudaMemcpy2DAsync(d1, 2 * width, pinned, 2 * width, width, rows, cudaMemcpyHostToDevice, s1)); });
            snprintf(name, sizeof name, "device to host, pinned, rows of %zu, pitch %zu", width, 2 * width);
            copy_row(name, rows * width, [&] { CK(cudaMemcpy2DAsync(pinned, 2 * width, d1, 2 * width, width, rows, cudaMemcpyDeviceToHost, s1)); });
            snprintf(name, sizeof name, "device to device, rows of %zu, pitch %zu", width, 2 * width);
            copy_row(name, rows * width, [&] { CK(cudaMemcpy2DAsync(d2, 2 * width, d1, 2 * width, width, rows, cudaMemcpyDeviceToDevice, s1)); });
            snprintf(name, sizeof name, "memset, rows of %zu, pitch %zu", width, 2 * width);
            copy_row(name, rows * width, [&] { CK(cudaMemset2DAsync(d2, 2 * width, 0, width, rows, s1)); });
        }
    if (want("call")) {
        call_row("launch of an empty kernel", [&] { nothing<<<1, 32, 0, s1>>>(); });
        call_row("event record", [&] { CK(cudaEventRecord(ea, s1)); });
        call_row("stream wait event", [&] { CK(cudaStreamWaitEvent(s2, ea)); });
        call_row("stream synchronize, idle", [&] { CK(cudaStreamSynchronize(s1)); });
        call_row("device synchronize, idle", [&] { CK(cudaDeviceSynchronize()); });
        call_row("stream query, idle", [&] { CK(cudaStreamQuery(s1)); });
        call_row("event query, done", [&] { CK(cudaEventQuery(ea)); });
        call_row("cudaGetLastError", [&] { CK(cudaGetLastError()); });
        call_row("launch and stream synchronize", [&] { nothing<<<1, 32, 0, s1>>>(); CK(cudaStreamSynchronize(s1)); });
        call_row("launch and device synchronize", [&] { nothing<<<1, 32>>>(); CK(cudaDeviceSynchronize()); });
        call_row("launch, event record, event synchronize", [&] { nothing<<<1, 32, 0, s1>>>(); CK(cudaEventRecord(ea, s1)); CK(cudaEventSynchronize(ea)); });
        call_row("launch of 132 x 1024 threads and stream synchronize", [&] { nothing<<<132, 1024, 0, s1>>>(); CK(cudaStreamSynchronize(s1)); });
        call_row("async copy of 4 KiB to the device, the call", [&] { CK(cudaMemcpyAsync(d1, pinned, 4096, cudaMemcpyHostToDevice, s1)); });
        call_row("async fill of 4 KiB, the call", [&] { CK(cudaMemsetAsync(d1, 0, 4096, s1)); });
        call_row("cudaMalloc of 1 MiB and cudaFree", [&] { void *p; CK(cudaMalloc(&p, 1 << 20)); CK(cudaFree(p)); }, 50);
        call_row("cudaMalloc of 256 MiB and cudaFree", [&] { void *p; CK(cudaMalloc(&p, 256 << 20)); CK(cudaFree(p)); }, 20);
        call_row("cudaMallocAsync of 1 MiB and cudaFreeAsync", [&] { void *p; CK(cudaMallocAsync(&p, 1 << 20, s1)); CK(cudaFreeAsync(p, s1)); }, 100);
        call_row("cudaMallocHost of 1 MiB and cudaFreeHost", [&] { void *p; CK(cudaMallocHost(&p, 1 << 20)); CK(cudaFreeHost(p)); }, 20);
        call_row("cudaEventCreate and cudaEventDestroy", [&] { cudaEvent_t e; CK(cudaEventCreate(&e)); CK(cudaEventDestroy(e)); });
        call_row("cudaStreamCreate and cudaStreamDestroy", [&] { cudaStream_t s; CK(cudaStreamCreate(&s)); CK(cudaStreamDestroy(s)); }, 50);
        for (int gap : {0, 1, 2}) { // two events with so much between them
            std::vector<double> v;
            for (int i = 0; i < 50; i++) {
                CK(cudaEventRecord(ea, s1)); if (gap > 0) nothing<<<1, 32, 0, s1>>>(); if (gap > 1) nothing<<<1, 32, 0, s1>>>(); CK(cudaEventRecord(eb, s1)); CK(cudaEventSynchronize(eb));
                v.push_back(between(ea, eb));
            }
            printf("call\tbetween two events, %d empty kernels, by events\t%.0f\n", gap, median(v));
        }
        cudaGraph_t g; cudaGraphExec_t x; // 20 kernels in a row
        CK(cudaStreamBeginCapture(s1, cudaStreamCaptureModeGlobal)); for (int i = 0; i < 20; i++) nothing<<<1, 32, 0, s1>>>(); CK(cudaStreamEndCapture(s1, &g)); CK(cudaGraphInstantiate(&x, g, 0));
        call_row("launch of a graph of 20 empty kernels", [&] { CK(cudaGraphLaunch(x, s1)); }, 50);
        call_row("launch of a graph of 20 empty kernels and stream synchronize", [&] { CK(cudaGraphLaunch(x, s1)); CK(cudaStreamSynchronize(s1)); }, 50);
        std::vector<double> v;
        for (int i = 0; i < 30; i++) { CK(cudaEventRecord(ea, s1)); CK(cudaGraphLaunch(x, s1)); CK(cudaEventRecord(eb, s1)); CK(cudaEventSynchronize(eb)); v.push_back(between(ea, eb)); }
        printf("call\ta graph of 20 empty kernels, by events\t%.0f\n", median(v));
    }
    if (want("beside")) {
        const size_t half = 256u << 20; const int turns = 20000;
        auto row = [](const char *what, double ns) { printf("beside\t%s\t%.0f\n", what, ns); };
        row("256 MiB to the device", host_best([&] { CK(cudaMemcpyAsync(d1, pinned, half, cudaMemcpyHostToDevice, s1)); }));
        row("256 MiB to the host", host_best([&] { CK(cudaMemcpyAsync(pinned + half, d2, half, cudaMemcpyDeviceToHost, s2)); }));
        row("256 MiB both ways", host_best([&] { CK(cudaMemcpyAsync(d1, pinned, half, cudaMemcpyHostToDevice, s1)); CK(cudaMemcpyAsync(pinned + half, d2, half, cudaMemcpyDeviceToHost, s2)); }));
        row("2 x 128 MiB to the device, two streams", host_best([&] { CK(cudaMemcpyAsync(d1, pinned, half / 2, cudaMemcpyHostToDevice, s1)); CK(cudaMemcpyAsync(d2, pinned + half, half / 2, cudaMemcpyHostToDevice, s2)); }));
        row("kernel of 10 ms", host_best([&] { wait_for<<<132, 32, 0, s2>>>(19800000); }));
        row("kernel of 10 ms beside 256 MiB to the device", host_best([&] { CK(cudaMemcpyAsync(d1, pinned, half, cudaMemcpyHostToDevice, s1)); wait_for<<<132, 32, 0, s2>>>(19800000); }));
        row("kernel that reads 1 GiB 10 times", host_best([&] { for (int i = 0; i < 10; i++) read_all<<<132 * 8, 256, 0, s2>>>((uint4 *)d2, MOST / 16, (U32 *)d1); }));
        row("the same beside 256 MiB to the device", host_best([&] { CK(cudaMemcpyAsync(d1 + half, pinned, half, cudaMemcpyHostToDevice, s1)); for (int i = 0; i < 10; i++) read_all<<<132 * 8, 256, 0, s2>>>((uint4 *)d2, MOST / 16, (U32 *)d1); }));
        for (int blocks : {33, 66, 132, 264, 528, 1056}) {
            char name[96];
            snprintf(name, sizeof name, "work, %d x 256 threads", blocks); row(name, host_best([&] { work<<<blocks, 256, 0, s1>>>(out, turns); }));
            snprintf(name, sizeof name, "work, %d x 256 threads, two in two streams", blocks); row(name, host_best([&] { work<<<blocks, 256, 0, s1>>>(out, turns); work<<<blocks, 256, 0, s2>>>(out, turns); }));
            snprintf(name, sizeof name, "work, %d x 256 threads, two in one stream", blocks); row(name, host_best([&] { work<<<blocks, 256, 0, s1>>>(out, turns); work<<<blocks, 256, 0, s1>>>(out, turns); }));
        }
        row("512 waits of 20 us in a stream", host_best([&] { for (int i = 0; i < 512; i++) wait_for<<<1, 32, 0, s1>>>(39600); }));
        cudaStream_t many[64]; for (auto &s : many) CK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
        for (int n : {2, 8, 16, 32, 64}) { char name[64]; snprintf(name, sizeof name, "512 waits of 20 us in %d streams", n); row(name, host_best([&] { for (int i = 0; i < 512; i++) wait_for<<<1, 32, 0, many[i % n]>>>(39600); })); }
    }
    if (want("priority")) {
        int low, high; CK(cudaDeviceGetStreamPriorityRange(&low, &high));
        printf("priority\trange\t%d\t%d\n", low, high);
        cudaStream_t slow, fast; CK(cudaStreamCreateWithPriority(&slow, cudaStreamNonBlocking, low));
        for (int p = low; p >= high; p--) {
            CK(cudaStreamCreateWithPriority(&fast, cudaStreamNonBlocking, p));
            std::vector<double> first, all;
            for (int i = 0; i < 7; i++) { // 100 waves of blocks of 50 us, and one more kernel behind them
                CK(cudaDeviceSynchronize());
                CK(cudaEventRecord(ea, slow)); wait_for<<<132 * 2 * 20, 1024, 0, slow>>>(99000); CK(cudaEventRecord(ec, slow));
                double t = now(); while (now() - t < 200000) ;
                CK(cudaEventRecord(ea, fast)); wait_for<<<132, 1024, 0, fast>>>(99000); CK(cudaEventRecord(eb, fast));
                CK(cudaDeviceSynchronize());
                first.push_back(between(ea, eb)); all.push_back(between(ea, ec));
            }
            printf("priority\t%d: one wave of 50 us, come 200 us after 20 of them\t%.0f\tthose end after\t%.0f\n", p, median(first), median(all));
            CK(cudaStreamDestroy(fast));
        }
    }
    if (want("mapped")) {
        const size_t bytes = 256u << 20; char *there; CK(cudaHostGetDevicePointer(&there, pinned, 0));
        for (int blocks : {1, 8, 33, 132, 1056}) {
            double r = host_best([&] { read_all<<<blocks, 256, 0, s1>>>((uint4 *)there, bytes / 16 / (blocks < 33 ? 16 : 1), (U32 *)d1); }, 4), w = host_best([&] { write_all<<<blocks, 256, 0, s1>>>((uint4 *)there, bytes / 16 / (blocks < 33 ? 16 : 1)); }, 4);
            size_t n = bytes / (blocks < 33 ? 16 : 1);
            printf("mapped\tread by %d blocks\t%zu\t%.0f\t%.3f\nmapped\twrite by %d blocks\t%zu\t%.0f\t%.3f\n", blocks, n, r, n / r, blocks, n, w, n / w);
        }
        for (size_t i = 0; i < 4096; i++) ((U32 *)pinned)[i * 1024] = (U32)((i + 1) % 4096 * 1024);
        U64 h[2]; chase<<<1, 1>>>((U32 *)there, 500, (U64 *)d1); CK(cudaMemcpy(h, d1, sizeof h, cudaMemcpyDeviceToHost));
        printf("mapped\tcycles of a load\t4\t%.0f\t0\n", h[0] / 500.);
    }
    if (want("managed"))
        for (size_t bytes : {(size_t)1 << 12, (size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 24, (size_t)1 << 26}) {
            char *m; CK(cudaMallocManaged(&m, bytes));
            auto row = [&](const char *what, double ns) { printf("managed\t%s\t%zu\t%.0f\t%.3f\n", what, bytes, ns, bytes / ns); };
            auto kernel = [&](bool write) { CK(cudaDeviceSynchronize()); double t = now(); if (write) write_all<<<132, 256>>>((uint4 *)m, bytes / 16); else read_all<<<132, 256>>>((uint4 *)m, bytes / 16, (U32 *)d1); CK(cudaDeviceSynchronize()); return now() - t; };
            row("device writes first", kernel(true));
            row("device writes again", kernel(true));
            double t = now(); U64 sum = 0; for (size_t i = 0; i < bytes; i += 4096) sum += ((volatile char *)m)[i]; row("host reads a byte a page after it", now() - t);
            t = now(); for (size_t i = 0; i < bytes; i += 4096) ((volatile char *)m)[i] = 1; row("host writes a byte a page then", now() - t);
            row("device reads what the host wrote", kernel(false));
            row("device reads again", kernel(false));
            t = now(); memset(m, 1, bytes); row("host writes all", now() - t);
            cudaMemLocation at = {cudaMemLocationTypeDevice, 0};
            t = now(); if (cudaMemPrefetchAsync(m, bytes, at, 0, 0) == cudaSuccess) { CK(cudaDeviceSynchronize()); row("prefetch to the device", now() - t); } else (void)cudaGetLastError();
            row("device reads after it", kernel(false));
            CK(cudaFree(m));
            if (sum == 1) printf("\n");
        }
    return 0;
}
