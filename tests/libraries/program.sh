#!/bin/sh
# A program of this folder: its own checks, the same under `heddle check`, its fault, one call's profile, and without the host's library.
# program.sh HEDDLE WITHOUT.so NAME
set -eu
heddle=$1 without=$2 name=$3 here=$(cd "$(dirname "$0")" && pwd) work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; cat "$work/out" "$work/err"; exit 1; }
run() { # run STATUS COMMAND...
    status=0 want=$1
    shift
    "$@" >"$work/out" 2>"$work/err" || status=$?
    [ "$status" = "$want" ] || fail "'$*' left with $status"
}
said() { grep -qF -- "$1" "$work/out" "$work/err" || fail "'$1' is missing"; }

"$heddle" build -std=c++17 "$here/$name.cu" -o "$work/$name" "-l$name"
one=
case $name in
cublas) needs="libopenblas libblis libblas" package="libopenblas0 (or libblis4, libblas3)" word=cublasSgemm missing=cublasUint8gemmBias ;;
cusparse) needs= word=cusparseSpMV missing=cusparseCreateSlicedEll one="(3 x 4 CSR, 12 values)" operations=24 read=192 written=24 ;;
cufftw) needs=fftw package=libfftw3-double3 word= missing=fftwf_plan_guru_dft ;;
cufft) needs=fftw package=libfftw3-single3 word=cufftExecC2C missing=cufftXtSetCallback one="(1024, batch 3, complex, in place)" operations=153,600 read=24,576 written=24,576 ;;
nccl) needs='' word=ncclAllReduce missing=ncclCommRevoke; export HEDDLE_DEVICE=h200,h200,h200 ;;
curand) needs= word=curandGenerateUniform missing=curandGenerateBinomial ;;
esac
if [ -n "$needs" ]; then
    run 77 env LD_PRELOAD="$without" WITHOUT="$needs" "$work/$name"
    said "Debian's package $package has it"
fi
status=0
"$work/$name" >"$work/out" 2>"$work/err" || status=$?
if [ "$status" = 77 ]; then
    cat "$work/err"
    exit 77
fi
[ "$status" = 0 ] || fail "the program left with $status"
said PASSED
[ "$(grep -c "heddle: $missing is not there yet" "$work/err")" = 1 ] || fail "$missing is not refused once"
run 0 "$heddle" check "$work/$name"
said "ERROR SUMMARY: 0 errors"
[ -n "$word" ] || exit 0
run 0 "$work/$name" fault
said "$word ("
said "illegal address (CUDA error 700)"
said cudaErrorIllegalAddress
if [ "$name" = nccl ]; then
    run 0 "$work/$name" lost
    said "another rank's process has ended or failed"
fi
[ -n "$one" ] || exit 0
run 0 "$heddle" profile "$work/$name" one
said "$word $one"
for row in "Operations *FLOP *$operations" "Bytes Read *byte *$read" "Bytes Written *byte *$written"; do
    cat "$work/out" "$work/err" | grep -qE "$row exact" || fail "'$row' is missing"
done
