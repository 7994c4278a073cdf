// A tile comes by cp.async.bulk with an mbarrier that counts its bytes, is changed, and goes back
// by a bulk store.
#include <cstdio>
#include <cstdint>
#ifndef BUG
#define BUG 0
#endif
const int TILE = 128, TILES = 4;

__device__ unsigned address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__global__ void scale(const int *a, int *out)
{
    __shared__ alignas(16) int tile[TILE];
    __shared__ uint64_t full;
    int t = threadIdx.x, bytes = sizeof tile;
    if (t == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&full)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    for (int r = 0; r < TILES; r++) {
        const int *from = a + r * TILE + (BUG == 4 ? 4 : 0);
        if (t == 0) {
            int awaited = BUG == 1 ? bytes / 2 : BUG == 2 ? bytes + 16 : bytes;
            asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address(&full)),
                         "r"(awaited)
                         : "memory"); // @expect
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                         "[%0], [%1], %2, [%3];" ::"r"(address(tile)),
                         "l"(from), "r"(bytes), "r"(address(&full))
                         : "memory"); // @copy
        }
        for (int done = 0; !done && BUG != 3;)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
                         "selp.s32 %0, 1, 0, p; }"
                         : "=r"(done)
                         : "r"(address(&full)), "r"(r % 2)
                         : "memory"); // @wait
        tile[t] *= 3;                 // @change
        if (BUG != 5)
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        if (t == 0) {
            asm volatile(
                "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(out + r * TILE),
                "r"(address(tile)), "r"(bytes)
                : "memory"); // @store
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            if (BUG != 6)
                asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        }
        __syncthreads();
    }
    if (t == 0)
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

int main()
{
    static int h[TILES * TILE], got[TILES * TILE];
    int *a, *out, bad = 0;
    for (int i = 0; i < TILES * TILE; i++)
        h[i] = i - 7;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&out, sizeof h);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    scale<<<1, TILE>>>(a, out);
    cudaMemcpy(got, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < TILES * TILE; i++)
        bad += got[i] != h[i] * 3;
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(out);
}
