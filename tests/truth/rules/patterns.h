// Which element each lane of a warp takes, and which lanes take part: the patterns of the memory programs.
#include <string>
#include "harness.h"

enum { ELEMENTS = 1088 }; // no pattern goes beyond

struct pattern {
  std::string title;
  unsigned mask;
  int at[32];
};

template <class F> static pattern make(std::string name, F lane_to_element, unsigned mask = ~0u)
{
  pattern p;
  p.title = name;
  p.mask = mask;
  g_rng = 12345;
  for (char c : name) g_rng = (g_rng ^ (unsigned char)c) * 16777619u | 1;
  for (int i = 0; i < 8; i++) rnd();
  for (int i = 0; i < 32; i++) p.at[i] = lane_to_element(i);
  return p;
}

static inline std::vector<pattern> strided()
{
  std::vector<pattern> v;
  v.push_back(make("unit", [](int i) { return i; }));
  v.push_back(make("reversed", [](int i) { return 31 - i; }));
  v.push_back(make("broadcast", [](int) { return 5; }));
  for (int s : {2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33})
    v.push_back(make("stride=" + std::to_string(s), [=](int i) { return i * s; }));
  for (int x : {1, 2, 5, 16, 21, 31}) v.push_back(make("xor=" + std::to_string(x), [=](int i) { return i ^ x; }));
  return v;
}
static inline std::vector<pattern> grouped()
{
  std::vector<pattern> v;
  for (int g : {2, 4, 8, 16}) {
    v.push_back(make("neighbours=" + std::to_string(g), [=](int i) { return i / g; }));
    v.push_back(make("neighbours_spread=" + std::to_string(g), [=](int i) { return i / g * 32; }));
    v.push_back(make("modulo=" + std::to_string(g), [=](int i) { return i % g; }));
    v.push_back(make("modulo_spread=" + std::to_string(g), [=](int i) { return i % g * 32; }));
  }
  return v;
}
static inline std::vector<pattern> shuffled(int first, int end)
{
  std::vector<pattern> v;
  for (int k = first; k < end; k++) {
    std::string n = std::to_string(k);
    int order[32], fresh = 1;
    v.push_back(make("permutation," + n, [&](int i) {
      if (fresh) {
        for (int j = 0; j < 32; j++) order[j] = j;
        for (int j = 31; j > 0; j--) std::swap(order[j], order[rnd() % (j + 1)]);
        fresh = 0;
      }
      return order[i];
    }));
    for (int of : {4, 16, 64, 256, 1024})
      v.push_back(make("random=" + std::to_string(of) + "," + n, [=](int) { return rnd() % of; }));
  }
  return v;
}
static inline std::vector<pattern> masked()
{
  std::vector<pattern> v;
  struct { const char *name; unsigned mask; } masks[] = {
      {"one", 1u << 13}, {"ends", 0x80000001}, {"even", 0x55555555}, {"low", 0xffff}, {"high", 0xffff0000},
      {"quarters", 0x00ff00ff}, {"sparse", 0x40344002}, {"dense", 0xfeb7dfef}};
  for (auto &m : masks) {
    std::string n = std::string(m.name) + ",";
    v.push_back(make(n + "unit", [](int i) { return i; }, m.mask));
    v.push_back(make(n + "stride=2", [](int i) { return 2 * i; }, m.mask));
    v.push_back(make(n + "random=64", [](int) { return rnd() % 64; }, m.mask));
  }
  return v;
}
// Two lanes alone, and four: where wide accesses are cut into groups, and when groups go together.
static inline std::vector<pattern> few_lanes()
{
  std::vector<pattern> v;
  for (auto &p : {std::pair<int, int>{0, 1}, {0, 2}, {0, 7}, {0, 8}, {4, 8}, {7, 8}, {0, 15}, {0, 16}, {8, 16}, {15, 16},
                  {0, 24}, {8, 24}, {16, 24}})
    for (auto &d : {std::pair<const char *, int>{"same", 0}, {"next", 1}, {"clash", 32}}) {
      int a = p.first, b = p.second, step = d.second;
      v.push_back(make("lanes=" + std::to_string(a) + "+" + std::to_string(b) + "," + d.first,
                       [=](int i) { return i == b ? step : 0; }, 1u << a | 1u << b));
    }
  for (auto &d : {std::pair<const char *, int>{"same", 0}, {"next", 1}, {"clash", 32}}) {
    int step = d.second;
    v.push_back(make(std::string("pairs_in_quarters,") + d.first, [=](int i) { return i / 8 * step + (i & 1); }, 0x03030303));
    v.push_back(make(std::string("quarters_alike,") + d.first, [=](int i) { return i % 8 + i / 8 * step * 8; }));
    v.push_back(make(std::string("halves_alike,") + d.first, [=](int i) { return i % 16 + i / 16 * step * 16; }));
    v.push_back(make(std::string("pairs,") + d.first, [=](int i) { return i / 2 * step; }));
    v.push_back(make(std::string("pairs_apart_2,") + d.first, [=](int i) { return (i / 4 * 2 + i % 2) * step; }));
  }
  return v;
}
static inline std::vector<pattern> operator+(std::vector<pattern> a, const std::vector<pattern> &b)
{
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Elements: what element e holds, as the device makes it, and the number that a lane writes down for it.
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;
#define BOTH static __host__ __device__ inline
BOTH u32 word(int e, int k) { return (u32)(e * 4 + k) * 2654435761u; }
BOTH void element(int e, u8 &v) { v = (u8)(e * 37 + 11); }
BOTH void element(int e, u16 &v) { v = (u16)(e * 517 + 11); }
BOTH void element(int e, u32 &v) { v = word(e, 0); }
BOTH void element(int e, uint2 &v) { v = make_uint2(word(e, 0), word(e, 1)); }
BOTH void element(int e, uint4 &v) { v = make_uint4(word(e, 0), word(e, 1), word(e, 2), word(e, 3)); }
BOTH u32 digest(u32 v) { return v; }
BOTH u32 digest(uint2 v) { return v.x ^ v.y * 3; }
BOTH u32 digest(uint4 v) { return v.x ^ v.y * 3 ^ v.z * 5 ^ v.w * 7; }

template <class T> static u32 digest_of(int e)
{
  T v;
  element(e, v);
  return digest(v);
}
// For each active lane the element of the next active lane.
static inline pattern turned(const pattern &p)
{
  pattern q = p;
  int last = -1, first = -1;
  for (int i = 0; i < 32; i++)
    if (p.mask >> i & 1) {
      if (last >= 0) q.at[last] = p.at[i];
      first = first < 0 ? i : first;
      last = i;
    }
  if (last >= 0) q.at[last] = p.at[first];
  return q;
}
template <class T> static std::vector<u32> digests(const pattern &p)
{
  std::vector<u32> v(32, 0);
  for (int i = 0; i < 32; i++)
    if (p.mask >> i & 1) v[i] = digest_of<T>(p.at[i]);
  return v;
}
static inline int *lanes(const pattern &p) { return sent(std::vector<int>(p.at, p.at + 32)); }
