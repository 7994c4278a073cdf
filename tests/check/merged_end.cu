// expect: out-of-bounds 13 1; out-of-bounds 21 1; out-of-bounds 22 1
// flags: --tool memcheck
// says: Access to 0xfc is out of bounds
// Two loads that become one (src/target/group.h): told is the one that is wrong, in its own line and with its own bytes.
#include <cuda_runtime.h>
__global__ void second(float *o)
{
    extern __shared__ float s[];
    unsigned t = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(s) + t * 8;
    float a, b;
    s[t] = t, __syncthreads();
    asm("ld.shared.f32 %0, [%1];" : "=f"(a) : "r"(at));
    asm("ld.shared.f32 %0, [%1+4];" : "=f"(b) : "r"(at));
    o[t] = a + b;
}
__global__ void both(float *o)
{
    extern __shared__ float s[];
    unsigned t = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(s) + t * 8;
    float a, b;
    asm("ld.shared.f32 %0, [%1];" : "=f"(a) : "r"(at));
    asm("ld.shared.f32 %0, [%1+4];" : "=f"(b) : "r"(at));
    o[t] = a + b;
}
int main()
{
    float *o;
    cudaMalloc(&o, 33 * 4);
    second<<<1, 32, 63 * 4>>>(o);
    both<<<1, 33, 64 * 4>>>(o);
    return cudaDeviceSynchronize() == cudaSuccess;
}
