#!/bin/sh
# seeds.sh LUNA SEEDS N WAYS FOLDER... - the programs of the folders on the simulator, each with N seeds
# and 2 to 16 nodes: what one node prints and assigns. SEEDS is the driver, seeds.c. Programs that show
# the order of one node (`one` in NAME.how) are left out. Those with cells run in each of the WAYS
# too, words for SEEDS: -m while cells move, -p and -t while they are balanced; `only` begins the ways
# if that is all.
luna=$1 seeds=$2 n=$3 ways=$4
shift 4
work=$(mktemp -d "${TMPDIR:-/tmp}/luna-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="${TEST_CACHE:-$work/cache}" LC_ALL=C
unset CC CXX CXX_FLAGS LDFLAGS LUNA_NO_CLEANUP
failed=0 passed=0
words() { if [ -f "$1" ]; then cat "$1"; fi; }

one() { # FOLDER
    name=$(basename "$1")
    cp -r "$1" "$work/$name" && cd "$work/$name" || return 1 # the object comes to lie beside it
    case " $(words "$name.how") " in *" one "*) return 0 ;; esac
    options=$(words "$name.opts")
    flags=
    for flag in -g -b; do case " $options " in *" $flag "*) flags="$flags $flag" ;; esac; done
    eval "\"\$luna\" run -c -q $options $name.fa" >"$work/said" 2>&1 ||
        { echo "$name: cannot be compiled: $(cat "$work/said")"; return 1; }
    case $ways in only*) ;; *) plain "$1" || return 1 ;; esac
    grep -q '^ *\(} @ { \)\{0,1\}cells ' $name.fa || return 0
    for way in ${ways#only}; do
        timeout 3000 "$seeds" 1 $n $way ./libucodes.so $name.fa >"$work/said" 2>&1 ||
            { echo "$name, cells moving ($way): $(cat "$work/said")"; return 1; }
        passed=$((passed + 1))
    done
}
plain() {
    eval "timeout 3000 \"\$seeds\" 1 $n $flags ./libucodes.so $name.fa $(words "$name.args")" \
        >"$work/said" 2>&1 || { echo "$name: $(cat "$work/said")"; return 1; }
    passed=$((passed + 1))
}
for folder in "$@"; do one "$folder" || failed=$((failed + 1)); done
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed != 0 ]
