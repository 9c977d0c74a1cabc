# sbatch.sh SOURCE_DIR - the job script of the tutorial does what it says, with an `srun` that starts as
# many ranks by mpiexec as the script asks for, and is strict about options. Slurm itself is tested by
# tests/mpi/slurm.sh, where it is installed.
. "${0%/*}/../cli/lib.sh"
tutorial=$1/docs/tutorial

. "${0%/*}/../lib/mpich.sh"
if [ -z "$mpiexec" ]; then
    skip "no MPICH"
    exit 77
fi
ASAN_OPTIONS=detect_leaks=0 # MPI keeps much to its end
export ASAN_OPTIONS
mkdir bin
cat >bin/srun <<X
#!/bin/sh
mpiexec=$mpiexec
X
cat >>bin/srun <<'X'
for wanted in --mpi=pmi2 --cpus-per-task=1 --cpu-bind=cores; do
    [ "$1" = $wanted ] || { echo "srun: '$1' in the place of $wanted" >&2; exit 1; }
    shift
done
exec "$mpiexec" -n "$SLURM_NTASKS" "$@"
X
chmod +x bin/srun

# What Slurm would set, of the script's own words.
asked() { sed -n "s/^#SBATCH --$1=//p" "$tutorial/heat.sbatch"; }
holds "it asks for machines, processes and cores" -n "$(asked nodes)" -a "$(asked ntasks-per-node)" = 1 \
    -a -n "$(asked cpus-per-task)"
run luna build "$tutorial/pieces/nodes.fa" -o heat-nodes
code 0
run env PATH="$PWD/bin:$PATH" SLURM_NTASKS="$(asked nodes)" SLURM_CPUS_PER_TASK=1 \
    sh "$tutorial/heat.sbatch"
code 0
out <<'X'
after 2000 steps: 0.181305 in the middle
X
finish
