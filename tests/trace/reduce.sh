#!/bin/sh
# reduce.sh - what a reduction sends between nodes: one part of each, or the elements that have no
# neighbour at home; as collectives, which AvgSD and AvgSS do not count.
. "${0%/*}/lib.sh"

cat >sum.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub setr(name v, int k) ${{ luna_set_real(v, k); $}}
C sub say(int k) ${{ printf("%d\n", k); $}}
sub main() {
    df x, s;
    for i = 0..63 cf a[i]: $SET(x[i], i);
    reduce + x[i] over i = 0..63 => s;
    say(s);
} @ { locator_cyclic x[i] => $HOME; locator_cyclic a[i] => $HOME; }
E

# sent SET HOME NODES WANT: so many parts and elements are sent, and nothing else is.
sent() {
    for how in "run -t 1 --stats" "run -t 2" "sim --seed=$3"; do
        rm -rf tr
        run luna $how -n "$3" --trace=tr -D SET="$1" -D HOME="$2" sum.fa
        code 0
        out_has 2016
        case $how in *stats) err_has " 0 values sent, AvgSD 0, AvgSS 0 MiB" ;; esac
        run luna stats --json tr
        out_has "\"collective\":{\"count\":$4,"
        out_has '"reply":{"count":0,'
        out_has '"push":{"count":0,'
    done
}

sent seti "i" 4 3        # ints are one value of each node, wherever they lie
sent setr "i/16" 4 3     # so are runs of neighbours,
sent setr "i/8" 4 6      # and two runs are two parts, which meet at node 0
sent setr "i" 2 32       # no neighbours at home: all elements travel
sent setr "i/16" 64 48   # more nodes than elements: node 0 asks for each
sent setr "0" 3 0
finish
