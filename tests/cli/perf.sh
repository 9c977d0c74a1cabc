# luna perf without measuring: what it says, and how results are read, joined and told. In the place
# of mpiexec stands a script that prints a report.
. "${0%/*}/lib.sh"

run luna perf
code 2
err <<'E'
luna: error: no BENCHMARK was given
hint: for example: luna perf Bcast; 'luna perf -q' lists them
E

run luna perf Bcst
code 2
err <<'E'
luna: error: no benchmark is called 'Bcst'
hint: did you mean 'Bcast'?
E

run luna perf Xyzzy
code 2
err <<'E'
luna: error: no benchmark is called 'Xyzzy'
hint: 'luna perf -q' lists the benchmarks
E

run luna perf --bufers=hot Bcast
code 2
err <<'E'
luna: error: unknown option '--bufers=hot'
hint: did you mean '--buffers'?
E

run luna perf --xyzzy=hot Bcast
code 2
err <<'E'
luna: error: unknown option '--xyzzy=hot'
hint: 'luna help perf' lists the options
E

run luna perf --jsn Bcast
code 2
err <<'E'
luna: error: unknown option '--jsn'
hint: did you mean '--json'?
E

run luna perf Bcast -x 64 -X 8
code 2
err <<'E'
luna: error: -x is more than -X
E

run luna perf --compare=mpihc Bcast
code 2
err <<'E'
luna: error: --compare knows mpich, openmpi, openmpi-sm and luna, not 'mpihc'
hint: did you mean 'mpich'?
E

run luna perf --compare=luna Scan
code 2
err <<'E'
luna: error: luna has no operation of its own in place of Scan
hint: it has for Allreduce, Barrier, Bcast and Reduce
E

run luna perf --compare=mpich Scan -o each
code 2
err <<'E'
luna: error: -o and -l are of one library, not of --compare
E

run luna perf Reduce -b
code 2
err <<'E'
luna: error: -b is about non-blocking operations, and Reduce is none
hint: its non-blocking form is Ireduce
E

run luna perf --self-check Barrier
code 2
err <<'E'
luna: error: --self-check and Barrier exclude each other
E

run luna perf -q
code 0
quiet
out_has Ireduce_scatter_block
out_has ShmAllreduce
run luna perf -T
code 0
out <<'E'
clock_gettime
mpi_wtime
tsc
E
run luna perf -j
code 0
out_has 'clock_gettime  good: a reading costs 0.'
run luna -q perf
code 0
out_has WaitPatternUp
run luna help perf
code 0
out_has '--self-check'
run luna perf --help
code 0
out_has 'usage: luna perf [options] BENCHMARK'

# More processes than this host can hold are not even tried; some more than cores are.
many=$((128 * $(nproc)))
cores="$(nproc) cores"
[ "$(nproc)" = 1 ] && cores="1 core"
for words in "-n 65536" "-p 2 -P 65536" "-n $((many + 1))"; do
    n=${words##* }
    run luna perf $words Barrier
    code 2
    err <<E
luna: error: $n processes are too many for the $cores here: $many at most, 128 for each core
hint: fewer, or on several hosts: mpiexec -f HOSTS -n $n luna perf Barrier
E
done
limited() { (ulimit -n 64 && exec "$@"); }
run limited "$LUNA" perf -n 32 Barrier
code 5
err <<'E'
luna: error: a process may open 64 files here, and mpiexec needs 160 to start 32 processes
hint: fewer processes, or a larger limit: ulimit -Hn
E
if unshare -m true 2>/dev/null; then
    run unshare -m sh -c 'mount -t tmpfs -o size=1m tmpfs /dev/shm && exec "$@"' sh \
        "$LUNA" perf -n 4 Barrier
    code 5
    err_has "/dev/shm has 1.0 MB free, 4 ranks need 17.2"
    err_has "docker run --shm-size=..), or fewer processes"
else
    skip "no mount name space of our own"
fi

# Without a launcher, or the program.
mkdir empty
run env PATH="$PWD/empty" "$LUNA" perf Bcast
code 5
if [ "${PERF:-0}" = 0 ]; then
    err <<'E'
luna: error: mpich: luna was built without it
hint: install MPICH (packages mpich libmpich-dev), then configure and build luna again
E
    finish
fi
err <<'E'
luna: error: mpich: its mpiexec was not found in PATH
hint: install MPICH (packages mpich libmpich-dev), then configure and build luna again
E

# ---- a report of which the numbers are known ----
mkdir fake
cat >fake/mpiexec.mpich <<'E'
#!/bin/sh
PATH=/usr/bin:/bin
echo "$*" >>calls
mean=3
[ -e means ] && mean=$(sed -n "$(wc -l <calls)p" means)
[ -e fail ] && exit "$(cat fail)"
echo "the launcher says something"
cat <<R
# luna perf: a report
# library: A "Library" 1.0
#Procs      Count  TRuns  CRuns       Mean      CI_LB      CI_UB
     2          8     32     30     $mean        1.0        3.0
     2       1024     32      0          -          -          -
# Elapsed time: 1 s
R
E
chmod +x fake/mpiexec.mpich
PATH=$PWD/fake:$PATH
export PATH

run luna perf Bcast -X 1KiB
code 0
quiet
out_has '     2          8     32     30     3        1.0        3.0'
out_has '# Elapsed time: 1 s'
holds "two processes are started on this host" \
    "$(sed 's|[^ ]*/luna_perf|luna_perf|' calls)" = \
    "-launcher fork -hosts localhost -n 2 luna_perf Bcast -X 1KiB"

rm calls
run luna perf -p 2 -P 5 -G 2 Barrier
code 0
run luna perf -n 8 Barrier
code 0
holds "so many are started as are measured" "$(sed 's/.* -n \([0-9]*\) [^ ]*luna_perf.*/\1/' calls |
    tr '\n' ' ')" = "4 8 "

