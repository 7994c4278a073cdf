// The driver interface: what it does when it is used as it should be, alone and mixed with the runtime. What it answers to
// misuse: tests/truth/libraries/driver.cu.
#include <cuda.h>
#include <cudaProfiler.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static int wrong;
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            printf("line %d: %s\n", __LINE__, #condition), wrong++;                                                    \
    } while (0)
#define OK(call)                                                                                                       \
    do {                                                                                                               \
        CUresult r_ = call;                                                                                            \
        const char *n_ = "?";                                                                                          \
        cuGetErrorName(r_, &n_);                                                                                       \
        if (r_)                                                                                                        \
            printf("line %d: %s: %s\n", __LINE__, #call, n_), wrong++;                                                 \
    } while (0)

__global__ void twice(int *p, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= 2;
}

static const char ptx[] = ".version 7.0\n.target sm_52\n.address_size 64\n"
                          ".visible .global .align 4 .u32 counter = 7;\n"
                          ".visible .global .attribute(.managed) .align 4 .u32 shown = 5;\n"
                          ".visible .entry add(.param .u64 p, .param .u32 v)\n{\n.reg .b64 %rd<5>;\n.reg .b32 %r<5>;\n"
                          "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [v];\ncvta.to.global.u64 %rd2, %rd1;\n"
                          "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd3, %r2, 4;\nadd.s64 %rd4, %rd2, %rd3;\n"
                          "ld.global.u32 %r3, [%rd4];\nadd.u32 %r3, %r3, %r1;\nst.global.u32 [%rd4], %r3;\n"
                          "st.global.u32 [shown], %r1;\nret;\n}\n"
                          ".visible .entry none()\n{\nret;\n}\n";

static CUdevice dev;
static CUcontext ctx;
static CUmodule mod;
static CUfunction add;

static int first(CUdeviceptr p)
{
    int v = -1;
    OK(cuMemcpyDtoH(&v, p, sizeof v));
    return v;
}

static void devices()
{
    int n, major, minor, v;
    size_t bytes;
    char name[100], bus[20];
    CUuuid id;
    CUdevprop prop;
    OK(cuInit(0));
    OK(cuDriverGetVersion(&n));
    CHECK(n >= 12000);
    OK(cuDeviceGetCount(&n));
    CHECK(n >= 1);
    OK(cuDeviceGet(&dev, 0));
    OK(cuDeviceGetName(name, sizeof name, dev));
    OK(cuDeviceGetUuid(&id, dev));
    OK(cuDeviceTotalMem(&bytes, dev));
    OK(cuDeviceComputeCapability(&major, &minor, dev));
    OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, dev));
    CHECK(v == major && bytes > 1 << 20);
    OK(cuDeviceGetProperties(&prop, dev));
    OK(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, dev));
    CHECK(v == prop.maxThreadsPerBlock && prop.SIMDWidth == 32);
    OK(cuDeviceGetPCIBusId(bus, sizeof bus, dev));
    OK(cuDeviceGetByPCIBusId(&n, bus));
    CHECK(n == dev);
    OK(cuDeviceGetTexture1DLinearMaxWidth(&bytes, CU_AD_FORMAT_FLOAT, 1, dev));
    CHECK(bytes > 1000);
    OK(cuDeviceGetExecAffinitySupport(&v, CU_EXEC_AFFINITY_TYPE_SM_COUNT, dev));
    CHECK(!v);
    OK(cuDeviceCanAccessPeer(&v, dev, dev));
    cudaDeviceProp same;
    CHECK(cudaGetDeviceProperties(&same, dev) == cudaSuccess && !strcmp(same.name, name));
}

