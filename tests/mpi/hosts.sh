#!/bin/sh
# hosts.sh - ranks on two hosts, made of network name spaces: the same answer as one node, over the
# network between them. Each host has a name, a /dev/shm and System V memory of its own, so ranks cannot
# meet by anything but TCP. Skipped where such name spaces are refused.
. "${0%/*}/lib_mpi.sh"

id=$$
bridge=lunabr$id
net=10.$((id / 250 % 250 + 2)).$((id % 250 + 1))
cleanup() {
    for h in a b; do ip netns del luna$id$h 2>/dev/null; done
    ip link del $bridge 2>/dev/null
}
trap 'cleanup; rm -rf "$here"' EXIT
trap 'exit 1' INT TERM

host() { # LETTER LAST_BYTE
    ip netns add luna$id$1 &&
        ip link add lv$id$1 type veth peer name eth0 netns luna$id$1 &&
        ip link set lv$id$1 master $bridge up &&
        ip -n luna$id$1 addr add $net.$2/24 dev eth0 &&
        ip -n luna$id$1 link set eth0 up &&
        ip -n luna$id$1 link set lo up
}
if ! { command -v ip && ip link add $bridge type bridge && ip addr add $net.1/24 dev $bridge &&
    ip link set $bridge up && host a 2 && host b 3; } >"$here/refused" 2>&1; then
    skip "no network name spaces: $(tail -n 1 "$here/refused")"
    exit 77
fi

# What mpiexec takes for ssh: -x HOST COMMAND.
cat >launch <<'E'
#!/bin/sh
[ "$1" = -x ] && shift
host=$1
shift
exec ip netns exec "$host" unshare -u -i -m \
    sh -c "hostname $host; mount -t tmpfs tmpfs /dev/shm; exec $*"
E
chmod +x launch
two_hosts() { # RANKS WORDS...
    n=$1
    shift
    timeout -k 2 40 "$mpiexec" -iface $bridge -launcher ssh -launcher-exec "$PWD/launch" \
        -hosts luna${id}a,luna${id}b -ppn $((n / 2)) -n "$n" "$@"
}
crossed() { cat /sys/class/net/lv${id}a/statistics/rx_bytes; }

spread
run luna run --hash spread.fa
code 0
sort "$here/out" >want.out
cp "$here/err" want.hash

for n in 2 4; do
    before=$(crossed)
    run two_hosts $n "$LUNA" run -t 1 --hash --trace=tr spread.fa
    code 0
    sort "$here/out" >got && mv got "$here/out"
    same out <want.out
    same err <want.hash
    holds "it went over the network" $(($(crossed) - before)) -gt 500000
    holds "both hosts are in the trace" \
        "$(grep -c "\"hosts\":\[\"luna${id}a\",\"luna${id}b\"\]" tr/run.json)" = 1
done

# A fault on one host is told once and ends the other.
cat >fail.fa <<'E'
C sub bad(int k) ${{ luna_fail("number %d", k); $}}
sub main() { cf a: bad(7) @ { locator_cyclic: 3; }; }
E
run two_hosts 4 "$LUNA" run -t 1 fail.fa
code 3
holds "said once" "$(grep -c 'number 7' "$here/err")" = 1

# The launcher is ended: so are all ranks, on both hosts.
cat >long.fa <<'E'
C head ${{
#include <stdio.h>
#include <unistd.h>
$}}
C sub snooze(int k) ${{ printf("%d\n", k); fflush(stdout); sleep(30); $}}
sub main() { for i = 0..1 { cf a[i]: snooze(i) @ { locator_cyclic: i; }; } }
E
two_hosts 2 "$LUNA" run -t 1 long.fa >"$here/out" 2>"$here/err" &
job=$!
i=0
while [ ! -s "$here/out" ] && [ $i -lt 100 ]; do
    sleep 0.1
    i=$((i + 1))
done
kill -TERM $(pgrep -P $job) # timeout, which hands it on
wait $job
all_gone 30

finish
