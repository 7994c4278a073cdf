// cuRAND's host interface: what each generator type, ordering, seed and offset gives into device memory and, by generators of the
// host, into host memory. One line a case: where, type, ordering, what, seed, offset, how many in the calls one after the other; then
// the status, a hash of all values (FNV-1a of their bytes) and the first values of each call as bits. Lines 'place' have single
// values of a long run, from which the order of the results can be read. Builds with nvcc and with heddle.
//   nvcc -arch=sm_90 curand_host.cu -lcurand && ./a.out device >curand_host.tsv && ./a.out host >>curand_host.tsv
// The argument: 'device' or 'host', where the values are made; 'host' needs no GPU. A second argument, 'short', leaves out most long runs
// of MT19937, whose lanes take seconds to make on a processor.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>
#include <curand.h>

typedef unsigned long long u64;
enum { ROOM = 1 << 23 }; // bytes of results in one call
static void *device_room;
static std::vector<char> host_room(ROOM);

static u64 hash(u64 h, const void *p, size_t bytes)
{
    const unsigned char *b = (const unsigned char *)p;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ b[i]) * 1099511628211ull;
    return h;
}

struct place { const char *text; bool host; };
static const place DEVICE = {"device", false}, HOST = {"host", true};

static int create(const place &where, curandGenerator_t *g, int type)
{
    return where.host ? curandCreateGeneratorHost(g, (curandRngType_t)type) : curandCreateGenerator(g, (curandRngType_t)type);
}

// One call: n values of a kind (a letter) into the room of the place, fetched to host_room. What a value takes is in *size.
static int generate(curandGenerator_t g, const place &where, char kind, size_t n, double a, double b, size_t *size)
{
    void *p = where.host ? (void *)host_room.data() : device_room;
    int status = -1;
    *size = strchr("DNLQ", kind) ? 8 : 4;
    if (where.host)
        memset(p, 0, n * *size);
    else
        cudaMemset(p, 0, n * *size);
    switch (kind) {
    case 'g': status = curandGenerate(g, (unsigned *)p, n); break;
    case 'Q': status = curandGenerateLongLong(g, (u64 *)p, n); break;
    case 'u': status = curandGenerateUniform(g, (float *)p, n); break;
    case 'D': status = curandGenerateUniformDouble(g, (double *)p, n); break;
    case 'n': status = curandGenerateNormal(g, (float *)p, n, (float)a, (float)b); break;
    case 'N': status = curandGenerateNormalDouble(g, (double *)p, n, a, b); break;
    case 'l': status = curandGenerateLogNormal(g, (float *)p, n, (float)a, (float)b); break;
    case 'L': status = curandGenerateLogNormalDouble(g, (double *)p, n, a, b); break;
    case 'p': status = curandGeneratePoisson(g, (unsigned *)p, n, a); break;
    }
    if (!where.host && cudaMemcpy(host_room.data(), p, n * *size, cudaMemcpyDeviceToHost) != cudaSuccess)
        printf("error\t%s\n", cudaGetErrorString(cudaGetLastError()));
    return status;
}

static void show(size_t from, size_t to, size_t size)
{
    for (size_t i = from; i < to; i++) {
        u64 v = 0;
        memcpy(&v, &host_room[i * size], size);
        printf("%s%0*llx", i == from ? "" : " ", (int)size * 2, v);
    }
}

// kinds: one letter a call; sizes: as many numbers
static bool is_short;
static int long_runs; // of MT19937

static void row(const place &where, int type, int ordering, const char *kinds, std::vector<size_t> sizes, u64 seed = 1234, u64 offset = 0,
                double a = 0, double b = 1, int dimensions = 0, size_t shown = 8)
{
    if (is_short && type == CURAND_RNG_PSEUDO_MT19937 && sizes.back() > 60000 && long_runs++ % 10)
        return;
    curandGenerator_t g = 0;
    int status[5] = {create(where, &g, type), 0, 0, 0, 0};
    if (status[0]) {
        printf("row\t%s\t%d\t%d\t%s\tcreate %d\n", where.text, type, ordering, kinds, status[0]);
        return;
    }
    if (ordering)
        status[1] = curandSetGeneratorOrdering(g, (curandOrdering_t)ordering);
    if (type < 200)
        status[2] = curandSetPseudoRandomGeneratorSeed(g, seed);
    if (offset)
        status[3] = curandSetGeneratorOffset(g, offset);
    if (dimensions)
        status[4] = curandSetQuasiRandomGeneratorDimensions(g, dimensions);
    printf("row\t%s\t%d\t%d\t%s", where.text, type, ordering, kinds);
    for (size_t n : sizes)
        printf(" %zu", n);
    printf("\t%llx %llx %g %g %d\t%d %d %d %d %d\t", seed, offset, a, b, dimensions, status[0], status[1], status[2], status[3], status[4]);
    u64 h = 14695981039346656037ull;
    for (size_t i = 0; i < sizes.size(); i++) {
        size_t size, n = sizes[i];
        int s = generate(g, where, kinds[i], n, a, b, &size);
        h = hash(h, host_room.data(), n * size);
        printf("%s%d: ", i ? "; " : "", s);
        show(0, n < shown ? n : shown, size);
        if (n > 2 * shown) {
            printf(" .. ");
            show(n - 2, n, size);
        }
    }
    printf("\t%016llx\t%d\n", h, curandDestroyGenerator(g));
}

