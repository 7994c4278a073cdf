// Kernels whose memory accesses, divisions, short branches and fused sums must be those that nvcc makes: as_nvcc.tsv says which. as_nvcc.py compares.
#include <cuda_fp16.h>
#define KERNEL extern "C" __global__ void
#define SHAPE(name, align, T, n) struct __align__(align) name { T a[n]; };

// Copies from memory to memory.
SHAPE(bytes_2_4, 2, unsigned char, 4)
SHAPE(bytes_8_16, 8, unsigned char, 16)
SHAPE(bytes_16_16, 16, unsigned char, 16)
SHAPE(bytes_16_48, 16, unsigned char, 48)
SHAPE(bytes_16_64, 16, unsigned char, 64)
SHAPE(bytes_16_80, 16, unsigned char, 80)
SHAPE(bytes_16_128, 16, unsigned char, 128)
SHAPE(bytes_16_272, 16, unsigned char, 272)
SHAPE(bytes_8_64, 8, unsigned char, 64)
SHAPE(bytes_8_128, 8, unsigned char, 128)
SHAPE(bytes_8_136, 8, unsigned char, 136)
SHAPE(bytes_4_64, 4, unsigned char, 64)
SHAPE(bytes_4_132, 4, unsigned char, 132)
SHAPE(bytes_8_7, 8, unsigned char, 7)
SHAPE(floats_16_3, 16, float, 3)
SHAPE(floats_8_3, 8, float, 3)
SHAPE(floats_4_3, 4, float, 3)
SHAPE(doubles_16_2, 16, double, 2)
SHAPE(doubles_8_2, 8, double, 2)
#define COPY(T) KERNEL copy_##T(const T *in, T *out) { out[threadIdx.x] = in[threadIdx.x]; } \
    KERNEL shared_##T(const T *in, T *out) { __shared__ T t[32]; t[threadIdx.x] = in[threadIdx.x]; __syncthreads(); \
                                             out[threadIdx.x] = t[threadIdx.x ^ 1]; }
COPY(bytes_2_4) COPY(bytes_8_16) COPY(bytes_16_16) COPY(bytes_16_48) COPY(bytes_16_64) COPY(bytes_16_80)
COPY(bytes_16_128) COPY(bytes_16_272) COPY(bytes_8_64) COPY(bytes_8_128) COPY(bytes_8_136) COPY(bytes_4_64)
COPY(bytes_4_132) COPY(bytes_8_7) COPY(floats_16_3) COPY(floats_8_3) COPY(floats_4_3) COPY(doubles_16_2)
COPY(doubles_8_2)

