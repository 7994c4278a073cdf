// How long an instruction takes and how often one can begin: each row of pipes.def, alone and in pairs, by warps and by independent
// chains of a warp; branches, calls, predicates; and in which order a scheduler takes its warps.
// usage: pipes [GROUP [WARPS]]: step, matrix, pair, branch, order, loop. With WARPS every row of four chains is launched once with so many, for a
// profiler (pipes_stalls.sh). Rows, in cycles of the multiprocessor for one step of one warp, one block:
//   step   name warps chains cycles      warps = chains = 1: the latency
//   pair   A B warps cycles              four chains of each in turn; cycles of both steps together
//   branch kind warps cycles
//   loop   instructions-of-a-turn warps kind cycles        FFMA, LOP3 with sources of different banks; cycles of one
//   order  warps-of-a-scheduler warp: cycles between its clock reads, with 8 FFMA after each
// Built with nvcc -std=c++17 -O3 -arch=sm_90.
#include "harness.h"
#include <utility>

typedef unsigned U32; typedef unsigned long long U64; typedef float F32; typedef double F64;
#define CHOOSE_U32 "r"
#define CHOOSE_U64 "l"
#define CHOOSE_F32 "f"
#define CHOOSE_F64 "d"
enum first { VALUE, UNIFORM, SHARED0, SHARED4, SHARED8, SHARED16, CONST0, CONST4 };

__constant__ U32 far_words[512];
__global__ void where(U32 *at) { *at = (U32)__cvta_generic_to_constant(far_words); }

#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)
template <int ID> struct row;
enum { STEPS_BEGIN = __COUNTER__ };
#define STEP(name_, T_, first_, text_) ROW(__COUNTER__ - STEPS_BEGIN - 1, name_, T_, first_, text_)
#define ROW(id, name_, T_, first_, text_) \
    template <> struct row<id> { typedef T_ T; static const first start = first_; static const char *name() { return name_; } \
        static __device__ __forceinline__ void step(T &x, T a, T b) { \
            asm volatile(text_ : "+" PASTE(CHOOSE_, T_)(x) : PASTE(CHOOSE_, T_)(a), PASTE(CHOOSE_, T_)(b) : "memory"); } };
#define ALONE(name_, first_, text_) ROW1(__COUNTER__ - STEPS_BEGIN - 1, name_, first_, text_)
#define ROW1(id, name_, first_, text_) \
    template <> struct row<id> { typedef U32 T; static const first start = first_; static const char *name() { return name_; } \
        static __device__ __forceinline__ void step(T &x, T, T) { asm volatile(text_ :: "r"(x) : "memory"); } };
#define MATRIX(...)
#include "pipes.def"
#undef STEP
#undef ALONE
#undef MATRIX
enum { ROWS = __COUNTER__ - STEPS_BEGIN - 1 };

template <int ID> struct matrix;
enum { MATRICES_BEGIN = __COUNTER__ };
#define STEP(...)
#define ALONE(...)
#define MATRIX(name_, S_, O_, text_) MATRIX1(__COUNTER__ - MATRICES_BEGIN - 1, name_, S_, O_, text_)
#define MATRIX1(id, name_, S_, O_, text_) \
    template <> struct matrix<id> { struct T { S_ s[4]; }; typedef O_ O; static const char *name() { return name_; } \
        static __device__ __forceinline__ void step(T &x, const O *o) { \
            asm volatile(text_ : "+" PASTE(CHOOSE_, S_)(x.s[0]), "+" PASTE(CHOOSE_, S_)(x.s[1]), "+" PASTE(CHOOSE_, S_)(x.s[2]), \
                         "+" PASTE(CHOOSE_, S_)(x.s[3]) : PASTE(CHOOSE_, O_)(o[0]), PASTE(CHOOSE_, O_)(o[1]), PASTE(CHOOSE_, O_)(o[2]), \
                         PASTE(CHOOSE_, O_)(o[3]), PASTE(CHOOSE_, O_)(o[4]), PASTE(CHOOSE_, O_)(o[5])); } };
#include "pipes.def"
enum { MATRICES = __COUNTER__ - MATRICES_BEGIN - 1 };

struct args { struct span *span; U32 *out; U32 zero, constants; int turns; };
enum { UNROLL = 64, TURNS = 16, PASSES = 3 };
__shared__ U32 words[32 * 128];