run luna perf -n 3 --json Bcast
code 0
sed -i 's/"luna":"[^"]*"/"luna":"V"/' "$here/out"
out <<'E'
{"luna":"V","benchmark":"Bcast","unit":"us","turns":1,"peers":[
 {"peer":"mpich","library":"A \"Library\" 1.0","rows":[
  {"procs":2,"count":8,"truns":32,"cruns":30,"mean":3,"ci_lb":1,"ci_ub":3},
  {"procs":2,"count":1024,"truns":32,"cruns":0,"mean":null,"ci_lb":null,"ci_ub":null}]}]}
E

rm calls
printf '%s\n' 5 1.5 3 1.6 4 1.4 >means
run luna perf --compare=mpich,luna --turns=3 bcast
code 0
err <<'E'
turn 1 of 3: mpich
turn 1 of 3: luna
turn 2 of 3: mpich
turn 2 of 3: luna
turn 3 of 3: mpich
turn 3 of 3: luna
E
sed -i 1d "$here/out"
out <<'E'
# mpich: A "Library" 1.0
# luna: A "Library" 1.0
# mean time (us), the median of 3 turns; +-: half of its interval
#Procs      Count       mpich         +-        luna         +- luna/best
     2          8      4.0000     1.0000      1.5000     1.0000    0.3750
     2       1024           -          -           -          -         -
E
holds "they take turns, ours by its name" "$(sed 's/.* //' calls | tr '\n' ' ')" = \
    "Bcast ShmBcast Bcast ShmBcast Bcast ShmBcast "
rm calls
run luna perf --compare=luna,mpich --turns=1 TrigIreduce
code 0
holds "MPI's own in the place of ours" "$(sed 's/.* //' calls | tr '\n' ' ')" = \
    "TrigIreduce Ireduce "
rm calls
run luna perf --compare=mpich,luna --turns=3 --pick=least bcast
code 0
out_has '     2          8      3.0000     1.0000      1.4000     1.0000    0.4667'
rm means

run luna perf Bcast --plot=bcast.png
code 0
holds "a picture" "$(head -c 4 bcast.png | tail -c 3)" = PNG
rm calls
run luna perf Bcast --plot=no/bcast.png
code 2
err_has "cannot write 'no/bcast.png'"
run luna perf Bcast --plot=fake
code 2
err_has "cannot write 'fake': Is a directory"
run luna perf Bcast --json --plot=bcast.png/x
code 2
holds "it is known before anything is measured" ! -e calls
run luna perf Bcast --plot=new.png
code 0
holds "a new picture" "$(head -c 4 new.png | tail -c 3)" = PNG

# What is lost on its way to stdout.
full() { "$@" >/dev/full; }
run full "$LUNA" perf Bcast
code 5
err_has 'luna: error: cannot write to stdout: No space left on device'
run full "$LUNA" perf Bcast --json
code 5

# As a process of a launcher, which has others: the first speaks, and options of one report stay.
for rank in 0 1; do
    run env PMI_RANK=$rank PMI_SIZE=2 "$LUNA" perf Bcst
    code 2
    holds "the first alone says what is wrong" "$(grep -c error "$here/err")" = $((1 - rank))
    run env PMI_RANK=$rank PMI_SIZE=2 "$LUNA" perf -T
    code 0
    holds "the first alone lists" "$(wc -l <"$here/out")" = $((3 - 3 * rank))
done
for word in --compare=mpich --json --plot=a.png; do
    run env PMI_RANK=0 PMI_SIZE=2 "$LUNA" perf $word Bcast
    code 2
    err <<E
luna: error: ${word%%=*} is for processes that luna perf starts itself, not mpiexec or srun
hint: on this host: luna perf -n N ..
E
done
run env PMI_RANK=0 PMI_SIZE=2 "$LUNA" perf --self-check
code 2
run env PMI_RANK=1 PMI_SIZE=2 "$LUNA" perf --json Bcast
code 2
quiet

# Open MPI is not in this PATH: the others are measured all the same.
run env PATH="$PWD/fake" "$LUNA" perf --compare=openmpi,mpich,openmpi-sm Barrier
code 0
err_has 'luna: warning: openmpi is left out: '
err_has 'luna: warning: openmpi-sm is left out: '
err_has 'hint: install Open MPI (packages openmpi-bin libopenmpi-dev), then configure and build luna'
out_has '#Procs      Count       mpich         +-'
run env PATH="$PWD/fake" "$LUNA" perf --compare=openmpi Barrier
code 5
err_has 'luna: error: none of them is there'

# ---- what the processes say when they fail ----
echo 9 >fail
run luna perf Bcast
code 5
err <<'E'
luna: error: mpich: the processes did not come to their end (exit code 9)
E
echo 2 >fail
run luna perf Bcast
code 2
quiet
echo 0 >fail
run luna perf Bcast
code 5
err <<'E'
luna: error: mpich: the processes did not come to their end (exit code 0)
E
run luna perf --self-check
code 5
out_has 'bad:  WaitPatternNull'
finish