// A part of a struct is used of a copy.
struct __align__(16) eight { float a, b, c, d, e, f, g, h; };
struct __align__(8) eight_bytes { unsigned char a, b, c, d, e, f, g, h; };
struct __align__(8) eight_shorts { short a, b, c, d, e, f, g, h; };
struct __align__(8) eight_ints { int a, b, c, d, e, f, g, h; };
struct __align__(16) sixteen_bytes { unsigned char a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p; };
struct __align__(16) padded { float x, y, z; };
#define USE(name, T, value) KERNEL use_##name(const T *in, float *out) { T c = in[threadIdx.x]; out[threadIdx.x] = value; }
USE(f4_x, float4, c.x)
USE(f4_xy, float4, c.x + c.y)
USE(f4_xz, float4, c.x + c.z)
USE(f4_yw, float4, c.y + c.w)
USE(f4_yzw, float4, c.y + c.z * c.w)
USE(c4_w, uchar4, c.w)
USE(c4_yz, uchar4, c.y + c.z)
USE(c4_xyz, uchar4, c.x + 3 * c.y + c.z)
USE(s4_xw, short4, c.x + c.w)
USE(f3_xz, float3, c.x + c.z)
USE(d2_y, double2, c.y)
USE(padded_xyz, padded, c.x + c.y * c.z)
USE(eight_ab, eight, c.a + c.b)
USE(eight_ae, eight, c.a + c.e)
USE(eight_h, eight, c.h)
USE(eight_bytes_ab, eight_bytes, c.a + c.b)
USE(eight_bytes_h, eight_bytes, c.h)
USE(eight_shorts_bd, eight_shorts, c.b + c.d)
USE(eight_ints_abc, eight_ints, c.a + c.b * c.c)
USE(sixteen_bytes_dn, sixteen_bytes, c.d + c.n)
KERNEL use_in_branch(const float4 *in, float *out, int n)
{
    float4 c = in[threadIdx.x];
    float r = c.x;
    if (threadIdx.x < n)
        r += c.y * c.z * atomicAdd(out, 1.0f);
    out[threadIdx.x] = r;
}
KERNEL use_between_stores(const float4 *in, float *out, int n)
{
    float4 c = in[threadIdx.x];
    out[threadIdx.x] = c.x;
    out[threadIdx.x + n] = c.y;
    out[threadIdx.x + 2 * n] = c.z;
}
KERNEL use_shared(const float4 *in, float *out, int n)
{
    __shared__ float4 t[256];
    float r = 0;
    t[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    if (n < 256) {
        float4 c = t[n];
        r = c.x * c.y + c.z;
    }
    out[threadIdx.x] = r;
}

// A struct is read, changed and written.
#define CHANGE(name, T, what) KERNEL change_##name(const T *in, T *out) { T c = in[threadIdx.x]; what; out[threadIdx.x] = c; }
struct five { float a, b, c, d, e; };
struct matrix { float m[16]; };
CHANGE(f4_x, float4, c.x += 1)
CHANGE(f4_w, float4, c.w = 0)
CHANGE(c4_x, uchar4, c.x += 1)
CHANGE(five, five, c.b += 1)
CHANGE(matrix, matrix, c.m[5] += c.m[2])
KERNEL swap(float4 *a, int n)
{
    if (threadIdx.x < n) {
        float4 t = a[threadIdx.x];
        a[threadIdx.x] = a[threadIdx.x + n];
        a[threadIdx.x + n] = t;
    }
}
KERNEL least(const float4 *in, int n, float4 *out)
{
    float4 best = in[0];
#pragma unroll 1
    for (int i = 1; i < n; i++) {
        float4 c = in[i];
        if (c.x < best.x)
            best = c;
    }
    *out = best;
}
KERNEL by_value(five p, five *out)
{
    five q = p;
    q.a = threadIdx.x;
    out[threadIdx.x] = q;
}
KERNEL indexed(const float4 *in, float *out, int k)
{
    float4 q = in[threadIdx.x];
    const float *f = &q.x;
    out[threadIdx.x] = f[k];
}

// Members read where they lie.
#define READ(name, T, value) KERNEL read_##name(const T *in, float *out) { int i = threadIdx.x; out[i] = value; }
READ(f4_xy, float4, in[i].x + in[i].y)
READ(f4_xz, float4, in[i].x + in[i].z)
READ(f4_xw, float4, in[i].x + in[i].w)
READ(f4_xyz, float4, in[i].x + in[i].y * in[i].z)
READ(f4_xzw, float4, in[i].x + in[i].z * in[i].w)
READ(f4_yz, float4, in[i].y + in[i].z)
READ(f4_yzw, float4, in[i].y + in[i].z * in[i].w)
READ(c4_xy, uchar4, in[i].x + in[i].y)
READ(c4_xyz, uchar4, in[i].x + in[i].y * in[i].z)
READ(s4_xz, short4, in[i].x + in[i].z)
READ(f3_xz, float3, in[i].x + in[i].z)
READ(padded_xyz, padded, in[i].x + in[i].y * in[i].z)
READ(next, float4, in[i].x + in[i + 1].x)
READ(every_other, float, in[i] + in[i + 2])
KERNEL read_between_stores(const float4 *in, float *out, int n)
{
    int i = threadIdx.x;
    out[i] = in[i].x;
    out[i + n] = in[i].y;
    out[i + 2 * n] = in[i].z;
}

// Two stores to one place.
KERNEL store_early(float *out, int n, int rounds)
{
    int i = threadIdx.x;
    out[i] = 0;
    if (i >= n)
        return;
    float x = i;
#pragma unroll 1
    for (int k = 0; k < rounds; k++)
        x = x * 1.5f + 1;
    out[i] = x;
}
__device__ float grow(float x, int rounds)
{
    for (int k = 0; k < rounds; k++)
        x = x * 1.5f + 1;
    return x;
}
KERNEL store_early_call(float *out, int n, int rounds)
{
    int i = threadIdx.x;
    out[i] = 0;
    if (i >= n)
        return;
    out[i] = grow(i, rounds);
}
KERNEL store_seen(float *out, int n, int rounds)
{
    int i = threadIdx.x;
    out[i] = 0;
    if (i >= n)
        return;
    float x = i;
#pragma unroll 1
    for (int k = 0; k < rounds; k++)
        x = x * out[k] + 1;
    out[i] = x;
}

// Divisions.
#define DIVIDE(name, T, value) KERNEL divide_##name(const T *a, const T *b, T *out) { int i = threadIdx.x; out[i] = value; }
DIVIDE(shorts, unsigned short, a[i] / b[i])
DIVIDE(bytes, unsigned char, a[i] / b[i])
DIVIDE(signed_bytes, signed char, a[i] / b[i])
DIVIDE(masks, unsigned, (a[i] & 0xffff) / (b[i] & 0xff))
DIVIDE(mask_remainder, int, (a[i] & 0xff) % (b[i] & 0xff))
DIVIDE(special, unsigned, threadIdx.x / blockDim.x)
DIVIDE(special_64, unsigned long long, (unsigned long long)threadIdx.x / blockDim.x)
DIVIDE(ints, int, a[i] / b[i])
KERNEL divide_mean(const unsigned char *p, unsigned char *out, int w)
{
    int s = 0, c = 0, x = threadIdx.x;
    for (int i = -1; i <= 1; i++)
        if (x + i >= 0 && x + i < w) {
            s += p[x + i];
            c++;
        }
    out[x] = (unsigned char)(s / c);
}

// Atomics: the space is known.
KERNEL atomic_increment(unsigned *p, unsigned *q) { atomicInc(p + threadIdx.x, 1000u); q[1] = atomicDec(q, 7u); }
KERNEL atomic_increment_shared(unsigned *out)
{
    __shared__ unsigned s[32];
    s[threadIdx.x] = 0;
    atomicInc(&s[threadIdx.x / 2], 1000u);
    out[threadIdx.x] = s[threadIdx.x];
}

KERNEL atomic_scoped(unsigned *p, unsigned long long *q, int *r, float *f, double *d)
{
    atomicMax_system(p, 3u);
    atomicMin_block(q, 3ull);
    atomicMax_system(r, 3);
    atomicAdd_system(f, 1.f);
    atomicAdd_block(d, 2.);
    atomicInc_system(p, 5u);
    atomicExch_block(q, 7ull);
    r[1] = atomicCAS_system(r, 1, 2);
}
KERNEL atomic_scoped_shared(unsigned *out)
{
    __shared__ unsigned s[32];
    s[threadIdx.x] = 0;
    atomicOr_block(&s[threadIdx.x / 2], 1000u);
    out[threadIdx.x] = s[threadIdx.x];
}
KERNEL atomic_short(unsigned short *p) { atomicCAS(p + threadIdx.x, (unsigned short)1, (unsigned short)2); }

// Shared memory whose length the launch says is aligned to 16.
KERNEL shared_dynamic(long long *out)
{
    extern __shared__ long long words[];
    out[threadIdx.x] = words[2 * threadIdx.x] + words[2 * threadIdx.x + 1];
}

// Stores of one type are not taken to leave the values of another alone.
KERNEL other_type(int *a, float *b, int *out)
{
    *a = 1;
    *b = 2.0f;
    *out = *a;
}

// Short branches: conditional branches are counted in kernels named so.
static __device__ float divided(float x, float y)
{
    if (y > 3) return x / y;
    return x;
}
#define WAYS(name, first, second)                                                                                          \
    KERNEL ways_##name(const float *in, float *out, int n)                                                                 \
    {                                                                                                                      \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                     \
        float x = in[i], y = in[i + 64], z = in[i + 128], s = x;                                                           \
        (void)y, (void)z;                                                                                                  \
        if ((int)(threadIdx.x & 31) < n) s = first;                                                                        \
        second;                                                                                                            \
        out[i] = s;                                                                                                        \
    }
WAYS(one, x + y, )
WAYS(five, ((((x + y) + z) + y) + z) + y, )
WAYS(six, (((((x + y) + z) + y) + z) + y) + z, )
WAYS(three_or_five, ((x + y) + z) + y, else s = ((((x * y) * z) * y) * z) * y)
WAYS(four_or_one, (((x + y) + z) + y) + z, else s = x * y)
WAYS(one_or_six, x + y, else s = (((((x * y) * z) * y) * z) * y) * z)
WAYS(division, x / y, )
WAYS(two_divisions, x / y, else s = y / x)
WAYS(division_by_four, divided(x, 4.0f), )
WAYS(division_double, (float)(y / (double)n), )
WAYS(load, in[i + 200], )
WAYS(nested, y > z ? x + y : x - z, )

// Sums and products: those are counted in kernels named so. What is left of them the assembler fuses.
#define SUMS(name, type, ...)                                           \
    KERNEL sums_##name(const type *in, type *out, int n)                \
    {                                                                   \
        type a = in[0], b = in[10], c = in[20], d = in[30], p = a * b;  \
        (void)c, (void)d, (void)p;                                      \
        __VA_ARGS__;                                                    \
    }
SUMS(fused, float, out[0] = p + c)
SUMS(difference, float, out[0] = c - p)
SUMS(difference_turned, float, out[0] = p - c)
SUMS(kept, float, out[0] = p + c; out[10] = p)
SUMS(two, float, out[0] = p + c; out[10] = p + d)
SUMS(two_differences, float, out[0] = p + c; out[10] = d - p)
SUMS(five, float, out[0] = p + c; out[10] = p + d; out[20] = p + 3; out[30] = p + 4; out[40] = p + 5)
SUMS(two_products, float, out[0] = p + c * d)
SUMS(two_products_difference, double, out[0] = p - c * d)
SUMS(chain, double, double s = d; for (int i = 0; i < 4; i++) s += a * in[i * 7]; out[0] = s)
SUMS(loop, float, float s = d; _Pragma("unroll 1") for (int i = 0; i < n; i++) s -= a * in[i * 7]; out[0] = s)
SUMS(other_block, float, if (c > 0) { out[0] = p + c; } else { out[10] = p + d; out[20] = p; })
SUMS(product_chosen, float, float s = (float)threadIdx.x; if (n > (int)threadIdx.x) s *= a; out[0] = s)
SUMS(sum_chosen, float, float s = (float)threadIdx.x; if (n > (int)threadIdx.x) s += a; out[0] = s)
SUMS(difference_chosen, double, double s = threadIdx.x; if (n > (int)threadIdx.x) s -= a; out[0] = s)
SUMS(factor_chosen, float, float s = (float)threadIdx.x; out[0] = s * (n > (int)threadIdx.x ? a : 1.0f))
SUMS(negation_chosen, float, out[0] = n > (int)threadIdx.x ? c - p : -p)
SUMS(negation_chosen_other, double, double s = n > (int)threadIdx.x ? -p : c - p; out[0] = s)
SUMS(negation_met, float, float s; if (n > (int)threadIdx.x) s = __shfl_sync(~0u, c, 3) - p; else s = -p; out[0] = s)
SUMS(negation_met_other, double, double s; if (n > (int)threadIdx.x) s = -p; else s = c / d - p; out[0] = s)
// Instructions of constants are folded.
SUMS(root_of_constant, float, out[0] = a * (sqrtf(3.0f) - 2.0f) + b * (__expf(1.5f) - __logf(7.0f)))
// Assembly that is not volatile: the sum stands in for it where it moves out of a loop.
__device__ __forceinline__ float assembled(float x)
{
    float r;
    asm("add.f32 %0, %1, %1;" : "=f"(r) : "f"(x));
    return r;
}
SUMS(assembly_in_loop, float, _Pragma("unroll 1") for (int i = 0; i < n; i++) out[i * 7] = assembled(c))
SUMS(assembly_behind_branch, float, for (int i = 0; i < n; i++) if (in[i * 7] > 3) { __threadfence(); out[i * 7] = assembled(c); })
SUMS(assembly_twice, float, out[0] = assembled(c); if (n > (int)threadIdx.x) { out[10] = assembled(c); __threadfence(); })
// Constants below zero deep in a term keep their sign; that of the term itself makes the sum a difference.
SUMS(negative_quotient, float, float m = a; m *= -1.0f / b; m += 1.0f; out[0] = m; out[10] = m > c ? 1.0f / b : 0.0f)
SUMS(negative_product, float, out[0] = a + b * (c * -3.0f); out[10] = c * 3.0f)
SUMS(negative_term, float, out[0] = a + c * -3.0f; out[10] = c * 3.0f)
SUMS(negative_twice, double, out[0] = a + (b * -3.0) * (-5.0 / c); out[10] = b * 3.0; out[20] = 5.0 / c)
SUMS(negative_both, float, out[0] = a + (b * -3.0f) * -5.0f; out[10] = b * 3.0f)
SUMS(negative_subtracted, double, out[0] = a - b * (c / -3.0); out[10] = c / 3.0)
// Sums of converted integers are sums of integers where they are signed and have no more bits than the type is exact in.
#define CASTS(name, type, ...) SUMS(cast_##name, type, int i = ((const int *)in)[threadIdx.x], k = ((const int *)in)[threadIdx.x + 64]; \
    unsigned u = i, v = k; (void)u, (void)v; short s = ((const short *)in)[threadIdx.x]; (void)s; out[0] = __VA_ARGS__)
