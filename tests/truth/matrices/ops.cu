// Ten products of matrices of each kind, one after the other, by one warp: how many instructions of the tensor cores they are, and how
// many operations.
#include <cstdio>
#include <cuda_fp16.h>
#include <mma.h>

// Registers of A and B are those of a; D goes on from what it was. Shapes of 4, 2 and 4 registers, and of 2, 1 and 4.
#define LARGE(text) text " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%4,%5}, {%0,%1,%2,%3};"
#define SMALL(text) text " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
#define PRODUCTS(name, type, constraint, text)                                                                                 \
    __global__ void name(float *out)                                                                                           \
    {                                                                                                                          \
        unsigned a[4] = {threadIdx.x, 1, 2, 3};                                                                                \
        type d[4] = {0};                                                                                                       \
        for (int i = 0; i < 10; i++)                                                                                           \
            asm volatile(text                                                                                                  \
                         : "+" constraint(d[0]), "+" constraint(d[1]), "+" constraint(d[2]), "+" constraint(d[3])              \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]));                                                        \
        out[threadIdx.x] = (float)(d[0] + d[1] + d[2] + d[3]);                                                                 \
    }
PRODUCTS(f16_k16, float, "f", LARGE("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"))
PRODUCTS(f16_k8, float, "f", SMALL("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"))
PRODUCTS(bf16_k16, float, "f", LARGE("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"))
PRODUCTS(tf32_k8, float, "f", LARGE("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"))
PRODUCTS(tf32_k4, float, "f", SMALL("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32"))
PRODUCTS(half_k16, unsigned, "r", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%4,%5,%6,%7}, {%4,%5}, {%0,%1};")
PRODUCTS(half_k8, unsigned, "r", "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%4,%5}, {%6}, {%0,%1};")
PRODUCTS(s8_k32, int, "r", LARGE("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"))
PRODUCTS(s8_k16, int, "r", SMALL("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32"))
PRODUCTS(s4_k64, int, "r", LARGE("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32"))
PRODUCTS(s4_k32, int, "r", SMALL("mma.sync.aligned.m16n8k32.row.col.s32.s4.s4.s32"))
PRODUCTS(b1_k256, int, "r", LARGE("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc"))
PRODUCTS(b1_k128, int, "r", SMALL("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc"))

__global__ void f64_k4(float *out)
{
    double a = threadIdx.x, b = 1, d[2] = {0};
    for (int i = 0; i < 10; i++)
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(d[0]), "+d"(d[1]) : "d"(a), "d"(b));
    out[threadIdx.x] = (float)(d[0] + d[1]);
}

__global__ void f64_k16(float *out)
{
    double a[8] = {(double)threadIdx.x, 1, 2, 3, 4, 5, 6, 7}, d[4] = {0};
    for (int i = 0; i < 10; i++)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%4,%5,%6,%7}, {%0,%1,%2,%3};"
                     : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                     : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]));
    out[threadIdx.x] = (float)(d[0] + d[1] + d[2] + d[3]);
}

__global__ void wmma_f16(float *out, const __half *a)
{
    using namespace nvcuda::wmma;
    __shared__ __half s[512];
    for (int i = threadIdx.x; i < 512; i += 32)
        s[i] = a[i];
    __syncwarp();
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, row_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0.f);
    for (int i = 0; i < 10; i++) {
        load_matrix_sync(fa, s + (i & 1) * 8, 16);
        load_matrix_sync(fb, a, 16);
        mma_sync(fc, fa, fb, fc);
    }
    store_matrix_sync(out, fc, 16, mem_row_major);
}

int main()
{
    float *out;
    __half *a;
    cudaMalloc(&out, 1 << 16);
    cudaMalloc(&a, 1 << 16);
    cudaMemset(a, 0, 1 << 16);
    for (auto kernel : {f16_k16, f16_k8, bf16_k16, tf32_k8, tf32_k4, half_k16, half_k8, s8_k32, s8_k16, s4_k64, s4_k32, b1_k256, b1_k128, f64_k4, f64_k16})
        kernel<<<1, 32>>>(out);
    wmma_f16<<<1, 32>>>(out, a);
    puts(cudaDeviceSynchronize() ? "FAILED" : "PASSED");
    return 0;
}
