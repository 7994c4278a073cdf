/* The same product in plain C, blocked by 64, as a C programmer would write it: what bench/speed.py compares with.
 * usage: tiled_native N TIMES; prints "native seconds-of-CPU" per product. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void multiply(const float *restrict a, const float *restrict b, float *restrict c, int n)
{
    enum { BLOCK = 64 };
    memset(c, 0, sizeof *c * (size_t)n * (size_t)n);
    for (int i0 = 0; i0 < n; i0 += BLOCK)
        for (int k0 = 0; k0 < n; k0 += BLOCK)
            for (int i = i0; i < i0 + BLOCK; i++)
                for (int k = k0; k < k0 + BLOCK; k++)
                    for (int j = 0; j < n; j++)
                        c[i * n + j] += a[i * n + k] * b[k * n + j];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 256, times = argc > 2 ? atoi(argv[2]) : 3;
    float *a = malloc(sizeof *a * (size_t)n * (size_t)n), *b = malloc(sizeof *b * (size_t)n * (size_t)n),
          *c = malloc(sizeof *c * (size_t)n * (size_t)n);
    for (int i = 0; i < n * n; i++)
        a[i] = b[i] = (float)(i % 17) * 0.25f;
    for (int t = 0; t < times; t++) {
        double start = cpu_seconds();
        multiply(a, b, c, n);
        printf("native %.6f\n", cpu_seconds() - start);
    }
    return c[n * n - 1] < 0;
}
