# The excerpt of the report in README.md is what the program prints: each of its indented lines occurs in the report.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HEDDLE_CACHE="$work/cache"
"$HEDDLE" profile --log-file "$work/report" "$EXAMPLES/matmul_tiled.cu" >"$work/out"
sed -n '/^```$/,/^```$/p' "$README" | grep '^  ' >"$work/excerpt"
[ "$(wc -l <"$work/excerpt")" -ge 10 ] || { echo "no excerpt of a report in $README"; exit 1; }
grep -vxFf "$work/report" "$work/excerpt" >"$work/missing" || exit 0
echo "README.md shows these lines, the report does not have them (if the report is right, correct README.md):"
cat "$work/missing"
exit 1
