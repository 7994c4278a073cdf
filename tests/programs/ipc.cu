// Device memory and events of one process in another: CUDA Runtime API reference, cudaIpc... The second process is this program again
// (ipc child), which reads handles from its standard input and answers on its standard output. Links the driver interface (-lcuda),
// which does the same. What calls answer is what an H200 answered on 2026-11-23, when this program opened one handle once more.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;
static bool child;

static void expect(bool good, const char *what, int line)
{
    if (!good) {
        fprintf(stderr, "FAILED: %s, line %d: %s (%s)\n", child ? "child" : "parent", line, what, cudaGetErrorString(cudaPeekAtLastError()));
        failures++;
    }
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)
#define GET(call, error) expect((call) == (error), #call " is " #error, __LINE__)
#define OK(call) GET(call, cudaSuccess)

const int SMALL = 300, LARGE = 1500000;

struct Message {
    cudaIpcMemHandle_t small, other, large;
    cudaIpcEventHandle_t filled, answered;
    CUipcMemHandle driver;
    CUipcEventHandle noted;
};

__global__ void fill(int *v, int n, int first, long long cycles)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (long long begin = clock64(); cycles && clock64() - begin < cycles;)
        ;
    if (i < n)
        v[i] = first + i;
}

__global__ void add(int *v, int n, int *counter)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        v[i] += 7;
        atomicAdd(counter, 1);
    }
}

