// What docs/compile.md lists the resources of.
__global__ void pairs(float *a)
{
    __shared__ float tile[64];

    tile[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x ^ 1];
}
