// What the driver interface answers when it is misused, and what it answers about a few things that are not named in its
// reference. One line a case: group, the call as it is written here, the status (its name) or value. Each group runs in a
// process of its own, since some calls may end it. Left out is what ends an H200's driver with a fault of the host: a null
// pointer for cuGetErrorName and cuGetProcAddress, a length of 0 for cuDeviceGetName, a stream or an event that is destroyed
// twice, a handle for cuMemMap that never was one. A context that is destroyed twice was answered differently in two runs.
//
// nvcc -o driver driver.cu -lcuda && ./driver > driver_h200.tsv
#include <cuda.h>
#include <cudaProfiler.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

static const char *group;

static const char *name(CUresult r)
{
    const char *s = nullptr;
    return cuGetErrorName(r, &s) == CUDA_SUCCESS && s ? s : "?";
}

static void show(const char *what, CUresult r)
{
    printf("%s\t%s\t%s\n", group, what, name(r));
    fflush(stdout);
}

static void show(const char *what, long long v)
{
    printf("%s\t%s\t%lld\n", group, what, v);
    fflush(stdout);
}

#define P(call) show(#call, call)
#define V(value) show(#value, (long long)(value))

static const char ptx[] =
    ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".visible .global .align 4 .u32 counter = 7;\n"
    ".visible .const .align 4 .f32 table[4];\n"
    ".visible .entry store(.param .u64 p, .param .u32 v)\n"
    "{\n.reg .b64 %rd<3>;\n.reg .b32 %r<2>;\n"
    "ld.param.u64 %rd1, [p];\nld.param.u32 %r1, [v];\ncvta.to.global.u64 %rd2, %rd1;\nst.global.u32 [%rd2], %r1;\nret;\n}\n"
    ".visible .entry none()\n{\nret;\n}\n"
    ".visible .entry bounded()\n.maxntid 64, 1, 1\n{\nret;\n}\n"
    ".visible .entry shared()\n{\n.shared .align 4 .b8 room[4096];\n.reg .b32 %r<2>;\nmov.u32 %r1, 1;\nst.shared.u32 [room], %r1;\nret;\n}\n";

static CUdevice dev;
static CUcontext ctx;
static CUmodule mod;
static CUfunction f_store, f_none, f_bounded, f_shared;

static CUresult create(CUcontext *c, unsigned flags, CUdevice d)
{
#if CUDA_VERSION >= 13000
    return cuCtxCreate(c, nullptr, flags, d);
#else
    return cuCtxCreate(c, flags, d);
#endif
}

static void start()
{
    cuInit(0);
    cuDeviceGet(&dev, 0);
    create(&ctx, 0, dev);
}

static void load()
{
    start();
    cuModuleLoadData(&mod, ptx);
    cuModuleGetFunction(&f_store, mod, "store");
    cuModuleGetFunction(&f_none, mod, "none");
    cuModuleGetFunction(&f_bounded, mod, "bounded");
    cuModuleGetFunction(&f_shared, mod, "shared");
}

static void before_init()
{
    CUdeviceptr p;
    int n;
    CUcontext c;
    CUdevice d;
    const char *s;
    P(cuMemAlloc(&p, 4));
    P(cuDeviceGetCount(&n));
    P(cuDeviceGet(&d, 0));
    P(cuCtxGetCurrent(&c));
    P(cuCtxGetDevice(&d));
    P(cuDriverGetVersion(&n));
    P(cuDriverGetVersion(nullptr));
    P(cuGetErrorString(CUDA_ERROR_UNKNOWN, &s));
    P(cuGetErrorName((CUresult)12345, &s));
    V(s == nullptr);
    P(cuGetErrorString((CUresult)12345, &s));
    V(s == nullptr);
    P(cuInit(1));
    P(cuDeviceGetCount(&n));
    P(cuInit(0));
    P(cuInit(0));
    P(cuInit(1));
}

