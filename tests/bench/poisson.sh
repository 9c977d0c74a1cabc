#!/usr/bin/env bash
# poisson.sh - poisson3d on two workers beside the same by hand with MPI on two ranks.
#
#   tests/bench/poisson.sh [--grid=256] [--fg=16] [--iters=50] [--runs=5] [--luna=build/luna]
#
# Both have the same cut, flags and arithmetic, so the sums of all blocks must agree to the last
# bit; they are printed by runs of their own, which nobody times. The timed runs take turns; figures
# are medians. "steps" is the time of one iteration, "all" that of the whole run: filling the blocks
# and the steps. Goal: at most 1.25 times the time by hand.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
grid=256 fg=16 iters=50 runs=5 luna=$root/build/luna
for word in "$@"; do
    case $word in
    --grid=*) grid=${word#*=} ;;
    --fg=*) fg=${word#*=} ;;
    --iters=*) iters=${word#*=} ;;
    --runs=*) runs=${word#*=} ;;
    --luna=*) luna=${word#*=} ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
    esac
done

. "$here/../lib/mpich.sh"
[ -n "$mpicc" ] && [ -n "$mpiexec" ] || { echo "no MPICH" >&2; exit 77; }

work=$(mktemp -d "${TMPDIR:-/tmp}/luna-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache" LC_ALL=C

build() { # build NAME ITERS [options...]: the program that makes so many steps
    name=$1 steps=$2
    shift 2
    "$luna" build -q -D GRID="$grid" -D FG="$fg" -D ITERS="$steps" -D EPS=0 "$@" \
        "$root/apps/poisson3d/poisson3d.fa" -o "$work/luna-$name"
}

seconds() { # the figure behind TIME: in a file
    sed -n 's/.*TIME: *\([0-9.]*\) sec.*/\1/p' "$1"
}

median() {
    sort -g "$1" | awk '{v[NR] = $1} END {printf "%.6f\n", (v[int((NR+1)/2)] + v[int(NR/2)+1]) / 2}'
}

build "$iters" "$iters"
build 1 1
build check "$iters" -D CHECK
"$mpicc" -O3 -ffp-contract=off -fwrapv -Wall -Wextra "$here/poisson_mpi.c" -o "$work/mpi"

for ((run = 0; run < runs; run++)); do
    for n in 1 "$iters"; do
        "$work/luna-$n" -t 2 -t >"$work/luna-$n.out" 2>&1
        seconds "$work/luna-$n.out" >>"$work/luna-$n.time"
        "$mpiexec" -n 2 "$work/mpi" "$grid" "$fg" "$n" >"$work/mpi-$n.out"
        seconds "$work/mpi-$n.out" >>"$work/mpi-$n.time"
    done
done

"$work/luna-check" -t 2 | sort >"$work/luna.answer"
"$mpiexec" -n 2 "$work/mpi" "$grid" "$fg" "$iters" check | grep '^block' | sort >"$work/mpi.answer"
if ! diff "$work/luna.answer" "$work/mpi.answer"; then
    echo "the answers differ"
    exit 1
fi

awk -v iters="$iters" \
    -v l="$(median "$work/luna-$iters.time")" -v l1="$(median "$work/luna-1.time")" \
    -v m="$(median "$work/mpi-$iters.time")" -v m1="$(median "$work/mpi-1.time")" 'BEGIN {
    printf "%-6s %14s %14s\n", "", "steps, ms each", "all, s"
    printf "%-6s %14.3f %14.3f\n", "luna", 1e3 * (l - l1) / (iters - 1), l
    printf "%-6s %14.3f %14.3f\n", "mpi", 1e3 * (m - m1) / (iters - 1), m
    if (m > m1)
        printf "%-6s %14.2f %14.2f    (goal: at most 1.25)\n", "ratio", (l-l1) / (m-m1), l / m
    else print "too short to compare"
}'
