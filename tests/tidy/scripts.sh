#!/bin/sh
# scripts.sh ROOT BUILD - setup.sh, tests/who.sh and tests/by-hand.sh as people call them: what they say
# when called wrongly, and that who.sh names who reaches a file, and nobody else. And that nothing was left
# beside them at the top.
root=$1 build=$2
out=$(mktemp) || exit 2
trap 'rm -f "$out"' EXIT
failed=0

says() { # says CODE TEXT COMMAND...
    code=$1 text=$2
    shift 2
    "$@" >"$out" 2>&1
    got=$?
    [ $got = "$code" ] && grep -qF -- "$text" "$out" && return
    echo "$*: exit code $got, and no '$text': $(head -5 "$out")"
    failed=1
}
who() { # who FILE 'TESTS THAT REACH IT' 'TESTS THAT DO NOT'
    "$root/tests/who.sh" --build="$build" "$root/$1" >"$out" 2>&1
    for name in $2; do grep -qxF "$name" "$out" || { echo "$1 is reached by $name"; failed=1; }; done
    for name in $3; do ! grep -qxF "$name" "$out" || { echo "$1 is not reached by $name"; failed=1; }; done
}

# In a tree without git nobody knows what belongs to it.
for name in $(cd "$root" && git ls-files 2>/dev/null | cut -d / -f 1 | sort -u); do
    case $name in
    .* | CMakeLists.txt | CMakePresets.json | LICENSE | README.md | setup.sh | lang | runtime | distrib) ;;
    balance | collectives | apps | tests | docs | editors | man | packaging) ;;
    *) echo "$name lies at the top, and does not belong there" && failed=1 ;;
    esac
done
says 2 "usage: ./setup.sh [tests]" "$root/setup.sh" test
says 2 "usage: tests/who.sh [--build=DIR] FILE" "$root/tests/who.sh"
says 2 "nothing is built in $root/docs: ./setup.sh tests" "$root/tests/who.sh" --build="$root/docs" README.md
says 2 "usage: tests/by-hand.sh [--build=DIR] [vtk] [page]" "$root/tests/by-hand.sh" vkt
says 2 "there is no $root/docs/luna: ./setup.sh" "$root/tests/by-hand.sh" --build="$root/docs"
says 2 "there is no no/file.c" "$root/tests/who.sh" --build="$build" no/file.c
# Its name is not in one piece here: else this test would reach it.
says 1 "no test reaches .clang" "$root/tests/who.sh" --build="$build" .clang-"format"

# Each takes many seconds: one of an archive, one that is made of others, one that is given to tests.
who runtime/base/size.c "test_size cli.usage" "test_json test_move"
who lang/parse/parse.y "parse.test_parse cli.check" "test_walk net.test_sim"
who apps/heat1d/heat1d.fa "app_heat1d mpi.apps replay_lang" "app_matmul cli.usage"
exit $failed
