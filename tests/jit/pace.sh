# Pseudo-time goes by the instructions of the GPU, whoever executes them: the interpreter's figures of the caches are machine code's.
# HEDDLE is the command, SOURCES the folder of the program.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
metrics=lts__t_sectors_srcunit_tex.sum,lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum,dram__sectors_read.sum
metrics=$metrics,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum
for exec in interp jit; do
    HEDDLE_EXEC=$exec "$HEDDLE" profile --csv --page raw --metrics $metrics --log-file "$folder/$exec" "$SOURCES/matmul_naive.cu" naive,32x8 >/dev/null
    grep '^"' "$folder/$exec" | sed 's/^"[0-9]*","[0-9]*",//' >"$folder/$exec.rows"
done
test "$(wc -l <"$folder/jit.rows")" = 3 # names, units, a launch
diff "$folder/interp.rows" "$folder/jit.rows"
echo PASSED
