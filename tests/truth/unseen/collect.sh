#!/bin/bash
# collect.sh [FOLDER]: on a machine with the GPU, nvcc and ncu on PATH: builds every FOLDER/*.cu (default: the folder of this
# file), runs each alone and under ncu, one after the other. OUT (set by the caller): NAME.csv of each program, log.txt,
# metrics.txt (what was asked). LIMIT: seconds for all of it (340). A program that fails does not stop the rest.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
src=$(cd "${1:-$here}" && pwd) || exit 2
out=${OUT:?set OUT to the folder of the results}
mkdir -p "$out" && out=$(cd "$out" && pwd)
limit=${LIMIT:-340}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$out/log.txt
: >"$log"
say() { echo "$SECONDS s  $*" | tee -a "$log"; }

{
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
    nvcc --version | tail -2
    ncu --version | tail -1
    date -u +%F
} >>"$log" 2>&1

cd "$src" || exit 2
programs=$(ls -- *.cu | sed 's/\.cu$//')
build()
{
    nvcc -std=c++17 -O3 -arch=sm_90 -lineinfo "$1.cu" -o "$work/$1" >"$work/$1.build" 2>&1 ||
        { echo "BUILD FAILED $1" >>"$work/failed"; sed "s/^/  $1: /" "$work/$1.build" | head -5 >>"$work/failed"; }
}
for p in $programs; do
    while [ "$(jobs -rp | wc -l)" -ge 16 ]; do wait -n; done
    build "$p" &
done
wait
[ -f "$work/failed" ] && tee -a "$log" <"$work/failed"
say "built $(for p in $programs; do [ -x "$work/$p" ] && echo; done | wc -l) of $(echo "$programs" | wc -w)"

# which of the wanted metrics this ncu and chip have; smsp__X becomes sm__X where only that is there
{ timeout 60 ncu --query-metrics || timeout 60 ncu --query-metrics --chips gh100; } >"$work/query" 2>/dev/null
awk '{ print $1 }' "$work/query" | sed 's/\..*//' | sort -u >"$work/known"
wanted=()
while read -r m; do
    base=${m%%.*}
    if [[ $m == launch__* ]] || grep -qx "$base" "$work/known" || [ "$(wc -l <"$work/known")" -lt 100 ]; then
        wanted+=("$m")
    elif grep -qx "sm__${base#smsp__}" "$work/known"; then
        wanted+=("sm__${m#smsp__}")
    else
        say "this chip has no $m"
    fi
done < <(grep -v '^#' "$here/metrics.txt")

probe=
for p in $programs; do [ -x "$work/$p" ] && { probe=$work/$p; break; }; done
[ -n "$probe" ] || { say "nothing was built"; exit 1; }
works()
{
    rm -f "$work/probe.csv"
    timeout 40 ncu --csv --page raw --print-units base --cache-control all --clock-control none \
        -c 1 --metrics "$(IFS=,; echo "$*")" --log-file "$work/probe.csv" "$probe" >"$work/probe.txt" 2>&1 </dev/null
    grep -q '^"0"' "$work/probe.csv" 2>/dev/null && ! grep -qE 'Failed to find|==ERROR==' "$work/probe.csv" "$work/probe.txt"
}
good=()
choose() # METRICS: adds those that work to good
{
    [ $# -gt 0 ] || return
    if works "$@"; then good+=("$@"); return; fi
    if [ $# = 1 ]; then say "ncu cannot count $1: $(cat "$work/probe.csv" "$work/probe.txt" 2>/dev/null | grep -m1 '==ERROR==\|ERR')"; return; fi
    [ "$SECONDS" -lt $((limit / 2)) ] || { say "no time to try $*"; return; }
    local half=$(($# / 2))
    choose "${@:1:half}"
    choose "${@:half+1}"
}
choose "${wanted[@]}"
[ ${#good[@]} -gt 0 ] || { say "ncu counts nothing"; cat "$work/probe.csv" "$work/probe.txt" 2>/dev/null | tail -5 | tee -a "$log"; exit 1; }
printf '%s\n' "${good[@]}" >"$out/metrics.txt"
say "${#good[@]} metrics of $(grep -vc '^#' "$here/metrics.txt")"

bad=0
for p in $programs; do
    [ -x "$work/$p" ] || { bad=1; continue; }
    left=$((limit - SECONDS))
    if [ $left -lt 10 ]; then say "no time left for $p"; bad=1; continue; fi
    timeout 20 "$work/$p" >"$work/$p.alone" 2>&1 </dev/null
    alone=$?
    timeout $((left < 60 ? left : 60)) ncu --csv --page raw --print-units base --cache-control all --clock-control none \
        --metrics "$(IFS=,; echo "${good[*]}")" --log-file "$out/$p.csv" "$work/$p" >"$work/$p.out" 2>&1 </dev/null
    status=$?
    rows=$(grep -c '^"[0-9]' "$out/$p.csv" 2>/dev/null)
    say "$p: alone $alone '$(tail -1 "$work/$p.alone")', under ncu $status '$(tail -1 "$work/$p.out")', $rows launches"
    if [ $alone != 0 ] || [ $status != 0 ] || ! grep -qx PASSED "$work/$p.out"; then bad=1; fi
done
say "done, exit $bad"
exit $bad
