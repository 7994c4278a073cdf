// What a program can ask about the device it runs on. (Seed rows 9 and 11.)
//
// The lesson. Limits and resources differ from device to device: a program that cares asks. cudaGetDeviceProperties fills
// a whole structure, cudaDeviceGetAttribute answers one question and is much cheaper; they must agree. The peak of the
// memory follows from two of the answers: clock x 2 (both edges) x bus width. For the V100: 0.877 GHz x 4096 bit / 8 x 2
// = 898 GB/s, where a GB is 10^9 bytes. (One seed writes 10^9 = 1024 x 1024 x 1024, which is 7 % more.)
//
// No kernel, no figures: what is printed comes from devices/NAME.json, `heddle devices` shows it with its sources.
#include <cstring>

#include "example.h"

static int attribute(cudaDeviceAttr which, int device)
{
    int value;
    CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

static double peak_gb_per_s(int clock_khz, int bus_bits) // decimal, as on data sheets
{
    return clock_khz * 1e3 * 2 * (bus_bits / 8) / 1e9;
}

int main()
{
    int count, current;
    CHECK(cudaGetDeviceCount(&count));
    expect(count >= 1, "there is a device");
    CHECK(cudaGetDevice(&current));
    expect(current == 0, "the first one is current");
    cudaDeviceProp prop;
    expect(cudaGetDeviceProperties(&prop, count) == cudaErrorInvalidDevice, "there is none past the last");
    cudaGetLastError();

    for (int device = 0; device < count; device++) {
        CHECK(cudaGetDeviceProperties(&prop, device));
        int clock = attribute(cudaDevAttrMemoryClockRate, device), bus = attribute(cudaDevAttrGlobalMemoryBusWidth, device);
        printf("device %d: %s, compute capability %d.%d\n", device, prop.name, prop.major, prop.minor);
        printf("  %d multiprocessors of %d threads, warps of %d\n", prop.multiProcessorCount,
               prop.maxThreadsPerMultiProcessor, prop.warpSize);
        printf("  a block: %d threads, %d x %d x %d, %d registers, %zu bytes of shared memory (%zu opted in)\n",
               prop.maxThreadsPerBlock, prop.maxThreadsDim[0], prop.maxThreadsDim[1], prop.maxThreadsDim[2],
               prop.regsPerBlock, prop.sharedMemPerBlock, prop.sharedMemPerBlockOptin);
        printf("  a grid: %d x %d x %d blocks\n", prop.maxGridSize[0], prop.maxGridSize[1], prop.maxGridSize[2]);
        printf("  %.1f GiB of memory, %d bits wide at %d kHz: %.0f GB/s; %d bytes of L2; %zu of constants\n",
               prop.totalGlobalMem / (double)(1 << 30), bus, clock, peak_gb_per_s(clock, bus), prop.l2CacheSize,
               prop.totalConstMem);

        expect(prop.name[0] && prop.major >= 1 && prop.totalGlobalMem > 0, "a name, a generation, memory");
        expect(prop.warpSize == 32 && prop.totalConstMem == 65536, "warps of 32, constants of 65,536 bytes");
        expect(prop.maxGridSize[1] == 65535 && prop.maxGridSize[2] == (prop.major < 2 ? 1 : 65535),
               "grids of 65,535 in y, and in z since 2.0");
        expect(prop.warpSize == attribute(cudaDevAttrWarpSize, device) &&
                   prop.multiProcessorCount == attribute(cudaDevAttrMultiProcessorCount, device) &&
                   prop.maxThreadsPerBlock == attribute(cudaDevAttrMaxThreadsPerBlock, device) &&
                   prop.maxThreadsDim[2] == attribute(cudaDevAttrMaxBlockDimZ, device) &&
                   prop.maxGridSize[0] == attribute(cudaDevAttrMaxGridDimX, device) &&
                   (int)prop.sharedMemPerBlock == attribute(cudaDevAttrMaxSharedMemoryPerBlock, device) &&
                   prop.regsPerMultiprocessor == attribute(cudaDevAttrMaxRegistersPerMultiprocessor, device) &&
                   prop.major == attribute(cudaDevAttrComputeCapabilityMajor, device) &&
                   prop.l2CacheSize == attribute(cudaDevAttrL2CacheSize, device),
               "properties and attributes agree");
        expect(peak_gb_per_s(clock, bus) > 1, "a bandwidth from clock and bus width");
        size_t available, total;
        CHECK(cudaSetDevice(device));
        CHECK(cudaMemGetInfo(&available, &total));
        expect(available <= total && total <= prop.totalGlobalMem, "free memory is part of all memory");
    }
    expect(std::fabs(peak_gb_per_s(877000, 4096) - 898.0) < 0.1, "a V100 by the same formula: 898 GB/s");
    return verdict();
}
