#!/bin/sh
# refused.sh - what cannot work is said at once, with the cure: wrong launchers, no shared memory, no MPI.
. "${0%/*}/lib_mpi.sh"

cat >one.fa <<'E'
C sub say(int k) ${{ (void)k; $}}
sub main() { say(1); }
E

# Arguments of main with which no run ends well: told once, and no rank starts.
cat >perhaps.fa <<'E'
C sub put(name v, int k) ${{ luna_set_int(v, k); $}}
C sub say(int k) ${{ (void)k; $}}
sub main(int n) { df x; for i = 0 .. 3 put(x[i], i); for i = 0 .. n say(x[i]); }
E
run "$LUNA" run -n 2 --transport=mpi perhaps.fa 5
code 1
holds "said once" "$(grep -c "error\[SEM3.3\]: with n = 5, 'x\[4\]' is read" "$here/err")" = 1
run "$LUNA" run -n 2 --transport=mpi perhaps.fa 3
code 0

# srun whose process manager MPICH does not know: each task is alone.
run env SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=0 "$LUNA" run one.fa
code 2
err_has "use srun --mpi=pmi2"
run env OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0 "$LUNA" run one.fa
code 2
err_has "MPICH's mpiexec"
run env SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=2 "$LUNA" run one.fa # said by the first alone
code 2
quiet
run env SLURM_NTASKS=4 "$LUNA" run one.fa # a script of sbatch, not a task of srun
code 0

# Open MPI stands first in PATH: MPICH starts the ranks. There is no other mpiexec: it is said.
if command -v mpiexec.openmpi >/dev/null; then
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
    mkdir open
    ln -s "$(command -v mpiexec.openmpi)" open/mpiexec
    run env PATH="$PWD/open:$PATH" "$LUNA" run -n 2 --transport=mpi one.fa
    code 0
    quiet
    run env PATH="$PWD/open" "$LUNA" run -n 2 --transport=mpi one.fa
    code 5
    err <<'X'
luna: error: the mpiexec in PATH is not that of MPICH
hint: install MPICH (package mpich), or put the folder of its mpiexec first in PATH; -n N alone needs no MPI
X
    run guarded mpiexec.openmpi --oversubscribe -n 2 "$LUNA" run one.fa
    code 2
    said="luna: error: Open MPI's mpirun started several ranks, but luna is built with MPICH; use MPICH's"
    holds "said once" "$(grep -cF "$said mpiexec" "$here/err")" = 1
    run guarded mpiexec.openmpi -n 1 "$LUNA" run one.fa
    code 0
    quiet
else
    skip "no Open MPI (package openmpi-bin)"
fi

# Ranks that were told different things: said once, by the first, and all end. What may differ may.
differ() { # differ TEXT OPTIONS: of the second rank
    text=$1
    shift
    run guarded "$mpiexec" -n 1 "$LUNA" run perhaps.fa 3 : -n 1 "$LUNA" run "$@" : \
        -n 1 "$LUNA" run perhaps.fa 3
    code 2
    err <<X
luna: error: ranks were given different options: rank 0 has $text
hint: start all ranks with the same options and arguments
X
}
differ "no --copies=off, rank 1 has --copies=off" --copies=off perhaps.fa 3
differ "no -b, rank 1 has -b" -b perhaps.fa 3
differ "no --hash, rank 1 has --hash" --hash perhaps.fa 3
differ "no --stats, rank 1 has --stats" --stats perhaps.fa 3
differ "no --trace, rank 1 has --trace" --trace=here perhaps.fa 3
differ "no --place, rank 1 has --place=node0" --place=node0 perhaps.fa 3
differ "no --print, rank 1 has --print=x" --print=x perhaps.fa 3
differ "no -n, rank 1 has -n 3" -n 3 perhaps.fa 3
differ "no -n, rank 1 has -n 2" -n 2 perhaps.fa 3
differ "no --distrib, rank 1 has --distrib=rope" --distrib=rope perhaps.fa 3
differ "no --speed, rank 1 has --speed=0:0.5" --speed=0:0.5 perhaps.fa 3
differ "'3' as argument 1 of main, rank 1 has '2' as argument 1 of main" perhaps.fa 2
differ "'3' as argument 1 of main, rank 1 has no argument 1 of main" perhaps.fa
cp perhaps.fa other.fa
differ "the program perhaps.fa, rank 1 has the program other.fa" other.fa 3
differ "the program perhaps.fa, rank 1 has the program perhaps.fa -D N=3" -D N=3 perhaps.fa 3
mkdir elsewhere
cp perhaps.fa elsewhere
run guarded "$mpiexec" -n 1 "$LUNA" run perhaps.fa 3 : -n 1 "$LUNA" run elsewhere/perhaps.fa 3
code 0
quiet
run guarded "$mpiexec" -n 1 "$LUNA" run perhaps.fa 3 : \
    -n 1 "$LUNA" run -t 2 -g -q --copies=1MiB perhaps.fa 3
