// Models that recommend: factors of users and things moved by ratings that share neither, normal
// equations of 16 unknowns for each user, the best of all things by bytes, a factorisation machine
// over sparse features in bfloat16, and marks of users two steps away.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

// ---- the frame, the same text in every program of this folder ----
// program [VARIANT] [--reps N]: without VARIANT every variant is launched once, in order, and
// checked. With N, as many warm launches of each are timed by events: TIME VARIANT KERNEL MEDIAN
// (microseconds). SUM VARIANT has two check sums of what the host fetched and compared, of whole
// numbers and of others.
static int repeats, found, failed;
static uint64_t whole_sum;
static double real_sum;
static const char *chosen;

static inline void must(cudaError_t status)
{
    if (status == cudaSuccess)
        return;
    printf("%s\nFAILED\n", cudaGetErrorString(status));
    exit(2);
}

struct Lcg {
    uint64_t state;
    explicit Lcg(uint64_t seed) : state(seed * 2 + 1)
    {
    }
    uint32_t next()
    {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (uint32_t)(state >> 32);
    }
    uint32_t below(uint32_t count)
    {
        return (uint32_t)((uint64_t)next() * count >> 32);
    }
    float unit()
    {
        return (float)(next() >> 8) * 0x1p-24f;
    }
    float between(float low, float high)
    {
        return low + (high - low) * unit();
    }
    std::vector<float> floats(size_t count, float low = 0, float high = 1)
    {
        std::vector<float> values(count);
        for (float &value : values)
            value = between(low, high);
        return values;
    }
};

template <class T> static T *room(size_t count)
{
    void *memory;
    must(cudaMalloc(&memory, count * sizeof(T)));
    return (T *)memory;
}

template <class T> static void fill(T *device, size_t count, int byte)
{
    must(cudaMemset(device, byte, count * sizeof(T)));
}

