/* tiled<16> of multiply.cu in OpenCL C: what PoCL and Oclgrind run. */
__kernel void tiled(__global const float *A, __global const float *B, __global float *C, int n)
{
    __local float a[16][16], b[16][16];
    int x = get_local_id(0), y = get_local_id(1), col = get_group_id(0) * 16 + x, row = get_group_id(1) * 16 + y;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 16) {
        a[y][x] = A[row * n + k0 + x];
        b[y][x] = B[(k0 + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++)
            sum += a[y][k] * b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    C[row * n + col] = sum;
}
