// Reads of DNA: packing two bits a base, canonical k-mers and their counts, minimizers, Smith-Waterman by anti-diagonals, mismatches.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

typedef unsigned char uchar;
typedef unsigned long long u64;

#define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { printf("%s: %s\nFAILED\n", #call, cudaGetErrorString(e_)); return 1; } } while (0)

__host__ __device__ __forceinline__ unsigned base_code(uchar c)
{
    switch (c) {
    case 'A': case 'a': return 0;
    case 'C': case 'c': return 1;
    case 'G': case 'g': return 2;
    case 'T': case 't': case 'U': case 'u': return 3;
    default: return 4;
    }
}

// One thread packs sixteen bases; a base that is not known becomes A and is noted in a mask.
__global__ void pack_bases(const uchar* __restrict__ text, int length, uint32_t* __restrict__ packed, uint16_t* __restrict__ unknown)
{
    const int word = blockIdx.x * blockDim.x + threadIdx.x;
    const int first = word * 16;
    if (first >= length)
        return;
    uint32_t bits = 0;
    unsigned bad = 0;
    const int here = min(16, length - first);
    for (int i = 0; i < here; ++i) {
        unsigned code = base_code(text[first + i]);
        if (code > 3) {
            bad |= 1u << i;
            code = 0;
        }
        bits |= code << (2 * i);
    }
    packed[word] = bits;
    unknown[word] = (uint16_t)bad;
}

__host__ __device__ inline unsigned packed_base(const uint32_t* packed, int at) { return packed[at >> 4] >> ((at & 15) * 2) & 3; }

// Reverses the order of the 2-bit groups of a word and complements them.
__host__ __device__ inline u64 reverse_complement(u64 kmer, int k)
{
    u64 x = ~kmer;
    x = (x >> 2 & 0x3333333333333333ull) | (x & 0x3333333333333333ull) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0full) | (x & 0x0f0f0f0f0f0f0f0full) << 4;
    x = (x >> 8 & 0x00ff00ff00ff00ffull) | (x & 0x00ff00ff00ff00ffull) << 8;
    x = (x >> 16 & 0x0000ffff0000ffffull) | (x & 0x0000ffff0000ffffull) << 16;
    x = x >> 32 | x << 32;
    return x >> (64 - 2 * k);
}

template <int K>
__global__ void canonical_kmers(const uint32_t* __restrict__ packed, int length, u64* __restrict__ kmers, unsigned* __restrict__ spectrum, int bins)
{
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at + K > length)
        return;
    u64 forward = 0;
#pragma unroll
    for (int i = 0; i < K; ++i)
        forward = forward << 2 | packed_base(packed, at + i);
    const u64 backward = reverse_complement(forward, K);
    const u64 kmer = forward < backward ? forward : backward;
    kmers[at] = kmer;
    atomicAdd(&spectrum[(kmer * 0x9e3779b97f4a7c15ull >> 40) % bins], 1u);
}

__host__ __device__ inline u64 scramble(u64 x)
{
    x ^= x >> 31;
    x *= 0x7fb5d329728ea185ull;
    x ^= x >> 27;
    x *= 0x81dadef4bc2dd44dull;
    return x ^ x >> 33;
}

// The place of the smallest of the next `window` scrambled k-mers; the leftmost one if equal.
__global__ void minimizers(const u64* __restrict__ kmers, int count, int window, int* __restrict__ place)
{
    extern __shared__ u64 order[];
    const int begin = blockIdx.x * blockDim.x;
    const int need = blockDim.x + window - 1;
    for (int i = threadIdx.x; i < need; i += blockDim.x)
        order[i] = begin + i < count ? scramble(kmers[begin + i]) : ~0ull;
    __syncthreads();
    const int at = begin + threadIdx.x;
    if (at + window > count)
        return;
    int best = threadIdx.x;
    for (int i = 1; i < window; ++i)
        if (order[threadIdx.x + i] < order[best])
            best = threadIdx.x + i;
    place[at] = begin + best;
}

struct Scoring {
    int match, mismatch, open, extend;
};

