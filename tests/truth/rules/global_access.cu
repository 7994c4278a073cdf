// Global memory: loads and stores of 8 to 128 bits in every pattern, one warp; also begun in the middle of a sector,
// and spread over many pages. A launch loads once through the pattern and stores once through it.
#include "patterns.h"

template <class T> __global__ void copy(const int *at, u32 mask, const T *in, T *to, u32 *out)
{
  int lane = threadIdx.x;
  if (mask >> lane & 1) {
    int e = at[lane];
    T v = in[e];
    to[e] = v;
    out[lane] = digest(v);
  }
}
struct three { // 12 bytes: three accesses of 32 bits
  u32 x, y, z;
};
struct six { // 6 bytes: three of 16
  u16 x, y, z;
};
BOTH void element(int e, three &v) { v = three{word(e, 0), word(e, 1), word(e, 2)}; }
BOTH void element(int e, six &v) { v = six{(u16)word(e, 0), (u16)word(e, 1), (u16)word(e, 2)}; }
BOTH u32 digest(three v) { return v.x ^ v.y * 3 ^ v.z * 5; }
BOTH u32 digest(six v) { return v.x ^ v.y * 3u ^ v.z * 5u; }

template <class T> static void one(const char *type, const pattern &p, u32 *out, int offset = 0, int spread = 1)
{
  std::string at_offset = offset ? ",offset=" + std::to_string(offset) : spread > 1 ? ",pages" : "";
  if (!want("%s,%s%s", type, p.title.c_str(), at_offset.c_str())) return;
  size_t n = (size_t)ELEMENTS * spread + 64;
  pattern q = p;
  std::vector<T> in(n);
  for (size_t i = 0; i < n; i++) element((int)i, in[i]);
  for (int &e : q.at) e = e * spread + offset;
  T *din = sent(in), *to = blank<T>(n);
  int *at = lanes(q);
  CK(cudaMemset(out, 0, 128));
  RUN(copy<T><<<1, 32>>>(at, q.mask, din, to, out));
  verdict(back(out, 32) == digests<T>(q));
  auto got = back(to, n);
  for (int i = 0; i < 32; i++)
    if (q.mask >> i & 1) verdict(digest(got[q.at[i]]) == digest_of<T>(q.at[i]), "stored");
  CK(cudaFree(din));
  CK(cudaFree(to));
  CK(cudaFree(at));
}
template <class T> static void all(const char *type, u32 *out, bool groups)
{
  auto few = strided();
  for (auto &p : few + (groups ? grouped() + masked() + shuffled(0, 1) : shuffled(0, 1))) one<T>(type, p, out);
  for (int o : {1, 2, 3, 5, 7, 15, 31}) one<T>(type, few[0], out, o);
  for (int o : {1, 3}) one<T>(type, few[3], out, o);
  for (auto &p : shuffled(0, 1)) one<T>(type, p, out, 0, 331);
}

int main(int argc, char **argv)
{
  init(argc, argv);
  u32 *out = blank<u32>(32);
  all<u8>("8", out, false);
  all<u16>("16", out, false);
  all<u32>("32", out, true);
  all<uint2>("64", out, true);
  all<uint4>("128", out, true);
  for (auto &p : strided()) one<three>("3x32", p, out);
  for (auto &p : strided()) one<six>("3x16", p, out);
  return finish();
}
