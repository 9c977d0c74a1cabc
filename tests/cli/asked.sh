# SIGUSR1: what runs and what waits is said, and the run goes on.
. "${0%/*}/lib.sh"

# Both loops go on when the folder has a file `go`.
cat >slow.fa <<'E'
C head ${{
#include <unistd.h>
$}}
C sub make(int k, name x) ${{ luna_set_int(x, k); $}}
C sub hold(value a, name b) ${{
    for (int i = 0; i < 3000 && access("go", F_OK); i++) usleep(10000);
    luna_set_int(b, luna_get_int(a) + 1);
$}}
C sub last(value a, int k) ${{ if (!k) printf("%d\n", luna_get_int(a)); $}}
sub main(int n)
{
    df x;
    make(0, x[0]);
    for i = 1 .. n last(x[i], n - i);
    for i = 0 .. n-1 hold(x[i], x[i+1]);
}
E
sed -i 's/#include <unistd.h>/#include <stdio.h>\n#include <unistd.h>/' slow.fa
luna run -q slow.fa 0 >/dev/null 2>&1 # compiled

# asks CONFIGURATION...: runs it, asks when hold is running, lets it go on.
asks() {
    rm -f go
    last="luna run -q $* slow.fa 20, asked"
    "$LUNA" run -q "$@" slow.fa 20 >"$here/out" 2>"$here/err" </dev/null &
    pid=$!
    for k in 1 2 3 4 5 6 7 8 9 10; do
        sleep .3
        kill -USR1 $pid
        sleep .2
        grep -q "hold is running" "$here/err" && break
    done
    sleep 1.2
    : >go
    wait $pid
    last_code=$?
    code 0
    out <<E
20
E
    err_has "slow.fa:16:22: note: hold is running"
    err_has " running, "
}
asks -t 2
err_has "slow.fa:15:20: note: last["
err_has "luna: note: and "
asks -n 2 -t 2
err_has " waits for 'x["
asks -t 2 --report=page.html
err_has "note: hold is running"
# The only worker is in the call.
asks -t 1
err_has "luna: note: the worker of node 0 is in a call: what waits there is not known"
asks -n 2 -t 1
err_has "1 running, "
if [ "${PERF:-0}" = 1 ]; then
    asks -n 2 --transport=mpi
    err_has "luna: node 1: "
    err_has "luna: node 0: "
fi
# A loop over calls that take nothing but ints is one turn: it is seen to go on.
cat >ints.fa <<'E'
C head ${{
#include <unistd.h>
$}}
C sub nap(int a) ${{ usleep(a + 5000); $}}
sub main() for i = 0 .. 200 nap(i);
E
run sh -c '"$LUNA" run -q -t 1 ints.fa & p=$!; sleep .7; kill -USR1 $p; wait $p'
code 0
err_has "ints.fa:5:29: note: nap is running"
err_lacks " 0 calls run"
err_lacks "is not known"

# Who ignores it goes on ignoring it; who is asked when all is over says nothing.
rm -f go
run sh -c 'trap "" USR1; "$LUNA" run -q -t 2 slow.fa 3 & p=$!; sleep .5; kill -USR1 $p; : >go; wait $p'
code 0
quiet
# Who asks while the program is compiled gets no answer, and does no harm.
printf '#!/bin/sh\nsleep 1\nexec gcc "$@"\n' >slow-cc
chmod +x slow-cc
echo 'C sub say(int k) ${{ (void)k; $}} sub main() { say(2); }' >new.fa
last="luna run new.fa, asked while it is compiled"
CC=$PWD/slow-cc "$LUNA" run -q -t 1 new.fa >"$here/out" 2>"$here/err" </dev/null &
pid=$!
sleep .5
kill -USR1 $pid
wait $pid
last_code=$?
code 0
quiet

# A function that sleeps is not woken.
cat >sleeps.fa <<'E'
C head ${{
#include <stdio.h>
#include <time.h>
$}}
C sub nap(int k, name x) ${{
    struct timespec t = {1, 0};
    luna_set_int(x, nanosleep(&t, NULL));
    (void)k;
$}}
C sub say(int a, int b) ${{ printf("%d %d\n", a, b); $}}
sub main()
{
    df x;
    for i = 0 .. 1 nap(i, x[i]);
    say(x[0], x[1]);
}
E
luna run -q sleeps.fa >/dev/null # compiled
for how in "-t 1" "-t 2" "-n 2 -t 1" "-n 2 -t 2"; do
    last="luna run -q $how sleeps.fa, asked"
    "$LUNA" run -q $how sleeps.fa >"$here/out" 2>"$here/err" </dev/null &
    pid=$!
    for k in 1 2 3; do
        sleep .2
        kill -USR1 $pid
    done
    wait $pid
    last_code=$?
    code 0
    out <<E
0 0
E
    err_has "nap is running"
done
finish
