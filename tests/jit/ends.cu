// Ends while its second kernel is compiled or runs: nobody waits for it.
#include <cuda_runtime.h>

__global__ void numbers(float *a)
{
    a[threadIdx.x] = 2.0f * (float)threadIdx.x;
}

__global__ void averages(float *a)
{
    __shared__ float all[128];
    int i = threadIdx.x;
    float sum = 0;
    all[i] = a[i];
    __syncthreads();
    for (int k = 0; k < i; k++)
        sum += all[k];
    float average = sum / (i + 1.0f);
    if (a[i] > average)
        a[i] = average + expf(-a[i]);
}

int main()
{
    float *a;
    if (cudaMalloc(&a, 128 * sizeof *a))
        return 1;
    numbers<<<1, 128>>>(a);
    if (cudaDeviceSynchronize())
        return 1;
    averages<<<1, 128>>>(a);
}
