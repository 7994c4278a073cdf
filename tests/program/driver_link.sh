#!/bin/sh
# Programs find the driver interface as CUDA's: usage: driver_link.sh BUILD
# With -lcuda, by each compiler and linker that is there; by dlopen("libcuda.so.1") and dlsym; under the thread's own
# default stream; and as a .cu file.
set -e
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > linked.c <<'END'
#include <cuda.h>
#include <stdio.h>
int main(void)
{
    CUdevice device;
    CUcontext context;
    CUdeviceptr p;
    unsigned got = 0;
    int bad = cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate(&context, 0, device) || cuMemAlloc(&p, 64) ||
              cuMemsetD32(p, 77, 16) || cuMemcpyDtoH(&got, p + 60, 4) || cuMemFree(p) || cuCtxDestroy(context);
    printf("%s\n", !bad && got == 77 ? "right" : "wrong");
    return bad || got != 77;
}
END
cat > opened.c <<'END'
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#undef cuDeviceGetUuid
int main(int argc, char **argv)
{
    void *library = dlopen(argc > 1 ? argv[1] : "libcuda.so.1", RTLD_NOW);
    CUresult (*init)(unsigned), (*get)(const char *, void **, int, cuuint64_t), (*count)(int *);
    int n = 0;
    if (!library)
        return puts(dlerror()), 1;
    *(void **)&init = dlsym(library, "cuInit");
    *(void **)&get = dlsym(library, "cuGetProcAddress");
    CUresult (*old)(void); /* of CUDA 2, with other types: there, and refused */
    *(void **)&old = dlsym(library, "cuMemAlloc");
    int bad = !old || old() != CUDA_ERROR_NOT_SUPPORTED || !init || !get || init(0) || get("cuDeviceGetCount", (void **)&count, 12000, 0) || count(&n);
    printf("%s\n", !bad && n == 1 ? "right" : "wrong");
    return bad || n != 1;
}
END
lib=$build/cuda/lib64
ran=0
for compiler in gcc clang-19 g++ clang++-19; do
    command -v $compiler > /dev/null || continue
    case $compiler in *++*) language="-x c++" ;; *) language= ;; esac
    $compiler -Wall -Werror -I"$build/cuda/include" $language -c linked.c -o common.o
    $compiler -Wall -Werror -DCUDA_API_PER_THREAD_DEFAULT_STREAM -I"$build/cuda/include" $language -c linked.c -o thread.o
    for linker in bfd lld gold; do
        $compiler -fuse-ld=$linker -Wl,--version > /dev/null 2>&1 || continue # no such linker here
        for stream in common thread; do
            $compiler -fuse-ld=$linker $stream.o -o linked -L"$lib" -lcuda -Wl,-rpath,"$build/lib"
            ./linked | grep -qx right || { echo "wrong: $compiler $linker, $stream default stream"; exit 1; }
            ran=$((ran + 1))
        done
    done
done
[ $ran -ge 2 ] || { echo "only $ran linked"; exit 1; }
gcc -I"$build/cuda/include" opened.c -o opened -ldl
for name in libcuda.so.1 libcuda.so; do
    LD_LIBRARY_PATH=$lib ./opened $name | grep -qx right || { echo "wrong: $name"; exit 1; }