__device__ void words_init() { // a word holds its own address
    for (U32 i = threadIdx.x; i < 32 * 128; i += blockDim.x) words[i] = (U32)__cvta_generic_to_shared(words + i);
    __syncthreads();
}
template <class T> __device__ T first_value(first f, const args &a, int chain) {
    U32 lane = threadIdx.x & 31, line = (U32)__cvta_generic_to_shared(words) + threadIdx.x / 32 * 512;
    switch (f) {
    case UNIFORM: return (T)(chain + 3 + a.zero);
    case SHARED0: return (T)line;
    case SHARED4: return (T)(line + lane * 4);
    case SHARED8: return (T)(line + lane * 8);
    case SHARED16: return (T)(line + lane * 16);
    case CONST0: return (T)(a.constants + a.zero);
    case CONST4: return (T)(a.constants + lane * 4);
    default: return (T)(lane + 3 + chain + a.zero);
    }
}
// `body(i)` is a step of chain i; cycles from the first warp's begin to the last one's end, of each pass
#define TIMED(chains, body) \
    _Pragma("unroll 1") for (int pass = 0; pass < PASSES; pass++) { \
        __syncthreads(); \
        long long begin = clock64(); \
        _Pragma("unroll 1") for (int t = 0; t < p.turns; t++) { \
            _Pragma("unroll") for (int u = 0; u < UNROLL / (chains); u++) { _Pragma("unroll") for (int i = 0; i < (chains); i++) { body; } } \
        } \
        span_add(p.span + pass, begin, clock64()); \
    }

template <int ID, int CHAINS> __global__ void __launch_bounds__(1024) steps(args p) {
    typedef typename row<ID>::T T;
    words_init();
    const bool same = row<ID>::start == UNIFORM;
    T x[CHAINS], a = (T)((same ? 0 : threadIdx.x) + p.zero + 1), b = (T)((same ? 0 : threadIdx.x * 5) + p.zero + 2);
    for (int i = 0; i < CHAINS; i++) x[i] = first_value<T>(row<ID>::start, p, i);
    TIMED(CHAINS, row<ID>::step(x[i], a, b))
    U32 sum = 0;
    for (int i = 0; i < CHAINS; i++) sum += (U32)((long long)x[i] >> 32 ^ (long long)x[i]);
    if (p.zero) p.out[threadIdx.x] = sum;
}
template <int A, int B> __global__ void __launch_bounds__(1024) pairs(args p) {
    typedef typename row<A>::T T; typedef typename row<B>::T V;
    words_init();
    T x[4], a = (T)(threadIdx.x + p.zero + 1), b = (T)(threadIdx.x * 5 + p.zero + 2);
    V y[4], c = (V)(threadIdx.x + p.zero + 1), d = (V)(threadIdx.x * 5 + p.zero + 2);
    for (int i = 0; i < 4; i++) { x[i] = first_value<T>(row<A>::start, p, i); y[i] = first_value<V>(row<B>::start, p, i); }
    TIMED(4, row<A>::step(x[i], a, b); row<B>::step(y[i], c, d))
    U32 sum = 0;
    for (int i = 0; i < 4; i++) sum += (U32)(long long)x[i] + (U32)(long long)y[i];
    if (p.zero) p.out[threadIdx.x] = sum;
}
template <int ID, int CHAINS> __global__ void __launch_bounds__(1024) matrices(args p) {
    typedef typename matrix<ID>::T T; typedef typename matrix<ID>::O O;
    T x[CHAINS]; O o[6];
    for (int i = 0; i < 6; i++) o[i] = (O)(threadIdx.x * i + p.zero);
    for (int i = 0; i < CHAINS; i++) for (int j = 0; j < 4; j++) x[i].s[j] = p.zero + i;
    TIMED(CHAINS, matrix<ID>::step(x[i], o))
    double sum = 0;
    for (int i = 0; i < CHAINS; i++) for (int j = 0; j < 4; j++) sum += x[i].s[j];
    if (p.zero) p.out[threadIdx.x] = (U32)sum;
}

