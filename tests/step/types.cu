// Types as programs have them, for types.gdb: classes with virtual functions, unions, enumerations, bit fields, lambdas, pointers to
// functions. It names lines of this file.
#include <cstdio>
namespace a { namespace { struct S { int v[3]; virtual __device__ int f() const { return v[0]; } }; struct D : S { int w; __device__ int f() const override { return w + v[1]; } }; } }
template <typename F> __global__ void apply(F f, int *out) { out[threadIdx.x] = f(threadIdx.x); }
union U { float f; unsigned u; };
enum class color : short { red, green = 7 };
struct bits { unsigned a : 3, b : 5; int c; };
__device__ int (*table[2])(int);
__device__ int inc(int x) { return x + 1; }
__device__ int dec(int x) { return x - 1; }
__global__ void virt(int *out, int n)
{
    a::D d;
    d.v[0] = 1; d.v[1] = n; d.v[2] = 3; d.w = 5;
    const a::S *s = &d;
    U u; u.f = 1.5f;
    color c = color::green;
    bits b = {5, 17, -1};
    table[0] = inc; table[1] = dec;
    int big[10] = {};
    for (int i = 0; i < 10; i++) big[i] = i * i;
    auto l = [&](int q) { return q + big[3]; };
    int (*g)(int) = table[threadIdx.x & 1];
    *out = s->f() + g(n) + u.u % 7 + (int)c + b.b + l(2);
}
int main()
{
    int *p, h[4];
    cudaMalloc(&p, 16);
    int add = 10;
    apply<<<1, 4>>>([=] __device__(int i) { return i + add; }, p);
    cudaMemcpy(h, p, 16, cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[3]);
    virt<<<1, 1>>>(p, 2);
    cudaMemcpy(h, p, 16, cudaMemcpyDeviceToHost);
    printf("%d %s\n", h[0], cudaGetErrorString(cudaGetLastError()));
}
