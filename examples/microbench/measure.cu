// Measures a GPU's memories with nothing but loads and a clock, and describes it in the format of devices/*.json. (Seed rows 10, 11.)
//
//   nvcc -O3 -arch=native examples/microbench/measure.cu -o measure && ./measure --describe mine.json
//   heddle profile --device c2050 examples/microbench/measure.cu --count
//
// The lesson. Sizes and lines of caches, banks and latencies are in no manual, but they can be seen: a chain of loads through
// more and more memory becomes slower where a cache ends, a chain with larger and larger strides where its line or sector
// does; two lanes on one bank wait for each other, lanes on several constants too.
//
// Where a clock tells them apart (on a GPU, and where Heddle answers modelled time) the program compares times. Without one it says so and
// gives no times: under plain `heddle run` clock64() counts instructions, every load costs the same. With --count nothing is compared: what the
// loads did is counted, and tests/examples/microbench.py finds the same figures in a report: the launches are the "step" lines, in their order.
//
// Beside that, bandwidths: of cudaMemcpy and of kernels, by the host's clock around cudaDeviceSynchronize and by events,
// against 2 x clock x bus width.
#include <algorithm>
#include <chrono>
#include <cstring>

#include "chase.h"
#include "describe.h"

static Description description;

static void found(const char *figure, long long value, const std::string &how)
{
    printf("found %-24s %lld (%s)\n", figure, value, how.c_str());
    description[figure] = {value, "micro: " + how};
}

// --- bandwidth ---

template <typename F> static void rate(const char *what, double bytes, double theoretical, F once)
{
    const int rounds = 10;
    cudaEvent_t start, stop;
    float ms;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    once();
    CHECK(cudaDeviceSynchronize()); // the host's clock must not begin while earlier work still runs
    auto from = std::chrono::steady_clock::now();
    CHECK(cudaEventRecord(start));
    for (int i = 0; i < rounds; i++)
        once();
    CHECK(cudaEventRecord(stop));
    CHECK(cudaDeviceSynchronize()); // nor stop before the work is done: launches only queue it
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count() / rounds;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    double by_host = bytes / seconds / 1e9, by_events = ms > 0 ? bytes / (ms / rounds * 1e-3) / 1e9 : 0;
    printf("bandwidth %-28s %9.1f GB/s by the host's clock, %9.1f by events, %5.1f %% of the memory's\n", what, by_host, by_events,
           100 * by_events / theoretical);
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
}

static void bandwidths(const Lab &lab)
{
    const size_t bytes = std::min(lab.room / 2, (size_t)(lab.timed ? 256 : 8) << 20), n = bytes / 4;
    int khz, bits;
    char *pinned, *other = (char *)lab.words + bytes;
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrMemoryClockRate, 0));
    CHECK(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, 0));
    double theoretical = 2.0 * khz * 1e3 * bits / 8 / 1e9;
    printf("bandwidth theoretical: 2 x %.0f MHz x %d bits = %.1f GB/s\n", khz / 1e3, bits, theoretical);
    if (!lab.timed)
        puts("bandwidth without a model of time these are how long the emulation took");
    CHECK(cudaMallocHost(&pinned, bytes));
    memset(pinned, 0, bytes);
    std::vector<char> pageable(bytes);
    rate("host to device, pageable", bytes, theoretical,
         [&] { CHECK(cudaMemcpy(lab.words, pageable.data(), bytes, cudaMemcpyHostToDevice)); });
    rate("host to device, page-locked", bytes, theoretical,
         [&] { CHECK(cudaMemcpy(lab.words, pinned, bytes, cudaMemcpyHostToDevice)); });
    rate("device to host, page-locked", bytes, theoretical,
         [&] { CHECK(cudaMemcpy(pinned, lab.words, bytes, cudaMemcpyDeviceToHost)); });
    rate("cudaMemcpy on the device", 2.0 * bytes, theoretical,
         [&] { CHECK(cudaMemcpy(other, lab.words, bytes, cudaMemcpyDeviceToDevice)); });
    rate("kernel, 4 bytes a thread", 2.0 * bytes, theoretical,
         [&] { copy<<<(unsigned)(n / 256), 256>>>((const float *)lab.words, (float *)other); });
    rate("kernel, 16 bytes a thread", 2.0 * bytes, theoretical,
         [&] { copy<<<(unsigned)(n / 1024), 256>>>((const float4 *)lab.words, (float4 *)other); });
    CHECK(cudaGetLastError());
    CHECK(cudaFreeHost(pinned));
}

