// Streams that run at the same time: kernels in two streams that wait for each other through mapped, managed and device
// memory, a kernel that waits for the host, and one that waits for a copy in another stream. A hang is a failure.
#include <cstdio>

static int wrong;
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            printf("line %d: %s\n", __LINE__, #condition), wrong++;                                                    \
    } while (0)

enum { ROUNDS = 20 };

// Turns alternate: `me` goes on when the flag says so and hands over to the other.
__global__ void ping_pong(volatile int *turn, int *log, int me)
{
    for (int i = 0; i < ROUNDS; i++) {
        while (*turn != 2 * i + me)
            ;
        log[2 * i + me] = me + 1;
        __threadfence_system();
        *turn = 2 * i + me + 1;
    }
}

__global__ void wait_for(volatile int *flag, int *out)
{
    while (!*flag)
        ;
    *out = *flag;
}

static void play(int *turn, int *log, cudaStream_t a, cudaStream_t b)
{
    int host[2 * ROUNDS];
    CHECK(cudaMemset(log, 0, sizeof host) == cudaSuccess && cudaMemset(turn, 0, sizeof *turn) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess); // a memset returns early, and a stream may be a non-blocking one
    ping_pong<<<1, 1, 0, a>>>(turn, log, 0);
    ping_pong<<<1, 1, 0, b>>>(turn, log, 1);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(cudaMemcpy(host, log, sizeof host, cudaMemcpyDefault) == cudaSuccess);
    for (int i = 0; i < 2 * ROUNDS; i++)
        CHECK(host[i] == i % 2 + 1);
}

int main()
{
    int *mapped, *managed, *plain, *log, *flag, *out, five = 5, got = 0, *pinned;
    cudaStream_t a, b, blocking[2];
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaStreamCreate(&blocking[0]);
    cudaStreamCreate(&blocking[1]);
    cudaHostAlloc(&mapped, sizeof(int), cudaHostAllocMapped);
    cudaMallocManaged(&managed, sizeof(int));
    cudaMalloc(&plain, sizeof(int));
    cudaMalloc(&log, 2 * ROUNDS * sizeof(int));
    play(mapped, log, a, b);
    play(managed, log, a, b);
    play(plain, log, blocking[0], blocking[1]);

    // the host sets the flag after work of its own in another stream
    cudaHostAlloc(&flag, sizeof(int), cudaHostAllocMapped);
    cudaHostAlloc(&pinned, sizeof(int), cudaHostAllocDefault);
    cudaMalloc(&out, sizeof(int));
    *(volatile int *)flag = 0;
    wait_for<<<1, 1, 0, a>>>(flag, out);
    *pinned = 7;
    CHECK(cudaMemcpyAsync(plain, pinned, sizeof(int), cudaMemcpyHostToDevice, b) == cudaSuccess);
    CHECK(cudaStreamSynchronize(b) == cudaSuccess);
    CHECK(cudaStreamQuery(a) == cudaErrorNotReady);
    cudaGetLastError();
    *(volatile int *)flag = 3;
    CHECK(cudaStreamSynchronize(a) == cudaSuccess);
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost) == cudaSuccess && got == 3);

    // a copy in another stream sets it
    *pinned = five;
    CHECK(cudaMemset(plain, 0, sizeof(int)) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
    wait_for<<<1, 1, 0, a>>>(plain, out);
    CHECK(cudaMemcpyAsync(plain, pinned, sizeof(int), cudaMemcpyHostToDevice, b) == cudaSuccess);
    CHECK(cudaStreamSynchronize(a) == cudaSuccess);
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost) == cudaSuccess && got == 5);
    printf(wrong ? "FAILED\n" : "PASSED\n");
    return wrong;
}
