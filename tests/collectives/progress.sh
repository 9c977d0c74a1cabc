# progress.sh SOURCE_DIR BUILD_DIR - each program of progress_mpi.c ends, with replace.c of
# docs/collectives.md before MPI. Without the callback in its setup none of them does.
set -eu
. "${0%/*}/lib_mpicc.sh"
awk '/^```$/ { on = 0 } on; /^```c replace.c$/ { on = 1 }' "$1/docs/collectives.md" >"$work/replace.c"
grep -q '^MPI_Barrier' "$work/replace.c" || { echo "the example is not found"; exit 1; }
"$mpicc" -std=c11 -O2 -Wall -Wextra -Werror -I "$1" "$1/tests/collectives/progress_mpi.c" \
    "$work/replace.c" "$2/collectives/libluna_coll.a" "$2/runtime/libluna_base.a" -lhwloc -lm \
    -lpthread -o "$work/program"
for name in large many accumulate get synchronous nonblocking all_communicators busy; do
    n=2
    [ $name = busy ] && n=3
    timeout -k 2 40 "$mpiexec" -n $n "$work/program" $name >"$work/out" 2>&1 && ended=yes || ended=no
    [ "$ended $(cat "$work/out")" = "yes done" ] ||
        { echo "$name does not end as it should:"; cat "$work/out"; exit 1; }
done