// A block aligns one pair with affine gaps. A thread owns one column of the query, and the block goes over the anti-diagonals.
template <int QUERY>
__global__ void __launch_bounds__(QUERY) smith_waterman(const uchar* __restrict__ queries, const uchar* __restrict__ targets,
                                                        int target_length, Scoring s, int* __restrict__ best_score, int* __restrict__ best_at)
{
    __shared__ int score[3][QUERY + 1];
    __shared__ int gap[2][QUERY + 1];
    __shared__ int warp_best[QUERY / 32];
    const int column = threadIdx.x + 1;
    const uchar mine = queries[blockIdx.x * QUERY + threadIdx.x];
    const uchar* target = targets + blockIdx.x * target_length;
    for (int d = 0; d < 3; ++d)
        score[d][column] = 0;
    if (threadIdx.x < 3)
        score[threadIdx.x][0] = 0;
    if (threadIdx.x < 2)
        gap[threadIdx.x][0] = -1000;
    gap[0][column] = gap[1][column] = -1000;
    int down = -1000, highest = 0;
    __syncthreads();
    int now = 2, last = 1, before = 0;
    for (int diagonal = 0; diagonal < target_length + QUERY - 1; ++diagonal) {
        const int row = diagonal - (int)threadIdx.x;
        int value = 0, right = -1000;
        if (row >= 0 && row < target_length) {
            right = max(score[last][column - 1] - s.open, gap[diagonal + 1 & 1][column - 1] - s.extend);
            down = max(score[last][column] - s.open, down - s.extend);
            value = score[before][column - 1] + (target[row] == mine ? s.match : -s.mismatch);
            value = max(max(value, 0), max(right, down));
            // the score, then the row: one number holds both
            highest = max(highest, value << 16 | (target_length - row));
        }
        score[now][column] = value;
        gap[diagonal & 1][column] = right;
        __syncthreads();
        const int t = before;
        before = last;
        last = now;
        now = t;
    }
    for (int offset = 16; offset; offset >>= 1)
        highest = max(highest, __shfl_xor_sync(0xffffffffu, highest, offset));
    if ((threadIdx.x & 31) == 0)
        warp_best[threadIdx.x >> 5] = highest;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < QUERY / 32; ++w)
            highest = max(highest, warp_best[w]);
        best_score[blockIdx.x] = highest >> 16;
        best_at[blockIdx.x] = target_length - (highest & 0xffff);
    }
}

// Where does a short probe fit with at most `allowed` mismatches? The probe is compared 32 bases at a time.
__global__ void find_probe(const uint32_t* __restrict__ packed, int length, u64 probe, int bases, int allowed, uint8_t* __restrict__ mismatches)
{
    const u64 mask = bases == 32 ? ~0ull : (1ull << 2 * bases) - 1;
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at + bases <= length; at += gridDim.x * blockDim.x) {
        const int word = at >> 4, shift = (at & 15) * 2;
        u64 window = packed[word] | (u64)packed[word + 1] << 32;
        if (shift)
            window = window >> shift | (u64)packed[word + 2] << (64 - shift);
        const u64 differs = (window ^ probe) & mask;
        const int n = __popcll((differs | differs >> 1) & 0x5555555555555555ull);
        mismatches[at] = n <= allowed ? n : 255;
    }
}

static unsigned random_state = 77;
static unsigned random_bits()
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

static int align_on_host(const uchar* q, int nq, const uchar* t, int nt, Scoring s, int& where)
{
    std::vector<int> h(nq + 1, 0), f(nq + 1, -1000);
    int best = 0;
    where = nt;
    for (int r = 0; r < nt; ++r) {
        int diagonal = 0, e = -1000;
        for (int c = 1; c <= nq; ++c) {
            e = std::max(h[c - 1] - s.open, e - s.extend);
            f[c] = std::max(h[c] - s.open, f[c] - s.extend);
            int v = std::max(0, diagonal + (q[c - 1] == t[r] ? s.match : -s.mismatch));
            v = std::max(v, std::max(e, f[c]));
            diagonal = h[c];
            h[c] = v;
            if (v > best) {
                best = v;
                where = r;
            }
        }
    }
    return best;
}

