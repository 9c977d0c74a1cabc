#!/bin/sh
# programs.sh LIST RANKS... - each program of a list on so many ranks: the lines, the exit code and the
# values (--hash) of one node. On two ranks of one worker and of two it is traced, too: no call has begun
# before the end of a call whose value it reads.
#
# RANKS: a number; 2+: two ranks of two workers each.
# Objects that other tests of the preset have made are in TEST_CACHE.
# LIST is `language` (the folders of tests/programs, but those that show the order of one node), `turns`:
# of these the PROTOCOLS, each on one of RANKS, the next on the next one; `apps`, or `three`: some that use
# all protocols.
tests=$(cd "${0%/*}/.." && pwd)
. "${0%/*}/lib_mpi.sh"
list=$1
shift
root=$(dirname "$tests")
XDG_CACHE_HOME=${TEST_CACHE:-$XDG_CACHE_HOME}

words() { if [ -f "$1" ]; then cat "$1"; fi; }

# one FOLDER NAME OPTIONS ARGS RANKS...
one() {
    folder=$1 name=$2 options=$3 args=$4
    shift 4
    cd "$folder" || exit 1
    eval "run luna run -t 1 --hash $options $name.fa $args"
    want=$last_code
    sort "$here/out" >"$here/want.out"
    grep '^hash ' "$here/err" >"$here/want.hash"
    for n in "$@"; do
        trace=
        case $n,$want in
        *,[12]) ;; # it does not begin to run
        2*) trace="--trace=$here/trace --trace-values" ;;
        esac
        [ $n = 2+ ] && workers=2 || workers=1
        eval "run guarded \"\$LUNA\" run -n ${n%+} -t $workers --transport=mpi --hash \
            $trace $options $name.fa $args"
        code "$want"
        [ -z "$trace" ] || order=$(sh "$tests/trace/causes.sh" "$here/trace") || bad "$order"
        sort "$here/out" >"$here/got" && mv "$here/got" "$here/out"
        same out <"$here/want.out"
        [ "$want" = 0 ] || continue
        grep '^hash ' "$here/err" >"$here/got" && mv "$here/got" "$here/err"
        same err <"$here/want.hash"
    done
}

language() { # NAME RANKS...
    folder=$tests/programs/$1 name=$1
    shift
    case " $(words "$folder/$name.how") " in *" one "*) return ;; esac
    one "$folder" "$name" "$(words "$folder/$name.opts")" "$(words "$folder/$name.args")" "$@"
}
app() { # NAME OPTIONS RANKS...
    name=$1 options=$2
    shift 2
    one "$root/apps/$name" "$name" "$options" "" "$@"
}

turn() { # NAME RANKS...: on the first of them, which is the last one then
    language "$1" "$2"
    first=$2
    shift 2
    ranks="$* $first"
}

case $list in
language | turns)
    ranks=$*
    for file in "$tests"/programs/*/; do
        name=$(basename "$file")
        [ -f "$file/$name.out" ] || continue
        case $list," $PROTOCOLS " in
        turns,*" $name "*) turn "$name" $ranks ;;
        language,*) language "$name" $ranks ;;
        esac
    done ;;
apps)
    app hello "" "$@"
    app heat1d "" "$@"
    app heat2d "-D POINTS=48 -D STEPS=40" "$@"
    app matmul "-D ROWS=120 -D PARTS=10" "$@"
    app primes "-D LIMIT=1000 -D PARTS=7" "$@"
    app poisson3d "-D GRID=24 -D FG=3 -D EPS=0.1" "$@"
    app poisson3d "-D GRID=24 -D FG=4 -D ITERS=9 -D EPS=0 -D CHECK" "$@"
    app pic2d "-D CELLS=5 -D STEPS=40" "$@" ;;
three)
    language redblack "$@"
    language locators "$@"
    app heat1d "" "$@" ;;
esac
cd "$here/work" || exit 1
all_gone 20
finish