// ---- branches
#define F4 "fma.rn.f32 %0, %0, %1, %2; fma.rn.f32 %0, %0, %2, %1; fma.rn.f32 %0, %0, %1, %2; fma.rn.f32 %0, %0, %2, %1; "
#define P4 "@p fma.rn.f32 %0, %0, %1, %2; @p fma.rn.f32 %0, %0, %2, %1; @p fma.rn.f32 %0, %0, %1, %2; @p fma.rn.f32 %0, %0, %2, %1; "
enum branch_kind { PLAIN16, SKIP16, EITHER16, PREDICATED16, LOOP4, CALL16, INDIRECT16, BRANCH_KINDS };
static const char *const branch_names[] = {"16 FFMA", "branch over 16 FFMA", "16 FFMA or 16 others", "16 predicated FFMA", "loop of 4 FFMA",
                                           "call of 16 FFMA", "indirect call of 16 FFMA"};
__noinline__ __device__ float called(float x, float a, float b) { asm volatile(F4 F4 F4 F4 : "+f"(x) : "f"(a), "f"(b)); return x; }
__noinline__ __device__ float called_too(float x, float a, float b) { asm volatile(F4 F4 F4 F4 "add.f32 %0, %0, %1;" : "+f"(x) : "f"(a), "f"(b)); return x; }
template <int KIND> __global__ void __launch_bounds__(1024) branches(args p, U32 lanes) {
    float x = threadIdx.x + p.zero, a = threadIdx.x * 0.5f + p.zero, b = 1 + p.zero; U32 on = lanes >> (threadIdx.x & 31) & 1;
    float (*f)(float, float, float) = p.zero ? called_too : called;
#pragma unroll 1
    for (int pass = 0; pass < PASSES; pass++) {
        __syncthreads();
        long long begin = clock64();
#pragma unroll 1
        for (int t = 0; t < p.turns; t++) {
#pragma unroll
            for (int u = 0; u < 8; u++) {
                if (KIND == PLAIN16) asm volatile(F4 F4 F4 F4 : "+f"(x) : "f"(a), "f"(b));
                if (KIND == SKIP16) asm volatile("{.reg .pred p; setp.eq.u32 p, %3, 0; @p bra L; " F4 F4 F4 F4 " L: }" : "+f"(x) : "f"(a), "f"(b), "r"(on));
                if (KIND == EITHER16) asm volatile("{.reg .pred p; setp.eq.u32 p, %3, 0; @p bra L; " F4 F4 F4 F4 " bra M; L: add.f32 %0, %0, %1; " F4 F4 F4 F4 " M: }" : "+f"(x) : "f"(a), "f"(b), "r"(on));
                if (KIND == PREDICATED16) asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; " P4 P4 P4 P4 "}" : "+f"(x) : "f"(a), "f"(b), "r"(on));
                if (KIND == LOOP4) {
#pragma unroll 1
                    for (U32 k = 0; k < 8 + p.zero; k++) asm volatile(F4 : "+f"(x) : "f"(a), "f"(b));
                }
                if (KIND == CALL16) x = called(x, a, b);
                if (KIND == INDIRECT16) x = f(x, a, b);
            }
        }
        span_add(p.span + pass, begin, clock64());
    }
    if (p.zero) p.out[threadIdx.x] = x;
}

// ---- loops of so many instructions, by warps
template <int N, bool INTEGER> __global__ void __launch_bounds__(1024) loops(args p) {
    float x[4], a = threadIdx.x + p.zero; U32 y[4], b = threadIdx.x * 3 + p.zero;
    for (int i = 0; i < 4; i++) { x[i] = i + a; y[i] = i + b; }
#pragma unroll 1
    for (int pass = 0; pass < PASSES; pass++) {
        __syncthreads();
        long long begin = clock64();
#pragma unroll 1
        for (int t = 0; t < p.turns; t++) {
#pragma unroll
            for (int i = 0; i < N; i++)
                if (INTEGER) asm volatile("lop3.b32 %0, %0, %1, %1, 0x6a;" : "+r"(y[i & 3]) : "r"(b));
                else asm volatile("fma.rn.f32 %0, %0, %0, %1;" : "+f"(x[i & 3]) : "f"(a));
        }
        span_add(p.span + pass, begin, clock64());
    }
    if (p.zero) p.out[threadIdx.x] = (U32)(x[0] + x[1] + x[2] + x[3]) + y[0] + y[1] + y[2] + y[3];
}

