/* What the programs of this folder share: C, OpenCL hosts and CUDA alike.
 *
 * Each of them includes this once, and defines the three functions below; main is here. A kernel in CUDA (NAME.cu) and the
 * same job in C (NAME.c) make their data by the same functions, so their results can be compared number by number.
 *
 * usage: PROGRAM VARIANT N TIMES [FILE]
 * One launch to warm up (code is made in it), then TIMES launches; each prints "CPU WALL", the seconds that it took the
 * process (all its threads together) and the clock. FILE: a CUDA program leaves its first result there, any other compares
 * its own with what is there and prints "differs D": the largest difference over the largest number.
 * With BENCH_OBSERVE in the environment a CUDA program under Heddle has all its accesses told (heddle_observe). */
#ifndef BENCH_H
#define BENCH_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct bench_result {
    const void *data; /* in host memory */
    size_t count;
    int words; /* 1: uint32_t, 0: float */
};

static void bench_setup(const char *variant, int n); /* makes the data */
static void bench_launch(void);                      /* does the job once, and waits for it */
static struct bench_result bench_result(void);       /* of the job */

/* --- data --- */

/* A number for each i, without pattern. */
static inline uint32_t bench_word(uint32_t i)
{
    i = (i ^ (i >> 16)) * 0x7feb352du;
    i = (i ^ (i >> 15)) * 0x846ca68bu;
    return i ^ (i >> 16);
}

/* The same in [0, 1). */
static inline float bench_unit(uint32_t i)
{
    return (float)(bench_word(i) >> 8) * 0x1p-24f;
}

static inline void *bench_room(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (!p) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return p;
}

/* `count` floats of [low, low + range), others for each seed. */
static inline float *bench_floats(size_t count, uint32_t seed, float low, float range)
{
    float *p = (float *)bench_room(count * sizeof *p);
    for (size_t i = 0; i < count; i++)
        p[i] = low + range * bench_unit((uint32_t)i * 2 + seed * 0x9e3779b9u);
    return p;
}

/* --- CUDA --- */

#ifdef __CUDACC__
#define CHECK(call)                                                                                  \
    do {                                                                                             \
        cudaError_t status_ = (call);                                                                \
        if (status_ != cudaSuccess) {                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));         \
            exit(1);                                                                                 \
        }                                                                                            \
    } while (0)

/* Device memory for `count` elements. */
template <class T> static T *device_room(size_t count)
{
    T *p;
    CHECK(cudaMalloc(&p, count * sizeof *p));
    return p;
}

/* Device memory with what stands at `from`, which is freed. */
template <class T> static T *to_device(T *from, size_t count)
{
    T *p = device_room<T>(count);
    CHECK(cudaMemcpy(p, from, count * sizeof *p, cudaMemcpyHostToDevice));
    free(from);
    return p;
}

template <class T> static T *to_host(const T *from, size_t count)
{
    T *p = (T *)bench_room(count * sizeof *p);
    CHECK(cudaMemcpy(p, from, count * sizeof *p, cudaMemcpyDeviceToHost));
    return p;
}

static void finish()
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

#if __has_include("heddle_cuda.h")
#include "heddle_cuda.h"

static void see(const heddle_access *a, void *user)
{
    *(uint64_t *)user += a->mask != 0;
}

static void bench_observe()
{
    static uint64_t seen;
    heddle_device *device;
    if (getenv("BENCH_OBSERVE") && (heddle_cuda_device(0, &device) || heddle_observe(device, see, &seen))) {
        fprintf(stderr, "accesses cannot be observed\n");
        exit(1);
    }
}
#else
static void bench_observe()
{
}
#endif
#endif

/* --- main --- */

static double bench_seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double bench_number(const struct bench_result *r, const void *data, size_t i)
{
    return r->words ? (double)((const uint32_t *)data)[i] : (double)((const float *)data)[i];
}

/* The largest difference from what is in the file; -1: it has another size. */
static inline double bench_difference(const struct bench_result *r, const char *file)
{
    double most = 0, largest = 0;
    void *other = bench_room(r->count * 4 + 1);
    FILE *f = fopen(file, "rb");
    size_t n = f ? fread(other, 1, r->count * 4 + 1, f) : 0;
    for (size_t i = 0; n == r->count * 4 && i < r->count; i++) {
        double a = bench_number(r, r->data, i), b = bench_number(r, other, i);
        if (!(fabs(a - b) <= most)) /* NaN differs */
            most = fabs(a - b);
        if (fabs(b) > largest)
            largest = fabs(b);
    }
    if (f)
        fclose(f);
    free(other);
    return n != r->count * 4 ? -1 : most == 0 ? 0 : most / largest;
}

static inline void bench_exchange(const char *file)
{
    struct bench_result r = bench_result();
#ifdef __CUDACC__
    FILE *f = fopen(file, "wb");
    if (!f || fwrite(r.data, 4, r.count, f) != r.count || fclose(f)) {
        perror(file);
        exit(1);
    }
#else
    printf("differs %.3g\n", bench_difference(&r, file));
#endif
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: %s VARIANT N TIMES [FILE]\n", argv[0]);
        return 2;
    }
#ifdef __CUDACC__
    bench_observe();
#endif
    bench_setup(argv[1], atoi(argv[2]));
    bench_launch();
    if (argc > 4)
        bench_exchange(argv[4]);
    for (int i = 0; i < atoi(argv[3]); i++) {
        double cpu = bench_seconds(CLOCK_PROCESS_CPUTIME_ID), wall = bench_seconds(CLOCK_MONOTONIC);
        bench_launch();
        printf("%.9f", bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
        printf(" %.9f\n", bench_seconds(CLOCK_MONOTONIC) - wall);
    }
    return 0;
}

#endif
