// Kernels beside each other: two at a time in two streams, alone and together, by what bounds them, by how many blocks they have and by the room
// that these need; copies beside kernels; and a kernel of higher priority that comes while another one runs.
// usage: share [GROUP] [REPETITIONS]: unit, room, grid, copy, priority; 9 repetitions, each figure is their median. Rows, times in ns:
//   GROUP a b: late, then for each alone: events, blocks; together: end of a, end of b by events; begin and end of a's blocks; begin, last begin
//   and end of b's blocks; multiprocessors of a, of b, of both
// Events: since the one that both wait for. Blocks: %globaltimer, since the first of all blocks began. late: what b's stream waits before it.
// Built with nvcc -std=c++17 -O3 -arch=sm_90.
#include "harness.h"
#include <string>
typedef unsigned U32; typedef unsigned long long U64;

struct life { U64 begin, end; U32 sm, pad; };
struct args { int turns; U32 zero; const uint4 *from; uint4 *to; U32 start, mask; life *lives; int uneven; }; // index: start + ..., & mask
enum kind { FMA, ONE_CHAIN, XU, ALU, FP64, SHARED, L2, READ, WRITE, COPY, CHASE, L2_CHASE, KINDS };

__device__ __forceinline__ U32 mixed(U32 x) { x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; return x ^ x >> 16; }
__device__ __forceinline__ uint4 read_cg(const uint4 *p) {
    uint4 v; asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p)); return v;
}

// One turn: some 512 cycles of a unit of a multiprocessor that has 32 warps of these; of FMA and the like; a load a thread of the others.
template <int K> __global__ void __launch_bounds__(1024, 2) work(args p) {
    extern __shared__ U32 words[];
    U64 begin = nanoseconds();
    const U32 id = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x; U32 keep = 0;
    int turns = p.turns; if (p.uneven) turns = turns / 2 + (int)(mixed(blockIdx.x) % (U32)turns);
    if (K == FMA || K == ONE_CHAIN) {
        float x[4]; for (int k = 0; k < 4; k++) x[k] = (float)(threadIdx.x + k);
        const float a = (float)p.zero + 0.5f, b = (float)p.zero + 1;
        for (int t = 0; t < turns; t++)
#pragma unroll
            for (int i = 0; i < 64; i++) { float &v = x[K == FMA ? i % 4 : 0]; asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(v) : "f"(a), "f"(b)); }
        keep = x[0] + x[1] + x[2] + x[3] == -1;
    } else if (K == XU) {
        float x[4]; for (int k = 0; k < 4; k++) x[k] = (float)(threadIdx.x + k);
        for (int t = 0; t < turns; t++)
#pragma unroll
            for (int i = 0; i < 8; i++) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x[i % 4]));
        keep = x[0] + x[1] + x[2] + x[3] == -1;
    } else if (K == ALU) {
        U32 x[4]; for (int k = 0; k < 4; k++) x[k] = threadIdx.x + k;
        for (int t = 0; t < turns; t++)
#pragma unroll
            for (int i = 0; i < 32; i++) asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(x[i % 4]) : "r"(p.zero + 3), "r"(id));
        keep = x[0] + x[1] + x[2] + x[3] == 12345;
    } else if (K == FP64) {
        double x[4]; for (int k = 0; k < 4; k++) x[k] = (double)(threadIdx.x + k);
        const double a = p.zero + 0.5, b = p.zero + 1.0;
        for (int t = 0; t < turns; t++)
#pragma unroll
            for (int i = 0; i < 32; i++) asm volatile("fma.rn.f64 %0, %0, %1, %2;" : "+d"(x[i % 4]) : "d"(a), "d"(b));
        keep = x[0] + x[1] + x[2] + x[3] == -1;
    } else if (K == SHARED) {
        const U32 at = (U32)__cvta_generic_to_shared(words) + threadIdx.x % 32 * 4;
        for (int t = 0; t < turns; t++)
#pragma unroll
            for (int i = 0; i < 16; i += 2) {
                U32 a, b;
                asm volatile("ld.volatile.shared.u32 %0, [%1+%2];" : "=r"(a) : "r"(at), "n"(0));
                asm volatile("ld.volatile.shared.u32 %0, [%1+%2];" : "=r"(b) : "r"(at), "n"(128));
                keep ^= a ^ b;
            }
        keep = keep == 12345 && p.zero;
    } else if (K == L2 || K == READ) {
#pragma unroll 1
        for (int t = 0; t < turns; t += 4) {
            uint4 v[4];
#pragma unroll
            for (int k = 0; k < 4; k++) v[k] = read_cg(p.from + ((p.start + (t + k) * threads + id) & p.mask));
#pragma unroll
            for (int k = 0; k < 4; k++) keep ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
        }
        keep = keep == 12345;
    } else if (K == WRITE) {
        for (int t = 0; t < turns; t++) p.to[(p.start + t * threads + id) & p.mask] = make_uint4(id, t, 2, 3);
    } else if (K == COPY) {
#pragma unroll 1
        for (int t = 0; t < turns; t += 2) {
            uint4 v[2];
#pragma unroll
            for (int k = 0; k < 2; k++) v[k] = read_cg(p.from + ((p.start + (t + k) * threads + id) & p.mask));
#pragma unroll
            for (int k = 0; k < 2; k++) p.to[(p.start + (t + k) * threads + id) & p.mask] = v[k];
        }
    } else if (threadIdx.x % 32 == 0) {
        U32 x = id;
        for (int t = 0; t < turns; t++) { x = mixed(x + t); x += read_cg(p.from + (x & p.mask)).x & p.zero; }
        keep = x == 12345;
    }
    if (keep) p.to[0].x = keep;
    __syncthreads();
    if (threadIdx.x == 0) p.lives[blockIdx.x] = {begin, nanoseconds(), smid(), 0};
}
__global__ void wait_for(int cycles) { long long t = clock64(); while (clock64() - t < cycles) ; }