template <class T> static void put(T *device, const std::vector<T> &host)
{
    must(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
}

template <class T> static T *copy(const std::vector<T> &host)
{
    T *device = room<T>(host.size());
    put(device, host);
    return device;
}

// what racing lanes may leave in another order is not summed
template <class T> static std::vector<T> fetch(const T *device, size_t count, bool summed = true)
{
    std::vector<T> host(count);
    must(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    if constexpr (std::is_arithmetic_v<T>)
        for (size_t i = 0; summed && i < count; i++) {
            if (std::is_integral_v<T>)
                whole_sum += (uint64_t)host[i] * (2 * i + 1);
            else if (std::isfinite((double)host[i]))
                real_sum += (double)host[i] * (1 + i % 7);
        }
    return host;
}

[[maybe_unused]] static inline bool near(double got, double expected, double tolerance)
{
    return std::fabs(got - expected) <= tolerance * (1 + std::fabs(expected));
}

// how many of every step-th of count results on the device are not as expected
template <class T, class Expected>
static long differ(const T *device, size_t count, size_t step, double tolerance, Expected expected)
{
    std::vector<T> got = fetch(device, count);
    long bad = 0;
    for (size_t i = 0; i < count; i += step)
        bad += !near((double)got[i], (double)expected(i), tolerance);
    return bad;
}

// prepare() stands before each launch, outside of what is timed; check() counts wrong results
template <class Prepare, class Launch, class Check>
static void variant(const char *name, const char *kernel, Prepare prepare, Launch launch,
                    Check check)
{
    if (chosen && strcmp(chosen, name) != 0)
        return;
    found++;
    prepare();
    launch();
    must(cudaGetLastError());
    must(cudaDeviceSynchronize());
    whole_sum = 0, real_sum = 0;
    long bad = check();
    printf("SUM %s %016llx %.4e\n", name, (unsigned long long)whole_sum, real_sum);
    if (bad) {
        printf("WRONG %s: %ld\n", name, bad);
        failed++;
    }
    if (repeats < 1)
        return;
    cudaEvent_t begin, end;
    must(cudaEventCreate(&begin));
    must(cudaEventCreate(&end));
    std::vector<float> times(repeats);
    for (float &time : times) {
        prepare();
        must(cudaDeviceSynchronize());
        must(cudaEventRecord(begin));
        launch();
        must(cudaEventRecord(end));
        must(cudaEventSynchronize(end));
        must(cudaEventElapsedTime(&time, begin, end));
    }
    std::sort(times.begin(), times.end());
    printf("TIME %s %s %.3f\n", name, kernel, times[repeats / 2] * 1e3);
}

static inline void options(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--reps") && i + 1 < argc)
            repeats = atoi(argv[++i]);
        else
            chosen = argv[i];
}

static inline int finish()
{
    if (!found)
        printf("there is no variant %s\n", chosen);
    bool good = found && !failed;
    puts(good ? "PASSED" : "FAILED");
    return good ? 0 : 1;
}
// ---- end of the frame ----

constexpr int RANK = 32, USERS = 8192, THINGS = 4096, RATINGS = 24, SOLVED = 16;

// a warp a rating, a factor a lane; ratings of a launch share no user and no thing
__global__ void moved(const int2 *__restrict__ pairs, const float *__restrict__ rated, float *users,
                      float *things, int count)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (r >= count)
        return;
    int2 p = pairs[r];
    float u = users[p.x * RANK + lane], t = things[p.y * RANK + lane], sum = u * t;
    for (int d = 16; d; d /= 2)
        sum += __shfl_xor_sync(~0u, sum, d);
    float off = rated[r] - sum;
    users[p.x * RANK + lane] = u + 0.01f * (off * t - 0.05f * u);
    things[p.y * RANK + lane] = t + 0.01f * (off * u - 0.05f * t);
}

// a block of 64 a user: each thread has four numbers of the matrix, then one warp eliminates
__global__ void __launch_bounds__(64)
    normal_equations(const int *__restrict__ starts, const int *__restrict__ rated,
                     const float *__restrict__ marks, const float *__restrict__ things,
                     float *__restrict__ out)
{
    __shared__ float vector[SOLVED], matrix[SOLVED][SOLVED + 2];
    int user = blockIdx.x, t = threadIdx.x;
    float sum[4] = {}, right = 0;
    for (int k = starts[user]; k < starts[user + 1]; k++) {
        if (t < SOLVED)
            vector[t] = things[rated[k] * RANK + t];
        __syncthreads();
#pragma unroll
        for (int j = 0; j < 4; j++)
            sum[j] += vector[t / 4] * vector[t % 4 * 4 + j];
        if (t < SOLVED)
            right += marks[k] * vector[t];
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
        matrix[t / 4][t % 4 * 4 + j] = sum[j] + (t / 4 == t % 4 * 4 + j ? 0.5f : 0);
    if (t < SOLVED)
        matrix[t][SOLVED] = right;
    __syncthreads();
    if (t >= 32)
        return;
    for (int c = 0; c < SOLVED; c++) {
        float inverse = 1 / matrix[c][c];
        __syncwarp();
        if (t < SOLVED && t != c) {
            float factor = matrix[t][c] * inverse;
            for (int j = c + 1; j <= SOLVED; j++)
                matrix[t][j] -= factor * matrix[c][j];
        }
        __syncwarp();
    }
    if (t < SOLVED)
        out[user * SOLVED + t] = matrix[t][SOLVED] / matrix[t][t];
}

// bytes: a thread a user, things by tiles
__global__ void __launch_bounds__(128)
    best_thing(const int4 *__restrict__ users, const int4 *__restrict__ things,
               int *__restrict__ out, int count)
{
    __shared__ int4 tile[64][2];
    int u = blockIdx.x * 128 + threadIdx.x, best = -(1 << 30), at = 0;
    int4 a = users[2 * u], b = users[2 * u + 1];
    for (int base = blockIdx.y * count; base < (int)(blockIdx.y + 1) * count; base += 64) {
        __syncthreads();
        tile[threadIdx.x / 2][threadIdx.x % 2] = things[base * 2 + threadIdx.x];
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < 64; k++) {
            int4 c = tile[k][0], d = tile[k][1];
            int sum = __dp4a(a.x, c.x, __dp4a(a.y, c.y, __dp4a(a.z, c.z, __dp4a(a.w, c.w, 0))));
            sum = __dp4a(b.x, d.x, __dp4a(b.y, d.y, __dp4a(b.z, d.z, __dp4a(b.w, d.w, sum))));
            if (sum > best)
                best = sum, at = base + k;
        }
    }
    out[(blockIdx.y * USERS + u) * 2] = best, out[(blockIdx.y * USERS + u) * 2 + 1] = at;
}

// half a warp a row of features: two factors a lane in one bfloat162
__global__ void __launch_bounds__(128)
    machine(const int *__restrict__ features, const __nv_bfloat162 *__restrict__ table,
            const float *__restrict__ weights, float *__restrict__ out, int fields)
{
    int row = (blockIdx.x * 128 + threadIdx.x) / 16, lane = threadIdx.x % 16;
    float2 sum = make_float2(0, 0), squares = make_float2(0, 0);
    float linear = 0;
    for (int f = 0; f < fields; f++) {
        int at = features[row * fields + f];
        float2 v = __bfloat1622float2(table[at * 16 + lane]);
        sum.x += v.x, sum.y += v.y, squares.x += v.x * v.x, squares.y += v.y * v.y;
        linear += lane == f % 16 ? weights[at] : 0;
    }
    float all = linear + 0.5f * (sum.x * sum.x + sum.y * sum.y - squares.x - squares.y);
    for (int d = 8; d; d /= 2)
        all += __shfl_xor_sync(~0u, all, d, 16);
    if (lane == 0)
        out[row] = 1 / (1 + __expf(-all));
}

// what users like who rated the same: sums over things two steps away, with a stop
__global__ void steps_away(const int *__restrict__ starts, const int *__restrict__ rated,
                           const int *__restrict__ raters, const float *__restrict__ marks,
                           float *__restrict__ out)
{
    int user = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = starts[user]; k < starts[user + 1]; k++) {
        int thing = rated[k];
        for (int j = 0; j < 4; j++) {
            int other = raters[thing * 4 + j];
            sum += marks[k] * marks[starts[other]] + marks[starts[other + 1] - 1];
        }
    }
    out[user] = sum;
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(101);
    const int pairs = THINGS, slices = 4, part = 512, table = 100000, rows = 16384, fields = 26;
    std::vector<float> users = random.floats(USERS * RANK, -0.5f, 0.5f),
                       things = random.floats(THINGS * RANK, -0.5f, 0.5f),
                       rated = random.floats(pairs, 1, 5);
    std::vector<int2> pair(pairs);
    for (int i = 0; i < pairs; i++)
        pair[i] = make_int2((i * 4099) % USERS, (i * 1237) % THINGS);
    std::vector<int> starts, list, raters(THINGS * 4), features(rows * fields);
    for (int u = 0; u < USERS; u++) {
        starts.push_back(list.size());
        for (int k = 1 + random.below(2 * RATINGS); k > 0; k--)
            list.push_back(random.below(THINGS));
    }
    starts.push_back(list.size());
    for (int &r : raters)
        r = random.below(USERS);
    for (int &f : features)
        f = random.below(3) ? random.below(2000) : random.below(table);
    std::vector<float> marks = random.floats(list.size(), 1, 5),
                       weights = random.floats(table, -0.1f, 0.1f);
    std::vector<int8_t> user8(USERS * 32), thing8(THINGS * 32);
    for (int8_t &v : user8)
        v = (int)random.below(256) - 128;
    for (int8_t &v : thing8)
        v = (int)random.below(256) - 128;
    std::vector<__nv_bfloat16> factors(table * 32);
    for (__nv_bfloat16 &v : factors)
        v = __float2bfloat16(random.between(-0.1f, 0.1f));
    float *U = room<float>(USERS * RANK), *T = room<float>(THINGS * RANK), *R = copy(rated),
          *M = copy(marks), *W = copy(weights);
    int *S = copy(starts), *L = copy(list), *A = copy(raters), *F = copy(features),
        *best = room<int>(USERS * slices * 2);
    int2 *P = copy(pair);
    int8_t *U8 = copy(user8), *T8 = copy(thing8);
    __nv_bfloat16 *B = copy(factors);
    float *out = room<float>(USERS * SOLVED);
    auto fresh = [&] {
        put(U, users);
        put(T, things);
        fill(out, USERS * SOLVED, 0xff);
        fill(best, USERS * slices * 2, 0x77);
    };
    variant(
        "moved", "moved", fresh, [&] { moved<<<pairs / 8, 256>>>(P, R, U, T, pairs); },
        [&] {
            std::vector<float> a = fetch(U, USERS * RANK), b = fetch(T, THINGS * RANK);
            long bad = 0;
            for (int i = 0; i < pairs; i += 3) {
                const float *u = &users[pair[i].x * RANK], *t = &things[pair[i].y * RANK];
                float sum = 0;
                for (int k = 0; k < RANK; k++)
                    sum += u[k] * t[k];
                for (int k = 0; k < RANK; k++) {
                    bad += !near(a[pair[i].x * RANK + k],
                                 u[k] + 0.01f * ((rated[i] - sum) * t[k] - 0.05f * u[k]), 1e-5);
                    bad += !near(b[pair[i].y * RANK + k],
                                 t[k] + 0.01f * ((rated[i] - sum) * u[k] - 0.05f * t[k]), 1e-5);
                }
            }
            return bad;
        });
    variant(
        "normal_equations", "normal_equations", fresh,
        [&] { normal_equations<<<USERS / 4, 64>>>(S, L, M, T, out); },
        [&] {
            std::vector<float> got = fetch(out, USERS / 4 * SOLVED);
            long bad = 0;
            for (int u = 0; u < USERS / 4; u += 3) {
                double residual[SOLVED] = {};
                for (int k = starts[u]; k < starts[u + 1]; k++) {
                    const float *v = &things[list[k] * RANK];
                    double sum = -marks[k];
                    for (int j = 0; j < SOLVED; j++)
                        sum += v[j] * got[u * SOLVED + j];
                    for (int j = 0; j < SOLVED; j++)
                        residual[j] += sum * v[j];
                }
                for (int j = 0; j < SOLVED; j++)
                    bad += !(std::fabs(residual[j] + 0.5 * got[u * SOLVED + j]) < 2e-3);
            }
            return bad;
        });
    variant(
        "best_thing", "best_thing", fresh,
        [&] { best_thing<<<dim3(USERS / 128, slices), 128>>>((int4 *)U8, (int4 *)T8, best, part); },
        [&] {
            return differ(best, USERS * slices * 2, 62, 0, [&](size_t i) {
                int u = i / 2 % USERS, slice = i / 2 / USERS, most = -(1 << 30);
                for (int t = slice * (part); t < (slice + 1) * (part); t++) {
                    int sum = 0;
                    for (int k = 0; k < 32; k++)
                        sum += user8[u * 32 + k] * thing8[t * 32 + k];
                    most = std::max(most, sum);
                }
                return most;
            });
        });
    variant(
        "machine", "machine", fresh,
        [&] { machine<<<rows / 8, 128>>>(F, (__nv_bfloat162 *)B, W, out, fields); },
        [&] {
            return differ(out, rows, 5, 1e-3, [&](size_t r) {
                double all = 0;
                for (int f = 0; f < fields; f++)
                    all += weights[features[r * fields + f]];
                for (int k = 0; k < 32; k++) {
                    double sum = 0, squares = 0;
                    for (int f = 0; f < fields; f++) {
                        double v = __bfloat162float(factors[features[r * fields + f] * 32 + k]);
                        sum += v, squares += v * v;
                    }
                    all += 0.5 * (sum * sum - squares);
                }
                return 1 / (1 + std::exp(-all));
            });
        });
    variant(
        "steps_away", "steps_away", fresh, [&] { steps_away<<<USERS / 64, 64>>>(S, L, A, M, out); },
        [&] {
            return differ(out, USERS, 3, 1e-4, [&](size_t u) {
                double sum = 0;
                for (int k = starts[u]; k < starts[u + 1]; k++)
                    for (int j = 0; j < 4; j++) {
                        int other = raters[list[k] * 4 + j];
                        sum += marks[k] * marks[starts[other]] + marks[starts[other + 1] - 1];
                    }
                return sum;
            });
        });
    return finish();
}
