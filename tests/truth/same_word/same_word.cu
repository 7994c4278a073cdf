// Which lane's value stays when lanes of a warp store to one address? Prints, for each space, width, pattern of addresses and mask of lanes,
// whose value each lane finds (77: nobody stored). h200.txt: ./same_word. Built with nvcc -O3 -arch=sm_90.
#include <cstdio>
#include <cstdint>
template <class T> __device__ T of(unsigned lane);
template <> __device__ uint8_t of(unsigned l) { return l; }
template <> __device__ uint16_t of(unsigned l) { return l; }
template <> __device__ uint32_t of(unsigned l) { return l; }
template <> __device__ uint2 of(unsigned l) { return make_uint2(l, l); }
template <> __device__ uint4 of(unsigned l) { return make_uint4(l, l, l, l); }
__device__ unsigned first(uint8_t v) { return v; }
__device__ unsigned first(uint16_t v) { return v; }
__device__ unsigned first(uint32_t v) { return v; }
__device__ unsigned first(uint2 v) { return v.x == v.y ? v.x : 99; }
__device__ unsigned first(uint4 v) { return v.x == v.y && v.x == v.z && v.x == v.w ? v.x : 99; }
// pattern: cell of a lane. mask: the lanes that store. times: stores of the pattern that follow each other
__device__ unsigned cell(int pattern, unsigned lane)
{
    switch (pattern) {
    case 0: return 0;
    case 1: return lane / 2;
    case 2: return lane % 2;
    case 3: return lane % 5;
    case 4: return lane % 16;
    case 5: return (lane * 7 + 3) % 11;
    case 6: return 64 * (lane % 3);
    default: return (31 - lane) / 4;
    }
}
template <class T, bool SHARED> __global__ void stores(T *out, unsigned *kept, int pattern, unsigned mask)
{
    __shared__ T cells[256];
    unsigned lane = threadIdx.x;
    T *to = SHARED ? cells : out;
    for (int i = lane; i < 256; i += 32) to[i] = of<T>(77);
    __syncthreads();
    if (mask >> lane & 1) to[cell(pattern, lane)] = of<T>(lane);
    __syncthreads();
    kept[lane] = first(to[cell(pattern, lane)]);
}
template <class T, bool SHARED> void test(const char *name)
{
    T *out; unsigned *kept, h[32];
    cudaMalloc(&out, 256 * sizeof(T)); cudaMalloc(&kept, sizeof h);
    const unsigned masks[] = {~0u, 0xfffffffeu, 0x7fffffffu, 0x0ff0a5f0u, 0x55555555u, 0xffff0000u};
    for (int p = 0; p < 8; p++)
        for (unsigned m : masks) {
            stores<T, SHARED><<<1, 32>>>(out, kept, p, m);
            if (cudaMemcpy(h, kept, sizeof h, cudaMemcpyDeviceToHost)) { printf("failed\n"); return; }
            printf("%s %zu pattern %d mask %08x:", name, sizeof(T), p, m);
            for (int i = 0; i < 32; i++) {
                printf(" %u", h[i]);
            }
            printf("\n");
        }
}
int main()
{
    test<uint8_t, false>("global"); test<uint16_t, false>("global"); test<uint32_t, false>("global"); test<uint2, false>("global"); test<uint4, false>("global");
    test<uint8_t, true>("shared"); test<uint16_t, true>("shared"); test<uint32_t, true>("shared"); test<uint2, true>("shared"); test<uint4, true>("shared");
}
