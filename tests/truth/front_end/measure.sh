#!/bin/bash
# Builds the programs of a set with nvcc and has ncu count every launch, on a machine with the GPU.
#
# usage: measure.sh OUT [SET]
#
# SET: the folder of the programs and of programs.tsv; default: this folder.
#
# OUT/results.tar.gz: NAME.csv (ncu's raw page), NAME.txt (what the program printed under ncu), NAME.run.txt (without ncu),
# NAME.nvcc.ptx, NAME.build.txt of each program, and machine.txt. OUT/log.txt: a line a program. rows.py makes the table of them.
# Metrics: ../exact.txt, or exact.txt here, and those of registers, instructions and caches that ../public/h200.tsv has.
# Changes no setting of the card. Exit status: 1 if a program was not built, did not print PASSED, or has no count.
set -u
here=$(cd "$(dirname "$0")" && pwd)
set=$(cd "${2:-$here}" && pwd) || exit 1
out=${1:?give a folder for the results}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
cp "$set"/*.cu "$work" # so that no path of the tree is in what is kept
cd "$work" || exit 1
mkdir kept
export PATH=$PATH:/usr/local/cuda/bin
exact=$here/../exact.txt
[ -f "$exact" ] || exact=$here/exact.txt
more="launch__registers_per_thread launch__occupancy_limit_registers launch__occupancy_limit_shared_mem
sm__maximum_warps_per_active_cycle_pct smsp__inst_executed.sum smsp__thread_inst_executed_per_inst_executed.ratio
l1tex__t_sector_hit_rate.pct l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct
l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum lts__t_sectors_srcunit_tex.sum lts__t_sectors_srcunit_tex_op_read.sum
lts__t_sectors_srcunit_tex_op_write.sum lts__t_sectors_srcunit_tex_lookup_hit.sum lts__t_sector_hit_rate.pct
dram__bytes_read.sum dram__bytes_write.sum"
metrics=$(grep -v '^#' "$exact" | xargs echo $more | tr ' ' ',')
words=(-std=c++17 -arch=sm_90 -lineinfo)
{
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
    nvcc --version | tail -2
    ncu --version | tail -1
    date -u +%F
} >kept/machine.txt 2>&1
cat kept/machine.txt

build() # NAME FLAGS
{
    nvcc "${words[@]}" $2 "$1.cu" -o "$1" >"kept/$1.build.txt" 2>&1
    nvcc "${words[@]}" $2 -ptx "$1.cu" -o "kept/$1.nvcc.ptx" >>"kept/$1.build.txt" 2>&1
}

list=$(grep -v '^#' "$set/programs.tsv" | tail -n +2)
while IFS=$'\t' read -r name flags; do
    build "$name" "$flags" &
    [ "$(jobs -r | wc -l)" -lt "$(nproc)" ] || wait -n
done <<<"$list"
wait
echo "built after $SECONDS s"

bad=0
while IFS=$'\t' read -r name flags; do
    timeout 60 "./$name" >"kept/$name.run.txt" 2>&1 </dev/null
    alone=$(tail -1 "kept/$name.run.txt")
    timeout 120 ncu --clock-control none --cache-control all --csv --page raw --print-units base --print-fp \
        --log-file "kept/$name.csv" --metrics "$metrics" "./$name" >"kept/$name.txt" 2>&1 </dev/null
    status=$?
    launches=$(grep -c '^"[0-9]' "kept/$name.csv")
    line="$SECONDS s  $name: alone '$alone', under ncu '$(tail -1 "kept/$name.txt")', status $status, $launches launches"
    case "$alone" in *PASSED) ;; *) bad=1 ;; esac
    [ $status = 0 ] && [ "$launches" -gt 0 ] && grep -q PASSED "kept/$name.txt" || bad=1
    echo "$line" | tee -a "$out/log.txt"
done <<<"$list"
tar -C kept -czf "$out/results.tar.gz" .
rm -rf "$work"
exit $bad
