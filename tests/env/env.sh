#!/bin/sh
# `heddle env`: a Makefile and a CMake project build and run untouched; the tools by their own names.
# usage: env.sh HEDDLE make|cmake|separate|tools
heddle=$1
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cp -r "$here/make" "$here/cmake" "$here/separate" "$dir"
cd "$dir" || exit 1
unset CUDA_PATH CUDA_HOME CUDACXX CPATH LIBRARY_PATH LD_LIBRARY_PATH

. "$here/../expect.sh"

case $2 in
make)
    expect 0 "cudart" "$heddle" env make -C make
    expect 0 "^sum 4950$" make/sum
    expect 0 "add_all(const int \*, int, int \*) (2, 1, 1)x(64, 1, 1)" "$heddle" env ncu make/sum
    ;;
cmake)
    expect 0 "The CUDA compiler identification is NVIDIA 12.4" "$heddle" env cmake -S cmake -B build -DCMAKE_BUILD_TYPE=Release
    grep -q "Found CUDAToolkit" out || { echo "FAILED: no CUDAToolkit:"; cat out; failed=1; }
    expect 0 "Built target sum" "$heddle" env cmake --build build
    ! grep -i warning out || { echo "FAILED: warnings"; failed=1; }
    expect 0 "^sum 4950$" build/sum
    (cd build && expect 0 "100% tests passed, 0 tests failed out of 6" ctest && exit $failed) || failed=1
    touch make/sum.h
    expect 0 "Building CUDA object CMakeFiles/sum.dir/.*sum.cu.o" "$heddle" env cmake --build build --target sum
    ;;
separate)
    # counter: 4 threads call twice() directly and through a pointer; 218 + 15 + 2 + 216 + 1000 + 8 + 2000
    sum=3459
    expect 0 "" "$heddle" env nvcc -rdc=true separate/main.cu separate/part.cu -o both
    expect 0 "^$sum$" ./both
    expect 0 "^1 2 3 30 no error$" ./both
    expect 0 "^1015 8 101$" ./both
    expect 0 "" "$heddle" env nvcc -dc separate/main.cu separate/part.cu
    expect 0 "" "$heddle" env nvcc -dlink main.o part.o -o joined.o
    expect 0 "" "$heddle" env g++ main.o part.o joined.o -lcudart -o linked
    expect 0 "^$sum$" ./linked
    expect 0 "" "$heddle" env g++ main.o part.o joined.o -lcudadevrt -lcudart_static -o linked
    expect 0 "^$sum$" ./linked
    expect 0 "" "$heddle" env nvcc -cudart shared main.o part.o joined.o -o linked
    expect 0 "^$sum$" ./linked
    expect 1 "undefined reference" "$heddle" env nvcc -cudart none main.o part.o joined.o -o linked
    # an archive whose only file nobody on the host asks for
    echo '__device__ int twice(int x) { return x; }' >device.cu
    cat >host.cu <<'END'
__device__ int twice(int x);
__global__ void k(int *p) { *p = twice(11); }
int main()
{
    int *p, h = 0;
    cudaMalloc(&p, 4);
    k<<<1, 1>>>(p);
    cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
    return h;
}
END
    expect 0 "" "$heddle" env nvcc -dc device.cu
    expect 0 "" "$heddle" env nvcc -lib device.o -o libdevice.a
    expect 0 "" "$heddle" env nvcc -rdc=true host.cu -L. -ldevice -o archived
    expect 11 "" ./archived
    expect 0 "" "$heddle" env nvcc -rdc=true host.cu libdevice.a -o archived
    expect 11 "" ./archived
    expect 0 "" "$heddle" env nvcc -rdc=true host.cu -o missing
    expect 0 "function 'twice(int)' is declared but defined nowhere" ./missing
    expect 0 "" "$heddle" env cmake -S separate -B build
    expect 0 "Linking CUDA device code" "$heddle" env cmake --build build
    expect 0 "^$sum$" build/separate
    ;;
