# shapes.sh - microseconds a call of three shapes of graph on 1 and 2 workers; sourced by ../tasks.

shape_width=32

shape_skips() # NAME SHAPE WORKERS: what would take for ever, or says nothing
{
    case $1.$2.$3 in
    ring.indep.* | ring.chain.1 | ring.stencil.1) return 0 ;; # quadratic: see peer_omp.c
    esac
    return 1
}

shape_round()
{
    local name shape workers n
    for shape in indep chain stencil; do
        for workers in 1 2; do
            for name in luna $peers; do
                shape_skips $name $shape $workers && continue
                n=$calls
                [ $name != starpu ] || n=$((calls / 10 / shape_width * shape_width))
                peer $name $shape $workers $n $shape_width
                sample $name.$shape.$workers "$(calc "$seconds * 1e6 / $n")"
                sample process.$name.$shape.$workers "$process"
            done
        done
    done
}

shape_row() # SHAPE WORKERS
{
    local name
    printf '%-8s %7s' $1 $2
    for name in luna omp ring starpu loop; do cell "$(median $name.$1.$2)" 4; done
    printf ' %11.1f\n' "$(calc "$(median process.luna.$1.$2) * 1e3")"
}

shape_goal() # SHAPE WORKERS RATIO
{
    local mine other
    mine=$(median luna.$1.$2)
    other=$(median omp.$1.$2)
    [ -z "$other" ] || goal "$1, $2 worker(s): luna / libgomp" "$(calc "$mine / $other")" "$3" ratio
}

part_shapes()
{
    local k shape workers
    for shape in indep chain stencil; do peer luna $shape 1 2048 $shape_width; done
    for ((k = 0; k < runs; k++)); do shape_round; done
    [ $check = 0 ] || return 0
    echo
    echo "microseconds a call, $calls calls (StarPU: a tenth), rows of $shape_width; ring: libgomp"
    echo "with 256 rows used again; loop: no tasks; process: all of luna from the cache, ms"
    printf '%-8s %7s %9s %9s %9s %9s %9s %11s\n' shape workers luna libgomp ring starpu loop process
    for shape in indep chain stencil; do
        for workers in 1 2; do shape_row $shape $workers; done
    done
    shape_goal chain 1 0.2
    shape_goal chain 2 0.2
    shape_goal stencil 1 0.2
    shape_goal stencil 2 0.25
    shape_goal indep 2 0.3334
}
