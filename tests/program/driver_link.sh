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
    int bad = !init || !get || init(0) || get("cuDeviceGetCount", (void **)&count, 12000, 0) || count(&n);
    printf("%s\n", !bad && n == 1 ? "right" : "wrong");
    return bad || n != 1;
}
END
lib=$build/cuda/lib64
ran=0
for compiler in gcc clang-19 g++ clang++-19; do
    command -v $compiler > /dev/null || continue
    for linker in bfd lld gold; do
        case $compiler in *++*) language="-x c++" ;; *) language= ;; esac
        echo 'int main(void) { return 0; }' > try.c
        $compiler -fuse-ld=$linker try.c -o try 2> /dev/null || continue # no such linker here
        for flags in "" -DCUDA_API_PER_THREAD_DEFAULT_STREAM; do
            $compiler -fuse-ld=$linker -Wall -Werror $flags -I"$build/cuda/include" $language linked.c -o linked -L"$lib" -lcuda \
                -Wl,-rpath,"$build/lib"
            ./linked | grep -qx right || { echo "wrong: $compiler $linker $flags"; exit 1; }
            ran=$((ran + 1))
        done
    done
done
[ $ran -ge 2 ] || { echo "only $ran linked"; exit 1; }
gcc -I"$build/cuda/include" opened.c -o opened -ldl
for name in libcuda.so.1 libcuda.so; do
    LD_LIBRARY_PATH=$lib ./opened $name | grep -qx right || { echo "wrong: $name"; exit 1; }
done
cp linked.c linked.cu
"$build/bin/heddle" build linked.cu -o linked -lcuda
./linked | grep -qx right
echo "linked in $ran ways"