struct shape { const char *name; kind k; int blocks, threads, shared, turns, uneven; };
static const shape shapes[] = {
    // half of a multiprocessor's threads each
    {"fma", FMA, 528, 256, 0, 150}, {"xu", XU, 528, 256, 0, 150}, {"alu", ALU, 528, 256, 0, 150}, {"fp64", FP64, 528, 256, 0, 150}, {"shared", SHARED, 528, 256, 256, 150},
    {"l2", L2, 528, 256, 0, 152}, {"read", READ, 528, 256, 0, 80}, {"write", WRITE, 528, 256, 0, 80}, {"copy", COPY, 528, 256, 0, 36},
    {"chase", CHASE, 132, 32, 0, 120}, {"l2_chase", L2_CHASE, 132, 32, 0, 250},
    // fewer multiprocessors, fewer warps
    {"fma_66", FMA, 66, 1024, 0, 150}, {"fma_8", FMA, 8, 1024, 0, 150}, {"fma_low", ONE_CHAIN, 132, 64, 0, 300}, {"fma_16", FMA, 528, 128, 0, 300},
    {"xu_66", XU, 66, 1024, 0, 150}, {"read_66", READ, 66, 1024, 0, 80}, {"read_8", READ, 8, 1024, 0, 300}, {"read_low", READ, 132, 64, 0, 120}, {"shared_66", SHARED, 66, 1024, 256, 150},
    // blocks that need much room
    {"hog", ONE_CHAIN, 132, 64, 150 << 10, 300}, {"hog_2", ONE_CHAIN, 264, 64, 100 << 10, 300}, {"hog_198", ONE_CHAIN, 198, 64, 100 << 10, 300},
    // several waves of all threads; and one that fills all
    {"fma_waves", FMA, 4224, 256, 0, 20}, {"read_waves", READ, 4224, 256, 0, 12}, {"fma_full", FMA, 1056, 256, 0, 80}, {"fma_5_waves", FMA, 4752, 256, 0, 20},
    // two blocks a multiprocessor, 150 us of blocks of 2, 10, 50 us; those that come: 10 us
    {"low_2", ONE_CHAIN, 264 * 75, 32, 100 << 10, 15}, {"low_10", ONE_CHAIN, 264 * 15, 32, 100 << 10, 77}, {"low_50", ONE_CHAIN, 264 * 3, 32, 100 << 10, 387},
    {"low_10_uneven", ONE_CHAIN, 264 * 15, 32, 100 << 10, 77, 1}, {"come_8", ONE_CHAIN, 8, 32, 100 << 10, 77}, {"come_132", ONE_CHAIN, 132, 32, 100 << 10, 77},
    {"come_264", ONE_CHAIN, 264, 32, 100 << 10, 77}, {"come_1056", ONE_CHAIN, 1056, 32, 100 << 10, 77},
    {"h2d", KINDS, 4 << 20}, {"d2h", KINDS, 4 << 20}, {"d2d", KINDS, 64 << 20}, {"fill", KINDS, 160 << 20}};