CASTS(constant, double, (double)(i & 1023) + 4.0)
CASTS(constant_less, double, (double)(i & 1023) - 4.0)
CASTS(constant_times, double, (double)(i & 1023) * 4.0)
CASTS(two, double, (double)(i & 1023) + (double)(k & 255))
CASTS(two_less, double, (double)(i & 1023) - (double)(k & 255))
CASTS(two_times, double, (double)(i & 1023) * (double)(k & 255))
CASTS(unsigned, double, (double)(u & 1023) + 4.0)
CASTS(unsigned_two, double, (double)(u & 1023) + (double)(v & 255))
CASTS(float, float, (float)(i & 1023) + 4.0f)
CASTS(float_two, float, (float)(i & 1023) * (float)(k & 255))
CASTS(float_short, float, (float)(short)(s >> 1) + 4.0f)
CASTS(shifted, double, (double)(i >> 3) + 4.0)
CASTS(thread, double, (double)threadIdx.x + 1.0)
CASTS(thread_signed, double, (double)(int)threadIdx.x + 1.0)
CASTS(chain, float, (float)threadIdx.x * 2.0f + (float)(threadIdx.x & 3) + 0.5f)
// Loops: how often they are unrolled is seen from the loads.
#define LOOP(name, ...)                                                                                                    \
    KERNEL loop_##name(float *o, const float *a, int n)                                                                    \
    {                                                                                                                      \
        __shared__ float t[256];                                                                                           \
        int lane = threadIdx.x;                                                                                            \
        float s = 0;                                                                                                       \
        t[lane] = 0;                                                                                                       \
        __VA_ARGS__ o[lane] = s;                                                                                           \
    }
#define S(k) s = s * k##.5f + x;
#define S4(k) S(k##1) S(k##2) S(k##3) S(k##4)
#define S20(k) S4(k##1) S4(k##2) S4(k##3) S4(k##4) S4(k##5)
LOOP(unknown, for (int i = 0; i < n; i++) s += a[i];)
LOOP(unknown_20, for (int i = 0; i < n; i++) { float x = a[i]; S20(1) })
LOOP(unknown_24, for (int i = 0; i < n; i++) { float x = a[i]; S20(1) S4(2) })
LOOP(unknown_60, for (int i = 0; i < n; i++) { float x = a[i]; S20(1) S20(2) S20(3) })
LOOP(known_16, for (int i = 0; i < 16; i++) { float x = a[i]; S4(1) S4(2) S(1) S(2) })
LOOP(known_24, for (int i = 0; i < 24; i++) { float x = a[i]; S4(1) S4(2) S(1) S(2) })
LOOP(known_100, for (int i = 0; i < 100; i++) s += a[i];)
LOOP(known_101, for (int i = 0; i < 101; i++) s += a[i];)
LOOP(known_1000, for (int i = 0; i < 1000; i++) s += a[i];)
LOOP(inside, for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s += a[i * n + j];)
LOOP(inside_known, for (int i = 0; i < n; i++) for (int j = 0; j < 16; j++) s += a[i * 16 + j];)
LOOP(around, for (int i = 0; i < n; i++) { int k = i; while (k != -1) { s += a[k]; k = (int)s; } })
LOOP(barriers, for (int i = 0; i < n; i++) { t[lane] = a[i]; __syncthreads(); s += t[lane ^ 1]; __syncthreads(); })
LOOP(shuffles, for (int i = 0; i < n; i++) s += __shfl_down_sync(~0u, a[i], 3);)
LOOP(condition, for (int i = 0; i < n; i++) if (a[i] > 3) o[i] = a[i] * 2; else o[i + n] = 7;)
LOOP(way_out, for (int i = 0; i < n; i++) { if (a[i] > 3) break; s += a[i]; })
LOOP(way_out_known, for (int i = 0; i < 100; i++) { if (a[i] > 3) break; s += a[i]; })
LOOP(step, for (int i = lane; i < n; i += 256) s += a[i];)
LOOP(step_stride, int stride = blockDim.x * gridDim.x; for (int i = lane; i < n; i += stride) s += a[i];)
LOOP(step_unsigned, for (int i = lane; i < n; i += blockDim.x) s += a[i];)
LOOP(short_one, for (int i = 0; i < (n & 7); i++) s += a[i];)
LOOP(asked_8, _Pragma("unroll 8") for (int i = 0; i < n; i++) s += a[i];)
LOOP(asked, _Pragma("unroll") for (int i = 0; i < n; i++) s += a[i];)
LOOP(asked_not, _Pragma("unroll 1") for (int i = 0; i < n; i++) s += a[i];)
LOOP(array, float l[24]; for (int i = 0; i < 24; i++) l[i] = a[i] * n; for (int i = 0; i < 24; i++) s += l[i] * a[i + n];)
LOOP(array_long, float l[16]; for (int i = 0; i < 16; i++) l[i] = a[i]; for (int k = 0; k < n; k++) for (int i = 0; i < 16; i++) { float x = a[k]; s = l[i]; S20(1) l[i] = s; } for (int i = 0; i < 16; i++) s += l[i];)
LOOP(array_longer, float l[16]; for (int i = 0; i < 16; i++) l[i] = a[i]; for (int k = 0; k < n; k++) for (int i = 0; i < 16; i++) { float x = a[k]; s = l[i]; S20(1) S20(2) S20(3) S20(4) l[i] = s; } for (int i = 0; i < 16; i++) s += l[i];)
LOOP(array_around, float l[16]; for (int i = 0; i < 16; i++) l[i] = a[i]; for (int i = 0; i < 16; i++) for (int k = 0; k < n; k++) { float x = a[k]; s = l[i]; S20(1) S20(2) S20(3) l[i] = s; } for (int i = 0; i < 16; i++) s += l[i];)
LOOP(around_short, for (int i = 0; i < 16; i++) for (int k = 0; k < n; k++) { float x = a[k * i]; s = s * 1.5f + x; s = s * 2.5f + x; })

// Stores that overwrite each other, or are the same, in different blocks.
KERNEL store_both(unsigned char *p, const unsigned char *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (a[i] > 7 || a[i + n] > 9)
        p[i] = 255;
    else
        p[i] = 0;
}
KERNEL store_again(unsigned *__restrict__ p, const unsigned *__restrict__ a, int n)
{
    int i = threadIdx.x;
    p[i] = 0;
    if (a[i] & 1) {
        for (int k = 0; k < n; k++)
            if (a[k] == 3)
                p[i + 64 * k] = 5;
        p[i] = 7;
    } else {
        for (int k = 0; k < n; k++)
            if (a[k] == 4)
                p[i - 64 * k] = 6;
        p[i] = a[i + n];
    }
}

