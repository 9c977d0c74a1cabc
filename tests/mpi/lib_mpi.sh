# lib_mpi.sh - behind lib.sh: tests of ranks. Without MPICH or luna_mpi.so they are skipped. Nothing is
# left behind: what a test has started is known by a mark in its environment.
. "${0%/*}/../cli/lib.sh"

. "${0%/*}/../lib/mpich.sh"
if [ -z "$mpiexec" ] || [ ! -e "$(dirname "$LUNA")/lib/luna/luna_mpi.so" ]; then
    skip "no MPICH"
    exit 77
fi
ASAN_OPTIONS=detect_leaks=0 # MPI keeps much to its end
LUNA_TEST_MARK=$here
export ASAN_OPTIONS LUNA_TEST_MARK

# Processes of this test that live: those of its commands that bear its mark.
living() {
    for p in /proc/[0-9]*; do
        case $(tr '\0' ' ' <"$p/cmdline") in
        *luna*run*|*mpiexec*|*hydra*|*/prog*)
            tr '\0' '\n' <"$p/environ" | grep -qxF "LUNA_TEST_MARK=$here" && echo "${p#/proc/}" ;;
        esac
    done 2>/dev/null
}
# All have ended within $1 tenths of a second.
all_gone() {
    i=0
    while [ -n "$(living)" ] && [ $i -lt "$1" ]; do
        sleep 0.1
        i=$((i + 1))
    done
    rest=$(living)
    holds "no process is left" -z "$rest"
    for p in $rest; do kill -9 "$p" 2>/dev/null; done
}
guarded() { timeout -k 2 20 "$@"; }
ranks() { n=$1; shift; guarded "$mpiexec" -n "$n" "$@"; }

# Values small and large, calls that follow each other from node to node, whole lines from all.
spread() {
    cat >spread.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub big(name v, int n) ${{
    char *p = luna_create(v, (size_t)n);
    for (int i = 0; i < n; i++) p[i] = (char)(i * 7 + n);
$}}
C sub sum(value v, int a, name s) ${{
    const unsigned char *p = luna_data(v);
    int k = a;
    for (size_t i = 0; i < luna_size(v); i++) k = (k + p[i]) % 1000003;
    luna_set_int(s, k);
$}}
C sub say(int k, int s) ${{
    flockfile(stdout); /* two workers of one rank may say at once */
    printf("line %d of many", k);
    printf(" that must stay whole: %d\n", s);
    funlockfile(stdout);
$}}
sub main()
{
    df x, s;
    seti(s[0], 0);
    for i = 1..60 {
        cf a[i]: big(x[i], i*i*37) @ { req_count x[i] = 1; };
        cf b[i]: sum(x[i], s[i-1], s[i]);
        cf c[i]: say(i, s[i]) @ { locator_cyclic: i; };
    } @ { locator_cyclic a[k] => k; locator_cyclic b[k] => 3*k; }
} @ { locator_cyclic x[k] => k+1; locator_cyclic s[k] => 2*k; }
E
}