static void places(int type, int ordering, size_t n, size_t step)
{
    curandGenerator_t g;
    if (curandCreateGenerator(&g, (curandRngType_t)type) != 0)
        return;
    curandSetPseudoRandomGeneratorSeed(g, 1234);
    size_t size;
    int set = curandSetGeneratorOrdering(g, (curandOrdering_t)ordering), status = generate(g, DEVICE, 'g', n, 0, 0, &size);
    printf("place\t%d\t%d\t%d %d\t%zu %zu\t", type, ordering, set, status, n, step);
    for (size_t i = 0; i < n; i += step)
        show(i, i + 1, 4), printf(" ");
    printf("\n");
    curandDestroyGenerator(g);
}

static void misuse(const place &where)
{
    static const int types[] = {0, 100, 101, 102, 121, 141, 142, 161, 200, 201, 202, 203, 204, 300};
    static const int orders[] = {0, 100, 101, 102, 103, 104, 201, 202};
    for (int type : types) {
        curandGenerator_t g = 0;
        int made = create(where, &g, type);
        printf("answer\t%s\t%d\tcreate %d", where.text, type, made);
        if (made == 0) {
            printf(" seed %d offset %d dimensions", curandSetPseudoRandomGeneratorSeed(g, 1), curandSetGeneratorOffset(g, 4));
            for (int d : {0, 1, 3, 20000, 20001})
                printf(" %d", curandSetQuasiRandomGeneratorDimensions(g, d));
            printf(" orderings");
            for (int order : orders)
                printf(" %d", curandSetGeneratorOrdering(g, (curandOrdering_t)order));
            curandSetQuasiRandomGeneratorDimensions(g, 3);
            printf(" seeds %d", curandGenerateSeeds(g));
            size_t size;
            for (char kind : {'g', 'Q', 'u', 'D', 'n', 'N', 'l', 'L', 'p'}) {
                printf(" %c", kind);
                for (size_t n : {0, 1, 3, 6, 7})
                    printf(" %d", generate(g, where, kind, n, 10, 1, &size));
            }
            for (double lambda : {-1.0, 0.0, 1e-300, 400000.0, 400001.0})
                printf(" lambda %g %d", lambda, generate(g, where, 'p', 6, lambda, 1, &size));
            printf(" deviation %d %d", generate(g, where, 'n', 6, 0, -1, &size), generate(g, where, 'n', 6, 0, 0, &size));
            printf(" destroy %d", curandDestroyGenerator(g));
        }
        printf("\n");
    }
    printf("answer\tnone\t0\tdestroy %d seed %d stream %d generate %d seeds %d\n", curandDestroyGenerator(0), curandSetPseudoRandomGeneratorSeed(0, 1),
           curandSetStream(0, 0), curandGenerate(0, 0, 0), curandGenerateSeeds(0));
    int version = -1, parts[4] = {-1, -1, -1, -1};
    int status = curandGetVersion(&version);
    printf("answer\tversion\t%d %d", status, version);
    for (int i = 0; i < 4; i++) {
        status = curandGetProperty((libraryPropertyType)i, &parts[i]);
        printf(" %d %d", status, parts[i]);
    }
    printf("\n");
}

