// Reductions (additions without result) of one warp at scattered addresses: many random ones over 16 to 65536 words, and
// pairs of lanes on one word at every distance among lanes on other words of the same or other sectors and lines.
#include "patterns.h"

__global__ void add(const int *at, u32 mask, u32 *to)
{
  int lane = threadIdx.x;
  if (mask >> lane & 1) atomicAdd(to + at[lane], 1u + lane);
}
__global__ void add_used(const int *at, u32 mask, u32 *to, u32 *out)
{
  int lane = threadIdx.x;
  if (mask >> lane & 1) out[lane] = atomicAdd(to + at[lane], 1u + lane);
}
enum { WORDS = 65536 };
static u32 *to, *out;

static void one(const pattern &p, bool used)
{
  if (!want("%s,%s", used ? "atom" : "red", p.title.c_str())) return;
  int *at = lanes(p);
  CK(cudaMemset(to, 0, WORDS * 4));
  if (used)
    RUN(add_used<<<1, 32>>>(at, p.mask, to, out));
  else
    RUN(add<<<1, 32>>>(at, p.mask, to));
  auto got = back(to, WORDS);
  std::vector<u32> ref(WORDS, 0);
  for (int i = 0; i < 32; i++)
    if (p.mask >> i & 1) ref[p.at[i]] += 1u + i;
  verdict(got == ref);
  CK(cudaFree(at));
}

int main(int argc, char **argv)
{
  init(argc, argv);
  to = blank<u32>(WORDS);
  out = blank<u32>(32);
  for (int of : {16, 32, 64, 128, 256, 512, 1024, 4096, 65536})
    for (int k = 0; k < 24; k++) {
      auto p = make("words=" + std::to_string(of) + "," + std::to_string(k), [=](int) { return rnd() % of; });
      one(p, false);
      if (k < 4) one(p, true);
    }
  // fewer lanes, no word twice
  for (int n : {6, 8, 10, 12, 16, 20})
    for (int k = 0; k < 20; k++) {
      int of = k < 10 ? 256 : 512;
      auto p = make("lanes=" + std::to_string(n) + ",words=" + std::to_string(of) + "," + std::to_string(k), [=](int) { return rnd() % of; });
      p.mask = (1u << n) - 1;
      for (int i = 0; i < n; i++) // the next free word
        for (int j = 0; j < i; j++)
          if (p.at[j] == p.at[i]) p.at[i] = (p.at[i] + 1) % of, j = -1;
      one(p, false);
    }
  // the same with a sector each word, a line each word: only the grouping of lanes can matter
  for (int spread : {8, 32, 40})
    for (int of : {8, 16, 24, 32, 64})
      for (int k = 0; k < 6; k++)
        one(make("spread=" + std::to_string(spread) + ",words=" + std::to_string(of) + "," + std::to_string(k),
                 [=](int) { return rnd() % of * spread; }), false);
  // lane j repeats the word of lane i; the other lanes have a line each, a sector each, or share the sector of the word
  for (int i : {0, 3})
    for (int j = i + 1; j < 32; j += j < 8 ? 1 : 4)
      for (const char *others : {"line", "sector", "same_sector"}) {
        auto word = [=](int lane) {
          if (lane == i || lane == j) return 0;
          if (others[0] == 'l') return lane * 32 + 32;
          if (others[1] == 'e') return lane * 8 + 8;
          return lane % 7 + 1;
        };
        one(make("pair=" + std::to_string(i) + "+" + std::to_string(j) + "," + others, word), false);
      }
  // n lanes: a neighbour in the same sector follows d lanes later, everything else on lines of its own
  for (int d : {1, 2, 4, 8, 16})
    for (int n : {4, 8, 12, 16, 24, 32})
      one(make("sector_again=" + std::to_string(d) + ",lanes=" + std::to_string(n),
               [=](int lane) { return lane == d ? 1 : lane ? lane * 32 : 0; }, n == 32 ? ~0u : (1u << n) - 1), false);
  return finish();
}
