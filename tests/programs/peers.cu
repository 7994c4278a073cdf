// Two devices in one process that reach each other's memory: loads, stores and atomics of kernels, copies, attributes, errors; and
// what needs no peer access: managed and pinned memory. Expected: CUDA C++ programming guide 12, 3.2.9, and the Runtime API
// reference, "Peer Device Memory Access".
#include <cstdio>
#include <vector>

static int failures;

static void expect(bool good, const char *what)
{
    if (!good) {
        printf("FAILED: %s (%s)\n", what, cudaGetErrorString(cudaPeekAtLastError()));
        failures++;
    }
}
#define EXPECT(condition) expect(condition, #condition)
#define GET(call, error) expect((call) == (error), #call " is " #error)
#define OK(call) GET(call, cudaSuccess)

const int N = 100000;

__global__ void add(const int *a, int *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        b[i] += a[i];
}

__global__ void scatter(const int *at, int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[at[i]] = i;
}

__global__ void count(int *counter, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        atomicAdd(counter, 1);
        atomicMax(counter + 1, i);
        atomicCAS(counter + 2, i, i + 1);
    }
}

__global__ void half_and_half(int *mine, int *theirs, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int *to = i & 1 ? theirs : mine; // lanes of one warp in memory of both
    if (i < n)
        to[i] = 3 * i;
}

__global__ void texels(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x % 8 + 0.5f, threadIdx.x / 8 + 0.5f);
}

static int *filled(int device, int step)
{
    std::vector<int> h(N);
    int *d;
    for (int i = 0; i < N; i++)
        h[i] = step * i;
    OK(cudaSetDevice(device));
    OK(cudaMalloc(&d, N * sizeof(int)));
    OK(cudaMemcpy(d, h.data(), N * sizeof(int), cudaMemcpyHostToDevice));
    return d;
}

static bool holds(const int *d, int step)
{
    std::vector<int> h(N);
    OK(cudaMemcpy(h.data(), d, N * sizeof(int), cudaMemcpyDefault));
    for (int i = 0; i < N; i++)
        if (h[i] != step * i)
            return false;
    return true;
}

static void errors()
{
    int can = -1, value = -1;
    OK(cudaSetDevice(0));
    OK(cudaDeviceCanAccessPeer(&can, 0, 1));
    EXPECT(can == 1);
    OK(cudaDeviceCanAccessPeer(&can, 0, 0));
    EXPECT(can == 0);
    GET(cudaDeviceCanAccessPeer(&can, 0, 7), cudaErrorInvalidDevice);
    GET(cudaDeviceEnablePeerAccess(1, 1), cudaErrorInvalidValue);
    GET(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
    GET(cudaDeviceEnablePeerAccess(7, 0), cudaErrorInvalidDevice);
    GET(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    OK(cudaDeviceEnablePeerAccess(1, 0));
    GET(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
    OK(cudaDeviceDisablePeerAccess(1));
    GET(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
    OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1));
    EXPECT(value == 1);
    OK(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrNativeAtomicSupported, 0, 1));
    EXPECT(value == 1);
    GET(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0), cudaErrorInvalidDevice);
    cudaGetLastError();
}

static void kernels()
{
    int *a = filled(0, 1), *b = filled(1, 2);
    OK(cudaSetDevice(0));
    OK(cudaDeviceEnablePeerAccess(1, 0));
    add<<<(N + 255) / 256, 256>>>(b, a, N); // reads the other's
    OK(cudaDeviceSynchronize());
    EXPECT(holds(a, 3));
    add<<<(N + 255) / 256, 256>>>(a, b, N); // writes it
    OK(cudaDeviceSynchronize());
    EXPECT(holds(b, 5));
    half_and_half<<<(N + 255) / 256, 256>>>(a, b, N);
    OK(cudaDeviceSynchronize());
    std::vector<int> h(N), g(N), order(N);
    OK(cudaMemcpy(h.data(), a, N * sizeof(int), cudaMemcpyDefault));
    OK(cudaMemcpy(g.data(), b, N * sizeof(int), cudaMemcpyDefault));
    for (int i = 0; i < N; i++)
        if (h[i] != 3 * i || g[i] != (i & 1 ? 3 : 5) * i) {
            EXPECT(!"lanes of one warp in memory of two devices");
            break;
        }
    for (int i = 0; i < N; i++)
        order[i] = (int)((long long)i * 7919 % N);
    OK(cudaMemcpy(a, order.data(), N * sizeof(int), cudaMemcpyDefault));
    scatter<<<(N + 255) / 256, 256>>>(a, b, N);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(g.data(), b, N * sizeof(int), cudaMemcpyDefault));
    for (int i = 0; i < N; i++)
        if (g[order[i]] != i) {
            EXPECT(!"scattered stores to the other's memory");
            break;
        }
    OK(cudaMemset(b, 0, 3 * sizeof(int)));
    OK(cudaDeviceSynchronize()); // the fill is in device 0's stream
    OK(cudaSetDevice(1));
    count<<<(N + 255) / 256, 256>>>(b, N); // both devices at once
    OK(cudaSetDevice(0));
    count<<<(N + 255) / 256, 256>>>(b, N);
    OK(cudaDeviceSynchronize());
    OK(cudaSetDevice(1));
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(g.data(), b, 3 * sizeof(int), cudaMemcpyDefault));
    EXPECT(g[0] == 2 * N);
    EXPECT(g[1] == N - 1);
    EXPECT(g[2] > 0);
    OK(cudaFree(a));
    OK(cudaFree(b));
    OK(cudaSetDevice(0));
    OK(cudaDeviceDisablePeerAccess(1));
}

