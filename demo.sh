#!/bin/bash
# Installs what is missing, builds Heddle, then runs and profiles a tiled matrix multiply and shows the report.
# Made for a bare Debian 12 (root or sudo, apt); a second run needs neither network nor root. Usage: ./demo.sh
set -u
cd "$(dirname "$0")" || exit 1
. tools/setup.sh

program=examples/matmul_tiled.cu
[ $# -eq 0 ] || fail "demo.sh takes no arguments: '$1'"

setup_packages
targets="heddle_cli heddle heddle-cudart heddle-jit heddle_device_pass cuda_libraries" setup_build build # what programs need, not the tests

heddle=build/bin/heddle
say "" "\$ $heddle run $program"
$heddle run "$program" || fail "heddle run $program"
say "" "\$ $heddle profile $program"
$heddle profile "$program" || fail "heddle profile $program"
say "" "That was a CUDA program, run and profiled without a GPU. Next: docs/guide/README.md, or a program of your own:" \
    "    $heddle profile your.cu"
