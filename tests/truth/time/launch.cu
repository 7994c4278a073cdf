// What a launch takes besides the work of its warps: kernels that do nothing or wait, by grid, block, shared memory and parameters;
// code that is run for the first time; launches behind each other.
// usage: launch [GROUP]: kernel, code, spread, events, row; "plain" as second argument: without CUPTI, every launch once (for ncu). Rows:
//   kernel  name blocks threads shared-bytes ns...     what CUPTI's activity records say of four launches; the first brings the code
//   code    KiB warps how cycles-of-the-first-pass second third      16 bytes an instruction, one block; each instruction once a pass
//   spread  name blocks threads ...    from the first block's begin to the last block's begin and end, ns; cycles a block is there
//   warps   block blocks: cycles from the first warp's begin to each warp's, blocks of 1024 threads, in order; the second launch
//   events  name blocks threads shared-bytes ns...    by events around each of four launches, without CUPTI
//   row     what launches ns-a-launch-by-events ns-a-launch-by-the-host
// Built with nvcc -std=c++17 -O3 -arch=sm_90 launch.cu -lcupti.
#include "harness.h"
#include <chrono>
#include <cupti.h>
#include <string>
typedef unsigned U32; typedef unsigned long long U64;
#define CUPTI(call) do { CUptiResult r_ = (call); if (r_ != CUPTI_SUCCESS) { \
    const char *why = ""; cuptiGetResultString(r_, &why); fprintf(stderr, "%s: %s\n", #call, why); exit(2); } } while (0)
static std::vector<U64> took, starts;
static void CUPTIAPI give(uint8_t **buffer, size_t *size, size_t *records) { *size = 8 << 20; *buffer = (uint8_t *)aligned_alloc(8, *size); *records = 0; }
static void CUPTIAPI take(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid) {
    CUpti_Activity *a = NULL;
    while (cuptiActivityGetNextRecord(buffer, valid, &a) == CUPTI_SUCCESS)
        if (a->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) { auto *k = (CUpti_ActivityKernel9 *)a; took.push_back(k->end - k->start); starts.push_back(k->start); }
    free(buffer);
}

template <int BYTES> struct bytes { char c[BYTES]; };
template <int BYTES> __global__ void nothing(bytes<BYTES>) {}
__global__ void wait_for(int cycles) { long long t = clock64(); while (clock64() - t < cycles) ; }
__global__ void one_store(U32 *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }
__global__ void shared_array(U32 *out) { __shared__ U32 x[1024]; x[threadIdx.x] = threadIdx.x; __syncthreads(); if (x[threadIdx.x ^ 1] == 5000) out[0] = 1; }
__global__ void lives(U64 *out, int cycles) { // begin and end of each block
    U64 ns = nanoseconds(); long long t = clock64();
    while (clock64() - t < cycles) ;
    __syncthreads();
    if (threadIdx.x == 0) { out[blockIdx.x * 4] = ns; out[blockIdx.x * 4 + 1] = nanoseconds(); out[blockIdx.x * 4 + 2] = t; out[blockIdx.x * 4 + 3] = clock64(); }
}
__global__ void __launch_bounds__(1024) begins(U64 *out) { // of each warp of each block
    U64 t = clock64();
    if ((threadIdx.x & 31) == 0) out[blockIdx.x * 32 + threadIdx.x / 32] = t;
}
template <int N> __global__ void __launch_bounds__(1024) code(struct span *out, float a, float b) {
    float x[4] = {a, b, a + b, a - b};
#pragma unroll 1
    for (int pass = 0; pass < 3; pass++) {
        __syncthreads();
        long long begin = clock64();
#pragma unroll
        for (int i = 0; i < N; i++) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i & 3]) : "f"(a), "f"(b));
        span_add(out + pass, begin, clock64());
    }
    if (x[0] + x[1] + x[2] + x[3] == 1.5f) out[3].begin = 1;
}

