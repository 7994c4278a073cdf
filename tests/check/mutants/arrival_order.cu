// Places given out by atomics. The clean program asks for nothing that depends on who comes first;
// each bug does.
#include <cstdio>
#include <cstring>
#ifndef BUG
#define BUG 0
#endif
const int BLOCKS = 8, THREADS = 32, N = BLOCKS * THREADS, SLOTS = 2 * N;
struct state {
    int count, ticket, first;
    float sum;
    int kept[N], head, next[N], slot[SLOTS], number[BLOCKS];
};

__global__ void sort_out(const int *a, state *s)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (a[i] % 3 == 0 && threadIdx.x == 0)
        s->kept[atomicAdd(&s->count, 1)] = i; // @kept
    if (threadIdx.x == 0) {
        s->next[i] = atomicExch(&s->head, i);                                              // @push
        atomicAdd(&s->sum, blockIdx.x == 0 ? 1e8f : BLOCKS - blockIdx.x == 1 ? -1e8f : 1); // @sum
        s->number[atomicAdd(&s->ticket, 1)] = blockIdx.x; // @number
        int at = i * 7 % 5;
        while (atomicCAS(&s->slot[at], 0, i + 1) != 0) // @slot
            at++;
        atomicCAS(&s->first, 0, i + 1); // @first
    }
}

int main()
{
    static int h[N];
    static state s;
    state *d;
    int *a, bad = 0, kept = 0, seen = 0;
    for (int i = 0; i < N; i++)
        h[i] = i * 3;
    s.head = -1;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&d, sizeof s);
    cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
    cudaMemcpy(d, &s, sizeof s, cudaMemcpyHostToDevice);
    sort_out<<<BLOCKS, THREADS>>>(a, d);
    cudaMemcpy(&s, d, sizeof s, cudaMemcpyDeviceToHost);
    for (int i = 0; i < s.count; i++)
        kept += BUG == 1 ? s.kept[i] == i * THREADS : s.kept[i] % THREADS == 0;
    bad += kept != BLOCKS;
    for (int i = s.head, wanted = N - THREADS; i >= 0; i = s.next[i], wanted -= THREADS, seen++)
        bad += BUG == 2 && i != wanted;
    bad += seen != BLOCKS;
    bad += BUG == 3 ? s.sum != 0 : s.sum < -16 || s.sum > 16;
    for (int i = 0, sum = 0; i < BLOCKS; i++) {
        sum += s.number[i];
        bad += BUG == 4 ? s.number[i] != i : i == BLOCKS - 1 && sum != BLOCKS * (BLOCKS - 1) / 2;
    }
    bad += BUG == 5 && (s.slot[0] != 1 || s.slot[1] != 4 * THREADS + 1);
    bad += BUG == 6 ? s.first != 1 : s.first == 0;
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(a);
    cudaFree(d);
}
