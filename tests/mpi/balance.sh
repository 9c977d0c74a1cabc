#!/bin/sh
# balance.sh - cells change hands between ranks: the values are those of one node, each step is told
# once, and each cell that moves is in the trace of the rank that gave it.
. "${0%/*}/lib_mpi.sh"
cells=${0%/*}/../bench/balance.d/cells.fa

run luna run -c -q -D I=12 -D J=12 -D ITERS=40 -D BYTES=512 "$cells"
code 0
run luna run -n 1 -t 1 --hash ./libucodes.so 20
code 0
cp "$here/err" want.hash

# Loads and kinds in turn. When a step begins is left to chance, so what moves is counted together.
balanced() { # balanced MODE KIND LOAD WORKERS
    run guarded "$LUNA" run -q -n 4 --transport=mpi -t "$4" --hash --stats --trace=trace \
        --distrib="$2" --start=half --balance="$1" --balance-every=60 --balance-threshold=0% \
        --balance-load="$3" ./libucodes.so 20
    code 0
    grep '^hash' "$here/err" >got.hash
    holds "the values are those of one node" "$(cat got.hash)" = "$(cat want.hash)"
    grep '^luna: balance ' "$here/err" >steps
    odd=$(grep -vcE '^luna: balance [0-9]+ at [0-9.]+ s: max/avg [0-9.]+ -> [0-9.]+, [0-9]+ cells' \
        steps)
    holds "steps are whole lines" "$odd" = 0
    holds "each step is told once" "$(awk '{ print $3 }' steps | tr '\n' ' ')" = \
        "$(seq -s ' ' 1 "$(wc -l <steps)") "
    now=$(awk '{ n += $11 } END { print n + 0 }' steps)
    holds "all moves are traced" "$(cat trace/node-*.jsonl | grep -c '"ev":"move"')" = "$now"
    moved=$((moved + now))
}
for mode in paper two-phase; do
    moved=0
    balanced $mode patch bytes 1
    balanced $mode rope weight 1
    balanced $mode patch time 2
    balanced $mode rope count 2
    holds "cells have moved: $mode" "$moved" -gt 30
done

all_gone 10
finish
