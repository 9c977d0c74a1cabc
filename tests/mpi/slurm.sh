#!/bin/sh
# slurm.sh - ranks started by srun, on a Slurm of one machine that this test starts itself: the same
# answer, one exit code, the wrong PMI refused with the cure. Skipped without Slurm or without root.
. "${0%/*}/lib_mpi.sh"

for tool in srun slurmctld slurmd munged; do
    command -v $tool >/dev/null && continue
    skip "no $tool (packages slurmctld slurmd slurm-client munge)"
    exit 77
done
[ "$(id -u)" = 0 ] || { skip "only root can start a Slurm"; exit 77; }
unshare -n -u -m true 2>/dev/null || { skip "no name spaces of our own"; exit 77; }

# In name spaces of its own: another name, another network, its own /run.
cat >inside <<'E'
hostname lunatest
ip link set lo up
ip addr add 10.99.0.1/32 dev lo # Slurm wants an address besides 127.0.0.1
{ cat /etc/hosts; echo 127.0.0.1 lunatest; } >hosts && mount --bind hosts /etc/hosts
mount -t tmpfs tmpfs /run
mkdir -p /run/munge && chown munge /run/munge
if [ ! -f /etc/munge/munge.key ]; then # made here only
    mkdir -p etc && cp -r /etc/munge etc/ && mount --bind etc/munge /etc/munge
    dd if=/dev/urandom of=/etc/munge/munge.key bs=128 count=1 2>/dev/null
    chown munge /etc/munge/munge.key && chmod 400 /etc/munge/munge.key
fi
cat >slurm.conf <<'C'
ClusterName=lunatest
SlurmctldHost=lunatest(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
StateSaveLocation=WORK/state
SlurmdSpoolDir=WORK/spool
SlurmctldPidFile=WORK/ctld.pid
SlurmdPidFile=WORK/d.pid
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
MpiDefault=pmi2
SlurmdParameters=config_overrides
ReturnToService=2
NodeName=lunatest NodeAddr=127.0.0.1 CPUs=8
PartitionName=all Nodes=ALL Default=YES State=UP
C
sed -i "s|WORK|$PWD|" slurm.conf
mkdir -p state spool
export SLURM_CONF=$PWD/slurm.conf
setpriv --reuid=munge --regid=munge --clear-groups munged --foreground >munged.log 2>&1 &
sleep 0.5
slurmctld -D -f slurm.conf >ctld.log 2>&1 &
slurmd -D -f slurm.conf >slurmd.log 2>&1 &
i=0
until srun -n 1 true 2>srun.log; do
    i=$((i + 1))
    [ $i -lt 40 ] || { cat srun.log ctld.log slurmd.log munged.log; exit 66; }
    sleep 0.25
done
sh ./tests
code=$?
kill $(jobs -p)
exit $code
E
cat >tests <<'E'
srun -Q --mpi=pmi2 -n 4 "$LUNA" run -t 1 --hash spread.fa >four.out 2>four.err; echo $? >four.code
export UCX_WARN_UNUSED_ENV_VARS=n
UCX_TLS=tcp,self srun -Q --mpi=pmi2 -n 4 "$LUNA" run -t 1 --hash spread.fa >tcp.out 2>tcp.err; echo $? >tcp.code
UCX_TLS=tcp,self timeout 15 srun -Q --mpi=pmi2 -n 2 "$LUNA" perf -x 8 -X 8 Barrier >perf.out 2>perf.err
echo $? >perf.code
srun -Q --mpi=pmi2 -n 2 ./prog -t 1 >prog.out 2>prog.err; echo $? >prog.code
srun -Q --mpi=none -n 2 "$LUNA" run one.fa >none.out 2>none.err; echo $? >none.code
srun -Q --mpi=pmi2 -n 4 "$LUNA" run -t 1 fail.fa >fail.out 2>fail.err; echo $? >fail.code
srun -Q -K --mpi=pmi2 -n 4 "$LUNA" run -t 1 stuck.fa >stuck.out 2>stuck.err; echo $? >stuck.code
E
spread
cat >one.fa <<'E'
C sub say(int k) ${{ (void)k; $}}
sub main() { say(1); }
E
cat >fail.fa <<'E'
C sub bad(int k) ${{ luna_fail("number %d", k); $}}
sub main() { cf a: bad(7) @ { locator_cyclic: 3; }; }
E
cat >stuck.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub eat(int k) ${{ (void)k; $}}
sub main()
{
    df x, three;
    seti(three, 3);
    for i = 0..1 {
        cf w[i]: seti(x[2*i], i) @ { locator_cyclic: i; };
        cf a[i]: eat(x[int(three)*i]) @ { locator_cyclic: 3; };
    }
}
E

run luna run --hash spread.fa
code 0
sort "$here/out" >want.out
cp "$here/err" want.hash
run luna build spread.fa -o prog
code 0

[ -z "${KEEP:-}" ] || cp -r . "$KEEP"
run timeout -k 2 55 unshare -n -u -m -p -f --kill-child --mount-proc sh ./inside
if [ $last_code = 66 ]; then
    skip "Slurm does not start: $(tail -n 1 "$here/out")"
    exit 77
fi

result() { # NAME: of a run inside
    last="$1, by srun"
    cp $1.out "$here/out"
    cp $1.err "$here/err"
    last_code=$(cat $1.code)
}
for name in four tcp prog; do
    result $name
    code 0
    sort "$here/out" >got && mv got "$here/out"
    same out <want.out
    [ $name = prog ] || same err <want.hash
done
result perf
code 0
result none
code 2
err_has "use srun --mpi=pmi2"
result fail
code 3
err_has "number 7"
result stuck
code 4
err_has "a[1] waits for 'x[3]'"
all_gone 20
finish
