#!/bin/sh
# priority.sh - the rule `priority: e;`: which of the calls that are ready on a node runs first.
. "${0%/*}/lib.sh"

# On each node many calls on which nothing depends, made first; and a chain through all nodes.
cat >bag.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub work(int i, name x) ${{ luna_set_int(x, i); $}}
C sub step(value a, name x) ${{ luna_set_int(x, luna_get_int(a) + 1); $}}
C sub say(int a) ${{ printf("%d\n", a); $}}
#ifndef FIRST
#define FIRST 0
#endif
sub main(int n)
{
    df bag, chain;
    for i = 0 .. 8*n-1 work(i, bag[i]);
    work(0, chain[0]) @ { priority: $FIRST; };
    for t = 0 .. 4*n-1 { step(chain[t], chain[t+1]) @ { weight: 0.5; priority: $FIRST; }; }
    say(chain[4*n]);
}
@ { cells 4; cell bag[i] => i % 4; cell chain[t] => t / 8 % 4; }
E
# In $us, how long it takes on the simulator.
takes() {
    run luna sim -t 1 -n 4 --distrib=patch --call-ns=100000 "$@" $program 100
    code 0
    out <<'E'
400
E
    us=$(sed -n 's/.* events, \([0-9]*\)\.\([0-9]*\) ms of .*/\1\2/p' "$here/err")
}
program=bag.fa
takes -D FIRST=0
plain=$us
takes -D FIRST=1
holds "the chain goes on beside the bag: $us us, without the rule $plain" $((us * 10)) -le $((plain * 7))
takes -D FIRST=-1
holds "the bag first: $us us, without the rule $plain" $((us * 100)) -ge $((plain * 99))

# The priority of the call of a sub is that of the calls in it that say none, however deep.
cat >inner.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub work(int i, name x) ${{ luna_set_int(x, i); $}}
C sub step(value a, name x) ${{ luna_set_int(x, luna_get_int(a) + 1); $}}
C sub say(int a) ${{ printf("%d\n", a); $}}
#ifndef FIRST
#define FIRST 0
#endif
#ifndef INSIDE
#define INSIDE weight: 0.5;
#endif
sub inner(name a, name x) { step(a, x) @ { $INSIDE }; }
sub link(int k, real far, name a, name x) if k >= 0 inner(a, x);
sub main(int n)
{
    df bag, chain;
    for i = 0 .. 8*n-1 work(i, bag[i]);
    work(0, chain[0]) @ { priority: $FIRST; };
    for t = 0 .. 4*n-1 { link(t, 0.5, chain[t], chain[t+1]) @ { priority: $FIRST * 1.5; }; }
    say(chain[4*n]);
}
@ { cells 4; cell bag[i] => i % 4; cell chain[t] => t / 8 % 4; }
E
program=inner.fa
takes -D FIRST=0
plain=$us
takes -D FIRST=1
holds "the chain of subs: $us us, without the rule $plain" $((us * 10)) -le $((plain * 7))
takes -D FIRST=1 -D "INSIDE=weight: 0.5; priority: -1;"
holds "its own comes first: $us us, without the rule $plain" $((us * 100)) -ge $((plain * 99))
run luna dump --pass=lower inner.fa
out_has "sub inner: F0 = name a, F1 = name x, F2 = its priority"
out_has "its F2 = F4"

# Threads: with two workers the chain, of 2 ms, is over before the bag, of twice 20 ms, is half done.
cat >slow.fa <<'E'
C head ${{
#include <stdio.h>
#include <unistd.h>
#include <stdatomic.h>
static atomic_int done;
$}}
C sub work(int i, name x) ${{ usleep(200); done++; luna_set_int(x, i); $}}
C sub step(value a, name x) ${{ usleep(200); luna_set_int(x, luna_get_int(a) + 1); $}}
C sub say(int a) ${{ printf("%d %s\n", a, done < 100 ? "first" : "late"); $}}
sub main()
{
    df bag, chain;
    for i = 0 .. 199 work(i, bag[i]) @ { priority: -1; };
    work(0, chain[0]) @ { priority: 1; };
    for t = 0 .. 9 { step(chain[t], chain[t+1]) @ { priority: 1 + t; }; }
    say(chain[10]) @ { priority: 2; };
}
E
for how in "-t 1" "-t 2" "-n 2 -t 1" "-n 2 -t 2"; do
    run luna run -q $how slow.fa
    code 0
    out <<'E'
10 first
E
done

# Only calls have it.
cat >bad.fa <<'E'
C sub seti(name x, int v) ${{ luna_set_int(x, v); $}}
sub main() { df x; for i = 0 .. 3 { seti(x[i], i); } @ { priority: 1; } }
E
run luna check bad.fa
code 0
err_has "EXT15"
finish
