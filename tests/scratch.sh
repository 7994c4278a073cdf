#!/bin/sh
# Runs a command in a folder of its own, which goes afterwards: two runs of a test do not meet there. scratch.sh COMMAND...
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
status=0
"$@" || status=$?
exit "$status"
