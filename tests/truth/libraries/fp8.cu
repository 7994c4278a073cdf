// What cuda_fp8.h makes of numbers, computed by the processor and by the GPU: one line a case, on standard output.
//
// usage: fp8 [cpu]     (cpu: the processor's alone, needs no GPU)
//
// Columns: side (both where they agree, else a line for cpu and one for gpu), what, index, results. `code`: of each code its half,
// bfloat16, float and double, then as char, unsigned char, short, unsigned short, int, unsigned, long long and unsigned long long.
// `half`, `bf16`: of 256 halves or bfloat16s from index * 256 on, a hash of all formats in both saturations (e8m0: both roundings).
// `float`, `double`: the same of the neighbours of a code's number, and of the middle between it and the next one. `integer`: the
// three formats of an integer of each type. `pair`: conversions of two and four numbers.
#include <cuda_fp8.h>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

typedef unsigned long long u64;
enum { CODES = 3 * 256, BLOCKS = 256, NEAR = 3 * 256, INTEGERS = 64 * 4, PAIRS = 256, WIDTH = 12 };

struct line {
    u64 v[WIDTH];
};

template <class T> __host__ __device__ u64 bits(T x)
{
    u64 u = 0;
    memcpy(&u, &x, sizeof x);
    return u;
}
template <class T> __host__ __device__ T of_bits(u64 u)
{
    T x;
    memcpy(&x, &u, sizeof x);
    return x;
}
__host__ __device__ u64 mix(u64 hash, u64 v)
{
    for (int i = 0; i < 8; i++)
        hash = (hash ^ (v >> 8 * i & 0xff)) * 1099511628211ull;
    return hash;
}
#define START 14695981039346656037ull

template <class F> __host__ __device__ void one_code(F f, line *o)
{
    o->v[0] = bits(__half_raw(__half(f)).x);
    o->v[1] = bits(__nv_bfloat16_raw(__nv_bfloat16(f)).x);
    o->v[2] = bits(float(f));
    o->v[3] = bits(double(f));
    o->v[4] = (unsigned char)(char)f;
    o->v[5] = (unsigned char)f;
    o->v[6] = (unsigned short)(short)f;
    o->v[7] = (unsigned short)f;
    o->v[8] = (unsigned int)(int)f;
    o->v[9] = (unsigned int)f;
    o->v[10] = (u64)(long long)f;
    o->v[11] = (u64)f;
}
template <class F> __host__ __device__ F with(unsigned int code)
{
    F f;
    f.__x = (__nv_fp8_storage_t)code;
    return f;
}
__host__ __device__ void code(int i, line *o)
{
    if (i < 256)
        one_code(with<__nv_fp8_e4m3>(i), o);
    else if (i < 512)
        one_code(with<__nv_fp8_e5m2>(i - 256), o);
    else
        one_code(with<__nv_fp8_e8m0>(i - 512), o);
}

__host__ __device__ u64 formats(__half h)
{
    u64 hash = START;
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 2; k++)
            hash = mix(hash, __nv_cvt_halfraw_to_fp8(__half_raw(h), (__nv_saturation_t)s, (__nv_fp8_interpretation_t)k));
    return mix(hash, __nv_fp8_e8m0(h).__x);
}
#define EACH(x, to_fp8, to_e8m0)                                                                   \
    u64 hash = START;                                                                              \
    for (int s = 0; s < 2; s++) {                                                                  \
        for (int k = 0; k < 2; k++)                                                                \
            hash = mix(hash, to_fp8(x, (__nv_saturation_t)s, (__nv_fp8_interpretation_t)k));       \
        hash = mix(hash, to_e8m0(x, (__nv_saturation_t)s, cudaRoundZero));                         \
        hash = mix(hash, to_e8m0(x, (__nv_saturation_t)s, cudaRoundPosInf));                       \
    }                                                                                              \
    return hash;
__host__ __device__ u64 formats(__nv_bfloat16_raw b) { EACH(b, __nv_cvt_bfloat16raw_to_fp8, __nv_cvt_bfloat16raw_to_e8m0) }
__host__ __device__ u64 formats(float f) { EACH(f, __nv_cvt_float_to_fp8, __nv_cvt_float_to_e8m0) }
__host__ __device__ u64 formats(double d) { EACH(d, __nv_cvt_double_to_fp8, __nv_cvt_double_to_e8m0) }

__host__ __device__ void halves(int i, line *o)
{
    o->v[0] = START;
    for (int j = 0; j < 256; j++)
        o->v[0] = mix(o->v[0], formats(of_bits<__half>(i * 256 + j)));
}
__host__ __device__ void bfloats(int i, line *o)
{
    o->v[0] = START;
    for (int j = 0; j < 256; j++)
        o->v[0] = mix(o->v[0], formats(of_bits<__nv_bfloat16_raw>(i * 256 + j)));
}

// the number of a code, and the middle between it and the next one of its sign
__host__ __device__ double number(int i)
{
    return i < 256 ? double(with<__nv_fp8_e4m3>(i)) : i < 512 ? double(with<__nv_fp8_e5m2>(i - 256)) : double(with<__nv_fp8_e8m0>(i - 512));
}
template <class T, class U> __host__ __device__ u64 around(double x)
{
    u64 hash = START;
    const U middle = (U)bits((T)x);
    for (int step = -2; step <= 2; step++)
        hash = mix(hash, formats(of_bits<T>((U)(middle + step))));
    return hash;
}
__host__ __device__ void near_floats(int i, line *o)
{
    o->v[0] = around<float, unsigned int>(number(i));
    o->v[1] = around<float, unsigned int>((number(i) + number(i % 256 == 255 ? i : i + 1)) / 2);
}
__host__ __device__ void near_doubles(int i, line *o)
{
    o->v[0] = around<double, u64>(number(i));
    o->v[1] = around<double, u64>((number(i) + number(i % 256 == 255 ? i : i + 1)) / 2);
}

