// Games on bit boards: Othello mobility by flood of shifts, perft of a peg board, connect-four wins, 2048 row tables, sudoku candidates.
#include <cstdio>
#include <cstdint>
#include <vector>
#include <cuda_runtime.h>

using u64 = unsigned long long;
using u16 = unsigned short;
#define CE(x) if ((x) != cudaSuccess) { puts(#x); puts("FAILED"); return 1; }

__host__ __device__ inline int pop(u64 x)
{
#ifdef __CUDA_ARCH__
    return __popcll(x);
#else
    return __builtin_popcountll(x);
#endif
}
__host__ __device__ inline int lowest(u64 x)
{
#ifdef __CUDA_ARCH__
    return __ffsll(x) - 1;
#else
    return __builtin_ffsll(x) - 1;
#endif
}

struct Board { u64 me, you; };

template <int SHIFT> __host__ __device__ inline u64 move(u64 b, u64 mask) { return SHIFT > 0 ? (b & mask) << (SHIFT & 63) : (b & mask) >> (-SHIFT & 63); }

template <int SHIFT> __host__ __device__ inline u64 mobilityDir(u64 me, u64 you, u64 mask)
{
    u64 f = move<SHIFT>(me, mask) & you;
#pragma unroll
    for (int k = 0; k < 5; k++) f |= move<SHIFT>(f, mask) & you;
    return move<SHIFT>(f, mask);
}

template <int SHIFT> __host__ __device__ inline u64 flipDir(u64 at, u64 me, u64 you, u64 mask)
{
    u64 f = 0, x = move<SHIFT>(at, mask);
    while (x & you) { f |= x; x = move<SHIFT>(x, mask); }
    return x & me ? f : 0;
}

__host__ __device__ inline u64 moves(Board b)
{
    const u64 notA = 0xfefefefefefefefeull, notH = 0x7f7f7f7f7f7f7f7full, all = ~0ull;
    return (mobilityDir<1>(b.me, b.you, notH) | mobilityDir<-1>(b.me, b.you, notA) | mobilityDir<8>(b.me, b.you, all) | mobilityDir<-8>(b.me, b.you, all) |
            mobilityDir<9>(b.me, b.you, notH) | mobilityDir<-9>(b.me, b.you, notA) | mobilityDir<7>(b.me, b.you, notA) | mobilityDir<-7>(b.me, b.you, notH)) & ~(b.me | b.you);
}

__host__ __device__ inline u64 flips(Board b, u64 at)
{
    const u64 notA = 0xfefefefefefefefeull, notH = 0x7f7f7f7f7f7f7f7full, all = ~0ull;
    return flipDir<1>(at, b.me, b.you, notH) | flipDir<-1>(at, b.me, b.you, notA) | flipDir<8>(at, b.me, b.you, all) | flipDir<-8>(at, b.me, b.you, all) |
           flipDir<9>(at, b.me, b.you, notH) | flipDir<-9>(at, b.me, b.you, notA) | flipDir<7>(at, b.me, b.you, notA) | flipDir<-7>(at, b.me, b.you, notH);
}

__host__ __device__ inline int greedyGame(Board b, unsigned seed, int plies)
{
    int passes = 0, sign = 1;
    for (int p = 0; p < plies && passes < 2; p++) {
        u64 m = moves(b);
        if (!m) passes++;
        else {
            passes = 0;
            seed = seed * 1664525u + 1013904223u;
            int skip = (seed >> 16) % pop(m);
            while (skip--) m &= m - 1;
            const u64 at = m & (0 - m), f = flips(b, at);
            b.me |= at | f;
            b.you &= ~f;
        }
        const u64 t = b.me; b.me = b.you; b.you = t;
        sign = -sign;
    }
    return sign * (pop(b.me) - pop(b.you));
}

__global__ void othelloPlayouts(const Board *__restrict__ start, int boards, int plies, int *__restrict__ score)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < boards) score[i] = greedyGame(start[i], i * 97 + 1, plies);
}

__global__ void othelloMobility(const Board *__restrict__ b, int n, u64 *__restrict__ out)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const ulonglong2 raw = reinterpret_cast<const ulonglong2 *>(b)[i];
        out[i] = moves(Board{raw.x, raw.y});
    }
}

