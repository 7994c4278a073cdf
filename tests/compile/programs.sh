# Whole programs: what the host code asks of the runtime, exit status, several files, PTX from elsewhere.
. "$SOURCES/common.sh"

cat >all.cu <<'END'
#include <cstdio>
#include "add.h"
__global__ void add(float *a, float b) { a[threadIdx.x] += b; }
namespace ns { template <int N> __global__ void set(int *p) { p[N] = 1; } }
static __global__ void still() {}
extern "C" __global__ void plain() {}
__device__ int variable = 5;
__constant__ double table[4];
struct Early { Early() { add<<<7, 8>>>(nullptr, 1); } } early; // launched before main
int main(int argc, char **argv)
{
    ns::set<3><<<dim3(1, 2), 32, 64>>>(nullptr);
    still<<<1, 1>>>();
    plain<<<1, 1>>>();
    cudaMemcpyKind kind = cudaMemcpyDefault;
    printf("argc %d %s %d\n", argc, argv[argc - 1], twice(kind));
    return 3;
}
END
echo 'inline int twice(int x) { return 2 * x; }' >add.h
expect 3 "$HEDDLE" run all.cu one 'two words'
sort -o kernels out
grep -v -e '^entry' -e '^kernel' -e '^variable' out >order
same order <<'END'
module good arch 90
launch grid 7 1 block 8 shared 0
launch grid 1 2 block 32 shared 64
launch grid 1 1 block 1 shared 0
launch grid 1 1 block 1 shared 0
argc 3 two words 8
END
for name in _Z3addPff _ZN2ns3setILi3EEEvPi _ZL5stillv plain; do
    has kernels "kernel $name"
    has kernels "entry $name"
done
has kernels 'variable variable bytes 4 constant 0'
has kernels 'variable table bytes 32 constant 1'
[ ! -s err ] || fail "a good program says something: $(cat err)"

# several inputs of several kinds, and a library
echo 'extern "C" int from_c(void) { return 1; }' >b.cpp
echo 'int c_only(void) { int class = 2; return class; }' >c.c
cat >main.cu <<'END'
extern "C" int from_c(void);
extern "C" int c_only(void);
#include <math.h>
__global__ void k() {}
int main(int argc, char **) { k<<<1, 1>>>(); return from_c() + c_only() + (int)sqrt((double)argc); }
END
expect 0 "$HEDDLE" build -c b.cpp c.c -O2
expect 0 "$HEDDLE" build -std=c++14 main.cu b.o c.c -lm -lcudart -o prog
expect 4 ./prog
expect 0 "$HEDDLE" build -c main.cu -o x.o
expect 0 "$HEDDLE" build x.o b.o c.o
expect 4 ./a.out
# the linker's command comes from the cache, unless what clang would make it of is another; clang says why a link fails
cat >clang <<'END'
#!/bin/sh
echo "$*" >>links
exec clang++-19 "$@"
END
chmod +x clang
links() { # links COUNT COMMAND...: so many times clang has linked
    wanted=$1
    shift
    HEDDLE_CLANG=$PWD/clang HEDDLE_CACHE=$scratch/lines "$@" >out 2>err || fail "$*: $(cat err)"
    [ "$(wc -l <links)" = "$wanted" ] || fail "clang has linked $(wc -l <links) times, not $wanted: $*"
}
mkdir links.d
links 1 "$HEDDLE" build x.o b.o c.o -o linked1
links 1 "$HEDDLE" build x.o b.o c.o -o linked2
cmp linked1 linked2
expect 4 ./linked2
links 2 env LIBRARY_PATH="$PWD/links.d" "$HEDDLE" build x.o b.o c.o -o linked2
links 3 "$HEDDLE" build -v x.o b.o c.o -o linked2
has err '--driver-mode=g++'
links 4 "$HEDDLE" build b.o x.o c.o -o linked2
mv b.o away.o
echo 'int unused;' >empty.c
expect 0 "$HEDDLE" build -c empty.c -o b.o
HEDDLE_CLANG=$PWD/clang HEDDLE_CACHE=$scratch/lines expect 1 "$HEDDLE" build x.o b.o c.o -o linked2
has err "'from_c' is used but defined nowhere"
hasnt err 'InstalledDir'
mv away.o b.o
cp main.cu main.txt
expect 0 "$HEDDLE" build -x cu main.txt b.o c.o -o prog2
expect 4 ./prog2
expect 0 "$HEDDLE" build main.txt b.o c.o -o prog2 -x cu # wherever it stands
expect 4 ./prog2
cp c.c c.cu # `class` is a word of C++
cp b.cpp b.c
expect 0 "$HEDDLE" build -x c -c c.cu c.c
expect 0 "$HEDDLE" build -x c++ -c b.c
expect 0 "$HEDDLE" build main.cu b.o c.o -o prog2
expect 4 ./prog2
expect 1 "$HEDDLE" build -x fortran -c c.c
has err 'give cu, c or c++'
expect 0 "$HEDDLE" build -E c.c
has out 'int class = 2'

