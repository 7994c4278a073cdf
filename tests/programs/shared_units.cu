// Shared memory is granted to a block in whole units of 128 bytes (compute capability 8.0 and later), and what lies in the last one can be
// accessed; behind it is an illegal address. As measured on an H200, 2026-11-23: nvcc -arch=sm_90.
#include <cstdio>
#include <cstring>

const int UNIT = 128;
static int failures;

static void expect(bool good, const char *what)
{
    if (!good) {
        printf("FAILED: %s\n", what);
        failures++;
    }
}

__global__ void dynamic(int *out, int offset)
{
    extern __shared__ int t[];
    *out = *(volatile int *)((char *)t + offset);
}

__global__ void fixed(int *out, int offset)
{
    __shared__ int s[7];
    s[threadIdx.x] = 1;
    *out = *(volatile int *)((char *)s + offset);
}

// Three words of a line of 16 bytes that ends behind the memory asked for: compilers make one load of them.
__global__ void line(int *out)
{
    extern __shared__ __align__(16) int u[];
    u[threadIdx.x] = threadIdx.x;
    __syncthreads();
    *out = u[4] + u[5] + u[6];
}

__global__ void sizes(int *out)
{
    int total, part;
    asm("mov.u32 %0, %%total_smem_size;" : "=r"(total));
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(part));
    out[0] = total;
    out[1] = part;
}

static cudaError_t ends(void)
{
    return cudaDeviceSynchronize();
}

// The last launch of a process that is a fault: which of them comes from the command line.
int main(int argc, char **argv)
{
    int *out;
    cudaMallocManaged(&out, 2 * sizeof *out);
    for (int bytes : {4, 28, UNIT, UNIT + 4}) {
        int end = (bytes + UNIT - 1) / UNIT * UNIT;
        dynamic<<<1, 1, bytes>>>(out, end - 4);
        expect(!ends(), "the last word of the last unit");
        sizes<<<1, 1, bytes>>>(out);
        expect(!ends() && out[0] == end && out[1] == bytes, "special registers");
    }
    fixed<<<1, 7>>>(out, UNIT - 4);
    expect(!ends(), "the last word behind a variable");
    line<<<1, 7, 28>>>(out);
    expect(!ends() && *out == 15, "a load of 16 bytes that ends behind 28");
    if (argc > 1 && !strcmp(argv[1], "variable"))
        fixed<<<1, 7>>>(out, UNIT);
    else if (argc > 1 && !strcmp(argv[1], "none"))
        dynamic<<<1, 1>>>(out, 0);
    else
        dynamic<<<1, 1, 28>>>(out, UNIT);
    expect(ends() == cudaErrorIllegalAddress, "behind the last unit");
    puts(failures ? "FAILED" : "PASSED");
    return failures;
}
