# examples/matmul_tiled.cu: results right, global loads a sixteenth, no bank conflicts; n = 64, so with 64 x 64 / 32 =
# 128 warps: naive 2 x 64 x 128 = 16384 requests of 2 sectors, tiled 2 x 4 x 128 = 1024 of 4.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HEDDLE_CACHE="$work/cache"

metrics=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
metrics=$metrics,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics=$metrics,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
"$HEDDLE" profile --csv --page raw --print-units base --metrics "$metrics" --log-file "$work/log" \
    "$EXAMPLES/matmul_tiled.cu" 64 >"$work/out"
cat "$work/out"
cat >"$work/wanted" <<'END'
matmul_naive: 64 x 64, 0 wrong elements
matmul_tiled: 64 x 64, 0 wrong elements
PASSED
END
diff "$work/wanted" "$work/out"

# The last three columns of the lines of launches.
grep '^"[0-9]' "$work/log" | tr -d , | awk -F'""' '{ gsub(/"/, "", $NF); print $(NF - 2), $(NF - 1), $NF }' >"$work/figures"
cat >"$work/wanted" <<'END'
16384 32768 0
1024 4096 0
END
diff "$work/wanted" "$work/figures"

# A size that is no multiple of the tile is refused, and so is the exit code passed on.
status=0
"$HEDDLE" run "$EXAMPLES/matmul_tiled.cu" 65 2>"$work/out" || status=$?
[ "$status" -eq 2 ] && grep -q '^usage: matmul_tiled' "$work/out"
