# lib_mpicc.sh - for tests that compile a program of MPICH: its compiler, its launcher, a folder. 77: not
# to be had here.
. "${0%/*}/../lib/mpich.sh"
[ -n "$mpicc" ] && [ -n "$mpiexec" ] || { echo "no MPICH"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
