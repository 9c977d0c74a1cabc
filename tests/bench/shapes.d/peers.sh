# peers.sh - who is measured, the turns they take, and rows of tables; sourced by ../shapes.

cores=$(nproc)
fast= # compiling must not take long to see whether values are right
[ $check = 0 ] || fast=-O0 flags="-O0 -fwrapv"
peers= missing= blas=

# build_openmp NAME COMPILER...: NAME is missing if it cannot be built or run.
build_openmp()
{
    local name=$1 d=$here/shapes.d
    shift
    if "$@" -std=gnu11 $flags $blas "$d"/omp*.c "${bodies[@]}" -o "$work/$name" $libraries \
        >"$work/log" 2>&1 && "$work/$name" breadth 2 1 >/dev/null 2>&1; then
        peers="$peers $name"
    else
        missing="$missing $name"
    fi
}

build_shape_peers()
{
    local d=$here/shapes.d name
    bodies=()
    for name in bodies trees tiles solver graphs; do bodies+=("$programs/$name.c"); done
    libraries="-lm"
    printf '#include <cblas.h>\nint main(void) { return 0; }\n' >"$work/try.c"
    if ${CC:-cc} "$work/try.c" -lopenblas -o "$work/try" 2>/dev/null; then
        blas=-DSHAPES_BLAS libraries="-lopenblas -lm"
    else
        missing="$missing OpenBLAS(a kernel of ours)"
    fi
    export LDFLAGS=$libraries CXX_FLAGS=$blas
    build_openmp loop "${CC:-cc}" -Wno-unknown-pragmas
    [ -n "$peers" ] || { tail -n 20 "$work/log" >&2; exit 1; }
    build_openmp gomp gcc -fopenmp
    [ $check = 0 ] || return 0
    build_openmp llvm clang -fopenmp
    if pkg-config --exists starpu-1.3 2>/dev/null; then
        ${CC:-cc} -std=gnu11 $flags $blas $(pkg-config --cflags starpu-1.3) "$d/starpu.c" \
            "${bodies[@]}" -o "$work/starpu" $(pkg-config --libs starpu-1.3) $libraries
        peers="$peers starpu"
    else
        missing="$missing starpu"
    fi
    build_by_hand
    ${CC:-cc} -O2 "$d/at_hand.c" -o "$work/at_hand"
}

build_by_hand()
{
    . "$here/../lib/mpich.sh"
    if [ -n "$mpiexec" ] && [ -n "$mpicc" ]; then
        $mpicc -std=gnu11 $flags "$here/shapes.d/mpi.c" "${bodies[@]}" -o "$work/hand" -lm
        peers="$peers hand"
    else
        missing="$missing mpi"
    fi
}

print_shape_machine()
{
    echo "$(date +%Y-%m-%d), $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)," \
        "$cores cores, $(uname -sr), $(gcc --version | head -n 1)"
    echo "flags $flags; medians of $runs runs; ${rt:+real-time priority; }load before:" \
        "$(cut -d ' ' -f 1 /proc/loadavg); not there:${missing:- nothing}"
}

size() { echo $((check ? $2 : $1)); } # FULL TINY
has() { [[ " $peers " == *" $1 "* ]]; }

keys=() who=() words=()
declare -A value_of

# add KEY WHO HOW NAME ARGUMENTS...: one more that takes its turn. WHO: luna, with HOW its options; a
# peer, with HOW workers; hand, with HOW ranks; large-PEER, with its memory on large pages, as that of
# luna is.
add()
{
    local key=$1 one=$2 how=$3
    shift 3
    [ "$one" = luna ] || has "${one#large-}" || return 0
    # To see whether values are right, two workers, two nodes and two peers are enough.
    case $check.$one.$how in 1.luna.-t\ 1 | 1.gomp.1 | 1.llvm.* | 1.starpu.*) return 0 ;; esac
    case $how in *transport=mpi*) has hand || return 0 ;; esac
    keys+=("$key") who+=("$one@$how") words+=("$*")
}