code 0
quiet
run guarded "$mpiexec" -n 1 "$LUNA" run -n 3 perhaps.fa 3 : -n 1 "$LUNA" run perhaps.fa 3
code 2
err <<'X'
luna: error: 2 ranks were started, but -n says 3 nodes: a node is a rank; leave out -n
X
# The same name, and another file.
cat >line.fa <<'E'
C sub put(name v, int k) ${{ luna_set_int(v, k); $}}
C sub see(int k) ${{ (void)k; $}}
sub main() { df x; for i = 0 .. 3 { put(x[i], i); see(x[i]); } } @ { cells 4; cell x[i] => i; }
E
mkdir ours theirs
echo '0 0 1 1' >ours/start
start() {
    run guarded "$mpiexec" -wdir "$PWD/ours" -n 1 "$LUNA" run --start=start ../line.fa : \
        -wdir "$PWD/theirs" -n 1 "$LUNA" run --start=start ../line.fa
}
start
code 2
err <<'X'
luna: error: --start=start: rank 1 cannot use its file of this name
hint: copy it to all hosts, or name one that all of them see
X
echo '0 1 1 1' >theirs/start
start
code 2
err_has "luna: error: --start=start: rank 1 has another file of this name"
echo '0 0 1 1 ' >theirs/start
start
code 0
# One that is refused before it joins the others ends them, too.
run guarded "$mpiexec" -n 2 "$LUNA" run perhaps.fa 3 : -n 1 "$LUNA" run --bogus perhaps.fa 3
code 2
err_has "unknown option '--bogus'"
run guarded "$mpiexec" -n 1 "$LUNA" run nowhere.fa 3 : -n 2 "$LUNA" run perhaps.fa 3
code 2
err_has "no such file: 'nowhere.fa'"
# One that never meant to join them: it would be waited for without end.
alone() { # alone WORDS: of the command of the second rank
    run guarded "$mpiexec" -n 1 "$LUNA" run one.fa : -n 1 "$LUNA" "$@" : -n 1 "$LUNA" run one.fa
    code 2
    out </dev/null
    err_has "1 of the 3 processes that were started on this host has ended without joining"
    holds "said once" "$(grep -c "luna: error:" "$here/err")" = 1
}
alone sim -q one.fa
alone run -q --transport=local one.fa
alone check -q one.fa
run guarded "$mpiexec" -n 1 "$LUNA" sim -q one.fa : -n 1 "$LUNA" run one.fa
code 2
err_has "1 of the 2 processes"
if [ -e "$(dirname "$LUNA")/lib/luna/luna_perf" ]; then
    for first in "run one.fa" "perf Barrier"; do
        other="perf Barrier"
        [ "$first" = "$other" ] && other="run one.fa"
        # shellcheck disable=SC2086
        run guarded "$mpiexec" -n 1 "$LUNA" $first : -n 1 "$LUNA" $other
        code 2
        out </dev/null
        err_has "error: some ranks run a program, and others measure (luna perf)"
        holds "said once" "$(wc -l <"$here/err")" = 1
    done
fi
"$LUNA" build perhaps.fa -o perhaps
run guarded "$mpiexec" -n 1 ./perhaps 3 : -n 1 ./perhaps -b 3
code 2
err_has "rank 0 has no -b, rank 1 has -b"
run guarded "$mpiexec" -n 1 ./perhaps 3 : -n 1 ./perhaps --copies=x 3
code 2
err_has "--copies is off, or bytes"

# A small /dev/shm.
if unshare -m true 2>/dev/null; then
    run guarded unshare -m sh -c 'mount -t tmpfs -o size=1m tmpfs /dev/shm && exec "$@"' sh \
        "$LUNA" run -n 4 --transport=mpi one.fa
    code 5
    err_has "/dev/shm has 1.0 MB free, 4 ranks need 17.2"
    run guarded unshare -m sh -c 'mount -t tmpfs -o size=1m tmpfs /dev/shm && exec "$@"' sh \
        "$mpiexec" -n 4 "$LUNA" run one.fa
    code 5
    err_has "/dev/shm has 1 MiB, 4 ranks need 18"
else
    skip "no mount name space of our own"
fi

# No mpiexec in PATH; the compilers are not looked for, the program is in the cache.
mkdir empty
run env PATH="$PWD/empty" "$LUNA" run -n 2 --transport=mpi one.fa
code 5
err_has "mpiexec of MPICH was not found in PATH"
err_has "-n N alone needs no MPI"

# A build without MPI: the same files without luna_mpi.so.
home=$(dirname "$LUNA")
mkdir -p without/lib/luna
cp "$LUNA" without/luna
cp -r "$home/include" without/
run guarded without/luna run -n 2 one.fa
code 0
run guarded without/luna run -n 2 --transport=mpi one.fa
code 5
err_has "this build of luna has no MPI"
holds "said once" "$(grep -c 'has no MPI' "$here/err")" = 1

# No HOME, a folder that cannot be written.
mkdir closed
cp one.fa closed
chmod 555 closed
cd closed || exit 1
run timeout -k 2 20 env -u HOME -u XDG_CACHE_HOME "$LUNA" run -n 2 --transport=mpi one.fa
code 0

all_gone 10
# Who listens where the launcher should: a rank says nothing to another user, who may have taken the
# name when the launcher was gone, and ends; to a launcher of its own user it says who it is.
meet() { # [UID]
    : >heard
    "$LISTENER" "luna-test-$$" "$@" >heard &
    listener=$!
    until [ -s heard ] || ! kill -0 $listener 2>/dev/null; do sleep 0.05; done
    run guarded env LUNA_RANKS_SOCKET="luna-test-$$" "$LUNA" run --transport=mpi one.fa
    wait $listener
}
meet
holds "it says its first words" "$(tail -n 1 heard)" = "16 bytes"
if [ "$(id -u)" = 0 ]; then
    meet 12345
    code 5
    out </dev/null
    quiet
    holds "not a word to another user" "$(tail -n 1 heard)" = "0 bytes"
else
    skip "a listener of another user: only root can make one"
fi
finish
