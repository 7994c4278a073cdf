// Bank accounts behind one lock: a block's first thread moves money between two of them.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int BLOCKS = 16, MOVES = 8, ACCOUNTS = 4;
struct bank {
    int lock, moves, account[ACCOUNTS];
};

__device__ void enter(bank *b)
{
    if (BUG == 3)
        while (atomicCAS_block(&b->lock, 0, 1) != 0) // @enter_block
            ;
    else
        while (atomicCAS(&b->lock, 0, 1) != 0) // @enter
            ;
    if (BUG != 2)
        __threadfence();
}

__device__ void leave(bank *b)
{
    if (BUG == 4)
        __threadfence_block();
    else if (BUG != 1)
        __threadfence();
    if (BUG == 5)
        b->lock = 0; // @leave_plain
    else
        atomicExch(&b->lock, 0); // @leave
}

__global__ void work(bank *b)
{
    if (threadIdx.x != 0)
        return;
    for (int i = 0; i < MOVES; i++) {
        int from = (blockIdx.x + i) % ACCOUNTS, to = (from + 1) % ACCOUNTS;
        if (BUG == 6 && b->account[from] < 1) // @early
            continue;
        enter(b);
        b->account[from] -= 1; // @from
        b->account[to] += 1;   // @to
        b->moves += 1;         // @moves
        leave(b);
    }
}

int main()
{
    bank h = {0, 0, {1000, 1000, 1000, 1000}}, *b;
    cudaMalloc(&b, sizeof h);
    cudaMemcpy(b, &h, sizeof h, cudaMemcpyHostToDevice);
    work<<<BLOCKS, 32>>>(b);
    cudaMemcpy(&h, b, sizeof h, cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int i = 0; i < ACCOUNTS; i++)
        sum += h.account[i];
    puts(sum == ACCOUNTS * 1000 && h.moves == BLOCKS * MOVES && !h.lock ? "PASSED" : "FAILED");
    cudaFree(b);
}
