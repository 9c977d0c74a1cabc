# ranks.sh TEST MODULE - the engine of triggered reductions over ranks of MPI.
. "${0%/*}/../lib/mpich.sh"
[ -n "$mpiexec" ] || { echo "no MPICH"; exit 77; }
for n in 1 2 3 5 8; do
    said=$(timeout -k 2 60 "$mpiexec" -n $n "$1" "$2") && [ "$said" = "$n ranks, 0 faults" ] ||
        { echo "$n ranks: $said"; exit 1; }
done