// solitaire with pegs on 5 x 5: depth-first with an own stack
__host__ __device__ inline unsigned pegCount(unsigned pegs, int depth)
{
    unsigned stack[8];
    int at[8], d = 0;
    unsigned leaves = 0;
    stack[0] = pegs;
    at[0] = 0;
    while (d >= 0) {
        if (d == depth) { leaves++; d--; continue; }
        const unsigned p = stack[d];
        bool pushed = false;
        while (at[d] < 100) {
            const int cell = at[d] >> 2, dir = at[d] & 3, x = cell % 5, y = cell / 5;
            at[d]++;
            const int dx = dir == 0 ? 1 : dir == 1 ? -1 : 0, dy = dir == 2 ? 1 : dir == 3 ? -1 : 0, ex = x + 2 * dx, ey = y + 2 * dy;
            if (ex < 0 || ex > 4 || ey < 0 || ey > 4) continue;
            const unsigned from = 1u << cell, over = 1u << (cell + dx + 5 * dy), to = 1u << (ey * 5 + ex);
            if ((p & from) && (p & over) && !(p & to)) {
                stack[d + 1] = p ^ from ^ over ^ to;
                at[d + 1] = 0;
                d++;
                pushed = true;
                break;
            }
        }
        if (!pushed) d--;
    }
    return leaves;
}

__global__ void __launch_bounds__(64, 8) pegPerft(const unsigned *__restrict__ boards, int n, int depth, unsigned *__restrict__ leaves)
{
    const int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) leaves[i] = pegCount(boards[i], depth);
}

__host__ __device__ inline int fourInRow(u64 b)
{
    int lines = 0;
    const int step[4] = {1, 7, 6, 8};
    for (int k = 0; k < 4; k++) { const u64 p = b & b >> step[k]; lines += pop(p & p >> 2 * step[k]); }
    return lines;
}

__global__ void connectFour(const u64 *__restrict__ boards, int n, int2 *__restrict__ result)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lines = i < n ? fourInRow(boards[i]) : 0;
    const int any = __syncthreads_count(lines > 0);
    const unsigned warp = __ballot_sync(0xffffffffu, lines > 1);
    if (i < n) result[i] = make_int2(lines, any * 64 + __popc(warp & ((1u << (threadIdx.x & 31)) - 1)));
}

__host__ __device__ inline u16 slideLeft(u16 row)
{
    int t[4], n = 0;
    bool merged = false;
    for (int k = 0; k < 4; k++) t[k] = 0;
    for (int k = 0; k < 4; k++) {
        const int v = row >> (12 - 4 * k) & 15;
        if (!v) continue;
        if (n && !merged && t[n - 1] == v && v < 15) { t[n - 1]++; merged = true; }
        else { t[n++] = v; merged = false; }
    }
    return (u16)(t[0] << 12 | t[1] << 8 | t[2] << 4 | t[3]);
}

__global__ void slideTable(u16 *__restrict__ table)
{
    const int r = blockIdx.x * blockDim.x + threadIdx.x;
    table[r] = slideLeft((u16)r);
}

// one warp a sudoku: lanes have three cells each; naked singles until nothing changes
__global__ void sudokuSingles(const char *__restrict__ puzzles, int n, int *__restrict__ open)
{
    __shared__ u16 cand[4][96];
    const int w = threadIdx.x >> 5, lane = threadIdx.x & 31, p = blockIdx.x * 4 + w;
    if (p >= n) return;
    u16 *c = cand[w];
    for (int k = lane; k < 81; k += 32) { const int d = puzzles[p * 81 + k] - '0'; c[k] = d ? (u16)(1 << d) : 0x3fe; }
    __syncwarp();
    for (bool again = true; again;) {
        u16 fresh[3];
        bool changed = false;
        for (int j = 0, k = lane; j < 3; j++, k += 32) {
            if (k >= 81) break;
            u16 m = c[k];
            if (m & (m - 1)) {
                const int row = k / 9, col = k % 9, box = row / 3 * 27 + col / 3 * 3;
                u16 taken = 0;
                for (int q = 0; q < 9; q++) {
                    const u16 a = c[row * 9 + q], b = c[q * 9 + col], d = c[box + q / 3 * 9 + q % 3];
                    taken |= (a & (a - 1) ? 0 : a) | (b & (b - 1) ? 0 : b) | (d & (d - 1) ? 0 : d);
                }
                const u16 next = m & ~taken;
                changed |= next != m;
                m = next;
            }
            fresh[j] = m;
        }
        __syncwarp();
        for (int j = 0, k = lane; j < 3 && k < 81; j++, k += 32) c[k] = fresh[j];
        again = __any_sync(0xffffffffu, changed);
        __syncwarp();
    }
    int left = 0;
    for (int k = lane; k < 81; k += 32) left += (c[k] & (c[k] - 1)) != 0;
    left = __reduce_add_sync(0xffffffffu, left);
    if (lane == 0) open[p] = left;
}

