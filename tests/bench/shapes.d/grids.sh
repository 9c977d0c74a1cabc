# grids.sh - a wavefront, tiles, and conjugate gradients; sourced by ../shapes.

part_wavefront()
{
    local n rounds
    n=$(size 64 6) rounds=$(size 20000 100)
    add wavefront.t1 luna "-t 1" wavefront $n $rounds
    add_luna wavefront wavefront $n $rounds
    add_peers wavefront 2 wavefront $n $rounds
    add wavefront.starpu starpu 2 wavefront $n $rounds
    take_turns
    [ $check = 0 ] || return 0
    heading "wavefront: $n x $n calls of 24 us, seconds; loop: one thread" t1 t2 gomp llvm starpu loop
    columns "" 1 4 wavefront.{t1,t2,gomp.2,llvm.2,starpu,loop}
}

part_cholesky()
{
    local n tiles flop key
    n=$(size 128 8) tiles=$(size 32 5)
    add cholesky.t1 luna "-t 1" cholesky $n $tiles
    add_luna cholesky cholesky $n $tiles
    add_peers cholesky 2 cholesky $n $tiles
    add cholesky.starpu starpu 2 cholesky $n $tiles
    at_hand=512 take_turns
    [ $check = 0 ] || return 0
    flop=$(calc "($n * $tiles) ^ 3 / 3e9")
    heading "cholesky: $((n * tiles)) in tiles of $n${blas:+, OpenBLAS}, GFLOP/s" t1 t2 gomp llvm \
        starpu loop
    printf '%-26s' ''
    for key in t1 t2 gomp.2 llvm.2 starpu loop; do
        cell "$(median cholesky.$key | awk -v f=$flop '{ printf "%.9g", f / $1 }')" 1
    done
    echo
    goal "cholesky, 2 workers: time / libgomp" "$(by cholesky.t2 cholesky.gomp.2)" 1 times
}

# By hand as peers are, and with their memory on large pages too. Of the latter: how near to the peer are
# two workers and two ranks, by how near one worker is?
part_gradients()
{
    local problem w one
    problem="gradients $(size 96 8) $(size 8 4) $(size 50 5)"
    for w in 1 2; do
        add gradients.t$w luna "-t $w" $problem
        add_peers gradients $w $problem
    done
    [ $check = 0 ] || add gradients.n2 luna "-n 2 -t 1" $problem
    add gradients.mpi luna "$ranks" $problem
    add gradients.hand hand 2 $problem
    if [ $check = 0 ]; then
        add gradients.large.loop large-loop 1 $problem
        for w in gomp llvm hand; do add gradients.large.$w large-$w 2 $problem; done
    fi
    at_hand=1024 take_turns
    [ $check = 0 ] || return 0
    heading "$problem: seconds" t1 t2 mpi loop gomp.2 llvm.2 hand
    columns "" 1 4 gradients.{t1,t2,mpi,loop,gomp.2,llvm.2,hand}
    columns "peers on large pages" 1 4 gradients.{t1,t2,mpi} gradients.large.{loop,gomp,llvm,hand}
    gradients_by_hand "by hand / luna" gradients.{loop,gomp.2,hand}
    gradients_by_hand "... on large pages" gradients.large.{loop,gomp,hand}
    goal "gradients, 1 worker: luna / by hand" "$(by gradients.t1 gradients.loop)" 1.053 times
    goal "gradients, 2 workers: luna / by hand" "$(by gradients.t2 gradients.gomp.2)" 1 times
    goal "gradients, 2 ranks: luna / by hand" "$(by gradients.mpi gradients.hand)" 1 times
    one=$(by gradients.large.loop gradients.t1)
    goal "large pages: 1 worker's by hand / luna by that of 2" \
        "$(by gradients.t2 gradients.large.gomp "$one")" 1.031 times
    goal "large pages: 1 worker's by hand / luna by that of 2 ranks" \
        "$(by gradients.mpi gradients.large.hand "$one")" 1.031 times
}

gradients_by_hand() # TITLE LOOP GOMP HAND
{
    printf '%-26s' "$1"
    cell "$(by "$2" gradients.t1)" 2
    cell "$(by "$3" gradients.t2)" 2
    cell "$(by "$4" gradients.mpi)" 2
    echo
}

# Vectors are updated in place, by hand and by functions that take their inputs over.
part_vectors()
{
    local problem w
    problem="$(size 320 8) 4 $(size 5 2)"
    wall $rt "$work/loop" gradients 1 $problem
    sample vectors.loop.mib "$(told_memory)"
    for w in 1 2; do measure vectors.$w "$luna" -t $w "$programs/gradients.fa" $problem; done
    [ $check = 0 ] || return 0
    heading "gradients $problem: memory, MiB" t1 t2 loop
    columns "" 1 1 vectors.{1,2,loop}.mib
    for w in 1 2; do
        goal "16 vectors, $w workers: memory / by hand" "$(by vectors.$w.mib vectors.loop.mib)" 1.05 times
    done
}
