/* Cellular automata: Conway's rule of bytes and of 64 cells a word, rows of a one-dimensional rule, a sandpile, a wheel of states. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>

#define NX 128
#define NY 75
#define CELL(a, x, y) (a)[(((y) + NY) % NY) * NX + (((x) + NX) % NX)]

static int failures;
#define EXPECT(c) do { if (!(c) && failures++ < 5) printf("line %d: %s\n", __LINE__, #c); } while (0)

__global__ void lifeBytes(const uint8_t *in, uint8_t *out)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y;
  int alive = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dx || dy)
        alive += in[((y + dy + NY) % NY) * NX + ((x + dx + NX) & (NX - 1))];
  out[y * NX + x] = alive == 3 || (alive == 2 && in[y * NX + x]);
}

__device__ void add3(uint64_t a, uint64_t b, uint64_t c, uint64_t *sum, uint64_t *carry)
{
  uint64_t half = a ^ b;
  *sum = half ^ c;
  *carry = (a & b) | (half & c);
}

__device__ uint64_t west(const uint64_t *row, int words, int w) { return row[w] << 1 | row[w ? w - 1 : words - 1] >> 63; }
__device__ uint64_t east(const uint64_t *row, int words, int w) { return row[w] >> 1 | row[w + 1 < words ? w + 1 : 0] << 63; }

/* a thread takes 64 cells; the counts are added bit by bit */
__global__ void lifeWords(const uint64_t *in, uint64_t *out, int words, int height)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words * height) return;
  int w = i % words, y = i / words;
  const uint64_t *above = in + (y ? y - 1 : height - 1) * words, *mid = in + y * words, *below = in + (y + 1 < height ? y + 1 : 0) * words;
  uint64_t s0, c0, s1, c1, s2, c2, ones, twos, fours, t, u;
  add3(west(above, words, w), above[w], east(above, words, w), &s0, &c0);
  add3(west(below, words, w), below[w], east(below, words, w), &s1, &c1);
  s2 = west(mid, words, w) ^ east(mid, words, w);
  c2 = west(mid, words, w) & east(mid, words, w);
  add3(s0, s1, s2, &ones, &t);
  add3(c0, c1, c2, &u, &fours);
  twos = t ^ u;
  fours ^= t & u;
  out[i] = twos & ~fours & (ones | mid[w]);
}

/* each block lets its own row of 256 cells live for some steps */
__global__ void ruleRows(uint32_t *rows, int rule, int steps)
{
  __shared__ uint8_t cell[2][256];
  int x = threadIdx.x;
  cell[0][x] = rows[blockIdx.x * 8 + x / 32] >> (x % 32) & 1;
  __syncthreads();
  int now = 0;
  for (int s = 0; s < steps; s++) {
    int pattern = cell[now][(x + 255) & 255] << 2 | cell[now][x] << 1 | cell[now][(x + 1) & 255];
    cell[now ^ 1][x] = rule >> pattern & 1;
    now ^= 1;
    __syncthreads();
  }
  unsigned word = __ballot_sync(0xffffffff, cell[now][x]);
  if (x % 32 == 0) rows[blockIdx.x * 8 + x / 32] = word;
}

__global__ void topple(const int *in, int *out, int width, int height, int *moved)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int tall = 0;
  if (x < width && y < height) {
    int h = in[y * width + x];
    tall = h > 3;
    int keep = h & 3;
    if (x > 0) keep += in[y * width + x - 1] >> 2;
    if (x + 1 < width) keep += in[y * width + x + 1] >> 2;
    if (y > 0) keep += in[(y - 1) * width + x] >> 2;
    if (y + 1 < height) keep += in[(y + 1) * width + x] >> 2;
    out[y * width + x] = keep;
  }
  int n = __syncthreads_count(tall);
  if (threadIdx.x == 0 && threadIdx.y == 0 && n) atomicAdd(moved, n);
}

enum State { EMPTY, HEAD, TAIL, WIRE };

__global__ void wireworld(const uint8_t *in, uint8_t *out)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= NX || y >= NY) return;
  uint8_t next;
  switch (in[y * NX + x]) {
  case HEAD: next = TAIL; break;
  case TAIL: next = WIRE; break;
  case WIRE: {
    int heads = 0;
    for (int k = 0; k < 9; k++) {
      int xx = x + k % 3 - 1, yy = y + k / 3 - 1;
      if (xx < 0 || yy < 0 || xx >= NX || yy >= NY) continue;
      if (in[yy * NX + xx] == HEAD && ++heads > 2) break;
    }
    next = heads == 1 || heads == 2 ? HEAD : WIRE;
    break;
  }
  default: next = EMPTY;
  }
  out[y * NX + x] = next;
}

static unsigned seed = 2024;
static unsigned draw(void) { seed = seed * 1103515245u + 12345u; return seed >> 16; }

