// Breadth-first search over a grid graph, a launch a level, with a frontier that grows by atomics.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int SIDE = 16, N = SIDE * SIDE, CAPACITY = BUG == 4 ? SIDE / 2 : N;

__global__ void expand(const int *frontier, const int *size, int *level, int depth, int *next,
                       int *next_size, int *changed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= *size)
        return;
    int v = frontier[i], x = v % SIDE, y = v / SIDE;
    int to[4] = {x ? v - 1 : -1, x < SIDE - 1 ? v + 1 : -1, y ? v - SIDE : -1,
                 y < SIDE - 1 ? v + SIDE : -1};
    for (int k = 0; k < 4; k++) {
        int w = to[k];
        if (w < 0)
            continue;
        if (BUG == 1) {
            if (level[w] != -1) // @test
                continue;
            level[w] = depth;                               // @mark
        } else if (atomicCAS(&level[w], -1, depth) != -1) { // @cas
            continue;
        }
        int at = BUG == 2 ? (*next_size)++ : atomicAdd(next_size, 1); // @slot
        next[at] = w;                                                 // @next
        if (BUG == 3)
            *changed = 1; // @changed
        else
            atomicExch(changed, 1);
    }
}

int main()
{
    static int level[N];
    int *list[2], *size[2], *l, *changed, again = 1, zero = 0, one = 1, bad = 0;
    for (int i = 0; i < 2; i++) {
        cudaMalloc(&list[i], CAPACITY * sizeof(int));
        cudaMalloc(&size[i], sizeof(int));
    }
    cudaMalloc(&l, sizeof level);
    cudaMalloc(&changed, sizeof(int));
    if (BUG != 5)
        cudaMemset(l, -1, sizeof level);
    cudaMemcpy(l, &zero, sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(list[0], &zero, sizeof(int), cudaMemcpyHostToDevice);
    cudaMemcpy(size[0], &one, sizeof(int), cudaMemcpyHostToDevice);
    for (int d = 1; again && d < 4 * SIDE; d++) {
        cudaMemset(size[d % 2], 0, sizeof(int));
        cudaMemset(changed, 0, sizeof(int));
        expand<<<4, N / 4>>>(list[1 - d % 2], size[1 - d % 2], l, d, list[d % 2], size[d % 2],
                             changed);
        cudaMemcpy(&again, changed, sizeof(int), cudaMemcpyDeviceToHost);
    }
    cudaMemcpy(level, l, sizeof level, cudaMemcpyDeviceToHost);
    for (int v = 0; v < N; v++)
        bad += level[v] != v % SIDE + v / SIDE;
    puts(bad ? "FAILED" : "PASSED");
    for (int i = 0; i < 2; i++) {
        cudaFree(list[i]);
        cudaFree(size[i]);
    }
    cudaFree(l);
    cudaFree(changed);
}