// ---- which warp a scheduler takes: each warp reads the clock before every 8 FFMA that need nothing of each other
enum { READS = 48 };
__global__ void __launch_bounds__(1024) order(U64 *out, U32 zero) {
    float x[8], a = threadIdx.x + zero, b = 1 + zero; long long t[READS];
    for (int i = 0; i < 8; i++) x[i] = i + threadIdx.x;
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        __syncthreads();
#pragma unroll
        for (int r = 0; r < READS; r++) {
            t[r] = clock64();
#pragma unroll
            for (int i = 0; i < 8; i++) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[i]) : "f"(a), "f"(b) : "memory");
        }
    }
    float sum = 0;
    for (int i = 0; i < 8; i++) sum += x[i];
    if (sum == 1.5f) out[0] = (U64)sum;
    if ((threadIdx.x & 31) == 0) for (int r = 0; r < READS; r++) out[threadIdx.x / 32 * READS + r] = t[r];
}

// ---- host
static args p;
static struct span spans[PASSES];
static int only_warps; // or 0: all
template <class F> static double cycles(F launch) { // of the fastest of the passes but the first, of three launches
    double best = 1e30;
    for (int r = 0; r < (only_warps ? 1 : 3); r++) {
        for (int i = 0; i < PASSES; i++) spans[i] = {INT64_MAX, 0};
        CK(cudaMemcpy(p.span, spans, sizeof spans, cudaMemcpyHostToDevice));
        launch();
        CK(cudaGetLastError());
        CK(cudaMemcpy(spans, p.span, sizeof spans, cudaMemcpyDeviceToHost));
        for (int i = 1; i < PASSES; i++) best = std::min(best, (double)(spans[i].end - spans[i].begin));
    }
    return best;
}
static bool wanted(int warps, int chains) { return !only_warps || (warps == only_warps && chains == 4); }
template <int ID, int CHAINS> static void measure_steps() {
    static const int warps[] = {1, 2, 4, 8, 16, 32};
    for (int w : warps) if (wanted(w, CHAINS)) printf("step\t%s\t%d\t%d\t%.3f\n", row<ID>::name(), w, CHAINS,
                               cycles([&] { steps<ID, CHAINS><<<1, w * 32>>>(p); }) / (TURNS * UNROLL) / (w == 1 && CHAINS == 1 ? 1 : w));
}
template <int ID> static void all_steps() {
    if constexpr (ID < ROWS) {
        measure_steps<ID, 1>(); measure_steps<ID, 2>(); measure_steps<ID, 4>();
        all_steps<ID + 1>();
    }
}
template <int ID, int CHAINS> static void measure_matrices() {
    static const int warps[] = {1, 2, 4, 8, 16, 32};
    for (int w : warps) if (wanted(w, CHAINS)) printf("step\t%s\t%d\t%d\t%.3f\n", matrix<ID>::name(), w, CHAINS,
                               cycles([&] { matrices<ID, CHAINS><<<1, w * 32>>>(p); }) / (TURNS * UNROLL) / w);
}
template <int ID> static void all_matrices() {
    if constexpr (ID < MATRICES) { measure_matrices<ID, 1>(); measure_matrices<ID, 2>(); measure_matrices<ID, 4>(); all_matrices<ID + 1>(); }
}

constexpr bool same(const char *a, const char *b) { return *a == *b && (!*a || same(a + 1, b + 1)); }
// rows of pipes.def that are measured in pairs: one or two of each unit
#undef STEP
#undef ALONE
#undef MATRIX
#define STEP(name_, ...) name_,
#define ALONE(name_, ...) name_,
#define MATRIX(...)
static constexpr const char *row_names[] = {
#include "pipes.def"
};
static constexpr int id_of(const char *name) { int i = 0; while (!same(row_names[i], name)) i++; return i; }
static constexpr int paired[] = {id_of("FFMA"), id_of("FADD"), id_of("IMAD"), id_of("IMAD.WIDE"), id_of("IADD3"), id_of("LOP3"), id_of("SHF"),
    id_of("ISETP_SEL"), id_of("PRMT"), id_of("FMNMX"), id_of("HFMA2"), id_of("HFMA2.BF16"), id_of("DFMA"), id_of("MUFU.RSQ"), id_of("F2I"), id_of("I2FP"),
    id_of("POPC"), id_of("LDS"), id_of("SHFL.BFLY")};
