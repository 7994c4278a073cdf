// Host threads that use the runtime at the same time, from the first call on: each has a stream, memory of every kind and
// events of its own, a variable and a counter are everybody's. Each checks its own results, main the common ones.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

enum { THREADS = 8, ROUNDS = 6, N = 1024, BLOCK = 128, BLOCKS = (N + BLOCK - 1) / BLOCK };

static std::atomic<int> wrong, waiting;
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            printf("line %d: %s\n", __LINE__, #condition), wrong++;                                                    \
    } while (0)

__constant__ int factor = 3;
__device__ unsigned long long launches;
__managed__ int seats[THREADS];
static cudaEvent_t first_done;
static int *board; // what thread 0 writes before first_done

__global__ void scale(const int *from, int *to, int add)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        to[i] = from[i] * factor + add;
    if (!i)
        atomicAdd(&launches, 1ull);
}

__global__ void fill(int *p, int value) { p[threadIdx.x] = value; }
__global__ void look(const int *p, int *seen) { *seen = p[0] + p[BLOCK - 1]; }

// Dynamic shared memory, a barrier, and the heap of the device.
__global__ void reversed(int *p)
{
    extern __shared__ int s[];
    int *heap = threadIdx.x ? nullptr : (int *)malloc(sizeof(int));
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
    free(heap);
}

static void rounds(int me, cudaStream_t stream, int *pinned, int *pageable)
{
    int *from, *to;
    cudaEvent_t begin, end;
    float ms = -1;
    CHECK(!cudaMallocAsync(&to, N * sizeof(int), stream));
    CHECK(!cudaEventCreate(&begin) && !cudaEventCreate(&end));
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < N; i++)
            pageable[i] = i + me;
        CHECK(!cudaMalloc(&from, N * sizeof(int)) && !cudaEventRecord(begin, stream));
        CHECK(!cudaMemcpyAsync(from, pageable, N * sizeof(int), cudaMemcpyHostToDevice, stream));
        scale<<<BLOCKS, BLOCK, 0, stream>>>(from, to, r);
        CHECK(!cudaMemcpyAsync(pinned, to, N * sizeof(int), cudaMemcpyDeviceToHost, stream));
        CHECK(!cudaEventRecord(end, stream) && !cudaEventSynchronize(end));
        CHECK(!cudaEventElapsedTime(&ms, begin, end) && ms >= 0);
        for (int i = 0; i < N; i++)
            if (pinned[i] != (i + me) * 3 + r) {
                CHECK(!"scaled");
                break;
            }
        reversed<<<1, BLOCK, BLOCK * sizeof(int), stream>>>(to);
        CHECK(!cudaMemcpyAsync(pinned, to, BLOCK * sizeof(int), cudaMemcpyDefault, stream) && !cudaStreamSynchronize(stream));
        CHECK(pinned[0] == (BLOCK - 1 + me) * 3 + r && pinned[BLOCK - 1] == me * 3 + r);
        CHECK(!cudaFree(from));
        CHECK(cudaGetLastError() == cudaSuccess); // nobody else's error
        if (me == 1)
            CHECK(cudaMemcpy(nullptr, to, 4, cudaMemcpyDeviceToHost) != cudaSuccess && cudaGetLastError() != cudaSuccess);
    }
    CHECK(!cudaEventDestroy(begin) && !cudaEventDestroy(end) && !cudaFreeAsync(to, stream));
}

static void user(int me)
{
    cudaStream_t stream;
    int *pinned, *registered = (int *)malloc(N * sizeof(int)), seen = 0;
    CHECK(!cudaStreamCreateWithFlags(&stream, me & 1 ? cudaStreamNonBlocking : cudaStreamDefault));
    CHECK(!cudaHostAlloc(&pinned, N * sizeof(int), cudaHostAllocDefault));
    CHECK(!cudaHostRegister(registered, N * sizeof(int), cudaHostRegisterDefault));
    rounds(me, me & 2 ? cudaStreamPerThread : stream, pinned, registered);
    CHECK(!cudaStreamWaitEvent(stream, first_done, 0));
    look<<<1, 1, 0, stream>>>(board, &registered[0]); // the host's memory
    fill<<<1, 1, 0, stream>>>(&seats[me], me + 1);
    CHECK(!cudaStreamSynchronize(stream));
    seen = registered[0];
    CHECK(seen == 14);
    CHECK(!cudaHostUnregister(registered) && !cudaFreeHost(pinned) && !cudaStreamDestroy(stream));
    free(registered);
}

// The process's first call comes from all threads at once.
static void begin(int me)
{
    waiting++;
    while (waiting < THREADS)
        ;
    fill<<<1, 1>>>(&seats[me], me);
    CHECK(!cudaDeviceSynchronize() && seats[me] == me);
}

static void all(void (*what)(int))
{
    std::vector<std::thread> threads;
    for (int t = 0; t < THREADS; t++)
        threads.emplace_back(what, t);
    for (std::thread &t : threads)
        t.join();
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 1;
    unsigned long long counted = 0;
    all(begin);
    CHECK(!cudaMalloc(&board, BLOCK * sizeof(int)));
    for (int i = 0; i < times; i++) {
        CHECK(!cudaMemset(board, 0, BLOCK * sizeof(int)) && !cudaEventCreate(&first_done));
        fill<<<1, BLOCK>>>(board, 7);
        CHECK(!cudaEventRecord(first_done, 0));
        all(user);
        for (int t = 0; t < THREADS; t++)
            CHECK(seats[t] == t + 1);
        CHECK(!cudaEventDestroy(first_done));
    }
    CHECK(!cudaMemcpyFromSymbol(&counted, launches, sizeof counted) && counted == times * THREADS * ROUNDS);
    CHECK(!cudaFree(board) && !cudaDeviceSynchronize());
    puts(wrong ? "FAILED" : "PASSED");
    return wrong != 0;
}
