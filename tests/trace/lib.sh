# lib.sh - for tests of traces: the library of the command's tests, a program and some awk.
[ -n "${here:-}" ] || . "${0%/*}/../cli/lib.sh"

# Sums over many nodes: requests, puts at other nodes, calls that go elsewhere with what they know.
spread() {
    cat >spread.fa <<'E'
C head ${{
#include <stdio.h>
$}}
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub add(int a, int b, name sum) ${{ luna_set_int(sum, a + b); $}}
C sub say(int k) ${{ printf("%d\n", k); $}}
sub main()
{
    df x, s;
    seti(s[0], 0);
    for i = 1..40 {
        cf a[i]: seti(x[i], i) @ { req_count x[i] = 1; };
        cf b[i]: add(x[i], s[i-1], s[i]);
    } @ { locator_cyclic a[k] => k; locator_cyclic b[k] => 3*k; }
    say(s[40]);
} @ { locator_cyclic x[k] => k+1; locator_cyclic s[k] => 2*k; }
E
}

# The value of a field of an object in a line of JSON.
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p"; }
events() { cat "$1"/node-*.jsonl | grep -c "\"ev\":\"$2\""; }