static void contexts()
{
    CUcontext other, c;
    unsigned flags;
    unsigned long long a, b;
    size_t value;
    CUfunc_cache cache;
    CUsharedconfig banks;
    int least, greatest, device;
    CUexecAffinityParam affinity;
    OK(cuCtxCreate(&ctx, CU_CTX_SCHED_SPIN, dev));
    OK(cuCtxGetFlags(&flags));
    CHECK(flags == CU_CTX_SCHED_SPIN);
    OK(cuCtxSetFlags(CU_CTX_SCHED_YIELD));
    OK(cuCtxGetFlags(&flags));
    CHECK(flags == CU_CTX_SCHED_YIELD);
    OK(cuCtxCreate_v3(&other, nullptr, 0, 0, dev));
    OK(cuCtxGetId(ctx, &a));
    OK(cuCtxGetId(nullptr, &b));
    CHECK(a != b);
    CUdeviceptr lost;
    OK(cuMemAlloc(&lost, 64));
    OK(cuCtxDestroy(other)); // its memory goes with it
    OK(cuCtxGetCurrent(&c));
    CHECK(c == ctx && cuMemGetAddressRange(&lost, nullptr, lost) == CUDA_ERROR_NOT_FOUND);
    OK(cuCtxCreate(&other, nullptr, 0, dev)); // as in CUDA 13: cuCtxCreate_v4
    CHECK((void *)cuCtxCreate != (void *)cuCtxCreate_v4);
    OK(cuCtxPopCurrent(&c));
    CHECK(c == other);
    OK(cuCtxPushCurrent(ctx));
    OK(cuCtxSetCurrent(other));
    OK(cuCtxGetCurrent(&c));
    CHECK(c == other);
    OK(cuCtxGetDevice(&device));
    CHECK(device == dev);
    OK(cuCtxGetApiVersion(other, &flags));
    OK(cuCtxAttach(&c, 0));
    OK(cuCtxDetach(c));
    OK(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
    OK(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    CHECK(value == 2048);
    OK(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    OK(cuCtxGetCacheConfig(&cache));
    CHECK(cache == CU_FUNC_CACHE_PREFER_L1);
    OK(cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE));
    OK(cuCtxGetSharedMemConfig(&banks));
    OK(cuCtxGetStreamPriorityRange(&least, &greatest));
    CHECK(least >= greatest);
    OK(cuCtxResetPersistingL2Cache());
    CHECK(cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT) == CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
    OK(cuCtxSynchronize());
    std::thread([] { // threads have stacks of their own
        CUcontext mine;
        OK(cuCtxGetCurrent(&mine));
        CHECK(!mine);
        OK(cuCtxSetCurrent(ctx));
        OK(cuCtxSynchronize());
    }).join();
    OK(cuCtxDestroy(other));
    OK(cuCtxSetCurrent(ctx));
}

static void modules()
{
    CUfunction none, f, both[2];
    CUdeviceptr p, q;
    size_t bytes, offset;
    unsigned count;
    const char *name;
    int v = 3;
    CUmodule second;
    CUmoduleLoadingMode mode;
    CUfunctionLoadingState state;
    OK(cuModuleLoadData(&mod, ptx));
    OK(cuModuleGetFunction(&add, mod, "add"));
    OK(cuModuleGetFunction(&none, mod, "none"));
    OK(cuModuleGetFunction(&f, mod, "add"));
    CHECK(f == add);
    OK(cuModuleGetFunctionCount(&count, mod));
    OK(cuModuleEnumerateFunctions(both, 2, mod));
    CHECK(count == 2 && both[0] == add && both[1] == none);
    OK(cuFuncGetName(&name, add));
    CHECK(!strcmp(name, "add"));
    OK(cuFuncGetParamInfo(add, 1, &offset, &bytes));
    CHECK(offset == 8 && bytes == 4);
    OK(cuFuncGetModule(&second, add));
    CHECK(second == mod);
    OK(cuModuleGetGlobal(&p, &bytes, mod, "counter"));
    CHECK(bytes == 4 && first(p) == 7);
    OK(cuModuleGetGlobal(&q, &bytes, mod, "shown"));
    CHECK(*(int *)q == 5); // managed: the host reads it
    OK(cuMemAlloc(&p, 4 * 32));
    OK(cuMemsetD32(p, 100, 32));
    void *arguments[] = {&p, &v};
    OK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(first(p) == 103 && *(int *)q == 3);
    struct {
        CUdeviceptr p;
        int v;
    } block = {p, 4};
    size_t size = 12; // without the padding: a GPU takes no more than the parameters
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    OK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra));
    CHECK(first(p) == 107);
    OK(cuLaunchCooperativeKernel(add, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments));
    CUlaunchAttribute attribute = {};
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
    CUlaunchConfig config = {1, 1, 1, 32, 1, 1, 0, nullptr, &attribute, 1};
    OK(cuLaunchKernelEx(&config, add, arguments, nullptr));
    CHECK(first(p) == 113);
    CHECK(cudaLaunchKernel((const void *)add, dim3(1), dim3(32), arguments, 0, nullptr) == cudaSuccess); // by the runtime
    CHECK(first(p) == 116);
    OK(cuModuleLoadDataEx(&second, ptx, 0, nullptr, nullptr)); // a copy of its own
    CUdeviceptr other;
    OK(cuModuleGetGlobal(&other, nullptr, second, "shown"));
    CHECK(other != q && *(int *)other == 5);
    OK(cuModuleUnload(second));
    OK(cuModuleGetLoadingMode(&mode));
    OK(cuFuncIsLoaded(&state, add));
    CHECK(state == CU_FUNCTION_LOADING_STATE_LOADED);
    OK(cuFuncLoad(add));
    OK(cuFuncSetCacheConfig(add, CU_FUNC_CACHE_PREFER_SHARED));
    OK(cuFuncSetSharedMemConfig(add, CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE));
    OK(cuFuncSetAttribute(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536));
    OK(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, add));
    CHECK(v == 65536);
    int blocks, threads;
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 1024, 0));
    OK(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&v, add, 1024, 0, CU_OCCUPANCY_DEFAULT));
    CHECK(blocks == v && v >= 1);
    OK(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, add, 1, 64));
    OK(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, add, nullptr, 0, 0));
    OK(cuOccupancyMaxPotentialBlockSizeWithFlags(&blocks, &threads, add, [](int n) -> size_t { return 4 * n; }, 0, 128, 0));
    CHECK(threads == 128);
    OK(cuMemFree(p));
}

