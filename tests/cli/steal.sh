#!/bin/sh
# steal.sh - with -b idle nodes take calls that are marked stealable, and no others.
. "${0%/*}/lib.sh"

cat >steal.fa <<'E'
C sub work(int k, name v) ${{ luna_set_int(v, k); $}}
C sub other(int k) ${{ (void)k; $}}
sub main(int n)
{
    df x;
    for i = 1..n cf a[i]: work(i, x[i]) @ { stealable; weight: 100; };
    for i = 1..n cf b[i]: other(i) @ { weight: 1; };
}
E
# ms: the virtual time of the last run.
ms() { sed -n 's/.* events, \([0-9]*\)\.[0-9]* ms .*/\1/p' "$here/err"; }
# nodes_of LABEL: how many nodes ran calls of this label, by the trace.
nodes_of() { grep -l "\"cf\":\"$1\\[" t/node-*.jsonl | wc -l; }

run luna sim -n 16 --seed=1 --trace=t steal.fa 400
code 0
alone=$(ms)
holds "without -b all run where they are" "$(nodes_of a)" = 1
run luna sim -b -n 16 --seed=1 --trace=t steal.fa 400
code 0
holds "with -b all nodes have some: $(nodes_of a)" "$(nodes_of a)" = 16
holds "others stay" "$(nodes_of b)" = 1
holds "each ran once" "$(cat t/node-*.jsonl | grep -c '"cf":"a\[')" = 400
holds "it takes a part of the time: $(ms) of $alone ms" $(($(ms) * 6)) -lt "$alone"

# Nothing to steal: it ends all the same.
run luna sim -b -n 64 --seed=2 steal.fa 0
code 0
for how in "-n 7 -t 1" "-n 2 -t 2" "-n 1"; do
    run luna run -b $how --hash steal.fa 300
    code 0
    err_has "hash * 300 "
done

finish
