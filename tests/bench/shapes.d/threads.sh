# threads.sh - loops and joins on the workers of one node; sourced by ../shapes.

# in_calls DIR: from the trace of a node with two workers, the time in calls of the busier worker by
# that of the other, and the part of both in which they had nothing to do.
in_calls()
{
    awk "$(cat "$root/tests/trace/fields.awk")"'
        /"ev":"exec"/ {
            busy[number("worker")] += number("dur")
            if (number("t") + number("dur") > end) end = number("t") + number("dur")
        }
        /"ev":"end"/ { idle = number("idle") }
        END {
            most = busy[0] > busy[1] ? busy[0] : busy[1]
            least = busy[0] + busy[1] - most
            print (least > 0 ? most / least : 1000), (end > 0 ? idle / (2 * end) : 1)
        }' "$1/node-00000.jsonl"
}

part_wide()
{
    local n size_of=0 key rounds w
    for key in wide24 wide2; do
        n=$(size "$([ $key = wide24 ] && echo 3000 || echo 20000)" 40)
        rounds=$(size "$([ $key = wide24 ] && echo 20000 || echo 1600)" 100)
        for w in 1 2; do
            add $key.t$w luna "-t $w" wide $n $rounds
            add_peers $key $w wide $n $rounds
        done
        [ $check = 0 ] || add $key.n2 luna "-n 2 -t 1" wide $n $rounds
        add $key.starpu starpu 2 wide $n $rounds
    done
    take_turns
    wide_traces "$(size 3000 40)" "$(size 20000 100)"
    [ $check = 0 ] || return 0
    heading "wide: seconds" t1 t2 gomp.1 gomp.2 llvm.1 llvm.2 starpu loop
    for key in wide24 wide2; do
        columns "$([ $key = wide24 ] && echo "6,000 calls of 24 us" || echo "40,000 calls of 2 us")" \
            1 4 $key.{t1,t2,gomp.1,gomp.2,llvm.1,llvm.2,starpu,loop}
    done
    columns "24 us: busier / other" 1 3 wide.share
    columns "24 us: part idle" 1 3 wide.idle
    goal "wide, 24 us: time in calls, busier / other worker" "$(median wide.share)" 1.05 times
    goal "wide, 24 us: part idle" "$(median wide.idle)" 0.03 ""
    for key in wide24 wide2; do
        goal "$key: 2 workers / 1 worker" "$(by $key.t2 $key.t1)" 0.6 times
        goal "$key: 2 workers / libgomp" "$(by $key.t2 $key.gomp.2)" 1 times
    done
}

wide_traces() # N ROUNDS
{
    local k share idle
    for ((k = 0; k < runs; k++)); do
        wall $rt "$luna" run -q $fast -t 2 --trace="$work/trace" "$programs/wide.fa" "$@"
        read -r share idle < <(in_calls "$work/trace")
        sample wide.share "$share"
        sample wide.idle "$idle"
    done
}

part_mixed()
{
    local n us e
    n=$(size 4000 40) us=$(size 5000 50)
    add_luna mixed mixed $n 100 $us
    add_peers mixed 2 mixed $n 100 $us
    take_turns
    [ $check = 0 ] || return 0
    e=$(even $((n / 100)) 1 $us 2)
    heading "mixed: $n calls of one site, each 100th of $us us; seconds / even" t2 gomp llvm
    columns "" 1/$e 3 mixed.t2 mixed.gomp.2 mixed.llvm.2
}

part_parallel()
{
    local how us e
    us=$(size 20000 100) e=$(even 8 1 "$(size 20000 100)" 2)
    for how in 0 1 2 3; do
        add_luna parallel.$how parallel $how 8 $us
        add_peers parallel.$how 2 parallel $how 8 $us
    done
    take_turns
    [ $check = 0 ] || return 0
    heading "parallel: 8 calls of $us us; seconds / even" t2 gomp llvm
    for how in 0 1 2 3; do
        columns "$(sed -n "$((how + 1))p" <<<$'a loop\nbehind a number\nin a sub\ntwo calls each')" \
            1/$e 3 parallel.$how.t2 parallel.$how.gomp.2 parallel.$how.llvm.2
    done
}

part_forks()
{
    local k turns rounds
    turns=$(size 300 3) rounds=$(size 40000 100)
    for k in 1 2 3 4 8; do
        add_luna forks.$k forks $((2 * k)) $turns $rounds
        add_peers forks.$k 2 forks $((2 * k)) $turns $rounds
    done
    take_turns
    [ $check = 0 ] || return 0
    heading "forks: calls of 50 us, microseconds a turn; loop: one thread" t2 gomp llvm loop
    for k in 1 2 3 4 8; do
        columns "$k a worker" 1e6/$turns 1 forks.$k.{t2,gomp.2,llvm.2,loop}
    done
}
