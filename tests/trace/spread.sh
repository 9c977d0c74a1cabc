#!/bin/sh
# spread.sh - a value that many nodes want goes by a tree: to each host once (of two nodes each, on the
# simulator), and nobody sends it to more than three others beside the node of its own host.
. "${0%/*}/lib.sh"

cat >many.fa <<'E'
C sub first(name x) ${{ luna_set_int(x, 1); $}}
C sub next(int a, name x) ${{ luna_set_int(x, (a * 7 + 3) % 1009); $}}
C sub fill(int a, name x) ${{
    char *p = luna_create(x, 3000);
    for (int i = 0; i < 3000; i++) p[i] = (char)(i + a);
$}}
C sub use(value v, name s) ${{ luna_set_int(s, ((const char *)luna_data(v))[17]); $}}
sub main(int nodes)
{
    df x, asked, copied, last, s;
    for i = 0..nodes-1 cf u[i]: use(asked, s[0][i]);
    for i = 0..nodes-1 cf v[i]: use(copied, s[1][i]);
    for i = 0..nodes-2 cf w[i]: use(last, s[2][i]); // its node does not read it
    first(x[0]);
    for i = 1..400 next(x[i-1], x[i]); // meanwhile all have asked
    cf g: fill(x[400], asked);
    cf f: fill(x[400], copied);
    cf h: fill(x[400], last) @ { req_count last = nodes - 1; };
} @ {
    locator_cyclic asked => 3; locator_replicating copied => all; locator_cyclic s[k][i] => i;
    locator_cyclic g => 3; locator_cyclic f => 5; locator_cyclic u[i] => i; locator_cyclic v[i] => i;
    locator_cyclic last => 2; locator_cyclic h => 2; locator_cyclic w[i] => i < 2 ? i : i + 1;
}
E

# sends FRAGMENT: sender, receiver and reason of each
sends() {
    for f in trace/node-*.jsonl; do
        from=${f#*node-}
        grep '"ev":"send"' "$f" | grep "\"df\":\"$1\"" |
            sed "s/.*\"to\":\([0-9]*\),.*\"why\":\"\([a-z]*\)\".*/${from%.jsonl} \1 \2/"
    done
}

# tree HOME NODES: what is wrong with the sends on standard input
tree() {
    awk -v home="$1" -v nodes="$2" '
        { from = $1 + 0; to = $2 + 0
          if ($3 != "collective") print from, "to", to, "is a", $3
          got[to]++
          if (int(from / 2) == int(to / 2)) { near[from]++; next }
          far[from]++
          host[int(to / 2)]++ }
        END { for (i = 0; i < nodes; i++) {
                  if (got[i] != (i != home)) print "node", i, "got it", got[i] + 0, "times"
                  if (far[i] > 3 || near[i] > 1) print "node", i, "sent", far[i], "and", near[i]
                  if (host[i] > 1) print "host", i, "got it", host[i], "times" } }'
}

# Of 4 nodes two are far, on one host.
for n in 4 9 40 100; do
    rm -rf trace
    run luna run --hash many.fa $n
    cp "$here/err" want
    run luna sim -q -n $n --trace=trace --hash many.fa $n
    code 0
    same err <want
    holds "asked for by $n" -z "$(sends asked | tree 3 $n)"
    holds "copied to $n" -z "$(sends copied | tree $((5 % n)) $n)"
    holds "asked for by all but one of $n" -z "$(sends last | tree 2 $n)"
    run luna stats --json trace
    out_has "\"collective\":{\"count\":$((3 * n - 3)),"
done

# Nodes of one process share values: there they are told one by one.
rm -rf trace
run luna run -n 9 -t 1 --trace=trace many.fa 9
code 0
holds "no tree in one process" "$(sends copied | grep -c push)" = 8
holds "nor for those who ask" "$(sends last | grep -c reply)" = 8
run luna plan -n 9 many.fa 9
out_has "  copied              8   many.fa:17:5, assigned"
out_has "  last                8   many.fa:13:37"
finish
