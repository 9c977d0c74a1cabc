#!/bin/sh
# unplaced.sh LUNA [few|threads|slow] - the programs of this folder and of apps/ without their rules of
# place: spread by the compiler they end as on node 0, with the same hash and the same lines, under each
# distributor and while load is balanced. The next program goes other ways; `slow`: each goes all of them.
luna=$1 usual=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/luna-test.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="${TEST_CACHE:-$work/cache}" LC_ALL=C
code=0 checked=0 spread=0

fail() {
    echo "$name $*"
    code=1
}

without_rules() { # without_rules FILE
    perl -0777 -pe '
        s/^(?!import|\/\/)(.*?)\b(cells?|locator_\w+)\b[^;{}`\n]*;/$1/mg
            while /^(?!import|\/\/).*\b(cells?|locator_\w+)\b[^;{}`\n]*;/m;
        s/#define SAME_AT.*/#define SAME_AT/; s/\} \$SAME_AT/}/g; s/\@ *\{[ \n]*(\$SAME_CELL)?[ \n]*\}//g' \
        "$1"
}

# run OPTIONS..: in $got the exit code, the hash and the lines.
run() {
    eval "set -- \"\$@\" $options plain.fa $args"
    timeout 60 "$luna" sim -t 1 --hash "$@" >"$work/out" 2>"$work/err" </dev/null
    end=$?
    got="$end $(grep '^hash \*' "$work/err") $(sort "$work/out" | cksum)"
    case $end in 0) ;; *) got=$end ;; esac
}

try() { # try FOLDER
    name=$(basename "$1")
    [ -f "$1/$name.fa" ] || return
    rm -rf "$work/at" && cp -r "$1" "$work/at" && cd "$work/at" || return
    words() { if [ -f "$name.$1" ]; then cat "$name.$1"; fi; }
    options=$(words opts) args=$(words args)
    case " $(words how) " in *" one "*) return ;; esac
    without_rules "$name.fa" >plain.fa
    rm "$name.fa"
    run -n 4 --distrib=patch
    [ $end != 1 ] || return # without its rules it is wrong
    checked=$((checked + 1))
    # Where nothing is found the program is the one that --place=node0 makes.
    grep -q '^luna: note: .* spread over 4 nodes' "$work/err" || return
    spread=$((spread + 1)) turn=$((spread % 2)) found=$got
    run -q -n 4 --place=node0
    first=$got
    [ "$found" = "$first" ] || fail "-n 4 --distrib=patch: $found, on node 0 $first"
    way 1 -n 3 --distrib=rope
    way 0 -n 16 --distrib=cyclic
    way 1 -n 2 --distrib=patch --start=half --balance=two-phase --balance-every=20 \
        --balance-threshold=0%
}
way() { # way TURN OPTIONS..: that of the programs whose turn it is
    [ "$1" = $turn ] || [ "$usual" = slow ] || return
    shift
    run -q "$@"
    [ "$got" = "$first" ] || fail "$*: $got, on node 0 $first: $(head -3 "$work/err")"
}
for folder in "$here"/*/ "$here"/../../apps/*/; do try "${folder%/}"; done
echo "$checked programs, $spread of them spread"
[ $spread -ge 15 ] || fail "too few were spread"
exit $code
