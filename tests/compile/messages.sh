# What goes wrong is told with the user's file and line, once, and without our temporary names.
. "$SOURCES/common.sh"

cat >bad.cu <<'END'
#include "part.h"
__global__ void k(int *p)
{
    *p = nothing_here;
}
int main() { k<<<1, 1>>>(0); return missing(3); }
END
echo 'inline int f(int x) { return x * tow; }' >part.h
expect 1 "$HEDDLE" run bad.cu
same err <<'END'
part.h:1:34: error: use of undeclared identifier 'tow'
     1 | inline int f(int x) { return x * tow; }
       |                                  ^
bad.cu:1: note: included from here
bad.cu:4:10: error: use of undeclared identifier 'nothing_here'
     4 |     *p = nothing_here;
       |          ^
bad.cu:6:37: error: use of undeclared identifier 'missing'
     6 | int main() { k<<<1, 1>>>(0); return missing(3); }
       |                                     ^
END
cp err run.err
expect 1 "$HEDDLE" build bad.cu -o bad
cmp -s err run.err || fail 'build and run say different things'
expect 1 "$HEDDLE" build sub/../bad.cu -o bad
mkdir sub
expect 1 "$HEDDLE" build sub/../bad.cu -o bad
has err 'sub/../bad.cu:4:10: error:'

# without our pass there would be two of a managed variable
printf '__managed__ int both;\n' >managed.cu
expect 0 "$HEDDLE" build -c managed.cu -o managed.o
mkdir -p bare/lib bare/cuda && ln -s "$HEDDLE_ROOT/cuda/include" bare/cuda/include
HEDDLE_ROOT=$PWD/bare expect 1 "$HEDDLE" build -c managed.cu -o managed.o
has err "managed.cu:1:1: error: use of undeclared identifier 'managed_variables_need_heddles_pass_in_clang_19'"

cat >warn.cu <<'END'
__global__ void k(int *p) { *p = 3 / 0; }
int main() { k<<<1, 1>>>(0); return 0; }
END
expect 0 "$HEDDLE" run warn.cu
[ "$(grep -c 'warn.cu:1:36: warning: division by zero' err)" = 1 ] || fail "warned not once: $(cat err)"
expect 1 "$HEDDLE" build -Werror all-warnings warn.cu
expect 0 "$HEDDLE" build -w warn.cu
[ ! -s err ] || fail "-w warns: $(cat err)"

cat >link.cu <<'END'
void nowhere(int);
extern "C" int cudaNotThereYet(int);
__global__ void k() {}
int main() { k<<<1, 1>>>(); nowhere(1); nowhere(2); return cudaNotThereYet(2); }
END
expect 1 "$HEDDLE" run link.cu
same err <<'END'
link.cu: error: 'nowhere(int)' is used but defined nowhere
link.cu: error: 'cudaNotThereYet' is used but defined nowhere: this call is not in Heddle's runtime yet
END

expect 1 "$HEDDLE" run none.cu
same err <<'END'
none.cu: error: cannot read the file: No such file or directory
END
expect 1 "$HEDDLE" run "$scratch"
has err 'this is a directory'
expect 1 "$HEDDLE" run
has err 'no file'
expect 1 "$HEDDLE" run --frobnicate link.cu
has err "unknown flag '--frobnicate'"
expect 1 "$HEDDLE" build
has err 'no input file'
expect 1 "$HEDDLE" build a.txt
has err 'a.txt: error: what kind of file is this?'
expect 1 "$HEDDLE" build -c -o x bad.cu warn.cu
has err "'-o x' cannot name the results of 2 inputs"
expect 1 "$HEDDLE" build -Xcompiler --bogus warn.cu
has err "unknown argument: '--bogus'"
# a loop that cannot be unrolled is no warning, as with nvcc
cat >unroll.cu <<'END'
__global__ void k(int *p, int n)
{
#pragma unroll
    for (int i = 0; i < n; i++) {
        p[i] += threadIdx.x;
        __syncthreads();
    }
}
END
expect 0 "$HEDDLE" build -c unroll.cu
[ ! -s err ] || { fail "a loop that is not unrolled is told of"; head -3 err; }
HEDDLE_CLANG=/nowhere/clang++ expect 1 "$HEDDLE" build warn.cu
has err "HEDDLE_CLANG names '/nowhere/clang++', which cannot be run"
(PATH=/nowhere; expect 1 "$HEDDLE" build warn.cu)
has err "install Debian's package clang-19"
HEDDLE_ROOT=/nowhere expect 1 "$HEDDLE" build warn.cu
has err "'/nowhere/cuda/include/cuda_runtime.h' is not there"
TMPDIR=/dev/null HEDDLE_CACHE=/dev/null/x expect 1 "$HEDDLE" run warn.cu
has err "no place for the cache of compiled programs: '/dev/null/x': Not a directory; '/dev/null/heddle-"

expect 2 "$HEDDLE" bulid
has err "there is no command 'bulid': do you mean 'build'?"
expect 2 "$HEDDLE" xyzzy
has err 'heddle help'
expect 0 "$HEDDLE" --version
has out 'heddle '
expect 0 "$HEDDLE" help
has out 'heddle run'
expect 0 "$HEDDLE" build --help
has out '--use_fast_math'
finish