tools)
    expect 0 "release 12.4, V12.4.0" "$heddle" env nvcc --version
    expect 1 "no input file" "$heddle" env nvcc
    # the layout of CUDA 13, too
    expect 0 "__target_macros\|NV_IF_TARGET" "$heddle" env sh -c 'cat "$CUDA_HOME"/include/cccl/nv/target "$CUDA_HOME"/include/cccl/cuda/std/utility'
    expect 1 "^#\$ TOP=/.*/cuda$" "$heddle" env nvcc -v nothing
    expect 0 "^compute_90" "$heddle" env nvcc --list-gpu-arch
    expect 1 "unknown flag '-fno-such-flag'" "$heddle" env nvcc -fno-such-flag make/sum.cu
    printf '#include <stdio.h>\nint main(int n, char **v) { puts(v[n - 1]); return n; }\n' >args.cu
    expect 3 "^second$" "$heddle" env nvcc args.cu -o args -run -run-args first,second
    expect 0 "" "$heddle" env nvcc -c args.cu -run -o args.o
    ln -s "$(dirname "$(dirname "$(realpath "$heddle")")")" whole
    cp "$heddle" alone # HEDDLE_ROOT from here leads to the same place where the child is
    expect 0 "" env HEDDLE_ROOT=whole ./alone env sh -c 'cd make && "$CUDACXX" -c ../args.cu -o args.o'
    expect 0 "'-src-in-ptx' has no effect here" "$heddle" env nvcc -c -src-in-ptx args.cu -o args.o
    echo '-c make/sum.cu -DSPACES="a b" --forward-unknown-to-host-compiler -fno-builtin -MD -MT goal -MF rule.d -o sum.o' >words
    expect 0 "" "$heddle" env nvcc --options-file words
    grep -q "^goal:.*sum.cu" rule.d && [ -s sum.o ] || { echo "FAILED: -MT, -MF, --options-file"; failed=1; }
    expect 4 "^last$" env NVCC_PREPEND_FLAGS='-run -run-args first,"with blank"' NVCC_APPEND_FLAGS='-run-args last' "$heddle" env nvcc args.cu -o args
    printf '#!/bin/sh\necho "error: flags of the environment: <$NVCC_APPEND_FLAGS>" >&2\nexit 1\n' >stand_in
    chmod +x stand_in
    expect 1 "flags of the environment: <>" env HEDDLE_NVCC=./stand_in NVCC_APPEND_FLAGS="--front-end nvcc" "$heddle" env nvcc -c args.cu -o args.o
    expect 1 "unknown flag '-fno-such-flag'" env NVCC_APPEND_FLAGS=-fno-such-flag "$heddle" env nvcc make/sum.cu
    expect 1 "cannot read the file of options" "$heddle" env nvcc --options-file nothing
    echo '-optf circle' >circle
    expect 1 "in a circle" "$heddle" env nvcc -optf circle
    expect 2 "unknown flag '--print-gpu-traces'; did you mean '--print-gpu-trace'" "$heddle" env nvprof --print-gpu-traces ./nothing
    expect 2 "flag '-u': 'h' is not\|flag '--normalized-time-unit': 'h' is not" "$heddle" env nvprof -u h ./nothing
    expect 1 "cannot find './nothing'" "$heddle" env nvprof ./nothing
    expect 0 "metric 'gld_eficiency' is not there: n/a" "$heddle" env nvprof --metrics gld_eficiency true
    expect 0 "No kernels were profiled" "$heddle" env nvprof true
    "$heddle" env nvcc "$here/ranges.cu" -o ranges || failed=1
    profiled() { # WANTED FLAGS...: the kernels that ncu profiles
        want=$1
        shift
        got=$("$heddle" env ncu "$@" ./ranges 2>&1 | sed -n 's/^==PROF== Profiling "\(.*\)" - .*/\1/p' | tr '\n' ' ')
        [ "$got" = "$want" ] || { echo "FAILED: ncu $*: profiled $got, wanted $want"; failed=1; }
    }
    profiled "in_none in_outer in_inner in_registered in_started in_scoped in_function in_profiled in_none " --nvtx
    profiled "in_outer in_inner " --nvtx-include outer/
    profiled "in_inner " --nvtx-include outer/inner/
    profiled "in_inner in_started " --nvtx-include inner/ --nvtx-include started
    profiled "in_registered " --nvtx-include registered/
    profiled "in_scoped " --nvtx-include scoped/
    profiled "in_function " --nvtx-include function/
    profiled "in_started " --nvtx --nvtx-include started -c 1
    profiled "in_profiled " --profile-from-start off
    profiled "" --profile-from-start off --nvtx-include outer/
    profiled "" --nvtx-include inner/outer/
    # three launches of 10, 20 and 60 ns: mean 30, median 20, deviation of a sample 26.46; copies of 1 and 3 MB
    data=$here/../data/trace.jsonl
    expect 0 '^100.0,90,3,30.0,20.0,10,60,26.5,void f<16>(const float \*)$' "$heddle" env nsys stats -r cuda_gpu_kern_sum -f csv "$data"
    expect 0 '^4.000,2,2.000,2.000,1.000,3.000,1.414,\[CUDA memcpy Host-to-Device\]$' "$heddle" env nsys stats -r cuda_gpu_mem_size_sum -f csv "$data"
    expect 0 '^100.0,1000,2,500.0,500.0,300,700,282.8,PushPop,:outer$' "$heddle" env nsys stats -r nvtx_sum -f csv "$data"
    expect 0 '^100,10,2,2,1,1,32,1,1,9,0.001,0.000,,,,,NVIDIA H200 (0),1,,7,void f<16>(const float \*)$' "$heddle" env nsys stats -r gputrace -f csv "$data"
    expect 0 '^300,60,4,.*,13,f$' "$heddle" env nsys stats -r gputrace:base -f csv "$data"
    expect 0 '   50ns      40ns  cudaLaunchKernel (void f<16>(const float \*) \[2\])$' "$heddle" env nvprof --print-api-trace -i "$data"
    expect 0 ' GPU activities:   68.97%     200ns         2     100ns     100ns     100ns  \[CUDA memcpy HtoD\]$' "$heddle" env nvprof -i "$data"
    printf '{"heddle_trace":1,"kind"' | cat "$data" - >cut
    expect 0 "the last line is cut off" "$heddle" env nsys stats -r cuda_gpu_kern_sum cut
    expect 1 "'/etc/passwd' does not contain device code" "$heddle" env cuobjdump -ptx /etc/passwd
    expect 1 "cannot read './nothing'" "$heddle" env cuobjdump -sass ./nothing
    expect 2 "no GPU '3': there are 1" "$heddle" env nvidia-smi -i 3
    expect 2 "Field \"nothing\" is not a valid field to query" "$heddle" env nvidia-smi --query-gpu=name,nothing --format=csv
    HEDDLE_DEVICE=h200,a100 expect 0 "^GPU 1: NVIDIA A100.*-000000000001)" "$heddle" env nvidia-smi -L
    expect 0 "'--timeout' has no effect here" "$heddle" env nvprof -t 10 true
    expect 1 "not a trace of Heddle's" "$heddle" env nsys stats /etc/passwd
    expect 0 "" "$heddle" env nsys export -o "$dir/t.sqlite" "$data"
    expect 1 "t.sqlite' is there already" "$heddle" env nsys export -o "$dir/t.sqlite" "$data"
    expect 1 "cannot write the database '/nowhere/t': unable to open database file" "$heddle" env nsys export -o /nowhere/t "$data"
    expect 0 "^3 90 void f<16>(const float \*) f$" python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