template <class T> __host__ __device__ u64 of_integer(T x)
{
    return (u64)__nv_fp8_e4m3(x).__x | (u64)__nv_fp8_e5m2(x).__x << 8 | (u64)__nv_fp8_e8m0(x).__x << 16;
}
__host__ __device__ void integers(int i, line *o)
{
    const u64 power = 1ull << i / 4, x = i % 4 == 0 ? power - 1 : i % 4 == 1 ? power : i % 4 == 2 ? power + 1 : 0 - power - (power >> 1);
    o->v[0] = of_integer((short)x);
    o->v[1] = of_integer((unsigned short)x);
    o->v[2] = of_integer((int)x);
    o->v[3] = of_integer((unsigned int)x);
    o->v[4] = of_integer((long)x);
    o->v[5] = of_integer((unsigned long)x);
    o->v[6] = of_integer((long long)x);
    o->v[7] = of_integer(x);
}

template <class F2, class F4> __host__ __device__ u64 pair(float4 f)
{
    const double4_16a d = {f.x, f.y, f.z, f.w};
    const __half2 h = __floats2half2_rn(f.x, f.y), g = __floats2half2_rn(f.z, f.w);
    const __nv_bfloat162 a = __floats2bfloat162_rn(f.x, f.y), b = __floats2bfloat162_rn(f.z, f.w);
    const F2 two(make_float2(f.x, f.y));
    const F4 four(f);
    const float4 back = (float4)four;
    const float2 pair = (float2)two;
    const __half2_raw raw = (__half2_raw)(__half2)two;
    u64 hash = START;
    hash = mix(hash, two.__x), hash = mix(hash, F2(make_double2(f.z, f.w)).__x), hash = mix(hash, F2(h).__x), hash = mix(hash, F2(a).__x);
    hash = mix(hash, four.__x), hash = mix(hash, F4(d).__x), hash = mix(hash, F4(h, g).__x), hash = mix(hash, F4(a, b).__x);
    hash = mix(hash, bits(back.x)), hash = mix(hash, bits(back.y)), hash = mix(hash, bits(back.z)), hash = mix(hash, bits(back.w));
    hash = mix(hash, bits(pair.x)), hash = mix(hash, bits(pair.y)), hash = mix(hash, raw.x), hash = mix(hash, raw.y);
    return hash;
}
__host__ __device__ void pairs(int i, line *o)
{
    float f[4];
    u64 state = i * 2654435761u + 12345;
    for (int j = 0; j < 4; j++) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        const unsigned int u = (unsigned int)(state >> 33);
        f[j] = of_bits<float>((u & 0x807fffff) | (100 + u / 7 % 48) << 23) * (u & 64 ? 1.0f : -1.0f);
    }
    const float4 v = make_float4(f[0], f[1], f[2], f[3]);
    o->v[0] = pair<__nv_fp8x2_e4m3, __nv_fp8x4_e4m3>(v);
    o->v[1] = pair<__nv_fp8x2_e5m2, __nv_fp8x4_e5m2>(v);
    o->v[2] = pair<__nv_fp8x2_e8m0, __nv_fp8x4_e8m0>(v);
}

static bool with_gpu;

template <class F> __global__ void fill(F f, int n, line *o)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        f(i, o + i);
}
#define CASE(name)                                                                                 \
    struct name##_of {                                                                             \
        __host__ __device__ void operator()(int i, line *o) const { name(i, o); }                  \
    };
CASE(code) CASE(halves) CASE(bfloats) CASE(near_floats) CASE(near_doubles) CASE(integers) CASE(pairs)

static void print(const char *side, const char *what, int i, const line &l, int width)
{
    printf("%s\t%s\t%d", side, what, i);
    for (int j = 0; j < width; j++)
        printf("\t%llx", l.v[j]);
    printf("\n");
}

template <class F> bool all(F f, const char *what, int n, int width)
{
    std::vector<line> cpu(n), gpu(n);
    memset(cpu.data(), 0, n * sizeof(line));
    for (int i = 0; i < n; i++)
        f(i, &cpu[i]);
    if (with_gpu) {
        line *o;
        cudaMalloc(&o, n * sizeof(line));
        cudaMemset(o, 0, n * sizeof(line));
        fill<<<(n + 63) / 64, 64>>>(f, n, o);
        if (cudaMemcpy(gpu.data(), o, n * sizeof(line), cudaMemcpyDeviceToHost) != cudaSuccess) {
            fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
            return false;
        }
        cudaFree(o);
    }
    for (int i = 0; i < n; i++)
        if (with_gpu && !memcmp(&cpu[i], &gpu[i], sizeof(line)))
            print("both", what, i, cpu[i], width);
        else {
            print("cpu", what, i, cpu[i], width);
            if (with_gpu)
                print("gpu", what, i, gpu[i], width);
        }
    return true;
}

int main(int argc, char **argv)
{
    with_gpu = argc < 2 || strcmp(argv[1], "cpu");
    const bool done = all(code_of(), "code", CODES, WIDTH) && all(halves_of(), "half", BLOCKS, 1) && all(bfloats_of(), "bf16", BLOCKS, 1) &&
                      all(near_floats_of(), "float", NEAR, 2) && all(near_doubles_of(), "double", NEAR, 2) &&
                      all(integers_of(), "integer", INTEGERS, 8) && all(pairs_of(), "pair", PAIRS, 3);
    return !done;
}
