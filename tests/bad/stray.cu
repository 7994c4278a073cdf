// Accesses outside of every allocation that an H200 lets pass, or not (tests/truth/space): BYTES of two arrays, and DISTANCE in
// bytes from an element of the first to what is read (and, with a third argument, written too). 0 bytes: a null pointer.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void shift(int *a, long ints) { a[threadIdx.x] = a[threadIdx.x + ints] + 1; }
__global__ void write(int *a, long ints) { a[threadIdx.x + ints] = 7; }

int main(int argc, char **argv)
{
    long bytes = atol(argv[1]), distance = atol(argv[2]);
    int *a = nullptr, *b, h = -1;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    if (argc > 3) write<<<1, 1>>>(a, distance / 4);
    shift<<<1, 32>>>(a, distance / 4);
    shift<<<2, 32>>>(a, distance / 4);
    cudaError_t e = cudaDeviceSynchronize();
    if (!e) cudaMemcpy(&h, a, 4, cudaMemcpyDeviceToHost);
    printf("%s %d\n", cudaGetErrorName(e), h);
    return e != cudaSuccess;
}
