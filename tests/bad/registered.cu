// Memory that is registered no longer, and memory a page behind what is registered.
#include <cstdio>
#include <cstring>
#include <sys/mman.h>

__global__ void twice(int *p)
{
    p[threadIdx.x] *= 2;
}

int main(int argc, char **argv)
{
    bool unmapped = argc > 1 && !strcmp(argv[1], "unmapped"), beyond = argc > 1 && !strcmp(argv[1], "beyond");
    int *p = (int *)mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cudaHostRegister(p, 4096, cudaHostRegisterMapped);
    if (unmapped)
        munmap(p, 4096);
    else if (!beyond)
        cudaHostUnregister(p);
    twice<<<1, 32>>>(p + (beyond ? 2048 : 0));
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
}
