// Two kernels for the tests of `heddle ptx|ir|target`: a call that is inlined, and neighbouring shared loads.
__device__ float twice(float x) { return 2.0f * x; }

__device__ int offset;

__global__ void scale(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i + offset] = twice(a[i + offset]) + 1.0f;
}

__global__ void pairs(float *out)
{
    __shared__ __align__(8) float s[64];
    s[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[2 * threadIdx.x] + s[2 * threadIdx.x + 1];
}

int main() { return 0; }