static void devices()
{
    cuInit(0);
    CUdevice d = 5;
    int v, major, minor;
    char text[100];
    size_t bytes;
    CUuuid id;
    P(cuDeviceGetCount(nullptr));
    P(cuDeviceGet(&d, -1));
    P(cuDeviceGet(&d, 99));
    P(cuDeviceGet(nullptr, 0));
    P(cuDeviceGetName(nullptr, 100, 0));
    P(cuDeviceGetName(text, 3, 0));
    V(strlen(text));
    P(cuDeviceGetName(text, 100, 99));
    P(cuDeviceGetAttribute(&v, (CUdevice_attribute)0, 0));
    P(cuDeviceGetAttribute(&v, (CUdevice_attribute)9999, 0));
    P(cuDeviceGetAttribute(&v, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 99));
    P(cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
    P(cuDeviceTotalMem(nullptr, 0));
    P(cuDeviceTotalMem(&bytes, 99));
    P(cuDeviceGetUuid(nullptr, 0));
    P(cuDeviceGetUuid(&id, 99));
    P(cuDeviceComputeCapability(&major, &minor, 0));
    P(cuDeviceComputeCapability(nullptr, &minor, 0));
    P(cuDeviceGetByPCIBusId(&d, "junk"));
    P(cuDeviceGetByPCIBusId(&d, nullptr));
    P(cuDeviceGetPCIBusId(text, 5, 0));
    P(cuDeviceGetPCIBusId(text, 100, 99));
    P(cuDeviceCanAccessPeer(&v, 0, 0));
    P(cuDeviceCanAccessPeer(&v, 0, 99));
    P(cuDeviceCanAccessPeer(nullptr, 0, 0));
    P(cuDeviceGetP2PAttribute(&v, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
    for (int a = 1; a < 136; a++) { /* which are known at all */
        CUresult r = cuDeviceGetAttribute(&v, (CUdevice_attribute)a, 0);
        printf("%s\tattribute %d\t%s\n", group, a, name(r));
    }
}

static void no_context()
{
    cuInit(0);
    CUdeviceptr p;
    CUcontext c = (CUcontext)1;
    CUdevice d;
    CUstream s;
    CUevent e;
    CUmodule m;
    size_t a, b;
    unsigned u;
    CUlibrary l;
    CUkernel k;
    int n;
    P(cuCtxGetCurrent(&c));
    V(c == nullptr);
    P(cuCtxGetCurrent(nullptr));
    P(cuCtxGetDevice(&d));
    P(cuCtxGetDevice(nullptr));
    P(cuCtxSynchronize());
    P(cuCtxGetFlags(&u));
    P(cuCtxGetApiVersion(nullptr, &u));
    P(cuCtxGetLimit(&a, CU_LIMIT_STACK_SIZE));
    P(cuCtxPopCurrent(&c));
    P(cuCtxPopCurrent(nullptr));
    P(cuCtxPushCurrent(nullptr));
    P(cuCtxSetCurrent(nullptr));
    P(cuCtxDestroy(nullptr));
    P(cuMemAlloc(&p, 4));
    P(cuMemAlloc(nullptr, 0));
    P(cuMemFree(0));
    P(cuMemGetInfo(&a, &b));
    P(cuMemsetD8(0, 0, 4));
    P(cuMemcpyHtoD(0, &a, 0));
    P(cuModuleLoadData(&m, ptx));
    P(cuModuleUnload(nullptr));
    P(cuStreamCreate(&s, 0));
    P(cuStreamSynchronize(nullptr));
    P(cuEventCreate(&e, 0));
    P(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    P(cuPointerGetAttribute(&n, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&n));
    P(cuLibraryLoadData(&l, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    P(cuLibraryGetKernel(&k, l, "none"));
    P(cuLibraryGetModule(&m, l));
    P(cuLibraryGetGlobal(&p, &a, l, "counter"));
    P(cuLibraryUnload(l));
    P(cuProfilerStart());
}

static void contexts()
{
    cuInit(0);
    cuDeviceGet(&dev, 0);
    CUcontext a, b, c;
    CUdevice d;
    unsigned u;
    size_t n;
    CUdeviceptr p;
    P(create(nullptr, 0, dev));
    P(create(&a, 3, dev));
    P(create(&a, 0x1000, dev));
    P(create(&a, 0, 99));
    P(create(&a, CU_CTX_SCHED_YIELD, dev));
    P(cuCtxGetFlags(&u));
    V(u);
    P(cuCtxGetFlags(nullptr));
    P(cuCtxGetDevice(nullptr));
    P(cuCtxGetApiVersion(a, &u));
    V(u);
    P(cuCtxGetApiVersion(nullptr, &u));
    P(create(&b, 0, dev));
    cuCtxGetCurrent(&c);
    V(c == b);
    V(a == b);
    P(cuCtxPopCurrent(&c));
    V(c == b);
    cuCtxGetCurrent(&c);
    V(c == a);
    P(cuCtxPushCurrent(a));
    P(cuCtxPopCurrent(&c));
    P(cuCtxSetCurrent(b));
    P(cuCtxPopCurrent(&c));
    V(c == b);
    P(cuCtxGetCurrent(&c));
    V(c == nullptr);
    P(cuCtxPushCurrent(b));
    P(cuMemAlloc(&p, 4));
    P(cuCtxSetCurrent(nullptr));
    P(cuCtxGetDevice(&d));
    P(cuCtxPopCurrent(&c));
    P(cuCtxPushCurrent(a));
    P(cuMemFree(p)); /* of another context of the device */
    P(cuCtxDestroy(a));
    P(cuCtxGetCurrent(&c));
    V(c == nullptr);
    P(cuCtxPushCurrent(b));
    P(cuCtxGetLimit(&n, CU_LIMIT_STACK_SIZE));
    V(n);
    P(cuCtxGetLimit(&n, CU_LIMIT_PRINTF_FIFO_SIZE));
    P(cuCtxGetLimit(&n, (CUlimit)77));
    P(cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE));
    P(cuCtxSetLimit((CUlimit)77, 1));
    P(cuCtxSetCacheConfig((CUfunc_cache)9));
    P(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
    P(cuCtxEnablePeerAccess(b, 0));
    P(cuCtxEnablePeerAccess(nullptr, 0));
    P(cuCtxDisablePeerAccess(b));
}

static void destroyed_set()
{
    start();
    CUcontext a = ctx;
    cuCtxDestroy(a);
    P(cuCtxSetCurrent(a));
    P(cuCtxPushCurrent(a));
}

static void destroyed_elsewhere()
{
    start();
    CUcontext c;
    CUdevice d;
    CUdeviceptr p;
    std::thread([] { P(cuCtxDestroy(ctx)); }).join();
    P(cuCtxGetCurrent(&c));
    V(c == ctx);
    P(cuCtxGetDevice(&d));
    P(cuCtxSynchronize());
    P(cuMemAlloc(&p, 4));
    P(cuCtxPopCurrent(&c));
    P(cuCtxPopCurrent(&c));
}

static void primary()
{
    cuInit(0);
    CUcontext a, b, c;
    unsigned flags;
    int active;
    CUdeviceptr p;
    P(cuDevicePrimaryCtxGetState(0, &flags, &active));
    V(active);
    P(cuDevicePrimaryCtxRelease(0));
    P(cuDevicePrimaryCtxRetain(nullptr, 0));
    P(cuDevicePrimaryCtxRetain(&a, 99));
    P(cuDevicePrimaryCtxSetFlags(0, 3));
    P(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_BLOCKING_SYNC));
    P(cuDevicePrimaryCtxRetain(&a, 0));
    P(cuDevicePrimaryCtxGetState(0, &flags, &active));
    V(active);
    V(flags);
    P(cuDevicePrimaryCtxRetain(&b, 0));
    V(a == b);
    P(cuCtxGetCurrent(&c));
    V(c == nullptr);
    P(cuCtxPushCurrent(a));
    P(cuMemAlloc(&p, 4));
    P(cuCtxDestroy(a));
    P(cuDevicePrimaryCtxRelease(0));
    P(cuMemAlloc(&p, 4));
    P(cuDevicePrimaryCtxRelease(0));
    P(cuDevicePrimaryCtxGetState(0, &flags, &active));
    V(active);
    P(cuMemAlloc(&p, 4));
    P(cuCtxSynchronize());
    P(cuCtxGetCurrent(&c));
    V(c == a);
    P(cuDevicePrimaryCtxRelease(0));
    P(cuDevicePrimaryCtxRetain(&b, 0));
    V(a == b);
    P(cuMemAlloc(&p, 4));
    P(cuDevicePrimaryCtxReset(0));
    P(cuMemAlloc(&p, 4));
}

static void modules()
{
    load();
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    size_t n;
    static char text[20000], info[1000], error[1000];
    P(cuModuleLoadData(nullptr, ptx));
    P(cuModuleLoadData(&m, nullptr));
    P(cuModuleLoadData(&m, ""));
    P(cuModuleLoadData(&m, "garbage, no device code"));
    P(cuModuleLoadData(&m, ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry k() { bogus; }"));
    P(cuModuleLoadData(&m, ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry k() { ret;"));
    P(cuModuleLoadData(&m, ".version 99.0\n.target sm_52\n.address_size 64\n.visible .entry k() { ret; }"));
    P(cuModuleLoadData(&m, ".version 8.0\n.target sm_999\n.address_size 64\n.visible .entry k() { ret; }"));
    P(cuModuleLoadData(&m, ".version 8.8\n.target sm_120\n.address_size 64\n.visible .entry k() { ret; }"));
    P(cuModuleLoadData(&m, ".version 7.0\n.target sm_52\n.address_size 64\n"));
    P(cuModuleLoadData(&m, ".version 7.0\n.target sm_52\n.address_size 64\n.extern .func other();\n.visible .entry k() { call other; ret; }"));
    memset(text, 0, sizeof text);
    memcpy(text, "\177ELF", 4);
    P(cuModuleLoadData(&m, text));
    P(cuModuleLoad(&m, "/nowhere/at/all.ptx"));
    P(cuModuleLoad(&m, nullptr));
    P(cuModuleLoad(nullptr, "x"));
    P(cuModuleGetFunction(&f, mod, "nothing"));
    P(cuModuleGetFunction(&f, mod, ""));
    P(cuModuleGetFunction(&f, mod, nullptr));
    P(cuModuleGetFunction(nullptr, mod, "none"));
    P(cuModuleGetFunction(&f, nullptr, "none"));
    P(cuModuleGetFunction(&f, mod, "counter"));
    P(cuModuleGetGlobal(&p, &n, mod, "counter"));
    V(n);
    P(cuModuleGetGlobal(&p, &n, mod, "table"));
    V(n);
    P(cuModuleGetGlobal(&p, nullptr, mod, "counter"));
    P(cuModuleGetGlobal(nullptr, &n, mod, "counter"));
    P(cuModuleGetGlobal(nullptr, nullptr, mod, "counter"));
    P(cuModuleGetGlobal(&p, &n, mod, "nothing"));
    P(cuModuleGetGlobal(&p, &n, mod, "none"));
    P(cuModuleGetGlobal(&p, &n, mod, nullptr));
    P(cuModuleGetGlobal(&p, &n, nullptr, "counter"));
    P(cuModuleUnload(nullptr));
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {info, (void *)sizeof info, error, (void *)sizeof error};
    P(cuModuleLoadDataEx(&m, ptx, 4, options, values));
    V((size_t)values[1] == strlen(info));
    V((size_t)values[3]);
    values[1] = (void *)sizeof info;
    values[3] = (void *)sizeof error;
    P(cuModuleLoadDataEx(&m, ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry k() { bogus; }", 4, options, values));
    V((size_t)values[1] == strlen(info));
    V((size_t)values[3] == strlen(error));
    V((size_t)values[3] == strlen(error) + 1);
    V(strlen(error) > 0);
    P(cuModuleLoadDataEx(&m, ptx, 1, nullptr, nullptr));
    CUjit_option unknown = (CUjit_option)999;
    P(cuModuleLoadDataEx(&m, ptx, 1, &unknown, values));
    unsigned count = 0;
    P(cuModuleGetFunctionCount(&count, mod));
    V(count);
}

static void module_unloaded_twice()
{
    load();
    P(cuModuleUnload(mod));
    P(cuModuleUnload(mod));
}

static void module_unloaded_function()
{
    load();
    CUfunction f;
    P(cuModuleUnload(mod));
    P(cuModuleGetFunction(&f, mod, "none"));
}

static void module_unloaded_launch()
{
    load();
    P(cuModuleUnload(mod));
    P(cuLaunchKernel(f_none, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    P(cuCtxSynchronize());
}

static void launches()
{
    load();
    CUdeviceptr p;
    cuMemAlloc(&p, 4);
    unsigned v = 5, got = 0;
    void *params[] = {&p, &v};
    struct {
        CUdeviceptr p;
        unsigned v;
    } block = {p, 9};
    size_t exact = 12, padded = 16, more = 64, less = 8;
    P(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    P(cuLaunchKernel(f_none, 0, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    P(cuLaunchKernel(f_none, 1, 1, 1, 0, 1, 1, 0, nullptr, nullptr, nullptr));
    P(cuLaunchKernel(f_none, 1, 1, 1, 2048, 1, 1, 0, nullptr, nullptr, nullptr));
    P(cuLaunchKernel(f_none, 1, 1, 1, 1, 1, 65, 0, nullptr, nullptr, nullptr));
    P(cuLaunchKernel(f_none, 1, 1, 1, 64, 64, 1, 0, nullptr, nullptr, nullptr));
    P(cuLaunchKernel(f_none, 1, 65536, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    P(cuLaunchKernel(f_none, 0x80000000u, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    P(cuLaunchKernel(f_none, 1, 1, 1, 1, 1, 1, 48 * 1024, nullptr, nullptr, nullptr));
    P(cuLaunchKernel(f_none, 1, 1, 1, 1, 1, 1, 48 * 1024 + 1, nullptr, nullptr, nullptr));
    P(cuLaunchKernel(f_none, 1, 1, 1, 1, 1, 1, 300 * 1024, nullptr, nullptr, nullptr));
    P(cuLaunchKernel(f_shared, 1, 1, 1, 1, 1, 1, 44 * 1024, nullptr, nullptr, nullptr));
    P(cuLaunchKernel(f_shared, 1, 1, 1, 1, 1, 1, 44 * 1024 + 1, nullptr, nullptr, nullptr));
    P(cuLaunchKernel(f_bounded, 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, nullptr));
    P(cuLaunchKernel(f_bounded, 1, 1, 1, 65, 1, 1, 0, nullptr, nullptr, nullptr));
    P(cuLaunchKernel(f_store, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr));
    P(cuCtxSynchronize());
    P(cuMemcpyDtoH(&got, p, 4));
    V(got);
    P(cuLaunchKernel(f_store, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    {
        void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &exact, CU_LAUNCH_PARAM_END};
        P(cuLaunchKernel(f_store, 1, 1, 1, 1, 1, 1, 0, nullptr, params, extra));
        P(cuLaunchKernel(f_store, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
        P(cuMemcpyDtoH(&got, p, 4));
        V(got);
        extra[3] = &padded;
        P(cuLaunchKernel(f_store, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
        extra[3] = &more;
        P(cuLaunchKernel(f_store, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
        extra[3] = &less;
        P(cuLaunchKernel(f_store, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
        void *only_size[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &exact, CU_LAUNCH_PARAM_END};
        P(cuLaunchKernel(f_store, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, only_size));
        void *only_pointer[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_END};
        P(cuLaunchKernel(f_store, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, only_pointer));
        void *unknown[] = {(void *)77, &block, CU_LAUNCH_PARAM_END};
        P(cuLaunchKernel(f_store, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, unknown));
        void *empty[] = {CU_LAUNCH_PARAM_END};
        P(cuLaunchKernel(f_store, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, empty));
        P(cuLaunchKernel(f_none, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, empty));
    }
    P(cuLaunchCooperativeKernel(f_none, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr));
    P(cuLaunchCooperativeKernel(f_none, 1000000, 1, 1, 1024, 1, 1, 0, nullptr, nullptr));
    P(cuLaunchKernelEx(nullptr, f_none, nullptr, nullptr));
    CUlaunchConfig config = {};
    config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimX = config.blockDimY = config.blockDimZ = 1;
    P(cuLaunchKernelEx(&config, f_none, nullptr, nullptr));
    config.numAttrs = 1;
    P(cuLaunchKernelEx(&config, f_none, nullptr, nullptr));
    config.numAttrs = 0;
    config.gridDimX = 0;
    P(cuLaunchKernelEx(&config, f_none, nullptr, nullptr));
    P(cuLaunchHostFunc(nullptr, nullptr, nullptr));
    P(cuCtxSynchronize());
}

static void launch_null_argument()
{
    load();
    CUdeviceptr p;
    cuMemAlloc(&p, 4);
    void *hole[] = {&p, nullptr};
    P(cuLaunchKernel(f_store, 1, 1, 1, 1, 1, 1, 0, nullptr, hole, nullptr));
}

static void launch_no_arguments()
{
    load();
    P(cuLaunchKernel(f_store, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    P(cuCtxSynchronize());
}

static void launch_junk_function()
{
    load();
    static long long junk[64];
    P(cuLaunchKernel((CUfunction)junk, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
}

static void launch_junk_stream()
{
    load();
    static long long junk[64];
    P(cuLaunchKernel(f_none, 1, 1, 1, 1, 1, 1, 0, (CUstream)junk, nullptr, nullptr));
}

static void functions()
{
    load();
    int v, blocks, size;
    size_t bytes;
    const char *s;
    P(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f_bounded));
    V(v);
    P(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f_none));
    V(v);
    P(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, f_shared));
    V(v);
    P(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f_none));
    V(v);
    P(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, f_shared));
    V(v);
    P(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, f_none));
    V(v);
    P(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_PTX_VERSION, f_none));
    V(v);
    P(cuFuncGetAttribute(&v, (CUfunction_attribute)99, f_none));
    P(cuFuncGetAttribute(&v, (CUfunction_attribute)-1, f_none));
    P(cuFuncGetAttribute(nullptr, CU_FUNC_ATTRIBUTE_NUM_REGS, f_none));
    P(cuFuncGetAttribute(&v, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr));
    P(cuFuncSetAttribute(f_none, CU_FUNC_ATTRIBUTE_NUM_REGS, 8));
    P(cuFuncSetAttribute(f_none, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, -1));
    P(cuFuncSetAttribute(f_none, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 300 * 1024));
    P(cuFuncSetAttribute(f_none, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100 * 1024));
    P(cuFuncSetAttribute(f_none, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 101));
    P(cuFuncSetAttribute(f_none, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, -2));
    P(cuFuncSetAttribute(f_none, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
    P(cuFuncSetAttribute(nullptr, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
    P(cuFuncSetCacheConfig(f_none, (CUfunc_cache)9));
    P(cuFuncSetCacheConfig(nullptr, CU_FUNC_CACHE_PREFER_L1));
    P(cuFuncGetName(&s, f_none));
    V(strcmp(s, "none"));
    P(cuFuncGetName(nullptr, f_none));
    size_t offset;
    P(cuFuncGetParamInfo(f_store, 1, &offset, &bytes));
    V(offset);
    V(bytes);
    P(cuFuncGetParamInfo(f_store, 2, &offset, &bytes));
    P(cuFuncGetParamInfo(f_store, 0, nullptr, &bytes));
    P(cuFuncGetParamInfo(f_store, 0, &offset, nullptr));
    CUmodule m;
    P(cuFuncGetModule(&m, f_none));
    V(m == mod);
    P(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f_none, 0, 0));
    P(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f_none, 2048, 0));
    V(blocks);
    P(cuOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, f_none, 64, 0));
    P(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nullptr, 64, 0));
    P(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, f_none, 64, 0, 8));
    P(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f_bounded, 128, 0));
    V(blocks);
    P(cuOccupancyMaxPotentialBlockSize(&blocks, &size, f_bounded, nullptr, 0, 0));
    V(size);
    P(cuOccupancyMaxPotentialBlockSize(&blocks, nullptr, f_bounded, nullptr, 0, 0));
    P(cuOccupancyMaxPotentialBlockSize(&blocks, &size, f_none, nullptr, 0, 100));
    V(size);
    P(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, f_none, 0, 64));
}

static void memory()
{
    start();
    CUdeviceptr p, q, base;
    size_t pitch, n;
    int v;
    void *h;
    unsigned flags;
    static char host[1 << 16];
    CUdeviceptr of_host = (CUdeviceptr)host;
    P(cuMemAlloc(&p, 0));
    P(cuMemAlloc(nullptr, 4));
    P(cuMemAlloc(&p, (size_t)1 << 50));
    P(cuMemFree(0));
    P(cuMemFree(0x1234));
    P(cuMemFree(of_host));
    P(cuMemAlloc(&p, 1000));
    P(cuMemAlloc(&q, 1000));
    P(cuMemFree(p + 4));
    P(cuMemGetAddressRange(&base, &n, p + 10));
    V(base == p);
    V(n);
    P(cuMemGetAddressRange(nullptr, nullptr, p));
    P(cuMemGetAddressRange(&base, &n, 0x1234));
    P(cuMemGetAddressRange(&base, &n, of_host));
    P(cuMemGetInfo(nullptr, &n));
    P(cuMemAllocPitch(&base, &pitch, 100, 10, 3));
    P(cuMemAllocPitch(&base, &pitch, 100, 10, 2));
    P(cuMemAllocPitch(&base, &pitch, 0, 10, 4));
    P(cuMemAllocPitch(&base, &pitch, 100, 0, 4));
    P(cuMemAllocPitch(&base, &pitch, 100, 10, 4));
    V(pitch);
    P(cuMemcpyHtoD(p, host, 0));
    P(cuMemcpyHtoD(p, nullptr, 0));
    P(cuMemcpyHtoD(0, host, 0));
    P(cuMemcpyHtoD(p, nullptr, 4));
    P(cuMemcpyHtoD(0, host, 4));
    P(cuMemcpyHtoD(p, host, (size_t)1 << 40));
    P(cuMemcpyHtoD(of_host, host, 4));
    P(cuMemcpyDtoH(host, of_host, 4));
    P(cuMemcpyDtoH(host, 0x1234, 4));
    P(cuMemcpyDtoD(p, of_host, 4));
    P(cuMemcpyDtoD(p, q, 1000));
    P(cuMemcpyDtoD(p, p, 1000));
    P(cuMemcpy(of_host, of_host + 100, 100));
    P(cuMemcpy(of_host, p, 100));
    P(cuMemsetD8(p, 1, 1000));
    P(cuMemsetD8(p, 1, 0));
    P(cuMemsetD8(0, 1, 0));
    P(cuMemsetD8(0, 1, 4));
    P(cuMemsetD8(of_host, 1, 4));
    P(cuMemsetD16(p + 1, 1, 4));
    P(cuMemsetD32(p + 2, 1, 4));
    P(cuMemsetD32(p, 1, (size_t)1 << 40));
    P(cuMemsetD2D8(p, 10, 1, 20, 4));
    P(cuMemsetD2D8(p, 10, 1, 20, 1));
    P(cuMemsetD2D32(p, 18, 1, 4, 4));
    P(cuMemsetD2D32(p, 0, 1, 4, 1));
    P(cuMemsetD2D32(p, 64, 1, 0, 4));
    P(cuMemHostAlloc(&h, 100, 0xff));
    P(cuMemHostAlloc(&h, 0, 0));
    P(cuMemHostAlloc(nullptr, 100, 0));
    P(cuMemHostAlloc(&h, 100, CU_MEMHOSTALLOC_DEVICEMAP));
    P(cuMemHostGetFlags(&flags, h));
    V(flags);
    P(cuMemHostGetFlags(&flags, host));
    P(cuMemHostGetDevicePointer(&base, h, 0));
    V(base == (CUdeviceptr)h);
    P(cuMemHostGetDevicePointer(&base, h, 1));
    P(cuMemHostGetDevicePointer(&base, host, 0));
    P(cuMemFree((CUdeviceptr)h));
    P(cuMemFreeHost((char *)h + 4));
    P(cuMemFreeHost(host));
    P(cuMemFreeHost(nullptr));
    P(cuMemFreeHost(h));
    P(cuMemAllocHost(&h, 0));
    P(cuMemHostRegister(host, 4096, 0));
    P(cuMemHostRegister(host, 4096, 0));
    P(cuMemHostRegister(nullptr, 4096, 0));
    P(cuMemHostRegister(host + 8192, 0, 0));
    P(cuMemHostRegister(host + 8192, 4096, 0x80));
    P(cuMemHostGetDevicePointer(&base, host, 0));
    V(base == of_host);
    P(cuMemHostUnregister(host + 64));
    P(cuMemHostUnregister(host));
    P(cuMemHostUnregister(host));
    P(cuMemHostUnregister(nullptr));
    P(cuMemAllocManaged(&base, 100, 0));
    P(cuMemAllocManaged(&base, 100, 7));
    P(cuMemAllocManaged(&base, 0, CU_MEM_ATTACH_GLOBAL));
    P(cuMemAllocManaged(&base, 100, CU_MEM_ATTACH_GLOBAL));
    unsigned long long value = 77;
    const CUdeviceptr kinds[] = {p + 4, base, of_host, 0x1234, 0};
    const char *names[] = {"device", "managed", "pageable", "nothing", "null"};
    const CUpointer_attribute attributes[] = {
        CU_POINTER_ATTRIBUTE_CONTEXT, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
        CU_POINTER_ATTRIBUTE_HOST_POINTER, CU_POINTER_ATTRIBUTE_BUFFER_ID, CU_POINTER_ATTRIBUTE_IS_MANAGED,
        CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, CU_POINTER_ATTRIBUTE_RANGE_SIZE,
        CU_POINTER_ATTRIBUTE_MAPPED, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
        CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE};
    for (int k = 0; k < 5; k++)
        for (CUpointer_attribute a : attributes) {
            value = 0;
            CUresult r = cuPointerGetAttribute(&value, a, kinds[k]);
            bool number = a == CU_POINTER_ATTRIBUTE_MEMORY_TYPE || a == CU_POINTER_ATTRIBUTE_IS_MANAGED ||
                          a == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL || a == CU_POINTER_ATTRIBUTE_RANGE_SIZE ||
                          a == CU_POINTER_ATTRIBUTE_MAPPED || a == CU_POINTER_ATTRIBUTE_ACCESS_FLAGS;
            printf("%s\tcuPointerGetAttribute %d of %s\t%s %d\n", group, (int)a, names[k], name(r), !r && number ? (int)value : -1);
        }
    P(cuPointerGetAttribute(&value, (CUpointer_attribute)0, p));
    P(cuPointerGetAttribute(&value, (CUpointer_attribute)999, p));
    P(cuPointerGetAttribute(nullptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    CUpointer_attribute two[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    int type = 5, ordinal = 5;
    void *where[] = {&type, &ordinal};
    P(cuPointerGetAttributes(2, two, where, of_host));
    V(type);
    V(ordinal);
    P(cuPointerGetAttributes(2, two, where, p));
    V(type);
    V(ordinal);
    P(cuPointerGetAttributes(0, two, where, p));
    P(cuPointerGetAttributes(2, nullptr, where, p));
    v = 1;
    P(cuPointerSetAttribute(&v, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, p));
    P(cuPointerSetAttribute(&v, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, of_host));
    P(cuPointerSetAttribute(&v, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
    CUDA_MEMCPY2D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = host;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = p;
    c.WidthInBytes = 16;
    c.Height = 4;
    P(cuMemcpy2D(nullptr));
    P(cuMemcpy2D(&c)); /* pitches of 0 */
    c.srcPitch = c.dstPitch = 16;
    P(cuMemcpy2D(&c));
    c.dstPitch = 15;
    P(cuMemcpy2D(&c));
    c.dstPitch = 16;
    c.srcMemoryType = (CUmemorytype)9;
    P(cuMemcpy2D(&c));
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = of_host;
    P(cuMemcpy2D(&c));
    c.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
    P(cuMemcpy2D(&c));
    c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
    P(cuMemcpy2D(&c));
    c.WidthInBytes = 0;
    P(cuMemcpy2D(&c));
    P(cuMemFree(p));
    P(cuMemFree(p));
    CUdeviceptr a;
    P(cuMemAllocAsync(&a, 0, nullptr));
    P(cuMemAllocAsync(&a, 100, nullptr));
    P(cuMemFreeAsync(a, nullptr));
    P(cuMemFreeAsync(0, nullptr));
    P(cuMemFreeAsync(q, nullptr));
    P(cuMemFreeAsync(0x1234, nullptr));
}

static void arrays()
{
    start();
    CUarray a = nullptr;
    CUDA_ARRAY_DESCRIPTOR d = {64, 16, CU_AD_FORMAT_FLOAT, 1};
    char host[64 * 16 * 4];
    P(cuArrayCreate(&a, nullptr));
    P(cuArrayCreate(nullptr, &d));
    d.NumChannels = 3;
    P(cuArrayCreate(&a, &d));
    d.NumChannels = 1;
    d.Format = (CUarray_format)0x77;
    P(cuArrayCreate(&a, &d));
    d.Format = CU_AD_FORMAT_FLOAT;
    d.Width = 0;
    P(cuArrayCreate(&a, &d));
    d.Width = 64;
    P(cuArrayCreate(&a, &d));
    CUDA_ARRAY3D_DESCRIPTOR e;
    P(cuArray3DGetDescriptor(&e, a));
    V(e.Width);
    V(e.Height);
    V(e.Depth);
    V(e.Format);
    V(e.NumChannels);
    P(cuArrayGetDescriptor(nullptr, a));
    P(cuMemcpyHtoA(a, 0, host, 256));
    P(cuMemcpyHtoA(a, 0, host, 257));
    P(cuMemcpyHtoA(a, 252, host, 8));
    P(cuMemcpyAtoH(host, a, 0, 256));
    CUDA_MEMCPY2D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = host;
    c.srcPitch = 256;
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = a;
    c.WidthInBytes = 256;
    c.Height = 16;
    P(cuMemcpy2D(&c));
    c.dstXInBytes = 2;
    c.WidthInBytes = 4;
    P(cuMemcpy2D(&c));
    c.dstXInBytes = 0;
    c.Height = 17;
    P(cuMemcpy2D(&c));
    CUtexObject t;
    CUsurfObject s;
    CUDA_RESOURCE_DESC r = {};
    CUDA_TEXTURE_DESC x = {};
    r.resType = CU_RESOURCE_TYPE_ARRAY;
    r.res.array.hArray = a;
    P(cuTexObjectCreate(&t, nullptr, &x, nullptr));
    P(cuTexObjectCreate(&t, &r, nullptr, nullptr));
    P(cuTexObjectCreate(nullptr, &r, &x, nullptr));
    P(cuTexObjectCreate(&t, &r, &x, nullptr));
    P(cuTexObjectDestroy(t));
    P(cuTexObjectDestroy(12345));
    P(cuSurfObjectCreate(&s, &r)); /* not made for surfaces */
    r.res.array.hArray = nullptr;
    P(cuTexObjectCreate(&t, &r, &x, nullptr));
    P(cuArrayDestroy(a));
    P(cuArrayDestroy(nullptr));
}

static void streams()
{
    start();
    CUstream s, t;
    CUevent a, b;
    float ms;
    unsigned flags;
    int priority;
    CUcontext c;
    P(cuStreamCreate(&s, 7));
    P(cuStreamCreate(nullptr, 0));
    P(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    P(cuStreamGetFlags(s, &flags));
    V(flags);
    P(cuStreamGetFlags(s, nullptr));
    P(cuStreamCreateWithPriority(&t, 0, 99));
    P(cuStreamGetPriority(t, &priority));
    V(priority);
    P(cuStreamCreateWithPriority(&t, 0, -99));
    P(cuStreamGetPriority(t, &priority));
    V(priority);
    P(cuStreamGetCtx(s, &c));
    V(c == ctx);
    P(cuStreamGetCtx(s, nullptr));
    P(cuStreamQuery(s));
    P(cuStreamQuery(nullptr));
    P(cuStreamQuery(CU_STREAM_LEGACY));
    P(cuStreamQuery(CU_STREAM_PER_THREAD));
    P(cuStreamDestroy(nullptr));
    P(cuStreamDestroy(CU_STREAM_LEGACY));
    P(cuStreamDestroy(CU_STREAM_PER_THREAD));
    P(cuStreamWaitEvent(s, nullptr, 0));
    P(cuEventCreate(&a, 0xff));
    P(cuEventCreate(&a, CU_EVENT_INTERPROCESS));
    P(cuEventCreate(nullptr, 0));
    P(cuEventCreate(&a, 0));
    P(cuEventCreate(&b, CU_EVENT_DISABLE_TIMING));
    P(cuEventQuery(a));
    P(cuEventSynchronize(a));
    P(cuStreamWaitEvent(s, a, 0));
    P(cuStreamWaitEvent(s, a, 77));
    P(cuEventElapsedTime(&ms, a, a));
    P(cuEventRecord(a, s));
    P(cuEventRecord(b, s));
    P(cuEventRecord(nullptr, s));
    P(cuStreamSynchronize(s));
    P(cuEventElapsedTime(&ms, a, a));
    P(cuEventElapsedTime(&ms, a, b));
    P(cuEventElapsedTime(nullptr, a, a));
    P(cuEventElapsedTime(&ms, nullptr, a));
    P(cuEventQuery(nullptr));
    P(cuEventDestroy(nullptr));
    P(cuEventDestroy(b));
    P(cuStreamAddCallback(s, nullptr, nullptr, 0));
    P(cuLaunchHostFunc(s, nullptr, nullptr));
    P(cuStreamDestroy(s));
}

static void libraries()
{
    start();
    CUlibrary l;
    CUkernel k;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    size_t n;
    int v;
    unsigned count;
    const char *s;
    P(cuLibraryLoadData(nullptr, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    P(cuLibraryLoadData(&l, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
    P(cuLibraryLoadData(&l, "garbage, no device code", nullptr, nullptr, 0, nullptr, nullptr, 0));
    P(cuLibraryLoadData(&l, ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry k() { bogus; }", nullptr, nullptr, 0, nullptr, nullptr, 0));
    P(cuLibraryLoadFromFile(&l, "/nowhere/at/all.ptx", nullptr, nullptr, 0, nullptr, nullptr, 0));
    P(cuLibraryLoadData(&l, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    P(cuLibraryGetKernel(&k, l, "nothing"));
    P(cuLibraryGetKernel(&k, l, nullptr));
    P(cuLibraryGetKernel(nullptr, l, "none"));
    P(cuLibraryGetKernel(&k, nullptr, "none"));
    P(cuLibraryGetKernel(&k, l, "none"));
    P(cuKernelGetFunction(&f, k));
    P(cuKernelGetFunction(nullptr, k));
    P(cuKernelGetName(&s, k));
    V(strcmp(s, "none"));
    P(cuLaunchKernel((CUfunction)k, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    P(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    P(cuKernelGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 0));
    V(v);
    P(cuKernelGetAttribute(&v, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, k, 99));
    P(cuLibraryGetModule(&m, l));
    P(cuModuleGetFunction(&f, m, "store"));
    P(cuModuleUnload(m));
    P(cuLibraryGetGlobal(&p, &n, l, "counter"));
    V(n);
    P(cuLibraryGetGlobal(&p, &n, l, "nothing"));
    P(cuLibraryGetManaged(&p, &n, l, "counter"));
    P(cuLibraryGetKernelCount(&count, l));
    V(count);
    P(cuLibraryUnload(nullptr));
    P(cuLibraryUnload(l));
}

static void links()
{
    start();
    CUlinkState s;
    void *image;
    size_t n;
    static const char a[] = ".version 7.0\n.target sm_52\n.address_size 64\n.extern .func other();\n.visible .entry k() { call other; ret; }";
    static const char b[] = ".version 7.0\n.target sm_52\n.address_size 64\n.visible .func other() { ret; }";
    CUmodule m;
    P(cuLinkCreate(0, nullptr, nullptr, nullptr));
    P(cuLinkCreate(0, nullptr, nullptr, &s));
    P(cuLinkComplete(s, &image, &n));
    P(cuLinkDestroy(s));
    cuLinkCreate(0, nullptr, nullptr, &s);
    P(cuLinkAddData(s, (CUjitInputType)77, (void *)a, sizeof a, "a", 0, nullptr, nullptr));
    P(cuLinkAddData(s, CU_JIT_INPUT_PTX, nullptr, sizeof a, "a", 0, nullptr, nullptr));
    P(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)"junk", 5, "a", 0, nullptr, nullptr));
    P(cuLinkDestroy(s));
    cuLinkCreate(0, nullptr, nullptr, &s);
    P(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)a, sizeof a, "a", 0, nullptr, nullptr));
    P(cuLinkComplete(s, &image, &n));
    P(cuLinkDestroy(s));
    cuLinkCreate(0, nullptr, nullptr, &s);
    P(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)a, sizeof a, "a", 0, nullptr, nullptr));
    P(cuLinkAddData(s, CU_JIT_INPUT_PTX, (void *)b, sizeof b, "b", 0, nullptr, nullptr));
    P(cuLinkAddFile(s, CU_JIT_INPUT_PTX, "/nowhere/at/all.ptx", 0, nullptr, nullptr));
    P(cuLinkComplete(s, &image, &n));
    P(cuModuleLoadData(&m, image));
    CUfunction f;
    P(cuModuleGetFunction(&f, m, "k"));
    P(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    P(cuLinkDestroy(s));
}

static void virtual_memory()
{
    start();
    CUmemAllocationProp prop = {};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    prop.location.id = 0;
    size_t least, best;
    CUdeviceptr a, b;
    CUmemGenericAllocationHandle h, g;
    char host[16] = "abcdefg", back[16] = "";
    P(cuMemGetAllocationGranularity(&least, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    V(least);
    P(cuMemGetAllocationGranularity(&best, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    V(best);
    P(cuMemGetAllocationGranularity(nullptr, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    P(cuMemGetAllocationGranularity(&best, nullptr, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    P(cuMemGetAllocationGranularity(&best, &prop, (CUmemAllocationGranularity_flags)7));
    P(cuMemAddressReserve(&a, 0, 0, 0, 0));
    P(cuMemAddressReserve(&a, 4096, 0, 0, 0));
    P(cuMemAddressReserve(nullptr, least, 0, 0, 0));
    P(cuMemAddressReserve(&a, 4 * least, 3, 0, 0));
    P(cuMemAddressReserve(&a, 4 * least, 0, 0, 1));
    P(cuMemAddressReserve(&a, 4 * least, 0, 0, 0));
    V(a % least);
    P(cuMemCreate(&h, 1000, &prop, 0));
    P(cuMemCreate(&h, 0, &prop, 0));
    P(cuMemCreate(nullptr, least, &prop, 0));
    P(cuMemCreate(&h, least, nullptr, 0));
    P(cuMemCreate(&h, least, &prop, 1));
    prop.location.id = 99;
    P(cuMemCreate(&h, least, &prop, 0));
    prop.location.id = 0;
    P(cuMemCreate(&h, least, &prop, 0));
    P(cuMemCreate(&g, 2 * least, &prop, 0));
    P(cuMemMap(a, least, 1, h, 0));
    P(cuMemMap(a + 4096, least, 0, h, 0));
    P(cuMemMap(a, 2 * least, 0, h, 0));
    P(cuMemMap(0x1000, least, 0, h, 0));
    P(cuMemMap(a, least, 0, h, 0));
    P(cuMemMap(a, least, 0, h, 0));
    P(cuMemcpyHtoD(a, host, 8));
    CUmemAccessDesc access = {};
    access.location = prop.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    P(cuMemSetAccess(a + 3 * least, least, &access, 1));
    P(cuMemSetAccess(a, 2 * least, &access, 1));
    P(cuMemSetAccess(a, least, nullptr, 1));
    P(cuMemSetAccess(a, least, &access, 0));
    P(cuMemSetAccess(a, least, &access, 1));
    P(cuMemcpyHtoD(a, host, 8));
    P(cuMemMap(a + least, 2 * least, 0, g, 0));
    P(cuMemSetAccess(a + least, 2 * least, &access, 1));
    P(cuMemcpyHtoD(a + least - 4, host, 8)); /* over the border of two allocations */
    P(cuMemcpyDtoH(back, a + least - 4, 8));
    V(strcmp(host, back));
    P(cuMemMap(a + 3 * least, least, 0, h, 0)); /* the same memory a second time */
    P(cuMemSetAccess(a + 3 * least, least, &access, 1));
    P(cuMemcpyHtoD(a, "twice", 6));
    P(cuMemcpyDtoH(back, a + 3 * least, 6));
    V(strcmp(back, "twice"));
    unsigned long long flags;
    P(cuMemGetAccess(&flags, &prop.location, a));
    V(flags);
    CUmemGenericAllocationHandle same;
    P(cuMemRetainAllocationHandle(&same, (void *)a));
    V(same == h);
    P(cuMemRelease(same));
    CUmemAllocationProp q;
    P(cuMemGetAllocationPropertiesFromHandle(&q, h));
    V(q.location.id);
    P(cuMemGetAddressRange(&b, &best, a + 4));
    V(b == a);
    V(best);
    P(cuMemFree(a));
    P(cuMemUnmap(a, 4096));
    P(cuMemUnmap(a + least, least)); /* half of one */
    P(cuMemAddressFree(a, 4 * least)); /* still mapped */
    P(cuMemRelease(h));
    P(cuMemcpyDtoH(back, a, 6));
    P(cuMemUnmap(a, least));
    P(cuMemcpyDtoH(back, a, 6));
    P(cuMemUnmap(a + 3 * least, least));
    P(cuMemUnmap(a + least, 2 * least));
    P(cuMemRelease(g));
    P(cuMemAddressFree(a, least));
    P(cuMemAddressFree(a, 4 * least));
    P(cuMemAddressFree(a, 4 * least));
}

static void entry_points()
{
    cuInit(0);
    void *p = nullptr;
    CUdriverProcAddressQueryResult why;
    static const struct {
        const char *name;
        int version;
    } cases[] = {{"cuMemAlloc", 2000}, {"cuMemAlloc", 3020}, {"cuMemAlloc", 12000}, {"cuMemAlloc_v2", 12000}, {"cuCtxCreate", 3020},
                 {"cuCtxCreate", 11040}, {"cuCtxCreate", 12000}, {"cuLibraryLoadData", 11080}, {"cuLibraryLoadData", 12000},
                 {"cuNothing", 12000}, {"cudaMalloc", 12000}, {"cuGetProcAddress", 11030}, {"cuGetProcAddress", 12000},
                 {"cuLaunchKernel", 4000}, {"cuLaunchKernel", 3020}, {"cuInit", 0}, {"cuInit", 1000}, {"cuInit", 12000}, {"cuInit", 99000}};
    for (auto &c : cases) {
        why = (CUdriverProcAddressQueryResult)77;
        p = (void *)1;
        CUresult r = cuGetProcAddress(c.name, &p, c.version, 0, &why);
        printf("%s\t%s of %d\t%s, %d, %s\n", group, c.name, c.version, name(r), (int)why, p == nullptr ? "null" : "a function");
    }
    P(cuGetProcAddress("cuNothing", &p, 12000, 0, nullptr));
    P(cuGetProcAddress("", &p, 12000, 0, &why));
    P(cuGetProcAddress("cuInit", &p, 12000, 64, &why));
    P(cuGetProcAddress("cuLaunchKernel", &p, 12000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &why));
    V(p == dlsym(RTLD_DEFAULT, "cuLaunchKernel_ptsz"));
    P(cuGetProcAddress("cuLaunchKernel", &p, 12000, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &why));
    V(p == dlsym(RTLD_DEFAULT, "cuLaunchKernel"));
    V(dlsym(RTLD_DEFAULT, "cuMemAlloc_v2") != nullptr);
    V(dlsym(RTLD_DEFAULT, "cuCtxCreate_v3") != nullptr);
    V(dlsym(RTLD_DEFAULT, "cuStreamDestroy") != nullptr);
    const void *table;
    CUuuid id = {};
    P(cuGetExportTable(&table, &id));
}

static void fault()
{
    load();
    CUdeviceptr p = 0, q;
    unsigned v = 1, flags;
    void *params[] = {&p, &v};
    CUstream s;
    CUcontext c;
    CUmodule m;
    int n;
    P(cuLaunchKernel(f_store, 1, 1, 1, 1, 1, 1, 0, nullptr, params, nullptr));
    P(cuCtxSynchronize());
    P(cuCtxSynchronize());
    P(cuMemAlloc(&q, 4));
    P(cuMemFree(0));
    P(cuLaunchKernel(f_none, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    P(cuStreamCreate(&s, 0));
    P(cuModuleLoadData(&m, ptx));
    P(cuModuleUnload(mod));
    P(cuCtxGetDevice(&n));
    P(cuCtxGetFlags(&flags));
    P(cuCtxGetCurrent(&c));
    P(cuDeviceGetCount(&n));
    P(cuCtxPopCurrent(&c));
    P(cuCtxPushCurrent(ctx));
    P(cuCtxDestroy(ctx));
    P(create(&ctx, 0, dev));
    P(cuMemAlloc(&q, 4));
}

// A node of a graph beside a kernel's, empty, and what is needed to ask about them.
static CUgraph graph;
static CUgraphNode empty_node;

static CUDA_KERNEL_NODE_PARAMS node_of(CUfunction f, void **params)
{
    CUDA_KERNEL_NODE_PARAMS k = {};
    k.func = f;
    k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimX = k.blockDimY = k.blockDimZ = 1;
    k.kernelParams = params;
    return k;
}

static void start_graph()
{
    load();
    cuGraphCreate(&graph, 0);
    cuGraphAddEmptyNode(&empty_node, graph, nullptr, 0);
}

static void graph_kernels()
{
    start_graph();
    CUgraphNode n;
    CUgraphExec x;
    CUlibrary l;
    CUkernel k;
    CUDA_KERNEL_NODE_PARAMS p, got;
    CUdeviceptr at = 0;
    unsigned v = 1;
    void *params[] = {&at, &v};
    cuMemAlloc(&at, 64);
    cuLibraryLoadData(&l, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0);
    cuLibraryGetKernel(&k, l, "store");
    p = node_of(nullptr, params);
    P(cuGraphAddKernelNode(&n, graph, nullptr, 0, &p));
    P(cuGraphAddKernelNode(&n, graph, nullptr, 0, nullptr));
    p = node_of(f_store, params);
    P(cuGraphAddKernelNode(nullptr, graph, nullptr, 0, &p));
    P(cuGraphAddKernelNode(&n, nullptr, nullptr, 0, &p));
    P(cuGraphAddKernelNode(&n, graph, nullptr, 1, &p));
    P(cuGraphAddKernelNode(&n, graph, nullptr, 0, &p));
    P(cuGraphKernelNodeGetParams(n, &got));
    V(got.func == f_store);
    V(got.kern != nullptr);
    V(got.ctx == nullptr);
    V(got.ctx == ctx);
    V(*(unsigned *)got.kernelParams[1]);
    V(got.extra == nullptr);
    P(cuGraphKernelNodeGetParams(n, nullptr));
    P(cuGraphKernelNodeGetParams(empty_node, &got));
    P(cuGraphKernelNodeSetParams(empty_node, &p));
    p.blockDimX = 2000;
    P(cuGraphKernelNodeSetParams(n, &p));
    p.blockDimX = 0;
    P(cuGraphKernelNodeSetParams(n, &p));
    p.blockDimX = 1;
    p.sharedMemBytes = 1 << 24;
    P(cuGraphKernelNodeSetParams(n, &p));
    p = node_of(f_store, nullptr);
    P(cuGraphAddKernelNode(&n, graph, nullptr, 0, &p));
    p = node_of(f_none, nullptr);
    P(cuGraphAddKernelNode(&n, graph, nullptr, 0, &p));
    p = node_of(nullptr, params);
    p.kern = k;
    P(cuGraphAddKernelNode(&n, graph, nullptr, 0, &p));
    P(cuGraphKernelNodeGetParams(n, &got));
    V(got.func == nullptr);
    V(got.kern == k);
    V(got.ctx == nullptr);
    V(got.ctx == ctx);
    struct { CUdeviceptr at; unsigned v; } block = {at, 3};
    size_t bytes = 12;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &block, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    p = node_of(f_store, nullptr);
    p.extra = extra;
    P(cuGraphAddKernelNode(&n, graph, nullptr, 0, &p));
    P(cuGraphKernelNodeGetParams(n, &got));
    V(got.kernelParams == nullptr);
    V(got.extra == nullptr);
    for (size_t b : {8, 11, 16, 64}) {
        bytes = b;
        P(cuGraphAddKernelNode(&n, graph, nullptr, 0, &p));
    }
    p.kernelParams = params;
    P(cuGraphAddKernelNode(&n, graph, nullptr, 0, &p));
    CUkernelNodeAttrValue a = {};
    a.priority = -99;
    P(cuGraphKernelNodeSetAttribute(n, CU_LAUNCH_ATTRIBUTE_PRIORITY, &a));
    P(cuGraphKernelNodeGetAttribute(n, CU_LAUNCH_ATTRIBUTE_PRIORITY, &a));
    V(a.priority);
    P(cuGraphKernelNodeGetAttribute(empty_node, CU_LAUNCH_ATTRIBUTE_PRIORITY, &a));
    P(cuGraphKernelNodeGetAttribute(n, CU_LAUNCH_ATTRIBUTE_PRIORITY, nullptr));
    P(cuGraphKernelNodeGetAttribute(n, (CUkernelNodeAttrID)99, &a));
    P(cuGraphInstantiate(&x, graph, 0));
    P(cuGraphExecKernelNodeSetParams(x, empty_node, &p));
    P(cuGraphExecKernelNodeSetParams(nullptr, n, &p));
}

static void show_copy(const CUDA_MEMCPY3D &c)
{
    V(c.srcMemoryType);
    V(c.srcHost != nullptr);
    V(c.srcDevice != 0);
    V(c.srcArray != nullptr);
    V(c.srcXInBytes);
    V(c.srcY);
    V(c.srcPitch);
    V(c.srcHeight);
    V(c.dstMemoryType);
    V(c.dstHost != nullptr);
    V(c.dstDevice != 0);
    V(c.dstArray != nullptr);
    V(c.dstXInBytes);
    V(c.dstY);
    V(c.dstPitch);
    V(c.dstHeight);
    V(c.WidthInBytes);
    V(c.Height);
    V(c.Depth);
}

static void graph_copies()
{
    start_graph();
    CUgraphNode n;
    CUgraphExec x;
    CUarray array;
    CUDA_ARRAY_DESCRIPTOR desc = {8, 4, CU_AD_FORMAT_SIGNED_INT32, 2};
    CUDA_MEMCPY3D c = {}, got;
    CUdeviceptr at = 0;
    static char host[1024];
    cuMemAlloc(&at, 1024);
    cuArrayCreate(&array, &desc);
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = host;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = at;
    c.WidthInBytes = 64;
    c.Height = c.Depth = 1;
    P(cuGraphAddMemcpyNode(&n, graph, nullptr, 0, nullptr, ctx));
    P(cuGraphAddMemcpyNode(&n, graph, nullptr, 0, &c, ctx));
    P(cuGraphMemcpyNodeGetParams(n, &got));
    show_copy(got);
    P(cuGraphMemcpyNodeGetParams(n, nullptr));
    P(cuGraphMemcpyNodeGetParams(empty_node, &got));
    P(cuGraphMemcpyNodeSetParams(n, nullptr));
    P(cuGraphMemcpyNodeSetParams(empty_node, &c));
    c.WidthInBytes = 0;
    P(cuGraphMemcpyNodeSetParams(n, &c));
    c.WidthInBytes = 4096;
    P(cuGraphMemcpyNodeSetParams(n, &c));
    c.WidthInBytes = 64;
    c.dstMemoryType = (CUmemorytype)9;
    P(cuGraphMemcpyNodeSetParams(n, &c));
    c.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
    P(cuGraphMemcpyNodeSetParams(n, &c));
    P(cuGraphMemcpyNodeGetParams(n, &got));
    show_copy(got);
    c.srcY = 1;
    c.srcPitch = 128;
    c.dstXInBytes = 16;
    P(cuGraphMemcpyNodeSetParams(n, &c));
    P(cuGraphMemcpyNodeGetParams(n, &got));
    show_copy(got);
    c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    c.dstArray = array;
    c.dstXInBytes = 8;
    c.WidthInBytes = 24;
    c.Height = 2;
    P(cuGraphMemcpyNodeSetParams(n, &c));
    P(cuGraphMemcpyNodeGetParams(n, &got));
    show_copy(got);
    c.dstXInBytes = 12;
    P(cuGraphMemcpyNodeSetParams(n, &c));
    c.WidthInBytes = 20;
    P(cuGraphMemcpyNodeSetParams(n, &c));
    c.dstXInBytes = 64;
    P(cuGraphMemcpyNodeSetParams(n, &c));
    c.dstXInBytes = 0;
    P(cuGraphInstantiate(&x, graph, 0));
    P(cuGraphExecMemcpyNodeSetParams(x, n, &c, ctx));
    P(cuGraphExecMemcpyNodeSetParams(x, empty_node, &c, ctx));
}

static void graph_fills()
{
    start_graph();
    CUgraphNode n;
    CUgraphExec x;
    CUdeviceptr at = 0;
    static char host[64];
    cuMemAlloc(&at, 1024);
    CUDA_MEMSET_NODE_PARAMS f = {}, got;
    f.dst = at;
    f.value = 0x12345;
    f.elementSize = 2;
    f.width = 8;
    f.height = 1;
    f.pitch = 77;
    P(cuGraphAddMemsetNode(&n, graph, nullptr, 0, nullptr, ctx));
    P(cuGraphAddMemsetNode(&n, graph, nullptr, 0, &f, ctx));
    P(cuGraphMemsetNodeGetParams(n, &got));
    V(got.value);
    V(got.pitch);
    V(got.width);
    P(cuGraphMemsetNodeGetParams(n, nullptr));
    P(cuGraphMemsetNodeGetParams(empty_node, &got));
    f.elementSize = 3;
    P(cuGraphMemsetNodeSetParams(n, &f));
    f.elementSize = 4;
    f.width = 0;
    P(cuGraphMemsetNodeSetParams(n, &f));
    f.width = 1000;
    P(cuGraphMemsetNodeSetParams(n, &f));
    f.width = 8;
    f.height = 2;
    P(cuGraphMemsetNodeSetParams(n, &f));
    f.pitch = 64;
    P(cuGraphMemsetNodeSetParams(n, &f));
    f.dst = (CUdeviceptr)(size_t)host;
    P(cuGraphMemsetNodeSetParams(n, &f));
    P(cuGraphMemsetNodeSetParams(n, nullptr));
    f.dst = at;
    P(cuGraphInstantiate(&x, graph, 0));
    P(cuGraphExecMemsetNodeSetParams(x, n, &f, ctx));
    f.width = 4;
    P(cuGraphExecMemsetNodeSetParams(x, n, &f, ctx));
    P(cuGraphExecMemsetNodeSetParams(x, empty_node, &f, ctx));
}

/* A node that names no context, or one that is gone. */
static void graph_contexts()
{
    start_graph();
    CUgraphNode n;
    CUdeviceptr at = 0;
    CUgraphNodeParams any = {};
    CUDA_MEMSET_NODE_PARAMS f = {};
    CUDA_MEMCPY3D c = {};
    CUgraphConditionalHandle h;
    cuMemAlloc(&at, 1024);
    f.dst = c.srcDevice = c.dstDevice = at;
    f.elementSize = 4;
    f.width = f.height = c.Height = c.Depth = 1;
    c.srcMemoryType = c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstXInBytes = 64;
    c.WidthInBytes = 4;
    P(cuGraphAddMemsetNode(&n, graph, nullptr, 0, &f, nullptr));
    P(cuGraphAddMemcpyNode(&n, graph, nullptr, 0, &c, nullptr));
    any.type = CU_GRAPH_NODE_TYPE_MEMCPY;
    any.memcpy.copyParams = c;
#if CUDA_VERSION >= 13000
    P(cuGraphAddNode(&n, graph, nullptr, nullptr, 0, &any));
#else
    show("cuGraphAddNode(&n, graph, nullptr, nullptr, 0, &any)", cuGraphAddNode_v2(&n, graph, nullptr, nullptr, 0, &any));
#endif
    P(cuGraphConditionalHandleCreate(&h, graph, nullptr, 0, 0));
    P(cuGraphConditionalHandleCreate(&h, graph, ctx, 0, 7));
    P(cuGraphConditionalHandleCreate(&h, nullptr, ctx, 0, 0));
    P(cuGraphConditionalHandleCreate(nullptr, graph, ctx, 0, 0));
}

static void graph_gone_context()
{
    start_graph();
    CUgraphNode n;
    CUcontext gone;
    CUdeviceptr at = 0;
    CUDA_MEMSET_NODE_PARAMS f = {};
    cuMemAlloc(&at, 1024);
    f.dst = at;
    f.elementSize = 4;
    f.width = f.height = 1;
    create(&gone, 0, dev);
    cuCtxDestroy(gone);
    cuCtxSetCurrent(ctx);
    P(cuGraphAddMemsetNode(&n, graph, nullptr, 0, &f, gone));
}

static void graph_no_context()
{
    cuInit(0);
    CUgraph g;
    CUuserObject o;
    cuuint64_t v;
    P(cuGraphCreate(&g, 0));
    P(cuUserObjectCreate(&o, nullptr, [](void *) {}, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    P(cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &v));
    V(v);
    P(cuDeviceGraphMemTrim(0));
    P(cuDeviceGetGraphMemAttribute(99, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &v));
    P(cuDeviceGetGraphMemAttribute(0, (CUgraphMem_attribute)77, &v));
}

static void graph_others()
{
    start_graph();
    CUgraph child, g;
    CUgraphNode n, a, b;
    CUgraphExec x;
    CUevent e;
    CUgraphExecUpdateResultInfo info = {};
    CUDA_GRAPH_INSTANTIATE_PARAMS ip = {};
    CUDA_HOST_NODE_PARAMS h = {};
    CUDA_MEM_ALLOC_NODE_PARAMS m = {};
    CUgraphNodeType type;
    cuuint64_t flags;
    unsigned enabled;
    cuEventCreate(&e, 0);
    P(cuGraphCreate(&child, 1));
    P(cuGraphCreate(nullptr, 0));
    P(cuGraphCreate(&child, 0));
    P(cuGraphAddChildGraphNode(&n, graph, nullptr, 0, graph));
    P(cuGraphAddChildGraphNode(&n, graph, nullptr, 0, nullptr));
    P(cuGraphAddChildGraphNode(&n, graph, nullptr, 0, child));
    P(cuGraphChildGraphNodeGetGraph(n, &g));
    V(g == child);
    P(cuGraphChildGraphNodeGetGraph(empty_node, &g));
    P(cuGraphAddHostNode(&n, graph, nullptr, 0, &h));
    P(cuGraphAddHostNode(&n, graph, nullptr, 0, nullptr));
    P(cuGraphAddEventRecordNode(&n, graph, nullptr, 0, nullptr));
    P(cuGraphAddEventWaitNode(&n, graph, nullptr, 0, e));
    P(cuGraphEventWaitNodeSetEvent(n, nullptr));
    P(cuGraphEventRecordNodeGetEvent(n, &e));
    P(cuGraphNodeGetType(n, nullptr));
    P(cuGraphNodeGetType(nullptr, &type));
    m.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    m.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    P(cuGraphAddMemAllocNode(&n, child, nullptr, 0, &m));
    m.bytesize = 64;
    P(cuGraphAddMemAllocNode(&n, child, nullptr, 0, nullptr));
    P(cuGraphAddMemAllocNode(&n, child, nullptr, 0, &m));
    P(cuGraphAddMemFreeNode(&a, child, &n, 1, 64));
    P(cuGraphAddMemFreeNode(&a, child, &n, 1, m.dptr));
    P(cuGraphAddMemFreeNode(&a, child, &n, 1, m.dptr));
    P(cuGraphDestroyNode(a));
    P(cuGraphClone(&g, child));
    P(cuGraphAddChildGraphNode(&n, graph, nullptr, 0, child));
    P(cuGraphInstantiate(&x, graph, 64));
    P(cuGraphInstantiate(nullptr, graph, 0));
    P(cuGraphInstantiate(&x, nullptr, 0));
    P(cuGraphInstantiate(&x, graph, 0));
    P(cuGraphExecGetFlags(x, nullptr));
    P(cuGraphExecGetFlags(nullptr, &flags));
    P(cuGraphNodeSetEnabled(x, empty_node, 0));
    P(cuGraphNodeGetEnabled(x, empty_node, &enabled));
    P(cuGraphExecUpdate(x, nullptr, &info));
    V(info.result);
    P(cuGraphExecUpdate(x, child, &info));
    V(info.result);
    P(cuGraphLaunch(nullptr, nullptr));
    P(cuGraphExecDestroy(nullptr));
    P(cuGraphDestroy(nullptr));
    P(cuGraphInstantiateWithParams(&x, graph, nullptr));
    cuGraphCreate(&g, 0);
    cuGraphAddEmptyNode(&a, g, nullptr, 0);
    cuGraphAddEmptyNode(&b, g, &a, 1);
#if CUDA_VERSION >= 13000
    cuGraphAddDependencies(g, &b, &a, nullptr, 1);
#else
    cuGraphAddDependencies(g, &b, &a, 1);
#endif
    P(cuGraphInstantiateWithParams(&x, g, &ip));
    V(ip.result_out);
    V(ip.hErrNode_out == a || ip.hErrNode_out == b);
}

static void names()
{
    for (int i = 0; i < 1000; i++) {
        const char *s, *t;
        if (cuGetErrorName((CUresult)i, &s) || cuGetErrorString((CUresult)i, &t))
            continue;
        printf("%s\t%d\t%s: %s\n", group, i, s, t);
    }
}

static const struct {
    const char *name;
    void (*run)();
} groups[] = {
#define G(f) {#f, f},
    G(before_init) G(devices) G(no_context) G(contexts) G(destroyed_set) G(destroyed_elsewhere) G(primary)
    G(modules) G(module_unloaded_twice) G(module_unloaded_function) G(module_unloaded_launch) G(launches) G(launch_null_argument)
    G(launch_no_arguments) G(launch_junk_function) G(launch_junk_stream) G(functions) G(memory) G(arrays) G(streams)
      G(libraries) G(links) G(virtual_memory) G(entry_points) G(fault) G(names)
      G(graph_kernels) G(graph_copies) G(graph_fills) G(graph_contexts) G(graph_gone_context) G(graph_no_context) G(graph_others)
};

int main(int argc, char **argv)
{
    for (auto &g : groups) {
        if (argc > 1 && strcmp(argv[1], g.name))
            continue;
        fflush(stdout);
        pid_t child = fork();
        if (!child) {
            group = g.name;
            g.run();
            fflush(stdout);
            _exit(0);
        }
        int status;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status))
            printf("%s\tends\tsignal %d\n", g.name, WTERMSIG(status));
    }
    return 0;
}
