#!/bin/sh
# who.sh [--build=DIR] FILE... - names the tests that reach a file: run them by `ctest -R` when you have
# changed it. What has been built is asked (build/, or DIR of another preset), not who says what:
#
#   - the compiler has written down which objects are made of FILE, a source or a header;
#   - the linker's command lines tell which programs these come into, and a program's symbols whether
#     they did: of an archive only what somebody calls does;
#   - ctest tells which test runs which program. What luna opens beside it (the transport over MPI,
#     luna perf, the stub of luna build) is reached by tests whose scripts mention it.
#
# Of any other file (a program, a document, a script) those tests are named that are given it, and those
# whose scripts, or the scripts these read in, name it or its folder.
# Exit code 1: no test reaches one of the files. Tests of label slow are left out.
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
case ${1:-} in --build=*) build=$(cd "${1#*=}" && pwd) || exit 2; shift ;; esac
[ $# -gt 0 ] || { echo "usage: tests/who.sh [--build=DIR] FILE..." >&2; exit 2; }
[ -f "$build/CTestTestfile.cmake" ] || { echo "who.sh: nothing is built in $build: ./setup.sh tests" >&2; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# One line a test: its name, then a word for each thing it is given.
(cd "$build" && ctest -N -V -LE slow) | awk '
    function words(text) { gsub(/[";=]/, " ", text); all = all " " text }
    / Test command: / { all = ""; sub(/.* Test command: /, ""); words($0); next }
    /^ *Test +#[0-9]+: / { sub(/^ *Test +#[0-9]+: /, ""); print $1 all; next }
    /^[0-9]+:  / { sub(/^[0-9]+: /, ""); words($0) }' >"$work/tests"

# Lines "PRODUCT PART PART...", all paths whole.
find "$build" -name link.txt | while read -r link; do
    sed "s|^|$(dirname "$(dirname "$(dirname "$link")")") |" "$link"
done | awk -v root="$root" '
    function whole(dir, file) {
        if (file !~ /^\//) file = dir "/" file
        while (sub(/\/[^\/]+\/\.\.\//, "/", file)) continue
        return file
    }
    $2 ~ /ranlib$/ { next }
    {
        made = ""; parts = ""
        for (i = 3; i <= NF; i++) {
            if ($i == "-o" || $i == "qc") made = whole($1, $(++i))
            else if ($i ~ /\.(o|a|so)$/) parts = parts " " whole($1, $i)
        }
        print made parts
        if (made ~ /libluna_coll\.so/) { # the same objects, as an archive for others
            sub(/\.so.*/, ".a", made)
            print made parts
        }
    }' >"$work/links"

# The objects made of a file.
objects() { # objects FILE
    case $1 in
    */parse.y) find "$build" -name 'parse.tab.c.o' -o -name tokens.c.o -o -name lex.yy.c.o ;;
    */lex.l) find "$build" -name 'lex.yy.c.o' ;;
    *) name=$(echo "${1#"$root"/}" | sed 's/[.+]/\\&/g') # whole, or as seen from the build folder
       find "$build" -name '*.o.d' -exec grep -lE "(^|[ /])$name( |\$)" {} + | sed 's/\.d$//' ;;
    esac
}

# Of the programs in the input those in which a name stands that the objects give to others. Headers may
# leave no name behind: then all of them.
holders() {
    if [ -s "$work/names" ]; then xargs nm -A --defined-only 2>/dev/null; else sed 's/$/: - - -/'; fi |
        awk -v any="$([ -s "$work/names" ] || echo 1)" '
            FILENAME != "-" { name[$1]; next }
            any || $3 in name { sub(/:.*/, "", $1); if (!told[$1]++) print $1 }' "$work/names" -
}

# Programs and libraries that the objects in work/objects come into.
products() {
    # shellcheck disable=SC2046
    nm -g --defined-only $(cat "$work/objects") | awk 'NF == 3 { print $3 }' | sort -u >"$work/names"
    awk 'NR == FNR { has[$1]; next } { line[++n] = $0 }
        END {
            do {
                more = 0
                for (i = 1; i <= n; i++) {
                    k = split(line[i], w)
                    for (j = 2; j <= k && !(w[1] in has); j++)
                        if (w[j] in has) { has[w[1]]; more = 1; print w[1] }
                }
            } while (more)
        }' "$work/objects" "$work/links" |
        grep -v '/libluna_[a-z_]*\.a$' | holders
}

# Tests that are given one of the words in work/words, or whose scripts mention a pattern.
given() {
    awk 'NR == FNR { want[$1]; next } { for (i = 2; i <= NF; i++) if ($i in want) { print $1; next } }' \
        "$work/words" "$work/tests"
}
mentioning() { # mentioning PATTERN
    awk -v root="$root/" '{ for (i = 2; i <= NF; i++) if (index($i, root) == 1) print $i }' "$work/tests" |
        sort -u | xargs grep -slE -d skip -e "$1" >"$work/words"
    given
}

of_sources() { # of_sources FILE
    products | sort -u >"$work/words"
    case $1 in # users' functions and the emitted C are compiled with it
    "$root"/runtime/program.h | "$root"/runtime/ucode/*.h | "$root"/runtime/ucode/guard.cpp | \
        "$root"/runtime/ucode/ucenv/*) echo "$build/luna" >>"$work/words" ;;
    esac
    given
    cp "$work/words" "$work/products"
    while read -r product; do
        case $product in
        */luna_mpi.so) mentioning '(^|[^a-z_])mpi' ;;
        */luna_perf*) mentioning '(luna"?|\$LUNA"?|command) perf|bin/luna perf' ;;
        */luna_stub) mentioning 'luna"? build' ;;
        */libluna_coll*) mentioning 'luna_coll|collectives' ;;
        esac
    done <"$work/products"
}

of_others() { # of_others FILE
    name=${1#"$root"/}
    case $name in */*) printf '%s\n' "$1" "${1%/*}" ;; *) echo "$1" ;; esac >"$work/words"
    given
    pattern=$(echo "$name" | sed 's/[.+]/\\&/g')
    case $name in
    apps/*/*) # a program of several files is run by the one that is called as its folder
        folder=${name#apps/} && folder=${folder%%/*}
        echo "$root/apps/$folder/$folder.fa" >"$work/words"
        given
        pattern="apps/$folder|apps/\\*|apps/\\\$|ranks_apps|\"\\\$root/apps"
        ;;
    tests/*/*/*) given_folder "${1%/*}" ;;
    tests/*/*.sh | tests/*/*.awk) pattern="$pattern|[/\"' ]$(basename "$name" | sed 's/\./\\./')" ;;
    esac
    mentioning "$pattern"
}
given_folder() { # and folders above it
    dir=$1
    : >"$work/words"
    while [ "$dir" != "$root/tests" ]; do
        echo "$dir" >>"$work/words"
        dir=${dir%/*}
    done
    given
}

code=0
for file in "$@"; do
    path=$(realpath -e "$file" 2>/dev/null || realpath -e "$root/$file" 2>/dev/null) ||
        { echo "who.sh: there is no $file" >&2; exit 2; }
    objects "$path" >"$work/objects"
    if [ -s "$work/objects" ]; then of_sources "$path"; else of_others "$path"; fi | sort -u >"$work/found"
    if [ -s "$work/found" ]; then cat "$work/found"; else
        echo "who.sh: no test reaches $file" >&2
        code=1
    fi
done
exit $code
