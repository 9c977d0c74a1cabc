# trees.sh - recursion, and what width and length take of memory; sourced by ../shapes.

told_memory() { sed -n 's/.*peak memory \([0-9.]*\) MiB.*/\1/p' "$work/err" | tail -n 1; }

# measure KEY LUNA words of it...: KEY.mib, the peak of the process, and KEY.cpu, seconds of cores.
measure()
{
    local key=$1 which=$2 TIMEFORMAT='%U %S'
    shift 2
    { time wall $rt "$which" run -q $fast --stats "$@"; } 2>"$work/cpu"
    sample $key.mib "$(told_memory)"
    sample $key.cpu "$(awk '{ print $1 + $2 }' "$work/cpu")"
}

# Luna as it was when the goals were set -> $before, and what it can compile in $work/before. Not
# there: a tree without its history.
find_before()
{
    local commit old
    if [ -z "$before" ]; then
        commit=$(commit_of 36783d8) || { echo "not there: 36783d8" >&2; return 0; }
        build_commit "$commit" && before=$old
    fi
    mkdir "$work/before"
    cp "$programs"/{breadth.fa,shapes.c,bodies.c,bodies.h,trees.c} "$work/before"
}

part_breadth()
{
    local depth k w
    depth=$(size 7 3)
    [ $check = 1 ] || find_before
    add_luna breadth breadth $depth
    add breadth.loop loop 1 breadth $depth
    take_turns 1
    for ((k = 0; k < (runs + 2) / 3; k++)); do
        for w in 1 2; do measure breadth.$w "$luna" -t $w "$programs/breadth.fa" $depth; done
        [ -z "$before" ] || measure breadth.before "$before" -t 2 "$work/before/breadth.fa" $depth
    done
    [ $check = 0 ] || return 0
    heading "breadth: a tree of 8^$depth leaves" t1 t2 "36783d8 t2"
    columns "memory, MiB" 1 1 breadth.1.mib breadth.2.mib breadth.before.mib
    columns "seconds of cores" 1 2 breadth.1.cpu breadth.2.cpu breadth.before.cpu
    goal "8^$depth leaves, 1 worker: memory" "$(median breadth.1.mib)" 20 MiB
    # Of what two workers took when the goal was set: they take a third of that now.
    [ -z "$before" ] || goal "8^$depth leaves: CPU of 1 worker / 2 workers of 36783d8" \
        "$(by breadth.1.cpu breadth.before.cpu)" .7 times
}

part_outer()
{
    local n how w
    n=$(size 5000000 1000)
    for how in 0 1 2 3; do
        for w in 1 2; do measure outer.$how.$w "$luna" -t $w "$programs/outer.fa" $how $n; done
    done
    [ $check = 0 ] || return 0
    heading "outer: $n turns of a loop around another; memory, MiB" t1 t2
    for how in 0 1 2 3; do
        columns "$(sed -n "$((how + 1))p" <<<$'loop\nif\nsub\nDF')" 1 0 outer.$how.1.mib \
            outer.$how.2.mib
        goal "outer loop $how, 1 worker: memory" "$(median outer.$how.1.mib)" 16 MiB
    done
}

# tree NAME CALLS GOAL1 GOAL2 ARGUMENTS...: microseconds a call with 1 and 2 workers; goals are times
# LLVM's.
tree()
{
    local name=$1 calls=$2 goals=("$3" "$4") w
    shift 4
    for w in 1 2; do
        add $name.t$w luna "-t $w" $name "$@"
        add_peers $name $w $name "$@"
    done
    [ $check = 0 ] || add $name.n2 luna "-n 2 -t 1" $name "$@"
    take_turns
    [ $check = 0 ] || return 0
    heading "$name $*: microseconds a call, $calls of them" t1 t2 gomp.1 gomp.2 llvm.1 llvm.2 loop
    columns "" 1e6/$calls 4 $name.{t1,t2,gomp.1,gomp.2,llvm.1,llvm.2,loop}
    for w in 1 2; do
        [ "${goals[w - 1]}" = - ] || goal "$name, $w worker(s): luna / LLVM's OpenMP" \
            "$(by $name.t$w $name.llvm.$w)" "${goals[w - 1]}" times
    done
}

part_quadrature() { tree quadrature 301467 2.5 1.25 "$(size 11 3)"; }
part_search() { tree search 781406 9 2.5 "$(size 3300 20)"; }

# A call is a board in one of the first four rows.
part_queens()
{
    if [ $check = 1 ]; then tree queens 1 - - 8 2; else tree queens 7580 - - 13 4; fi
}
