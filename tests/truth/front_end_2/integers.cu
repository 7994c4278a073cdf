/* Whole numbers: a segmented sieve, Miller-Rabin in Montgomery form, greatest common divisors, products of 256 bits, queens, Collatz. */
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>

#define SEGMENT 2048

typedef unsigned long long u64;
typedef struct { uint32_t limb[8]; } U256;
typedef struct { uint32_t limb[16]; } U512;

static int wrong;
#define CHECK(c) do { if (!(c) && wrong++ < 5) printf("line %d: %s\n", __LINE__, #c); } while (0)

__constant__ int smallPrimes[64];

/* a block a segment of odd numbers */
__global__ void sieveSegments(int primes, int *count)
{
  __shared__ unsigned char composite[SEGMENT];
  __shared__ int total;
  unsigned low = blockIdx.x * SEGMENT * 2u + 1;
  for (int i = threadIdx.x; i < SEGMENT; i += blockDim.x) composite[i] = 0;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  for (int k = threadIdx.x / 8; k < primes; k += blockDim.x / 8) {
    unsigned p = smallPrimes[k], first = p * p;
    if (first < low) {
      first = (low + p - 1) / p * p;
      if (first % 2 == 0) first += p;
    }
    for (unsigned i = (first - low) / 2 + p * (threadIdx.x % 8); i < SEGMENT; i += p * 8) composite[i] = 1;
  }
  __syncthreads();
  int mine = 0;
  for (int i = threadIdx.x; i < SEGMENT; i += blockDim.x)
    if (!composite[i] && low + 2 * i > 1) mine++;
  mine = __reduce_add_sync(0xffffffff, mine);
  if (threadIdx.x % 32 == 0) atomicAdd(&total, mine);
  __syncthreads();
  if (threadIdx.x == 0) count[blockIdx.x] = total;
}

__device__ u64 montgomery(u64 a, u64 b, u64 n, u64 inverse)
{
  u64 lo = a * b, hi = __umul64hi(a, b);
  u64 m = lo * inverse;
  u64 t = __umul64hi(m, n);
  u64 r = hi - t;
  return hi < t ? r + n : r;
}

__device__ bool probablyPrime(u64 n)
{
  if (n < 4) return n > 1;
  if (!(n & 1)) return false;
  u64 inverse = n;
  for (int i = 0; i < 5; i++) inverse *= 2 - n * inverse;
  u64 one = (~0ull % n + 1) % n, minus = n - one;
  u64 d = n - 1;
  int s = __ffsll((long long)d) - 1;
  d >>= s;
  for (int base = 2; base <= 7; base++) {
    if (base == 4 || base == 6 || n == base) continue;
    u64 b = 0, x = one;
    for (int i = 0; i < base; i++) { b += one; if (b >= n || b < one) b -= n; }
    for (u64 e = d; e; e >>= 1) {
      if (e & 1) x = montgomery(x, b, n, inverse);
      b = montgomery(b, b, n, inverse);
    }
    if (x == one || x == minus) continue;
    int r;
    for (r = 1; r < s; r++) {
      x = montgomery(x, x, n, inverse);
      if (x == minus) break;
    }
    if (r >= s) return false;
  }
  return true;
}

__global__ void primality(const u64 *n, unsigned *bits, int count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool p = i < count && probablyPrime(n[i]);
  unsigned word = __ballot_sync(0xffffffff, p);
  if (i < count && (threadIdx.x & 31) == 0) bits[i / 32] = word;
}

__global__ void binaryGcd(const uint2 *pair, unsigned *gcd, int n)
{
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  unsigned a = pair[i].x, b = pair[i].y;
  if (a == 0 || b == 0) { gcd[i] = a | b; return; }
  int shift = __ffs(a | b) - 1;
  a >>= __ffs(a) - 1;
  do {
    b >>= __ffs(b) - 1;
    if (a > b) { unsigned t = a; a = b; b = t; }
    b -= a;
  } while (b);
  gcd[i] = a << shift;
}

