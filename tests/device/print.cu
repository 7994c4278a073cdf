// Device printf: every conversion, and where its text stands among the host's.
#include <cstdio>

#pragma clang diagnostic ignored "-Wformat"

__global__ void conversions(const char *text)
{
    int i = threadIdx.x;
    char local[8] = "local";
    __shared__ char shared[8];
    shared[i] = "shared"[i], shared[6] = 0;
    if (i)
        return;
    printf("no arguments\n");
    printf("%d %i %5d|%-5d|%05d|%+d|% d\n", 1, -2, 3, 4, 5, 6, 7);
    printf("%u %o %x %X %#x %#o\n", 4000000000u, 8, 255, 255, 255, 8);
    printf("%hd %hhd %ld %lld %lu %llx\n", (short)-3, (signed char)-4, -5l, -6ll, 7ul, 0x123456789abcdefull);
    printf("%f %.2f %8.3f|%-8.1f|%e %E %g %G %a\n", 1.5, 2.346, 3.14159, 2.5, 1e10, 1e-10, 0.0001, 1e20, 1.0);
    printf("%f %F %d%%\n", 1.0f / 0.0f, -1.0 / 0.0, 50);
    printf("%c%c %5c|%-3c|\n", 'a', 'b', 'c', 'd');
    printf("%s %8s|%-8s|%.3s %s %s\n", "constant", "right", "left", "cut off", local, shared);
    printf("%*d|%-*d|%.*f|%*.*f\n", 6, 1, 6, 2, 3, 1.0, 8, 2, 3.14159);
    printf("%p %d %s\n", (void *)0x1234, 1, (const char *)0);
    printf("%y %d\n", 9);
    int n0 = printf("none\n"), n3 = printf("%d %d %d\n", 1, 2, 3);
    printf("%d %d %d\n", n0, n3, printf((const char *)0));
    printf("%s\n", text);
}

__global__ void order()
{
    printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
    if (threadIdx.x % 2)
        printf("odd %d\n", threadIdx.x);
}

__global__ void bad_string()
{
    printf("%s\n", (const char *)(size_t)threadIdx.x + 8);
}

int main(int argc, char **)
{
    char *text;
    cudaMalloc(&text, 16);
    cudaMemcpy(text, "from the host", 14, cudaMemcpyHostToDevice);
    conversions<<<1, 6>>>(text);
    printf("before the copy\n");
    cudaMemcpy(text, "x", 1, cudaMemcpyHostToDevice);
    printf("after the copy\n");
    order<<<3, 2>>>();
    printf("before synchronising\n");
    cudaDeviceSynchronize();
    printf("after synchronising\n");
    if (argc > 1) {
        bad_string<<<1, 1>>>();
        printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    } else {
        order<<<1, 1>>>(); // never waited for: lost
    }
}
