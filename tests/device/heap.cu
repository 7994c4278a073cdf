// The device heap: malloc, free, new, delete, its limit, and what lives on from launch to launch.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(x) do { if (!(x)) { printf("FAILED line %d: %s\n", __LINE__, #x); exit(1); } } while (0)

struct node { int value; node *next; __device__ node(int v, node *n) : value(v), next(n) {} };
__device__ node *list;
__device__ unsigned long long addresses[64];
__device__ int failures;

__global__ void push(int n)
{
    for (int i = 0; i < n; i++)
        list = new node(i, list);
}

__global__ void sum(int *out)
{
    int s = 0;
    while (list) {
        s += list->value;
        node *next = list->next;
        delete list;
        list = next;
    }
    *out = s;
}

__global__ void lanes(int bytes)
{
    char *p = (char *)malloc(bytes);
    if (!p) {
        atomicAdd(&failures, 1);
        return;
    }
    addresses[threadIdx.x] = (unsigned long long)p;
    memset(p, threadIdx.x, bytes);
    for (int i = 0; i < bytes; i++)
        if (p[i] != (char)threadIdx.x)
            atomicAdd(&failures, 1);
    free(p);
}

__global__ void keep(void **p, size_t bytes) { *p = malloc(bytes); }
__global__ void release(void **p, int times) { for (int i = 0; i < times; i++) free(*p); }
__global__ void nothing() { free(NULL); }

int main(int argc, char **)
{
    int *out, host, f;
    void **p, *address;
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20) == cudaSuccess);
    cudaMalloc(&out, sizeof *out);
    cudaMalloc(&p, sizeof *p);

    push<<<1, 1>>>(100);
    sum<<<1, 1>>>(out);
    cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
    CHECK(host == 4950);
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 << 20) == cudaErrorInvalidValue);

    unsigned long long a[64];
    lanes<<<1, 64>>>(100);
    cudaMemcpyFromSymbol(a, addresses, sizeof a);
    for (int i = 0; i < 64; i++)
        CHECK(a[i] % 16 == 0 && a[i]);
    for (int i = 1; i < 32; i++)
        CHECK(a[i] >= a[i - 1] + 100);
    cudaMemcpyFromSymbol(&f, failures, sizeof f);
    CHECK(f == 0);

    keep<<<1, 1>>>(p, 1 << 20); // all of it: everything before was given back and joined
    cudaMemcpy(&address, p, sizeof address, cudaMemcpyDeviceToHost);
    CHECK(address);
    lanes<<<1, 3>>>(16);
    cudaMemcpyFromSymbol(&f, failures, sizeof f);
    CHECK(f == 3);
    release<<<1, 1>>>(p, 1);
    lanes<<<1, 64>>>(1000);
    nothing<<<1, 32>>>();
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    cudaMemcpyFromSymbol(&f, failures, sizeof f);
    CHECK(f == 3);
    CHECK(cudaFree(address) == cudaErrorInvalidValue); // not cudaMalloc's
    if (argc > 1) {
        keep<<<1, 1>>>(p, 32);
        release<<<1, 1>>>(p, 2);
        printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    }
    printf("PASSED\n");
}
