// Lanes that wait for others let them run, though they part and meet again at each turn.
#include <cstdio>

__device__ volatile int flag[3], odd[32], even[32];

__device__ void turn(int lane)
{
    if (lane & 1)
        odd[lane] = odd[lane] * 3 + 1;
    else
        even[lane] = even[lane] + 5;
}

// One warp waits for the next one of its block,
__global__ void for_a_warp()
{
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32)
        while (!flag[0])
            turn(lane);
    else if (lane == 0)
        flag[0] = 1;
}

// all blocks but the last wait for the last,
__global__ void for_a_block()
{
    if (blockIdx.x + 1 < gridDim.x)
        while (!flag[1])
            turn(threadIdx.x);
    else if (threadIdx.x == 0)
        flag[1] = 1;
}

// and the lanes of a warp wait for its first, which has left the loop.
__global__ void for_a_lane()
{
    while (threadIdx.x && !flag[2])
        turn(threadIdx.x);
    if (threadIdx.x == 0)
        flag[2] = 1;
}

int main()
{
    for_a_warp<<<1, 64>>>();
    for_a_block<<<20, 32>>>();
    for_a_lane<<<1, 32>>>();
    cudaError_t e = cudaDeviceSynchronize();
    printf(e ? "FAILED: %s\n" : "PASSED\n", cudaGetErrorString(e));
    return e;
}
