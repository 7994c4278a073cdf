// Matrices that a warp holds together: ldmatrix, stmatrix and movmatrix. What each lane has to get follows from the ISA's
// sentences (PTX ISA 8.4, 9.7.13.4.15 to 9.7.13.4.17): a row's address comes from a lane, lane l has of each matrix of 8 by 8
// the elements of row l / 4 and columns 2 (l % 4) and the next, and with .trans those of the matrix with rows for columns.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define CK(call) do { cudaError_t e_ = (call); if (e_) { printf("%s, line %d\nFAILED\n", cudaGetErrorString(e_), __LINE__); exit(1); } } while (0)
enum { LANES = 32, MATRICES = 4, ROWS = 64, PITCH = 24 /* halves between rows */ };
static int bad;

static void expect(const char *what, int lane, int part, unsigned got, unsigned want)
{
    if (got != want && bad++ < 20)
        printf("%s, lane %d, %d: %x, not %x\n", what, lane, part, got, want);
}

// The row that each lane names: all different, in no order.
__host__ __device__ inline int row_of(int lane)
{
    return (lane * 21 + 5) % ROWS;
}

__host__ __device__ inline unsigned short element(int row, int column)
{
    return (unsigned short)(row * 256 + column * 3 + 1);
}

// How many matrices, and whether they are transposed.
template <int n, bool trans> __device__ void load(unsigned *r, unsigned at)
{
    if (n == 1 && !trans)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(at) : "memory");
    if (n == 1 && trans)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(at) : "memory");
    if (n == 2 && !trans)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared::cta.b16 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at) : "memory");
    if (n == 2 && trans)
        asm volatile("ldmatrix.sync.aligned.x2.trans.m8n8.shared.b16 {%0, %1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at) : "memory");
    if (n == 4 && !trans)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
    if (n == 4 && trans)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
}

template <int n, bool trans> __device__ void store(const unsigned *r, unsigned at)
{
    if (n == 1)
        asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(at), "r"(r[0]) : "memory");
    if (n == 2)
        asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(at), "r"(r[0]), "r"(r[1]) : "memory");
    if (n == 4 && !trans)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                     : "memory");
    if (n == 4 && trans)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                     : "memory");
}

__device__ void fill(unsigned short (*rows)[PITCH])
{
    for (int i = threadIdx.x; i < ROWS * PITCH; i += blockDim.x)
        rows[i / PITCH][i % PITCH] = element(i / PITCH, i % PITCH);
    __syncthreads();
}

// Lanes beyond the rows that are asked for name no memory at all. Two warps, so that several go together.
template <int n, bool trans> __global__ void loads(unsigned *out)
{
    __shared__ __align__(16) unsigned short rows[ROWS][PITCH];
    int lane = threadIdx.x % LANES;
    unsigned r[MATRICES] = {7, 7, 7, 7};
    fill(rows);
    load<n, trans>(r, lane < 8 * n ? (unsigned)__cvta_generic_to_shared(rows[row_of(lane)]) : 0xfffffff3u);
    for (int m = 0; m < MATRICES; m++)
        out[threadIdx.x * MATRICES + m] = r[m];
}

__global__ void generic(unsigned *out)
{
    __shared__ __align__(16) unsigned short rows[ROWS][PITCH];
    fill(rows);
    unsigned r;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 %0, [%1+16];" : "=r"(r) : "l"(&rows[row_of(threadIdx.x % LANES)]) : "memory");
    out[threadIdx.x] = r;
}

template <int n, bool trans> __global__ void stores(unsigned short *out)
{
    __shared__ __align__(16) unsigned short rows[ROWS][PITCH];
    int lane = threadIdx.x;
    unsigned r[MATRICES];
    fill(rows);
    for (int m = 0; m < MATRICES; m++)
        r[m] = 0x80000000u + m * 0x1000 + lane;
    store<n, trans>(r, lane < 8 * n ? (unsigned)__cvta_generic_to_shared(rows[row_of(lane)]) : 0xfffffff3u);
    __syncthreads();
    for (int i = threadIdx.x; i < ROWS * PITCH; i += blockDim.x)
        out[i] = rows[i / PITCH][i % PITCH];
}

__global__ void moves(unsigned *out)
{
    unsigned r = 0x10000u * (2 * threadIdx.x + 1) + 2 * threadIdx.x;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(r));
    out[threadIdx.x] = r;
}

static unsigned pair(int low, int high)
{
    return (unsigned)low | (unsigned)high << 16;
}

template <int n, bool trans> static void check_loads(unsigned *out)
{
    loads<n, trans><<<1, 2 * LANES>>>(out);
    CK(cudaDeviceSynchronize());
    for (int t = 0; t < 2 * LANES; t++)
        for (int m = 0; m < MATRICES; m++) {
            int lane = t % LANES, row = lane / 4, column = lane % 4 * 2;
            unsigned want = trans ? pair(element(row_of(8 * m + column), row), element(row_of(8 * m + column + 1), row))
                                  : pair(element(row_of(8 * m + row), column), element(row_of(8 * m + row), column + 1));
            expect(trans ? "ldmatrix.trans" : "ldmatrix", t, m, out[t * MATRICES + m], m < n ? want : 7);
        }
}

template <int n, bool trans> static void check_stores(unsigned short *out)
{
    stores<n, trans><<<1, LANES>>>(out);
    CK(cudaDeviceSynchronize());
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < PITCH; column++) {
            unsigned want = element(row, column);
            for (int by = 0; by < 8 * n && column < 8; by++)
                if (row_of(by) == row) {
                    int r = trans ? column : by % 8, c = trans ? by % 8 : column; // the lane's own row and column
                    want = (0x80000000u + by / 8 * 0x1000 + r * 4 + c / 2) >> c % 2 * 16 & 0xffff;
                }
            expect(trans ? "stmatrix.trans" : "stmatrix", row, column, out[row * PITCH + column], want);
        }
}

int main()
{
    unsigned *out;
    CK(cudaMallocManaged(&out, 1 << 16));
    check_loads<1, false>(out);
    check_loads<1, true>(out);
    check_loads<2, false>(out);
    check_loads<2, true>(out);
    check_loads<4, false>(out);
    check_loads<4, true>(out);
    generic<<<1, LANES>>>(out);
    CK(cudaDeviceSynchronize());
    for (int l = 0; l < LANES; l++)
        expect("generic", l, 0, out[l], pair(element(row_of(l / 4), 8 + l % 4 * 2), element(row_of(l / 4), 9 + l % 4 * 2)));
    check_stores<1, false>((unsigned short *)out);
    check_stores<2, false>((unsigned short *)out);
    check_stores<4, false>((unsigned short *)out);
    check_stores<4, true>((unsigned short *)out);
    moves<<<1, LANES>>>(out);
    CK(cudaDeviceSynchronize());
    for (int l = 0; l < LANES; l++) // before, element (r, c) is 8 r + c
        expect("movmatrix", l, 0, out[l], pair(8 * (l % 4 * 2) + l / 4, 8 * (l % 4 * 2 + 1) + l / 4));
    printf(bad ? "FAILED\n" : "PASSED\n");
    return bad != 0;
}
