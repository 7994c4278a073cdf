// Shortest paths: rounds over all edges until none brings a vertex nearer.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int N = 128, EDGES = 3 * N, FAR = 1 << 20;
struct edge {
    int from, to, length;
};

__global__ void relax(const edge *e, int *dist, int *parent, int *again)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= EDGES + (BUG == 4))
        return;
    edge x = e[i];                                                 // @edge
    int d = BUG == 2 ? dist[x.from] : atomicAdd(&dist[x.from], 0); // @from
    d += x.length;
    if (BUG == 1) {
        if (d < dist[x.to]) { // @test
            dist[x.to] = d;   // @store
            atomicExch(again, 1);
        }
    } else if (d < atomicMin(&dist[x.to], d)) { // @min
        if (BUG == 3)
            parent[x.to] = x.from; // @parent
        atomicExch(again, 1);
    }
}

int main()
{
    static edge h[EDGES];
    static int dist[N], want[N];
    edge *e;
    int *d, *parent, *again, more = 1, bad = 0;
    for (int i = 0; i < EDGES; i++)
        h[i] = {i % N, (i * 5 + i / N * 17 + 1) % N, i % 9 + 1};
    for (int i = 0; i < N; i++)
        want[i] = dist[i] = i ? FAR : 0;
    for (int round = 0; round < N; round++)
        for (edge x : h)
            if (want[x.from] + x.length < want[x.to])
                want[x.to] = want[x.from] + x.length;
    cudaMalloc(&e, sizeof h);
    cudaMalloc(&d, sizeof dist);
    cudaMalloc(&parent, sizeof dist);
    cudaMalloc(&again, sizeof(int));
    cudaMemcpy(e, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(d, dist, sizeof dist, cudaMemcpyHostToDevice);
    for (int round = 0; more && round < N; round++) {
        cudaMemset(again, 0, sizeof(int));
        relax<<<7, 64>>>(e, d, parent, again);
        cudaMemcpy(&more, again, sizeof(int), cudaMemcpyDeviceToHost);
    }
    cudaMemcpy(dist, d, sizeof dist, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        bad += dist[i] != want[i];
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(e);
    cudaFree(d);
    cudaFree(parent);
    cudaFree(again);
}