int main()
{
    const int length = 20011, K = 21, bins = 509, window = 11;
    std::vector<uchar> text(length + 64, 'N');
    for (int i = 0; i < length; ++i) {
        unsigned r = random_bits() >> 8;
        text[i] = r % 301 == 0 ? 'N' : r % 5 == 0 ? "acgt"[r >> 8 & 3] : "ACGT"[r >> 8 & 3];
    }
    int errors = 0;

    const int words = (length + 15) / 16;
    uchar* d_text;
    uint32_t* d_packed;
    uint16_t* d_unknown;
    CHECK(cudaMalloc(&d_text, text.size()));
    CHECK(cudaMalloc(&d_packed, (words + 4) * sizeof(uint32_t)));
    CHECK(cudaMalloc(&d_unknown, words * sizeof(uint16_t)));
    CHECK(cudaMemset(d_packed, 0, (words + 4) * sizeof(uint32_t)));
    CHECK(cudaMemcpy(d_text, text.data(), text.size(), cudaMemcpyHostToDevice));
    pack_bases<<<(words + 63) / 64, 64>>>(d_text, length, d_packed, d_unknown);
    CHECK(cudaGetLastError());
    std::vector<uint32_t> packed(words + 4);
    std::vector<uint16_t> unknown(words);
    CHECK(cudaMemcpy(packed.data(), d_packed, packed.size() * 4, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(unknown.data(), d_unknown, words * 2, cudaMemcpyDeviceToHost));
    for (int i = 0; i < length; ++i) {
        unsigned c = base_code(text[i]);
        errors += packed_base(packed.data(), i) != (c & 3) || (unknown[i / 16] >> i % 16 & 1) != c >> 2;
    }
    printf("packing: %d errors\n", errors);

    const int count = length - K + 1;
    u64* d_kmers;
    unsigned* d_spectrum;
    CHECK(cudaMalloc(&d_kmers, count * sizeof(u64)));
    CHECK(cudaMalloc(&d_spectrum, bins * sizeof(unsigned)));
    CHECK(cudaMemset(d_spectrum, 0, bins * sizeof(unsigned)));
    canonical_kmers<K><<<(length + 191) / 192, 192>>>(d_packed, length, d_kmers, d_spectrum, bins);
    CHECK(cudaGetLastError());
    std::vector<u64> kmers(count);
    std::vector<unsigned> spectrum(bins), expected(bins, 0);
    CHECK(cudaMemcpy(kmers.data(), d_kmers, count * sizeof(u64), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(spectrum.data(), d_spectrum, bins * sizeof(unsigned), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; ++i) {
        u64 f = 0, b = 0;
        for (int j = 0; j < K; ++j) {
            u64 c = base_code(text[i + j]) & 3;
            f = f << 2 | c;
            b |= (3 - c) << 2 * j;
        }
        u64 want = std::min(f, b);
        errors += kmers[i] != want;
        expected[(want * 0x9e3779b97f4a7c15ull >> 40) % bins]++;
    }
    errors += spectrum != expected;
    printf("k-mers: %d errors\n", errors);

    int* d_place;
    CHECK(cudaMalloc(&d_place, count * sizeof(int)));
    minimizers<<<(count + 127) / 128, 128, (128 + window - 1) * sizeof(u64)>>>(d_kmers, count, window, d_place);
    CHECK(cudaGetLastError());
    std::vector<int> place(count);
    CHECK(cudaMemcpy(place.data(), d_place, count * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i + window <= count; ++i) {
        int best = i;
        for (int j = i + 1; j < i + window; ++j)
            if (scramble(kmers[j]) < scramble(kmers[best]))
                best = j;
        errors += place[i] != best;
    }
    printf("minimizers: %d errors\n", errors);

    const int pairs = 20, query = 64, target = 150;
    std::vector<uchar> queries(pairs * query), targets(pairs * target);
    for (int p = 0; p < pairs; ++p) {
        for (int i = 0; i < target; ++i)
            targets[p * target + i] = "ACGT"[random_bits() >> 9 & 3];
        int from = 3 + 2 * p;
        for (int i = 0; i < query; ++i) {
            if (i % 29 == 17)
                from += 1 + p % 3;
            queries[p * query + i] = random_bits() % 12 == 0 ? 'N' : targets[p * target + (from + i) % target];
        }
    }
    const Scoring scoring = {3, 2, 5, 1};
    uchar *d_queries, *d_targets;
    int *d_score, *d_at;
    CHECK(cudaMalloc(&d_queries, queries.size()));
    CHECK(cudaMalloc(&d_targets, targets.size()));
    CHECK(cudaMalloc(&d_score, pairs * sizeof(int)));
    CHECK(cudaMalloc(&d_at, pairs * sizeof(int)));
    CHECK(cudaMemcpy(d_queries, queries.data(), queries.size(), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_targets, targets.data(), targets.size(), cudaMemcpyHostToDevice));
    smith_waterman<query><<<pairs, query>>>(d_queries, d_targets, target, scoring, d_score, d_at);
    CHECK(cudaGetLastError());
    std::vector<int> score(pairs), at(pairs);
    CHECK(cudaMemcpy(score.data(), d_score, pairs * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(at.data(), d_at, pairs * sizeof(int), cudaMemcpyDeviceToHost));
    for (int p = 0; p < pairs; ++p) {
        int where, want = align_on_host(&queries[p * query], query, &targets[p * target], target, scoring, where);
        errors += score[p] != want || at[p] != where;
    }
    printf("alignment: %d errors, the first scores %d at %d\n", errors, score[0], at[0]);

    const int probe_bases = 27, allowed = 13, start = 4321;
    u64 probe = 0;
    for (int i = 0; i < probe_bases; ++i)
        probe |= (u64)packed_base(packed.data(), start + i) << 2 * i;
    probe ^= 3ull << 10;
    uint8_t* d_mismatches;
    CHECK(cudaMalloc(&d_mismatches, length));
    find_probe<<<40, 128>>>(d_packed, length, probe, probe_bases, allowed, d_mismatches);
    CHECK(cudaGetLastError());
    std::vector<uint8_t> mismatches(length);
    CHECK(cudaMemcpy(mismatches.data(), d_mismatches, length, cudaMemcpyDeviceToHost));
    for (int i = 0; i + probe_bases <= length; ++i) {
        int n = 0;
        for (int j = 0; j < probe_bases; ++j)
            n += packed_base(packed.data(), i + j) != (unsigned)(probe >> 2 * j & 3);
        errors += mismatches[i] != (n <= allowed ? n : 255);
    }
    errors += mismatches[start] != 1;
    printf("probe: %d errors\n", errors);
    printf("%s\n", errors ? "FAILED" : "PASSED");
    return errors != 0;
}
