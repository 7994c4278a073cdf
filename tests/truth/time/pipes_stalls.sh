#!/bin/sh
# pipes_stalls.sh OUT.tsv: in which states warps are that execute one instruction again and again, of each row of pipes.def, pair and branch: 16 warps
# of one block, four chains of each. On a machine with the GPU and ncu (5 minutes). Columns: the row as pipes.cu prints it, then metrics.
out=${1:?which file shall have the rows}
here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
M=smsp__inst_executed.sum,smsp__inst_issued.sum,smsp__issue_active.avg.pct_of_peak_sustained_active,smsp__warps_eligible.avg.per_cycle_active
for unit in alu fma fmaheavy fp16 fp64 xu lsu uniform tensor_op_hmma tensor_op_imma tensor_op_dmma; do
    M=$M,sm__inst_executed_pipe_$unit.avg.pct_of_peak_sustained_active
done
M=$M,sm__inst_executed_pipe_tensor.sum,sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active
for reason in branch_resolving dispatch_stall imc_miss lg_throttle long_scoreboard math_pipe_throttle membar mio_throttle misc \
    no_instruction not_selected selected short_scoreboard sleeping tex_throttle wait; do
    M=$M,smsp__average_warps_issue_stalled_${reason}_per_issue_active.ratio
done
nvcc -std=c++17 -O3 -arch=sm_90 -o "$folder/pipes" "$here/pipes.cu" || exit 1
for group in step matrix branch pair; do
    "$folder/pipes" $group 16 | grep "^$group\|^step" | sed 's/\t[^\t]*$//' >"$folder/rows"
    ncu --csv --page raw --print-units base --clock-control none --kernel-name-base demangled -k 'regex:^(void )?(steps|matrices|branches|pairs)' \
        --metrics "$M" --log-file "$folder/csv" "$folder/pipes" $group 16 >/dev/null
    python3 - "$folder/rows" "$folder/csv" <<'END' >>"$out"
import csv, sys
rows = [line.rstrip("\n").replace("\t", ",") for line in open(sys.argv[1])]
table = list(csv.DictReader(line for line in open(sys.argv[2]) if not line.startswith("==")))[1:]
names = [n for n in table[0] if n.startswith(("sm__inst", "sm__pipe", "smsp__inst", "smsp__issue_active.avg", "smsp__warps_eligible.avg", "smsp__average"))
         and ".max" not in n and ".sum.pct" not in n]
print("\t".join(["row"] + names))
assert len(rows) == len(table), (len(rows), len(table))
for row, of in zip(rows, table):
    print("\t".join([row] + [of[n].replace(",", "") for n in names]))
END
done
