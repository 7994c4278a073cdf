/* Version management (CUDA Runtime API reference, chapter "Version Management").
 *
 * There is no driver; its version is the same as the runtime's, so that programs which compare them go on. */
#include "runtime/runtime.h"

static cudaError_t version(int *out)
{
    if (!out)
        return runtime_leave(cudaErrorInvalidValue);
    *out = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *driverVersion)
{
    return version(driverVersion);
}

cudaError_t cudaRuntimeGetVersion(int *runtimeVersion)
{
    return version(runtimeVersion);
}