// warpSize is not known before the kernel runs: loops to it stay, divisions by it are divisions.
KERNEL ways_warp_reduction(float *p)
{
    float v = p[threadIdx.x];
    for (int d = warpSize / 2; d > 0; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    p[threadIdx.x] = v;
}
KERNEL warp_division(int *p)
{
    unsigned t = threadIdx.x;
    p[t] = t / warpSize;
}
KERNEL warp_remainder(int *p, const int *a)
{
    p[threadIdx.x] = a[threadIdx.x] % warpSize + min(warpSize, a[0]);
}

// Arrays accessed as another type: with the alignment of that type, whatever the array has.
KERNEL cast_shared_clear(unsigned *o, int k)
{
    __shared__ unsigned char s[256];
    ((unsigned *)s)[threadIdx.x] = k;
    __syncthreads();
    o[threadIdx.x] = s[threadIdx.x * 4 + 1];
}
KERNEL cast_shared_read(unsigned *o, const unsigned char *a)
{
    __shared__ unsigned char s[256];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = *(unsigned *)(s + 4 * threadIdx.x);
}
KERNEL cast_shared_float4(float4 *o, const float *a, int n)
{
    __shared__ float s[256];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = ((float4 *)s)[threadIdx.x / n];
}
KERNEL cast_shared_store(const float4 *a, float *o, int n)
{
    __shared__ float s[256];
    reinterpret_cast<float4 *>(s)[threadIdx.x / n] = a[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = s[threadIdx.x];
}
__device__ unsigned char table[256];
KERNEL cast_global(unsigned *o)
{
    o[threadIdx.x] = ((unsigned *)table)[threadIdx.x];
}
static __device__ float2 pair_from(const float *p) { return *(const float2 *)p; }
KERNEL cast_inlined(float2 *o, const float *a, int n)
{
    __shared__ float s[256];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    o[threadIdx.x] = pair_from(s + 2 * threadIdx.x);
}
// Struct parameters: up to 128 bytes are copied to local memory where lanes index them.
#define PARAMETER(name, T, n, value) struct parameter_##name { T a[n]; }; \
    KERNEL parameter_of_##name(parameter_##name s, T *out) { int i = threadIdx.x; out[i] = value; }
PARAMETER(bytes_16, char, 16, s.a[i])
PARAMETER(bytes_129, char, 129, s.a[i])
PARAMETER(ints_4, int, 4, s.a[i])
PARAMETER(ints_4_constant, int, 4, s.a[1] + s.a[3])
PARAMETER(ints_32, int, 32, s.a[i])
PARAMETER(ints_33, int, 33, s.a[i])
PARAMETER(doubles_16, double, 16, s.a[i])
PARAMETER(floats_8, float, 8, s.a[i & 1])
struct parameter_mixed { char c; int a[3]; };
KERNEL parameter_of_mixed(parameter_mixed s, int *out) { out[threadIdx.x] = s.a[threadIdx.x]; }
KERNEL parameter_of_pointer(parameter_mixed s, int *out) { out[threadIdx.x] = (threadIdx.x & 1 ? &s.a[1] : &s.a[0])[threadIdx.x & 2]; }
KERNEL parameter_of_grid(const __grid_constant__ parameter_mixed s, int *out) { out[threadIdx.x] = s.a[threadIdx.x]; }
KERNEL parameter_of_written(parameter_ints_32 s, int *out) { s.a[threadIdx.x] = 7; out[threadIdx.x] = s.a[out[threadIdx.x]]; }
KERNEL parameter_of_long_written(parameter_ints_33 s, int *out) { s.a[3] = 7; out[threadIdx.x] = s.a[threadIdx.x + 1]; }
KERNEL parameter_of_two(parameter_ints_4 s, parameter_ints_4 t, int *out) { out[threadIdx.x] = s.a[threadIdx.x] + t.a[2]; }

// Members of structs are told from others of the same type, wherever they lie.
struct of_three { float x, y, z; };
struct of_nested { of_three at, by; float m; };
struct of_derived : of_three { float w; };
struct of_array { float v[4]; float w; };
struct of_kinds { float x; char c; double d; };
union of_union { struct { float x, y; }; float a[2]; };
#define MEMBERS(name, T, change) KERNEL members_##name(T *a, T *b) { int i = threadIdx.x; change }
MEMBERS(float4, float4, a[i].x = b[i].x + 1; a[i].y = b[i].y + 1; a[i].z = b[i].z + 1; a[i].w = b[i].w + 1;)
MEMBERS(double2, double2, a[i].x = b[i].x + 1; a[i].y = b[i].y + 1;)
MEMBERS(uchar4, uchar4, a[i].x = b[i].x + 1; a[i].y = b[i].y + 1; a[i].z = b[i].z + 1; a[i].w = b[i].w + 1;)
MEMBERS(known, of_three, float t = b[i].x; a[i].y = 2; a[i].z = t + b[i].x;)
MEMBERS(same, of_three, float t = b[i].x; a[i].x = 2; a[i].z = t + b[i].x;)
MEMBERS(kinds, of_kinds, float t = b[i].x; a[i].c = 2; a[i].d = t + b[i].x;)
MEMBERS(nested, of_nested, float t = b[i].at.x; a[i].by.y = 2; a[i].m = t + b[i].at.x;)
MEMBERS(nested_same, of_nested, float t = b[i].at.x; a[i].by.x = 2; a[i].m = t + b[i].at.x;)
MEMBERS(nested_outer, of_nested, float t = b[i].at.x; a[i].m = 2; a[i].by.y = t + b[i].at.x;)
MEMBERS(derived, of_derived, float t = b[i].x; a[i].w = 2; a[i].y = t + b[i].x;)
MEMBERS(array, of_array, float t = b[i].w; a[i].v[i & 3] = 2; a[i].v[1] = t + b[i].w;)
MEMBERS(union, of_union, float t = b[i].x; a[i].y = 2; a[i + 1].y = t + b[i].x;)
MEMBERS(loop, of_three, for (int k = 0; k < i; k++) a[k].y = b[i].x * k;)
MEMBERS(dead, of_three, a[i].y = 1; a[i].z = b[i].x; a[i].y = 2;)
KERNEL members_others(float2 *a, of_three *b) { int i = threadIdx.x; float t = b[i].x; a[i].y = 2; b[i].z = t + b[i].x; }
KERNEL members_inside(of_nested *a, of_three *b) { int i = threadIdx.x; float t = b[i].x; a[i].at.y = 2; b[i].z = t + b[i].x; }
struct of_methods { float x, y, z, w; __device__ void add(const of_methods &o) { x += o.x; y += o.x; z += o.x; w += o.x; } };
MEMBERS(methods, of_methods, a[i].add(b[i]); a[i + 1].add(b[i + 1]);)

// The first turn of a loop is like the others.
KERNEL ways_first_other(float *a, const float *b, int n) { int i = threadIdx.x; for (int k = 0; k < n; k++) { if (k > 0) __syncthreads(); a[i + k] = b[k] * 2; } }
// The math library's loads: of sine and cosine of doubles; of both together none.
KERNEL math_sin(double *p, double x) { p[0] = sin(x); }
KERNEL math_sin_cos(double *p, double x) { p[0] = sin(x) + cos(x); }
KERNEL math_sincos(double *p, double x) { sincos(x, p, p + 1); }
KERNEL math_sinpi(double *p, double x) { p[0] = sinpi(x) - cospi(x); }

// Bits of numbers stay bits.
KERNEL sums_magnitude(unsigned char *o, const float *a)
{
    unsigned bits = __float_as_uint(a[threadIdx.x]) & 0x7fffffffu, r = 127;
    if (bits < 1139802112u)
        r = bits < 1015021568u ? __float_as_uint(__uint_as_float(bits) + 16384.0f) : bits >> 20;
    o[threadIdx.x] = r;
}
KERNEL sums_sign(float *o, const float *a)
{
    o[threadIdx.x] = __int_as_float(__float_as_int(a[threadIdx.x]) ^ 0x80000000);
}

// Addresses at a constant distance count where loops are unrolled: those of members once, of elements of arrays three times.
struct of_many { float m[64]; };
#define M4(j) s += b->m[j]; s += b->m[j + 1]; s += b->m[j + 2]; s += b->m[j + 3];
#define F4(j) s = s * b->m[j] + 1; s = s * b->m[j + 1] + 1; s = s * b->m[j + 2] + 1; s = s * b->m[j + 3] + 1;
#define E4(j) s += a[k + i * 4 + 7 * j]; s += a[k + i * 4 + 7 * j + 7]; s += a[k + i * 4 + 7 * j + 14]; s += a[k + i * 4 + 7 * j + 21];
#define ADDRESSES(name, T, head, ...) KERNEL loop_addresses_##name(float *o, const T *a, int n) { int i = threadIdx.x; float s = 0; \
    for (int k = 0; k < head; k++) { __VA_ARGS__ } o[i] = s; }
#define MANY(name, head, ...) ADDRESSES(name, of_many, head, const of_many *b = a + k; __VA_ARGS__)
MANY(members_32, 4, M4(0) M4(4) M4(8) M4(12) M4(16) M4(20) M4(24) M4(28))
MANY(members_36, 4, M4(0) M4(4) M4(8) M4(12) M4(16) M4(20) M4(24) M4(28) M4(32))
MANY(unknown_16, n, M4(0) M4(4) M4(8) M4(12))
MANY(unknown_20, n, M4(0) M4(4) M4(8) M4(12) M4(16))
MANY(unknown_28, n, M4(0) M4(4) M4(8) M4(12) M4(16) M4(20) M4(24))
MANY(unknown_32, n, M4(0) M4(4) M4(8) M4(12) M4(16) M4(20) M4(24) M4(28))
ADDRESSES(elements_20, float, 4, E4(0) E4(4) E4(8) E4(12) E4(16))
ADDRESSES(elements_24, float, 4, E4(0) E4(4) E4(8) E4(12) E4(16) E4(20))
MANY(first_24, 4, if (k == 0) { M4(0) M4(4) M4(8) M4(12) M4(16) M4(20) } else { F4(0) F4(4) F4(8) F4(12) F4(16) F4(20) })
MANY(first_32, 4, if (k == 0) { M4(0) M4(4) M4(8) M4(12) M4(16) M4(20) M4(24) M4(28) } else { F4(0) F4(4) F4(8) F4(12) F4(16) F4(20) F4(24) F4(28) })
// Halves: products and sums that the assembler may fuse, and what functions put right.
KERNEL sums_half(__half *p) { p[0] = p[1] * p[2] + p[3]; }
KERNEL sums_half_rounded(__half *p) { p[0] = __hadd_rn(__hmul_rn(p[1], p[2]), p[3]); }
KERNEL sums_half_exp(__half *p) { p[0] = hexp(p[1]); }
KERNEL sums_half_log2(__half *p) { p[0] = hlog2(p[1]); }

// Counters that may wrap around: how often the loop turns is not known.
LOOP(wraps_unsigned, for (unsigned i = lane; i < n; i += 32) s += a[i];)
LOOP(wraps_step, for (int i = lane; i < n; i += 32u) s += a[i];)
LOOP(wraps_warp, for (int i = lane; i < n; i += warpSize) s += a[i];)
LOOP(wraps_block, for (unsigned i = lane; i < n; i += blockDim.x) s += a[i];)
LOOP(wraps_grid, for (int i = lane; i < n; i += blockDim.x * gridDim.x) s += a[i];)
LOOP(wraps_one, for (unsigned i = lane; i < n; i++) s += a[i];)
LOOP(stride_stores, int stride = blockDim.x * gridDim.x; for (int i = lane; i < n; i += stride) o[i] = a[i] * 2;)
LOOP(stride_volatile, int stride = blockDim.x * gridDim.x; volatile float *v = o; for (int i = lane; i < n; i += stride) v[i] = a[i] * 2;)
LOOP(stride_shuffle, int stride = blockDim.x * gridDim.x; for (int i = lane; i < n; i += stride) s += __shfl_xor_sync(~0u, a[i], 1);)
LOOP(stride_long, long stride = blockDim.x * gridDim.x; for (long i = lane; i < n; i += stride) s += a[i];)
LOOP(stride_size, size_t stride = blockDim.x * gridDim.x; for (size_t i = lane; i < n; i += stride) s += a[i];)
LOOP(down, for (int i = n; i > lane; i -= 32) s += a[i];)
LOOP(halves, for (int i = n; i > 0; i /= 2) s += a[i];)
LOOP(not_equal, for (int i = lane; i != n; i++) s += a[i];)
LOOP(not_equal_step, for (int i = lane; i != n; i += 4) s += a[i];)
LOOP(pointer, const float *end = a + n; for (const float *p = a + lane; p < end; p += 32) s += *p;)
LOOP(pointer_equal, const float *end = a + n; for (const float *p = a + lane; p != end; p++) s += *p;)

// What stands before a branch and what behind it.
KERNEL order_shared_fma(float*o,const float*a){ __shared__ float s[64]; int t=threadIdx.x; float x=a[t],y=a[t+64],z=a[t+128]; float r=x*y+z; if(t<o[0]) s[t]=r; __syncthreads(); o[t]=s[t^1]; }
KERNEL order_fma_ret(float*o,const float*a,int n){ int t=threadIdx.x; float x=a[t],y=a[t+64],z=a[t+128]; float r=x*y+z; if(t<n) o[t]=r; }
KERNEL order_fma_param(float*o,const float*a,float p,float q,int n){ int t=threadIdx.x; float x=a[t],y=a[t+64]; float r=p*x+q*y; if(t<n) o[t]=r; }
KERNEL order_fma_join(float*o,const float*a,int n){ int t=threadIdx.x; float x=a[t],y=a[t+64],z=a[t+128]; float r=x*y+z; if(t<n) o[t]=r; o[t+500]=x; }
KERNEL order_two_used(float*o,const float*a,int n){ int t=threadIdx.x; float x=a[t],y=a[t+64]; float r=x+y; if(t<n) o[t]=r; o[t+500]=x; o[t+600]=y; }
KERNEL order_two_used_shared(float*o,const float*a,int n){ __shared__ float s[64]; int t=threadIdx.x; float x=a[t],y=a[t+64]; float r=x+y; if(t<n) s[t]=r; __syncthreads(); o[t+500]=x; o[t+600]=y; o[t]=s[t^1];}
KERNEL order_shfl_atomic(float*o,const float*a){ float v=a[threadIdx.x]; v+=__shfl_down_sync(~0u,v,1); if(threadIdx.x==0) atomicAdd(o,v); }
KERNEL order_shfl_shared(float*o,const float*a){ __shared__ float s[32]; int t=threadIdx.x; float v=a[t]; v+=__shfl_down_sync(~0u,v,1); if((t&31)==0) s[t>>5]=v; __syncthreads(); o[t]=s[t&3]; }
KERNEL order_shfl_max(float*o,const float*a){ float v=a[threadIdx.x]; v=fmaxf(v,__shfl_down_sync(~0u,v,1)); if(threadIdx.x==0) o[blockIdx.x]=v; }
KERNEL order_mul_two(float*o,const float*a,int n){ int t=threadIdx.x; float x=a[t],y=a[t+64]; float r=x*y; if(t<n) o[t]=r; o[t+500]=x+y;}
KERNEL order_double(double*o,const double*a,int n){ int t=threadIdx.x; double x=a[t],y=a[t+64]; double r=x*y+x; if(t<n) o[t]=r; o[t+500]=x;}
KERNEL order_shared_loads(float*o,const float*a,int n){ __shared__ float s[64]; int t=threadIdx.x; s[t]=a[t]; __syncthreads(); float r=s[t]+s[t^1]; if(t<n) o[t]=r; }
KERNEL order_shared_fma2(float*o,const float*a,int n){ __shared__ float s[64]; int t=threadIdx.x; s[t]=a[t]; __syncthreads(); float r=s[t]*s[t^1]+s[t^2]; if(t<n) o[t]=r; }
KERNEL order_unrolled(float*o,const float*a,float s,float v){ int t=threadIdx.x; 
#pragma unroll
 for(int i=0;i<4;i++) if(a[t+i*32]>3){ s+=v; o[t+i*64]=s; } }
KERNEL order_twice(float*o,float x,float y,int p,int q){ int t=threadIdx.x; if(t<p) o[t]=(x+y)*3; o[t+100]=2; if(t>q) o[t+50]=(x+y)*5; }
KERNEL order_load_twice(float*o,const float*a,int p,int q){ int t=threadIdx.x; if(t<p) o[t]=a[t]; o[t+100]=2; if(t>q) o[t+50]=a[t]; }
KERNEL order_one_loads(float*o,const float*a,int n){ int t=threadIdx.x; float x=a[t]; if(t<n) o[t]=x; }
KERNEL order_one_shared_loads(float*o,const float*a,int n){ __shared__ float s[64]; int t=threadIdx.x; s[t]=a[t]; __syncthreads(); float x=s[t^1]; if(t<n) o[t]=x; }
KERNEL order_one_int_loads(int*o,const int*a,int n){ int t=threadIdx.x; int x=a[t]; if(t<n) o[t]=x; }
KERNEL order_scaled_loads(float*o,const float*a,int n){ int t=threadIdx.x; float x=a[t]*2.f; if(t<n) o[t]=x; }
KERNEL order_plus1_loads(int*o,const int*a,int n){ int t=threadIdx.x; int x=a[t]+1; if(t<n) o[t]=x; }
KERNEL order_two_loads(float*o,const float*a,int n){ int t=threadIdx.x; float x=a[t]+a[t+64]; if(t<n) o[t]=x; }
KERNEL order_ret_loads(float*o,const float*a,int n){ int t=threadIdx.x; float x=a[t]; if(t>=n) return; o[t]=x; }
KERNEL order_join_loads(float*o,const float*a,int n){ int t=threadIdx.x; float x=a[t]; if(t<n) o[t]=x; o[t+99]=1; }
KERNEL order_store_between_loads(float*o,const float*a,int n){ int t=threadIdx.x; float x=a[t]; o[t+99]=1; if(t<n) o[t]=x; }
KERNEL order_restrict_loads(float*__restrict__ o,const float*__restrict__ a,int n){ int t=threadIdx.x; float x=a[t]; if(t<n) o[t]=x; }
KERNEL order_cond_loads(float*o,const float*a,float n){ int t=threadIdx.x; float x=a[t], y=a[t+9]; if(x<n) o[t]=y; }
KERNEL order_addr_loads(float*o,const float*a,const int*idx,int n){ int t=threadIdx.x; int k=idx[t]; if(t<n) o[t]=a[k]; }
KERNEL order_min_loads(int*o,const int*a,int n){ int t=threadIdx.x; int x=min(a[t],a[t+1]); if(t<n) o[t]=x; }
KERNEL order_read_twice(float *o, const float *a, float p)
{
    float x = a[threadIdx.x] * p, m = floorf(x), f = x - m;
    if (m > 3)
        o[threadIdx.x] = f, o[threadIdx.x + 50] = f;
    o[threadIdx.x + 99] = m;
}
KERNEL order_fma_far(float *o, const float *a, float p, float q, int n)
{
    int t = threadIdx.x;
    float x[2], r[2];
    for (int i = 0; i < 2; i++)
        x[i] = a[t + i * 64], r[i] = p * x[i] + q * a[t + 999];
    for (int i = 0; i < 2; i++)
        if (t + i * 64 < n)
            o[t + i * 64] = r[i];
}
KERNEL order_warps_shared(float *o, const float *a)
{
    __shared__ float s[32];
    int t = threadIdx.x;
    float v = a[t];
    for (int d = 16; d; d >>= 1)
        v += __shfl_down_sync(~0u, v, d);
    if ((t & 31) == 0)
        s[t >> 5] = v;
    __syncthreads();
    o[t] = s[t & 3];
}

// Branches in branches.
KERNEL order_nested_1(double*o,const double*a,double box){ double d=a[threadIdx.x]; if(d>0.5*box) d-=box; else if(d<-0.5*box) d+=box; o[threadIdx.x]=d; }
KERNEL order_nested_2(float*o,const float*a,float box){ float d=a[threadIdx.x]; if(d>box) d-=box; else if(d<-box) d+=box; o[threadIdx.x]=d; }
KERNEL order_nested_3(float*o,const float*a,float m,float m2){ float q=a[threadIdx.x]; if(q<m){ m2=m; m=q; } else if(q<m2) m2=q; o[threadIdx.x]=m; o[threadIdx.x+99]=m2; }
KERNEL order_nested_4(float*o,const float*a,float m){ float q=a[threadIdx.x],r=0; if(q<m) r=q*2; else if(q<3) r=q*3+1; else r=q*4; o[threadIdx.x]=r; }
KERNEL order_nested_5(float*o,const float*a,float m){ float q=a[threadIdx.x],r=0; if(q<m) r=q*2; else if(q<3) r=q*3+1; else if(q<4) r=q+1; o[threadIdx.x]=r; }
KERNEL order_nested_6(float*o,const float*a,float m,float p){ float q=a[threadIdx.x],r=q; if(q<m) r=q*2; else if(q<3) r=(q*3+1)*(q-p); o[threadIdx.x]=r; }
KERNEL order_nested_7(float*o,const float*a,float m,float p){ float q=a[threadIdx.x],r=q; if(q<m) r=q-2; else if(q<3) r=(q+p)-m; o[threadIdx.x]=r; }
KERNEL order_nested_8(float*o,const float*a,float m,float p){ float q=a[threadIdx.x],r=q; if(q<m) r=(q-2)*(m-3)+(p-5)*4; else if(q<3) r=q+p; o[threadIdx.x]=r; }
KERNEL order_nested_9(float*o,const float*a,float m,float p){ float q=a[threadIdx.x],r=q; if(q<m) { if(q<p) r=q+m; else r=q-p; } else { if(q>p) r=q*2; } o[threadIdx.x]=r; }

// Loops of unknown length, but not longer than a known one, that index a local array.
template <int N> __device__ void shorter(const float *p, float *o, float c, int n)
{
    float v[N], s = 0;
    n = min(n, N);
    for (int j = 0; j < n; j++)
        v[j] = p[j * 32 + threadIdx.x];
    for (int j = 0; j < n; j++)
        s = s * c + v[j];
    o[threadIdx.x] = s;
}
KERNEL bound_6(const float *p, float *o, float c, int n) { shorter<6>(p, o, c, n); }
KERNEL bound_20(const float *p, float *o, float c, int n) { shorter<20>(p, o, c, n); }
KERNEL bound_64(const float *p, float *o, float c, int n) { shorter<64>(p, o, c, n); }
KERNEL bound_by_two_exits(const float *p, float *o, float c)
{
    float v[12], s = 0;
    int m = 0;
    for (int j = 0; j < 12; j++)
        v[j] = p[j * 32 + threadIdx.x];
    while (m < 12 && p[m] > c)
        m++;
    for (int j = 0; j < m; j++)
        s = s * c + v[j];
    o[threadIdx.x] = s;
}
KERNEL bound_by_outer_16(const float *p, float *o, float c)
{
    float v[17];
    for (int j = 0; j <= 16; j++)
        v[j] = p[j * 32 + threadIdx.x];
    for (int k = 16; k > 0; k--)
        for (int j = 0; j < k; j++)
            v[j] = v[j + 1] * c + v[j];
    o[threadIdx.x] = v[0];
}
KERNEL bound_without_array(const float *p, float *o, float c)
{
    float s = 0;
    for (int k = 20; k > 0; k--) {
        for (int j = 0; j < k; j++)
            s = s * c + p[j * 32 + threadIdx.x];
        o[k * 32 + threadIdx.x] = s;
    }
}

// References to one of two local variables: in local memory where they are read behind conditions, or written.
struct Pair { float x, y; };
static __device__ int kept_last(const int &a, const char *g, int n) { for (int i = 0; i < n; i++) if (g[a + i]) return a; return 0; }
static __device__ int kept_both(const int &a, const int &b, const char *g, int n) { for (int i = 0; i < n; i++) if (g[a + i] != g[b + i]) return g[a + i] < g[b + i]; return 0; }
static __device__ int kept_sum(const int &a, const char *g, int n) { int s = 0; for (int i = 0; i < n; i++) s += g[a + i] * a; return s; }
static __device__ void kept_set(int &a, int n) { if (n > 4) a = 8; }
#define TWO int i = threadIdx.x, t1 = t[i], t2 = t[i ^ k], r = 0; bool f = (i & k) == 0
#define ONE_OF_TWO TWO; const int &a = f ? t2 : t1
#define KEPT(NAME) KERNEL NAME(int *t, int k, const char *g, int n)
KEPT(kept_1) { TWO; t[i] = kept_last(f ? t2 : t1, g, n); }
KEPT(kept_2) { TWO; if (kept_both(f ? t2 : t1, f ? t1 : t2, g, n)) t[i] = t2, t[i ^ k] = t1; }
KEPT(kept_3) { TWO; t[i] = kept_sum(f ? t2 : t1, g, n); }
KEPT(kept_4) { TWO; kept_set(f ? t2 : t1, n); t[i] = t1 + t2; }
KEPT(kept_5) { ONE_OF_TWO; for (int j = 0; j < n; j++) { r += g[a]; if (g[j]) r += g[j + 3]; else r -= t[a]; } t[i] = r; }
KEPT(kept_6) { ONE_OF_TWO; for (int j = 0; j < n; j++) { int x = a; r += g[x]; if (g[j]) r += g[j + 3]; else r -= t[x]; } t[i] = r; }
KEPT(kept_7) { ONE_OF_TWO; int j = 0; do { r += g[a]; if (g[j]) r += g[j + 3]; else r -= t[a]; } while (++j < n); t[i] = r; }
KEPT(kept_8) { ONE_OF_TWO; r += g[a]; if (g[i]) r += g[i + 3]; else r -= t[a]; if (g[9]) r += t[a + 3]; t[i] = r; }
KEPT(kept_9) { ONE_OF_TWO; if (n) { r += g[a]; if (g[i]) r += g[i + 3]; else r -= t[a]; } t[i] = r; }
KEPT(kept_10) { ONE_OF_TWO; for (int j = 0; j < n; j++) r += g[a + j]; t[i] = r + a; }
KEPT(kept_11) { ONE_OF_TWO; for (int j = 0; j < n; j++) { r += g[a + j]; for (int l = 0; l < n; l++) r += t[a + l]; } t[i] = r; }
KEPT(kept_12) { TWO; if (i < n) { const int &a = f ? t2 : t1; r += g[a]; if (g[3]) t[a] = 9; } t[i] = r; }
KEPT(kept_13) { TWO; if (i < n) { const int &a = f ? t2 : t1; if (k > 8) { r += g[a]; if (g[3]) t[a] = 9; } } t[i] = r; }
KEPT(kept_14) { ONE_OF_TWO; if (n) { r += g[a]; if (g[3]) t2 = 9; if (g[4]) r += a; } t[i] = r; }
KEPT(kept_15) { TWO; Pair p = {1.0f * t1, 2}, q = {1.0f * t2, 5}; const Pair &a = f ? p : q; if (n) { r += a.x * 3; if (g[4]) r += a.y; } t[i] = r; }
KEPT(kept_16) { TWO; Pair p = {1.0f * t1, 2}, q = {1.0f * t2, 5}; Pair a = f ? p : q; if (n) { r += a.x * 3; if (g[4]) r += a.y; } t[i] = r; }
KEPT(kept_17) { TWO; const int &a = f ? t2 : t[9]; if (n) { r += g[a]; if (g[3]) t[a] = 9; } t[i] = r; }
KEPT(kept_18) { TWO; int *p = f ? &t1 : &t2; *p = 3; t[i] = t1 + t2 * 3; }
KEPT(kept_19) { TWO; (f ? t2 : t1) += n; t[i] = t1 + t2 * 3; }
KEPT(kept_20) { ONE_OF_TWO; if (g[3] && t[a]) r = t[a + 2]; t[i] = r; }
KEPT(kept_21) { ONE_OF_TWO; if (t[a] && g[3]) r = t[a + 2]; t[i] = r; }
KEPT(kept_22) { ONE_OF_TWO; if (t[3]) r = a > 7 ? 8 : a < 3 ? 3 : a; t[i] = r; }
KEPT(kept_23) { TWO; t[i] = max(f ? t1 : t2, n) + min(t1, t2); }
KEPT(kept_24) { ONE_OF_TWO; t[i] = n > 3 ? g[a] : g[a + 7]; }
KEPT(kept_25) { ONE_OF_TWO; if (n > 3) r = g[a]; t[i] = r; }

// A loop around a function of the math library is unrolled by the length of what nvcc inlines.
#define TIMES_1 w *= x
#define TIMES_7 TIMES_1, TIMES_1, TIMES_1, TIMES_1, TIMES_1, TIMES_1, TIMES_1
#define TIMES_28 TIMES_7, TIMES_7, TIMES_7, TIMES_7
#define INLINED(NAME, T, FUNCTION, REST) KERNEL inlined_##NAME(T *o, const T *a, const T *b, int n, T p) { T s = 0, w = 0; for (int i = 0; i < n; i++) { T x = a[i], y = b[i]; s += (FUNCTION) * y; REST; } o[0] = s; o[1] = w; }
INLINED(expf_by_4, float, expf(x), (TIMES_28, TIMES_1, TIMES_1))
INLINED(expf_by_2, float, expf(x), (TIMES_28, TIMES_1, TIMES_1, TIMES_1))
INLINED(logf_by_2, float, logf(x), (TIMES_28, TIMES_28))
INLINED(logf_once, float, logf(x), (TIMES_28, TIMES_28, TIMES_1))
INLINED(powf, float, powf(x, y), (void)0)
INLINED(fmodf, float, fmodf(x, y), (void)0)
INLINED(exp, double, exp(x), (TIMES_28, TIMES_7, TIMES_7))
INLINED(sin, double, sin(x), (TIMES_28, TIMES_1, TIMES_1))
INLINED(sin_once, double, sin(x), (TIMES_28, TIMES_1, TIMES_1, TIMES_1))
INLINED(sqrt, double, sqrt(x), (TIMES_28, TIMES_7, TIMES_1, TIMES_1, TIMES_1))
INLINED(pow, double, pow(x, y), (TIMES_7, TIMES_1, TIMES_1, TIMES_1, TIMES_1))

// Both ways of a branch in a loop store to the same place: one store a turn, unless the address is one value from the start.
#define TURNS(NAME) KERNEL turns_##NAME(float *__restrict__ o, const float *__restrict__ a, const int *__restrict__ c, int n)
#define FOR_EACH for (int i = 0; i < n; i++)
TURNS(both_ways) { int t = threadIdx.x; FOR_EACH if (c[i]) o[t] = a[i * 64 + t] * 2; else o[t] += a[i * 64 + t]; }
TURNS(only_stores) { int t = threadIdx.x; FOR_EACH if (c[i]) o[t] = a[i * 64 + t] * 2; else o[t] = a[i * 64 + t] + 1; }
TURNS(one_address) { int t = threadIdx.x; FOR_EACH { float *q = o + t; if (c[i]) *q = a[i * 64 + t] * 2; else *q += a[i * 64 + t]; } }
TURNS(stored_before) { int t = threadIdx.x; o[t] = 0; FOR_EACH if (c[i]) o[t] = a[i * 64 + t] * 2; else o[t] += a[i * 64 + t]; }
TURNS(read_before) { int t = threadIdx.x; float s = o[t]; FOR_EACH if (c[i]) o[t] = a[i * 64 + t] * 2; else o[t] += a[i * 64 + t]; o[t + 64] = s; }
TURNS(long_ways) { int t = threadIdx.x; FOR_EACH if (c[i]) o[t] = __expf(a[i * 64 + t]); else o[t] += sqrtf(a[i * 64 + t]) * a[i * 64 + t + 1] / a[t]; }
TURNS(in_a_loop) { int t = threadIdx.x; for (int j = 0; j < n; j++) FOR_EACH if (c[i]) o[t] = a[i * 64 + t] * 2; else o[t] += a[i * 64 + t]; }
TURNS(stored_after) { int t = threadIdx.x; FOR_EACH { if (c[i]) o[t] = a[i * 64 + t] * 2; else o[t] += a[i * 64 + t] + 1; o[t] *= 3; } }
TURNS(known_length) { int t = threadIdx.x; for (int i = 0; i < 4; i++) if (i == 0) o[t] = a[c[i] * 64 + t] * 2; else o[t] += a[c[i] * 64 + t]; }
TURNS(inner_loop) { int t = threadIdx.x; FOR_EACH for (int j = 0; j < 4; j++) o[t * 4 + j] += a[i * 64 + t + j]; }
TURNS(shared_both_ways) { int t = threadIdx.x; __shared__ float s[64]; FOR_EACH if (c[i]) s[t] = a[i * 64 + t] * 2; else s[t] += a[i * 64 + t]; __syncthreads(); o[t] = s[t ^ 1]; }
// The last sum of a reduction in a function, read by a quotient or product behind a branch.
static __device__ float warp_total(float v) { for (int m = 16; m; m >>= 1) v += __shfl_xor_sync(~0u, v, m); return v; }
static __device__ float block_total(float v)
{
    __shared__ float s[32];
    int lane = threadIdx.x & 31;
    v = warp_total(v);
    if (lane == 0)
        s[threadIdx.x >> 5] = v;
    __syncthreads();
    return warp_total(threadIdx.x < blockDim.x / 32.f ? s[lane] : 0.f);
}
#define TOTAL(NAME, X) KERNEL order_total_##NAME(float *o, const float *a, float n) { __shared__ float s; float v = block_total(a[threadIdx.x]); if (threadIdx.x == 0) s = X; __syncthreads(); o[threadIdx.x] = s; }
TOTAL(alone, v)
TOTAL(divided, v / n)
TOTAL(divided_sum, v / n + 1e-5f)
TOTAL(product, v * n)

// A product with 1 or -1 that a condition tells stays a product.
KERNEL sums_sign_char(float *o, const float *a) { int t = threadIdx.x; char c = a[t] < 0; o[t] = a[t + 64] * (1 - c * 2); }
KERNEL sums_sign_bool(float *o, const float *a) { int t = threadIdx.x; bool c = a[t] < 0; o[t] = (1 - 2 * c) * a[t + 64]; }
KERNEL sums_sign_integers(float *o, const float *a) { int t = threadIdx.x; o[t] = a[t + 64] * (a[t] < 0 ? -1 : 1); }
KERNEL sums_sign_numbers(float *o, const float *a) { int t = threadIdx.x; o[t] = a[t + 64] * (a[t] < 0 ? -1.0f : 1.0f); }
KERNEL sums_sign_double(double *o, const double *a) { int t = threadIdx.x; int c = a[t] < 0; o[t] = a[t + 64] * (1 - 2 * c); }
KERNEL sums_sign_loop(float *o, const float *a, int n) { int t = threadIdx.x; float s = 1; for (int i = 0; i < n; i++) { char c = a[t + i * 64] < 0; s = s * (1 - c * 2); } o[t] = s; }
KERNEL sums_sign_chosen(float *o, const float *a) { int t = threadIdx.x; float x = a[t + 64]; o[t] = a[t] < 0 ? -x : x; }

// Pairs of halves are copied one by one, also inside of a struct.
struct alignas(16) Half8 { half2 v[4]; };
struct alignas(8) Half4 { half2 a, b; };
KERNEL pairs_in_array(const Half8 *x, Half8 *o, half2 s) { Half8 h = x[threadIdx.x]; for (int k = 0; k < 4; k++) h.v[k] = __hmul2(h.v[k], s); o[threadIdx.x] = h; }
KERNEL pairs_in_members(Half4 *x, half2 s) { Half4 h = x[threadIdx.x]; h.a = __hmul2(h.a, s); x[threadIdx.x] = h; }
KERNEL pairs_of_a_float4(const float4 *x, float4 *o, half2 s) { float4 f = x[threadIdx.x]; half2 *h = (half2 *)&f; for (int i = 0; i < 4; i++) h[i] = __hadd2(h[i], s); o[threadIdx.x] = f; }

// The sign of a product that is stored is an instruction.
KERNEL sums_sign_of_product(float *o, const float *x) { float k = x[threadIdx.x], v = x[threadIdx.x + 99]; o[threadIdx.x] = -k * v; }
KERNEL sums_sign_of_product_before(double *o, const double *x) { double k = x[threadIdx.x], v = x[threadIdx.x + 99]; o[threadIdx.x] = -(k * v); }
KERNEL order_sign_of_product(float *o, const float *x) { float k = x[threadIdx.x], v = x[threadIdx.x + 99]; o[threadIdx.x] = -k * v; }

// Atomics order nothing but themselves: what others keep moves past them, and is loaded and stored once.
__device__ int others_word;
__device__ float others_table[8];
KERNEL atomics_in_a_loop(float *o, int n, const float *q) { float s = 0; _Pragma("unroll 1") for (int i = threadIdx.x; i < n; i += 32) { s += others_table[3] * q[i]; atomicAdd(&others_word, 1); } o[threadIdx.x] = s; }
KERNEL atomics_and_a_tile(float *o, int n, int *c) { __shared__ float t[8]; t[threadIdx.x] = n; __syncthreads(); float s = 0; for (int i = threadIdx.x; i < n; i += 32) { s += t[5] * i; atomicCAS(&c[i & 7], 1, 2); } o[threadIdx.x] = s; }
KERNEL atomics_of_floats(float *o, int n, float *c) { __shared__ float t[8]; t[threadIdx.x] = n; __syncthreads(); float s = 0; for (int i = threadIdx.x; i < n; i += 32) { s += t[5] * i; atomicAdd(&c[i & 7], s); } o[threadIdx.x] = s; }
KERNEL atomics_between_loads(int *o, int n) { __shared__ int h[8]; h[threadIdx.x] = 0; int v = others_word; atomicAdd(&h[v & 7], 1); o[n] = others_word + v; o[threadIdx.x] = h[threadIdx.x]; }
KERNEL atomics_between_stores(int *o, int *c) { o[0] = 1; atomicAdd(c, 1); o[0] = 2; }
KERNEL atomics_and_a_lock(int *o, int *lock) { while (atomicCAS(lock, 0, 1)) {} others_word++; __threadfence(); atomicExch(lock, 0); o[threadIdx.x] = others_word; }

// The first sum of a loop that begins with zero stays where the summand is known not to be -0 by clang alone.
KERNEL sums_zero_and_square(float *o, const float *p) { float s = 0, a = p[0] - p[1]; s += a * a; o[0] = s; }
KERNEL sums_zero_and_squares(float *o, const float *p) { float s = 0; for (int i = 0; i < 3; i++) { float a = p[i] - p[i + 9]; s += a * a; } o[0] = s; }
KERNEL sums_zero_and_squares_twice(double *o, const double *p) { double s = 0; for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) { double a = p[i * 2 + j] - p[i + 9 + j]; s += a * a; } o[0] = s; }
KERNEL sums_zero_and_sizes(float *o, const float *p) { float s = 0; for (int i = 0; i < 3; i++) s += fabsf(p[i] - p[i + 9]); o[0] = s; }
KERNEL sums_zero_and_largest(float *o, const float *p) { float s = 0; for (int i = 0; i < 3; i++) { float a = p[i] - p[i + 9]; s += fmaxf(a * a, 1e-3f); } o[0] = s; }
KERNEL sums_zero_and_integers(float *o, const int *p) { float s = 0; for (int i = 0; i < 3; i++) s += p[i]; o[0] = s; }
KERNEL sums_zero_and_roots(float *o, const float *p) { float s = 0; for (int i = 0; i < 3; i++) s += sqrtf(p[i]); o[0] = s; }
KERNEL sums_zero_and_choices(float *o, const float *p) { float s = 0; for (int i = 0; i < 3; i++) s += p[i] > 0 ? 1.0f : 2.0f; o[0] = s; }
KERNEL sums_zero_and_some(float *o, const float *p) { float s = 0; for (int i = 0; i < 3; i++) { float a = p[i] - p[i + 9]; if (p[i + 20] > 0) s += a * a; } o[0] = s; }
KERNEL sums_zero_rolled(float *o, const float *p, int n) { float s = 0; for (int i = 0; i < n; i++) { float a = p[i] - p[i + 9]; s += a * a; } o[0] = s; }

// What was loaded is stored where it may have come from, and loaded again.
KERNEL stored_as_loaded(float *o, int a, int b) { float x = o[a]; o[a] = o[b]; o[b] += x; }
KERNEL stored_as_loaded_shared(float *o, int a, int b) { extern __shared__ float kept_words[]; kept_words[threadIdx.x] = o[threadIdx.x]; __syncthreads(); float x = kept_words[a]; kept_words[a] = kept_words[b]; kept_words[b] += x; __syncthreads(); o[threadIdx.x] = kept_words[threadIdx.x]; }
