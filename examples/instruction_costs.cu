// Instruction costs: an operation is one instruction or dozens, and the unit that executes it gives many results a cycle or few. (Row 30.)
//
// The lesson. Float sums, products and x * y + z are one instruction of the unit FMA; integers add in one, too. All else is
// several: division and sqrtf refine an approximation of the unit XU and look out for special cases, rsqrtf needs less; integers
// have no divider, so / and % by a variable go through floats and back, while a constant divisor is a product and a shift.
// Functions with two underscores are the hardware's approximations: __sinf is a product and one instruction of XU, __powf(x, y)
// is exp2(y * log2(x)), two of XU; sinf and powf are exact to a bit or two, and longer. Doubles have the unit FP64, which is small
// on most GPUs. How many results each unit gives in a cycle: `heddle devices --throughput a100,h200`.
//
// Each kernel does the same but for its operation: two loads, the operation, a store. So the difference of two kernels' warp
// instructions is that of their operations; one warp runs, so a count is that of the code.
//   heddle profile --section InstructionStats -k int_divide examples/instruction_costs.cu     one kernel, by unit
//   heddle compare examples/instruction_costs.cu -k int_divide -k int_divide_constant         two side by side
//
// The figures: 32 threads, 2 loads.
//   add 1: flop_count_sp_add = 32, global_load_requests = 2, smsp__inst_executed_pipe_xu.sum = 0
//   multiply 1: flop_count_sp_mul = 32
//   multiply_add 1: flop_count_sp_fma = 32 (one instruction: the compiler fuses)
//   reciprocal_root 1: smsp__inst_executed_pipe_xu.sum = 1
//   fast_sine 1: smsp__inst_executed_pipe_xu.sum = 1
//   fast_power 1: smsp__inst_executed_pipe_xu.sum = 2
//   int_divide_constant 1: smsp__inst_executed_pipe_xu.sum = 0
//   double_add 1: smsp__inst_executed_pipe_fp64.sum = 1
// In time, 4,096 operations one after the other, each with the result of the one before, in one warp:
//   divide_chain 1: gpu__time_duration.sum / subtract_chain 1 = 3 to 30
//   sine_chain 1: gpu__time_duration.sum / fast_sine_chain 1 = 1.2 to 10
// Which of two takes more instructions, on several GPUs, is in tests/examples/costs.py.
#include "example.h"
#include <functional>
#include <type_traits>

const int THREADS = 32, TURNS = 4096;

// One kernel an operation, each the same but for it: two loads, the operation, a store.
#define KERNEL(name, type, operation)                            \
    __global__ void name(const type *a, const type *b, type *out) \
    {                                                            \
        int i = threadIdx.x;                                     \
        type x = a[i], y = b[i];                                 \
        out[i] = operation;                                      \
    }

KERNEL(add, float, x + y)
KERNEL(multiply, float, x * y)
KERNEL(multiply_add, float, x * y + y)
KERNEL(divide, float, x / y)
KERNEL(square_root, float, sqrtf(x) + y)
KERNEL(reciprocal_root, float, rsqrtf(x) + y)
KERNEL(sine, float, sinf(x) + y)
KERNEL(fast_sine, float, __sinf(x) + y)
KERNEL(power, float, powf(x, y))
KERNEL(fast_power, float, __powf(x, y))
KERNEL(exponential, float, expf(x) + y)
KERNEL(fast_exponential, float, __expf(x) + y)
KERNEL(int_add, int, x + y)
KERNEL(int_divide, int, x / y)
KERNEL(int_divide_constant, int, x / 10 + y)
KERNEL(int_remainder, int, x % y)
KERNEL(int_remainder_constant, int, x % 10 + y)
KERNEL(double_add, double, x + y)
KERNEL(double_divide, double, x / y)

// The operation with its own result, again and again.
#define CHAIN(name, operation)                                      \
    __global__ void name(const float *a, const float *b, float *out) \
    {                                                               \
        int i = threadIdx.x;                                        \
        float x = a[i], y = b[i];                                   \
        for (int turn = 0; turn < TURNS; turn++)                    \
            x = operation;                                          \
        out[i] = x;                                                 \
    }