static bool holds(const int *d, int n, int first)
{
    std::vector<int> h(n);
    OK(cudaMemcpy(h.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        if (h[i] != first + i)
            return false;
    return true;
}

static void exchange(const void *out, void *in, size_t n)
{
    if (out && write(1, out, n) != (ssize_t)n)
        exit(2);
    for (size_t got = 0; in && got < n;) {
        ssize_t k = read(0, (char *)in + got, n - got);
        if (k <= 0)
            exit(3);
        got += (size_t)k;
    }
}

// A handle of the driver interface, in the second process.
static void with_driver(const Message &m)
{
    CUdeviceptr p;
    CUevent noted;
    int h[3];
    EXPECT(cuIpcOpenMemHandle(&p, m.driver, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) == CUDA_SUCCESS);
    EXPECT(cuIpcOpenEventHandle(&noted, m.noted) == CUDA_SUCCESS);
    EXPECT(cuEventSynchronize(noted) == CUDA_SUCCESS);
    EXPECT(cuMemcpyDtoH(h, p, sizeof h) == CUDA_SUCCESS);
    EXPECT(h[0] == 41 && h[1] == 42 && h[2] == 43);
    EXPECT(cuIpcCloseMemHandle(p) == CUDA_SUCCESS);
    EXPECT(cuEventDestroy(noted) == CUDA_SUCCESS);
}

// Opening takes no memory of this process: it is the other's. What is free may be what the host has left, which changes
// while others run: some turns are looked at until one saw no change.
static void mapping_is_free(const cudaIpcMemHandle_t &h)
{
    size_t before, after, total;
    bool same = false;
    for (int turn = 0; turn < 200 && !same; turn++) {
        void *p;
        OK(cudaMemGetInfo(&before, &total));
        OK(cudaIpcOpenMemHandle(&p, h, cudaIpcMemLazyEnablePeerAccess));
        OK(cudaMemGetInfo(&after, &total));
        OK(cudaIpcCloseMemHandle(p));
        same = before == after;
    }
    EXPECT(same);
}

static int second()
{
    Message m;
    int *small, *again, *other, *large, *own;
    cudaEvent_t filled, answered;
    cudaStream_t s;
    child = true;
    exchange(nullptr, &m, sizeof m);
    OK(cudaMalloc(&own, 1000));
    with_driver(m);
    mapping_is_free(m.large);
    OK(cudaIpcOpenMemHandle((void **)&small, m.small, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenMemHandle((void **)&again, m.small, 77)); // other bits of the flags are not looked at
    OK(cudaIpcOpenMemHandle((void **)&other, m.other, cudaIpcMemLazyEnablePeerAccess));
    OK(cudaIpcOpenMemHandle((void **)&large, m.large, cudaIpcMemLazyEnablePeerAccess));
    EXPECT(small == again && small != other);
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, small));
    EXPECT(a.type == cudaMemoryTypeDevice && a.device == 0);
    OK(cudaIpcOpenEventHandle(&filled, m.filled));
    OK(cudaIpcOpenEventHandle(&answered, m.answered));
    OK(cudaStreamCreate(&s));
    OK(cudaStreamWaitEvent(s, filled, 0)); // the other process's kernel
    OK(cudaMemsetAsync(other, 0, sizeof(int), s));
    add<<<(LARGE + 255) / 256, 256, 0, s>>>(large, LARGE, other);
    add<<<(SMALL + 255) / 256, 256, 0, s>>>(small, SMALL, other);
    OK(cudaEventRecord(answered, s));
    exchange("k", nullptr, 1); // recorded
    OK(cudaEventSynchronize(answered));
    EXPECT(holds(small, SMALL, 107));
    GET(cudaFree(large), cudaErrorInvalidValue);
    OK(cudaIpcCloseMemHandle(again));
    EXPECT(holds(small, SMALL, 107)); // it was opened twice
    OK(cudaIpcCloseMemHandle(small));
    GET(cudaIpcCloseMemHandle(small), cudaErrorInvalidValue);
    GET(cudaIpcCloseMemHandle(own), cudaErrorInvalidValue);
    OK(cudaIpcCloseMemHandle(other));
    char last;
    exchange(nullptr, &last, 1); // the parent has freed it meanwhile: still mapped here
    OK(cudaMemset(large, 1, LARGE * sizeof(int)));
    OK(cudaIpcCloseMemHandle(large));
    OK(cudaEventDestroy(filled));
    OK(cudaEventDestroy(answered));
    return failures;
}

static void first()
{
    Message m;
    int *small, *other, *large, to[2], from[2], status, *managed;
    cudaEvent_t plain, filled, answered;
    cudaIpcMemHandle_t h;
    char c;
    OK(cudaMalloc(&other, sizeof(int)));
    OK(cudaMalloc(&small, SMALL * sizeof(int)));
    OK(cudaMalloc(&large, LARGE * sizeof(int)));
    OK(cudaMallocManaged(&managed, 100));
    GET(cudaIpcGetMemHandle(&h, managed), cudaErrorInvalidValue);
    GET(cudaIpcGetMemHandle(&h, &c), cudaErrorInvalidValue);
    OK(cudaEventCreate(&plain));
    GET(cudaIpcGetEventHandle(&m.filled, plain), cudaErrorInvalidResourceHandle);
    GET(cudaEventCreateWithFlags(&filled, cudaEventInterprocess), cudaErrorInvalidValue);
    OK(cudaEventCreateWithFlags(&filled, cudaEventInterprocess | cudaEventDisableTiming));
    OK(cudaEventCreateWithFlags(&answered, cudaEventInterprocess | cudaEventDisableTiming));
    OK(cudaEventQuery(answered)); // never recorded
    OK(cudaIpcGetMemHandle(&m.small, small));
    OK(cudaIpcGetMemHandle(&m.other, other));
    OK(cudaIpcGetMemHandle(&m.large, large));
    OK(cudaIpcGetEventHandle(&m.filled, filled));
    OK(cudaIpcGetEventHandle(&m.answered, answered));
    CUdeviceptr driver;
    CUevent noted;
    EXPECT(cuMemAlloc(&driver, 64) == CUDA_SUCCESS);
    EXPECT(cuEventCreate(&noted, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
    EXPECT(cuIpcGetMemHandle(&m.driver, driver) == CUDA_SUCCESS);
    EXPECT(cuIpcGetEventHandle(&m.noted, noted) == CUDA_SUCCESS);
    fill<<<1, 16>>>((int *)driver, 16, 41, 0);
    EXPECT(cuEventRecord(noted, 0) == CUDA_SUCCESS);
    void *p;
    cudaEvent_t e;
    GET(cudaIpcOpenMemHandle(&p, m.small, cudaIpcMemLazyEnablePeerAccess), cudaErrorDeviceUninitialized); // one's own
    GET(cudaIpcOpenEventHandle(&e, m.filled), cudaErrorDeviceUninitialized);
    cudaGetLastError();
    if (pipe(to) || pipe(from))
        exit(4);
    pid_t pid = fork();
    if (!pid) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[1]);
        close(from[0]);
        execl("/proc/self/exe", "ipc", "child", (char *)nullptr);
        _exit(5);
    }
    close(to[0]);
    close(from[1]);
    dup2(from[0], 0);
    fill<<<(LARGE + 255) / 256, 256>>>(large, LARGE, 5, 0);
    fill<<<(SMALL + 255) / 256, 256>>>(small, SMALL, 100, 20000000); // some time
    OK(cudaEventRecord(filled));
    if (write(to[1], &m, sizeof m) != (ssize_t)sizeof m)
        exit(6);
    exchange(nullptr, &c, 1);
    OK(cudaStreamWaitEvent(0, answered, 0));
    EXPECT(holds(large, LARGE, 12));
    OK(cudaEventQuery(answered));
    int n = 0;
    OK(cudaMemcpy(&n, other, sizeof n, cudaMemcpyDeviceToHost));
    EXPECT(n == LARGE + SMALL);
    OK(cudaFree(large));
    if (write(to[1], "x", 1) != 1)
        exit(7);
    waitpid(pid, &status, 0);
    EXPECT(WIFEXITED(status) && !WEXITSTATUS(status));
    OK(cudaFree(small));
    OK(cudaFree(other));
    OK(cudaFree(managed));
    EXPECT(cuMemFree(driver) == CUDA_SUCCESS);
    EXPECT(cuEventDestroy(noted) == CUDA_SUCCESS);
    OK(cudaEventDestroy(plain));
    OK(cudaEventDestroy(filled));
    OK(cudaEventDestroy(answered));
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "child"))
        return second();
    first();
    printf(failures ? "%d checks FAILED\n" : "PASSED\n", failures);
    return failures != 0;
}