# add_peers KEY WORKERS NAME ARGUMENTS...: with those of OpenMP, as KEY.gomp.WORKERS and so on; and
# plain loops once.
add_peers()
{
    local key=$1 workers=$2 one
    shift 2
    for one in gomp llvm; do add $key.$one.$workers $one $workers "$@"; done
    [[ " ${keys[*]-} " == *" $key.loop "* ]] || add $key.loop loop 1 "$@"
}

# add_luna KEY NAME ARGUMENTS...: with two workers; to check values, with two nodes too.
add_luna()
{
    local key=$1
    shift
    add $key.t2 luna "-t 2" "$@"
    [ $check = 0 ] || add $key.n2 luna "-n 2 -t 1" "$@"
}

one_run() # WHO@HOW NAME ARGUMENTS...
{
    local one=${1%%@*} how=${1#*@} name=$2
    shift 2
    case $one in
    large-*) GLIBC_TUNABLES=glibc.malloc.hugetlb=1 one_run "${one#large-}@$how" "$name" "$@" ;;
    luna) wall $rt "$luna" run -q $fast $how "$programs/$name.fa" "$@" ;;
    hand) wall $rt "$mpiexec" -n "$how" "$work/hand" "$name" "$@" </dev/null ;;
    starpu) wall "$work/starpu" "$name" "$how" "$@" ;;
    *) wall $rt "$work/$one" "$name" "$how" "$@" ;;
    esac
}

# The same words must give the same value, whoever computes it. Two are times, kept as KEY.late.
compare() # KEY WORDS VALUE
{
    [[ $3 =~ ^-?[0-9] ]] || { echo "$1: the value of $2 is no number: '$3'" >&2; exit 1; }
    case $2 in
    sweep* | dispatch*) sample "$1.late" "$3" && return ;;
    esac
    : "${value_of[$2]:=$3}"
    [ "$(calc "($3 - ${value_of[$2]}) ^ 2 <= (0.000001 * $3) ^ 2")" = 1 ] || {
        echo "$1: the value of $2 is $3, not ${value_of[$2]}" >&2
        exit 1
    }
}

# take_turns [RUNS]: all that were added, RUNS rounds of them. With at_hand=MIB so much memory is at
# hand when each of them begins.
take_turns()
{
    local k c time value
    # What is compiled is not measured: the first run of a program fills the cache.
    [ $check = 1 ] || for ((c = 0; c < ${#keys[@]}; c++)); do
        case ${who[c]} in
        luna*) "$luna" build -q -o "$work/compiled" "$programs/${words[c]%% *}.fa" ;;
        esac
    done
    for ((k = 0; k < ${1:-$runs}; k++)); do
        for ((c = 0; c < ${#keys[@]}; c++)); do
            [ $check = 1 ] || [ -z "${at_hand-}" ] || "$work/at_hand" "$at_hand"
            one_run "${who[c]}" ${words[c]}
            read -r time value < <(head -n 1 "$work/out")
            sample "${keys[c]}" "$time"
            compare "${keys[c]}" "${words[c]}" "$value"
        done
    done
    keys=() who=() words=()
}

# columns LABEL FACTOR DIGITS KEY...: a row of medians times FACTOR; - where there is none.
columns()
{
    local label=$1 factor=$2 digits=$3 key m
    shift 3
    printf '%-26s' "$label"
    for key in "$@"; do
        m=$(median "$key")
        cell "${m:+$(calc "$m * $factor")}" "$digits"
    done
    echo
}

heading() # TEXT COLUMN...
{
    echo
    echo "$1"
    shift
    printf '%-26s' ''
    printf ' %9s' "$@"
    echo
}

# by KEY KEY [FACTOR]: the ratio of two medians, times FACTOR; nothing where one is missing.
by()
{
    local a b
    a=$(median "$1") b=$(median "$2")
    [ -z "$a" ] || [ -z "$b" ] || calc "$a / $b * ${3:-1}"
}
