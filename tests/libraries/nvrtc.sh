#!/bin/sh
# nvrtc.cu: its own checks; no temporary file stays; what is not there says its name once; dlopen by NVIDIA's name.
# nvrtc.sh HEDDLE LIB
set -eu
heddle=$1 lib=$2 here=$(cd "$(dirname "$0")" && pwd) work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tmp"
export TMPDIR=$work/tmp
"$heddle" build "$here/nvrtc.cu" -o "$work/nvrtc" -lnvrtc -lcuda
"$work/nvrtc" "$work"
[ -z "$(ls "$work/tmp")" ] || { echo "FAILED: temporary files stay"; ls "$work/tmp"; exit 1; }
cat > "$work/missing.c" <<'END'
#include <nvrtc.h>
int main(void)
{
    size_t n;
    return nvrtcGetPCHHeapSize(&n) != NVRTC_ERROR_INTERNAL_ERROR || nvrtcGetPCHHeapSize(&n) != NVRTC_ERROR_INTERNAL_ERROR;
}
END
"$heddle" build "$work/missing.c" -o "$work/missing" -lnvrtc
"$work/missing" 2> "$work/said"
[ "$(grep -c 'heddle: nvrtcGetPCHHeapSize is not there yet' "$work/said")" = 1 ] || { echo "FAILED: not said once"; cat "$work/said"; exit 1; }
HEDDLE_ROOT=/nowhere "$work/nvrtc" > "$work/out" 2>&1 && { echo "FAILED: compiled without a compiler"; exit 1; }
LD_LIBRARY_PATH=$lib python3 -c 'import ctypes; n = ctypes.CDLL("libnvrtc.so.12"); a = ctypes.c_int(); b = ctypes.c_int(); assert n.nvrtcVersion(ctypes.byref(a), ctypes.byref(b)) == 0 and a.value == 12'
