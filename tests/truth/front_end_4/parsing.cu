// Parsing: varints of records, base64, CRC-32 with a table, run lengths by a block's scan, bit packing.
#include <cuda_runtime.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

static void must(cudaError_t e)
{
  if (e == cudaSuccess)
    return;
  printf("%s\nFAILED\n", cudaGetErrorString(e));
  exit(1);
}

template <class T>
static T *toDevice(const T *from, size_t n)
{
  T *p;
  must(cudaMalloc(&p, n * sizeof(T) + 16));
  must(cudaMemset(p, 0, n * sizeof(T) + 16));
  if (from)
    must(cudaMemcpy(p, from, n * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}

template <class T>
static std::vector<T> back(T *p, size_t n)
{
  std::vector<T> v(n);
  must(cudaDeviceSynchronize());
  must(cudaMemcpy(v.data(), p, n * sizeof(T), cudaMemcpyDeviceToHost));
  must(cudaFree(p));
  return v;
}

static u32 dice()
{
  static u32 state = 12345;
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

// Each record is a row of varints, zigzag coded; out come the count, the sum and whether the last one is cut off.
struct Summary {
  long long sum;
  int count;
  bool broken;
};

__global__ void readVarints(const u8 *__restrict__ bytes, const u32 *__restrict__ offsets, u32 records, Summary *out)
{
  const u32 r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= records)
    return;
  const u8 *p = bytes + offsets[r], *const end = bytes + offsets[r + 1];
  Summary s = {0, 0, false};
  while (p < end) {
    u64 value = 0;
    int shift = 0;
    bool more = true;
    do {
      if (p == end) {
        s.broken = true;
        break;
      }
      const u8 b = *p++;
      value |= u64(b & 0x7f) << shift;
      shift += 7;
      more = b & 0x80;
    } while (more && shift < 64);
    if (s.broken)
      break;
    s.sum += (long long)(value >> 1) ^ -(long long)(value & 1);
    s.count++;
  }
  out[r] = s;
}

static bool varints()
{
  const u32 records = 1409;
  std::vector<u8> bytes;
  std::vector<u32> offsets(1, 0);
  std::vector<Summary> want;
  for (u32 r = 0; r < records; r++) {
    Summary s = {0, int(dice() % 12), r % 9 == 4};
    for (int k = 0; k < s.count; k++) {
      const u32 size = dice() % 24;
      const long long v = (long long)(dice()) * ((k + r) % 3 ? 1 : 1 << 20) * (k & 1 ? -1 : 1) >> size;
      s.sum += v;
      u64 z = u64(v) << 1 ^ u64(v >> 63);
      for (; z > 127; z >>= 7)
        bytes.push_back(u8(z) | 0x80);
      bytes.push_back(u8(z));
    }
    if (s.broken)
      bytes.push_back(0xff);
    offsets.push_back(u32(bytes.size()));
    want.push_back(s);
  }
  u8 *db = toDevice(bytes.data(), bytes.size());
  u32 *dof = toDevice(offsets.data(), offsets.size());
  Summary *ds = toDevice<Summary>(nullptr, records);
  readVarints<<<(records + 127) / 128, 128>>>(db, dof, records, ds);
  const auto got = back(ds, records);
  for (u32 r = 0; r < records; r++)
    if (got[r].sum != want[r].sum || got[r].count != want[r].count || got[r].broken != want[r].broken)
      return false;
  return true;
}

// Three bytes to four letters, without a table; the tail is padded.
__device__ __forceinline__ u8 letter(u32 six)
{
  return six < 26 ? 'A' + six : six < 52 ? 'a' + (six - 26) : six < 62 ? '0' + (six - 52) : six == 62 ? '+' : '/';
}

__global__ void encode64(const u8 *raw, int n, uchar4 *text)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x, at = 3 * i;
  if (at >= n)
    return;
  u32 word = raw[at] << 16;
  if (at + 1 < n)
    word |= raw[at + 1] << 8;
  if (at + 2 < n)
    word |= raw[at + 2];
  uchar4 out;
  out.x = letter(word >> 18);
  out.y = letter(word >> 12 & 63);
  out.z = at + 1 < n ? letter(word >> 6 & 63) : '=';
  out.w = at + 2 < n ? letter(word & 63) : '=';
  text[i] = out;
}

// And back by a table in shared memory; the first bad letter's place is kept.
__global__ void decode64(const u32 *__restrict__ text, int groups, u8 *raw, int *firstBad)
{
  __shared__ signed char value[256];
  for (int c = threadIdx.x; c < 256; c += blockDim.x)
    value[c] = c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : c >= '0' && c <= '9' ? c - '0' + 52 : c == '+' ? 62 : c == '/' ? 63 : c == '=' ? 0 : -1;
  __syncthreads();
  for (int g = blockIdx.x * blockDim.x + threadIdx.x; g < groups; g += blockDim.x * gridDim.x) {
    const u32 four = text[g];
    u32 word = 0;
    int bad = -1;
#pragma unroll
    for (int k = 3; k >= 0; k--) {
      const int v = value[__byte_perm(four, 0, 0x4440 + k)];
      if (v < 0)
        bad = 4 * g + k;
      word |= u32(v & 63) << (18 - 6 * k);
    }
    if (bad >= 0) {
      atomicMin(firstBad, bad);
      continue;
    }
    raw[3 * g] = word >> 16;
    raw[3 * g + 1] = word >> 8;
    raw[3 * g + 2] = word;
  }
}

static bool base64()
{
  const int n = 7000, groups = (n + 2) / 3;
  std::vector<u8> raw(n);
  for (u8 &b : raw)
    b = dice();
  const char *letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string want;
  for (int i = 0; i < n; i += 3) {
    const u32 w = raw[i] << 16 | (i + 1 < n ? raw[i + 1] << 8 : 0) | (i + 2 < n ? raw[i + 2] : 0);
    want += letters[w >> 18];
    want += letters[w >> 12 & 63];
    want += i + 1 < n ? letters[w >> 6 & 63] : '=';
    want += i + 2 < n ? letters[w & 63] : '=';
  }
  u8 *dr = toDevice(raw.data(), n);
  uchar4 *dt = toDevice<uchar4>(nullptr, groups);
  encode64<<<(groups + 95) / 96, 96>>>(dr, n, dt);
  const auto text = back(dt, groups);
  bool good = want == std::string(reinterpret_cast<const char *>(text.data()), 4 * groups);
  want[4 * 1500 + 2] = '?';
  want[4 * 1700] = '\n';
  int none = 1 << 30;
  u32 *dc = toDevice(reinterpret_cast<const u32 *>(want.data()), groups);
  u8 *dd = toDevice<u8>(nullptr, 3 * groups);
  int *df = toDevice(&none, 1);
  decode64<<<5, 128>>>(dc, groups, dd, df);
  const auto decoded = back(dd, 3 * groups);
  for (int i = 0; i < n; i++)
    good &= decoded[i] == (i / 3 == 1500 || i / 3 == 1700 ? 0 : raw[i]);
  return good && back(df, 1)[0] == 4 * 1500 + 2;
}

// CRC-32 of packets: a thread each, four bytes a turn by four tables.
__global__ void crc32(const u32 *__restrict__ words, const uint2 *__restrict__ packets, int n, const u32 *tables, u32 *crc)
{
  extern __shared__ u32 table[];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x)
    table[i] = tables[i];
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const uint2 packet = packets[i];  // first word, length in bytes
    u32 c = ~0u;
    int left = packet.y;
    const u32 *p = words + packet.x;
    for (; left >= 4; left -= 4) {
      c ^= *p++;
      c = table[768 + (c & 255)] ^ table[512 + (c >> 8 & 255)] ^ table[256 + (c >> 16 & 255)] ^ table[c >> 24];
    }
    for (u32 last = left ? *p : 0; left > 0; left--, last >>= 8)
      c = c >> 8 ^ table[(c ^ last) & 255];
    crc[i] = ~c;
  }
}

