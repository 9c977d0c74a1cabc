#!/bin/sh
# ranks.sh - each rank writes its file; together they are the trace of the same run on threads.
. "${0%/*}/../mpi/lib_mpi.sh"
. "${0%/*}/lib.sh"
chains=$(cat "${0%/*}/chains.awk")
sums

# Who called what and who sent what to whom, without times. (Who waits decides which requests want the
# value, so replies are not compared.)
deeds() {
    for node in 0 1 2; do
        grep -E '"exec"|"push"' "$1/node-0000$node.jsonl" |
            sed "s/\"t\":[0-9]*,//; s/,\"dur\":[0-9]*//; s/,\"chain\":[0-9]*//; s/,\"ready\":[0-9]*//; s/,\"k\":[0-9]*//; s/,\"by\":[^]]*\]//; s/^/$node /" | sort
    done
}

run guarded "$LUNA" run -n 3 -t 1 --trace=local spread.fa
run guarded "$LUNA" run -n 3 -t 1 --transport=mpi --trace=ranks spread.fa
code 0
out <<'E'
820
E
holds "all calls and many puts" "$(deeds ranks | wc -l)" -eq 149
holds "ranks do what nodes do" "$(deeds local)" = "$(deeds ranks)"
run luna stats ranks
code 0
out_has "spread.fa on 3 nodes x 1 worker, mpi: done"
holds "one host" "$(grep -c '"hosts":\["[^",]*"\]' ranks/run.json)" -eq 1

# What is made on ranks is what is made on nodes, each fragment once.
made() {
    cat "$1"/node-*.jsonl | awk "$awk_fields"'
        /"ev":"df"/ { made[text("df")] += number("made"); bytes[text("df")] += number("bytes") }
        END { for (i in made) print i, made[i], bytes[i] }' | sort
}
holds "made on ranks: $(made ranks)" "$(made ranks)" = "s 41 164
x 40 160"
holds "made on nodes" "$(made local)" = "$(made ranks)"

# Chains go on from rank to rank: each of 40 additions needs the one before.
run guarded "$LUNA" run -n 2 -t 1 --transport=mpi --trace=values --trace-values spread.fa
code 0
cat values/node-*.jsonl | grep '"ev":"exec"' | sort -t: -k2,2n | awk "$awk_fields$chains" >got
holds "chains: $(head -n 3 got)" $? = 0
holds "all are told" "$(cut -d ' ' -f 1 got)" = 82
run luna stats values
out_has "longest chain of dependent calls: "

: >file
run guarded "$LUNA" run -n 3 --transport=mpi --trace=file spread.fa
code 2
out </dev/null
holds "told once" "$(grep -c "cannot write the trace 'file': Not a directory" "$here/err")" -eq 1
all_gone 30

# Where ranks are on several hosts, run.json tells how far their clocks are apart. Here two of three say
# that they are on another host: its clock is the same, but its trace begins when its ranks do.
holds "one host, one clock" "$(grep -c '^ "clocks":\[\],$' ranks/run.json)" = 1
other() { unshare -r -u sh -c 'hostname elsewhere && exec "$@"' sh "$@"; }
if other true 2>"$here/why"; then
    printf '#!/bin/sh\nexec unshare -r -u sh -c "hostname elsewhere && exec \\"\\$@\\"" sh "$@"\n' >elsewhere
    chmod +x elsewhere
    export UCX_TLS=tcp,self # what lies below MPICH shares no memory with who has another name
    run guarded "$mpiexec" -n 1 "$LUNA" run -t 1 --trace=hosts spread.fa : \
        -n 2 ./elsewhere "$LUNA" run -t 1 --trace=hosts spread.fa
    code 0
    holds "two hosts: $(grep hosts hosts/run.json)" "$(grep -c '"elsewhere"\],$' hosts/run.json)" = 1
    clocks=$(sed -n 's/^ "clocks":\[\[0,0\],\[\(-*[0-9]*\),\(-*[0-9]*\)\],\[\1,\2\]\],$/\1 \2/p' hosts/run.json)
    holds "$(grep clocks hosts/run.json)" -n "$clocks"
    # With that added, no message comes before it was sent.
    for node in 0 1 2; do
        offset=0
        [ $node = 0 ] || offset=${clocks% *}
        awk -v node=$node -v offset="$offset" "$awk_fields"'
            /"ev":"send"/ { print "s", node "." number("k"), number("t") + offset }
            /"ev":"recv"/ { print "r", number("from") "." number("k"), number("t") + offset }' \
            "hosts/node-0000$node.jsonl"
    done | sort -r >times
    early=$(awk '$1 == "s" { if (!($2 in sent) || $3 < sent[$2]) sent[$2] = $3 }
                 { line[NR] = $0 }
                 END { for (i in line) { split(line[i], x, " ")
                           if (x[1] == "r" && x[2] in sent && x[3] < sent[x[2]] - 3000000) print line[i] } }' times)
    holds "messages come later: $early" -z "$early"
    run luna stats hosts
    code 0
else
    skip "no user namespaces: $(head -n 1 "$here/why")"
fi

finish
