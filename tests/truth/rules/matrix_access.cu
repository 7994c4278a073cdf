// Rows of shared memory that a warp loads and stores as matrices of 8 by 8 halves: ldmatrix and stmatrix, one, two and four matrices,
// with the row of each lane by the patterns of patterns.h (an element is a row of 16 bytes), one warp. Lanes that name no row have the
// address 0. The load kernel fills with 128-bit stores; the store kernel stores once and reads back with 128-bit loads.
#include "patterns.h"

template <int n, bool trans> __device__ void load_matrices(u32 *r, u32 at)
{
  if (n == 1) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(at) : "memory");
  if (n == 2) asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at) : "memory");
  if (n == 4 && !trans)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
  if (n == 4 && trans)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}
template <int n> __device__ void store_matrices(const u32 *r, u32 at)
{
  if (n == 1) asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at), "r"(r[0]) : "memory");
  if (n == 2) asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(at), "r"(r[0]), "r"(r[1]) : "memory");
  if (n == 4)
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
}

template <int n, bool trans> __global__ void load(const int *at, u32 *out)
{
  __shared__ __align__(16) uint4 s[ELEMENTS];
  int lane = threadIdx.x;
  u32 r[4] = {0};
  for (int i = lane; i < ELEMENTS; i += 32) element(i, s[i]);
  __syncthreads();
  load_matrices<n, trans>(r, (u32)__cvta_generic_to_shared(lane < 8 * n ? &s[at[lane]] : s));
  out[lane] = r[0] ^ r[1] * 3 ^ r[2] * 5 ^ r[3] * 7;
}
template <int n> __global__ void store(const int *at, u32 *out)
{
  __shared__ __align__(16) uint4 s[ELEMENTS];
  int lane = threadIdx.x;
  u32 r[4];
  for (int m = 0; m < 4; m++) r[m] = word(lane, m);
  store_matrices<n>(r, (u32)__cvta_generic_to_shared(lane < 8 * n ? &s[at[lane]] : s));
  __syncthreads();
  uint4 v = lane < 8 * n ? s[at[lane]] : make_uint4(0, 0, 0, 0);
  out[lane] = v.x ^ v.y * 3 ^ v.z * 5 ^ v.w * 7;
}

static u32 half_of(int e, int column) { return word(e, column / 2) >> column % 2 * 16 & 0xffff; }

template <int n, bool trans> static void loads(const pattern &p, u32 *out)
{
  int *at = lanes(p);
  static const u32 times[] = {1, 3, 5, 7};
  std::vector<u32> wanted(32);
  if (!want("ldmatrix,x%d%s,%s", n, trans ? ",trans" : "", p.title.c_str())) return;
  RUN(load<n, trans><<<1, 32>>>(at, out));
  for (int lane = 0; lane < 32; lane++)
    for (int m = 0; m < n; m++) {
      int row = lane / 4, column = lane % 4 * 2;
      u32 low = trans ? half_of(p.at[8 * m + column], row) : half_of(p.at[8 * m + row], column);
      u32 high = trans ? half_of(p.at[8 * m + column + 1], row) : half_of(p.at[8 * m + row], column + 1);
      wanted[lane] ^= (low | high << 16) * times[m];
    }
  verdict(back(out, 32) == wanted);
  CK(cudaFree(at));
}
// Rows that several lanes name keep what is stored last: those are not judged.
template <int n> static void stores(const pattern &p, u32 *out)
{
  int *at = lanes(p);
  if (!want("stmatrix,x%d,%s", n, p.title.c_str())) return;
  RUN(store<n><<<1, 32>>>(at, out));
  std::vector<u32> got = back(out, 32);
  for (int lane = 0; lane < 8 * n; lane++) {
    int named = 0;
    for (int other = 0; other < 8 * n; other++) named += p.at[other] == p.at[lane];
    int first = lane % 8 * 4, m = lane / 8;
    u32 wanted = word(first, m) ^ word(first + 1, m) * 3 ^ word(first + 2, m) * 5 ^ word(first + 3, m) * 7;
    if (named == 1) verdict(got[lane] == wanted);
  }
  CK(cudaFree(at));
}

int main(int argc, char **argv)
{
  init(argc, argv);
  u32 *out = blank<u32>(32);
  for (auto &p : strided() + grouped() + shuffled(0, 3)) {
    loads<1, false>(p, out);
    loads<2, false>(p, out);
    loads<4, false>(p, out);
    loads<4, true>(p, out);
    stores<1>(p, out);
    stores<2>(p, out);
    stores<4>(p, out);
  }
  return finish();
}