name = lambda column: "(select value from StringIds where id = k.%s)" % column
sql = "select count(*), sum(end - start), %s, %s from CUPTI_ACTIVITY_KIND_KERNEL k group by k.demangledName"
print(*db.execute(sql % (name("demangledName"), name("shortName"))).fetchone())
assert db.execute("select bytes, copyKind, srcKind, dstKind from CUPTI_ACTIVITY_KIND_MEMCPY order by start").fetchone()[1] == 1
assert db.execute("select count(*) from CUPTI_ACTIVITY_KIND_RUNTIME").fetchone()[0] > 0 and db.execute("select count(*) from NVTX_EVENTS").fetchone()[0] == 2' "$dir/t.sqlite"
    expect 1 "there is no report 'nothing'" "$heddle" env nsys stats -r nothing /etc/passwd
    expect 0 "nothing was traced" "$heddle" env nsys profile -o nothing true
    expect 1 "nothing.nsys-rep' is there already" "$heddle" env nsys profile -o nothing true
    expect 3 "Generated:" "$heddle" env nsys profile -f true -o nothing sh -c 'exit 3'
    expect 1 "cannot find './nothing'" "$heddle" env compute-sanitizer ./nothing
    expect 127 "cannot run 'no-such-command'" "$heddle" env no-such-command
    expect 7 "" "$heddle" env sh -c 'exit 7'
    expect 1 "unknown flag '--nothing'" "$heddle" env --nothing
    expect 0 "^nvcc .*cuda/bin/nvcc$" sh -c 'eval "$("$1" env)"; echo nvcc $(command -v nvcc)' sh "$heddle"
    expect 1 "give static, shared or none" "$heddle" env nvcc -cudart dynamic make/sum.cu
    CPATH=/nowhere expect 0 "/cuda/include:/nowhere" "$heddle" env sh -c 'echo "$CPATH"'
    ;;
esac
exit $failed
