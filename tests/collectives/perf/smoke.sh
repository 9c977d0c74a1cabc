# smoke.sh LUNA - each benchmark with two processes and tiny counts; and the options that change how
# it is measured. Is there a report, and are its numbers sane?
set -eu
luna=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$*"; cat "$work/out" "$work/err" 2>/dev/null; exit 1; }

perf() { # perf WORDS: runs it, keeps what it prints
    timeout -k 2 60 "$luna" perf "$@" >"$work/out" 2>"$work/err" </dev/null ||
        fail "luna perf $* failed with $?"
}
rows() { grep -v '^#' "$work/out" || true; }
refused() { # refused CODE TEXT WORDS
    code=0
    timeout -k 2 60 "$luna" perf $3 >"$work/out" 2>"$work/err" </dev/null || code=$?
    lines=$(grep -cv 'no launch was valid' "$work/err" || true) # for the machine was busy
    [ $code = "$1" ] && [ "$lines" = 1 ] && grep -q "$2" "$work/err" ||
        fail "$3: exit code $code"
}

[ "$(nproc)" -gt 1 ] || { echo "one core: nothing can start together"; exit 77; }
perf -q
all=$(cat "$work/out")
[ "$(echo "$all" | wc -l)" -gt 40 ] || fail "too few benchmarks"

if ! timeout -k 2 60 "$luna" perf WaitPatternNull -r1 -R4 >/dev/null 2>"$work/err"; then
    grep -q 'MPICH' "$work/err" && { echo "no MPICH"; exit 77; }
    fail "WaitPatternNull"
fi

# Times are positive or, on a machine so busy that no launch was valid, unknown.
for bench in $all; do
    perf "$bench" -x 8 -X 64 -S 8 -r 4 -R 8
    rows | awk -v bench="$bench" '
        $1 != 2 || $3 < 4 || $3 > 8 || $4 > $3 || $5 > $4 { bad = 1 }
        $4 && !($6 > 0 && $9 > 0 && $10 >= $9) { bad = 1 }
        { n++ }
        END { exit bad || (n != 2 && n != 1) }' || fail "$bench: strange rows"
    grep -q '^# Elapsed time' "$work/out" || fail "$bench: no end"
done

# The counter of the processor serves where the processor says that it runs evenly.
if grep -m1 '^flags' /proc/cpuinfo | grep rdtscp | grep constant_tsc | grep -q nonstop_tsc; then
    perf Allreduce -X 64 -S 8 -r 4 -R 8 -t tsc
    [ -n "$(rows)" ] || fail "-t tsc: no rows"
else
    refused 2 'the timer tsc: /proc/cpuinfo does not say that the counter runs evenly' "-t tsc Scan"
fi

for words in "-t mpi_wtime --clocks=ring" "--clocks=linear" "--clocks=same" "-d" "-a" \
    "--buffers=hot" "-e 50 -R 20" "-w sec" "--bind=none" "-n 1" "-p 1 -P 2" "-z nosync" "-x 0 -X 0"; do
    perf Allreduce -X 64 -S 8 -r 4 -R 8 $words
    [ -n "$(rows)" ] || fail "$words: no rows"
done
perf Ibcast -X 8 -R 12 -b
rows | awk 'NF != 14 { exit 1 }' || fail "-b: no overlap then"
perf Ibcast -x 8 -X 8 -R 12 -o "$work/each"
awk '/^#/ { names = NF } !/^#/ && NF != names { exit 1 }' "$work/each" || fail "-o: names of columns"
perf Ibcast -X 8 -R 12 -c 3
rows | awk 'NF != 16 { exit 1 }' || fail "overlap has two columns"
perf Ibcast -X 8 -R 20 -z nosync
rows | awk 'NF != 6 || $5 <= 0 { exit 1 }' || fail "and in rows"
grep -q '^#Procs.* Mean  *Pure  *Overlap$' "$work/out" || fail "and their names"
perf Ibcast -X 8 -R 20 -z nosync -b
rows | awk 'NF != 4 { exit 1 }' || fail "-b: and none in rows"

# A time without overlap that is not known is none.
perf Ibcast -x 1MiB -X 1MiB -R 1
rows | awk '$15 == 0 { exit 1 }' || fail "Pure is not 0"

