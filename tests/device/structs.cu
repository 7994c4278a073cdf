// Structs chosen and copied: of two local variables, of a local variable and one in memory, and by both ways of a branch. Results
// against the host's, which does the same.
#include <cstdio>

struct pair {
    double x;
    unsigned y; // and 4 bytes that are nobody's: copied as a piece of two
};
// One of two local structs in a loop: nothing says where the copy reads but the way that was taken.
static __host__ __device__ double local(double x, unsigned turns)
{
    pair t = {x < 40 ? x : 40, 40}, u = {-3, 256 | t.y};
    for (unsigned i = 0; i < turns; i++)
        u = i >= 127 ? u : t;
    return u.x + u.y;
}

// One of two, the other of which lies in memory.
static __host__ __device__ double mixed(const pair *p, unsigned i, bool there)
{
    pair t = {2.5, i}, u = there ? p[i] : t;
    u.x += u.y;
    pair v = u.y & 1 ? u : t;
    return v.x * 4 + v.y;
}

// The same copy on both ways of a branch, which the compiler makes one: through a pointer to any memory.
static __host__ __device__ __attribute__((noinline)) double both(const pair *p, unsigned i, bool way)
{
    pair t;
    if (way) {
        t = p[i];
        t.x += 1;
    } else {
        t = p[i];
        t.y += 1;
    }
    return t.x * 4 + t.y;
}

enum { N = 64 };

static __host__ __device__ double all(const pair *p, const pair *q, unsigned i)
{
    return local(i, i % 150) + mixed(p, i, i % 3 == 0) * 8192 + both(q, i, i % 5 < 2) * 16777216;
}

__global__ void run(const pair *p, const pair *q, double *out)
{
    __shared__ pair sh[N];
    const unsigned i = threadIdx.x;
    sh[i] = q[i];
    __syncthreads();
    out[i] = all(p, q, i);
    out[N + i] = all(p, sh, i);
}

int main()
{
    pair *p;
    pair *q;
    double *out;
    cudaMallocManaged(&p, N * sizeof *p);
    cudaMallocManaged(&q, N * sizeof *q);
    cudaMallocManaged(&out, 2 * N * sizeof *out);
    for (int i = 0; i < N; i++) {
        p[i] = {i * 0.5, (unsigned)(i * 7)};
        q[i] = {(double)i, (unsigned)(i % 7)};
    }
    run<<<1, N>>>(p, q, out);
    const cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess) {
        printf("FAILED: %s\n", cudaGetErrorString(e));
        return 1;
    }
    int wrong = 0;
    for (int i = 0; i < 2 * N; i++)
        wrong += out[i] != all(p, q, i % N);
    printf(wrong ? "FAILED: %d wrong\n" : "PASSED\n", wrong);
    return wrong != 0;
}
