// expect: uninitialised 13 16
// flags: --tool initcheck
// says: Uninitialized __shared__ memory read of size 4 bytes
// Two loads that become one (src/target/group.h), of which one reads what nobody wrote; what was only copied is told when it is used.
#include <cuda_runtime.h>
__global__ void used(float *o)
{
    extern __shared__ float s[];
    unsigned t = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(s) + t * 8;
    float a, b;
    s[2 * t] = t, __syncthreads();
    asm("ld.shared.f32 %0, [%1];" : "=f"(a) : "r"(at));
    asm("ld.shared.f32 %0, [%1+4];" : "=f"(b) : "r"(at));
    o[t] = a + b;
}
__global__ void not_used(float *o, int n)
{
    extern __shared__ float s[];
    unsigned t = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(s) + t * 8;
    float a, b;
    s[2 * t] = t, __syncthreads();
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(a) : "r"(at));
    asm volatile("ld.shared.f32 %0, [%1+4];" : "=f"(b) : "r"(at));
    o[t] = a;
    if (n > 1) o[t + 16] = b;
}
int main()
{
    float *o;
    cudaMalloc(&o, 33 * 4);
    used<<<1, 16, 32 * 4>>>(o);
    not_used<<<1, 16, 32 * 4>>>(o, 1);
    return cudaDeviceSynchronize() == cudaSuccess;
}
