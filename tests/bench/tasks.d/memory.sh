# memory.sh - what a call that waits for a fragment takes of the resident set; sourced by ../tasks.
#
# With one worker: then the call that opens the gate is known to be the last that is made.

part_memory()
{
    local k
    for ((k = 0; k < (runs + 2) / 3; k++)); do
        wall $rt "$luna" run -q -t 1 "$programs/pending.fa" $pending
        sample pending "$(head -n 1 "$work/out")"
    done
    [ $check = 0 ] || return 0
    printf '\nbytes a call that waits for one fragment, %s of them: %s\n' $pending \
        "$(median pending)"
    goal "bytes a waiting call, $pending of them" "$(median pending)" 96 bytes
}
