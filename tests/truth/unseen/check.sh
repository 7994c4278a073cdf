#!/bin/sh
# check.sh HEDDLE: the set under `heddle profile`, with nvcc's PTX, against h200.tsv. Without nvcc: a word, and nothing is compared.
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/local/cuda/bin
command -v nvcc >/dev/null || { echo "no nvcc here: nothing is compared"; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
HEDDLE=$1 JOBS=2 "$here/run.sh" "$out" && "$here/compare.py" -q --most 8.5 "$here/h200.tsv" "$out"
