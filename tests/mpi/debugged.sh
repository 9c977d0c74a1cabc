#!/bin/sh
# debugged.sh - gdb and ranks: a gdb for each, for one of them, or for one that runs already.
. "${0%/*}/lib_mpi.sh"
if ! command -v gdb >/dev/null; then
    holds "gdb is in tests/packages.txt, which CI installs" -z "${CI:-}"
    skip "gdb"
    finish
fi

cat >stop.fa <<'E'
import make(int, name) as make;
C sub show(int k) ${{ (void)k; $}}
sub main()
{
    df a;
    for i = 0 .. 1 {
        cf b[i]: make(i, a[i]) @ { locator_cyclic: i; };
        show(a[i]);
    }
} @ { locator_cyclic a[k] => k; }
E
cat >stop.c <<'E'
#include <luna.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void make(int k, luna_df *out)
{
    printf("%d begins\n", k);
    if (getenv("SLOW")) sleep(20);
    if (getenv("CRASH") && k == 1) *(volatile int *)0 = k;
    luna_set_int(out, k + 40);
}
E
debugger() { timeout -k 2 60 "$mpiexec" "$@"; }

# What two of them print at once is mixed: each has a file.
each_apart() { debugger -n 2 sh -c 'exec "$@" >"gdb.$PMI_RANK"' sh "$@"; }

# It stops at the function wherever it is called; then the run goes on to its end.
set -- gdb -nx -batch -ex 'set breakpoint pending on' -ex 'break make' -ex run -ex 'info args' \
    -ex continue --args "$LUNA" run -g -t 1 stop.fa
run each_apart "$@"
code 0
for node in 0 1; do
    cat "gdb.$node" >"$here/out"
    out_has "make (k=$node, out=0x"
    out_has "k = $node"
    out_has "exited normally"
done

# One of two.
one_of_two() {
    debugger -n 1 sh -c 'exec "$@" >gdb.0' sh "$@" : -n 1 "$LUNA" run -g -t 1 stop.fa
}
run one_of_two "$@"
code 0
out_has "1 begins"
cat gdb.0 >"$here/out"
out_has "make (k=0, out=0x"
out_has "exited normally"

# Commands that are typed go to the first.
typed() {
    printf '%s\n' 'set breakpoint pending on' 'break make' run 'bt 1' continue quit |
        one_of_two "$@"
}
run typed gdb -nx --args "$LUNA" run -g -t 1 stop.fa
code 0
out_has "1 begins"
cat gdb.0 >"$here/out"
out_has "make (k=0, out=0x"
out_has "stop.c:8"

# A crash: gdb shows where, then the run is over for all.
run each_apart env CRASH=1 gdb -nx -batch -ex run -ex bt --args "$LUNA" run -g -t 1 stop.fa
cat gdb.1 >"$here/out"
out_has "SIGSEGV"
out_has "make (k=1, out=0x"
out_has "stop.c:10"
all_gone 30

# One that luna has started: a supervisor, and gdb at the newest of its ranks.
: >"$here/begun"
rank1=
SLOW=1 "$LUNA" run -g -t 1 -n 2 --transport=mpi stop.fa >"$here/begun" 2>&1 </dev/null &
job=$!
i=0
while [ "$(wc -l <"$here/begun")" -lt 2 ] && [ $i -lt 100 ]; do
    sleep 0.1
    i=$((i + 1))
done
for p in $(living); do
    tr '\0' '\n' <"/proc/$p/environ" | grep -qx PMI_RANK=1 && rank1=$p
done
run timeout -k 2 60 gdb -nx -batch -p "$rank1" -ex 'thread apply all bt'
code 0
out_has "make (k=1, out=0x"
out_has "stop.c:9"
kill -TERM "$job"
wait "$job"
last_code=$?
code 143
all_gone 30

finish
