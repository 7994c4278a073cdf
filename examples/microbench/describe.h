// A device description (docs/devices.md) of what was measured and asked for: every figure of the table that Heddle reads
// descriptions by, those that nobody found with null and the reason.
#pragma once
#include <ctime>
#include <map>

#include "../example.h"

struct Found {
    long long value;
    std::string origin; // "source" of the figure
};

typedef std::map<std::string, Found> Description;

inline void ask(Description &d, const char *figure, cudaDeviceAttr attribute, const char *name)
{
    int value;
    if (cudaDeviceGetAttribute(&value, attribute, 0) == cudaSuccess)
        d[figure] = {value, std::string("query: ") + name};
    else
        cudaGetLastError();
}

// What the driver says.
inline void ask_driver(Description &d)
{
#define ASK(figure, attribute) ask(d, #figure, attribute, #attribute)
    ASK(cc_major, cudaDevAttrComputeCapabilityMajor);
    ASK(cc_minor, cudaDevAttrComputeCapabilityMinor);
    ASK(multiprocessors, cudaDevAttrMultiProcessorCount);
    ASK(warp_size, cudaDevAttrWarpSize);
    ASK(sm_clock_khz, cudaDevAttrClockRate);
    ASK(memory_clock_khz, cudaDevAttrMemoryClockRate);
    ASK(memory_bus_bits, cudaDevAttrGlobalMemoryBusWidth);
    ASK(max_threads_per_block, cudaDevAttrMaxThreadsPerBlock);
    ASK(max_block_x, cudaDevAttrMaxBlockDimX);
    ASK(max_block_y, cudaDevAttrMaxBlockDimY);
    ASK(max_block_z, cudaDevAttrMaxBlockDimZ);
    ASK(max_grid_x, cudaDevAttrMaxGridDimX);
    ASK(max_grid_y, cudaDevAttrMaxGridDimY);
    ASK(max_grid_z, cudaDevAttrMaxGridDimZ);
    ASK(max_registers_per_block, cudaDevAttrMaxRegistersPerBlock);
    ASK(max_shared_per_block, cudaDevAttrMaxSharedMemoryPerBlock);
    ASK(max_shared_per_block_optin, cudaDevAttrMaxSharedMemoryPerBlockOptin);
    ASK(max_threads_per_sm, cudaDevAttrMaxThreadsPerMultiProcessor);
    ASK(max_blocks_per_sm, cudaDevAttrMaxBlocksPerMultiprocessor);
    ASK(registers_per_sm, cudaDevAttrMaxRegistersPerMultiprocessor);
    ASK(shared_per_sm, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    ASK(shared_reserved, cudaDevAttrReservedSharedMemoryPerBlock);
    ASK(constant_bytes, cudaDevAttrTotalConstantMemory);
    ASK(l2_bytes, cudaDevAttrL2CacheSize);
    ASK(persisting_l2_max_bytes, cudaDevAttrMaxPersistingL2CacheSize);
    ASK(access_policy_max_window, cudaDevAttrMaxAccessPolicyWindowSize);
    ASK(async_engines, cudaDevAttrAsyncEngineCount);
    ASK(ecc, cudaDevAttrEccEnabled);
    ASK(memory_pitch, cudaDevAttrMaxPitch);
    ASK(texture_alignment, cudaDevAttrTextureAlignment);
    ASK(texture_pitch_alignment, cudaDevAttrTexturePitchAlignment);
    ASK(surface_alignment, cudaDevAttrSurfaceAlignment);
    ASK(single_to_double_ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio);
    ASK(concurrent_kernels, cudaDevAttrConcurrentKernels);
    ASK(compute_mode, cudaDevAttrComputeMode);
    ASK(global_l1, cudaDevAttrGlobalL1CacheSupported);
    ASK(local_l1, cudaDevAttrLocalL1CacheSupported);
    ASK(cooperative_launch, cudaDevAttrCooperativeLaunch);
    ASK(memory_pools, cudaDevAttrMemoryPoolsSupported);
    ASK(compute_preemption, cudaDevAttrComputePreemptionSupported);
    ASK(stream_priorities, cudaDevAttrStreamPrioritiesSupported);
    ASK(managed_memory, cudaDevAttrManagedMemory);
    ASK(concurrent_managed_access, cudaDevAttrConcurrentManagedAccess);
    ASK(unified_addressing, cudaDevAttrUnifiedAddressing);
    ASK(integrated, cudaDevAttrIntegrated);
#undef ASK
    size_t left, all;
    CHECK(cudaMemGetInfo(&left, &all));
    d["memory_bytes"] = {(long long)all, "query: cudaMemGetInfo"};
}

struct Row {
    const char *figure, *unit;
};

// All figures, in their order.
inline std::vector<Row> table()
{
    return {
#define SECTION(title)
#define FIGURE(figure, of, unit, known, least, most, help) {#figure, unit},
#define CHOICE(figure, of, known, help) {#figure, NULL},
#define LIST(figure, of, unit, least, most, count, help) {#figure, unit},
#define TEXT(figure, of, size, help) {#figure, NULL},
#include "../../src/device/device_figures.def"
#undef SECTION
#undef FIGURE
#undef CHOICE
#undef LIST
#undef TEXT
    };
}

inline void write_description(FILE *to, const Description &d)
{
    cudaDeviceProp prop;
    char date[32];
    time_t now = time(NULL);
    strftime(date, sizeof date, "%Y-%m-%d", localtime(&now));
    CHECK(cudaGetDeviceProperties(&prop, 0));
    fprintf(to, "{\n  \"heddle_device\": 2,\n  \"sources\": {\n    \"micro\": \"measured by examples/microbench on %s\",\n", date);
    fprintf(to, "    \"query\": \"cudaDeviceGetAttribute on %s, %s\"\n  }", prop.name, date);
    for (const Row &row : table()) {
        auto found = d.find(row.figure);
        fprintf(to, ",\n  \"%s\": {\"value\": ", row.figure);
        if (std::string(row.figure) == "name")
            fprintf(to, "\"%s\", \"source\": \"query: name\"}", prop.name);
        else if (found == d.end())
            fprintf(to, "null%s%s%s, \"unknown\": \"examples/microbench does not measure it\"}", row.unit ? ", \"unit\": \"" : "",
                    row.unit ? row.unit : "", row.unit ? "\"" : "");
        else
            fprintf(to, "%lld, \"unit\": \"%s\", \"source\": \"%s\"}", found->second.value, row.unit ? row.unit : "",
                    found->second.origin.c_str());
    }
    fputs("\n}\n", to);
}
