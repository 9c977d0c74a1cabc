#!/bin/sh
# leaves.sh - ranks end together: also where one comes late, and over tcp, where MPI_Finalize hangs.
. "${0%/*}/lib_mpi.sh"

export UCX_WARN_UNUSED_ENV_VARS=n
spread
run luna run spread.fa
code 0
sort "$here/out" >want
by() { (UCX_TLS=$1 && export UCX_TLS && shift && "$@"); }
late() { (LATE=$1 LD_PRELOAD=$LATE_SO && export LATE LD_PRELOAD && shift && "$@"); }

for way in "posix,self,cma 0" "tcp,self 1"; do
    tls=${way% *}
    run by $tls late ${way#* } ranks 2 "$LUNA" run -t 1 spread.fa
    code 0
    sort "$here/out" >got
    holds "$tls: all is said" "$(cmp got want 2>&1)" = ""
    err </dev/null
    run by $tls guarded "$LUNA" perf -n 2 -x 8 -X 8 Barrier
    code 0
    err </dev/null
done

# Another way in which mpiexec finds its processes.
run guarded "$mpiexec" -pmi-port -n 2 "$LUNA" run -t 1 spread.fa
code 0
sort "$here/out" >got
holds "two ranks, by a port" "$(cmp got want 2>&1)" = ""

# mpiexec in a step of Slurm, as salloc and srun have it: its ranks are not srun's.
run late 1 ranks 2 env SLURM_STEP_ID=0 "$LUNA" run -t 1 spread.fa
code 0
sort "$here/out" >got
holds "two ranks in a step" "$(cmp got want 2>&1)" = ""
err </dev/null
run ranks 1 env SLURM_STEP_ID=0 "$LUNA" run -t 1 nowhere.fa
code 2

# A thread of the program waits for input, and has the lock of that stream.
cat >reads.fa <<'E'
C head ${{
#include <pthread.h>
#include <stdio.h>
static void *reads(void *who) { (void)who; return getchar() < 0 ? NULL : who; }
$}}
C sub begin(name x) ${{
    pthread_t t;
    luna_set_int(x, pthread_create(&t, NULL, reads, NULL) || pthread_detach(t));
$}}
C sub say(int x) ${{ printf("%d\n", x); $}}
sub main() { df x; begin(x); say(x); }
E
mkfifo input
sleep 30 >input &
writer=$!
last="luna run reads.fa on two ranks, its input open"
ranks 2 "$LUNA" run -q -t 1 reads.fa <input >"$here/out" 2>"$here/err"
last_code=$?
kill $writer
code 0
out <<E
0
E

# What has said that it is done is done: MPI does not begin a second time.
run ranks 2 sh -c "'$LUNA' run -t 1 -q spread.fa && '$LUNA' run -t 1 -q spread.fa"
code 2
holds "said once" "$(grep -c 'mpiexec counts this process as ended' "$here/err")" = 1
run ranks 2 sh -c "'$LUNA' run -t 1 -q spread.fa && '$LUNA' perf Barrier"
code 2
err_has "luna perf: error: mpiexec counts this process as ended"

# Who measures and who runs do not wait for each other.
run by tcp,self guarded "$mpiexec" -n 1 "$LUNA" run -t 1 spread.fa : -n 1 "$LUNA" perf Barrier
holds "$last_code" "$last_code" = 2
all_gone 30

finish