struct row { const char *group, *a, *b; int late_us, high; };
static const row rows[] = {
    {"unit", "fma", "fma"}, {"unit", "xu", "xu"}, {"unit", "alu", "alu"}, {"unit", "fp64", "fp64"}, {"unit", "shared", "shared"}, {"unit", "l2", "l2"},
    {"unit", "read", "read"}, {"unit", "write", "write"}, {"unit", "copy", "copy"}, {"unit", "chase", "chase"}, {"unit", "fma", "xu"}, {"unit", "fma", "alu"},
    {"unit", "alu", "xu"}, {"unit", "fma", "fp64"}, {"unit", "fma", "shared"}, {"unit", "fma", "l2"}, {"unit", "fma", "read"}, {"unit", "fma", "write"}, {"unit", "fma", "chase"},
    {"unit", "xu", "shared"}, {"unit", "shared", "l2"}, {"unit", "shared", "read"}, {"unit", "l2", "read"}, {"unit", "l2", "write"}, {"unit", "read", "write"}, {"unit", "read", "copy"},
    {"unit", "read", "chase"}, {"unit", "write", "chase"}, {"unit", "l2", "chase"}, {"unit", "l2", "l2_chase"}, {"unit", "read", "l2_chase"},
    {"room", "fma_66", "fma_66"}, {"room", "fma", "fma_66"}, {"room", "fma_66", "fma"}, {"room", "fma", "fma_8"}, {"room", "fma_8", "fma_8"}, {"room", "fma_66", "xu_66"}, {"room", "fma_66", "read_66"},
    {"room", "read_66", "read_66"}, {"room", "read", "read_66"}, {"room", "read", "read_8"}, {"room", "read_8", "read_8"}, {"room", "read_low", "read_low"}, {"room", "read", "read_low"},
    {"room", "fma_low", "fma_low"}, {"room", "fma", "fma_low"}, {"room", "fma_16", "fma_16"}, {"room", "shared_66", "shared_66"}, {"room", "hog", "hog", 3}, {"room", "hog", "fma", 3},
    {"room", "hog_2", "hog_2", 3}, {"room", "hog_198", "hog_198", 3}, {"room", "hog", "hog_2", 3},
    {"grid", "fma_waves", "fma_waves", 3}, {"grid", "read_waves", "read_waves", 3}, {"grid", "fma_waves", "read_waves", 3}, {"grid", "read_waves", "fma_waves", 3}, {"grid", "fma_full", "fma_full", 3},
    {"grid", "fma_5_waves", "fma_full", 3}, {"grid", "fma_waves", "fma_66", 3}, {"grid", "fma_66", "fma_waves", 3}, {"grid", "fma_waves", "fma_8", 3},
    {"copy", "read", "h2d"}, {"copy", "read", "d2h"}, {"copy", "read", "d2d"}, {"copy", "read", "fill"}, {"copy", "fma", "h2d"}, {"copy", "fma", "d2d"}, {"copy", "fma", "fill"}, {"copy", "l2", "d2d"}, {"copy", "h2d", "d2h"}, {"copy", "d2d", "h2d"},
    {"priority", "low_2", "come_132", 30, 1}, {"priority", "low_10", "come_132", 30, 1}, {"priority", "low_50", "come_132", 30, 1}, {"priority", "low_10_uneven", "come_132", 30, 1},
    {"priority", "low_10", "come_8", 30, 1}, {"priority", "low_10_uneven", "come_8", 30, 1}, {"priority", "low_10", "come_264", 30, 1}, {"priority", "low_10_uneven", "come_264", 30, 1},
    {"priority", "low_10", "come_1056", 30, 1}, {"priority", "low_50", "come_1056", 30, 1}, {"priority", "low_2", "come_132", 30, 0}, {"priority", "low_10", "come_132", 30, 0}, {"priority", "low_50", "come_132", 30, 0}};

