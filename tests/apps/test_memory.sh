#!/bin/sh
# test_memory.sh LUNA KILOBYTES APP.fa [options...] - the built program runs in so much address space
# (beside what an empty one takes), so what is not needed any more must have gone.
luna=$1 room=$2 app=$3
shift 3
work=$(mktemp -d "${TMPDIR:-/tmp}/luna-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="${TEST_CACHE:-$work/cache}"

"$luna" build -q "$@" "$app" -o "$work/program" || exit 1
(ulimit -v "$room" && "$work/program" -t 2) || { echo "exit code $?"; exit 1; }
