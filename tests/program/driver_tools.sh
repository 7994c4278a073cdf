#!/bin/sh
# Checkers, profilers and traces see what a program does by the driver interface: usage: driver_tools.sh BUILD SOURCE
set -e
build=$1
source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > wrong.cu <<'END'
#include <cuda.h>
__global__ void past(int *p) { p[threadIdx.x + 4] = 1; }
int main()
{
    CUcontext c;
    CUfunction f;
    CUdeviceptr p;
    cuInit(0);
    cuCtxCreate(&c, 0, 0);
    cuMemAlloc(&p, 16);
    cuMemFree(0x1234);
    void *arguments[] = {&p};
    cudaGetFuncBySymbol(&f, (const void *)past);
    cuLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr);
    return cuCtxSynchronize() == CUDA_SUCCESS;
}
END
"$build/bin/heddle" build -lineinfo wrong.cu -o wrong
expect() { grep -q -- "$1" "$2" || { echo "no '$1':"; cat "$2"; exit 1; }; }
"$build/bin/heddle" check ./wrong > check.txt 2>&1 || true
expect 'CUDA_ERROR_INVALID_VALUE (error 1) due to "invalid argument" on CUDA API call to cuMemFree_v2' check.txt
expect 'Invalid __global__ write of size 4 bytes' check.txt
expect 'wrong.cu:2' check.txt
"$build/bin/heddle" profile --metrics inst_executed "$source/tests/programs/driver.cu" > profile.txt 2>&1
expect 'add (1, 1, 1)x(32, 1, 1)' profile.txt
HEDDLE_TRACE=$folder/trace.jsonl ./wrong || true
expect cuLaunchKernel trace.jsonl
expect cuMemAlloc_v2 trace.jsonl
grep -q cudaMalloc trace.jsonl && { echo "the runtime's calls inside the driver's are told of"; exit 1; }
echo "all see it"
