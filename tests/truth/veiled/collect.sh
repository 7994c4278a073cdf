#!/bin/sh
# collect.sh OUT.csv: ../time/programs.sh for the programs of this folder, on a machine with the GPU: OUT.csv has what
# ncu says of each launch, OUT.csv.ptx nvcc's PTX.
here=$(dirname "$0")
STAGES=${STAGES:-ncu} LIMIT=${LIMIT:-400} exec sh "$here/../time/programs.sh" "$1" "$here"