enum { PAIRED = sizeof paired / sizeof *paired };
template <int A, int B> static void measure_pair() {
    for (int w : {4, 16, 32}) if (wanted(w, 4)) printf("pair\t%s\t%s\t%d\t%.3f\n", row_names[paired[A]], row_names[paired[B]], w,
                                     cycles([&] { pairs<paired[A], paired[B]><<<1, w * 32>>>(p); }) / (TURNS * UNROLL) / w);
}
template <int A, int... B> static void pairs_of(std::integer_sequence<int, B...>) { (measure_pair<A, A + B>(), ...); }
template <int... A> static void all_pairs(std::integer_sequence<int, A...>) { (pairs_of<A>(std::make_integer_sequence<int, PAIRED - A>()), ...); }
template <int KIND> static void measure_branch(const char *which, U32 lanes) {
    for (int w : {1, 4, 8, 16, 32}) if (wanted(w, 4)) printf("branch\t%s, %s\t%d\t%.3f\n", branch_names[KIND], which, w,
                                           cycles([&] { branches<KIND><<<1, w * 32>>>(p, lanes); }) / (TURNS * 8) / w);
}

template <int N> static void measure_loop() {
    p.turns = 8192 / N;
    for (int w : {4, 8, 12, 16, 20, 24, 28, 32}) {
        printf("loop\t%d\t%d\tFFMA\t%.3f\n", N, w, cycles([&] { loops<N, false><<<1, w * 32>>>(p); }) / 8192 / w);
        printf("loop\t%d\t%d\tLOP3\t%.3f\n", N, w, cycles([&] { loops<N, true><<<1, w * 32>>>(p); }) / 8192 / w);
    }
    p.turns = TURNS;
}

int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : NULL;
    auto want = [&](const char *group) { return !only || !strcmp(only, group); };
    only_warps = argc > 2 ? atoi(argv[2]) : 0;
    head("pipes");
    p.span = device_array<struct span>(PASSES); p.out = device_array<U32>(1 << 16); p.zero = 0; p.turns = TURNS;
    where<<<1, 1>>>(p.out);
    CK(cudaMemcpy(&p.constants, p.out, 4, cudaMemcpyDeviceToHost));
    U32 constants[512];
    for (U32 i = 0; i < 512; i++) constants[i] = p.constants + i * 4;
    CK(cudaMemcpyToSymbol(far_words, constants, sizeof constants));
    if (want("step")) all_steps<0>();
    if (want("matrix")) all_matrices<0>();
    if (want("branch")) {
        measure_branch<PLAIN16>("all", ~0u);
        measure_branch<SKIP16>("taken by none", ~0u); measure_branch<SKIP16>("taken by all", 0); measure_branch<SKIP16>("taken by half", 0xffffu); measure_branch<SKIP16>("taken by all but one", 1);
        measure_branch<EITHER16>("one way", ~0u); measure_branch<EITHER16>("the other way", 0); measure_branch<EITHER16>("both ways", 0x55555555u);
        measure_branch<PREDICATED16>("on", ~0u); measure_branch<PREDICATED16>("off", 0); measure_branch<PREDICATED16>("half", 0xffffu);
        measure_branch<LOOP4>("8 turns", ~0u); measure_branch<CALL16>("all", ~0u); measure_branch<INDIRECT16>("all", ~0u);
    }
    if (want("loop")) { measure_loop<8>(); measure_loop<16>(); measure_loop<32>(); measure_loop<64>(); measure_loop<128>(); measure_loop<256>(); measure_loop<512>(); measure_loop<1024>(); measure_loop<2048>(); }
    if (want("pair")) all_pairs(std::make_integer_sequence<int, PAIRED>());
    if (want("order"))
        for (int per : {1, 2, 3, 4, 8}) {
            static U64 t[32 * READS];
            order<<<1, per * 128>>>((U64 *)p.out, 0);
            CK(cudaMemcpy(t, p.out, sizeof t, cudaMemcpyDeviceToHost));
            for (int w = 0; w < per * 4; w += 4) {
                printf("order\t%d\t%d\t%d:", per, w / 4, (int)(t[w * READS] - t[0]));
                for (int r = 1; r < READS; r++) printf(" %d", (int)(t[w * READS + r] - t[w * READS + r - 1]));
                printf("\n");
            }
        }
    return 0;
}
