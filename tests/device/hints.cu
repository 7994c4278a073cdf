// Loads and stores with a cache hint, of every type that has them: what was stored is what is loaded.
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

// p[0] holds the value; each store leaves it in a place of its own, from which each load takes it once.
template <class T> __global__ void through(T *p)
{
    __stwb(p + 1, __ldg(p));
    __stcg(p + 2, __ldcg(p + 1));
    __stcs(p + 3, __ldca(p + 2));
    __stwt(p + 4, __ldcs(p + 3));
    p[5] = __ldlu(p + 4);
    p[6] = __ldcv(p + 5);
}

static int wrong;
template <class T> void check(const char *name)
{
    unsigned char in[sizeof(T)], out[sizeof(T)];
    T *p;
    for (unsigned i = 0; i < sizeof in; i++)
        in[i] = (unsigned char)(0x81 + 37 * i);
    cudaMalloc(&p, 7 * sizeof(T));
    cudaMemset(p, 0, 7 * sizeof(T));
    cudaMemcpy(p, in, sizeof in, cudaMemcpyHostToDevice);
    through<<<1, 1>>>(p);
    if (cudaMemcpy(out, p + 6, sizeof out, cudaMemcpyDeviceToHost) || memcmp(in, out, sizeof in))
        printf("%s\n", name), wrong++;
    cudaFree(p);
}

int main()
{
#define CHECK(T) check<T>(#T);
    CHECK(char) CHECK(signed char) CHECK(unsigned char) CHECK(short) CHECK(unsigned short) CHECK(int) CHECK(unsigned int)
    CHECK(long) CHECK(unsigned long) CHECK(long long) CHECK(unsigned long long) CHECK(float) CHECK(double)
    CHECK(char2) CHECK(char4) CHECK(uchar2) CHECK(uchar4) CHECK(short2) CHECK(short4) CHECK(ushort2) CHECK(ushort4) CHECK(int2) CHECK(int4)
    CHECK(uint2) CHECK(uint4) CHECK(longlong2) CHECK(ulonglong2) CHECK(float2) CHECK(float4) CHECK(double2)
    CHECK(__half) CHECK(__half2) CHECK(__nv_bfloat16) CHECK(__nv_bfloat162)
    printf(wrong ? "FAILED: %d types\n" : "PASSED\n", wrong);
    return wrong;
}
