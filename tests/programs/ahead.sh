#!/bin/sh
# ahead.sh LUNA - loops do not run ahead without an end: neither while what they make waits for
# another node, nor of a statement that a condition has taken, nor of a sum of what they make.
luna=$1 program=ahead.fa first=20
cd "$(dirname "$0")" || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/luna-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="${TEST_CACHE:-$work/cache}" LC_ALL=C

peak() { # MIB STEPS COMMAND...: they take that much at most
    most=$1 steps=$2
    shift 2
    "$@" -q --stats $program $first "$steps" 2>"$work/err" || { cat "$work/err"; exit 1; }
    is=$(sed -n 's/.*peak memory \([0-9]*\) MiB.*/\1/p' "$work/err")
    echo "$is MiB: $*"
    [ "${is:-9999}" -le "$most" ] || exit 1
}

# Two workers each; on one core each node waits for milliseconds. It was 196 MiB, and 392 at twice as
# many steps.
core=$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')
peak 120 50000 taskset -c "$core" "$luna" run -n 2 -t 2

# A node that has given away all cells of its loops (decision 0048): 112 MiB, and 202.
balance="--start=half --balance=two-phase --balance-load=weight --balance-every=1ms"
peak 40 50000 "$luna" sim -n 3 $balance

# The same with two workers each: 549 MiB, and 261 for half as many steps.
peak 350 100000 "$luna" run -n 3 -t 2 $balance

# Depth first: 128 MiB while all sums waited behind the loop.
program=behind.fa
peak 40 300000 "$luna" run -t 2

# Two workers: 97 and 114 MiB while a sum began when its last element was there.
program=harvest.fa
first=1
peak 40 1400000 "$luna" run -t 2
first=1400
peak 40 1000 "$luna" run -t 2
