#!/bin/sh
# nvvm.c: its own checks; no temporary file stays; linked from where CUDA has the library; other results than PTX are refused.
# nvvm.sh HEDDLE CUDA
set -eu
heddle=$1 cuda=$2 here=$(cd "$(dirname "$0")" && pwd) work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp"
export TMPDIR=$work/tmp
gcc -Wall -Wextra "$here/nvvm.c" -o "$work/nvvm" -I"$cuda/include" -I"$cuda/nvvm/include" -L"$cuda/nvvm/lib64" -lnvvm \
    -L"$cuda/lib64" -lcuda -Wl,-rpath,"$cuda/nvvm/lib64:$cuda/lib64"
"$work/nvvm" "$cuda/nvvm/libdevice/libdevice.10.bc" > "$work/out"
cat "$work/out"
[ "$(grep -c '^depth [012]$' "$work/out")" = 3 ] || { echo "FAILED: what kernels print"; exit 1; }
[ -z "$(ls "$work/tmp")" ] || { echo "FAILED: temporary files stay"; ls "$work/tmp"; exit 1; }
echo 'target triple = "nvptx64-nvidia-cuda"' > "$work/empty.ll"
"$heddle" build -c "$work/empty.ll" -o "$work/empty.o" 2> "$work/said" && { echo "FAILED: an object of IR"; exit 1; }
grep -q "IR becomes PTX only" "$work/said" || { echo "FAILED: not said"; cat "$work/said"; exit 1; }
"$heddle" build -ptx "$work/empty.ll" --link-ir "$work/nothing.ll" -o "$work/empty.ptx" 2> "$work/said" && { echo "FAILED: no such file"; exit 1; }
grep -q "nothing.ll: cannot read the file\|nothing.ll.*cannot read" "$work/said" || { echo "FAILED: not said"; cat "$work/said"; exit 1; }