__global__ void multiply256(const U256 *a, const U256 *b, U512 *product, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  U256 x = a[i], y = b[i];
  U512 r;
#pragma unroll
  for (int k = 0; k < 16; k++) r.limb[k] = 0;
#pragma unroll
  for (int j = 0; j < 8; j++) {
    u64 carry = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
      u64 t = (u64)x.limb[j] * y.limb[k] + r.limb[j + k] + carry;
      r.limb[j + k] = (uint32_t)t;
      carry = t >> 32;
    }
    r.limb[j + 8] = (uint32_t)carry;
  }
  product[i] = r;
}

/* the first two rows are the thread's, the others are searched with a stack of its own */
__global__ void queens(int size, int *solutions)
{
  int start = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned all = (1u << size) - 1;
  int found = 0;
  if (start < size * size) {
    unsigned a = 1u << start / size, b = 1u << start % size;
    if (!(b & (a | a << 1 | a >> 1))) {
      unsigned cols[16], left[16], right[16], open[16];
      int row = 2;
      cols[2] = a | b;
      left[2] = (a << 2 | b << 1) & all;
      right[2] = a >> 2 | b >> 1;
      open[2] = all & ~(cols[2] | left[2] | right[2]);
      while (row >= 2) {
        unsigned bit = open[row] & -open[row];
        if (!bit) { row--; continue; }
        open[row] ^= bit;
        if (row + 1 == size) { found++; continue; }
        cols[row + 1] = cols[row] | bit;
        left[row + 1] = (left[row] | bit) << 1 & all;
        right[row + 1] = (right[row] | bit) >> 1;
        row++;
        open[row] = all & ~(cols[row] | left[row] | right[row]);
      }
    }
  }
  found = __reduce_add_sync(0xffffffff, found);
  if (threadIdx.x % 32 == 0) atomicAdd(solutions, found);
}

__global__ void collatz(unsigned first, int n, int *steps, u64 *best)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u64 pack = 0;
  if (i < n) {
    u64 v = first + i;
    int k = 0;
    while (v != 1) {
      v = v & 1 ? 3 * v + 1 : v >> 1;
      k++;
    }
    steps[i] = k;
    pack = (u64)k << 32 | (0xffffffffu - (first + i));
  }
  for (int o = 16; o; o >>= 1) {
    u64 other = __shfl_down_sync(0xffffffff, pack, o);
    if (other > pack) pack = other;
  }
  if (threadIdx.x % 32 == 0) atomicMax(best, pack);
}

static int isPrime(u64 n)
{
  if (n < 2) return 0;
  for (u64 d = 2; d * d <= n; d++) if (n % d == 0) return 0;
  return 1;
}