static void vectors()
{
    static const int dimensions[] = {0, 1, 2, 3, 10, 100, 1000, 10000, 19999};
    for (int set : {100, 101, 102, 103, 104, 105}) {
        curandDirectionVectors32_t *v = 0;
        curandDirectionVectors64_t *w = 0;
        int a = curandGetDirectionVectors32(&v, (curandDirectionVectorSet_t)set), b = curandGetDirectionVectors64(&w, (curandDirectionVectorSet_t)set);
        printf("vectors\t%d\t%d %d", set, a, b);
        if (a == 0)
            printf("\t%016llx", hash(14695981039346656037ull, v, 20000 * sizeof *v));
        if (b == 0)
            printf("\t%016llx", hash(14695981039346656037ull, w, 20000 * sizeof *w));
        for (int d : dimensions) {
            if (a == 0)
                printf("\t%d: %08x %08x %08x %08x", d, v[d][0], v[d][1], v[d][5], v[d][31]);
            if (b == 0)
                printf("\t%d: %016llx %016llx %016llx %016llx", d, w[d][0], w[d][1], w[d][5], w[d][63]);
        }
        printf("\n");
    }
    unsigned *c = 0;
    u64 *k = 0;
    int a = curandGetScrambleConstants32(&c), b = curandGetScrambleConstants64(&k);
    printf("constants\t%d %d", a, b);
    if (a == 0 && b == 0)
        printf("\t%016llx\t%016llx", hash(14695981039346656037ull, c, 80000), hash(14695981039346656037ull, k, 160000));
    printf("\n");
}

int main(int argc, char **argv)
{
    is_short = argc > 2;
    const place where = argc > 1 && strcmp(argv[1], "host") == 0 ? HOST : DEVICE;
    if (!where.host)
        cudaMalloc(&device_room, ROOM);
    static const int pseudo[] = {101, 121, 141, 142, 161}, quasi[] = {201, 202, 203, 204};
    for (int type : pseudo) {
        if (where.host && type == CURAND_RNG_PSEUDO_MT19937) { // 4 s to make one
            for (const char *kind : {"g", "D", "n"})
                row(where, type, 0, kind, {1000});
            continue;
        }
        for (int ordering : {0, 100, 101, 102, 103, 104})
            row(where, type, ordering, "g", {300000});
        for (int ordering : {0, 103})
            for (const char *kind : {"g", "u", "D", "n", "N", "l", "L", "p"}) {
                row(where, type, ordering, kind, {10}, 1234, 0, 2, 0.5);
                row(where, type, ordering, kind, {200000}, 0, 0, 2, 0.5);
            }
        for (u64 seed : {0ull, 1ull, 42ull, 1984ull, 4294967296ull, 0x8000000000003039ull, ~0ull})
            row(where, type, 0, "g", {1000}, seed);
        for (u64 offset : {1ull, 3ull, 5ull, 4095ull, 4096ull, 81921ull, 262143ull, 1000003ull, 4294967299ull})
            row(where, type, 0, "gg", {10, 1000}, 1234, offset);
        row(where, type, 0, "n", {1000}, 1234, 3);
        row(where, type, 0, "N", {1000}, 1234, 3);
        row(where, type, 0, "D", {1000}, 1234, 3);
        for (const char *calls : {"gggg", "uuuu", "DDDD", "nnnn", "NNNN", "gngn", "gDgN", "ppgp"})
            row(where, type, 0, calls, {10, 6, 4, 100});
        for (const char *calls : {"ggg", "DDD", "ngN"})
            row(where, type, 0, calls, {5000, 100002, 270000});
        row(where, type, 0, "ug", {7, 100});
        row(where, type, 0, "Dg", {7, 100});
        for (double lambda : {0.5, 10.0, 64.0, 1500.0, 5000.0})
            row(where, type, 0, "pg", {1000, 10}, 1234, 0, lambda, 1, 0, 32);
    }
    for (int type : quasi) {
        const char *word = type >= 203 ? "Q" : "g";
        for (int dimensions : {1, 2, 3, 100, 1000, 20000})
            row(where, type, 0, word, {40000 / (size_t)dimensions * dimensions}, 0, 0, 0, 1, dimensions);
        for (u64 offset : {1ull, 5ull, 1000ull, 4294967299ull})
            row(where, type, 0, word, {300}, 0, offset, 0, 1, 3);
        for (const char *kind : {"u", "D", "n", "N", "l", "L", "p"})
            row(where, type, 0, kind, {3000}, 0, 0, 2, 0.5, 3);
        char calls[4] = {word[0], 'u', word[0], 0};
        row(where, type, 0, calls, {30, 300, 9}, 0, 0, 0, 1, 3);
    }
    misuse(where);
    if (where.host)
        return 0;
    vectors();
    for (int type : pseudo)
        for (int ordering : {101, 104})
            places(type, ordering, ROOM / 4, 512);
    printf("end\t%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
