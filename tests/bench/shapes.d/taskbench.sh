# taskbench.sh - the patterns of Task Bench; sourced by ../shapes.

patterns="trivial no_comm stencil fft tree random spread nearest"

part_taskbench()
{
    local p width bodies_list body rounds steps w
    width=$(size 32 8)
    bodies_list=$(size 2 0)
    [ $check = 1 ] || bodies_list="2 20"
    for body in $bodies_list; do
        rounds=$((body * 833 + check * 10)) steps=$(size $((body < 10 ? 500 : 100)) 12)
        for p in $patterns; do
            for w in 1 2; do
                add $p.$body.t$w luna "-t $w" taskbench $p $width $steps $rounds
                add_peers $p.$body $w taskbench $p $width $steps $rounds
            done
            [ $check = 0 ] || add $p.$body.n2 luna "-n 2 -t 1" taskbench $p $width $steps $rounds
        done
        take_turns
        [ $check = 1 ] || taskbench_table $body $width $steps
    done
}

taskbench_table() # BODY WIDTH STEPS
{
    local p c b=$1
    heading "Task Bench, $3 rows of $2, bodies of $1 us: microseconds a task" \
        t1 t2 gomp.1 gomp.2 llvm.1 llvm.2 loop
    for p in $patterns; do
        columns "$p" 1e6/$(($2 * $3)) 3 $p.$b.{t1,t2,gomp.1,gomp.2,llvm.1,llvm.2,loop}
    done
    heading "efficiency: the loop's time by that of all workers" t1 t2 gomp.1 gomp.2 llvm.1 llvm.2
    for p in $patterns; do
        printf '%-26s' "$p"
        for c in t1 t2 gomp.1 gomp.2 llvm.1 llvm.2; do
            cell "$(by $p.$b.loop $p.$b.$c "1 / ${c: -1}")" 2
        done
        echo
    done
}
