#!/bin/sh
# killed.sh - whoever of a run of ranks is killed, the rest ends, and a lost rank is named.
. "${0%/*}/lib_mpi.sh"

last_code=0
cat >long.fa <<'E'
C head ${{
#include <stdio.h>
#include <unistd.h>
$}}
C sub snooze(int k) ${{ printf("%d %d\n", k, (int)getpid()); sleep(30); $}}
sub main() { for i = 0..3 { cf a[i]: snooze(i) @ { locator_cyclic: i; }; } }
E

# ours NAME WORD...: processes of this test whose command begins so, with this word in their environment.
ours() {
    pgrep -f "$1" | while read -r p; do
        env=$(tr '\0' '\n' <"/proc/$p/environ") || continue
        echo "$env" | grep -qxF "LUNA_TEST_MARK=$here" && echo "$env" | grep -qxF -- "$2" && echo "$p"
    done 2>/dev/null
}
# start WORDS...: in the background; $job is its process, $rank2 that of node 2 when the run has begun.
start() {
    last="$*"
    "$@" >"$here/out" 2>"$here/err" </dev/null &
    job=$!
    i=0
    rank2=
    while { [ ! -s "$here/out" ] || [ -z "$rank2" ]; } && [ $i -lt 100 ]; do
        sleep 0.1
        rank2=$(ours "^$LUNA run" PMI_RANK=2)
        i=$((i + 1))
    done
    holds "the run has begun" -n "$rank2"
    proxy=$(ours '^[^ ]*hydra_pmi_proxy' "LUNA_TEST_MARK=$here")
    launcher=$(ours '^[^ ]*mpiexec' "LUNA_TEST_MARK=$here")
}
# Waits for the job, at most 4 s.
ended() {
    i=0
    while kill -0 "$job" 2>/dev/null && [ $i -lt 40 ]; do
        sleep 0.1
        i=$((i + 1))
    done
    holds "it has ended in $1 tenths of a second" $i -le "$1"
    kill -9 "$job" 2>/dev/null
    wait "$job" 2>/dev/null
    last_code=$?
}
supervised() { start "$LUNA" run -n 4 --transport=mpi long.fa; }

# A rank: it is named, with the signal.
for sig in 9 11; do
    supervised
    kill -$sig "$rank2"
    ended 35
    if [ $sig = 9 ]; then
        code 5
        # Usually node 2. On a busy machine mpiexec's proxy may have killed the others before the
        # kernel has closed all that the first one held: then nobody can tell which was first.
        holds "one line names a rank of the run" -n \
            "$(grep -xE 'luna: error: node [0-3] \(pid [0-9]+\) was lost: signal 9 \(or _exit\(9\)\)' "$here/err")"
    fi
    all_gone 30
done

# Interrupted. (A shell starts its jobs with SIGINT ignored.)
# All have begun: the supervisor tells once what runs on all nodes.
all_snooze() {
    i=0
    while [ "$(wc -l <"$here/out")" -lt 4 ] && [ $i -lt 100 ]; do
        sleep 0.1
        i=$((i + 1))
    done
    holds "all nodes have begun" "$(wc -l <"$here/out")" = 4
}
told() {
    sed 's/after [0-9]*\.[0-9] s/after T s/; s/(pid [0-9]*)/(pid P)/' "$here/err" >"$here/told"
    cat >"$here/want"
    holds "it says what was running" "$(cat "$here/told")" = "$(cat "$here/want")"
}
for signal in TERM:143 INT:130 HUP:129; do
    start env --default-signal=INT "$LUNA" run -n 4 --transport=mpi long.fa
    all_snooze
    kill "-${signal%:*}" "$job"
    ended 35
    code "${signal#*:}"
    told <<E
luna: interrupted by SIG${signal%:*} after T s: 4 calls were running, 0 wait
long.fa:6:29: note: snooze was running
E
    all_gone 20
done

# Each node has written what it has: the trace is whole. Two signals in a row are one wish: timeout
# sends one to a process and one to its group.
start env --default-signal=INT "$LUNA" run -n 4 --transport=mpi --trace=tr long.fa
all_snooze
kill -INT "$job"
kill -INT "$job"
ended 45
code 130
holds "all four files have their last line" "$(tail -qn1 tr/node-*.jsonl | grep -c '"ev":"end"')" = 4
run "$LUNA" stats tr
code 0
out_has "long.fa on 4 nodes x 1 worker, mpi: interrupted"
all_gone 20

# The CPU time of one rank is used up: that ends all, in the same way.
supervised
all_snooze
kill -XCPU "$rank2"
ended 35
code 152
told <<'E'
luna: interrupted by SIGXCPU after T s: 4 calls were running, 0 wait
long.fa:6:29: note: snooze was running
E
all_gone 20

# A rank that cannot answer does not keep the others.
supervised
all_snooze
kill -STOP "$rank2"
kill -TERM "$job"
ended 30
code 143
told <<'E'
luna: interrupted by SIGTERM after T s: 3 calls were running, 0 wait
long.fa:6:29: note: snooze was running
luna: note: node 2 (pid P) does not answer
E
all_gone 30

# Asked twice: at once.
supervised
kill -STOP "$rank2"
kill -TERM "$job"
sleep 0.3
kill -TERM "$job"
ended 35
code 143
all_gone 30

# The supervisor, mpiexec, the proxy.
supervised
kill -9 "$job"
ended 35
all_gone 30
supervised
kill -9 "$launcher"
ended 30
code 5
all_gone 30
supervised
kill -9 "$proxy"
ended 30
code 5
all_gone 30

# Under somebody else's mpiexec.
start "$mpiexec" -n 4 "$LUNA" run long.fa
kill -9 "$rank2"
ended 35
code 9
all_gone 30
start "$mpiexec" -n 4 "$LUNA" run long.fa
kill -9 "$proxy"
ended 30
all_gone 30
# Interrupted there: each node speaks for itself, once.
start "$mpiexec" -n 4 "$LUNA" run long.fa
all_snooze
kill -TERM "$job"
ended 35
for node in 0 1 2 3; do
    err_has "luna: node $node: interrupted by SIGTERM after "
    holds "node $node says so once" "$(grep -c "^luna: node $node: " "$here/err")" = 1
done
err_has "s: 1 call was running, 0 wait"
err_has "long.fa:6:29: note: snooze was running"
all_gone 30

# While MPI starts, at any moment: nothing stays in /dev/shm, here one of our own.
cat >starting <<'E'
mount -t tmpfs -o size=100m tmpfs /dev/shm || exit 1
for ms in 20 40 60 80 100 120; do
    for who in supervisor launcher; do
        "$LUNA" run -n 4 --transport=mpi long.fa >/dev/null 2>&1 </dev/null &
        job=$!
        sleep 0.$(printf %03d $ms)
        # On a busy machine there may be no launcher yet.
        if [ $who = supervisor ]; then kill -9 $job; else kill -9 $(pgrep -P $job || echo $job); fi
    done
done 2>/dev/null
i=0
while [ -n "$(ls /dev/shm)" ] && [ $i -lt 100 ]; do # at once, if the machine is not busy
    sleep 0.1
    i=$((i + 1))
done
ls /dev/shm
E
if unshare -m true 2>/dev/null; then
    run guarded unshare -m sh ./starting
    code 0
    out </dev/null
    all_gone 120 # who sweeps looks for 10 s (sweep.h), if the machine is busy
else
    skip "no mount name space of our own"
fi

finish
