# memory.sh - what a call that waits for a fragment takes of the resident set; sourced by ../tasks.

part_memory()
{
    local k workers
    for workers in 1 2; do
        for ((k = 0; k < (runs + 2) / 3; k++)); do
            wall "$luna" run -q "--worker-threads-count=$workers" "$programs/pending.fa" $pending
            sample pending.$workers "$(head -n 1 "$work/out")"
        done
        [ $check = 1 ] || goal "bytes a waiting call ($pending of them), $workers worker(s)" \
            "$(median pending.$workers)" 96 bytes
    done
    [ $check = 1 ] || printf '\nbytes a call that waits for one fragment, %s of them: %s (1 worker), %s (2)\n' \
        $pending "$(median pending.1)" "$(median pending.2)"
}