# NVTX is accepted, in C and C++
for header in nvToolsExt.h nvtx3/nvToolsExt.h; do
    printf '#include <%s>\nint main(void) { nvtxEventAttributes_t a = {0}; a.version = NVTX_VERSION; nvtxRangePushEx(&a); nvtxMark("x"); return nvtxRangePop() + 2; }\n' $header >nvtx.c
    cp nvtx.c nvtx.cu
    expect 0 "$HEDDLE" build nvtx.c -lnvToolsExt -o nvtx
    expect 0 ./nvtx
    expect 0 "$HEDDLE" run nvtx.cu
done

# a program without kernels is an ordinary program
echo 'int main() { return 7; }' >host.cu
expect 7 "$HEDDLE" run host.cu
same out </dev/null

# a launch as Visual Studio formats it; messages keep their places
printf '__global__ void k() {}\nint main() { k << <3, 4 >> > (); return wrong; }\n' >apart.cu
expect 1 "$HEDDLE" run apart.cu
has err "apart.cu:2:41: error: use of undeclared identifier 'wrong'"
sed -i s/wrong/0/ apart.cu
expect 0 "$HEDDLE" run apart.cu
has out 'launch grid 3 1 block 4 shared 0'

# what nvcc and g++ only warn about
cat >lax.cu <<'END'
__global__ void k(int *p) { register int x = 5; int a[] = {p[0] + 0.5f}; p[1] = x + a[0]; }
int main(int argc, char **) { register int x = argc; char c[] = {argc + 300}; return x + (c[0] == 45); }
END
expect 2 "$HEDDLE" run -std=c++17 lax.cu
has err "lax.cu:1:29: warning: ISO C++17 does not allow 'register' storage class specifier"
cat >suffix.cu <<'END'
#include <cstdio>
#define FORMAT "d"
__global__ void k(int *p) { printf("[%"FORMAT"]\n", *p); }
int main(int argc, char **) { printf("[%"FORMAT"]\n", argc); }
END
expect 0 "$HEDDLE" run suffix.cu
has err "suffix.cu:3:40: warning: invalid suffix on literal"
has out '[1]'

# products of the host that overflow wrap, in its checks as in its arrays
cat >wrap.cu <<'END'
__global__ void k() {}
int main(int argc, char **)
{
    static int square[100000];
    int bad = argc - 1;
    for (int i = 0; i < 100000; i++)
        square[i] = (unsigned)i * (unsigned)i;
    for (int i = 0; i < 100000; i += 1)
        if (square[i] != i * i)
            return 3;
    return bad;
}
END
expect 0 "$HEDDLE" run wrap.cu

# OpenMP in host code
if [ -e /usr/lib/llvm-19/lib/libomp.so ]; then
    cat >omp.cu <<'END'
