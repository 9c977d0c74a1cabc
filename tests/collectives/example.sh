# example.sh SOURCE_DIR BUILD_DIR - the example of docs/collectives.md, in a plain MPI program,
# gives what MPI gives.
set -eu
mpicc=$(command -v mpicc.mpich || command -v mpicc) || { echo "no MPICH"; exit 77; }
mpiexec=$(command -v mpiexec.mpich || command -v mpiexec.hydra || command -v mpiexec) || exit 77
"$mpicc" -show 2>/dev/null | grep -q mpich || { echo "no MPICH"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk '/^```$/ { on = 0 } on; /^```c replace.c$/ { on = 1 }' "$1/docs/collectives.md" >"$work/replace.c"
[ "$(wc -l <"$work/replace.c")" -gt 100 ] || { echo "the example is not found"; exit 1; }
"$mpicc" -std=c11 -O2 -Wall -Wextra -Werror -I "$1" "$1/tests/collectives/example_mpi.c" \
    "$work/replace.c" "$2/collectives/libluna_coll.a" "$2/runtime/libluna_base.a" ${FLAGS:-} -lhwloc \
    -lm -lpthread -o "$work/program"
for n in 1 2 4; do
    timeout -k 2 60 "$mpiexec" -n $n "$work/program" >"$work/out" || { cat "$work/out"; exit 1; }
    [ "$(cat "$work/out")" = "0 faults" ] || { cat "$work/out"; exit 1; }
done