template <class T> T *send(const std::vector<T> &v) { T *p; cudaMalloc(&p, v.size() * sizeof(T)); cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice); return p; }
template <class T> std::vector<T> recv(const T *p, size_t n) { std::vector<T> v(n); cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost); return v; }

int main()
{
    bool ok = true;
    const int n = 6000; std::vector<Board> b(n); u64 r = 88172645463325252ull; auto next = [&] { r ^= r << 13; r ^= r >> 7; r ^= r << 17; return r; };
    for (auto &x : b) { u64 a = next(), c = next(), d = next(); x = {a & c & ~(d & 0xffff0000ffffull), d & ~(a & c) & next()}; }
    Board *db = send(b); u64 *dm; int *ds; CE(cudaMalloc(&dm, n * 8)); CE(cudaMalloc(&ds, n * 4));
    othelloMobility<<<20, 128>>>(db, n, dm); othelloPlayouts<<<(n + 63) / 64, 64>>>(db, n, 24, ds);
    auto hm = recv(dm, n); auto hs = recv(ds, n); for (int i = 0; i < n; i++) ok &= hm[i] == moves(b[i]) && hs[i] == greedyGame(b[i], i * 97 + 1, 24);
    if (!ok) puts("othello");
    const int np = 3000; std::vector<unsigned> pg(np); for (auto &x : pg) x = (unsigned)(next() | next()) & 0x1ffffff & ~(1u << next() % 25); unsigned *dl; CE(cudaMalloc(&dl, np * 4));
    pegPerft<<<(np + 63) / 64, 64>>>(send(pg), np, 3, dl);
    auto hl = recv(dl, np); for (int i = 0; i < np; i++) ok &= hl[i] == pegCount(pg[i], 3); if (!ok) puts("pegs");
    const int nc = 50000; std::vector<u64> cb(nc); for (auto &x : cb) x = next() & next() & 0xfdfbf7efdfbfull; int2 *dr; CE(cudaMalloc(&dr, nc * 8));
    connectFour<<<(nc + 255) / 256, 256>>>(send(cb), nc, dr);
    auto hr = recv(dr, nc); for (int i = 0; i < nc; i++) ok &= hr[i].x == fourInRow(cb[i]); int any = 0; for (int i = 256; i < 512; i++) any += hr[i].x > 0; ok &= hr[300].y / 64 == any; if (!ok) puts("four");
    u16 *dt; CE(cudaMalloc(&dt, 65536 * 2)); slideTable<<<256, 256>>>(dt); auto ht = recv(dt, 65536); for (int i = 0; i < 65536; i++) ok &= ht[i] == slideLeft((u16)i); if (!ok) puts("slide");
    const int nu = 900; std::vector<char> pz(nu * 81); std::vector<int> want(nu);
    for (int p = 0; p < nu; p++) for (int k = 0; k < 81; k++) { int row = k / 9, col = k % 9, v = (row * 3 + row / 3 + col + p) % 9 + 1; pz[p * 81 + k] = next() % 100 < 36 + p % 20 ? '0' + v : '0'; }
    int *dop; CE(cudaMalloc(&dop, nu * 4)); sudokuSingles<<<(nu + 3) / 4, 128>>>(send(pz), nu, dop); auto ho = recv(dop, nu);
    for (int p = 0; p < nu; p++) { u16 c[81]; for (int k = 0; k < 81; k++) c[k] = pz[p * 81 + k] > '0' ? 1 << (pz[p * 81 + k] - '0') : 0x3fe; for (bool ch = true; ch;) { ch = false; for (int k = 0; k < 81; k++) if (c[k] & (c[k] - 1)) for (int q = 0; q < 81; q++) if (q != k && !(c[q] & (c[q] - 1)) && (q / 9 == k / 9 || q % 9 == k % 9 || (q / 27 == k / 27 && q % 9 / 3 == k % 9 / 3)) && (c[k] & c[q])) c[k] &= ~c[q], ch = true; } int left = 0; for (u16 m : c) left += (m & (m - 1)) != 0; ok &= left == ho[p]; }
    ok &= cudaDeviceSynchronize() == cudaSuccess;
    puts(ok ? "PASSED" : "FAILED");
    return !ok;
}
