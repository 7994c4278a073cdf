#!/bin/sh
# programs.sh OUT.csv: what ncu says of the time of every launch of the programs in ../, on a machine with the GPU (3 minutes).
# OUT.csv.events: what events around 20 warm launches of each say; OUT.csv.traces: what CUPTI says of each one (1 minute).
# programs.tsv has these columns of them, with the arguments of ../nvcc.tsv.
M=gpu__time_duration.sum,sm__cycles_elapsed.max,sm__cycles_active.avg,sm__cycles_active.max,smsp__inst_executed.sum,smsp__inst_issued.sum
M=$M,smsp__issue_active.avg.pct_of_peak_sustained_active,sm__warps_active.avg.per_cycle_active,smsp__warps_eligible.avg.per_cycle_active
M=$M,sm__throughput.avg.pct_of_peak_sustained_elapsed,l1tex__throughput.avg.pct_of_peak_sustained_active
M=$M,lts__throughput.avg.pct_of_peak_sustained_elapsed,dram__throughput.avg.pct_of_peak_sustained_elapsed
M=$M,l1tex__lsuin_requests.avg.pct_of_peak_sustained_active,l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active
M=$M,dram__bytes_read.sum,dram__bytes_write.sum
for reason in barrier branch_resolving dispatch_stall drain imc_miss lg_throttle long_scoreboard math_pipe_throttle membar mio_throttle misc \
    no_instruction not_selected selected short_scoreboard sleeping tex_throttle wait; do
    M=$M,smsp__average_warps_issue_stalled_${reason}_per_issue_active.ratio
done
here=$(dirname "$0")
folder=$(mktemp -d)
nvcc -std=c++17 -O3 -arch=sm_90 -shared -Xcompiler -fPIC -DINJECTED -o "$folder/tracer.so" "$here/tracer.cu" -lcupti
for source in "$here"/../*.cu; do
    program=$(basename "$source" .cu)
    nvcc -std=c++17 -O3 -arch=sm_90 -o "$folder/$program" "$source" &&
        ncu --csv --page raw --print-units base --cache-control all --clock-control none --metrics $M --log-file "$folder/$program.csv" \
            "$folder/$program" >&2 &&
        grep -v '^==' "$folder/$program.csv" | sed "s/^/\"$program\",/" >>"$1"
    "$folder/$program" --reps 20 | grep '^TIME' | sed "s/^/$program /" >>"$1.events"
    CUDA_INJECTION64_PATH="$folder/tracer.so" TRACE="$folder/trace" "$folder/$program" >&2
    sed "s/^/$program	/" "$folder/trace" >>"$1.traces"
done
rm -r "$folder"
