#!/bin/sh
# places.sh LUNA - calls run on the nodes that the program says: places/places.fa on five nodes, by its
# trace. The label of each call ends in the number of its node.
luna=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/luna-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="${TEST_CACHE:-$work/cache}" LC_ALL=C
cd "$(dirname "$0")/places" || exit 1
failed=0

labels=$(grep -o 'cf [a-z_]*_[0-4]:' places.fa | sed 's/cf //; s/://')
[ "$(echo "$labels" | wc -l)" -gt 25 ] || { echo "few labels"; exit 1; }
for workers in 1 2; do
    rm -rf "$work/trace"
    "$luna" run -t $workers -n 5 --trace="$work/trace" places.fa 1 || exit 1
    # node label, one line for each call
    for node in 0 1 2 3 4; do
        sed -n "s/.*\"ev\":\"exec\",\"cf\":\"\([^\"]*\)\".*/$node \1/p" "$work/trace/node-0000$node.jsonl"
    done >"$work/ran"
    for label in $labels; do
        want=${label##*_}
        got=$(sed -n "s/ $label\(\[.*\)*$//p" "$work/ran" | tr '\n' ' ')
        [ "$got" = "$want " ] || { echo "-t $workers: $label ran on: $got"; failed=1; }
    done
    for ij in 00 01 10 11; do
        i=${ij%?} j=${ij#?}
        grep -q "^$((2 * i + j + 1)) indexed\[$i\]\[$j\]\$" "$work/ran" ||
            { echo "-t $workers: indexed[$i][$j] ran elsewhere"; failed=1; }
    done
done
exit $failed