int main(void)
{
  uint8_t *a = (uint8_t *)malloc(NX * NY), *b = (uint8_t *)malloc(NX * NY), *da, *db;
  for (int i = 0; i < NX * NY; i++) a[i] = draw() % 5 < 2;
  cudaMalloc((void **)&da, NX * NY); cudaMalloc((void **)&db, NX * NY);
  cudaMemcpy(da, a, NX * NY, cudaMemcpyHostToDevice);
  lifeBytes<<<dim3(2, NY), 64>>>(da, db);
  cudaMemcpy(b, db, NX * NY, cudaMemcpyDeviceToHost);
  const int words = NX / 64;
  uint64_t pack[NX / 64 * NY], *dw, *dv;
  memset(pack, 0, sizeof pack);
  for (int i = 0; i < NX * NY; i++) pack[i / NX * words + i % NX / 64] |= (uint64_t)a[i] << (i % 64);
  cudaMalloc((void **)&dw, sizeof pack); cudaMalloc((void **)&dv, sizeof pack);
  cudaMemcpy(dw, pack, sizeof pack, cudaMemcpyHostToDevice);
  lifeWords<<<(words * NY + 15) / 16, 16>>>(dw, dv, words, NY);
  cudaMemcpy(pack, dv, sizeof pack, cudaMemcpyDeviceToHost);
  for (int y = 0; y < NY; y++)
    for (int x = 0; x < NX; x++) {
      int n = 0;
      for (int k = 0; k < 9; k++) if (k != 4) n += CELL(a, x + k % 3 - 1, y + k / 3 - 1);
      int want = n == 3 || (n == 2 && a[y * NX + x]);
      EXPECT(b[y * NX + x] == want);
      EXPECT((int)(pack[y * words + x / 64] >> (x % 64) & 1) == want);
    }

  const int rows = 24, steps = 37;
  uint32_t r[24 * 8], g[24 * 8], *dr;
  for (int i = 0; i < rows * 8; i++) r[i] = draw() << 16 | draw();
  cudaMalloc((void **)&dr, sizeof r);
  cudaMemcpy(dr, r, sizeof r, cudaMemcpyHostToDevice);
  ruleRows<<<rows, 256>>>(dr, 110, steps);
  cudaMemcpy(g, dr, sizeof g, cudaMemcpyDeviceToHost);
  for (int i = 0; i < rows; i++) {
    uint8_t c[256], t[256];
    for (int x = 0; x < 256; x++) c[x] = r[i * 8 + x / 32] >> (x % 32) & 1;
    for (int s = 0; s < steps; s++) {
      for (int x = 0; x < 256; x++) t[x] = 110 >> (c[(x + 255) % 256] * 4 + c[x] * 2 + c[(x + 1) % 256]) & 1;
      memcpy(c, t, 256);
    }
    for (int x = 0; x < 256; x++) EXPECT((g[i * 8 + x / 32] >> (x % 32) & 1) == c[x]);
  }

  const int w = 90, h = 61;
  int *pile = (int *)malloc(w * h * 4), *got = (int *)malloc(w * h * 4), *dp, *dq, *dm, moved, tall = 0;
  for (int i = 0; i < w * h; i++) pile[i] = draw() % 9, tall += pile[i] > 3;
  cudaMalloc((void **)&dp, w * h * 4); cudaMalloc((void **)&dq, w * h * 4); cudaMalloc((void **)&dm, 4);
  cudaMemcpy(dp, pile, w * h * 4, cudaMemcpyHostToDevice);
  cudaMemset(dm, 0, 4);
  topple<<<dim3((w + 31) / 32, (h + 5) / 6), dim3(32, 6)>>>(dp, dq, w, h, dm);
  cudaMemcpy(got, dq, w * h * 4, cudaMemcpyDeviceToHost);
  cudaMemcpy(&moved, dm, 4, cudaMemcpyDeviceToHost);
  EXPECT(moved == tall);
  for (int y = 0; y < h; y++)
    for (int x = 0; x < w; x++) {
      int k = pile[y * w + x] % 4;
      if (x) k += pile[y * w + x - 1] / 4;
      if (x < w - 1) k += pile[y * w + x + 1] / 4;
      if (y) k += pile[(y - 1) * w + x] / 4;
      if (y < h - 1) k += pile[(y + 1) * w + x] / 4;
      EXPECT(got[y * w + x] == k);
    }

  for (int i = 0; i < NX * NY; i++) a[i] = draw() % 3 ? draw() % 4 : 0;
  cudaMemcpy(da, a, NX * NY, cudaMemcpyHostToDevice);
  wireworld<<<dim3(NX / 32, (NY + 7) / 8), dim3(32, 8)>>>(da, db);
  EXPECT(cudaMemcpy(b, db, NX * NY, cudaMemcpyDeviceToHost) == cudaSuccess);
  for (int y = 0; y < NY; y++)
    for (int x = 0; x < NX; x++) {
      int s = a[y * NX + x], heads = 0;
      for (int yy = y - 1; yy <= y + 1; yy++)
        for (int xx = x - 1; xx <= x + 1; xx++)
          if (xx >= 0 && yy >= 0 && xx < NX && yy < NY) heads += a[yy * NX + xx] == HEAD;
      int want = s == HEAD ? TAIL : s == TAIL ? WIRE : s == WIRE ? (heads == 1 || heads == 2 ? HEAD : WIRE) : EMPTY;
      EXPECT(b[y * NX + x] == want);
    }
  puts(failures ? "FAILED" : "PASSED");
  return failures != 0;
}
