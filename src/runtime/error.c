/* Error handling (CUDA Runtime API reference, chapter "Error Handling").
 *
 * The last error belongs to the calling thread and is kept until cudaGetLastError takes it; calls that succeed leave it
 * alone. A sticky error belongs to the device and cannot be taken. */
#include "runtime/runtime.h"

#include "base/alloc.h"
#include "runtime/checking.h"

static _Thread_local cudaError_t last;
static _Thread_local int silences;

int runtime_silence(int change)
{
    return silences += change;
}

bool runtime_was_short(void)
{
    size_t bytes = alloc_shortage();
    if (bytes)
        runtime_say("out of host memory (%zu bytes)", bytes);
    return bytes;
}

cudaError_t runtime_leave(cudaError_t e)
{
    return runtime_leave_launch(runtime_was_short() && !e ? cudaErrorMemoryAllocation : e);
}

cudaError_t runtime_leave_launch(cudaError_t e)
{
    if (!e || silences)
        return e;
    last = e;
    trace_answer((int)e);
    if (runtime_checking())
        checking_call((int)e, cudaGetErrorName(e), cudaGetErrorString(e));
    return e;
}

/* The engine's status table names the CUDA error of every status. */
cudaError_t runtime_error(heddle_status s)
{
    switch (s) {
#define HEDDLE_STATUS(id, number, cuda, text)                                                      \
    case HEDDLE_##id:                                                                              \
        return (cudaError_t)(cuda);
#include "heddle_status.def"
#undef HEDDLE_STATUS
    }
    return cudaErrorUnknown;
}

/* Errors after which "the process must be terminated and relaunched" (CUDA Runtime API reference, enum cudaError). */
bool runtime_is_sticky(cudaError_t e)
{
    switch (e) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
        return true;
    default:
        return false;
    }
}

/* The sticky error of the calling thread's device, if it is open at all. */
static cudaError_t sticky(void)
{
    const struct runtime_device *d = runtime_device_if_open(runtime_current());
    return d ? __atomic_load_n(&d->sticky, __ATOMIC_ACQUIRE) : cudaSuccess;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t e = sticky() ? sticky() : last;
    last = cudaSuccess;
    return e;
}

cudaError_t cudaPeekAtLastError(void)
{
    return sticky() ? sticky() : last;
}

const char *cudaGetErrorName(cudaError_t error)
{
    switch ((int)error) {
#define CUDA_ERROR_ROW(name, value, text)                                                          \
    case value:                                                                                    \
        return #name;
#include "heddle/cuda_errors.def"
#undef CUDA_ERROR_ROW
    }
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
    switch ((int)error) {
#define CUDA_ERROR_ROW(name, value, text)                                                          \
    case value:                                                                                    \
        return text;
#include "heddle/cuda_errors.def"
#undef CUDA_ERROR_ROW
    }
    return "unrecognized error code";
}