// --- sizes: footprints in quarters of a power of two ---

// Loads hit up to the size; by times: the largest footprint that is at most a twentieth slower than the quickest, found more
// exactly between the last that is and the first that is not. 0: none of them is slower, or nothing is timed.
template <Way WAY> static size_t size_of(Lab &lab, const char *what, size_t least, size_t most, size_t stride, double *cycles)
{
    double base = 0;
    size_t good = 0, bad = 0;
    for (size_t power = least; power <= most; power *= 2)
        for (size_t bytes = power; bytes < 2 * power && bytes <= most && !(lab.timed && bad); bytes += power / 4) {
            double c = step<WAY>(lab, what, bytes, stride, WARM, WAY == L2);
            base = base && base < c ? base : c;
            (c > 1.05 * base ? bad : good) = bytes;
        }
    *cycles = base;
    if (!lab.timed || !bad)
        return 0;
    while (bad - good > std::max(stride, good / 64)) {
        size_t middle = (good + bad) / 2 / stride * stride;
        (step<WAY>(lab, what, middle, stride, WARM, WAY == L2) > 1.05 * base ? bad : good) = middle;
    }
    return good;
}

// --- lines and sectors: walks that a first-level cache does not hold, with larger and larger strides ---

// The stride from which on a load costs no more: what one miss brings. Below it some loads find what the one before brought.
// Constants are gone around again in a footprint that only the cache behind the first one holds, others once in memory that
// is in L2 and not before it.
template <Way WAY> static size_t grain_of(Lab &lab, const char *what, size_t most)
{
    const size_t loads = 256, around = 32 << 10;
    std::vector<double> cycles;
    for (size_t stride = 4; stride <= most; stride *= 2)
        cycles.push_back(WAY == CONSTANT ? step<WAY>(lab, what, around, stride, WARM) : step<WAY>(lab, what, loads * stride, stride, IN_L2));
    size_t grain = most, i = cycles.size() - 1;
    while (i > 0 && cycles[i - 1] > 0.85 * cycles.back()) {
        grain /= 2;
        i--;
    }
    return lab.timed && grain < most ? grain : 0;
}

// --- banks of shared memory ---

// One lane on word d, all others on word 0: they wait for each other where both are in one bank and the bank does not deliver
// both at once. So the banks are the greatest common divisor of such distances, and the first of them is a row of all banks.
static void banks(Lab &lab)
{
    static const unsigned distance[] = {1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128};
    double base = 0;
    size_t row = 0, divisor = 0;
    for (unsigned d : distance) {
        double c = lanes<SHARED>(lab, "pair", d, [&](unsigned i) { return i == 1 ? d : 0; });
        base = base ? base : c;
        if (c > base + 0.5) {
            row = row ? row : d;
            divisor = common(d, divisor);
        }
    }
    for (unsigned stride : {1u, 2u, 4u, 8u, 16u, 32u, 33u, 64u})
        lanes<SHARED>(lab, "banks", stride, [&](unsigned i) { return i * stride; });
    if (lab.timed && divisor) {
        found("shared_banks", (long long)divisor, "distances of words that conflict");
        found("shared_bank_bytes", (long long)(4 * row / divisor), "the same");
    }
}

// --- all of it ---

static void latency(const char *figure, double cycles, const char *how)
{
    char text[96];
    snprintf(text, sizeof text, "%s, %.1f with the arithmetic of an address", how, cycles);
    found(figure, (long long)(cycles + 0.5), text);
}

// Does clock64() tell a cache from memory?
static bool has_time(Lab &lab)
{
    double near = step<L1>(lab, "probe", 2048, 128, WARM), far = step<L2>(lab, "probe", 32 << 20, 4096, COPIED, true);
    return far > 1.3 * near;
}