// A function keeps what it was told.
static void before_cuda_4()
{
    CUdeviceptr p;
    int four = 4;
    OK(cuMemAlloc(&p, 4 * 64));
    OK(cuMemsetD32(p, 1, 64));
    OK(cuFuncSetBlockShape(add, 32, 1, 1));
    OK(cuFuncSetSharedSize(add, 0));
    OK(cuParamSetv(add, 0, &p, sizeof p));
    OK(cuParamSeti(add, 8, 2));
    OK(cuParamSetSize(add, 12));
    OK(cuLaunch(add));
    CHECK(first(p + 4 * 31) == 3 && first(p + 4 * 32) == 1);
    OK(cuParamSetv(add, 8, &four, 4));
    OK(cuLaunchGrid(add, 1, 1));
    CHECK(first(p) == 7);
    OK(cuParamSetf(add, 8, 0.0f));
    OK(cuLaunchGridAsync(add, 1, 1, nullptr));
    CHECK(first(p) == 7);
    CHECK(cuLaunchGrid(add, 0, 1) == CUDA_ERROR_INVALID_VALUE && cuLaunch(nullptr) == CUDA_ERROR_INVALID_HANDLE);
    CHECK(cuParamSetSize(add, 5000) == CUDA_ERROR_INVALID_VALUE && cuParamSeti(add, 4094, 1) == CUDA_ERROR_INVALID_VALUE);
    OK(cuMemFree(p));
}

