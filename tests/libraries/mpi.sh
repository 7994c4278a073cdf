#!/bin/sh
# MPI with device memory (mpi.cu), under `heddle env mpirun`, under the checker, and without either: then the fault says what to do.
# mpi.sh HEDDLE
set -eu
heddle=$1 here=$(cd "$(dirname "$0")" && pwd) work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; cat "$work/out"; exit 1; }
if ! mpicxx --showme:version >/dev/null 2>&1; then
    echo "Open MPI is not installed (Debian's libopenmpi-dev and openmpi-bin)"
    exit 77
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_base_warn_component_unused=0 HEDDLE_THREADS=1
# shellcheck disable=SC2046
"$heddle" build -std=c++17 "$here/mpi.cu" -o "$work/program" $(mpicxx --showme:compile | sed 's/-pthread//') -DOMPI_SKIP_MPICXX \
    $(mpicxx --showme:link | tr ' ' '\n' | grep -e '^-L' -e '^-lmpi$') -lnccl
for ranks in 2 3; do
    "$heddle" env mpirun --oversubscribe -n $ranks "$work/program" >"$work/out" 2>&1 || fail "mpirun -n $ranks left with $?"
    grep -q PASSED "$work/out" || fail "no PASSED"
done
"$heddle" env sh -c "mpirun --oversubscribe -n 2 '$work/program'" >"$work/out" 2>&1 || fail "mpirun of a script left with $?"
grep -q PASSED "$work/out" || fail "no PASSED of a script"
mpirun --oversubscribe -n 2 "$heddle" check --print-level error "$work/program" >"$work/out" 2>&1 || fail "heddle check left with $?"
[ "$(grep -c 'ERROR SUMMARY: 0 errors' "$work/out")" = 2 ] || fail "the checker found something"
if mpirun --oversubscribe -n 2 "$work/program" plain >"$work/out" 2>&1; then
    fail "without Heddle's help it ran"
fi
grep -q 'MPI takes device memory when it is started as `heddle env mpirun ...`' "$work/out" || fail "the fault does not say what to do"
echo PASSED