static bool checksums()
{
  const int n = 603;
  std::vector<u32> tables(1024), words;
  for (u32 i = 0; i < 256; i++) {
    u32 c = i;
    for (int k = 0; k < 8; k++)
      c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
    tables[i] = c;
  }
  for (int i = 256; i < 1024; i++)
    tables[i] = tables[i - 256] >> 8 ^ tables[tables[i - 256] & 255];
  std::vector<uint2> packets;
  for (int i = 0; i < n; i++) {
    packets.push_back(make_uint2(u32(words.size()), 20 + dice() % 70));
    for (u32 k = 0; k < packets.back().y; k += 4)
      words.push_back(dice() * 257);
  }
  u32 *dw = toDevice(words.data(), words.size()), *dt = toDevice(tables.data(), 1024), *dc = toDevice<u32>(nullptr, n);
  uint2 *dp = toDevice(packets.data(), n);
  crc32<<<(n + 63) / 64, 64, 4096>>>(dw, dp, n, dt, dc);
  const auto got = back(dc, n);
  for (int i = 0; i < n; i++) {
    const u8 *p = reinterpret_cast<const u8 *>(words.data() + packets[i].x);
    u32 c = ~0u;
    for (u32 k = 0; k < packets[i].y; k++)
      c = c >> 8 ^ tables[(c ^ p[k]) & 255];
    if (got[i] != ~c)
      return false;
  }
  return true;
}