CHAIN(subtract_chain, y - x)
CHAIN(divide_chain, y / x)
CHAIN(sine_chain, 0.5f * sinf(x) + y)
CHAIN(fast_sine_chain, 0.5f * __sinf(x) + y)

// The host's result of a chain.
static double chain(double x, double y, double (*once)(double, double))
{
    for (int turn = 0; turn < TURNS; turn++)
        x = once(x, y);
    return x;
}

template <typename T> static void run(void (*kernel)(const T *, const T *, T *), const char *name, std::function<double(double, double)> wanted)
{
    const int x_over = std::is_integral<T>::value ? 1 : 256, y_over = std::is_integral<T>::value ? 1 : 2;
    std::vector<T> x(THREADS), y(THREADS);
    T *device;
    bool good = true;
    for (int i = 0; i < THREADS; i++) {
        x[i] = (T)(1000 + 7 * i) / x_over; // as floats 3.9 to 4.8
        y[i] = (T)(3 + i % 5) / y_over;    // as floats 1.5 to 3.5
    }
    CHECK(cudaMalloc(&device, THREADS * sizeof(T)));
    kernel<<<1, THREADS>>>(to_device(x), to_device(y), device);
    std::vector<T> out = to_host(device, THREADS);
    for (int i = 0; i < THREADS; i++) {
        double w = wanted((double)x[i], (double)y[i]);
        good = good && std::fabs((double)out[i] - w) <= 1e-4 * std::fabs(w);
    }
    expect(good, name);
}

int main()
{
    run<float>(add, "x + y", [](double x, double y) { return x + y; });
    run<float>(multiply, "x * y", [](double x, double y) { return x * y; });
    run<float>(multiply_add, "x * y + y", [](double x, double y) { return x * y + y; });
    run<float>(divide, "x / y", [](double x, double y) { return x / y; });
    run<float>(square_root, "sqrtf", [](double x, double y) { return std::sqrt(x) + y; });
    run<float>(reciprocal_root, "rsqrtf", [](double x, double y) { return 1 / std::sqrt(x) + y; });
    run<float>(sine, "sinf", [](double x, double y) { return std::sin(x) + y; });
    run<float>(fast_sine, "__sinf", [](double x, double y) { return std::sin(x) + y; });
    run<float>(power, "powf", [](double x, double y) { return std::pow(x, y); });
    run<float>(fast_power, "__powf", [](double x, double y) { return std::pow(x, y); });
    run<float>(exponential, "expf", [](double x, double y) { return std::exp(x) + y; });
    run<float>(fast_exponential, "__expf", [](double x, double y) { return std::exp(x) + y; });
    run<int>(int_add, "integers: x + y", [](double x, double y) { return x + y; });
    run<int>(int_divide, "integers: x / y", [](double x, double y) { return std::floor(x / y); });
    run<int>(int_divide_constant, "integers: x / 10", [](double x, double y) { return std::floor(x / 10) + y; });
    run<int>(int_remainder, "integers: x % y", [](double x, double y) { return std::fmod(x, y); });
    run<int>(int_remainder_constant, "integers: x % 10", [](double x, double y) { return std::fmod(x, 10) + y; });
    run<double>(double_add, "doubles: x + y", [](double x, double y) { return x + y; });
    run<double>(double_divide, "doubles: x / y", [](double x, double y) { return x / y; });
    run<float>(subtract_chain, "y - x, again and again", [](double x, double) { return x; }); // an even number of times
    run<float>(divide_chain, "y / x, again and again", [](double x, double) { return x; });
    run<float>(sine_chain, "sinf, again and again", [](double x, double y) { return chain(x, y, [](double x, double y) { return 0.5 * std::sin(x) + y; }); });
    run<float>(fast_sine_chain, "__sinf, again and again", [](double x, double y) { return chain(x, y, [](double x, double y) { return 0.5 * std::sin(x) + y; }); });
    return verdict();
}
