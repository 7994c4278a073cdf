// Small programs of streams, one a case (CASE [TIMES]), for streams.py: which of their commands overlap on the device follows from CUDA's rules, and
// stands in streams.txt. Kernels and copies are told by their order: k0 k1 ..., c0 c1 ...
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define MUST(call)                                                          \
    do {                                                                    \
        cudaError_t error = (call);                                         \
        if (error) {                                                        \
            printf("%s: %s\n", #call, cudaGetErrorString(error));          \
            exit(1);                                                        \
        }                                                                   \
    } while (0)

__global__ void work(float *p, int turns)
{
    float x = p[threadIdx.x];
    for (int k = 0; k < turns; k++)
        x = x * 1.0001f + 0.5f;
    p[threadIdx.x] = x;
}

enum { FEW = 8, MB = 1 << 20, TURNS = 10000 };
static cudaStream_t s[4];
static cudaEvent_t event;
static char *device, *other, *pinned, *pageable;
static int many; // blocks that fill the device twice, exactly

static void kernel(cudaStream_t stream, int blocks, int turns = TURNS)
{
    work<<<blocks, 256, 0, stream>>>((float *)other, turns);
    MUST(cudaGetLastError());
}

static void in(cudaStream_t stream, size_t bytes, const char *from = pinned)
{
    MUST(cudaMemcpyAsync(device, from, bytes, cudaMemcpyHostToDevice, stream));
}

static void out(cudaStream_t stream, size_t bytes, char *to = pinned + 32 * MB)
{
    MUST(cudaMemcpyAsync(to, device + 32 * MB, bytes, cudaMemcpyDeviceToHost, stream));
}

static void copy_beside_kernel()
{
    kernel(s[0], many);
    in(s[1], 4 * MB);
}

static void staged()
{
    for (int i = 0; i < 2; i++) {
        in(s[i], 4 * MB);
        kernel(s[i], FEW, 10);
        out(s[i], 4 * MB);
    }
}

static void small_kernels()
{
    for (int i = 0; i < 3; i++)
        kernel(s[i], FEW);
}

static void large_kernels()
{
    kernel(s[0], many);
    kernel(s[1], many);
}

static void events()
{
    kernel(s[0], FEW);
    MUST(cudaEventRecord(event, s[0]));
    MUST(cudaStreamWaitEvent(s[1], event, 0));
    kernel(s[1], FEW);
    in(s[2], 32 * MB);
}

static void default_stream()
{
    kernel(s[0], FEW);
    kernel(0, FEW);
    kernel(s[1], FEW);
    kernel(s[2], FEW);
}

static void non_blocking()
{
    cudaStream_t n;
    MUST(cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking));
    kernel(0, FEW);
    kernel(n, FEW);
}

// The host waits for a copy from pageable memory: what it asks for afterwards begins behind that.
static void pageable_copy()
{
    kernel(s[0], FEW, 10 * TURNS);
    in(s[1], 1 * MB, pageable);
    kernel(s[2], FEW);
}

static void three_ways()
{
    in(s[0], 8 * MB);
    out(s[1], 16 * MB);
    in(s[2], 8 * MB);
    MUST(cudaMemcpyAsync(other, device, 32 * MB, cudaMemcpyDeviceToDevice, s[3]));
}

static void priorities()
{
    cudaStream_t high;
    MUST(cudaStreamCreateWithPriority(&high, cudaStreamDefault, -5));
    kernel(s[0], many);
    kernel(s[1], many);
    kernel(high, many);
}

static void waiting_host()
{
    kernel(s[0], FEW);
    MUST(cudaStreamSynchronize(s[0]));
    kernel(s[1], FEW);
    MUST(cudaMemcpy(device, pinned, 4 * MB, cudaMemcpyHostToDevice)); // the default stream's: behind k1
    kernel(s[2], FEW);
}

static void graph()
{
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaEvent_t join;
    MUST(cudaEventCreate(&join));
    MUST(cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal));
    kernel(s[0], FEW);
    MUST(cudaEventRecord(event, s[0]));
    MUST(cudaStreamWaitEvent(s[1], event, 0));
    kernel(s[0], FEW);
    kernel(s[1], FEW);
    MUST(cudaEventRecord(join, s[1]));
    MUST(cudaStreamWaitEvent(s[0], join, 0));
    kernel(s[0], FEW);
    MUST(cudaStreamEndCapture(s[0], &g));
    MUST(cudaGraphInstantiate(&e, g, 0));
    MUST(cudaGraphLaunch(e, s[0]));
}

static void host_function()
{
    kernel(s[0], FEW);
    MUST(cudaLaunchHostFunc(s[0], [](void *) {}, NULL));
    kernel(s[0], FEW);
    kernel(s[1], FEW, 3 * TURNS);
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*run)(); } cases[] = {
#define CASE(name) {#name, name},
        CASE(copy_beside_kernel) CASE(staged) CASE(small_kernels) CASE(large_kernels) CASE(events) CASE(default_stream)
        CASE(non_blocking) CASE(pageable_copy) CASE(three_ways) CASE(priorities) CASE(waiting_host) CASE(graph) CASE(host_function)
#undef CASE
    };
    cudaDeviceProp p;
    int blocks;
    MUST(cudaGetDeviceProperties(&p, 0));
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, work, 256, 0));
    many = 2 * blocks * p.multiProcessorCount;
    MUST(cudaMalloc(&device, 64 * MB));
    MUST(cudaMalloc(&other, 64 * MB));
    MUST(cudaMallocHost(&pinned, 64 * MB));
    pageable = (char *)malloc(64 * MB);
    for (int i = 0; i < 4; i++)
        MUST(cudaStreamCreate(&s[i]));
    MUST(cudaEventCreate(&event));
    for (auto &c : cases)
        if (argc > 1 && !strcmp(argv[1], c.name)) {
            for (int times = argc > 2 ? atoi(argv[2]) : 1; times > 0; times--) {
                c.run();
                MUST(cudaDeviceSynchronize());
            }
            printf("%s\n", c.name);
            return 0;
        }
    printf("no such case\n");
    return 1;
}
