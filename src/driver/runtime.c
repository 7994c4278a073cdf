/* What the runtime's reference has of the driver interface: entry points by name, handles of kernels, libraries (CUDA Runtime
 * API reference, "Driver Entry Point Access", "Interactions with the CUDA Driver API", "Library Management"). */
#include "driver/driver.h"
#include "driver/entry.h"
#include "runtime/module.h"

/* Both interfaces' statuses have the same values from 100 on, and for what these calls answer. */
static cudaError_t leave(CUresult r)
{
    return runtime_leave((cudaError_t)r);
}

/* One of the driver's calls, whose own answer nobody is told of. */
#define ASK(call)                                                                                                      \
    __extension__({                                                                                                    \
        runtime_silence(1);                                                                                            \
        CUresult asked = call;                                                                                         \
        runtime_silence(-1);                                                                                           \
        asked;                                                                                                         \
    })

/* --- entry points --- */

static cudaError_t entry_point(const char *symbol, void **function, int version, unsigned long long flags,
                               enum cudaDriverEntryPointQueryResult *result)
{
    CUdriverProcAddressQueryResult why;
    if (!symbol || !*symbol || !function || flags & ~(unsigned long long)(cudaEnableLegacyStream | cudaEnablePerThreadDefaultStream))
        return cudaErrorInvalidValue;
    *function = entry_find(symbol, version, flags & cudaEnablePerThreadDefaultStream, &why);
    if (result)
        *result = (enum cudaDriverEntryPointQueryResult)why;
    return *function || result ? cudaSuccess : cudaErrorSymbolNotFound;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *result)
{
    ENTER(d);
    return runtime_leave(entry_point(symbol, function, CUDART_VERSION, flags, result));
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned int version,
                                             unsigned long long flags, enum cudaDriverEntryPointQueryResult *result)
{
    ENTER(d);
    return runtime_leave(entry_point(symbol, function, (int)version, flags, result));
}

/* --- kernels --- */

static cudaError_t handle_of(struct runtime_device *d, const void *symbol, const void **handle)
{
    struct runtime_kernel *k;
    cudaError_t e = handle ? module_kernel(d, symbol, &k) : cudaErrorInvalidValue;
    if (!e)
        *handle = module_handle(symbol);
    return e;
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
    ENTER(d);
    return runtime_leave(handle_of(d, symbol, (const void **)function));
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *symbol)
{
    ENTER(d);
    return runtime_leave(handle_of(d, symbol, (const void **)kernel));
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr, int value, int device)
{
    ENTER(d);
    return leave(ASK(cuKernelSetAttribute((CUfunction_attribute)attr, value, (CUkernel)kernel, device)));
}

/* --- libraries --- */

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *jitOptions, void **jitValues,
                                unsigned int nJit, enum cudaLibraryOption *options, void **values, unsigned int n)
{
    ENTER(d);
    return leave(ASK(cuLibraryLoadData((CUlibrary *)library, code, (CUjit_option *)jitOptions, jitValues, nJit,
                                       (CUlibraryOption *)options, values, n)));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *name, enum cudaJitOption *jitOptions, void **jitValues,
                                    unsigned int nJit, enum cudaLibraryOption *options, void **values, unsigned int n)
{
    ENTER(d);
    return leave(ASK(cuLibraryLoadFromFile((CUlibrary *)library, name, (CUjit_option *)jitOptions, jitValues, nJit,
                                           (CUlibraryOption *)options, values, n)));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
    ENTER(d);
    return leave(ASK(cuLibraryUnload((CUlibrary)library)));
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
    ENTER(d);
    return leave(ASK(cuLibraryGetKernel((CUkernel *)kernel, (CUlibrary)library, name)));
}

cudaError_t cudaLibraryGetGlobal(void **devPtr, size_t *bytes, cudaLibrary_t library, const char *name)
{
    ENTER(d);
    return leave(ASK(cuLibraryGetGlobal((CUdeviceptr *)(uintptr_t)devPtr, bytes, (CUlibrary)library, name)));
}

cudaError_t cudaLibraryGetManaged(void **devPtr, size_t *bytes, cudaLibrary_t library, const char *name)
{
    ENTER(d);
    return leave(ASK(cuLibraryGetManaged((CUdeviceptr *)(uintptr_t)devPtr, bytes, (CUlibrary)library, name)));
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t library)
{
    ENTER(d);
    return leave(ASK(cuLibraryGetKernelCount(count, (CUlibrary)library)));
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int n, cudaLibrary_t library)
{
    ENTER(d);
    return leave(ASK(cuLibraryEnumerateKernels((CUkernel *)kernels, n, (CUlibrary)library)));
}
