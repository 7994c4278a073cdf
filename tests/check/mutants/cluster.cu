// The blocks of a cluster add up their sums through distributed shared memory.
#include <cstdio>
#include <cooperative_groups.h>
#ifndef BUG
#define BUG 0
#endif
namespace cg = cooperative_groups;
const int SIZE = 4, THREADS = 64, CLUSTERS = 2, BLOCKS = SIZE * CLUSTERS;

__global__ void __cluster_dims__(SIZE, 1, 1) sum(const int *a, int *out)
{
    __shared__ int mine, total;
    cg::cluster_group cluster = cg::this_cluster();
    int t = threadIdx.x;
    if (t == 0)
        mine = total = 0; // @clear
    __syncthreads();
    atomicAdd(&mine, a[blockIdx.x * THREADS + t]);
    if (BUG == 1)
        __syncthreads();
    else
        cluster.sync();
    if (t == 0) {
        int *first = cluster.map_shared_rank(&total, 0);
        if (BUG == 2)
            *first += mine; // @plain
        else
            atomicAdd(first, mine); // @remote
    }
    if (BUG != 3)
        cluster.sync();
    if (cluster.block_rank() == 0 && t == 0)
        out[blockIdx.x / SIZE] = total; // @total
    if (BUG == 4) {
        out[CLUSTERS + blockIdx.x] = *cluster.map_shared_rank(&mine, 0); // @late
    } else {
        int rank = BUG == 5 ? cluster.block_rank() + 1 : 0;
        out[CLUSTERS + blockIdx.x] = *cluster.map_shared_rank(&mine, rank); // @other
        cluster.sync();
    }
}

int main()
{
    static int h[BLOCKS * THREADS];
    int got[CLUSTERS + BLOCKS], part[BLOCKS] = {}, *a, *out, bad = 0;
    for (int i = 0; i < BLOCKS * THREADS; i++)
        part[i / THREADS] += h[i] = i % 13;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&out, sizeof got);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    sum<<<BLOCKS, THREADS>>>(a, out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int c = 0; c < CLUSTERS; c++) {
        int *p = part + c * SIZE;
        bad += got[c] != p[0] + p[1] + p[2] + p[3];
        for (int b = 0; b < SIZE; b++)
            bad += got[CLUSTERS + c * SIZE + b] != p[0];
    }
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(out);
}