static void copies()
{
    int *a = filled(0, 1), *b = filled(1, 2);
    cudaStream_t s;
    OK(cudaMemcpyPeer(b, 1, a, 0, N * sizeof(int))); // needs no peer access
    EXPECT(holds(b, 1));
    OK(cudaSetDevice(0));
    add<<<(N + 255) / 256, 256>>>(a, a, N);
    OK(cudaSetDevice(1));
    OK(cudaMemcpyPeer(b, 1, a, 0, N * sizeof(int))); // behind device 0's kernel, before device 1's
    add<<<(N + 255) / 256, 256>>>(b, b, N);
    EXPECT(holds(b, 4));
    OK(cudaStreamCreate(&s));
    OK(cudaMemcpyPeerAsync(a, 0, b, 1, N * sizeof(int), s));
    OK(cudaStreamSynchronize(s));
    EXPECT(holds(a, 4));
    GET(cudaMemcpyPeer(a, 1, b, 1, 4), cudaErrorInvalidValue);
    cudaPointerAttributes where;
    OK(cudaPointerGetAttributes(&where, a));
    EXPECT(where.device == 0 && where.type == cudaMemoryTypeDevice);
    OK(cudaSetDevice(0));
    add<<<1, 1, 0, s>>>(a, a, 1); // a stream of the other device
    GET(cudaGetLastError(), cudaErrorInvalidResourceHandle);
    OK(cudaStreamDestroy(s));
    OK(cudaFree(a));
    OK(cudaFree(b));
}

static void pools()
{
    int *a, *b = filled(0, 2);
    cudaMemPool_t pool;
    cudaMemAccessDesc desc = {{cudaMemLocationTypeDevice, 0}, cudaMemAccessFlagsProtReadWrite};
    cudaMemAccessFlags flags;
    OK(cudaSetDevice(1));
    OK(cudaDeviceGetDefaultMemPool(&pool, 1));
    OK(cudaMallocAsync(&a, N * sizeof(int), 0));
    OK(cudaMemset(a, 0, N * sizeof(int)));
    OK(cudaDeviceSynchronize());
    OK(cudaMemPoolGetAccess(&flags, pool, &desc.location));
    EXPECT(flags == cudaMemAccessFlagsProtNone);
    OK(cudaMemPoolSetAccess(pool, &desc, 1));
    OK(cudaMemPoolGetAccess(&flags, pool, &desc.location));
    EXPECT(flags == cudaMemAccessFlagsProtReadWrite);
    OK(cudaSetDevice(0));
    add<<<(N + 255) / 256, 256>>>(b, a, N);
    OK(cudaDeviceSynchronize());
    EXPECT(holds(a, 2));
    OK(cudaDeviceEnablePeerAccess(1, 0)); // something else
    OK(cudaDeviceDisablePeerAccess(1));
    desc.flags = cudaMemAccessFlagsProtNone;
    OK(cudaMemPoolSetAccess(pool, &desc, 1));
    OK(cudaFree(b));
    OK(cudaFreeAsync(a, 0)); // in a stream of the other device
    OK(cudaDeviceSynchronize());
    GET(cudaFree(a), cudaErrorInvalidValue);
}

static void everybodys()
{
    int *managed, *pinned, *b = filled(1, 2);
    OK(cudaSetDevice(0));
    OK(cudaMallocManaged(&managed, N * sizeof(int)));
    cudaMemLocation there = {cudaMemLocationTypeDevice, 1};
    OK(cudaMemPrefetchAsync(managed, N * sizeof(int), there, 0, 0)); // as CUDA 13 has it
    OK(cudaMallocHost(&pinned, N * sizeof(int)));
    for (int i = 0; i < N; i++) {
        managed[i] = i;
        pinned[i] = 5 * i;
    }
    OK(cudaSetDevice(1));
    add<<<(N + 255) / 256, 256>>>(managed, b, N);
    add<<<(N + 255) / 256, 256>>>(pinned, b, N);
    add<<<(N + 255) / 256, 256>>>(b, managed, N);
    OK(cudaDeviceSynchronize());
    EXPECT(holds(b, 8));
    EXPECT(managed[7] == 9 * 7 && managed[N - 1] == 9 * (N - 1));
    OK(cudaFree(b));
    OK(cudaFree(managed));
    OK(cudaFreeHost(pinned));
}

static void textures()
{
    float h[64], *out;
    cudaArray_t array;
    cudaTextureObject_t t;
    for (int i = 0; i < 64; i++)
        h[i] = i;
    OK(cudaSetDevice(1));
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    OK(cudaMallocArray(&array, &c, 8, 8));
    OK(cudaMemcpy2DToArray(array, 0, 0, h, 32, 32, 8, cudaMemcpyHostToDevice));
    OK(cudaSetDevice(0));
    OK(cudaDeviceEnablePeerAccess(1, 0));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaTextureDesc d = {};
    OK(cudaCreateTextureObject(&t, &r, &d, nullptr));
    OK(cudaMallocManaged(&out, sizeof h));
    texels<<<1, 64>>>(t, out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; i++)
        if (out[i] != i) {
            EXPECT(!"texels of the other device's array");
            break;
        }
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(array));
    OK(cudaFree(out));
    OK(cudaDeviceDisablePeerAccess(1));
}

int main(int argc, char **)
{
    int n;
    OK(cudaGetDeviceCount(&n));
    if (n < 2) {
        printf("needs two devices: HEDDLE_DEVICE=h200,h200\n");
        return 1;
    }
    errors();
    kernels();
    copies();
    pools();
    everybodys();
    textures();
    if (argc == 1) { // what peer access does not allow is a fault
        int *b = filled(1, 1);
        OK(cudaSetDevice(0));
        count<<<1, 32>>>(b, 32);
        GET(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    }
    printf(failures ? "%d checks FAILED\n" : "PASSED\n", failures);
    return failures != 0;
}