# The first launch of a stage is in time, but for the system: of ten alone one is at least.
valid=0
for i in 1 2 3 4 5 6 7 8 9 10; do
    perf Barrier -R 1
    valid=$((valid + $(rows | awk '{ print $4 }')))
done
[ $valid -gt 0 ] || fail "single launches are never valid"

# No more launches than asked for.
perf Bcast -x 8 -X 8 -R 4
rows | awk '$3 != 4 { exit 1 }' || fail "-R 4"
perf Bcast -x 8 -X 8 -z nosync
rows | awk '$3 != 100 { exit 1 }' || fail "100 launches are usual, also in rows"
grep -q '^# launches: 100 in ten rows (-e -E -a --confidence --clocks: no effect)' "$work/out" ||
    fail "which options have no effect in rows"
perf Bcast -x 8 -X 8 -n $(($(nproc) + 1)) -l "$work/log" -R 10
grep -q 'warning: -l has nothing to write' "$work/err" || fail "-l and rows"
perf Barrier -R 8
grep -q '^# Procs processes; Count 0: there is no data (-x ' "$work/out" || fail "no data"

# Buffers that no host has are refused before they are touched; and blocks that MPI cannot count.
refused 5 'the buffers take [0-9.]* GiB of a host.s memory, and [0-9.]* are free: fewer bytes' \
    "-n 16 -d -x 2047MiB -X 2047MiB Bcast"
refused 2 'Send is between two processes, and one is alone: from -n 2 on' "-p 1 -P 2 -X 8 Send"
refused 2 '3 blocks of 1073741824 bytes are more than 2 GiB: less with -X' "-n 3 -x 1GiB Alltoall"

# Many segments, and more processes than cores.
perf TrigIallreduce -x 8 -X 512KiB -S 256 -R 12
[ "$(rows | awk 'NF == 16' | wc -l)" = 3 ] || fail "triggered operations overlap, too"
perf TrigReduce -n 5 -x 64KiB -X 64KiB -r 4 -R 8
[ "$(rows | wc -l)" = 1 ] || fail "five processes"
perf --json TrigReduce -x 8 -X 8 -R 8 -r 4
grep -q '"peer":"luna"' "$work/out" || fail "--json: whose operation it is"

perf Gather -x 8 -X 8 -r 8 -R 8 -o "$work/each" -l "$work/log"
[ "$(grep -vc '^#' "$work/each")" = 2 ] || fail "-o: a row for each process"
[ "$(grep -vc '^#' "$work/log")" = 16 ] || fail "-l: a line for each launch of each process"

# One host has one clock: what the exchanges find is nearly 0. (A host that is busy takes its time.)
for how in linear ring; do
    perf Barrier -r 8 -R 8 -l "$work/log" --clocks=$how
    awk '/^# clocks/ { if (NF != 5 || $4 != 0 || $5 > 1000 || $5 < -1000) exit 1; n++ }
        END { exit n != 1 }' "$work/log" || fail "$how: $(cat "$work/log")"
done
timeout -k 2 60 "$luna" perf Gather -X 8 -o "$work/no/each" >"$work/out" 2>"$work/err" &&
    fail "-o: a folder that is not there"
grep -q "cannot write '$work/no/each': No such" "$work/err" || fail "-o: it says so"
grep -q 'did not come to their end' "$work/err" && fail "-o: it says so once"
refused 5 "cannot write '/dev/full': No space left" "Gather -x 8 -X 8 -R 8 -o /dev/full"
refused 2 "cannot write 'no/?2J': No such file" "Gather -x 8 -X 8 -R 8 -o $(printf 'no/\0332J')"
perf Gather -x 8 -X 8 -r 8 -R 8 -l "$work/log" -m
[ "$(grep -vc '^#' "$work/log")" = 8 ] || fail "-m: process 0 alone"

# The launcher may open more files than the shell's soft limit says.
(ulimit -Sn 40 && perf ShmBarrier -n 8 -R 4) || fail "few files"

