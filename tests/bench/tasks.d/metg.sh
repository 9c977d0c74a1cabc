# metg.sh - METG(50 %) of the stencil, as Task Bench defines it; sourced by ../tasks.
#
# The smallest core-time a task (wall time x workers / tasks) at which half of the peak is reached.
# A graph of 4000 rows of four points a worker; the body is made shorter until efficiency falls
# below a half, and the crossing is interpolated. Peak: the plain loops of peer_loop with long
# bodies and as many workers.

metg_peak() # WORKERS: core-seconds a round of arithmetic, the least of five runs
{
    local k n=$((400 * $1)) rounds=20000
    for ((k = 0; k < 5; k++)); do
        peer loop metg $1 $n $((4 * $1)) $rounds
        calc "$seconds * $1 / $n / $rounds" '%.9g\n'
    done | sort -g | head -n 1
}

metg_point() # NAME WORKERS ROUNDS PEAK -> granularity and efficiency
{
    local k n width=$((4 * $2)) repeat=$runs
    [ $1 != starpu ] || repeat=1 # seconds each
    n=$((4000 * width))
    for ((k = 0; k < repeat; k++)); do
        peer $1 metg $2 $n $width $3
        sample metg.$1.$2.$3 "$(calc "$seconds * $2 / $n")"
    done
    granularity=$(median metg.$1.$2.$3)
    efficiency=$(calc "$3 * $4 / $granularity")
}

metg_crossing() # G0 E0 G1 E1, E0 < 0.5 <= E1 -> microseconds, logarithmic in the granularity
{
    calc "1e6 * exp(log($1) + (log($3) - log($1)) * (0.5 - $2) / ($4 - $2))"
}

metg_sweep() # NAME WORKERS PEAK -> sets $metg, microseconds
{
    local rounds list="8192 4096 2048 1024 512 256 128 64 32 16 8 4 2 1" above= above_eff=
    [ $1 != starpu ] || list="65536 32768 16384 $list"
    [ $quick = 0 ] || list="4096 1024 512 256 128 64 32 16 8 4"
    metg=
    for rounds in $list; do
        metg_point $1 $2 $rounds $3
        if [ "$(calc "$efficiency < 0.5")" = 1 ]; then
            [ -z "$above" ] || metg=$(metg_crossing $granularity $efficiency $above $above_eff)
            return
        fi
        above=$granularity above_eff=$efficiency
    done
    metg=$(calc "1e6 * $above") # half of the peak is reached even so: an upper bound
}

part_metg()
{
    local workers peak name
    if [ $check = 1 ]; then
        for name in luna $peers; do
            [ $name = ring ] || for workers in 1 2; do peer $name metg $workers 400 8 2; done
        done
        return
    fi
    peer luna metg 1 400 4 1
    printf '\nMETG(50 %%), microseconds: 4000 rows of 4 a worker\n'
    printf '%-8s %9s %9s %9s %s\n' workers luna libgomp starpu 'ns a round at the peak'
    for workers in 1 2; do
        peak=$(metg_peak $workers)
        for name in luna omp starpu; do
            [[ " luna $peers " == *" $name "* ]] || continue
            metg_sweep $name $workers $peak
            [ -z "$metg" ] || sample metg.$name.$workers "$metg"
        done
        printf '%-8s' $workers
        for name in luna omp starpu; do cell "$(median metg.$name.$workers)" 3; done
        printf ' %s\n' "$(calc "1e9 * $peak" %.3f)"
        metg_goal $workers "$([ $workers = 1 ] && echo 0.4 || echo 0.2)"
    done
}

metg_goal() # WORKERS RATIO
{
    local mine other
    mine=$(median metg.luna.$1)
    other=$(median metg.omp.$1)
    [ -z "$mine" ] || [ -z "$other" ] ||
        goal "METG(50 %), $1 worker(s): luna / libgomp" "$(calc "$mine / $other")" "$2" ratio
}
