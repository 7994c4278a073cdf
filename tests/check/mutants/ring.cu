// A ring of four slots between two blocks: volatile counters, __threadfence() before each of their
// stores and after each wait.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int SLOTS = 4, ITEMS = 40;
struct ring {
    volatile int head, tail; // written and taken so far
    int slot[SLOTS];
};

__global__ void run(ring *r, int *out)
{
    if (blockIdx.x == 0) {
        for (int i = 0; i < ITEMS; i++) {
            while (i - r->tail >= SLOTS + (BUG == 3))
                ;
            if (BUG != 4)
                __threadfence();
            r->slot[i % SLOTS] = i * i; // @put
            if (BUG == 5)
                __threadfence_block();
            else if (BUG != 1)
                __threadfence();
            r->head = i + 1;
        }
    } else {
        for (int i = 0; i < ITEMS; i++) {
            while (r->head <= i)
                ;
            if (BUG != 2)
                __threadfence();
            if (BUG == 6)
                r->tail = i + 1;
            out[i] = r->slot[i % SLOTS]; // @take
            __threadfence();
            if (BUG != 6)
                r->tail = i + 1;
        }
    }
}

int main()
{
    int h[ITEMS], *out, bad = 0;
    ring *r;
    cudaMalloc((void **)&r, sizeof(ring));
    cudaMalloc(&out, sizeof h);
    cudaMemset(r, 0, sizeof(ring));
    run<<<2, 1>>>(r, out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < ITEMS; i++)
        bad += h[i] != i * i;
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(r);
    cudaFree(out);
}
