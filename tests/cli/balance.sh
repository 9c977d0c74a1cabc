# Cells that change hands while a program runs: --balance and its knobs, what --stats and a trace say.
. "${0%/*}/lib.sh"

cat >plane.fa <<'E'
C sub set(name x, int v) ${{ luna_set_int(x, v); $}}
C sub step(int a, int b, name x) ${{ luna_set_int(x, (a + b) % 1000); $}}
sub main(int steps) {
    df x;
    for i = 0..15 for j = 0..7 set(x[0][i][j], i + j);
    for t = 0..steps-1 for i = 0..15 for j = 0..7
        step(x[t][i][j], x[t][(i+1) % 16][(j+3) % 8], x[t+1][i][j]) @ { req_count x[t+1][i][j] = 2; };
} @ { cells 16, 8; cell x[t][i][j] => i, j; }
E
echo 'C sub f() ${{ $}} sub main() { f(); }' >nowhere.fa

refused() { # refused TEXT words...
    text=$1
    shift
    run luna run "$@"
    code 2
    err_has "luna: error: $text"
}
refused '--balance=fast: it is off, paper or two-phase' --balance=fast plane.fa 2
for every in 0 0ms 5h 1.5s -3 x 12345678; do
    refused "--balance-every=$every: it is a number of calls of a node, as 1000, or a time" \
        --balance=paper --balance-every=$every plane.fa 2
done
for threshold in 5 -5% x% 1e9% 0x1p3% 1.2.3% %; do
    refused "--balance-threshold=$threshold: it is a part of the average load" \
        --balance=paper --balance-threshold=$threshold plane.fa 2
done
refused '--balance-load=heat: it is bytes, count, time or weight' \
    --balance=paper --balance-load=heat plane.fa 2
for knob in every=10 threshold=1% load=time; do
    refused "--balance-${knob%=*} says how to balance: give --balance=paper or two-phase too" \
        --balance-$knob plane.fa 2
done
for kind in block block-cyclic cyclic; do
    refused "--balance=paper: under --distrib=$kind cells stay where they are; take rope or patch" \
        -n 2 --balance=paper --distrib=$kind plane.fa 2
done
run luna run -n 2 --balance=paper nowhere.fa
code 0
err_has 'luna: note: the program has no cells, so there is nothing to balance'
for option in --start=half --lattice=2; do
    run luna run -n 2 $option nowhere.fa
    code 0
    err_has "luna: note: the program has no cells, so ${option%=*} changes nothing"
    run luna run -q -n 2 $option nowhere.fa
    quiet
done