# Two processes on one core do not start together, however often they try.
if command -v taskset >/dev/null; then
    first=$(taskset -pc $$ | sed 's/.*: \([0-9]*\).*/\1/')
    taskset -c "$first" timeout -k 2 60 "$luna" perf -z synctime Barrier -R 4 >"$work/out" \
        2>"$work/err" || fail "one core"
    grep -q 'no launch was valid, there are more processes than cores: -z nosync' "$work/err" ||
        fail "one core: it says so"
fi

# Started by a launcher: luna, or the program itself.
. "${0%/*}/../../lib/mpich.sh"
for program in "$luna perf" "${luna%/*}/lib/luna/luna_perf"; do
    timeout -k 2 60 "$mpiexec" -n 2 $program Scan -x 8 -X 8 -R 8 -r 4 >"$work/out" 2>"$work/err" ||
        fail "$program under mpiexec"
    [ "$(rows | wc -l)" = 1 ] || fail "$program under mpiexec: one row"
done
# Who does not measure sleeps, and takes no core from those who do.
timeout -k 2 60 "$mpiexec" -n $(($(nproc) + 1)) "$luna" perf -n 2 Barrier -R 8 >"$work/out" \
    2>"$work/err" || fail "two of three"
grep -q '^# starts: at one time' "$work/out" || fail "two of three: at one time"
timeout -k 2 60 "$mpiexec" -n 2 "${luna%/*}/lib/luna/luna_perf" -n 3 Scan 2>"$work/err" >"$work/out" &&
    fail "three of two processes"
timeout -k 2 60 "$mpiexec" -n 2 "${luna%/*}/lib/luna/luna_perf" --self-check >"$work/out" \
    2>"$work/err2" && fail "no self-check of ranks"
[ "$(grep -c 'error: lists, help and --self-check are of' "$work/err2")" = 1 ] ||
    fail "no self-check of ranks: it says so"
grep -q '3 processes are asked for, mpiexec has started 2' "$work/err" || fail "it says so"

# A launcher whose processes MPI does not join.
alone="luna perf: error: 4 processes were started, but MPI sees each alone: use srun --mpi=pmi2"
for rank in 0 3; do
    code=0
    SLURM_STEP_NUM_TASKS=4 SLURM_PROCID=$rank timeout -k 2 60 "$luna" perf Scan >"$work/out" \
        2>"$work/err" || code=$?
    [ $code = 2 ] && [ "$(grep -c "^$alone" "$work/err")" = $((rank == 0)) ] ||
        fail "task $rank of srun without MPI: $code"
done

# To MPICH these are two hosts.
timeout -k 2 60 "$mpiexec" -launcher fork -hosts one,two -n 2 \
    "${luna%/*}/lib/luna/luna_perf" ShmBcast >"$work/out" 2>"$work/err" && fail "two hosts"
[ "$(grep -c 'error: ShmBcast goes through the memory of one host, and' "$work/err")" = 1 ] ||
    fail "two hosts: it says so"
timeout -k 2 60 "$mpiexec" -launcher fork -hosts one,two -n 2 "$luna" perf --clocks=same Scan \
    >"$work/out" 2>"$work/err" && fail "two hosts with one clock"
[ "$(grep -c 'error: --clocks=same is of one host, and' "$work/err")" = 1 ] ||
    fail "two hosts with one clock: it says so"

# Ours beside MPICH, measured.
perf --compare=mpich,luna --turns=1 Reduce -x 8 -X 64 -S 8 -R 20
[ "$(rows | wc -l)" = 2 ] || fail "--compare: a row for each size"
[ "$(grep '^turn ' "$work/err" | tr '\n' ' ')" = "turn 1 of 1: mpich turn 1 of 1: luna " ] ||
    fail "--compare: where it is, since the table comes last"
grep -q nosync "$work/out" && fail "--compare: they start at one time"
perf --compare=mpich --turns=1 Barrier -R 10 -z nosync
grep -q '^# launches follow each other (nosync)' "$work/out" || fail "--compare: how they start"
perf --json ShmBcast -x 8 -X 64 -S 8 -R 20
grep -q '"peer":"luna"' "$work/out" || fail "--json: whose operation it is"
grep -q '"procs":2,"count":64,' "$work/out" || fail "--json"
echo "all benchmarks ran"
