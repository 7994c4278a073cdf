# The headers compile without a word for every C++ standard and several architectures, and in plain C and C++.
. "$SOURCES/common.sh"

for std in c++11 c++20; do
    expect 0 "$HEDDLE" build -c -std=$std "$SOURCES/headers.cu" -o h.o
    [ ! -s err ] || { fail "-std=$std says something"; head -5 err; }
done
for arch in sm_52 sm_70; do
    expect 0 "$HEDDLE" build -ptx -arch=$arch "$SOURCES/headers.cu" -o h.ptx
    [ ! -s err ] || { fail "-arch=$arch says something"; head -5 err; }
done
expect 0 "$HEDDLE" build -ptx --use_fast_math "$SOURCES/headers.cu" -o h.ptx

# what is called rather than inlined is exactly what the executors must provide
expect 0 "$HEDDLE" build -ptx "$SOURCES/headers.cu" -o h.ptx
grep -oE '__nv_[a-z0-9_]+' h.ptx | grep -vE '_param_[0-9]+$' | sort -u | sed 's/__nv_//' | tr '\n' ' ' >calls
echo >>calls
same calls <<'END'
cbrtf cos cosf erff exp exp10f expf fdimf fmodf hypotf ldexpf log log1pf logf pow powf powi powif sin sinf sinpif tanf tanhf 
END
cat >host.cpp <<'END'
#include <cuda_runtime.h>
#include <vector>
int main() { float *p; float4 v = make_float4(1, 2, 3, 4); return cudaMalloc(&p, 4) != cudaSuccess && v.x > 0; }
END
cat >host.c <<'END'
#include <cuda_runtime.h>
#include <cuda_profiler_api.h>
int f(void) { struct cudaDeviceProp p; dim3 d = {1, 1, 1}; cudaGetDeviceProperties(&p, 0);
    return p.major + (int)d.x + cudaDevAttrWarpSize + cudaErrorIllegalAddress; }
END
cat >driver.c <<'END'
#include <cuda.h>
uint64_t f(void) { return (uint64_t)CUDA_VERSION + (malloc(1) != NULL); }
END
for f in host.cpp host.c driver.c; do
    expect 0 "$HEDDLE" build -c -Xcompiler -Wall,-Wextra $f
    [ ! -s err ] || { fail "$f says something"; head -5 err; }
done
finish
