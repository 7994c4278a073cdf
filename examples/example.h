// What the examples share: errors, expectations and the verdict, and arrays on both sides.
//
// CHECK(call) ends the program at the first CUDA call that fails. expect(...) prints one line for each thing that a
// program verifies; verdict() prints PASSED or FAILED and is what main returns. to_device and to_host do the two lines
// of cudaMalloc and cudaMemcpy that every program needs; device_memory.cu and vector_add.cu show them written out.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                        \
    do {                                                                                                   \
        cudaError_t status = (call);                                                                       \
        if (status != cudaSuccess) {                                                                       \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status));     \
            exit(1);                                                                                       \
        }                                                                                                  \
    } while (0)

inline int unmet; // expectations that were not met

inline void expect(bool met, const char *what)
{
    printf("%-5s %s\n", met ? "ok" : "WRONG", what);
    unmet += !met;
}

inline int verdict()
{
    CHECK(cudaDeviceSynchronize());
    puts(unmet ? "FAILED" : "PASSED");
    return unmet != 0;
}

template <typename T> T *to_device(const std::vector<T> &host)
{
    T *device;
    CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
    CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

template <typename T> std::vector<T> to_host(const T *device, size_t elements)
{
    std::vector<T> host(elements);
    CHECK(cudaMemcpy(host.data(), device, elements * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}

// Numbers between -0.5 and 0.5, the same in every run.
inline std::vector<float> numbers(size_t elements, unsigned seed = 1)
{
    std::vector<float> values(elements);
    for (float &value : values)
        value = (float)((seed = seed * 1664525u + 1013904223u) >> 8) / (1 << 24) - 0.5f;
    return values;
}

inline bool near(const std::vector<float> &a, const std::vector<float> &b, float tolerance)
{
    if (a.size() != b.size())
        return false;
    for (size_t i = 0; i < a.size(); i++)
        if (!(std::fabs(a[i] - b[i]) <= tolerance)) // a NaN is wrong, too
            return false;
    return true;
}
