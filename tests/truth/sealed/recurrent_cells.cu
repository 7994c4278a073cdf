// Cells of recurrent networks: LSTM gates by elements, GRU gates by vectors, a step of a small LSTM
// with its matrix kept in shared memory, and a linear recurrence with a state of 16 for each
// channel.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>
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

__host__ __device__ inline float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

// gates i f g o, each BATCH x HIDDEN
__global__ void lstm_gates(const float *__restrict__ gates, const float *__restrict__ bias,
                           const float *__restrict__ old_cell, float *__restrict__ cell,
                           float *__restrict__ hidden, int size)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y, at = b * size + j;
    const float *g = gates + (size_t)b * 4 * size;
    float in = sigmoid(g[j] + bias[j]), keep = sigmoid(g[size + j] + bias[size + j]),
          fresh = tanhf(g[2 * size + j] + bias[2 * size + j]),
          show = sigmoid(g[3 * size + j] + bias[3 * size + j]);
    float c = keep * old_cell[at] + in * fresh;
    cell[at] = c;
    hidden[at] = show * tanhf(c);
}

__device__ inline float gru(float xr, float xz, float xn, float hr, float hz, float hn, float h)
{
    float r = __fdividef(1, 1 + __expf(-(xr + hr))), z = __fdividef(1, 1 + __expf(-(xz + hz)));
    float n = 2 * __fdividef(1, 1 + __expf(-2 * (xn + r * hn))) - 1;
    return n + z * (h - n);
}

__global__ void gru_gates(const float4 *__restrict__ x, const float4 *__restrict__ h,
                          const float4 *__restrict__ old, float4 *__restrict__ out, int size,
                          int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        int b = i / size, j = i - b * size, base = b * 3 * size + j;
        float4 xr = x[base], xz = x[base + size], xn = x[base + 2 * size];
        float4 hr = h[base], hz = h[base + size], hn = h[base + 2 * size], o = old[i];
        out[i] = make_float4(gru(xr.x, xz.x, xn.x, hr.x, hz.x, hn.x, o.x),
                             gru(xr.y, xz.y, xn.y, hr.y, hz.y, hn.y, o.y),
                             gru(xr.z, xz.z, xn.z, hr.z, hz.z, hn.z, o.z),
                             gru(xr.w, xz.w, xn.w, hr.w, hz.w, hn.w, o.w));
    }
}

// 64 hidden units, 256 threads with a gate each, STEPS steps of SEQS sequences
constexpr int HIDDEN = 64, STEPS = 24, SEQS = 4;

__global__ void __launch_bounds__(256)
    lstm_steps(const float *__restrict__ inputs, const float *__restrict__ weights,
               float *__restrict__ out)
{
    extern __shared__ float w[]; // by columns, 64 x 256
    __shared__ float h[HIDDEN][SEQS], gate[SEQS][256];
    int t = threadIdx.x, seq = t / HIDDEN, unit = t % HIDDEN;
    for (int k = 0; k < HIDDEN; k++)
        w[k * 256 + t] = weights[k * 256 + t];
    float cell = 0;
    h[unit][seq] = 0;
    __syncthreads();
    for (int step = 0; step < STEPS; step++) {
        float sum[SEQS];
        for (int s = 0; s < SEQS; s++)
            sum[s] = inputs[((blockIdx.x * SEQS + s) * STEPS + step) * 256 + t];
#pragma unroll 8
        for (int k = 0; k < HIDDEN; k++) {
            float v = w[k * 256 + t];
            float4 all = *(const float4 *)h[k];
            sum[0] += v * all.x;
            sum[1] += v * all.y;
            sum[2] += v * all.z;
            sum[3] += v * all.w;
        }
        for (int s = 0; s < SEQS; s++)
            gate[s][t] = sum[s];
        __syncthreads();
        float in = sigmoid(gate[seq][unit]), keep = sigmoid(gate[seq][64 + unit]),
              fresh = tanhf(gate[seq][128 + unit]), show = sigmoid(gate[seq][192 + unit]);
        cell = keep * cell + in * fresh;
        h[unit][seq] = show * tanhf(cell);
        __syncthreads();
    }
    out[(blockIdx.x * SEQS + seq) * HIDDEN + unit] = h[unit][seq];
}

// h' = exp(dt * A) h + dt * x * B, y = C h, a thread a channel, B and C in shared memory
constexpr int STATE = 16, LONG = 128, CHANNELS = 2048;

__global__ void __launch_bounds__(64)
    state_space(const float *__restrict__ x, const float *__restrict__ dt,
                const float *__restrict__ A, const float *__restrict__ BC, float *__restrict__ y)
{
    __shared__ float bc[32][2 * STATE];
    int c = blockIdx.x * 64 + threadIdx.x, b = blockIdx.y;
    float h[STATE] = {}, a[STATE];
#pragma unroll
    for (int n = 0; n < STATE; n++)
        a[n] = A[c * STATE + n] * 1.442695f;
    for (int begin = 0; begin < LONG; begin += 32) {
        __syncthreads();
        for (int i = threadIdx.x; i < 32 * 2 * STATE; i += 64)
            bc[0][i] = BC[(b * LONG + begin) * 2 * STATE + i];
        __syncthreads();
        for (int t = 0; t < 32; t++) {
            int at = (b * LONG + begin + t) * CHANNELS + c;
            float d = dt[at], u = d * x[at], sum = 0;
#pragma unroll
            for (int n = 0; n < STATE; n++) {
                h[n] = exp2f(d * a[n]) * h[n] + u * bc[t][n];
                sum += h[n] * bc[t][STATE + n];
            }
            y[at] = sum;
        }
    }
}

