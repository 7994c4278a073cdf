// expect: uninitialised 18 5; uninitialised 26 32
// flags: --tool initcheck

// Loads ahead of where their value is wanted: only threads that come to use it have read it.
#include <cstdio>

// A thread that begins with round 0 sets out[i] first. Threads 0 to 4 of the second launch begin with round 1: they read it, and
// nobody has written it. The compiler might keep out[i] in a register over the loop, and load it before.
__global__ void sums(int first, int n, const float *__restrict__ a, float *__restrict__ out)
{
    int i = threadIdx.x;

#pragma unroll 1
    for (int k = i < 5 ? first : 0; k < n; k++)
        if (k == 0)
            out[i] = a[i];
        else
            out[i] += a[64 * k + i];
}

// The lower 32 threads store a copy of what they loaded, the others another value.
__global__ void copies(float *out)
{
    float *p = out + threadIdx.x;

    asm volatile("{ .reg .f32 a, b, c; .reg .pred p;\n"
                 "setp.lt.u32 p, %1, 32;\n"
                 "ld.global.f32 a, [%0]; mov.f32 b, a; mov.f32 c, b;\n"
                 "@p bra L; mov.f32 c, 0f3F800000;\n"
                 "L: st.global.f32 [%0], c; }" ::"l"(p), "r"(threadIdx.x) : "memory");
}

int main()
{
    float *a, *out;

    cudaMalloc(&a, 256 * sizeof *a);
    cudaMemset(a, 0, 256 * sizeof *a);
    for (int first = 0; first < 2; first++) {
        cudaMalloc(&out, 64 * sizeof *out);
        sums<<<1, 64>>>(first, 4, a, out);
        cudaFree(out);
    }
    cudaMalloc(&out, 64 * sizeof *out);
    copies<<<1, 64>>>(out);
    cudaFree(out);
    cudaFree(a);
    return cudaDeviceSynchronize();
}
