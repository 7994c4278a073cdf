#!/bin/bash
# run.sh OUT [NAME ...]: Heddle's figures of every program (or these) with nvcc's PTX: OUT/NAME.csv, OUT/ptx/NAME.ptx.
# HEDDLE: the program (default: heddle). nvcc must be on PATH or in /usr/local/cuda/bin.
# Prints only exit statuses and numbers of rows, no figure. JOBS: at once (1).
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
out=${1:?folder of the results}
shift
mkdir -p "$out/ptx" && out=$(cd "$out" && pwd) || exit 2
PATH=$PATH:/usr/local/cuda/bin
heddle=${HEDDLE:-heddle}
cd "$here" || exit 2
"$heddle" profile --query-metrics 2>&1 | grep -oE '[a-z0-9]+__[A-Za-z0-9_.]+' | sort -u >"$out/known.txt"
list=
while read -r m; do
    if grep -qxF "$m" "$out/known.txt"; then list=$list,$m
    elif grep -qxF "sm__${m#smsp__}" "$out/known.txt"; then list=$list,sm__${m#smsp__}
    else echo "Heddle has no $m"; fi
done < <(grep -v '^#' metrics.txt)
list=${list#,}
one()
{
    local p=$1 status rows
    rm -f "$out/$p.csv"
    nvcc -std=c++17 -O3 -arch=sm_90 -lineinfo -ptx "$p.cu" -o "$out/ptx/$p.ptx" >"$out/$p.nvcc.txt" 2>&1 || { echo "$p: nvcc failed"; return 1; }
    timeout 300 "$heddle" profile --device h200 --csv --page raw --print-units base --metrics "$list" --log-file "$out/$p.csv" \
        --device-ptx "$out/ptx/$p.ptx" -std=c++17 -O3 -arch=sm_90 "$p.cu" >"$out/$p.txt" 2>&1 </dev/null
    status=$?
    rows=$(grep -c '^"\?[0-9]' "$out/$p.csv" 2>/dev/null)
    echo "$p: status $status, $(grep -cx PASSED "$out/$p.txt") PASSED, $rows rows"
    [ $status = 0 ] && [ "${rows:-0}" -gt 0 ] && grep -qx PASSED "$out/$p.txt"
}
bad=0
[ $# -gt 0 ] || set -- $(ls -- *.cu | sed 's/\.cu$//')
for p; do
    while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-1}" ]; do wait -n || bad=1; done
    one "$p" &
done
while [ -n "$(jobs -p)" ]; do wait -n || { [ $? = 127 ] && break; bad=1; }; done
exit $bad