// Run lengths of a segment to a block: heads by comparison, their places by ballots, a run's end by the next head.
__global__ void runLengths(const u8 *bytes, int n, int segment, ushort2 *runs, int *counts)
{
  __shared__ int warpHeads[33];
  __shared__ unsigned short heads[257];
  const int base = blockIdx.x * segment, length = min(segment, n - base);
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  const bool head = t < length && (t == 0 || bytes[base + t] != bytes[base + t - 1]);
  const u32 vote = __ballot_sync(0xffffffffu, head);
  if (lane == 0)
    warpHeads[warp + 1] = __popc(vote);
  __syncthreads();
  if (t == 0) {
    warpHeads[0] = 0;
    for (int w = 1; w <= blockDim.x / 32; w++)
      warpHeads[w] += warpHeads[w - 1];
  }
  __syncthreads();
  const int total = warpHeads[blockDim.x / 32];
  if (head)
    heads[warpHeads[warp] + __popc(vote & ((1u << lane) - 1))] = t;
  if (t == 0) {
    heads[total] = length;
    counts[blockIdx.x] = total;
  }
  __syncthreads();
  if (t < total)
    runs[base + t] = make_ushort2(bytes[base + heads[t]], heads[t + 1] - heads[t]);
}

static bool runs()
{
  const int n = 5900, segment = 250, blocks = (n + segment - 1) / segment;
  std::vector<u8> bytes;
  while (int(bytes.size()) < n) {
    const u32 length = 1 + dice() % 13;
    bytes.insert(bytes.end(), length, u8(dice() % 5));
  }
  u8 *db = toDevice(bytes.data(), n);
  ushort2 *dr = toDevice<ushort2>(nullptr, blocks * segment);
  int *dc = toDevice<int>(nullptr, blocks);
  runLengths<<<blocks, 256>>>(db, n, segment, dr, dc);
  const auto got = back(dr, blocks * segment);
  const auto counts = back(dc, blocks);
  int at = 0;
  for (int b = 0; b < blocks; b++)
    for (int k = 0; k < counts[b]; k++) {
      const ushort2 r = got[b * segment + k];
      if (k && r.x == got[b * segment + k - 1].x)
        return false;
      for (int j = 0; j < r.y; j++)
        if (at >= n || bytes[at++] != r.x)
          return false;
    }
  return at == n;
}

// Numbers of BITS bits from a dense stream, added to a base: frame of reference decoding.
template <int BITS>
__global__ void unpack(const u32 *__restrict__ stream, const u32 *bases, u32 *out, int n)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const u32 bit = u32(i) * BITS, word = bit >> 5;
  const u32 pair = __funnelshift_r(stream[word], stream[word + 1], bit & 31);
  out[i] = bases[i >> 7] + (pair & ((1u << BITS) - 1));
}

static bool packing()
{
  const int n = 6501, bits = 11;
  std::vector<u32> stream(n * bits / 32 + 2, 0), bases(n / 128 + 1), want(n);
  for (u32 &b : bases)
    b = dice();
  for (int i = 0; i < n; i++) {
    const u32 v = dice() & ((1 << bits) - 1), at = i * bits;
    want[i] = bases[i / 128] + v;
    const u64 wide = u64(v) << (at & 31);
    stream[at / 32] |= u32(wide);
    stream[at / 32 + 1] |= u32(wide >> 32);
  }
  u32 *ds = toDevice(stream.data(), stream.size()), *db = toDevice(bases.data(), bases.size()), *out = toDevice<u32>(nullptr, n);
  unpack<bits><<<(n + 223) / 224, 224>>>(ds, db, out, n);
  return back(out, n) == want;
}

int main()
{
  const bool results[] = {varints(), base64(), checksums(), runs(), packing()};
  int wrong = 0;
  for (int k = 0; k < 5; k++)
    if (!results[k])
      wrong++, printf("part %d is wrong\n", k);
  puts(wrong ? "FAILED" : "PASSED");
  return wrong > 0;
}