#include <omp.h>
int main()
{
    int sum = 0;
    #pragma omp parallel for reduction(+ : sum) num_threads(3)
    for (int i = 0; i < 100; i++)
        sum += omp_get_num_threads() == 3;
    return sum;
}
END
    expect 100 "$HEDDLE" run -Xcompiler -fopenmp omp.cu
else
    echo 'OpenMP is not tried: libomp-19-dev is not there'
fi

# device code from elsewhere
expect 0 "$HEDDLE" build -ptx all.cu -arch=sm_75 -o all.ptx
expect 3 "$HEDDLE" run --device-ptx all.ptx all.cu
has out 'module good arch 75'
expect 1 "$HEDDLE" run --device-ptx all.ptx main.cu
has err "all.ptx: error: kernel '_Z1kv' of 'main.cu' is not in this PTX file"
head -c 600 all.ptx >cut.ptx
expect 1 "$HEDDLE" run --device-ptx cut.ptx all.cu
has err 'cut.ptx:'
has err 'is it cut off?'
expect 1 "$HEDDLE" run --device-ptx all.cu all.cu
has err "all.cu: error: this is no PTX text"
expect 1 "$HEDDLE" run --device-ptx none.ptx all.cu
has err 'none.ptx: error: cannot read the PTX file'

# makefile rules
echo '#include "rules.h"' >rules.cu
: >rules.h
expect 0 "$HEDDLE" build -MM rules.cu
echo 'rules.o: rules.cu rules.h' | same out
expect 0 "$HEDDLE" build -MM -MP -MT goal -MF rules.mk rules.cu
printf 'goal: rules.cu rules.h\nrules.h:\n' | same rules.mk
expect 0 "$HEDDLE" build -c -MMD rules.cu
echo 'rules.o: rules.cu rules.h' | same rules.d
expect 0 "$HEDDLE" build -c -MD -MT goal -MP -MF all.d rules.cu
has all.d 'goal: rules.cu'
has all.d 'cuda_runtime.h:'
expect 0 "$HEDDLE" build -M rules.cu
has out 'cuda_runtime.h'
expect 1 "$HEDDLE" build -M -c rules.cu
has err "'-c' cannot go with another of"

# -cuda: C++ text that any compiler makes the same program of; what a constructor launches is there by then
cat >early.cu <<'END'
#include <stdio.h>
__device__ int scale = 3;
__global__ void k(int *p) { p[0] = scale; asm volatile("// \")HEDDLE\" \\"); }
struct early { early() { k<<<1, 1>>>(nullptr); puts("constructed"); } } one;
int main() { k<<<2, 3>>>(nullptr); return 0; }
END
expect 0 "$HEDDLE" build early.cu -o early
expect 0 ./early
mv out early.out
expect 0 "$HEDDLE" build -cuda early.cu
expect 0 g++ -c early.cu.cpp.ii -o early.o
expect 0 "$HEDDLE" build early.o -o early2
expect 0 ./early2
same out <early.out
expect 0 "$HEDDLE" build early.cu.cpp.ii -o early3
expect 0 ./early3
same out <early.out
echo 'int main() { return 7; }' >host.cu
expect 0 "$HEDDLE" build -cuda host.cu -o host.ii
expect 0 "$HEDDLE" build host.ii -o host
expect 7 ./host
expect 1 "$HEDDLE" build -cuda main.cpp
has err '-cuda needs a .cu file'

# device code for GPUs before clang's oldest
expect 0 "$HEDDLE" build -arch=sm_13 -ptx rules.cu -o old.ptx
has err "device code is made for sm_50; accesses are counted by the rules of the device"
has old.ptx '.target sm_50'

# commands are shown, not run
rm -f never
expect 0 "$HEDDLE" build --dryrun main.cu -o never
has err '--cuda-device-only'
[ ! -e never ] || fail '--dryrun made something'
finish