int main(int argc, char **argv)
{
    options(argc, argv);
    Lcg random(43);
    const int size = 1024, batch = 1024, cells = size * batch, sequences = 64 * SEQS, batches = 4,
              scan = batches * LONG * CHANNELS;
    std::vector<float> gates = random.floats(4 * cells, -3, 3),
                       bias = random.floats(4 * size, -1, 1), old = random.floats(cells, -1, 1),
                       other = random.floats(3 * cells, -2, 2),
                       inputs = random.floats(sequences * STEPS * 256, -1, 1),
                       w = random.floats(HIDDEN * 256, -0.2f, 0.2f), x = random.floats(scan, -1, 1),
                       dt = random.floats(scan, 0.01f, 0.2f),
                       A = random.floats(CHANNELS * STATE, -4, -0.2f),
                       BC = random.floats(batches * LONG * 2 * STATE, -1, 1);
    float *G = copy(gates), *BI = copy(bias), *O = copy(old), *H = copy(other), *I = copy(inputs),
          *W = copy(w), *X = copy(x), *D = copy(dt), *AA = copy(A), *B = copy(BC),
          *cell = room<float>(cells), *out = room<float>(scan);
    auto wiped = [&] {
        fill(cell, cells, 0xff);
        fill(out, scan, 0xff);
    };
    must(cudaFuncSetAttribute(lstm_steps, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
    variant(
        "lstm_gates", "lstm_gates", wiped,
        [&] { lstm_gates<<<dim3(size / 128, batch), 128>>>(G, BI, O, cell, out, size); },
        [&] {
            auto gate = [&](size_t i, int k) {
                return gates[i / size * 4 * size + k * size + i % size] + bias[k * size + i % size];
            };
            auto next = [&](size_t i) {
                return sigmoid(gate(i, 1)) * old[i] + sigmoid(gate(i, 0)) * std::tanh(gate(i, 2));
            };
            return differ(cell, cells, 5, 1e-4, next) + differ(out, cells, 7, 1e-4, [&](size_t i) {
                       return sigmoid(gate(i, 3)) * std::tanh(next(i));
                   });
        });
    variant(
        "gru_gates", "gru_gates", wiped,
        [&] {
            gru_gates<<<132 * 3, 256>>>((float4 *)G, (float4 *)H, (float4 *)O, (float4 *)out,
                                        size / 4, cells / 4);
        },
        [&] {
            return differ(out, cells, 5, 1e-4, [&](size_t i) {
                size_t base = i / size * 3 * size + i % size;
                float r = sigmoid(gates[base] + other[base]),
                      z = sigmoid(gates[base + size] + other[base + size]),
                      n = std::tanh(gates[base + 2 * size] + r * other[base + 2 * size]);
                return n + z * (old[i] - n);
            });
        });
    variant(
        "lstm_steps", "lstm_steps", wiped,
        [&] { lstm_steps<<<sequences / SEQS, 256, 65536>>>(I, W, out); },
        [&] {
            std::vector<float> got = fetch(out, sequences * HIDDEN);
            long bad = 0;
            for (int s = 0; s < sequences; s += 17) {
                std::vector<double> h(HIDDEN), c(HIDDEN), g(256);
                for (int step = 0; step < STEPS; step++) {
                    for (int t = 0; t < 256; t++) {
                        g[t] = inputs[(s * STEPS + step) * 256 + t];
                        for (int k = 0; k < HIDDEN; k++)
                            g[t] += h[k] * w[k * 256 + t];
                    }
                    for (int j = 0; j < HIDDEN; j++) {
                        c[j] = sigmoid(g[64 + j]) * c[j] + sigmoid(g[j]) * std::tanh(g[128 + j]);
                        h[j] = sigmoid(g[192 + j]) * std::tanh(c[j]);
                    }
                }
                for (int j = 0; j < HIDDEN; j++)
                    bad += !near(got[s * HIDDEN + j], h[j], 1e-3);
            }
            return bad;
        });
    variant(
        "state_space", "state_space", wiped,
        [&] { state_space<<<dim3(CHANNELS / 64, batches), 64>>>(X, D, AA, B, out); },
        [&] {
            std::vector<float> got = fetch(out, scan);
            long bad = 0;
            for (int c = 0; c < CHANNELS * batches; c += 61) {
                double h[STATE] = {};
                int b = c / CHANNELS, channel = c % CHANNELS;
                for (int t = 0; t < LONG; t++) {
                    int at = (b * LONG + t) * CHANNELS + channel;
                    double sum = 0;
                    for (int n = 0; n < STATE; n++) {
                        h[n] = std::exp((double)dt[at] * A[channel * STATE + n]) * h[n] +
                               dt[at] * x[at] * BC[(b * LONG + t) * 2 * STATE + n];
                        sum += h[n] * BC[(b * LONG + t) * 2 * STATE + STATE + n];
                    }
                    bad += !near(got[at], sum, 1e-3);
                }
            }
            return bad;
        });
    return finish();
}
