// What nvcc takes without an include: isfinite and its like on the host, lists and pairs of <utility>, and a shared variable
// of a kernel that is called __device__ too. And of cuda.h the types and statuses.
#include <cstdio>
#include <cuda.h>

static_assert(CUDA_SUCCESS == 0 && CUDA_ERROR_INVALID_VALUE == 1 && CUDA_ERROR_NO_DEVICE == 100 && CUDA_ERROR_NOT_READY == 600, "");
static_assert((int)CUDA_ERROR_ILLEGAL_ADDRESS == (int)cudaErrorIllegalAddress && (int)CUDA_ERROR_UNKNOWN == (int)cudaErrorUnknown, "");
static CUresult result = CUDA_SUCCESS;
static CUdevice device_number;
static CUdeviceptr address;
static CUcontext context;
static CUmodule module_;
static CUfunction function;
static cudaStream_t stream = CUstream();
static cudaEvent_t event = CUevent();

__global__ void k(int *o, float f)
{
    __device__ __shared__ int s;
    __shared__ __device__ float t[2];
    if (threadIdx.x == 0)
        s = 5, t[0] = t[1] = f;
    __syncthreads();
    o[threadIdx.x] = s + isnan(t[0]) + isinf(t[1]) + signbit(f) + isfinite((double)f);
}

int main()
{
    const float a = 1, inf = HUGE_VALF, none = nanf("");
    int n = 0, *o, h[4];
    for (int i : {1, 2, 3})
        n += i;
    std::pair<int, int> p = std::make_pair(4, 5);
    std::swap(p.first, p.second);
    cudaMalloc(&o, sizeof h);
    k<<<1, 4>>>(o, -1.0f);
    cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
    const bool classes = isfinite(a) && !isnan(a) && !isinf(a) && !signbit(a) && isnan(none) && isinf(inf) && !isfinite(inf) &&
                         signbit(-inf) && isnan((double)none) && isinf((double)inf) && isfinite(1.0) && !signbit(1.0L);
    const bool driver = !result && !device_number && !address && !context && !module_ && !function && !stream && !event;
    const bool ok = driver && classes && n == 6 && p.first == 5 && h[3] == 7;
    printf(ok ? "PASSED\n" : "FAILED: %d %d %d %d\n", classes, n, p.first, h[3]);
    return !ok;
}
