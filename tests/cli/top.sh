# luna top: what a run does just now, from outside. Other runs of this user may go on meanwhile.
. "${0%/*}/lib.sh"
ASAN_OPTIONS=detect_leaks=0 # MPI keeps much to its end
export ASAN_OPTIONS

# Goes on while the folder has a file `hold`, half a minute at most.
cat >slow.fa <<'E'
C head ${{
#include <stdio.h>
#include <unistd.h>
$}}
C sub first(name x) ${{ luna_set_int(x, 0); $}}
C sub step(value a, name b) ${{
    for (int i = 0; i < 3000 && !access("hold", F_OK); i++) usleep(10000);
    luna_set_int(b, luna_get_int(a) + 1);
$}}
C sub say(value a) ${{ printf("%d\n", luna_get_int(a)); $}}
sub main(int n)
{
    df x;
    for i = 0 .. 1 first(x[0][i]);
    for t = 0 .. n-1 for i = 0 .. 1 step(x[t][i], x[t+1][i]);
    say(x[n][0]);
}
E
luna run -q slow.fa 0 >/dev/null 2>&1 # compiled

# starts CONFIGURATION...: it runs, and holds in step. ends: it goes on to its end.
starts() {
    : >hold
    "$LUNA" run -q --place=node0 "$@" slow.fa 10 >"$here/run.out" 2>"$here/run.err" </dev/null &
    pid=$!
    for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        sleep .3
        run luna top --once $pid
        grep -q "step:" "$here/out" && break
    done
}
ends() {
    rm -f hold
    wait $pid
    holds "it ends as without top" "$?" = 0
    holds "what it prints" "$(cat "$here/run.out" "$here/run.err")" = 10
}

starts -t 2
code 0
quiet
out_has "slow.fa: "
out_has " s, 1 node x 2 workers"
out_has " calls run, 0/s, 2 running, "
out_has "slow.fa:15:37: step: 2 calls running, the longest since "
ends
run luna top $pid
code 2
err_has "luna: error: there is no process $pid"
starts -n 2 -t 1
out_has " s, 2 nodes x 1 worker"
out_has " calls run, 0/s, 1 running, "
# Without PID: this one, or it is among those that are told.
run luna top --once
if grep -q "^ *PID" "$here/out"; then out_has "$pid"; else out_has "slow.fa:15:37: step: 1 call"; fi
ends
if [ "${PERF:-0}" = 1 ]; then
    starts -n 2 --transport=mpi # luna run has started mpiexec, and that the ranks
    out_has " s, 2 nodes x 1 worker"
    out_has "slow.fa:15:37: step: 1 call running, the longest since "
    holds "a line for each rank" "$(grep -c '^ *[01] ' "$here/out")" = 2
    ends
fi
# A run that is stopped does not answer.
starts -t 1
kill -STOP $pid
run luna top --once $pid
code 2
err_has "luna: error: the run has ended, or does not answer"
kill -CONT $pid
ends

# Two of one shell: they are listed. JSON, and that it is.
: >hold # before: a run that finds none is over at once
sh -c '"$LUNA" run -q -t 1 slow.fa 3 >two.out & "$LUNA" run -q -t 1 slow.fa 3 >>two.out & wait' &
shell=$!
for k in 1 2 3 4 5 6 7 8 9 10; do
    sleep .3
    run luna top $shell
    grep -q "there are 2 runs" "$here/err" && break
done
code 2
out_has "PID         time  program"
holds "two of them" "$(grep -c ' s  slow.fa, 1 node$' "$here/out")" = 2
err_has "luna: error: there are 2 runs: say which, as in: luna top "
first=$(sed -n '2s/^ *\([0-9]*\).*/\1/p' "$here/out")
run luna top --json $shell
code 2
holds "no table where JSON is asked for" ! -s "$here/out"
run luna top --json "$first"
code 0
for part in '{"program":"slow.fa","seconds":' ',"nodes":1,"told":1,"workers":1,"calls":3,' \
    ',"loop":{"place":"slow.fa:15:5","at":0,"first":0,"last":2},"running":[{"function":"step",' \
    ',"place":"slow.fa:15:37","calls":1,"longest":' ',"node":[{"node":0,"pid":'; do out_has "$part"; done
if command -v python3 >/dev/null; then
    python3 -m json.tool "$here/out" >/dev/null
    holds "it is JSON" $? = 0
fi
rm -f hold
wait $shell

# A terminal: anew each second, keys.
if command -v script >/dev/null; then
    starts -n 2 -t 1
    (sleep 1.5 && printf s && sleep .5 && printf q) | TERM=xterm script -qec "'$LUNA' top $pid" /dev/null >"$here/out"
    for part in "slow.fa: " ", 2 nodes x 1 worker" "step: 1 call running" "by node (s: by another; q: leave)" \
        "by busy (s: " "$(printf '\033[?25h')"; do out_has "$part"; done
    (sleep 1.5 && rm -f hold && sleep 1.5) | TERM=xterm script -qec "'$LUNA' top $pid" /dev/null >"$here/out"
    out_has "luna: the run has ended, or does not answer"
    ends
else
    skip "no script(1) to make a terminal"
fi

run luna top 1 2
code 2
err_has "luna: error: 'luna top' takes one PID; '2' is one word too many"
run luna top x12
code 2
err_has "luna: error: luna top needs the PID of a run, not 'x12'"
sleep 20 &
run luna top $!
code 2
err_has "luna: error: process $! is no run of luna, or its program has not begun"
kill $!
run luna top 99999999999
err_has "luna: error: luna top needs the PID of a run, not '99999999999'"
# Where there are no others: none, and two.
alone="unshare -r -p -f --mount-proc"
if $alone true 2>/dev/null; then
    run $alone "$LUNA" top
    code 2
    err <<'E'
luna: error: no program of yours is run by luna on this host
E
    : >hold
    cat >two.sh <<'E'
"$LUNA" run -q -t 1 slow.fa 3 & one=$!
"$LUNA" run -q -t 1 slow.fa 3 & two=$!
sleep 1.5
"$LUNA" top --once
echo "code $?"
rm -f hold
wait $one $two
E
    run $alone sh two.sh
    out_has "PID         time  program"
    holds "two of them" "$(grep -c ' s  slow.fa, 1 node$' "$here/out")" = 2
    out_has "code 2"
    err_has "luna: error: there are 2 runs: say which, as in: luna top "
else
    skip "no unshare(1) for a place without other runs"
fi
finish
