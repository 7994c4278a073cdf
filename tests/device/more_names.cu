// Functions that the other programs here make out of pieces of names or do not call: scopes of atomics, address spaces,
// cache operators, barriers by number, breakpoints and events.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_awbarrier_primitives.h>

__device__ int wrong, global_word = 5;
__constant__ int constant_word = 9;
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            atomicAdd(&wrong, 1);                                                                                      \
            printf("line %d: %s\n", __LINE__, #condition);                                                             \
        }                                                                                                              \
    } while (0)

__device__ unsigned cell[2];

// One thread: 12 -> -5 -> 3 -> 20 -> wrap to 0 -> 7 -> ...
__global__ void scopes()
{
    unsigned *b = &cell[0], *s = &cell[1];
    *b = *s = 12;
    CHECK(atomicSub_block(b, 2) == 12 && *b == 10); CHECK(atomicSub_system(s, 2) == 12 && *s == 10);
    CHECK(atomicMin_block(b, 7) == 10 && *b == 7); CHECK(atomicMin_system(s, 7) == 10 && *s == 7);
    CHECK(atomicMax_block(b, 9) == 7 && *b == 9); CHECK(atomicMax_system(s, 9) == 7 && *s == 9);
    CHECK(atomicInc_block(b, 9) == 9 && *b == 0); CHECK(atomicInc_system(s, 9) == 9 && *s == 0);
    CHECK(atomicDec_block(b, 6) == 0 && *b == 6); CHECK(atomicDec_system(s, 6) == 0 && *s == 6);
    CHECK(atomicAnd_block(b, 3) == 6 && *b == 2); CHECK(atomicAnd_system(s, 3) == 6 && *s == 2);
    CHECK(atomicOr_block(b, 5) == 2 && *b == 7); CHECK(atomicOr_system(s, 5) == 2 && *s == 7);
    CHECK(atomicXor_block(b, 3) == 7 && *b == 4); CHECK(atomicXor_system(s, 3) == 7 && *s == 4);
}

__global__ void spaces(int *p)
{
    __shared__ int shared_word;
    int local_word[4];
    local_word[threadIdx.x] = 1; // has an address
    shared_word = 3;
    CHECK(__isGlobal(&global_word) && !__isGlobal(&shared_word) && !__isGlobal(local_word));
    CHECK(!__isConstant(&global_word) && !__isConstant(&shared_word));
    CHECK(__isLocal(local_word) && !__isLocal(&shared_word));
    CHECK(*(int *)__cvta_global_to_generic(__cvta_generic_to_global(&global_word)) == 5);
    CHECK(*(int *)__cvta_shared_to_generic(__cvta_generic_to_shared(&shared_word)) == 3);
    CHECK(*(int *)__cvta_constant_to_generic(__cvta_generic_to_constant(&constant_word)) == 9);
    CHECK(*(int *)__cvta_local_to_generic(__cvta_generic_to_local(local_word)) == 1);
    CHECK(__ldlu(p) == 11 && __ldcv(p) == 11);
    CHECK(*(int *)__builtin_assume_aligned(p, 16) == 11);
    CHECK(__uni_sync(__activemask(), 1));
    __prof_trigger(1);
    int v;
    asm volatile("ldu.global.s32 %0, [%1];" : "=r"(v) : "l"(p));
    asm volatile("prefetchu.L1 [%0];" ::"l"(p));
    CHECK(v == 11);
    __brkpt(); // no debugger: goes on
    asm volatile("brkpt;");
}

// Texels 0 10 20 ... : in the middle of a texel, unnormalized coordinates, is its value.
__global__ void textures(cudaTextureObject_t line, cudaTextureObject_t cube)
{
    CHECK(tex1D<float>(line, 3.5f) == 30 && tex1DLod<float>(line, 7.5f, 0) == 70);
    CHECK(tex3DLod<float>(cube, 1.5f, 0.5f, 1.5f, 0) == 50); // x 1, y 0, z 1 of 2 x 2 x 2
}

// A cluster is one block; one thread of a group does what invoke_one says.
__global__ void clusters()
{
    namespace cg = cooperative_groups;
    cg::cluster_group c = cg::this_cluster();
    CHECK(c.num_threads() == 64 && c.thread_rank() == threadIdx.x);
    __shared__ int calls;
    calls = 0;
    c.sync();
    cg::invoke_one(cg::coalesced_threads(), [] { atomicAdd(&calls, 1); });
    c.sync();
    CHECK(calls == 2); // two warps
}

// Everybody arrives for the last time: the phase ends, and nobody is expected in the next.
__global__ void last_phase()
{
    __shared__ __mbarrier_t bar;
    if (threadIdx.x == 0)
        __mbarrier_init(&bar, 64);
    __syncthreads();
    __mbarrier_token_t token = __mbarrier_arrive_and_drop(&bar);
    while (!__mbarrier_test_wait(&bar, token))
        ;
    __syncthreads();
    if (threadIdx.x == 0)
        __mbarrier_inval(&bar);
}

static cudaTextureObject_t texture_of(cudaArray_t a)
{
    cudaTextureObject_t t = 0;
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaCreateTextureObject(&t, &r, &d, nullptr);
    return t;
}

__global__ void barriers(int *p)
{
    p[threadIdx.x] = threadIdx.x;
    __barrier_sync(2);
    CHECK(p[threadIdx.x ^ 32] == (int)(threadIdx.x ^ 32));
    __barrier_sync_count(3, 64);
    CHECK(fabsf(__tanhf(threadIdx.x / 16.0f) - tanhf(threadIdx.x / 16.0f)) <= 0x1p-10f); // 2^-11 relative
}

int main()
{
    int eleven = 11, n, *p;
    cudaMalloc(&p, 64 * sizeof *p);
    cudaMemcpy(p, &eleven, sizeof eleven, cudaMemcpyHostToDevice);
    scopes<<<1, 1>>>();
    spaces<<<1, 1>>>(p);
    barriers<<<1, 64>>>(p);
    clusters<<<1, 64>>>();
    last_phase<<<1, 64>>>();
    float texels[8] = {0, 10, 20, 30, 40, 50, 60, 70};
    cudaArray_t line, cube;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&line, &format, 8);
    cudaMemcpyToArray(line, 0, 0, texels, sizeof texels, cudaMemcpyHostToDevice);
    cudaMalloc3DArray(&cube, &format, make_cudaExtent(2, 2, 2));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels, 8, 2, 2);
    copy.dstArray = cube;
    copy.extent = make_cudaExtent(2, 2, 2);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    textures<<<1, 1>>>(texture_of(line), texture_of(cube));
    cudaError_t e = cudaMemcpyFromSymbol(&n, wrong, sizeof n);
    printf(e || n ? "FAILED: %s, %d wrong\n" : "PASSED\n", cudaGetErrorString(e), n);
    return e || n;
}
