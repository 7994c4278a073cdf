#!/bin/sh
# `heddle profile`: flags, messages, exit status, and one real launch. usage: profile_cli.sh HEDDLE
heddle=$1
truth=$(dirname "$0")/truth
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# expect STATUS PATTERN ARGS...: exit status and a pattern in stderr
expect() {
    status=$1 pattern=$2
    shift 2
    "$heddle" profile "$@" >"$dir/out" 2>"$dir/err"
    got=$?
    if [ $got != "$status" ] || ! grep -q -e "$pattern" "$dir/err"; then
        echo "FAILED: heddle profile $*: status $got, wanted $status and '$pattern'; stderr:"
        cat "$dir/err"
        failed=1
    fi
}

printf '#!/bin/sh\ncat\necho out; echo err >&2; exit 3\n' >"$dir/three"
printf '#!/bin/sh\nkill -9 $$\n' >"$dir/killed"
printf 'not a program\n' >"$dir/text"
chmod +x "$dir/three" "$dir/killed"

expect 1 "no program" --csv
expect 1 "unknown flag '--devise'; did you mean '--device'?" --devise h200 "$dir/three"
expect 1 "unknown metric 'gld_eficiency'; did you mean 'gld_efficiency'?" --metrics gld_eficiency "$dir/three"
expect 1 "no device description 'h20'; did you mean 'h200'?" --device h20 "$dir/three"
expect 1 "flag '--page': 'source' is not" --page source "$dir/three"
expect 1 "flag '-c' needs a value" -c
expect 1 "is not a number from 0" --launch-skip=x "$dir/three"
expect 1 "cannot find" "$dir/nothing"
expect 1 "neither a .cu file nor executable" "$dir/text"
expect 1 "was not built by Heddle" /bin/ls
expect 1 "cannot be exported yet" -o r "$dir/three"
expect 1 "is not a regular expression" -k 'regex:[' "$dir/three"
expect 137 "No kernels were profiled" "$dir/killed"
expect 3 "No kernels were profiled" "$dir/three" </dev/null
[ "$(cat "$dir/out")" = out ] || { echo "FAILED: stdout of the program was changed"; failed=1; }
[ "$(echo hello | "$heddle" profile --log-file "$dir/log" "$dir/three" 2>/dev/null | head -1)" = hello ] ||
    { echo "FAILED: stdin of the program was changed"; failed=1; }
grep -q "No kernels were profiled" "$dir/log" || { echo "FAILED: --log-file"; failed=1; }
expect 3 "cannot write the report" --log-file /nowhere/at/all "$dir/three" </dev/null

# One launch of copy_offset, 32768 warps that read 4 bytes off: 5 sectors each (H200: 163840).
out=$("$heddle" profile --csv --page raw --print-units base --log-file "$dir/log" -c 1 \
    --metrics sm__ctas_launched.sum,gld_transactions,dram__bytes_read.sum \
    --device-ptx "$truth/ptx/copy_offset.nvcc.ptx" "$truth/copy_offset.cu" rd,offset=1) ||
    { echo "FAILED: copy_offset: status $?"; failed=1; }
[ "$out" = "LAUNCH 0 0 rd,offset=1
PASSED" ] || { echo "FAILED: stdout of copy_offset: $out"; failed=1; }
grep -q '^"0",.*"copy_offset_rd(const float \*, float \*, int, int)","1","7","(256, 1, 1)","(4096, 1, 1)","0","9.0","4096","163840","n/a"$' \
    "$dir/log" || { echo "FAILED: CSV of copy_offset:"; cat "$dir/log"; failed=1; }
"$heddle" profile --log-file "$dir/log" -k regex:nothing "$truth/copy_offset.cu" wr,offset=1 >/dev/null
grep -q "No kernel launch matches" "$dir/log" || { echo "FAILED: filter by kernel"; failed=1; }
exit $failed
