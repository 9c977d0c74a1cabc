#!/bin/sh
# same.sh - ranks give what one node gives: the same lines, the same hash, by every way of starting them.
. "${0%/*}/lib_mpi.sh"
spread

run luna run --hash spread.fa
code 0
sort "$here/out" >want.out
cp "$here/err" want.hash

as_one_node() {
    code 0
    sort "$here/out" >got && mv got "$here/out"
    same out <want.out
    same err <want.hash
}
for n in 1 2 4 "${MANY:-16}"; do
    run ranks $n "$LUNA" run --hash spread.fa
    as_one_node
    run guarded "$LUNA" run -n $n --transport=mpi --hash spread.fa
    as_one_node
done
run ranks 3 "$LUNA" run -t 2 --hash spread.fa # several workers each
as_one_node
run guarded "$LUNA" --transport=mpi -n 2 --hash spread.fa
as_one_node
UCX_TLS=tcp,self run ranks 2 "$LUNA" run --hash spread.fa # MPI_Finalize may hang there
as_one_node

# Two ranks on two cores have a core each, and not the same.
cat >cores.fa <<'E'
C++ head ${{
#include <sched.h>
#include <stdio.h>
$}}
C++ sub where(int k)
${{
    cpu_set_t set;
    int core = -1;
    if (sched_getaffinity(0, sizeof set, &set) || CPU_COUNT(&set) != 1) luna_fail("rank %d is not bound", k);
    while (!CPU_ISSET(++core, &set)) {}
    printf("core %d\n", core);
$}}
sub main() { for k = 0 .. 1 { cf c[k]: where(k) @ { locator_cyclic: k; }; } }
E
if [ "$(nproc)" -ge 2 ]; then
    for how in "guarded $LUNA run -n 2 -t 1 --transport=mpi" "ranks 2 $LUNA run -t 1"; do
        run $how cores.fa
        code 0
        holds "two cores" "$(sort -u "$here/out" | wc -l)" -eq 2
    done
else
    skip "one core"
fi

# Every rank on its own, if that is asked for.
run ranks 2 "$LUNA" run -q --transport=local spread.fa
code 0
holds "each rank ran all" "$(wc -l <"$here/out")" = 120

# Statistics, said once.
run guarded "$LUNA" run -n 2 --transport=mpi --stats spread.fa
code 0
err_has " 2 nodes x "
holds "said once" "$(grep -c " 2 nodes x " "$here/err")" = 1
run guarded "$LUNA" run -n 3 -t 2 --transport=mpi --stats spread.fa
code 0
workers_of() { sed -n '/^node  worker/,$p' "$here/err" | grep -E '^[0-9]+ +[0-9]+ +[0-9]+ '; }
holds "each worker of each rank" "$(workers_of | awk '{ print $1 "." $2 }' | sort | tr '\n' ' ')" = \
    "0.0 0.1 1.0 1.1 2.0 2.1 "
holds "their calls are all calls" "$(workers_of | awk '{ n += $3 } END { print n }')" = \
    "$(sed -n 's/.* workers, \([0-9]*\) calls .*/\1/p' "$here/err")"

# An object made before.
run luna run -c -q spread.fa
run ranks 2 "$LUNA" run --hash ./libucodes.so
as_one_node

all_gone 10
finish
