// Does CUPTI work: kernels, copies and fills as its activity records tell them. Rows: kind, name or bytes, begin after the first one's, ns.
// Built with nvcc -std=c++17 -O3 -arch=sm_90 tracer.cu -lcupti.
// With -shared -Xcompiler -fPIC -DINJECTED it is a library: CUDA_INJECTION64_PATH=./tracer.so TRACE=FILE PROGRAM puts the same of any program
// into FILE, and behind it the number of the call that asked for it.
#include "harness.h"
#include <cupti.h>

#define CUPTI(call) do { CUptiResult r_ = (call); if (r_ != CUPTI_SUCCESS) { \
    const char *why = ""; cuptiGetResultString(r_, &why); printf("failed\t%s\t%s\n", #call, why); return 1; } } while (0)
static uint64_t first;
static FILE *out = stdout;
static void CUPTIAPI give(uint8_t **buffer, size_t *size, size_t *records) { *size = 1 << 20; *buffer = (uint8_t *)aligned_alloc(8, *size); *records = 0; }
static void CUPTIAPI take(CUcontext, uint32_t, uint8_t *buffer, size_t, size_t valid) {
    CUpti_Activity *a = NULL;
    while (cuptiActivityGetNextRecord(buffer, valid, &a) == CUPTI_SUCCESS) {
        auto row = [](const char *kind, const char *name, unsigned long long begin, unsigned long long end, unsigned call) {
            if (!first) first = begin;
            fprintf(out, "%s\t%s\t%lld\t%lld", kind, name, (long long)(begin - first), (long long)(end - begin));
            if (out != stdout) fprintf(out, "\t%u", call);
            fprintf(out, "\n");
        };
        char bytes[32];
        if (a->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) { auto *k = (CUpti_ActivityKernel9 *)a; row("kernel", k->name, k->start, k->end, k->correlationId); }
        if (a->kind == CUPTI_ACTIVITY_KIND_MEMCPY) { auto *k = (CUpti_ActivityMemcpy5 *)a; snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)k->bytes); row("copy", bytes, k->start, k->end, k->correlationId); }
        if (a->kind == CUPTI_ACTIVITY_KIND_MEMSET) { auto *k = (CUpti_ActivityMemset4 *)a; snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)k->bytes); row("fill", bytes, k->start, k->end, k->correlationId); }
        if (a->kind == CUPTI_ACTIVITY_KIND_RUNTIME) { auto *k = (CUpti_ActivityAPI *)a; snprintf(bytes, sizeof bytes, "%u", k->cbid); row("runtime", bytes, k->start, k->end, k->correlationId); }
    }
    free(buffer);
}
#ifdef INJECTED
extern "C" int InitializeInjection(void) {
    out = fopen(getenv("TRACE"), "w");
    if (!out) return 0;
    CUPTI(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    CUPTI(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY));
    CUPTI(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET));
    CUPTI(cuptiActivityRegisterCallbacks(give, take));
    atexit([] { cuptiActivityFlushAll(1); fclose(out); });
    return 1;
}
#else
__global__ void nothing() {}
__global__ void wait_for(long long n) { long long t = clock64(); while (clock64() - t < n) ; }
int main() {
    head("tracer");
    CUPTI(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    CUPTI(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY));
    CUPTI(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET));
    CUPTI(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME));
    CUPTI(cuptiActivityRegisterCallbacks(give, take));
    char *d = device_array<char>(1 << 24), *h; CK(cudaMallocHost(&h, 1 << 24));
    for (int i = 0; i < 4; i++) {
        nothing<<<1, 32>>>(); nothing<<<132 * 64, 256>>>(); wait_for<<<132, 32>>>(200000);
        CK(cudaMemcpyAsync(d, h, 1 << 24, cudaMemcpyDefault)); CK(cudaMemcpyAsync(h, d, 4096, cudaMemcpyDefault)); CK(cudaMemsetAsync(d, 0, 1 << 24));
        CK(cudaDeviceSynchronize());
    }
    CUPTI(cuptiActivityFlushAll(1));
    return 0;
}
#endif
