// A queue of tasks that tasks add to: a tree is walked from its root, and each node counted once.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int NODES = 255, BLOCKS = 4;
struct queue {
    int head, tail, done;
    int ready[NODES], task[NODES];
};

__device__ void push(queue *q, int node)
{
    int at = BUG == 1 ? q->tail++ : atomicAdd(&q->tail, 1); // @push
    if (BUG == 2)
        atomicExch(&q->ready[at], 1);
    q->task[at] = node; // @store
    if (BUG != 3)
        __threadfence();
    if (BUG != 2)
        atomicExch(&q->ready[at], 1);
}

__global__ void walk(queue *q, int *visits)
{
    if (threadIdx.x)
        return;
    for (;;) {
        int at = atomicAdd(&q->head, 1);
        if (at >= NODES || (BUG == 5 && at >= q->tail)) // @tail
            return;
        while (atomicAdd(&q->ready[at], 0) == 0) // @wait
            ;
        __threadfence();
        int node = q->task[at]; // @fetch
        if (BUG == 4)
            q->done++; // @done
        else
            atomicAdd(&q->done, 1);
        visits[node] += 1;
        if (2 * node + 2 < NODES) {
            push(q, 2 * node + 1);
            push(q, 2 * node + 2);
        }
    }
}

int main()
{
    static queue h;
    static int v[NODES];
    queue *q;
    int *visits, bad = 0;
    h.tail = h.ready[0] = 1;
    cudaMalloc(&q, sizeof h);
    cudaMalloc(&visits, sizeof v);
    cudaMemcpy(q, &h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemset(visits, 0, sizeof v);
    walk<<<BLOCKS, 32>>>(q, visits);
    cudaMemcpy(&h, q, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(v, visits, sizeof v, cudaMemcpyDeviceToHost);
    for (int i = 0; i < NODES; i++)
        bad += v[i] != 1;
    puts(bad || h.done != NODES ? "FAILED" : "PASSED");
    cudaFree(q);
    cudaFree(visits);
}
