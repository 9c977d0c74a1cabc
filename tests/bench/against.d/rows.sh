# rows.sh - what ../against measures; sourced by it.
#
#     row TABLE NAME FIGURE words of luna...
#
# FIGURE says how the figure is read: figure_FIGURE prints it, from $work/out and $work/err, what the
# run printed, and $work/time, its seconds, of all cores in user and in system. A row should take
# less than a second, and print something of which less is better. @apps@ is the apps of the side.

names=() figures=() commands=()

row()
{
    [[ " $tables " == *" $1 "* ]] && [[ $2 == $pattern ]] || return 0
    names+=("$2") figures+=("$3")
    shift 3
    commands+=("$(printf '%q ' "$@")")
}

figure_first() { head -n 1 "$work/out"; } # of microseconds, seconds, bytes: what it prints
figure_time() { sed -n 's/.*TIME: *\([0-9.]*\) sec.*/\1/p' "$work/out"; }
figure_wall() { cut -d ' ' -f 1 "$work/time"; }
figure_cpu() { awk '{ print $2 + $3 }' "$work/time"; }

# Microseconds a message, from --stats: SECONDS s, ... MESSAGES messages.
figure_message()
{
    sed -n 's/^luna: \([0-9.]*\) s,.* \([0-9]*\) messages.*/\1 \2/p' "$work/err" |
        awk '{ printf "%.6f\n", $2 ? $1 * 1e6 / $2 : 0 }'
}

# Microseconds a sum by the `reduce` statement: way 0 of reduce.fa, the median of its rounds.
figure_reduce()
{
    awk '$1 == 0 { print $2 / 1000 }' "$work/out" | sort -g |
        awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

size() { echo $((check ? $2 : $1)); } # FULL TINY

tasks_rows()
{
    local d=$here/tasks.d/luna
    for w in 1 2; do
        row tasks "indep, $w" first run -q -t $w "$d/indep.fa" "$(size 50000000 2048)"
        row tasks "chain, $w" first run -q -t $w "$d/chain.fa" "$(size 4000000 2048)"
        row tasks "stencil, $w" first run -q -t $w "$d/stencil.fa" \
            "$(size $((6000000 - 2000000 * w)) 2048)" 32
    done
    row tasks "bytes a waiting call" first run -q -t 1 "$d/pending.fa" "$(size 500000 5000)"
    row tasks "start, from the cache" wall run -q -t 2 "$d/chain.fa" 1
}

# Near the METG, where half of the time is ours, and with nearly no body, in few and in many rows.
metg_rows()
{
    local d=$here/tasks.d/luna w n
    for w in 1 2; do
        for n in 16 64 256; do
            row metg "$n rounds, $w" first run -q -t $w "$d/metg.fa" \
                "$(size $((160000 * w)) 160)" $((4 * w)) $n
        done
        row metg "1000 rows, $w" first run -q -t $w "$d/metg.fa" "$(size $((4000 * w)) 160)" \
            $((4 * w)) 1
        row metg "50000 rows, $w" first run -q -t $w "$d/metg.fa" "$(size $((200000 * w)) 160)" \
            $((4 * w)) 1
    done
}

messages_rows()
{
    local d=$here/messages.d ranks="-n 2 -t 1 --transport=mpi"
    mkdir -p "$work/stencil"
    cp "$here"/tasks.d/luna/*.c "$here/tasks.d/bodies.c" "$d/stencil.fa" "$work/stencil"
    row messages "rate, local" message run -q --stats -n 2 -t 1 "$d/rate.fa" "$(size 500000 2000)"
    row messages "rate, sim" message sim -q --stats -n 2 "$d/rate.fa" "$(size 500000 2000)"
    row messages "trace, s of CPU" cpu run -q -n 2 -t 1 --trace="$work/trace" \
        -D GRID="$(size 128 32)" -D FG=16 -D ITERS="$(size 50 2)" -D EPS=0 \
        @apps@/poisson3d/poisson3d.fa
    have_ranks || return 0
    row messages "hop" first run -q $ranks "$d/hop.fa" "$(size 50000 200)"
    row messages "stencil over ranks" first run -q $ranks "$work/stencil/stencil.fa" \
        "$(size 409600 2048)" 32
    row messages "rate, mpi" message run -q --stats $ranks "$d/rate.fa" "$(size 200000 2000)"
}

# Of the present tree; where the old one was built without MPI its rows are left out.
have_ranks()
{
    local d=$(dirname "$luna")
    [ -e "$d/lib/luna/luna_mpi.so" ] || [ -e "$d/../lib/luna/luna_mpi.so" ]
}

poisson_rows()
{
    local f=@apps@/poisson3d/poisson3d.fa words
    words="-D GRID=$(size 256 32) -D FG=$(size 16 4) -D ITERS=$(size 20 2) -D EPS=0"
    row poisson "poisson3d, 1 worker" time run -q -t 1 -t $words "$f"
    row poisson "poisson3d, 2 workers" time run -q -t 2 -t $words "$f"
    ! have_ranks ||
        row poisson "poisson3d, 2 ranks" time run -q -n 2 -t 1 --transport=mpi -t $words "$f"
}

reduce_rows()
{
    local n
    for n in 1 2 4 16; do
        row reduce "reduce, $n nodes" reduce run -q -n $n -t 1 -D NODES=$n \
            -D N="$(size 12000 400)" -D ROUNDS="$(size 21 3)" "$here/reduce.d/reduce.fa"
    done
}

# 300 steps on two nodes that find nothing to do, and the same without; one thread turns both.
balance_rows()
{
    local f=$here/balance.d/cells.fa words="-q -t 1 -n 2 -D BYTES=1024"
    words="$words -D ITERS=$(size 330 6)"
    row balance "300 steps, s of CPU" cpu run $words --balance=two-phase --balance-every=512 \
        --balance-threshold=50% "$f" 0
    row balance "without, s of CPU" cpu run $words "$f" 0
}

for table in $tables; do "${table}_rows"; done
[ ${#names[@]} -gt 0 ] || { echo "against: no row is called '$pattern'" >&2; exit 2; }