done
cat > own.cu <<'END'
typedef int CUresult; // without cuda.h these are the program's own
static CUresult cuInit(int x) { return x; }
int main() { return cuInit(5) != 5; }
END
"$build/bin/heddle" run own.cu
cp linked.c linked.cu
"$build/bin/heddle" build linked.cu -o linked -lcuda
./linked | grep -qx right
# Types of entry points.
cat > types.cu <<'END'
#include <cudaTypedefs.h>
int main()
{
    PFN_cuMemAlloc_v3020 a = nullptr;
    PFN_cuLaunchKernel_v7000_ptsz b = nullptr;
    PFN_cuTensorMapEncodeTiled c = nullptr;
    CUdriverProcAddressQueryResult why;
    return cuGetProcAddress("cuMemAlloc", (void **)&a, 3020, CU_GET_PROC_ADDRESS_DEFAULT, &why) || a != cuMemAlloc ||
           cuGetProcAddress("cuLaunchKernel", (void **)&b, 7000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, &why) ||
           b != cuLaunchKernel_ptsz ||
           cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", (void **)&c, cudaEnableDefault, nullptr) || c != cuTensorMapEncodeTiled;
}
END
"$build/bin/heddle" run types.cu
# Device code in files: PTX, and images of ours under nvcc's names.
cat > kernel.cu <<'END'
extern "C" __global__ void answer(int *p) { *p = 42; }
END
cat > loads.c <<'END'
#include <cuda.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr p;
    int got = 0;
    void *arguments[] = {&p};
    int bad = argc != 2 || cuInit(0) || cuCtxCreate(&context, 0, 0) || cuModuleLoad(&module, argv[1]) ||
              cuModuleGetFunction(&function, module, "answer") || cuMemAlloc(&p, 4) ||
              cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) || cuMemcpyDtoH(&got, p, 4);
    return bad || got != 42;
}
END
"$build/bin/heddle" build loads.c -o loads -lcuda
for flag in ptx cubin fatbin; do
    "$build/cuda/bin/nvcc" -$flag -arch=sm_80 kernel.cu
    ./loads kernel.$flag || { echo "wrong: kernel.$flag"; exit 1; }
done
# cuLink takes device code of objects and libraries.
cat > part.cu <<'END'
extern "C" __device__ int twice(int x) { return 2 * x; }
END
cat > caller.cu <<'END'
extern "C" __device__ int twice(int);
extern "C" __global__ void answer(int *p) { *p = twice(21); }
END
cat > links.c <<'END'
#include <cuda.h>
int main(int argc, char **argv)
{
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUdeviceptr p;
    CUlinkState state;
    int got = 0;
    void *arguments[] = {&p}, *image;
    int bad = cuInit(0) || cuCtxCreate(&context, 0, 0) || cuLinkCreate(0, 0, 0, &state) ||
              cuLinkAddFile(state, CU_JIT_INPUT_PTX, argv[1], 0, 0, 0) ||
              cuLinkAddFile(state, argc > 3 ? CU_JIT_INPUT_OBJECT : CU_JIT_INPUT_LIBRARY, argv[2], 0, 0, 0) ||
              cuLinkComplete(state, &image, 0) || cuModuleLoadData(&module, image) || cuLinkDestroy(state) ||
              cuModuleGetFunction(&function, module, "answer") || cuMemAlloc(&p, 4) ||
              cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) || cuMemcpyDtoH(&got, p, 4);
    return bad || got != 42;
}
END
"$build/bin/heddle" build links.c -o links -lcuda
"$build/cuda/bin/nvcc" -ptx -rdc=true caller.cu
"$build/cuda/bin/nvcc" -dc part.cu -o part.o
"$build/cuda/bin/nvcc" -lib part.o -o libpart.a
./links caller.ptx libpart.a || { echo "wrong: cuLink of a library"; exit 1; }
./links caller.ptx part.o object || { echo "wrong: cuLink of an object"; exit 1; }
./links kernel.ptx "$lib/libcudadevrt.a" || { echo "wrong: cuLink of an empty library"; exit 1; }
./links kernel.ptx loads object 2> said && { echo "wrong: cuLink of an object without device code"; exit 1; }
head -c 8 kernel.cubin | grep -q HEDDLEPX || { echo "the image does not say what it is"; exit 1; }
# What is of another compiler is refused by name.
{ printf '\177ELF\002\001\001'; head -c 9 /dev/zero; printf '\002\000\276\000'; head -c 100 /dev/zero; } > other.cubin
./loads other.cubin 2> said && { echo "wrong: other.cubin"; exit 1; }
grep -q "a GPU's machine code (cubin) cannot be loaded" said || { echo "not said:"; cat said; exit 1; }
echo "linked in $ran ways"
