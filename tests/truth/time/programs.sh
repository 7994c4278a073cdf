#!/bin/sh
# programs.sh OUT.csv [FOLDER]: what ncu says of the time of every launch of the programs in FOLDER (../ unless told), on a machine with the GPU
# (3 minutes). OUT.csv.events: what events around 20 warm launches of each say; OUT.csv.traces: what CUPTI says of each one (1 minute);
# OUT.csv.ptx: a folder with nvcc's PTX of each program. programs.tsv has columns of them, with the arguments of ../nvcc.tsv.
# STAGES says which of these are wanted, in their order ("ncu events traces"); LIMIT after how many seconds no other program is begun.
# Rows are appended as they come. A program that cannot be built, or fails, is named and the others go on; then the status is 1.
M=gpu__time_duration.sum,sm__cycles_elapsed.max,sm__cycles_active.avg,sm__cycles_active.max,smsp__inst_executed.sum,smsp__inst_issued.sum
M=$M,smsp__issue_active.avg.pct_of_peak_sustained_active,sm__warps_active.avg.per_cycle_active,smsp__warps_eligible.avg.per_cycle_active
M=$M,sm__throughput.avg.pct_of_peak_sustained_elapsed,l1tex__throughput.avg.pct_of_peak_sustained_active
M=$M,lts__throughput.avg.pct_of_peak_sustained_elapsed,dram__throughput.avg.pct_of_peak_sustained_elapsed
M=$M,l1tex__lsuin_requests.avg.pct_of_peak_sustained_active,l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active
M=$M,dram__bytes_read.sum,dram__bytes_write.sum
M=$M,sm__warps_active.avg.pct_of_peak_sustained_active,gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed
M=$M,lts__t_sectors_srcunit_tex.sum,lts__t_sectors_op_atom.sum,lts__t_sectors_op_red.sum,l1tex__t_sector_pipe_lsu_mem_global_op_ld_hit_rate.pct
M=$M,l1tex__data_pipe_lsu_wavefronts.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
for reason in barrier branch_resolving dispatch_stall drain imc_miss lg_throttle long_scoreboard math_pipe_throttle membar mio_throttle misc \
    no_instruction not_selected selected short_scoreboard sleeping tex_throttle wait; do
    M=$M,smsp__average_warps_issue_stalled_${reason}_per_issue_active.ratio
done
out=${1:?which file shall have the rows}
here=$(dirname "$0")
sources=${2:-$here/..}
end=$(($(date +%s) + ${LIMIT:-100000}))
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
trap 'exit 1' INT TERM
export folder out sources

failed()
{
    echo "$1: $2" >&2
    touch "$folder/failed"
}
is_late()
{
    [ "$(date +%s)" -ge "$end" ] && failed "$program" "no time left"
}

mkdir -p "$out.ptx"
for source in "$sources"/*.cu; do
    basename "$source" .cu
done >"$folder/programs"
xargs -P "$(nproc)" -I PROGRAM sh -c 'nvcc -std=c++17 -O3 -arch=sm_90 -o "$folder/PROGRAM" "$sources/PROGRAM.cu" &&
    nvcc -std=c++17 -O3 -arch=sm_90 -ptx -o "$out.ptx/PROGRAM.ptx" "$sources/PROGRAM.cu" || rm -f "$folder/PROGRAM"' <"$folder/programs"
for program in $(cat "$folder/programs"); do
    [ -x "$folder/$program" ] || failed "$program" "cannot be built"
done

run_ncu()
{
    timeout 60 ncu --csv --page raw --print-units base --cache-control all --clock-control none --metrics "$M" \
        --log-file "$folder/$program.csv" "$folder/$program" </dev/null >"$folder/said" 2>&1 || failed "$program" "ncu: $(tail -n 1 "$folder/said")"
    [ ! -f "$folder/$program.csv" ] || grep -v '^==' "$folder/$program.csv" | sed "s/^/\"$program\",/" >>"$out"
}

run_events()
{
    timeout 60 "$folder/$program" --reps 20 </dev/null >"$folder/said" 2>&1 || failed "$program" "events: $(tail -n 1 "$folder/said")"
    grep '^TIME' "$folder/said" | sed "s/^/$program /" >>"$out.events"
}

run_traces()
{
    [ -f "$folder/tracer.so" ] || nvcc -std=c++17 -O3 -arch=sm_90 -shared -Xcompiler -fPIC -DINJECTED -o "$folder/tracer.so" "$here/tracer.cu" -lcupti
    rm -f "$folder/trace"
    CUDA_INJECTION64_PATH=$folder/tracer.so TRACE=$folder/trace timeout 60 "$folder/$program" </dev/null >"$folder/said" 2>&1 ||
        failed "$program" "traces: $(tail -n 1 "$folder/said")"
    [ ! -f "$folder/trace" ] || sed "s/^/$program	/" "$folder/trace" >>"$out.traces"
}

for stage in ${STAGES:-ncu events traces}; do
    for program in $(cat "$folder/programs"); do
        [ ! -x "$folder/$program" ] || is_late || "run_$stage"
    done
done
[ ! -f "$folder/failed" ]
