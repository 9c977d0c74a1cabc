# turns.sh - turns with a join, on workers, nodes and ranks; sourced by ../shapes.

ranks="-n 2 -t 1 --transport=mpi"

# even BLOCKS TURNS US PLACES: seconds, if all places, or the cores there are, have equal shares.
even()
{
    local places=$(($4 < cores ? $4 : cores))
    calc "int(($1 + $places - 1) / $places) * $2 * $3 / 1000000"
}

turn_columns="t2 n2 n4 mpi gomp.2 llvm.2 starpu hand"

add_turns() # NAME BLOCKS TURNS US
{
    local key=$1.$2
    add_luna $key "$@"
    add $key.n2 luna "-n 2 -t 1" "$@"
    add $key.n4 luna "-n 4 -t 1" "$@"
    add $key.mpi luna "$ranks" "$@"
    add_peers $key 2 "$@"
    [ "$1" != turns ] || add $key.starpu starpu 2 "$@"
    add $key.hand hand 2 "$@"
}

turn_row() # NAME BLOCKS TURNS US
{
    local c e list= places
    for c in $turn_columns; do
        case $c in n4) places=4 ;; *) places=2 ;; esac
        e=$(even $2 $3 $4 $places)
        list="$list $(median $1.$2.$c | awk -v e=$e '{ printf "%.9g", $1 / e }' | grep . || echo -)"
        [ "${list##* }" = - ] || sample $1.$c.even "${list##* }"
    done
    printf '%-26s' "$2 blocks of $(calc "$4 / 1000") ms"
    for c in $list; do cell "${c#-}" 3; done
    echo
}

most() # KEY: the largest sample
{
    awk -v key="$1" '$1 == key { print $2 }' "$samples" | sort -g | tail -n 1
}

turns_by_even() # NAME "BLOCKS TURNS US"...
{
    local name=$1 row c
    shift
    for row in "$@"; do add_turns $name $row; done
    take_turns
    [ $check = 0 ] || return 0
    heading "$name: seconds by even shares; -t 2, -n 2 and -n 4 with one worker each, two ranks" \
        $turn_columns
    for row in "$@"; do turn_row $name $row; done
    goal "$name, 2 workers, worst / even" "$(most $name.t2.even)" 1.03 times
    for c in n2 n4 mpi; do goal "$name, $c, worst / even" "$(most $name.$c.even)" 1.05 times; done
}

part_turns()
{
    local n
    [ $check = 0 ] || { turns_by_even turns "2 3 50" "5 3 50"; return; }
    turns_by_even turns "2 5 50000" "4 5 20000" "8 5 10000" "16 5 10000"
    n=2000
    add_luna turns.us turns 2 $n 20
    add_peers turns.us 2 turns 2 $n 20
    take_turns
    heading "turns: 2 blocks of 20 us, microseconds a turn" t2 gomp llvm
    columns "$n turns" 1e6/$n 2 turns.us.t2 turns.us.gomp.2 turns.us.llvm.2
    goal "turns, 2 blocks of 20 us, 2 workers" "$(calc "$(median turns.us.t2) * 1e6 / $n")" 25 us
}

part_halo()
{
    [ $check = 0 ] || { turns_by_even halo "2 3 50" "5 3 50"; return; }
    turns_by_even halo "2 10 20000" "4 5 20000" "8 5 10000" "16 5 10000"
}

part_small()
{
    local turns
    turns=$(size 400 3)
    add small.t2 luna "-t 2" turns 128 $turns 2
    add small.n2 luna "-n 2 -t 1" turns 128 $turns 2
    add small.mpi luna "$ranks" turns 128 $turns 2
    add_peers small 2 turns 128 $turns 2
    add small.hand hand 2 turns 128 $turns 2
    take_turns
    [ $check = 0 ] || return 0
    heading "128 blocks of 2 us, microseconds a turn" t2 n2 mpi gomp llvm hand
    columns "$turns turns" 1e6/$turns 1 small.t2 small.n2 small.mpi small.gomp.2 small.llvm.2 \
        small.hand
    ! has hand || goal "128 blocks of 2 us on two ranks" \
        "$(calc "$(median small.mpi) * 1e6 / $turns")" 240 us
}

part_first()
{
    local how us
    us=$(size 50000 100)
    for how in 0 1 2; do
        add_luna first.$how first $how $us
        add_peers first.$how 2 first $how $us
    done
    add dispatch luna "-n 2 -t 1" dispatch $us
    take_turns
    [ $check = 0 ] || return 0
    heading "first: rounds of $us us; 2, 2 and 4 are even" t2 gomp llvm
    for how in 0 1 2; do
        columns "$(sed -n "$((how + 1))p" <<<$'a loop of 4\n4 without a loop\na loop of 4 pairs')" \
            1e6/$us 2 first.$how.t2 first.$how.gomp.2 first.$how.llvm.2
    done
    heading "dispatch: the last call of node 1 that needs nothing begins, ms" n2
    columns "after calls of $us us" 1e3 2 dispatch
    for how in 0 1 2; do
        goal "first $how, 2 workers, rounds / even" \
            "$(calc "$(median first.$how.t2) * 1e6 / $us / $((how < 2 ? 2 : 4))")" 1.05 times
    done
    goal "dispatch, begins after" "$(calc "$(median dispatch) * 1e3")" 5 ms
}

part_sweep()
{
    local us e
    us=$(size 20000 100)
    add sweep.n2 luna "-n 2 -t 1" sweep 12 $us 2
    add sweep.mpi luna "$ranks" sweep 12 $us 2
    add sweep.hand hand 2 sweep 12 $us
    take_turns
    [ $check = 0 ] || return 0
    e=$(even 12 1 $us 2)
    heading "sweep: 12 calls of $us us on two nodes" n2 mpi hand
    columns "seconds / even" 1/$e 3 sweep.n2 sweep.mpi sweep.hand
    columns "the last node begins, ms" 1e3 2 sweep.n2.late sweep.mpi.late sweep.hand.late
    has hand || return 0
    goal "sweep, two ranks / even" "$(calc "$(median sweep.mpi) / $e")" 1.05 times
    goal "sweep, the last rank begins after" "$(calc "$(median sweep.mpi.late) * 1e3")" 5 ms
}
