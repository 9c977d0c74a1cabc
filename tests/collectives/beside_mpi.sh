# beside_mpi.sh SOURCE_DIR BUILD_DIR - our operations give what MPI's give (beside_mpi.c).
set -eu
. "${0%/*}/lib_mpicc.sh"
"$mpicc" -std=c11 -O2 -Wall -Wextra -Werror -I "$1" "$1/tests/collectives/beside_mpi.c" \
    "$2/collectives/libluna_coll.a" "$2/runtime/libluna_base.a" -lhwloc -lm \
    -lpthread -o "$work/program"
for n in 1 2 3; do
    timeout -k 2 120 "$mpiexec" -n $n "$work/program" >"$work/out" || { cat "$work/out"; exit 1; }
    [ "$(cat "$work/out")" = "0 faults" ] || { echo "$n processes"; cat "$work/out"; exit 1; }
done
