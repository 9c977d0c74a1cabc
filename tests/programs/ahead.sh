#!/bin/sh
# ahead.sh LUNA - loops of two nodes, with two workers each, do not run ahead without an end while what
# they make waits for the other node. On one core each node waits for milliseconds: at 50,000 steps
# 196 MiB were in use, and 392 at twice as many.
luna=$1
cd "$(dirname "$0")" || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/luna-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="${TEST_CACHE:-$work/cache}" LC_ALL=C
taskset -c "$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')" \
    "$luna" run -q --stats -n 2 -t 2 ahead.fa 20 50000 2>"$work/err" || { cat "$work/err"; exit 1; }
peak=$(sed -n 's/.*peak memory \([0-9]*\) MiB.*/\1/p' "$work/err")
[ "${peak:-999}" -le 120 ] || { echo "peak memory $peak MiB"; exit 1; }