enum { REGION = 256 << 20, NEAR = 8 << 20, FAR = 512 << 20, MOST_BLOCKS = 264 * 75 };
struct side { const shape *s; cudaStream_t stream; life *lives; char *from, *to, *near, *host; cudaEvent_t end; };
static char *far_bytes; static cudaEvent_t gate; static cudaStream_t before;
static U64 between(cudaEvent_t a, cudaEvent_t b) { float ms; CK(cudaEventElapsedTime(&ms, a, b)); return (U64)(ms * 1e6 + 0.5); }
static args args_of(const side &x) { // what a kernel reads or writes of a region, the one before it has not
    static U32 start; const kind k = x.s->k; const bool near = k == L2 || k == L2_CHASE;
    start += (U32)x.s->blocks * x.s->threads * x.s->turns;
    return {x.s->turns, 0, (const uint4 *)(near ? x.near : k == CHASE ? far_bytes : x.from), (uint4 *)x.to, near || k == CHASE ? 0 : start,
            (U32)((k == CHASE ? FAR : near ? NEAR : REGION) / sizeof(uint4) - 1), x.lives, x.s->uneven};
}
template <int K> static void launch(const side &x) {
    if (x.s->k != K) { if constexpr (K + 1 < KINDS) launch<K + 1>(x); return; }
    if (x.s->shared > 48 << 10) CK(cudaFuncSetAttribute(work<K>, cudaFuncAttributeMaxDynamicSharedMemorySize, x.s->shared));
    work<K><<<x.s->blocks, x.s->threads, x.s->shared, x.stream>>>(args_of(x)); CK(cudaGetLastError());
}
static void begin(const side &x) {
    const std::string n = x.s->name; const size_t bytes = (size_t)x.s->blocks;
    if (x.s->k != KINDS) launch<0>(x);
    else if (n == "fill") CK(cudaMemsetAsync(x.to, 1, bytes, x.stream));
    else if (n == "h2d") CK(cudaMemcpyAsync(x.to, x.host, bytes, cudaMemcpyHostToDevice, x.stream));
    else if (n == "d2h") CK(cudaMemcpyAsync(x.host, x.from, bytes, cudaMemcpyDeviceToHost, x.stream));
    else CK(cudaMemcpyAsync(x.to, x.from, bytes, cudaMemcpyDeviceToDevice, x.stream));
}
static void bring(const side &x) { // L2 has what it reads there
    if (x.s->k == L2 || x.s->k == L2_CHASE) { work<L2><<<528, 256, 0, before>>>({4, 0, (const uint4 *)x.near, (uint4 *)x.to, 0, NEAR / sizeof(uint4) - 1, x.lives, 0}); CK(cudaGetLastError()); }
}
struct times { U64 event = 0, begin = 0, last = 0, end = 0; std::vector<U32> sms; };
// Both, or one of them (b NULL), behind one event; alone or together.
static void once(const side *a, const side *b, int late_us, times *ta, times *tb) {
    const side *sides[] = {a, b}; times *to[] = {ta, tb}; U64 first = ~0ull;
    CK(cudaDeviceSynchronize());
    for (const side *x : sides) if (x) bring(*x);
    wait_for<<<1, 32, 0, before>>>(300000); CK(cudaEventRecord(gate, before)); // the host asks for all meanwhile
    for (int i = 0; i < 2; i++) {
        const side *x = sides[i]; if (!x) continue;
        CK(cudaStreamWaitEvent(x->stream, gate, 0));
        if (i == 1 && late_us) wait_for<<<1, 32, 0, x->stream>>>(late_us * 1980);
        begin(*x); CK(cudaEventRecord(x->end, x->stream));
    }
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < 2; i++) {
        if (!sides[i]) continue;
        times &t = *to[i]; t = times(); t.event = between(gate, sides[i]->end);
        if (sides[i]->s->k == KINDS) continue;
        std::vector<life> lives(sides[i]->s->blocks); std::vector<bool> on(4096);
        CK(cudaMemcpy(lives.data(), sides[i]->lives, lives.size() * sizeof(life), cudaMemcpyDeviceToHost));
        t.begin = ~0ull;
        for (const life &l : lives) { t.begin = std::min(t.begin, l.begin); t.last = std::max(t.last, l.begin); t.end = std::max(t.end, l.end); on[l.sm] = true; }
        for (U32 s = 0; s < on.size(); s++) if (on[s]) t.sms.push_back(s);
        first = std::min(first, t.begin);
    }
    for (int i = 0; i < 2; i++) if (sides[i] && sides[i]->s->k != KINDS) { to[i]->begin -= first; to[i]->last -= first; to[i]->end -= first; }
}
static const shape *shape_of(const char *name) { for (const shape &s : shapes) if (!strcmp(s.name, name)) return &s; fprintf(stderr, "no %s\n", name); exit(2); }

