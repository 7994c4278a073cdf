#!/bin/sh
# Stands for the scripts, interpreters and launchers that profilers are pointed at.
./app "$@"
