#!/bin/sh
# Stands for a program whose results are spoilt: another version, no JSON, cut off.
echo '{"heddle_result": 99, "sites": []}' >"$HEDDLE_RESULTS"
echo 'nonsense' >>"$HEDDLE_RESULTS"
printf '{"heddle_res' >>"$HEDDLE_RESULTS"
exit 3
