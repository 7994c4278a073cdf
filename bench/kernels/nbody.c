/* The pull of n bodies on each other, all pairs; coordinates in arrays of their own, as vectors like them. */
#include "bench.h"

static int n;
static float *x, *y, *z, *mass, *pull;

static void nbody(const float *restrict x, const float *restrict y, const float *restrict z, const float *restrict mass,
                  float *restrict pull, int n)
{
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float ax = 0, ay = 0, az = 0;
#pragma omp simd reduction(+ : ax, ay, az)
        for (int k = 0; k < n; k++) {
            float dx = x[k] - x[i], dy = y[k] - y[i], dz = z[k] - z[i];
            float inverse = 1 / sqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float f = mass[k] * inverse * inverse * inverse;
            ax += f * dx;
            ay += f * dy;
            az += f * dz;
        }
        pull[4 * i] = ax;
        pull[4 * i + 1] = ay;
        pull[4 * i + 2] = az;
        pull[4 * i + 3] = 0;
    }
}

static void bench_setup(const char *variant, int count)
{
    (void)variant;
    n = count;
    float *all = bench_floats(4 * (size_t)n, 1, 0, 1), **part[] = {&x, &y, &z, &mass};
    for (int p = 0; p < 4; p++) {
        *part[p] = bench_room(sizeof *x * (size_t)n);
        for (int i = 0; i < n; i++)
            (*part[p])[i] = all[4 * i + p];
    }
    pull = bench_room(4 * sizeof *pull * (size_t)n);
}

static void bench_launch(void)
{
    nbody(x, y, z, mass, pull, n);
}

static struct bench_result bench_result(void)
{
    return (struct bench_result){pull, 4 * (size_t)n, 0};
}
