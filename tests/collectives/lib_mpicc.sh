# lib_mpicc.sh - for tests that compile a program of MPICH: its compiler, its launcher, a folder. 77: not
# to be had here.
mpicc=$(command -v mpicc.mpich || command -v mpicc) || { echo "no MPICH"; exit 77; }
mpiexec=$(command -v mpiexec.mpich || command -v mpiexec.hydra || command -v mpiexec) || exit 77
"$mpicc" -show 2>/dev/null | grep -q mpich || { echo "no MPICH"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
