// Blocks that share a few words: a table made once, a count, a claim. Each bug passes where one
// block runs at a time.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int BLOCKS = 8, SIZE = 16;
struct shared_state {
    int lock, made, count, claimed, owner, left;
    int table[SIZE];
};

__global__ void work(shared_state *s, int *out)
{
    if (threadIdx.x)
        return;
    volatile int *made = &s->made;
    if (BUG == 1 ? !s->made : atomicAdd(&s->made, 0) == 0) { // @made
        while (atomicCAS(&s->lock, 0, 1))
            ;
        __threadfence();
        if (!*made) {
            for (int i = 0; i < SIZE; i++)
                s->table[i] = i * i; // @table
            if (BUG != 2)
                __threadfence();
            atomicExch(&s->made, 1); // @publish
        }
        __threadfence();
        atomicExch(&s->lock, 0);
    }
    __threadfence();
    out[blockIdx.x] = s->table[blockIdx.x]; // @lookup
    if (BUG == 3) {
        volatile int *count = &s->count;
        *count = *count + 1; // @count
    } else {
        atomicAdd(&s->count, 1);
    }
    if (BUG == 4) {
        if (s->claimed == 0) { // @claimed
            s->claimed = 1;    // @claim
            s->owner += 1;     // @owner
        }
    } else if (atomicExch(&s->claimed, 1) == 0) {
        s->owner += 1;
    }
    if (BUG == 5) {
        if (s->left > 0) // @left
            s->left--;   // @take
    } else {
        atomicSub(&s->left, 1);
    }
}

int main()
{
    int got[BLOCKS], *out, bad = 0;
    shared_state h = {}, *s;
    h.left = BLOCKS;
    cudaMalloc(&s, sizeof h);
    cudaMalloc(&out, sizeof got);
    cudaMemcpy(s, &h, sizeof h, cudaMemcpyHostToDevice);
    work<<<BLOCKS, 32>>>(s, out);
    cudaMemcpy(&h, s, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < BLOCKS; i++)
        bad += got[i] != i * i;
    puts(bad || h.count != BLOCKS || h.owner != 1 || h.left ? "FAILED" : "PASSED");
    cudaFree(s);
    cudaFree(out);
}