static bool plain; static int sms; static U32 *words;
template <class K, class... A> static void kernel_row(const char *name, K kernel, size_t blocks, int threads, int shared, A... a) {
    if (shared > 48 << 10) CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    if (plain) printf("kernel\t%s\t%zu\t%d\t%d\n", name, blocks, threads, shared);
    took.clear();
    for (int r = 0; r < (plain ? 1 : 4); r++) { kernel<<<blocks, threads, shared>>>(a...); CK(cudaGetLastError()); CK(cudaDeviceSynchronize()); }
    if (plain) return;
    CUPTI(cuptiActivityFlushAll(1));
    printf("kernel\t%s\t%zu\t%d\t%d", name, blocks, threads, shared);
    for (U64 t : took) printf("\t%llu", t);
    printf("\n");
}
template <int N> static void code_rows(struct span *out) {
    for (int w : {1, 4, 32}) {
        struct span t[4];
        for (int again = 0; again < 2; again++) {
            code<16384 + 1><<<1, 32>>>(out, 1, 2); // drives out what is there
            for (auto &s : t) s = {INT64_MAX, 0};
            CK(cudaMemcpy(out, t, sizeof t, cudaMemcpyHostToDevice));
            code<N><<<1, w * 32>>>(out, 1, 2);
            CK(cudaMemcpy(t, out, sizeof t, cudaMemcpyDeviceToHost));
            printf("code\t%g\t%d\t%s", N / 64., w, again ? "L2 has it" : w > 1 ? "again" : "new");
            for (int i = 0; i < 3; i++) printf("\t%lld", t[i].end - t[i].begin);
            printf("\n");
        }
    }
}
static double host_ns() { return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
template <class F> static void row(const char *what, F launch) {
    cudaEvent_t a, b; CK(cudaEventCreate(&a)); CK(cudaEventCreate(&b));
    for (int n : {1, 2, 5, 20, 100, 500}) {
        double device = 1e30, host = 1e30; float ms;
        for (int r = 0; r < 5; r++) {
            CK(cudaDeviceSynchronize());
            CK(cudaEventRecord(a));
            double t = host_ns();
            for (int i = 0; i < n; i++) launch();
            host = std::min(host, host_ns() - t);
            CK(cudaEventRecord(b)); CK(cudaEventSynchronize(b)); CK(cudaEventElapsedTime(&ms, a, b));
            device = std::min(device, ms * 1e6);
        }
        CK(cudaGetLastError());
        printf("row\t%s\t%d\t%.1f\t%.1f\n", what, n, device / n, host / n);
    }
}

int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : NULL;
    auto want = [&](const char *group) { return !only || !strcmp(only, group); };
    plain = argc > 2 && !strcmp(argv[2], "plain");
    head("launch");
    cudaDeviceProp d; CK(cudaGetDeviceProperties(&d, 0)); sms = d.multiProcessorCount;
    words = device_array<U32>(32 << 20);
    if (want("row")) {
        row("nothing<<<1, 32>>>", [] { nothing<8><<<1, 32>>>({}); });
        row("nothing<<<1, 32>>> with 4000 bytes of parameters", [] { nothing<4000><<<1, 32>>>({}); });
        row("nothing<<<132, 1024>>>", [] { nothing<8><<<132, 1024>>>({}); });
        row("nothing<<<1, 32>>> and one_store<<<1, 32>>>", [] { nothing<8><<<1, 32>>>({}); one_store<<<1, 32>>>(words); });
        row("one_store<<<132, 1024>>>", [] { one_store<<<132, 1024>>>(words); });
        row("wait_for<<<132, 32>>>(4000)", [] { wait_for<<<132, 32>>>(4000); });
        row("wait_for<<<132, 32>>>(20000)", [] { wait_for<<<132, 32>>>(20000); });
    }
    if (want("code")) {
        struct span *out = device_array<struct span>(4);
        code_rows<64>(out); code_rows<128>(out); code_rows<256>(out); code_rows<512>(out); code_rows<1024>(out); code_rows<1536>(out); code_rows<1664>(out); code_rows<1792>(out); code_rows<1920>(out); code_rows<2048>(out); code_rows<2304>(out);
        code_rows<3072>(out); code_rows<4096>(out); code_rows<6144>(out); code_rows<7168>(out); code_rows<7680>(out); code_rows<8192>(out); code_rows<8448>(out); code_rows<8704>(out); code_rows<9216>(out); code_rows<12288>(out); code_rows<16384>(out);
    }
    if (want("spread")) {
        U64 *out = device_array<U64>(4 << 20);
        for (int cycles : {0, 2000}) for (int threads : {32, 128, 256, 512, 1024}) for (int per : {1, 2, 4, 8, 16, 64}) {
            size_t blocks = (size_t)sms * per;
            std::vector<U64> h(blocks * 4);
            for (int r = 0; r < 2; r++) lives<<<blocks, threads>>>(out, cycles);
            CK(cudaMemcpy(h.data(), out, h.size() * 8, cudaMemcpyDeviceToHost));
            U64 first = ~0ull, last = 0, end = 0; std::vector<double> there;
            for (size_t i = 0; i < blocks; i++) { first = std::min(first, h[i * 4]); last = std::max(last, h[i * 4]); end = std::max(end, h[i * 4 + 1]); there.push_back(h[i * 4 + 3] - h[i * 4 + 2]); }
            printf("spread\tlives(%d)\t%zu\t%d\t%llu\t%llu\t%.0f\n", cycles, blocks, threads, last - first, end - first, median(there));
        }
    }
    if (want("spread")) {
        U64 *out = device_array<U64>(32 * 4096); static U64 h[32 * 4096];
        for (int blocks : {1, 132, 264, 1056}) {
            for (int r = 0; r < 2; r++) begins<<<blocks, 1024>>>(out);
            CK(cudaMemcpy(h, out, blocks * 32 * sizeof *h, cudaMemcpyDeviceToHost));
            for (int b : {0, blocks / 2, blocks - 1}) {
                printf("warps\t%d\t%d\t", b, blocks);
                std::vector<U64> v(h + b * 32, h + b * 32 + 32); U64 first = *std::min_element(v.begin(), v.end());
                for (U64 t : v) printf(" %d", (int)(t - first));
                printf("\n");
                if (blocks == 1) break;
            }
        }
    }
    if (want("events")) { // the same without CUPTI, by events around the launch
        auto events = [](const char *name, auto kernel, size_t blocks, int threads, int shared, auto... x) {
            if (shared > 48 << 10) CK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
            cudaEvent_t a, b; CK(cudaEventCreate(&a)); CK(cudaEventCreate(&b));
            printf("events\t%s\t%zu\t%d\t%d", name, blocks, threads, shared);
            for (int r = 0; r < 4; r++) {
                float ms;
                CK(cudaEventRecord(a)); kernel<<<blocks, threads, shared>>>(x...); CK(cudaEventRecord(b)); CK(cudaEventSynchronize(b)); CK(cudaEventElapsedTime(&ms, a, b));
                printf("\t%.0f", ms * 1e6);
            }
            printf("\n");
        };
        for (int threads : {32, 64, 128, 256, 512, 1024}) for (size_t blocks : {132, 1320, 13200, 132000}) {
            events("nothing", nothing<8>, blocks, threads, 0, bytes<8>());
            events("one_store", one_store, std::min(blocks, (size_t)32768), threads, 0, words);
            for (int cycles : {100, 1000, 10000}) events(("wait_for(" + std::to_string(cycles) + ")").c_str(), wait_for, std::min(blocks, (size_t)13200), threads, 0, cycles);
        }
        for (int shared : {16 << 10, 48 << 10, 100 << 10, 200 << 10}) for (size_t blocks : {132, 13200}) {
            events("nothing", nothing<8>, blocks, 128, shared, bytes<8>());
            events("wait_for(1000)", wait_for, blocks, 128, shared, 1000);
        }
    }
    if (!plain) {
        CUPTI(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
        CUPTI(cuptiActivityRegisterCallbacks(give, take));
    }
    if (want("kernel")) {
        for (int threads : {32, 64, 128, 256, 512, 1024}) for (size_t blocks : {1, 2, 8, 66, 132, 264, 528, 1056, 2112, 4224, 8448, 16896, 67584, 270336, 1081344})
            if (!plain || threads == 32 || threads == 256 || threads == 1024) kernel_row("nothing", nothing<8>, blocks, threads, 0, bytes<8>());
        for (int shared : {1 << 10, 16 << 10, 48 << 10, 100 << 10, 200 << 10}) for (size_t blocks : {1, 132, 1320, 13200}) kernel_row("nothing", nothing<8>, blocks, 128, shared, bytes<8>());
        for (size_t blocks : {1, 132, 13200}) {
            kernel_row("nothing, 256 bytes of parameters", nothing<256>, blocks, 128, 0, bytes<256>());
            kernel_row("nothing, 1024 bytes of parameters", nothing<1024>, blocks, 128, 0, bytes<1024>());
            kernel_row("nothing, 4000 bytes of parameters", nothing<4000>, blocks, 128, 0, bytes<4000>());
        }
        for (int threads : {32, 128, 256, 1024}) for (size_t blocks : {1, 132, 1320, 13200}) {
            kernel_row("one_store", one_store, blocks, threads, 0, words);
            kernel_row("shared_array", shared_array, blocks, threads, 0, words);
            for (int cycles : {100, 500, 1000, 2000, 10000}) kernel_row(("wait_for(" + std::to_string(cycles) + ")").c_str(), wait_for, blocks, threads, 0, cycles);
        }
        for (int shared : {48 << 10, 100 << 10, 200 << 10}) for (size_t blocks : {132, 1320, 13200}) for (int cycles : {500, 2000}) // a few blocks a multiprocessor
            kernel_row(("wait_for(" + std::to_string(cycles) + ")").c_str(), wait_for, blocks, 128, shared, cycles);
    }
    return 0;
}
