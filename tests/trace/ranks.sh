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

finish
