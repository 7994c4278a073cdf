/* Memory and events of other processes (CUDA Driver API reference, "Memory Management": cuIpc...): the runtime's (runtime/ipc.c), whose
 * handles are the same bytes. */
#include <string.h>

#include "driver/driver.h"

_Static_assert(sizeof(CUipcMemHandle) == sizeof(cudaIpcMemHandle_t) && sizeof(CUipcEventHandle) == sizeof(cudaIpcEventHandle_t), "");

CUresult cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr)
{
    CONTEXT(c, d);
    REQUIRE(pHandle);
    return driver_return(cudaIpcGetMemHandle((cudaIpcMemHandle_t *)pHandle, driver_pointer(dptr)));
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags)
{
    CONTEXT(c, d);
    REQUIRE(pdptr);
    cudaIpcMemHandle_t h;
    memcpy(&h, &handle, sizeof h);
    return driver_return(cudaIpcOpenMemHandle((void **)(uintptr_t)pdptr, h, Flags));
}

CUresult cuIpcCloseMemHandle(CUdeviceptr dptr)
{
    CONTEXT(c, d);
    return driver_return(cudaIpcCloseMemHandle(driver_pointer(dptr)));
}

CUresult cuIpcGetEventHandle(CUipcEventHandle *pHandle, CUevent event)
{
    CONTEXT(c, d);
    REQUIRE(pHandle);
    return driver_return(cudaIpcGetEventHandle((cudaIpcEventHandle_t *)pHandle, event));
}

CUresult cuIpcOpenEventHandle(CUevent *phEvent, CUipcEventHandle handle)
{
    CONTEXT(c, d);
    REQUIRE(phEvent);
    cudaIpcEventHandle_t h;
    memcpy(&h, &handle, sizeof h);
    return driver_return(cudaIpcOpenEventHandle(phEvent, h));
}