# Each step is told, and a cell that moves is in the trace of who gave it.
for mode in paper two-phase; do
    run luna sim -n 4 --start=half --balance=$mode --balance-every=40 --balance-threshold=0% \
        --stats --trace=trace.$mode plane.fa 12
    code 0
    lines=$(grep -cE '^luna: balance [0-9]+ at [0-9.]+ s: max/avg [0-9.]+ -> [0-9.]+, [0-9]+ cells' \
        "$here/err")
    holds "each step is told" "$lines" -ge 1
    moved=$(awk '/^luna: balance /{n += $11} END{print n}' "$here/err")
    traced=$(cat trace.$mode/node-*.jsonl | grep -c '"ev":"move"')
    holds "something has moved" "$moved" -gt 30
    holds "all moves are traced" "$moved" = "$traced"
    odd=$(cat trace.$mode/node-*.jsonl | grep '"ev":"move"' | grep -vcE \
        '^\{"t":[0-9]+,"ev":"move","cell":\[[0-9]+,[0-9]+\],"to":[0-3],"txn":"[0-3]\.[0-9]+"\}$')
    holds "moves are written as they should be" "$odd" = 0
    # The last line of own cells tells how many the last line says.
    for f in trace.$mode/node-*.jsonl; do
        own=$(grep '"ev":"own"' "$f" | tail -1 | grep -o '\[[0-9]*,[0-9]*\]' | wc -l)
        said=$(grep '"ev":"load"' "$f" | tail -1 | sed 's/.*"cells":\([0-9]*\).*/\1/')
        holds "cells owned at the end" "$own" = "$said"
    done
    # Each node tells the end of each step, the steps being numbered from 1.
    for f in trace.$mode/node-*.jsonl; do
        told=$(sed -n 's/.*"ev":"load".*,"step":\([0-9]*\)}$/\1/p' "$f" | tr '\n' ' ')
        holds "steps told in $f: $told" "$told" = "$(seq -s ' ' 1 "$lines") "
    done
    # And how far messages for cells have come since the one before it: one the farthest, all others
    # at least one hop and at most as far.
    n='\([0-9]*\)'
    walks=$(sed -n "s/.*\"walks\":$n,\"hops\":$n,\"farthest\":$n,\"step\".*/\1 \2 \3/p" \
        trace.$mode/node-*.jsonl | awk '
        $1 ? $3 < 1 || $2 > $1 * $3 || $2 < $1 - 1 + $3 : $2 || $3 { odd++ }
        { lines++; walks += $1; hops += $2 }
        END { print lines, odd + 0, (walks > 100), (hops >= walks) }')
    holds "walks to cells: $walks" "$walks" = "$((4 * lines)) 0 1 1"
    run luna stats trace.$mode
    code 0
done

# Where balancing takes time a trace tells how much; --stats tells that of the slowest node.
run luna run -n 2 -t 1 --start=half --balance=two-phase --balance-every=40 --balance-threshold=0% \
    --trace=timed plane.fa 50
code 0
spent=$(sed -n 's/.*"balancer":\([0-9]*\),.*"step":[0-9]*}$/\1/p' timed/node-*.jsonl |
    awk '{ n++; if ($1 > 0) some++ } END { print (n > 0 && n == some) }')
holds "each step took time" "$spent" = 1

# What calls have taken that wait for more is load of their cells, too: here all there is.
cat >held.fa <<'E'
C sub make(name x, int k) ${{ memset(luna_create(x, 100000), k, 100000); $}}
C head ${{
#include <string.h>
$}}
C sub tick(int k, name s) ${{ luna_set_int(s, k + 1); $}}
C sub use(value x, int gate) ${{ (void)x; (void)gate; $}}
sub main() {
    df x, s;
    for i = 0..15 make(x[i], i) @ { req_count x[i] = 1; };
    tick(0, s[0]);
    for k = 0..399 tick(s[k], s[k + 1])
        @ { locator_cyclic: k; req_count s[k + 1] = k < 399 ? 1 : 16; };
    for i = 0..15 use(x[i], s[400]);
} @ { cells 16; cell x[i] => i; }
E
for load in bytes count; do
    run luna sim -n 2 --start=half --balance=two-phase --balance-every=80 --balance-load=$load \
        --stats --trace=held held.fa
    code 0
    err_has 'max/avg 2.000 -> 1.000, 8 cells (0.76 MiB) moved'
    # What lives where is counted where it has moved to.
    lines=$(grep -h '"step":2' held/node-*.jsonl | grep -o '"bytes":[0-9]*,"count":[0-9]*' | sort)
    holds "load after the step: $lines" \
        "$(echo "$lines" | sed 's/,.*//' | tr '\n' ' ')" = '"bytes":800000 "bytes":800004 '
done

# Also what has come from another node, as a copy or by reference: it lives where the call waits, and
# with the call's cell. Here cells of node 1 have the values, and those of node 0 the calls.
cat >come.fa <<'E'
C head ${{
#include <string.h>
$}}
C sub make(name x, int k, int size) ${{ memset(luna_create(x, size), k, size); $}}
C sub tick(int k, name s) ${{ luna_set_int(s, k + 1); $}}
C sub use(value x, int gate, name y) ${{ (void)x; luna_set_int(y, gate); $}}
sub main(int size) {
    df x, y, s;
    for i = 0..15 make(x[i], i, size) @ { req_count x[i] = 1; };
    tick(0, s[0]);
    for k = 0..399 tick(s[k], s[k + 1])
        @ { locator_cyclic: k; req_count s[k + 1] = k < 399 ? 1 : 16; };
    for i = 0..15 use(x[i], s[400], y[i]) @ { req_count y[i] = 0; };
} @ { cells 16; cell x[i] => 8 + i/2; cell y[i] => i/2; }
E
for size in 500 100000; do
    for load in bytes count; do
        run luna sim -n 2 --balance=two-phase --balance-every=80 --balance-load=$load --stats \
            --trace=come come.fa $size
        code 0
        err_has 'max/avg 2.000 -> 1.000, 4 cells ('
        lines=$(grep -h '"step":2' come/node-*.jsonl | grep -o '"bytes":[0-9]*,"count":[0-9]*' | sort)
        holds "load of what came, after the step: $lines" "$(echo "$lines" | tr '\n' ' ')" = \
            "\"bytes\":$((8 * size)),\"count\":8 \"bytes\":$((8 * size + 4)),\"count\":9 "
    done
done

# An even start, loads that differ by 5 % from cell to cell: nothing moves in 1,000 iterations.
cat >noise.fa <<'E'
C sub set(name x, int v) ${{ luna_set_int(x, v); $}}
C sub step(int a, int b, int c, name x) ${{ luna_set_int(x, (a + b + c) % 1009); $}}
#define N 8
#define NOISE(i,j) (($i*37 + $j*101) % 11)
sub main() {
    df x;
    for i = 0..$N-1 for j = 0..$N-1 set(x[0][i][j], i + j) @ { req_count x[0][i][j] = 3; };
    for t = 0..999 for i = 0..$N-1 for j = 0..$N-1
        step(x[t][i][j], x[t][(i+1) % $N][j], x[t][i][(j+1) % $N], x[t+1][i][j])
            @ { req_count x[t+1][i][j] = t < 999 ? 3 : 0; weight: 1.0 + 0.01 * $NOISE(i,j); };
} @ { cells $N, $N; cell x[t][i][j] => i, j; }
E
for mode in paper two-phase; do
    for load in weight bytes; do
        run luna sim -n 4 --call-ns=100000 --balance=$mode --balance-load=$load \
            --balance-every=500 --stats noise.fa
        code 0
        moved=$(awk '/^luna: balance /{n += $11; steps++} END{print n + 0, (steps >= 30)}' "$here/err")
        holds "$load by $mode stay" "$moved" = "0 1"
    done
done

# No node has less than all have on average. While loads change, what they are at the end of a step is
# told by their mean then.
cat >changes.fa <<'E'
C sub first(int size, name y) ${{ ((char *)luna_create(y, (size_t)size))[0] = 1; $}}
C sub step(int size, value a, value b, name y) ${{
    ((char *)luna_create(y, (size_t)size))[0] = 1;
    (void)a, (void)b;
$}}
sub main(int n, int turns) {
    df u;
    for i = 0 .. n-1 first(12000 + 4 * i, u[0][i]);
    for t = 0 .. turns-1 for i = 0 .. n-1
        step(12000 + 4 * i, u[t][i], u[t][(i + 1) % n], u[t+1][i]) @ { weight: 1 + 50 * (i < 2); };
} @ { cells n; cell u[t][i] => i; }
E
for seed in 1 2 3; do
    run luna sim -q -n 3 --seed=$seed --distrib=rope --balance=paper --balance-every=1 --start=half \
        --balance-threshold=0% --stats changes.fa 8 6
    code 0
    holds "each step is told" "$(grep -c '^luna: balance' "$here/err")" -gt 3
    holds "the most loaded one has the mean or more" \
        "$(grep -cE '^luna: balance .*(avg|->) 0[.]' "$here/err")" = 0
done

# Calls that are ready, or have just come, go with their cells too: else what was given away is still
# done here, and the run takes half as long again.
took() { # took words...: the virtual time in us
    run luna sim -n 4 --call-ns=100000 -D I=16 -D J=16 -D ITERS=30 "$@" \
        "${0%/*}/../bench/balance.d/cells.fa" 0
    code 0
    us=$(sed -n 's/.* \([0-9]*\)\.\([0-9]*\) ms of virtual time.*/\1\2/p' "$here/err")
}
took
even=$us
took --start=half --balance=paper --balance-every=30
holds "as good as an even start: $us us beside $even" "$us" -lt $((even * 6 / 5))

# By time, what is gained must be worth the carrying: two nodes of 24 and 8 us a round, and cells that
# are small, or of a megabyte.
uneven() { # uneven BYTES
    run luna sim -n 2 --balance=two-phase --balance-load=time --balance-every=8 --stats -D I=4 -D J=4 \
        -D ITERS=12 -D BYTES=$1 -D 'WEIGHT=(i < 2 ? 3 : 1)' "${0%/*}/../bench/balance.d/cells.fa" 0
    code 0
    moved=$(awk '/^luna: balance /{n += $11} END{print n + 0}' "$here/err")
}
uneven 64
holds "small cells move" "$moved" -gt 0
uneven 1000000
holds "large ones do not: $moved" "$moved" = 0
err_has 'moving would cost more than it gains'

# A cell alone that is heavier than what a node should have: no place is good for it, which is said.
# One that is just as heavy as its node may be is not worth a word.
lone() { # lone WEIGHT words...
    heavy=$1
    shift
    run luna sim -n 4 --balance-every=64 --stats -D I=8 -D J=8 -D ITERS=20 \
        -D "WEIGHT=(i == 0 && j == 0 ? $heavy : 1)" "$@" "${0%/*}/../bench/balance.d/cells.fa" 0
    code 0
    last_step=$(grep '^luna: balance ' "$here/err" | tail -1)
    said=$(echo "$last_step" | grep -o "; one cell alone has [0-9.]* times a node's share")
    share=$(echo "$said" | tr -dc 0-9) # in hundredths
}
for mode in paper two-phase; do
    for load in weight time; do
        lone 57 --balance=$mode --balance-load=$load # of 120, which is 30 a node
        holds "it is told by $mode, $load: $last_step" \
            "${share:-0}" -gt 170 -a "${share:-0}" -lt 210
        lone 20 --balance=$mode --balance-load=$load # of 83, which is 21 a node
        holds "nothing is told by $mode, $load: $last_step" -z "$said"
    done
done

# Below the threshold all stays where it is.
run luna sim -n 4 --balance=paper --balance-every=40 --balance-threshold=200% --stats plane.fa 12
code 0
moved=$(awk '/^luna: balance /{n += $11} END{print n + 0}' "$here/err")
holds "nothing moves" "$moved" = 0
finish
