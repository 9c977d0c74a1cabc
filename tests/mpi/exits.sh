#!/bin/sh
# exits.sh - every launcher gives the exit code of the run, and one rank says why.
. "${0%/*}/lib_mpi.sh"

# by_all CODE WORDS...: the same by mpiexec and by luna run; expect() looks at each.
by_all() {
    want=$1
    shift
    for n in 2 4; do
        run ranks $n "$LUNA" run "$@"
        code "$want"
        expect
        run guarded "$LUNA" run -n $n --transport=mpi "$@"
        code "$want"
        expect
        holds "nothing of mpiexec" "$(grep -c 'BAD TERMINATION' "$here/out" "$here/err" | grep -c ':0')" = 2
    done
}
once() { holds "said once: $1" "$(grep -cF -- "$1" "$here/err")" = 1; }

# 1: the program has errors
echo 'sub main() { f(1); }' >bad.fa
expect() { once "bad.fa:1:14: error"; }
by_all 1 bad.fa

# 2: wrong arguments of main
cat >words.fa <<'E'
C sub say(int k) ${{ (void)k; $}}
sub main(int n) { say(n); }
E
expect() { once "error[RUN11]: argument 1 of main, 'n', must be an int, not 'x'"; }
by_all 2 words.fa x
expect() { once "no such file: 'absent.fa'"; }
run guarded "$LUNA" run -n 2 --transport=mpi absent.fa
code 2
expect
run ranks 2 "$LUNA" run -n 3 words.fa 1
code 2
once "2 ranks were started, but -n says 3 nodes"
run luna run --transport=tcp words.fa 1
code 2
once "--transport is local or mpi, not 'tcp'"

# 3: a ucode fails on the last rank; another ends the process by exit(7)
cat >fail.fa <<'E'
C head ${{
#include <stdlib.h>
#include <stdio.h>
$}}
C sub bad(int k) ${{ printf("before\n"); if (k) luna_fail("number %d", k); exit(7); $}}
sub main(int k) { cf a: bad(k) @ { locator_cyclic: 1; }; }
E
expect() { once "error[RUN5]: number 3"; out_has before; }
by_all 3 fail.fa 3
expect() { once "error[RUN7]: 'bad' called exit(7)"; out_has before; }
by_all 3 fail.fa 0

# 4: calls that wait for ever, told as one node tells it
cat >stuck.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub add(int a, int b, name s) ${{ luna_set_int(s, a + b); $}}
sub main()
{
    df x, y, z, one;
    seti(one, 1);
    for i = 0..9 { cf a[i]: seti(x[2*i], i) @ { locator_cyclic: i; }; }
    for i = 0..3 { cf b[i]: add(x[2*i], x[2*i + int(one)], y[i]) @ { locator_cyclic: 3*i; }; }
    cf c: add(y[0], y[1], z) @ { locator_cyclic: 1; };
} @ { locator_cyclic x[k] => k; locator_cyclic y[k] => k+1; locator_cyclic z => 1; }
E
run luna run -n 4 stuck.fa
code 4
cp "$here/err" want.stuck
expect() { same err <want.stuck; }
by_all 4 stuck.fa

# 4: homes that disagree
cat >homes.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub eat(int k) ${{ (void)k; $}}
sub put(name v) { seti(v[1], 5); } @ { locator_cyclic v[k] => k+1; }
sub get(name v) { eat(v[1]); } @ { locator_cyclic v[k] => k; }
sub main() { df x; put(x); get(x); }
E
run luna run -n 2 homes.fa
if [ "$last_code" = 4 ]; then
    cp "$here/err" want.homes
    run guarded "$LUNA" run -n 2 --transport=mpi homes.fa
    code 4
    same err <want.homes
fi

# Ranks that run different programs are refused.
cat >one.fa <<'E'
C sub say(int k) ${{ (void)k; $}}
sub main() { say(1); }
E
sed 's/say(1)/say(2)/' one.fa >two.fa
run luna build one.fa -o prog1
run luna build two.fa -o prog2
run guarded "$mpiexec" -n 1 ./prog1 : -n 1 ./prog2
code 5
once "rank 1 runs another program than rank 0"
run guarded "$mpiexec" -n 1 ./prog1 : -n 1 "$LUNA" run one.fa
code 5
once "rank 1 runs another program than rank 0"
run guarded "$mpiexec" -n 1 "$LUNA" run one.fa : -n 1 ./prog1
code 5
once "rank 1 runs another program than rank 0"
run ranks 2 ./prog1
code 0
quiet
run guarded ./prog1 -n 2 --transport=mpi
code 0
quiet

# Standard input is that of rank 0, whoever starts the ranks; the other has none.
cat >reads.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub reads(name x) ${{ int k; luna_set_int(x, scanf("%d", &k) == 1 ? k : -1); $}}
C sub say(int a, int b) ${{ printf("%d %d\n", a, b); $}}
sub main()
{
    df x;
    reads(x[0]) @ { locator_cyclic: 0; };
    reads(x[1]) @ { locator_cyclic: 1; };
    say(x[0], x[1]);
} @ { locator_cyclic x[i] => i; }
E
input() { printf '42 7\n' | "$@"; }
run input guarded "$LUNA" run -q -n 2 -t 1 --transport=mpi reads.fa
code 0
out <<'E'
42 -1
E
run input guarded "$mpiexec" -n 2 "$LUNA" run -q -t 1 reads.fa
code 0
out <<'E'
42 -1
E
closed() { "$@" <&-; }
run closed guarded "$LUNA" run -q -n 2 -t 1 --transport=mpi reads.fa
code 0
out <<'E'
-1 -1
E

all_gone 10
finish
