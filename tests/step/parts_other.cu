// See parts.cu.
__device__ int scale = 3;
static __device__ int own(int i)
{
    __shared__ int theirs[8];
    theirs[i] = 100 * i;
    return theirs[i];
}
__device__ int other(int *values, int i)
{
    __shared__ int there[2];
    there[i & 1] = values[i];
    return own(i) + there[i & 1];
}
