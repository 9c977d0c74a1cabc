# lib.sh - building, sampling and the arithmetic of the task benchmark; sourced by ../tasks.

build_luna()
{
    if [ -z "$luna" ]; then
        echo "building luna in $build" >&2
        cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release >"$work/log" 2>&1 &&
            cmake --build "$build" -j "$(nproc)" --target luna >>"$work/log" 2>&1 ||
            { tail -n 20 "$work/log" >&2; exit 1; }
        luna=$build/luna
    fi
    [ -x "$luna" ] || { echo "no $luna to run" >&2; exit 1; }
}

build_peers()
{
    local d=$here/tasks.d common cc="${CC:-cc} -std=gnu11 $flags"
    common="$d/bodies.c $d/luna/nop.c $d/luna/kernel.c"
    peers="loop"
    missing=
    $cc -pthread "$d/peer_loop.c" $common -o "$work/loop"
    if $cc -fopenmp "$d/peer_omp.c" $common -o "$work/omp" 2>"$work/log"; then
        peers="$peers omp ring"
        ln -s omp "$work/ring"
    else
        missing="$missing libgomp (the compiler has no OpenMP);"
    fi
    if pkg-config --exists starpu-1.3 2>/dev/null; then
        $cc $(pkg-config --cflags starpu-1.3) "$d/peer_starpu.c" $common -o "$work/starpu" \
            $(pkg-config --libs starpu-1.3)
        peers="$peers starpu"
    else
        missing="$missing StarPU (libstarpu-dev is not installed);"
    fi
    missing="$missing Taskflow (no package of this Debian)"
}

print_machine()
{
    echo "$(date +%Y-%m-%d), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)," \
        "$(nproc) cores, $(uname -sr), $(${CC:-cc} --version | head -n 1)"
    echo "flags $flags; medians of $runs runs; libgomp with OMP_PROC_BIND=true;" \
        "${rt:+real-time priority; }load before: $(cut -d ' ' -f 1 /proc/loadavg)"
    echo "not measured:$missing"
}

# sample KEY NUMBER: one measurement, or a difference of two.
sample()
{
    case $2 in
    [0-9]* | -[0-9]*) echo "$1 $2" >>"$samples" ;;
    *) echo "$1: expected a number, have '$2'" >&2; exit 1 ;;
    esac
}

# median KEY: of all its samples; nothing if there are none.
median()
{
    awk -v key="$1" '$1 == key { print $2 }' "$samples" | sort -g |
        awk '{ v[NR] = $1 }
             END { if (NR) printf "%.9g\n", (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}

# calc EXPRESSION [FORMAT]: a number from awk.
calc()
{
    awk "BEGIN { printf \"${2:-%.9g}\", $1 }"
}

# cell NUMBER DIGITS: of a table; - without a number.
cell()
{
    [ -n "$1" ] && printf " %9.$2f" "$1" || printf ' %9s' -
}

# wall COMMAND...: runs it with its output in $work/out; sets $seconds, the time of the whole
# process.
wall()
{
    local from=$EPOCHREALTIME
    timeout 100 "$@" >"$work/out" 2>"$work/err" || {
        echo "failed with $?: $*" >&2
        tail -n 5 "$work/err" >&2
        exit 1
    }
    seconds=$(calc "$EPOCHREALTIME - $from")
}

# peer NAME SHAPE WORKERS N [WIDTH ITERS]: runs it once, gives what it measured in $seconds, the
# time of the process in $process.
peer()
{
    local name=$1 shape=$2 workers=$3
    shift 3
    case $name in
    luna)
        # Compiling is not measured here: the first run of a program fills the cache.
        [ $shape != indep ] && [ $shape != chain ] || set -- "$1"
        wall $rt "$luna" run -q "--worker-threads-count=$workers" "$programs/$shape.fa" "$@"
        ;;
    ring) wall $rt "$work/ring" "${shape}ring" "$workers" "$@" ;;
    starpu) wall "$work/starpu" "$shape" "$workers" "$@" ;;
    *) wall $rt "$work/$name" "$shape" "$workers" "$@" ;;
    esac
    process=$seconds
    seconds=$(head -n 1 "$work/out")
}

# goal TEXT HAVE AT_MOST UNIT: kept for the table at the end.
goal()
{
    [ -n "$2" ] || return 0
    awk -v text="$1" -v have="$2" -v most="$3" -v unit="$4" 'BEGIN {
        printf "%-52s %9.4g  at most %-7.4g %-8s %s\n", text, have, most, unit,
               have <= most ? "met" : "NOT MET" }' >>"$work/goals"
}

print_goals()
{
    echo
    echo "goals"
    cat "$work/goals"
}