static void files()
{
    char name[] = "/tmp/heddle-driver-XXXXXX";
    int fd = mkstemp(name);
    FILE *f = fdopen(fd, "w");
    fputs(ptx, f);
    fclose(f);
    CUmodule m;
    CUfunction g;
    OK(cuModuleLoad(&m, name));
    OK(cuModuleGetFunction(&g, m, "none"));
    OK(cuLaunchKernel(g, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    OK(cuModuleUnload(m));
    CUlibrary l;
    OK(cuLibraryLoadFromFile(&l, name, nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cuLibraryUnload(l));
    CUlinkState s;
    void *image;
    size_t bytes;
    static const char caller[] = ".version 7.0\n.target sm_52\n.address_size 64\n.extern .func (.param .b32 r) other();\n"
                                 ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<3>;\n.reg .b32 %r<2>;\n"
                                 "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n"
                                 "{\n.param .b32 r;\ncall.uni (r), other, ();\nld.param.b32 %r1, [r];\n}\nst.global.u32 [%rd2], %r1;\nret;\n}\n";
    static const char callee[] = ".version 7.0\n.target sm_52\n.address_size 64\n.visible .func (.param .b32 r) other()\n"
                                 "{\n.reg .b32 %r<2>;\nmov.u32 %r1, 42;\nst.param.b32 [r], %r1;\nret;\n}\n";
    OK(cuLinkCreate(0, nullptr, nullptr, &s));
    OK(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)caller, sizeof caller, "caller", 0, nullptr, nullptr));
    OK(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)callee, sizeof callee, "callee", 0, nullptr, nullptr));
    OK(cuLinkAddFile(s, CU_JIT_INPUT_PTX, name, 0, nullptr, nullptr));
    OK(cuLinkComplete(s, &image, &bytes));
    OK(cuModuleLoadFatBinary(&m, image));
    OK(cuLinkDestroy(s));
    OK(cuModuleGetFunction(&g, m, "k"));
    CUdeviceptr p;
    OK(cuMemAlloc(&p, 4));
    void *arguments[] = {&p};
    OK(cuLaunchKernel(g, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(first(p) == 42);
    OK(cuMemFree(p));
    OK(cuModuleUnload(m));
    remove(name);
}

static void libraries()
{
    CUlibrary l, l2;
    CUkernel k, ks[2];
    CUfunction f;
    CUmodule m;
    CUdeviceptr p, q;
    size_t bytes, offset;
    unsigned count;
    const char *name;
    int v = 1;
    OK(cuLibraryLoadData(&l, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    OK(cuLibraryGetKernel(&k, l, "add"));
    OK(cuLibraryGetKernelCount(&count, l));
    OK(cuLibraryEnumerateKernels(ks, 2, l));
    CHECK(count == 2 && ks[0] == k);
    OK(cuKernelGetFunction(&f, k));
    OK(cuKernelGetName(&name, k));
    CHECK(!strcmp(name, "add"));
    OK(cuKernelGetParamInfo(k, 0, &offset, &bytes));
    CHECK(!offset && bytes == 8);
    OK(cuKernelGetLibrary(&l2, k));
    CHECK(l2 == l);
    OK(cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1000, k, dev));
    OK(cuKernelGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, k, dev));
    CHECK(v == 1000);
    OK(cuKernelSetCacheConfig(k, CU_FUNC_CACHE_PREFER_L1, dev));
    OK(cuLibraryGetGlobal(&p, &bytes, l, "counter"));
    CHECK(first(p) == 7);
    OK(cuLibraryGetManaged(&q, &bytes, l, "shown"));
    CHECK(*(int *)q == 5);
    OK(cuLibraryGetModule(&m, l));
    OK(cuModuleGetGlobal(&q, &bytes, m, "counter"));
    CHECK(p == q);
    v = 10;
    void *arguments[] = {&p, &v};
    OK(cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    CHECK(first(p) == 27);
    OK(cuLibraryUnload(l));
}

static void memory()
{
    CUdeviceptr p, q, base;
    size_t pitch, bytes, total;
    void *h;
    unsigned flags;
    std::vector<int> in(256), out(256);
    for (int i = 0; i < 256; i++)
        in[i] = i;
    OK(cuMemGetInfo(&bytes, &total));
    CHECK(bytes <= total);
    OK(cuMemAlloc(&p, 1024));
    OK(cuMemAlloc(&q, 1024));
    OK(cuMemcpyHtoD(p, in.data(), 1024));
    OK(cuMemcpyDtoD(q, p, 1024));
    OK(cuMemcpyDtoH(out.data(), q, 1024));
    CHECK(in == out);
    OK(cuMemcpyHtoDAsync(p, out.data() + 1, 1020, nullptr));
    OK(cuMemcpyDtoDAsync(q, p, 1024, nullptr));
    OK(cuMemcpyDtoHAsync(out.data(), q, 1024, nullptr));
    OK(cuStreamSynchronize(nullptr));
    CHECK(out[0] == 1 && out[254] == 255);
    OK(cuMemcpy(p, (CUdeviceptr)in.data(), 1024));
    OK(cuMemcpyAsync((CUdeviceptr)out.data(), p, 1024, nullptr));
    OK(cuCtxSynchronize());
    CHECK(out == in);
    OK(cuMemcpyPeer(q, ctx, p, ctx, 1024));
    OK(cuMemcpyPeerAsync(q, ctx, p, ctx, 1024, nullptr));
    OK(cuMemGetAddressRange(&base, &bytes, p + 100));
    CHECK(base == p && bytes == 1024);
    OK(cuMemsetD8(p, 0x11, 1024));
    CHECK(first(p + 1020) == 0x11111111);
    OK(cuMemsetD16(p, 0x2233, 512));
    CHECK(first(p + 1020) == 0x22332233);
    OK(cuMemsetD32(p, 0x44556677, 256));
    CHECK(first(p + 1020) == 0x44556677);
    OK(cuMemsetD8Async(p, 1, 4, nullptr));
    CHECK(first(p) == 0x01010101);
    OK(cuMemsetD16Async(p, 0x0203, 2, nullptr));
    CHECK(first(p) == 0x02030203);
    OK(cuMemsetD32Async(p, 77, 1, nullptr));
    CHECK(first(p) == 77 && first(p + 4) == 0x44556677);
    OK(cuMemFree(p));
    OK(cuMemAllocPitch(&p, &pitch, 40, 4, 4));
    OK(cuMemsetD2D32(p, pitch, 5, 10, 4));
    CHECK(first(p + 3 * pitch + 36) == 5);
    OK(cuMemsetD2D32Async(p, pitch, 6, 2, 2, nullptr));
    CHECK(first(p + pitch + 4) == 6 && first(p + pitch + 8) == 5 && first(p + 2 * pitch) == 5);
    OK(cuMemsetD2D16(p, pitch, 0x0101, 2, 1));
    OK(cuMemsetD2D16Async(p, pitch, 0x0202, 1, 1, nullptr));
    CHECK(first(p) == 0x01010202);
    OK(cuMemsetD2D8(p, pitch, 3, 4, 2));
    OK(cuMemsetD2D8Async(p, pitch, 4, 1, 2, nullptr));
    CHECK(first(p) == 0x03030304 && first(p + pitch) == 0x03030304);
    OK(cuMemFree(p));
    OK(cuMemFree(q));
    OK(cuMemAllocHost(&h, 100));
    OK(cuMemFreeHost(h));
    OK(cuMemHostAlloc(&h, 100, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
    OK(cuMemHostGetFlags(&flags, h));
    CHECK(flags & CU_MEMHOSTALLOC_DEVICEMAP);
    OK(cuMemHostGetDevicePointer(&p, h, 0));
    OK(cuMemsetD32(p, 9, 25));
    OK(cuCtxSynchronize());
    CHECK(((int *)h)[24] == 9);
    OK(cuMemFreeHost(h));
    OK(cuMemHostRegister(in.data(), 1024, CU_MEMHOSTREGISTER_DEVICEMAP));
    OK(cuMemHostGetDevicePointer(&p, in.data(), 0));
    OK(cuMemsetD32(p, 8, 4));
    OK(cuCtxSynchronize());
    CHECK(in[3] == 8 && in[4] == 4);
    OK(cuMemHostUnregister(in.data()));
    OK(cuMemAllocManaged(&p, 64, CU_MEM_ATTACH_GLOBAL));
    *(int *)p = 12;
    CHECK(first(p) == 12);
    OK(cuMemAdvise(p, 64, CU_MEM_ADVISE_SET_READ_MOSTLY, dev));
    int v = 0;
    OK(cuMemRangeGetAttribute(&v, sizeof v, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, p, 64));
    CHECK(v == 1);
    CUmem_range_attribute which = CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY;
    void *data = &v;
    size_t size = sizeof v;
    OK(cuMemRangeGetAttributes(&data, &size, &which, 1, p, 64));
    CUmemLocation here = {};
    here.type = CU_MEM_LOCATION_TYPE_DEVICE;
    here.id = dev;
    OK(cuMemAdvise_v2(p, 64, CU_MEM_ADVISE_UNSET_READ_MOSTLY, here));
    OK(cuMemPrefetchAsync(p, 64, dev, nullptr));
    OK(cuMemPrefetchAsync(p, 64, here, 0, nullptr)); // as in CUDA 13: cuMemPrefetchAsync_v2
    OK(cuStreamAttachMemAsync(nullptr, p, 0, CU_MEM_ATTACH_GLOBAL));
    unsigned char managed = 0;
    OK(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
    CHECK(managed == 1);
    CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_RANGE_SIZE, CU_POINTER_ATTRIBUTE_CONTEXT};
    CUcontext of;
    void *answers[] = {&bytes, &of};
    OK(cuPointerGetAttributes(2, asked, answers, p + 8));
    CHECK(bytes == 64 && of == ctx);
    OK(cuMemFree(p));
    OK(cuMemAlloc(&p, 64));
    v = 1;
    OK(cuPointerSetAttribute(&v, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
    OK(cuMemFree(p));
}

static void pools()
{
    CUmemoryPool pool, first_pool, other;
    CUdeviceptr p;
    cuuint64_t used;
    CUmemPoolProps props = {};
    props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    props.location.id = dev;
    OK(cuDeviceGetDefaultMemPool(&first_pool, dev));
    OK(cuMemPoolCreate(&pool, &props));
    OK(cuDeviceSetMemPool(dev, pool));
    OK(cuDeviceGetMemPool(&other, dev));
    CHECK(other == pool);
    OK(cuMemAllocAsync(&p, 1000, nullptr));
    OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
    CHECK(used >= 1000);
    OK(cuMemFreeAsync(p, nullptr));
    OK(cuMemAllocFromPoolAsync(&p, 100, first_pool, nullptr));
    OK(cuMemFreeAsync(p, nullptr));
    cuuint64_t keep = 1 << 20;
    OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
    OK(cuMemPoolTrimTo(pool, 0));
    CUmemAccess_flags flags;
    OK(cuMemPoolGetAccess(&flags, pool, &props.location));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    CUmemAccessDesc access = {};
    access.location = props.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    OK(cuMemPoolSetAccess(pool, &access, 1));
    OK(cuDeviceSetMemPool(dev, first_pool));
    OK(cuMemPoolDestroy(pool));
}

__global__ void read_texture(cudaTextureObject_t t, float *out) { *out = tex2D<float>(t, 2.5f, 1.5f); }
__global__ void write_surface(cudaSurfaceObject_t s) { surf2Dwrite(50.0f, s, 3 * 4, 2); }

static void arrays()
{
    CUarray a, b;
    CUDA_ARRAY_DESCRIPTOR d = {8, 4, CU_AD_FORMAT_FLOAT, 1};
    CUDA_ARRAY3D_DESCRIPTOR e = {8, 4, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
    float in[32], out[32] = {0};
    for (int i = 0; i < 32; i++)
        in[i] = i;
    OK(cuArrayCreate(&a, &d));
    OK(cuArray3DCreate(&b, &e));
    OK(cuArrayGetDescriptor(&d, b));
    CHECK(d.Width == 8 && d.Height == 4 && d.Format == CU_AD_FORMAT_FLOAT && d.NumChannels == 1);
    OK(cuArray3DGetDescriptor(&e, a));
    CHECK(e.Depth == 0 && e.Width == 8);
    CUDA_MEMCPY2D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = in;
    c.srcPitch = 32;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = a;
    c.WidthInBytes = 32;
    c.Height = 4;
    OK(cuMemcpy2D(&c));
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.srcArray = a;
    c.dstArray = b;
    OK(cuMemcpy2DUnaligned(&c));
    c.srcArray = b;
    c.srcXInBytes = 4;
    c.srcY = 1;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = out;
    c.dstPitch = 16;
    c.WidthInBytes = 16;
    c.Height = 2;
    OK(cuMemcpy2DAsync(&c, nullptr));
    OK(cuCtxSynchronize());
    CHECK(out[0] == 9 && out[3] == 12 && out[4] == 17);
    CUDA_MEMCPY3D box = {};
    box.srcMemoryType = CU_MEMORYTYPE_HOST;
    box.srcHost = in;
    box.srcPitch = 8;
    box.srcHeight = 2;
    box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    OK(cuMemAlloc(&box.dstDevice, 256));
    box.dstPitch = 16;
    box.dstHeight = 4;
    box.WidthInBytes = 8;
    box.Height = 2;
    box.Depth = 3;
    OK(cuMemcpy3D(&box));
    OK(cuMemcpy3DAsync(&box, nullptr));
    float v;
    OK(cuMemcpyDtoH(&v, box.dstDevice + 2 * 64 + 16 + 4, 4)); // slice 2, row 1, element 1
    CHECK(v == 11);
    CUDA_MEMCPY3D_PEER peer = {};
    peer.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    peer.srcDevice = box.dstDevice;
    peer.srcContext = peer.dstContext = ctx;
    peer.srcPitch = peer.dstPitch = 16;
    peer.srcHeight = peer.dstHeight = 4;
    peer.dstMemoryType = CU_MEMORYTYPE_HOST;
    peer.dstHost = out;
    peer.WidthInBytes = 8;
    peer.Height = peer.Depth = 1;
    OK(cuMemcpy3DPeer(&peer));
    OK(cuMemcpy3DPeerAsync(&peer, nullptr));
    CHECK(out[1] == 1);
    OK(cuMemFree(box.dstDevice));
    CUarray line;
    d = {16, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4};
    OK(cuArrayCreate(&line, &d));
    CUdeviceptr p;
    OK(cuMemAlloc(&p, 64));
    OK(cuMemsetD32(p, 0x01020304, 16));
    OK(cuMemcpyDtoA(line, 0, p, 64));
    OK(cuMemcpyHtoA(line, 8, in + 3, 4));
    OK(cuMemcpyHtoAAsync(line, 12, in + 4, 4, nullptr));
    OK(cuMemcpyAtoA(line, 32, line, 8, 8));
    OK(cuMemcpyAtoD(p, line, 0, 64));
    OK(cuMemcpyAtoH(out, line, 0, 64));
    OK(cuMemcpyAtoHAsync(out, line, 0, 64, nullptr));
    OK(cuCtxSynchronize());
    CHECK(out[2] == 3 && out[3] == 4 && out[8] == 3 && out[9] == 4 && first(p) == 0x01020304);
    CUDA_RESOURCE_DESC r = {}, r2;
    CUDA_TEXTURE_DESC t = {}, t2;
    CUtexObject texture;
    CUsurfObject surface;
    r.resType = CU_RESOURCE_TYPE_ARRAY;
    r.res.array.hArray = b;
    t.addressMode[0] = t.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
    OK(cuTexObjectCreate(&texture, &r, &t, nullptr));
    OK(cuTexObjectGetResourceDesc(&r2, texture));
    CHECK(r2.resType == CU_RESOURCE_TYPE_ARRAY && r2.res.array.hArray == b);
    OK(cuTexObjectGetTextureDesc(&t2, texture));
    CHECK(t2.addressMode[0] == CU_TR_ADDRESS_MODE_CLAMP);
    read_texture<<<1, 1>>>(texture, (float *)p); // a kernel of the runtime's, in the driver's context
    OK(cuMemcpyDtoH(&v, p, 4));
    CHECK(v == 10);
    OK(cuSurfObjectCreate(&surface, &r));
    OK(cuSurfObjectGetResourceDesc(&r2, surface));
    write_surface<<<1, 1>>>(surface);
    OK(cuMemcpyAtoH(out, b, 0, 32));
    c = {};
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    c.srcArray = b;
    c.srcXInBytes = 12;
    c.srcY = 2;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = out;
    c.WidthInBytes = 4;
    c.Height = 1;
    OK(cuMemcpy2D(&c));
    CHECK(out[0] == 50);
    OK(cuTexObjectDestroy(texture));
    OK(cuSurfObjectDestroy(surface));
    OK(cuArrayDestroy(a));
    OK(cuArrayDestroy(b));
    OK(cuArrayDestroy(line));
    OK(cuMemFree(p));
}

static int calls;
static void CUDA_CB called(CUstream, CUresult status, void *) { calls += status == CUDA_SUCCESS; }
static void CUDA_CB host(void *n) { *(int *)n += 10; }

static void streams()
{
    CUstream s, t;
    CUevent a, b;
    unsigned flags;
    unsigned long long id, id2;
    int priority, device;
    float ms = -1;
    CUcontext c;
    CUstreamAttrValue window = {}, got = {};
    CUstreamCaptureStatus capture;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreateWithPriority(&t, CU_STREAM_DEFAULT, -1));
    OK(cuStreamGetFlags(s, &flags));
    OK(cuStreamGetPriority(t, &priority));
    CHECK(flags == CU_STREAM_NON_BLOCKING && priority == -1);
    OK(cuStreamGetId(s, &id));
    OK(cuStreamGetId(t, &id2));
    CHECK(id != id2);
    OK(cuStreamGetDevice(s, &device));
    OK(cuStreamGetCtx(s, &c));
    CHECK(c == ctx && device == dev);
    CUgreenCtx green;
    OK(cuStreamGetCtx_v2(s, &c, &green));
    CHECK(!green);
    window.accessPolicyWindow.num_bytes = 4096;
    OK(cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &window));
    OK(cuStreamCopyAttributes(t, s));
    OK(cuStreamGetAttribute(t, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &got));
    CHECK(got.accessPolicyWindow.num_bytes == 4096);
    OK(cuStreamIsCapturing(s, &capture));
    CHECK(capture == CU_STREAM_CAPTURE_STATUS_NONE);
    OK(cuStreamGetCaptureInfo(s, &capture, nullptr, nullptr, nullptr, nullptr));
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    CHECK(mode == CU_STREAM_CAPTURE_MODE_GLOBAL);
    OK(cuThreadExchangeStreamCaptureMode(&mode));
    OK(cuEventCreate(&a, CU_EVENT_DEFAULT));
    OK(cuEventCreate(&b, CU_EVENT_BLOCKING_SYNC));
    OK(cuEventRecord(a, s));
    OK(cuStreamWaitEvent(t, a, 0));
    OK(cuStreamAddCallback(s, called, nullptr, 0));
    int n = 1;
    OK(cuLaunchHostFunc(s, host, &n));
    OK(cuEventRecordWithFlags(b, s, CU_EVENT_RECORD_DEFAULT));
    OK(cuEventSynchronize(b));
    OK(cuEventQuery(b));
    OK(cuStreamSynchronize(s));
    OK(cuStreamQuery(s));
    CHECK(calls == 1 && n == 11);
    OK(cuEventElapsedTime(&ms, a, b));
    CHECK(ms >= 0);
    OK(cuEventElapsedTime_v2(&ms, a, b));
    OK(cuCtxRecordEvent(ctx, a));
    OK(cuCtxWaitEvent(ctx, a));
    CHECK(cudaEventSynchronize(a) == cudaSuccess); // one handle for both interfaces
    CHECK(cudaStreamSynchronize(t) == cudaSuccess);
    cudaStream_t r;
    CHECK(cudaStreamCreate(&r) == cudaSuccess);
    OK(cuStreamSynchronize(r));
    OK(cuStreamDestroy(r));
    OK(cuEventDestroy(a));
    OK(cuEventDestroy(b));
    OK(cuStreamDestroy(s));
    OK(cuStreamDestroy(t));
}

// A program may use both: the runtime takes the context that is current, and the primary one where there is none.
static void mixing()
{
    int *p, out = 0;
    CUcontext c, primary;
    unsigned flags;
    int active, v;
    CHECK(cudaMalloc(&p, 64) == cudaSuccess);
    OK(cuMemsetD32((CUdeviceptr)p, 21, 16));
    twice<<<1, 16>>>(p, 16);
    OK(cuMemcpyDtoH(&out, (CUdeviceptr)p, 4));
    CHECK(out == 42);
    OK(cuMemFree((CUdeviceptr)p));
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cuMemFree(0x1234) != CUDA_SUCCESS);
    CHECK(cudaPeekAtLastError() == cudaSuccess); // the driver leaves the runtime's last error alone
    CHECK(cudaSetDevice(0) == cudaSuccess);
    OK(cuCtxGetCurrent(&c));
    CHECK(c && c != ctx); // the primary context took its place
    OK(cuDevicePrimaryCtxRetain(&primary, dev));
    CHECK(primary == c);
    OK(cuDevicePrimaryCtxGetState(dev, &flags, &active));
    CHECK(active);
    OK(cuDevicePrimaryCtxSetFlags(dev, CU_CTX_SCHED_AUTO));
    OK(cuDevicePrimaryCtxRelease(dev));
    OK(cuCtxSetCurrent(nullptr));
    CHECK(cudaFree(nullptr) == cudaSuccess); // makes it current
    OK(cuCtxGetCurrent(&c));
    CHECK(c == primary);
    OK(cuDevicePrimaryCtxReset(dev));
    OK(cuCtxSetCurrent(ctx));
    CHECK(cuCtxDisablePeerAccess(ctx) != CUDA_SUCCESS && cuCtxEnablePeerAccess(ctx, 0) != CUDA_SUCCESS);
    CHECK(cuDeviceGetP2PAttribute(&v, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, dev, dev) == CUDA_ERROR_INVALID_DEVICE);
    OK(cuProfilerStart());
    OK(cuProfilerStop());
}

// What the runtime has of it.
static void by_the_runtime()
{
    cudaLibrary_t l, l2;
    cudaKernel_t k, ks[2];
    cudaFunction_t f;
    void *p;
    size_t bytes;
    unsigned count;
    int v = 5, *q, out = 0;
    CHECK(cudaLibraryLoadData(&l, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0) == cudaSuccess);
    CHECK(cudaLibraryLoadFromFile(&l2, "/nowhere/at/all", nullptr, nullptr, 0, nullptr, nullptr, 0) == cudaErrorFileNotFound);
    CHECK(cudaGetLastError() == cudaErrorFileNotFound);
    CHECK(cudaLibraryGetKernel(&k, l, "add") == cudaSuccess);
    CHECK(cudaLibraryGetKernelCount(&count, l) == cudaSuccess && count == 2);
    CHECK(cudaLibraryEnumerateKernels(ks, 2, l) == cudaSuccess && ks[0] == k);
    CHECK(cudaKernelSetAttributeForDevice(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1000, 0) == cudaSuccess);
    CHECK(cudaLibraryGetGlobal(&p, &bytes, l, "counter") == cudaSuccess && bytes == 4);
    CHECK(cudaLibraryGetManaged((void **)&q, &bytes, l, "shown") == cudaSuccess && *q == 5);
    void *arguments[] = {&p, &v};
    CHECK(cudaLaunchKernel((const void *)k, dim3(1), dim3(1), arguments, 0, nullptr) == cudaSuccess);
    CHECK(cudaMemcpy(&out, p, 4, cudaMemcpyDeviceToHost) == cudaSuccess && out == 12);
    CHECK(cudaLibraryUnload(l) == cudaSuccess);
    CHECK(cudaGetKernel(&k, (const void *)twice) == cudaSuccess);
    CHECK(cudaGetFuncBySymbol(&f, (const void *)twice) == cudaSuccess);
    OK(cuMemAlloc((CUdeviceptr *)&q, 4));
    OK(cuMemsetD32((CUdeviceptr)q, 8, 1));
    v = 1;
    void *own[] = {&q, &v};
    OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, own, nullptr)); // the runtime's kernel, by the driver
    CHECK(first((CUdeviceptr)q) == 16);
    OK(cuMemFree((CUdeviceptr)q));
    cudaDriverEntryPointQueryResult why;
    CHECK(cudaGetDriverEntryPoint("cuMemAlloc", &p, cudaEnableDefault, &why) == cudaSuccess && p == (void *)cuMemAlloc);
    CHECK(cudaGetDriverEntryPointByVersion("cuMemAlloc", &p, 12000, cudaEnableDefault, &why) == cudaSuccess && p == (void *)cuMemAlloc);
    CHECK(cudaGetDriverEntryPoint("cuBogus", &p, cudaEnableDefault, &why) == cudaSuccess && why == cudaDriverEntryPointSymbolNotFound);
}

static void entry_points()
{
    void *p;
    CUdriverProcAddressQueryResult why;
    OK(cuGetProcAddress("cuMemAlloc", &p, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &why));
    CHECK(p == (void *)cuMemAlloc && why == CU_GET_PROC_ADDRESS_SUCCESS);
    OK(cuGetProcAddress("cuLaunchKernel", &p, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &why));
    CHECK(p == (void *)cuLaunchKernel_ptsz);
    OK(cuGetProcAddress("cuLibraryLoadData", &p, 11000, 0, &why));
    CHECK(!p && why == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    OK(cuGetProcAddress("cuBogus", &p, 12000, 0, &why));
    CHECK(!p && why == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    OK(cuGetProcAddress("cuMemAlloc_v2", &p, 12000, 0, &why));
    CHECK(!p);
    const char *s;
    OK(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &s));
    CHECK(!strcmp(s, "out of memory"));
    CUevent e;
    OK(cuEventCreate(&e, 0));
    OK(cuEventRecord_ptsz(e, nullptr)); // on the thread's own stream
    OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    OK(cuEventQuery(e));
    OK(cuEventDestroy(e));
}

static void graphs()
{
    CUstream s;
    CUgraph g, copy, empty;
    CUgraphExec e;
    CUgraphNode nodes[8];
    CUgraphNodeType type;
    CUstreamCaptureStatus status;
    CUdeviceptr p;
    size_t n = 8, roots = 0;
    int v = 3;
    OK(cuMemAlloc(&p, 4 * 32));
    OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuStreamIsCapturing(s, &status));
    CHECK(status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
    OK(cuMemsetD32Async(p, 100, 32, s));
    void *arguments[] = {&p, &v};
    OK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, s, arguments, nullptr));
    OK(cuStreamEndCapture(s, &g));
    OK(cuGraphGetNodes(g, nodes, &n));
    OK(cuGraphGetRootNodes(g, nullptr, &roots));
    OK(cuGraphNodeGetType(nodes[1], &type));
    CHECK(n == 2 && roots == 1 && type == CU_GRAPH_NODE_TYPE_KERNEL);
    OK(cuGraphInstantiate(&e, g, 0)); // cuGraphInstantiateWithFlags
    OK(cuGraphUpload(e, s));
    v = 50; // the graph has its own copy
    OK(cuGraphLaunch(e, s));
    OK(cuStreamSynchronize(s));
    CHECK(first(p) == 103);
    OK(cuGraphClone(&copy, g));
    char file[] = "/tmp/heddle-graph-XXXXXX";
    close(mkstemp(file));
    OK(cuGraphDebugDotPrint(copy, file, 0));
    remove(file);
    OK(cuGraphCreate(&empty, 0));
    OK(cuGraphDestroy(empty));
    OK(cuGraphDestroy(copy));
    OK(cuGraphExecDestroy(e));
    OK(cuGraphDestroy(g));
    OK(cuStreamDestroy(s));
    OK(cuMemFree(p));
}

// Memory and an event of this process in another one, which is this program again.
struct handles {
    CUipcMemHandle memory;
    CUipcEventHandle event;
};

static int other_process()
{
    handles h;
    CUdeviceptr p;
    CUevent e;
    bool got = read(STDIN_FILENO, &h, sizeof h) == (ssize_t)sizeof h;
    devices();
    OK(cuCtxCreate(&ctx, 0, dev));
    OK(cuIpcOpenMemHandle(&p, h.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));
    OK(cuIpcOpenEventHandle(&e, h.event));
    OK(cuEventSynchronize(e));
    CHECK(got && first(p) == 5);
    OK(cuMemsetD32(p, 6, 1));
    OK(cuCtxSynchronize());
    OK(cuIpcCloseMemHandle(p));
    return wrong != 0;
}

static void processes()
{
    handles h;
    CUdeviceptr p;
    CUevent e;
    int ends[2], status = -1;
    OK(cuMemAlloc(&p, 64));
    OK(cuMemsetD32(p, 5, 16));
    OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
    OK(cuEventRecord(e, nullptr));
    OK(cuIpcGetMemHandle(&h.memory, p));
    OK(cuIpcGetEventHandle(&h.event, e));
    CHECK(!pipe(ends) && write(ends[1], &h, sizeof h) == (ssize_t)sizeof h);
    pid_t child = fork();
    if (!child) {
        dup2(ends[0], STDIN_FILENO);
        execl("/proc/self/exe", "driver", "other", nullptr);
        _exit(127);
    }
    waitpid(child, &status, 0);
    CHECK(status == 0 && first(p) == 6);
    OK(cuEventDestroy(e));
    OK(cuMemFree(p));
}

int main(int argc, char **)
{
    if (argc > 1)
        return other_process();
    devices();
    contexts();
    modules();
    before_cuda_4();
    files();
    libraries();
    memory();
    pools();
    arrays();
    streams();
    entry_points();
    by_the_runtime();
    graphs();
    processes();
    mixing();
    OK(cuModuleUnload(mod));
    OK(cuCtxDestroy(ctx));
    printf(wrong ? "FAILED: %d\n" : "PASSED\n", wrong);
    return wrong != 0;
}
