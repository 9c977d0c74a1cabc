#!/bin/sh
# path.sh - the critical path and what workers waited for are told, not guessed, if the trace says what
# brought what; of a trace of before they are estimated.
. "${0%/*}/../trace/lib.sh"
programs=${PROGRAMS:?the folder of planted programs}

# of NAME: the steps of this function on the path.
of() { tr '{' '\n' <"$here/out" | sed -n "s/.*\"name\":\"$1\".*\"calls_on_path\":\([0-9]*\).*/\1/p" | awk '{ n += $1 } END { print n + 0 }'; }
path() { sed -n "s/.*\"path\":{[^}]*\"$1\":\([0-9]*\).*/\1/p" "$here/out"; }

for how in "sim -n 4 --call-ns=20000" "run -q -n 4 -t 1" "run -q -n 4 -t 2" "run -q -n 4 --transport=mpi"; do
    case $how in *mpi) [ "${PERF:-0}" = 1 ] || continue ;; esac
    rm -rf tr
    run luna $how --trace=tr "$programs/path.fa"
    code 0
    run luna report --json tr
    code 0
    holds "$how: it is told" "$(path told)" = 1
    holds "$how: all steps of the chain: $(of step)" "$(of step)" = 30
    holds "$how: one at the end: $(of hear)" "$(of hear)" -ge 1
    holds "$how: $(path messages) messages" "$(path messages)" -ge 29 -a "$(path messages)" -le 31
done

# No call has waited for another: that is known, too.
cat >alone.fa <<'F'
C sub nop(int k) ${{ (void)k; $}}
sub main() { nop(1); }
F
run luna run -q -t 1 --trace=alone alone.fa
run luna report --json alone
holds "it is told" "$(path told)" = 1

# Without what this version has added.
mv tr/run.json .
sed -i 's/,"ready":[0-9]*//; s/,"by":\[[^]]*\]//; s/,"k":[0-9]*//; s/,"lines":[0-9]*//; /"ev":"recv"/d' tr/node-*.jsonl
mv run.json tr
run luna report --json tr
code 0
holds "it is estimated" "$(path told)" = 0
run luna report -o page.html tr
code 0
finish
