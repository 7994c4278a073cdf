# An empty grid of as many blocks as CUDA allows, and one whose threads compute what nobody reads: 10 s of processor time are
# enough for both, with each executor. HEDDLE is the command.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/idle.cu" <<'PROGRAM'
#include <cstdio>
__global__ void nothing() {}
__global__ void unread(int *p, int n)
{
    int x = blockIdx.x * n;
    if (x < 0 && n > 3)
        p = nullptr;
}
__global__ void last(int *p)
{
    if (blockIdx.x == gridDim.x - 1)
        *p = 1;
}
int main()
{
    int *p, one = 0;
    cudaMalloc(&p, 4);
    cudaMemset(p, 0, 4);
    nothing<<<2147483647, 32>>>();
    unread<<<2147483647, 32>>>(p, 5);
    last<<<1000, 32>>>(p); // is not left out
    cudaMemcpy(&one, p, 4, cudaMemcpyDeviceToHost);
    printf(one == 1 && cudaDeviceSynchronize() == cudaSuccess ? "PASSED\n" : "FAILED\n");
}
PROGRAM
"$HEDDLE" build "$folder/idle.cu" -o "$folder/idle"
for executor in auto interp jit; do
    (ulimit -t 10; HEDDLE_EXEC=$executor "$folder/idle")
done
echo "ALL DONE"
