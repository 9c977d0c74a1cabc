#!/usr/bin/env bash
# coll.sh - our collective operations beside those of MPICH and Open MPI, on the cores of this host.
#
#   tests/bench/coll.sh [--np=2] [--runs=5] [--launches=200] [--buffers=producer|hot] [--rt]
#                       [--ops=all|barrier,bcast,..] [--sizes=8,1024,..] [--pick=median|least]
#                       [--who="luna mpich openmpi sm"] [--hops[=40,130]] [--build=build]
#
# Peers that are not installed are left out. Open MPI is measured as it is and with its module
# coll/sm; OMPICC and OMPIRUN name its compiler and launcher if they are elsewhere. Runs take turns;
# figures are microseconds, the median over runs of the median launch of the slowest member
# (coll_mpi.c). The last column is ours divided by the best peer. On virtual machines two cores are now
# near to each other, now far: --hops gives a table for each distance, told by what a line takes from
# core to core, here below 40 ns, below 130, and more, and leaves out what was measured while that
# changed; the last column of these is the least number of runs. --pick=least takes the best run
# instead of the median. --rt takes
# real-time priority, and is refused with more members than cores: MPI's waiting would then stop the
# machine.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
np=2 runs=5 launches=200 buffers=producer ops=all pick=median build=$root/build rt= only= hops=
sizes=8,64,1024,4096,16384,65536,262144,1048576,4194304
for word in "$@"; do
    case $word in
    --np=*) np=${word#*=} ;;
    --runs=*) runs=${word#*=} ;;
    --launches=*) launches=${word#*=} ;;
    --buffers=*) buffers=${word#*=} ;;
    --ops=*) ops=${word#*=} ;;
    --pick=*) pick=${word#*=} ;;
    --sizes=*) sizes=${word#*=} ;;
    --who=*) only=" ${word#*=} " ;;
    --build=*) build=${word#*=} ;;
    --hops) hops=40,130 ;;
    --hops=*) hops=${word#*=} ;;
    --rt) rt="chrt -f 10" ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
    esac
done
if [ -n "$rt" ] && [ "$np" -gt "$(nproc)" ]; then
    echo "--rt: more members than cores" >&2
    exit 2
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/luna-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

compile() { # compile MPICC NAME
    "$1" -O3 -D_GNU_SOURCE -I "$root" "$here/coll_mpi.c" "$build/collectives/libluna_coll.a" \
        "$build/runtime/libluna_base.a" -lhwloc -lm -lpthread -o "$work/$2"
}

. "$here/../lib/mpich.sh"
ompicc=${OMPICC:-$(command -v mpicc.openmpi || true)}
ompirun=${OMPIRUN:-$(command -v mpiexec.openmpi || true)}
compile "$mpicc" mpich
whos="luna mpich"
if [ -n "$ompicc" ] && [ -n "$ompirun" ]; then
    compile "$ompicc" openmpi
    whos="$whos openmpi sm"
fi

if [ -n "$only" ]; then
    found=
    for who in $whos; do [ "${only/ $who /}" = "$only" ] || found="$found $who"; done
    [ -n "$found" ] || { echo "--who=$only: there are $whos" >&2 && exit 2; }
    whos=${found# }
fi

go() { # go WHO: one run of all operations and sizes
    local args="$launches $buffers $ops ${sizes//,/ }"
    local open="$ompirun --bind-to none --oversubscribe"
    case $1 in
    luna) timeout -k 5 300 $mpiexec -n "$np" $rt "$work/mpich" luna $args ;;
    mpich) timeout -k 5 300 $mpiexec -n "$np" $rt "$work/mpich" mpi $args ;;
    openmpi) timeout -k 5 300 $open -n "$np" $rt "$work/openmpi" mpi $args ;;
    sm) timeout -k 5 300 $open --mca coll_sm_priority 100 -n "$np" $rt "$work/openmpi" mpi $args ;;
    esac
}

for ((run = 0; run < runs; run++)); do
    for who in $whos; do go "$who" | sed "s/^/$who /" >>"$work/all"; done
done

awk -v whos="$whos" -v pick="$pick" -v hops="$hops" '
    # Which of the distances; 0: it changed.
    function distance(before, after,    d, is) {
        for (d = 1; d <= limits && before >= limit[d]; d++) { }
        is = d
        for (d = 1; d <= limits && after >= limit[d]; d++) { }
        return d == is ? d : 0
    }
    BEGIN { limits = split(hops, limit, ",") }
    { key = $2 " " $3; if (!((key) in seen)) { seen[key]; order[++keys] = key }
      key = key " " distance($8, $9)
      n[$1, key]++; v[$1, key, n[$1, key]] = $4 }
    function median(who, key,    i, j, t, m) {
        m = n[who, key]
        if (!m) return 0
        for (i = 2; i <= m; i++)
            for (j = i; j > 1 && v[who, key, j] < v[who, key, j - 1]; j--) {
                t = v[who, key, j]; v[who, key, j] = v[who, key, j - 1]; v[who, key, j - 1] = t
            }
        if (pick == "least") return v[who, key, 1]
        return (v[who, key, int((m + 1) / 2)] + v[who, key, int(m / 2) + 1]) / 2
    }
    function table(d,    i, o, m, key, best, ours, runs) {
        printf "%-20s", ""
        for (i = 1; i <= k; i++) printf "%11s", w[i]
        printf "%11s\n", "luna/best"
        for (o = 1; o <= keys; o++) {
            key = order[o] " " d
            best = 0; runs = n[w[1], key] + 0
            printf "%-20s", order[o]
            for (i = 1; i <= k; i++) {
                m = median(w[i], key)
                if (i == 1) ours = m
                else if (m && (!best || m < best)) best = m
                if (n[w[i], key] < runs) runs = n[w[i], key] + 0
                printf "%11s", m ? sprintf("%.3f", m) : "-"
            }
            printf "%11s", best && ours ? sprintf("%.2f", ours / best) : "-"
            print limits ? sprintf("%5d", runs) : ""
        }
    }
    END {
        k = split(whos, w, " ")
        for (d = 1; d <= limits + 1; d++) {
            if (limits) print (d > limits ? "hops of " limit[limits] " ns and more" \
                                          : "hops below " limit[d] " ns")
            table(d)
        }
    }' "$work/all"
