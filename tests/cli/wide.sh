#!/bin/sh
# wide.sh - loops that only one node walks: no node waits until the calls of another have run. The
# simulator's time of each program is nearly the even share of its calls.
. "${0%/*}/lib.sh"

cat >functions.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub work(int k, name x) ${{ luna_set_int(x, k); $}}
C sub show(int s) ${{ printf("%d\n", s); $}}
E

# Two loops and two sums behind one another, with fragments of each turn's own.
{
    cat functions.fa
    cat <<'E'
sub main(int frames, int blocks)
{
    df light, answer;
    for f = 0 .. frames-1 {
        df p, q, total;
        for b = 0 .. blocks-1 work(b, p[b]) @ { weight: 50; };
        reduce + p[b] over b = 0 .. blocks-1 => total;
        for b = 0 .. blocks-1 work(total, q[b]) @ { weight: 50; };
        reduce + q[b] over b = 0 .. blocks-1 => light[f];
    }
    reduce + light[f] over f = 0 .. frames-1 => answer;
    show(answer);
}
E
} >frames.fa

# A call that can run at once, and branches.
{
    cat functions.fa
    cat <<'E'
sub main(int frames, int blocks)
{
    df light, answer;
    for f = 0 .. frames-1 {
        df p, a;
        work(f, a) @ { weight: 50; };
        if f % 3 != 1 for b = 0 .. blocks-1 work(a, p[b]) @ { weight: 50; };
        else for b = 0 .. blocks-1 work(b, p[b]) @ { weight: 50; };
        reduce + p[b] over b = 0 .. blocks-1 => light[f];
    }
    reduce + light[f] over f = 0 .. frames-1 => answer;
    show(answer);
}
E
} >branches.fa

# Many loops of unknown length at a time: conditions that have come never pause.
{
    cat functions.fa
    cat <<'E'
C sub less(int x, name y) ${{ luna_set_int(y, x - 1); $}}
sub solve(int p, name result)
{
    df x, turns;
    work(3 + p % 5, x[0]) @ { weight: 50; };
    while x[t] > 0, t = 0 .. out turns less(x[t], x[t+1]) @ { weight: 50; };
    less(x[turns], result) @ { weight: 50; };
}
sub main(int n, int nodes)
{
    df result, sum;
    for p = 0 .. n-1 solve(p, result[p]) @ { locator_cyclic: nodes * p / n; };
    reduce + result[p] over p = 0 .. n-1 => sum;
    show(sum);
}
E
} >sweep.fa

# Loops of unknown length in subs on other nodes: their conditions do not ask node 0, which is in
# long calls.
{
    cat functions.fa
    cat <<'E'
C sub less(int x, name y) ${{ luna_set_int(y, x - 1); $}}
sub solve(int p, name result)
{
    df x, turns;
    work(5, x[0]) @ { weight: 1000; };
    while x[t] > 0, t = 0 .. out turns less(x[t], x[t+1]) @ { weight: 1000; };
    less(x[turns], result) @ { weight: 1000; };
} @ { cell x[t] => p; }
sub main(int nodes)
{
    df result, sum, own;
    for k = 0 .. 2 work(k, own[k]) @ { weight: 3000; };
    for p = 1 .. nodes-1 solve(p, result[p]);
    reduce + result[p] over p = 1 .. nodes-1 => sum;
    show(sum);
} @ { cells nodes; cell result[p] => p; cell own[k] => 0; }
E
} >stays.fa

# What node 0 can run at once for the others goes before what it can run for itself, though all who
# read it are known later only.
{
    cat functions.fa
    cat <<'E'
sub main(int frames, int blocks)
{
    df p, light, answer;
    for f = 0 .. frames-1 {
        df a;
        work(f, a) @ { weight: 50; };
        for b = 0 .. blocks-1 work(a, p[f][b]) @ { weight: 50; };
        reduce + p[f][b] over b = 0 .. blocks-1 => light[f];
    }
    reduce + light[f] over f = 0 .. frames-1 => answer;
    show(answer);
} @ { cells frames; cell p[f][b] => f; }
E
} >asked.fa

# A sum of many elements that come late: who has been asked for them goes on with its loops.
{
    cat functions.fa
    cat <<'E'
sub main(int n)
{
    df a, p, q, s, t;
    work(1, a) @ { weight: 2000; locator_cyclic: 2; };
    for k = 0 .. n-1 work(a, p[k]) @ { locator_cyclic: 2; };
    reduce + p[k] over k = 0 .. n-1 => s;
    for k = 0 .. 39 work(k, q[k]) @ { weight: 50; locator_cyclic: 1; };
    reduce + q[k] over k = 0 .. 39 => t;
    show(s + t);
} @ { locator_cyclic a => 2; locator_cyclic p[k] => 1; locator_cyclic q[k] => 1; }
E
} >sums.fa

# even N MS FILE WORDS...: on N nodes it takes at most MS of virtual time.
even() {
    n=$1 ms=$2
    shift 2
    run luna sim -n "$n" "$@"
    code 0
    took=$(sed -n 's/.* events, \([0-9]*\)\..* ms .*/\1/p' "$here/err")
    holds "$1 on $n nodes takes $took ms, at most $ms" "${took:-999999}" -le "$ms"
}
even 2 215 frames.fa 64 64
even 4 108 frames.fa 64 64
even 16 27 frames.fa 64 64
even 2 109 branches.fa 64 64
even 4 54 branches.fa 64 64
even 16 14 branches.fa 64 64
even 2 119 sweep.fa 640 2
even 4 60 sweep.fa 640 4
even 16 16 sweep.fa 640 16
even 2 10 stays.fa 2
even 4 10 stays.fa 4
even 16 10 stays.fa 16
even 2 3 asked.fa 2 64
even 4 3 asked.fa 4 64
even 16 4 asked.fa 16 64
even 3 2 sums.fa 600

# More turns than are begun at once, more elements than wait before loops pause for them; the same
# values as on one node.
for file in "frames.fa 9000 2" "branches.fa 9000 2" "sweep.fa 9000 4" "sums.fa 100000"; do
    run luna run -q -n 1 --hash $file
    code 0
    alone=$(cat "$here/out" "$here/err")
    for how in "run -n 4 -t 1" "run -n 2 -t 2" "sim -n 7"; do
        run luna $how -q --hash $file
        code 0
        holds "$file, $how: as on one node" "$(cat "$here/out" "$here/err")" = "$alone"
    done
done
finish