static void measure(Lab &lab, size_t l2_bytes)
{
    double cycles, hit;
    size_t n;

    banks(lab);
    cycles = step<SHARED>(lab, "shared", SHARED_WORDS * 4, 4, COPIED);
    if (lab.timed)
        latency("latency_shared", cycles, "a chain of loads");

    n = grain_of<L1>(lab, "l1 grain", 512);
    if (n)
        found("l1_sector", (long long)n, "stride from which on a walk costs no more");
    for (unsigned distance = 8; distance <= 64; distance *= 2) {
        line_of<<<1, 1>>>(lab.words, distance);
        CHECK(cudaGetLastError());
        tell(lab, "l1 line", distance * 4, 0, 1, 0);
    }
    n = size_of<L1>(lab, "l1 size", 2048, 512 << 10, 128, &hit);
    if (n)
        found("l1_bytes", (long long)n, "largest footprint that stays, without shared memory");
    if (lab.timed)
        latency("latency_l1", hit, "a chain that stays in L1");

    n = grain_of<L2>(lab, "l2 grain", 512);
    if (l2_bytes) {
        n = size_of<L2>(lab, "l2 size", 256 << 10, lab.timed ? 2 * l2_bytes : l2_bytes + l2_bytes / 4, 128, &hit);
        if (lab.timed)
            latency("latency_l2", hit, "a chain past L1 that stays in L2");
        if (n)
            printf("note: one multiprocessor finds %zu bytes in L2\n", n);
    }
    if (lab.timed)
        latency("latency_dram", step<L2>(lab, "dram", lab.room, 4096, COPIED, true), "a chain with jumps through all that was allocated");

    n = grain_of<TEXTURE>(lab, "texture grain", 512);
    n = size_of<TEXTURE>(lab, "texture size", 1024, 512 << 10, 32, &hit);
    if (n)
        found("texture_bytes", (long long)n, "largest footprint that stays, texture fetches");
    if (lab.timed)
        latency("latency_texture", hit, "a chain of fetches that stays");

    n = grain_of<CONSTANT>(lab, "constant grain", 256);
    if (n)
        found("constant_l1_line", (long long)n, "stride from which on a walk costs no more");
    n = size_of<CONSTANT>(lab, "constant size", 512, CONSTANT_WORDS * 4, 64, &hit);
    if (n)
        found("constant_l1_bytes", (long long)n, "largest footprint that stays");
    if (lab.timed)
        latency("latency_constant", hit, "a chain that stays");
    for (unsigned distinct = 1; distinct <= 32; distinct *= 2)
        lanes<CONSTANT>(lab, "constants", distinct, [&](unsigned i) { return i % distinct; });

    for (unsigned stride = 1; stride <= 32; stride *= 2) {
        coalesce<<<1, 32>>>(lab.words, stride, lab.end);
        CHECK(cudaGetLastError());
        tell(lab, "coalesce", stride * 4, 0, 1, 0);
    }
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0); // beside what goes to stderr
    bool count = argc == 2 && !strcmp(argv[1], "--count");
    const char *file = argc == 3 && !strcmp(argv[1], "--describe") ? argv[2] : NULL;
    int l2_bytes;
    if (argc > 1 && !count && !file) {
        fprintf(stderr, "usage: measure [--count | --describe FILE]\n");
        return 2;
    }
    CHECK(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
    size_t left, all, room = std::max((size_t)32 << 20, (size_t)2 * l2_bytes);
    CHECK(cudaMemGetInfo(&left, &all));
    Lab lab = open_lab(count ? room : std::max(room, std::min((size_t)512 << 20, left / 2 >> 20 << 20)));
    lab.timed = has_time(lab) && !count;
    if (!lab.timed && !count)
        puts("no time model: clock64() tells no memory from another, so there are no cycles here and nothing is measured");
    if (file && !lab.timed) {
        fprintf(stderr, "measure: nothing was measured, '%s' is not written\n", file);
        return 1;
    }
    if (!count)
        bandwidths(lab);
    measure(lab, (size_t)l2_bytes);
    if (file) {
        FILE *to = fopen(file, "w");
        if (!to) {
            fprintf(stderr, "measure: cannot write '%s'\n", file);
            return 1;
        }
        ask_driver(description);
        write_description(to, description);
        fclose(to);
        printf("description: %s\n", file);
    }
    close_lab(lab);
    return verdict();
}
