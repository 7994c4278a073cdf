// Particles as structs with arrays inside.
#include <cstdio>
#ifndef BUG
#define BUG 0
#endif
const int N = 64, DIM = 3, TRAIL = 4;
struct particle {
    int position[DIM];
    int velocity[DIM];
    int trail[TRAIL];
    int steps;
};

__global__ void move(particle *p, int steps)
{
    particle *me = p + threadIdx.x;
    for (int s = 0; s < steps; s++) {
        for (int d = 0; d < DIM + (BUG == 1); d++)
            me->position[d] += me->velocity[d];                              // @move
        me->trail[BUG == 2 ? s % (TRAIL + 1) : s % TRAIL] = me->position[0]; // @trail
        me->steps++;
    }
}

__global__ void slowest(const particle *p, int *out)
{
    particle mine;
    for (int d = 0; d < DIM - (BUG == 4); d++)
        mine.velocity[d] = p[threadIdx.x].velocity[d];
    int low = mine.velocity[0];
    for (int d = 1; d < DIM; d++)
        low = min(low, mine.velocity[BUG == 3 ? d - 2 : d]); // @low
    out[threadIdx.x] = low;                                  // @result
}

int main()
{
    static particle h[N], want[N];
    int low[N], *out, bad = 0, steps = 6;
    particle *p;
    for (int i = 0; i < N; i++)
        for (int d = 0; d < DIM; d++)
            h[i].velocity[d] = 1 + (i + d * 5) % 7;
    cudaMalloc(&p, sizeof h);
    cudaMalloc(&out, sizeof low);
    cudaMemcpy(p, h, sizeof h, cudaMemcpyHostToDevice);
    move<<<1, N>>>(p, steps);
    slowest<<<1, N>>>(p, out);
    cudaMemcpy(want, p, sizeof want, cudaMemcpyDeviceToHost);
    cudaMemcpy(low, out, sizeof low, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        int *v = h[i].velocity, l = v[0] < v[1] ? v[0] : v[1];
        bad += want[i].position[2] != v[2] * steps || want[i].steps != steps;
        bad += low[i] != (l < v[2] ? l : v[2]);
    }
    puts(bad ? "FAILED" : "PASSED");
    cudaFree(p);
    cudaFree(out);
}
