# mpich.sh - for scripts of sh and bash: the compiler and the launcher of MPICH, as $mpicc and $mpiexec.
# Empty: there is none. What mpicc and mpiexec are may be another MPI's.
first_of_mpich() { # first_of_mpich OPTION WORD NAMES...: asked by OPTION, it says WORD
    option=$1 word=$2
    shift 2
    for name in "$@"; do
        found=$(command -v "$name") || continue
        case $("$found" "$option" 2>&1) in *"$word"*) echo "$found" && return ;; esac
    done
}
mpiexec=$(first_of_mpich --version HYDRA mpiexec.mpich mpiexec.hydra mpiexec)
mpicc=$(first_of_mpich -show mpich mpicc.mpich mpicc)
