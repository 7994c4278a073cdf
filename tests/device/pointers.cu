// Calls through pointers: virtual functions, tables and arguments of function pointers, lanes that call different ones.
#include <cstdio>
#include <initializer_list>

struct shape {
    virtual __device__ float area() const = 0;
    virtual __device__ int corners() const { return 0; }
    virtual __device__ ~shape() {}
};
struct square : shape {
    float side;
    __device__ square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
    __device__ int corners() const override { return 4; }
};
struct circle : shape {
    float radius;
    __device__ circle(float r) : radius(r) {}
    __device__ float area() const override { return 3 * radius * radius; }
};
struct named : square { // a class below a class, with a call up
    __device__ named(float s) : square(s) {}
    __device__ float area() const override { return square::area() + 1000; }
};

typedef int (*operation)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int sub(int a, int b) { return a - b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ int sum_to(int a, int n) // a loop and a branch inside what is called
{
    int s = a;
    for (int i = 0; i < n; i++)
        s += i & 1 ? i : -i;
    return s;
}
__device__ operation table[4] = {add, sub, mul, sum_to};
__device__ float half(float x) { return x / 2; }

__device__ int destroyed;
struct counted : circle {
    __device__ counted(float r) : circle(r) {}
    __device__ ~counted() override { atomicAdd(&destroyed, 1); }
};

__global__ void shapes(float *area, int *corners)
{
    int i = threadIdx.x;
    shape *s;
    switch (i % 4) {
    case 0: s = new square(i); break;
    case 1: s = new circle(i); break;
    case 2: s = new named(i); break;
    default: s = new counted(i);
    }
    area[i] = s->area();
    corners[i] = s->corners();
    delete s;
}

__device__ int apply(operation f, int a, int b) { return f ? f(a, b) : -1; }

__global__ void operations(int *out, int which)
{
    int i = threadIdx.x;
    out[i] = table[i % 4](i, 5);
    out[i + 64] = apply(which == 9 ? NULL : table[which], i, 3);
    operation f = i & 1 ? add : mul;
    if (i > 40)
        f = table[(i + which) % 4];
    __syncwarp();
    out[i + 128] = f(i, 7);
}

__global__ void wild(size_t address, int *out) { *out = ((operation)address)(1, 2); }

static int op(int k, int a, int b)
{
    int s = a;
    for (int i = 0; i < b; i++)
        s += i & 1 ? i : -i;
    return k == 0 ? a + b : k == 1 ? a - b : k == 2 ? a * b : s;
}

int main(int argc, char **)
{
    float *area, a[64];
    int *corners, *out, c[64], o[192], d, bad = 0;
    cudaMalloc(&area, sizeof a);
    cudaMalloc(&corners, sizeof c);
    cudaMalloc(&out, sizeof o);
    shapes<<<1, 64>>>(area, corners);
    cudaMemcpy(a, area, sizeof a, cudaMemcpyDeviceToHost);
    cudaMemcpy(c, corners, sizeof c, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&d, destroyed, sizeof d);
    for (int i = 0; i < 64; i++) {
        float want = i % 4 == 0 ? i * i : i % 4 == 2 ? i * i + 1000 : 3 * i * i;
        bad += a[i] != want || c[i] != (i % 2 ? 0 : 4);
    }
    bad += d != 16;
    for (int which : {0, 3, 9}) {
        operations<<<1, 64>>>(out, which);
        cudaMemcpy(o, out, sizeof o, cudaMemcpyDeviceToHost);
        for (int i = 0; i < 64; i++) {
            bad += o[i] != op(i % 4, i, 5);
            bad += o[i + 64] != (which == 9 ? -1 : op(which, i, 3));
            bad += o[i + 128] != op(i > 40 ? (i + which) % 4 : i & 1 ? 0 : 2, i, 7);
        }
    }
    if (argc > 1) {
        wild<<<1, 1>>>(4096, out);
        cudaError_t e = cudaDeviceSynchronize();
        printf("%s\n", cudaGetErrorName(e));
        bad += e == cudaSuccess;
    } else {
        bad += cudaDeviceSynchronize() != cudaSuccess;
    }
    printf(bad ? "FAILED: %d\n" : "PASSED\n", bad);
    return bad != 0;
}
