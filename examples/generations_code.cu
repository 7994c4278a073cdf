// One source, seven generations of machine code: what the same two kernels become on each.
//
// The lesson. PTX is the same for all GPUs, what they execute is not. A G80 has 32-bit addresses, parameters in shared memory,
// conditions instead of predicates, 16-bit products (a product of 32 bits is four instructions) and a multiply-add that truncates
// the product (FMAD). Fermi has fused multiply-adds, predicates and products of 32 bits; an address is the two halves of a product
// and a sum. Kepler shifts and adds instead. Maxwell and Pascal have products of 16 bits again: XMAD, three of them to one of 32 bits.
// Volta has the product and the address in one instruction each, Turing the same, Hopper loads its parameters.
//
//   heddle target --count --device g80,c2050,k40,gtx980,v100,t4,h200 examples/generations_code.cu
//
// Before 7.5 that is modelled, not verified: no assembler for those GPUs was asked (docs/target.md).
//
// The figures. 16 blocks of 16 x 16 threads on 64 x 64 elements: 128 warps, no lane is off. A warp on a G80 executes of `update`
// G2R, I2I and IMAD.U16 for column and for row (6 instructions), two ISET and a RET under a condition (9), four for the product of
// row and columns and one for its sum with column (14), a SHL (15), an IADD and a GLD for each of x and y (19), FMAD, GST and RET (22).
// Times 128: smsp__inst_executed.sum = 2816. Of these two G2R, two GLD and GST are the load-store unit's, two I2I are conversions, two
// RET have no unit. The other 13 are the cores', which count as fma: smsp__inst_executed_pipe_fma.sum = 1664. FMAD is two operations:
// flop_count_sp = 8192 of 4096 elements, and smsp__inst_executed_pipe_fp64.sum = 0.
#include "example.h"

const int COLUMNS = 64, ROWS = 64;

__global__ void update(const float *x, float *y, float a, int columns, int rows)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= columns || row >= rows)
        return;
    int i = row * columns + column;
    y[i] = a * x[i] + y[i];
}

__global__ void add_up(const float *x, double *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        sums[i] += (double)x[i] * x[i];
}

int main()
{
    const int n = COLUMNS * ROWS;
    std::vector<float> x = numbers(n, 1), y = numbers(n, 2), wanted(n);
    std::vector<double> sums(n, 1), wanted_sums(n);
    float *device_x = to_device(x), *device_y = to_device(y);
    double *device_sums = to_device(sums);
    update<<<dim3(COLUMNS / 16, ROWS / 16), dim3(16, 16)>>>(device_x, device_y, 2, COLUMNS, ROWS);
    CHECK(cudaGetLastError());
    add_up<<<n / 256, 256>>>(device_x, device_sums, n);
    CHECK(cudaGetLastError());
    for (int i = 0; i < n; i++) {
        wanted[i] = 2 * x[i] + y[i]; // exact, fused or not: 2 * x is
        wanted_sums[i] = 1 + (double)x[i] * x[i];
    }
    expect(to_host(device_y, n) == wanted, "y = 2 x + y");
    expect(to_host(device_sums, n) == wanted_sums, "sums = 1 + x x"); // x x has 48 bits
    CHECK(cudaFree(device_x));
    CHECK(cudaFree(device_y));
    CHECK(cudaFree(device_sums));
    return verdict();
}