int main(int argc, char **argv) {
    const std::string want = argc > 1 ? argv[1] : ""; const int repetitions = argc > 2 ? atoi(argv[2]) : 9;
    int low, high; CK(cudaDeviceGetStreamPriorityRange(&low, &high));
    side sides[3]; // b again in a stream of the highest priority
    for (int i = 0; i < 3; i++) {
        CK(cudaStreamCreateWithPriority(&sides[i].stream, cudaStreamNonBlocking, i == 2 ? high : low)); CK(cudaEventCreate(&sides[i].end));
        if (i == 2) { cudaStream_t s = sides[2].stream; sides[2] = sides[1]; sides[2].stream = s; break; }
        CK(cudaMalloc(&sides[i].lives, MOST_BLOCKS * sizeof(life))); CK(cudaMalloc(&sides[i].from, REGION)); CK(cudaMalloc(&sides[i].to, REGION)); CK(cudaMalloc(&sides[i].near, NEAR));
        CK(cudaMallocHost(&sides[i].host, 4 << 20));
    }
    CK(cudaMalloc(&far_bytes, FAR)); CK(cudaEventCreate(&gate)); CK(cudaStreamCreateWithFlags(&before, cudaStreamNonBlocking));
    head("share");
    printf("# group\ta\tb\tlate\tevents a\tblocks a\tevents b\tblocks b\ttogether: a\tb\tblocks: a begins\tends\tb begins\tlast begins\tends\tSMs a\tb\tboth\n");
    for (const row &r : rows) {
        if (!want.empty() && want != r.group && want != std::string(r.a) + "+" + r.b) continue;
        side a = sides[0], b = sides[r.high ? 2 : 1]; a.s = shape_of(r.a); b.s = shape_of(r.b);
        std::vector<double> v[15]; size_t both = 0, of_a = 0, of_b = 0; times ta, tb, none;
        for (int i = 0; i < repetitions + (repetitions > 1); i++) {
            double x[15]; int n = 0;
            once(&a, NULL, 0, &ta, &none); x[n++] = (double)ta.event; x[n++] = (double)ta.end;
            once(&b, NULL, 0, &tb, &none); x[n++] = (double)tb.event; x[n++] = (double)tb.end;
            once(&a, &b, r.late_us, &ta, &tb);
            for (U64 t : {ta.event, tb.event, ta.begin, ta.end, tb.begin, tb.last, tb.end}) x[n++] = (double)t;
            std::vector<U32> common; std::set_intersection(ta.sms.begin(), ta.sms.end(), tb.sms.begin(), tb.sms.end(), std::back_inserter(common));
            both = common.size(); of_a = ta.sms.size(); of_b = tb.sms.size();
            if (i || repetitions == 1) for (int k = 0; k < n; k++) v[k].push_back(x[k]); // the first time code is new
        }
        printf("%s\t%s\t%s\t%d", r.group, r.a, r.high ? (std::string(r.b) + ", higher priority").c_str() : r.b, r.late_us * 1000);
        for (int k = 0; k < 11; k++) printf("\t%.0f", median(v[k]));
        printf("\t%zu\t%zu\t%zu\n", of_a, of_b, both); fflush(stdout);
    }
}
