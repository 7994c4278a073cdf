// Launches in none of the ranges, in pushed, nested and started ones, and between cudaProfilerStart and cudaProfilerStop.
#include <cuda_profiler_api.h>
#include <nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvtx3.hpp>

__global__ void in_none() {}
__global__ void in_outer() {}
__global__ void in_inner() {}
__global__ void in_registered() {}
__global__ void in_started() {}
__global__ void in_profiled() {}

__global__ void in_scoped() {}
__global__ void in_function() {}

struct ours {
    static constexpr const char *name = "ours";
};

static void function()
{
    NVTX3_FUNC_RANGE();
    in_function<<<1, 1>>>();
}

int main()
{
    nvtxNameCudaStreamA(0, "ours");
    nvtxNameCuDevice(0, "the first");
    in_none<<<1, 1>>>();
    nvtxRangePushA("outer");
    in_outer<<<1, 1>>>();
    nvtxRangePushA("inner");
    in_inner<<<1, 1>>>();
    nvtxRangePop();
    nvtxRangePop();
    nvtxEventAttributes_t named = {};
    named.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    named.message.registered = nvtxDomainRegisterStringA(nvtxDomainCreateA("of our own"), "registered");
    nvtxRangePushEx(&named);
    in_registered<<<1, 1>>>();
    nvtxRangePop();
    nvtxRangeId_t id = nvtxRangeStartA("started");
    in_started<<<1, 1>>>();
    nvtxRangeEnd(id);
    {
        nvtx3::scoped_range_in<ours> range("scoped", nvtx3::rgb{1, 2, 3}, nvtx3::payload{5});
        in_scoped<<<1, 1>>>();
    }
    function();
    nvtx3::mark("a mark");
    cudaProfilerStart();
    in_profiled<<<1, 1>>>();
    cudaProfilerStop();
    in_none<<<1, 1>>>();
    return cudaDeviceSynchronize();
}