int main(void)
{
  int primes[64], np = 0;
  for (int p = 3; np < 64; p += 2) if (isPrime(p)) primes[np++] = p;
  cudaMemcpyToSymbol(smallPrimes, primes, sizeof primes);
  const int segments = 20;
  int *dc, counts[20], total = 0, want = 0;
  cudaMalloc((void **)&dc, sizeof counts);
  sieveSegments<<<segments, 128>>>(np, dc);
  cudaMemcpy(counts, dc, sizeof counts, cudaMemcpyDeviceToHost);
  unsigned char *flag = (unsigned char *)calloc(segments * SEGMENT * 2 + 2, 1);
  for (int i = 2; i < segments * SEGMENT * 2 + 1; i++) {
    if (flag[i]) continue;
    if (i > 2) want++;
    for (long j = (long)i * i; j < segments * SEGMENT * 2 + 1; j += i) flag[j] = 1;
  }
  for (int i = 0; i < segments; i++) total += counts[i];
  CHECK(total == want);

  enum { N = 1500 };
  static u64 num[N];
  for (int i = 0; i < N; i++) num[i] = i < 500 ? (u64)i : i < 1400 ? 1000000007ull + 2 * (i - 500) : 0;
  const u64 known[5] = {18446744073709551557ull, 18446744073709551533ull, 9223372036854775783ull, 1000000000039ull, 67280421310721ull};
  const u64 composed[5] = {4294967291ull * 4294967279ull, 18446744073709551555ull, 341550071728323ull, 1000003ull * 1000033ull, 561};
  for (int i = 1400; i < N; i++) num[i] = i % 2 ? known[i % 5] : composed[i % 5];
  u64 *dn;
  unsigned *db, bits[N / 32 + 1];
  cudaMalloc((void **)&dn, sizeof num); cudaMalloc((void **)&db, sizeof bits);
  cudaMemcpy(dn, num, sizeof num, cudaMemcpyHostToDevice);
  primality<<<(N + 95) / 96, 96>>>(dn, db, N);
  cudaMemcpy(bits, db, sizeof bits, cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; i++) {
    int p = i < 1400 ? isPrime(num[i]) : i % 2;
    CHECK((int)(bits[i / 32] >> i % 32 & 1) == p);
  }

  enum { P = 3000 };
  static uint2 pair[P];
  static unsigned g[P];
  for (unsigned i = 0; i < P; i++) pair[i] = make_uint2(i % 50 ? i * 2654435761u % 100000 * (i % 12) : 0, i * 40503u % 77777 * (1 + i % 30));
  uint2 *dp; unsigned *dg;
  cudaMalloc((void **)&dp, sizeof pair); cudaMalloc((void **)&dg, sizeof g);
  cudaMemcpy(dp, pair, sizeof pair, cudaMemcpyHostToDevice);
  binaryGcd<<<(P + 127) / 128, 128>>>(dp, dg, P);
  cudaMemcpy(g, dg, sizeof g, cudaMemcpyDeviceToHost);
  for (int i = 0; i < P; i++) {
    unsigned a = pair[i].x, b = pair[i].y;
    while (b) { unsigned t = a % b; a = b; b = t; }
    CHECK(g[i] == a);
  }

  enum { M = 700 };
  static U256 x[M], y[M];
  static U512 z[M];
  uint32_t s = 1;
  for (int i = 0; i < M; i++)
    for (int k = 0; k < 8; k++) {
      x[i].limb[k] = i % 10 == 3 ? 0xffffffffu : (s = s * 1664525u + 1013904223u);
      y[i].limb[k] = i % 10 == 3 ? 0xffffffffu : (s = s * 1664525u + 1013904223u);
    }
  U256 *dx, *dy; U512 *dz;
  cudaMalloc((void **)&dx, sizeof x); cudaMalloc((void **)&dy, sizeof y); cudaMalloc((void **)&dz, sizeof z);
  cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice); cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice);
  multiply256<<<(M + 63) / 64, 64>>>(dx, dy, dz, M);
  cudaMemcpy(z, dz, sizeof z, cudaMemcpyDeviceToHost);
  for (int i = 0; i < M; i++) {
    unsigned __int128 acc = 0;
    for (int k = 0; k < 16; k++) {
      u64 high = 0;
      for (int j = 0; j < 8; j++) {
        if (k - j < 0 || k - j > 7) continue;
        unsigned __int128 before = acc;
        acc += (u64)x[i].limb[j] * y[i].limb[k - j];
        high += acc < before;
      }
      CHECK(z[i].limb[k] == (uint32_t)acc && high == 0);
      acc >>= 32;
    }
  }

  int *dq, q = 0;
  cudaMalloc((void **)&dq, 4);
  cudaMemset(dq, 0, 4);
  queens<<<8, 16 + 16>>>(9, dq);
  cudaMemcpy(&q, dq, 4, cudaMemcpyDeviceToHost);
  CHECK(q == 352);

  const int n = 4000;
  int *ds, *steps = (int *)malloc(n * 4), most = 0, who = 0;
  u64 *dbest, best;
  cudaMalloc((void **)&ds, n * 4); cudaMalloc((void **)&dbest, 8);
  cudaMemset(dbest, 0, 8);
  collatz<<<(n + 191) / 192, 192>>>(3, n, ds, dbest);
  cudaMemcpy(steps, ds, n * 4, cudaMemcpyDeviceToHost);
  CHECK(cudaMemcpy(&best, dbest, 8, cudaMemcpyDeviceToHost) == cudaSuccess);
  for (int i = 0; i < n; i++) {
    int k = 0;
    for (u64 v = 3 + i; v != 1; k++) v = v % 2 ? 3 * v + 1 : v / 2;
    CHECK(steps[i] == k);
    if (k > most) most = k, who = 3 + i;
  }
  CHECK((int)(best >> 32) == most && 0xffffffffu - (unsigned)best == (unsigned)who);
  printf("%d primes, %d solutions, %d steps\n", total, q, most);
  puts(wrong ? "FAILED" : "PASSED");
  return wrong != 0;
}
