# example.sh SOURCE_DIR BUILD_DIR [CMAKE] - the example of docs/collectives.md, in a plain MPI
# program, gives what MPI gives. With CMAKE: against the installed library, shared and static.
set -eu
. "${0%/*}/lib_mpicc.sh"

awk '/^```$/ { on = 0 } on; /^```c replace.c$/ { on = 1 }' "$1/docs/collectives.md" >"$work/replace.c"
[ "$(wc -l <"$work/replace.c")" -gt 100 ] || { echo "the example is not found"; exit 1; }

build() { # build WORDS: of the library
    "$mpicc" -std=c11 -O2 -Wall -Wextra -Werror "$1/tests/collectives/example_mpi.c" \
        "$work/replace.c" $2 ${FLAGS:-} -o "$work/program"
}
run() { # run N...: with so many processes
    for n in "$@"; do
        timeout -k 2 60 "$mpiexec" -n $n "$work/program" >"$work/out" || { cat "$work/out"; exit 1; }
        [ "$(cat "$work/out")" = "0 faults" ] || { cat "$work/out"; exit 1; }
    done
}

if [ -z "${3:-}" ]; then
    build "$1" "-I $1 $2/collectives/libluna_coll.a $2/runtime/libluna_base.a -lhwloc -lm -lpthread"
    run 1 2 4
    if command -v mpicc.openmpi >"$work/out"; then # the library knows no MPI, so it suits any
        mpicc=mpicc.openmpi mpiexec=$work/mpiexec
        OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
        export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
        printf '#!/bin/sh\nexec mpiexec.openmpi --oversubscribe "$@"\n' >"$mpiexec"
        chmod +x "$mpiexec"
        build "$1" "-I $1 $2/collectives/libluna_coll.a $2/runtime/libluna_base.a -lhwloc -lm -lpthread"
        run 1 2 4
    fi
    exit
fi

"$3" --install "$2" --prefix "$work/prefix" --component coll >"$work/out" || { cat "$work/out"; exit 1; }
PKG_CONFIG_PATH=$work/prefix/lib/pkgconfig:${PKG_CONFIG_PATH:-}
LD_LIBRARY_PATH=$work/prefix/lib:${LD_LIBRARY_PATH:-}
export PKG_CONFIG_PATH LD_LIBRARY_PATH
build "$1" "$(pkg-config --cflags --libs luna_coll)"
ldd "$work/program" | grep -qF "$work/prefix/lib/libluna_coll.so.0" || { echo "not shared"; exit 1; }
run 2
for library in libluna_coll.so libluna_coll.a; do
    dynamic=-D
    [ "$library" = libluna_coll.a ] && dynamic=-g
    nm $dynamic --defined-only "$work/prefix/lib/$library" | awk 'NF == 3 { print $3 }' >"$work/names"
    grep -q '^coll_allreduce$' "$work/names" || { echo "$library: no coll_allreduce"; exit 1; }
    if grep -vE '^(coll_[a-z_]*|err_text|__gcov.*|__llvm.*)$' "$work/names"; then
        echo "$library: these names are no business of programs"
        exit 1
    fi
done
rm "$work/prefix/lib/"libluna_coll.so*
build "$1" "$(pkg-config --static --cflags --libs luna_coll)"
run 2
