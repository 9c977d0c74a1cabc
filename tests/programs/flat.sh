#!/bin/sh
# flat.sh LUNA MANY DEPTH [any] - wide programs on one worker: loops of MANY turns that hold loops,
# branches, subs, fragments or lists, trees of 4^DEPTH leaves. None takes more than 20 MiB, lists on four
# nodes neither; with `any` (sanitizers) nobody looks.
luna=$1 many=$2 depth=$3 any=${4:-}
cd "$(dirname "$0")/flat" || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/luna-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="${TEST_CACHE:-$work/cache}" LC_ALL=C

leaves=1
for level in $(seq "$depth"); do leaves=$((leaves * 4)); done

"$luna" build -q flat.fa -o "$work/flat" || exit 1
for what in 1 2 3 4 5 6 7 8 9 9-n4; do
    n=$many answer=1 nodes=${what#?} what=${what%-n4}
    [ $what -gt 2 ] || n=$depth answer=$leaves
    "$work/flat" -q $nodes -t 1 $what "$n" >"$work/out" || { echo "$what: exit code $?"; exit 1; }
    read -r said kib <"$work/out"
    echo "$what: $kib KiB"
    [ "$said" = $answer ] || { echo "the answer is $said, not $answer"; exit 1; }
    [ "$any" ] || [ "$kib" -le 20480 ] || { echo "that is more than 20 MiB"; exit 1; }
done
