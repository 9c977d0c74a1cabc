# The page of luna report in Chromium (tests/by-hand.sh): all sections are drawn, no script fails, nothing
# is asked of the network, a million calls are ready within a second.
. "${0%/*}/../trace/lib.sh"
command -v chromium >/dev/null || { skip "no Chromium"; exit 77; }

browse() { # WORDS...: the page as the browser has it then is in "out", what it says in "err"
    run chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync \
        --user-data-dir="$here/chromium" --enable-logging=stderr --virtual-time-budget=4000 "$@"
    code 0
    holds "no script fails" -z "$(grep -i 'uncaught\|CONSOLE' "$here/err")"
}
drawn() { # PAGE WORDS...
    page=$1
    shift
    browse "$@" --dump-dom "file://$page"
    holds "it is ready" -n "$(sed -n 's/.*<html[^>]* data-ready="\([0-9]*\)".*/\1/p' "$here/out")"
    for id in lanes waitmatrix sendmatrix live imbalance; do
        out_has "<canvas$(grep -o "<canvas[^>]* id=\"$id\"" "$here/out" | sed 's/<canvas//')"
        holds "$id is told in words" -n "$(grep "<canvas[^>]* id=\"$id\"[^>]* aria-label=\"[^\"]" "$here/out")"
    done
}

# ---- a run on several nodes, in each way to look at it ----
sums
run luna run -n 3 -t 1 --trace=tr spread.fa
run luna report -q tr
drawn "$PWD/tr/report.html" --window-size=1200,900
for scheme in 0 1; do # dark, light
    drawn "$PWD/tr/report.html" --blink-settings=preferredColorScheme=$scheme
done
drawn "$PWD/tr/report.html" --window-size=360,800
# One node: nothing is between nodes. Names at two lines are told apart; a column without a word is left out.
cat >one.fa <<'E'
C sub make(int k, name x) ${{ luna_set_int(x, k); $}}
C sub see(int k) ${{ (void)k; $}}
sub main() { df x; make(1, x[0]);
    for i = 1 .. 20 make(i, x[i]);
    for i = 1 .. 20 see(x[i]); }
E
run luna run -t 2 --trace=one one.fa
run luna report -q one
browse --window-size=1200,900 --dump-dom "file://$PWD/one/report.html"
for id in between waits uneven; do
    holds "nothing of $id" -n "$(grep -o "<[^>]* id=\"$id\"[^>]* hidden" "$here/out")"
done
holds "two names" "$(grep -o 'make (line[^)]*[34])' "$here/out" | sort -u | wc -l)" = 2
grep -o '<table id="madetable">.*' "$here/out" | sed 's,</thead>.*,,' >heads
holds "a column that says something" "$(grep -c '>made</th>' heads)" = 1
holds "and none that does not" "$(grep -c '>mean life</th>' heads)" = 0
run luna run -n 2 -t 1 --trace=two spread.fa
run luna report -q tr two
browse --window-size=1200,900 --dump-dom "file://$PWD/two/compare.html"
holds "two runs are ready" -n "$(sed -n 's/.*<html[^>]* data-ready="\([0-9]*\)".*/\1/p' "$here/out")"
holds "the strips are told in words" -n "$(grep '<canvas id="strips"[^>]* aria-label="run A: ' "$here/out")"
holds "bars of both" "$(grep -o '<div class="bar" id="bar[AB]"[^>]* aria-label="[^"]' "$here/out" | wc -l)" = 2
holds "eight tiles" "$(grep -o 'class="tile"><b>[0-9]' "$here/out" | wc -l)" = 8
out_has 'The same program · A: 3 nodes × 1 worker · B: 2 nodes × 1 worker'
browse --print-to-pdf="$PWD/page.pdf" --no-pdf-header-footer "file://$PWD/tr/report.html"
holds "it is on paper" "$(head -c 5 page.pdf)" = %PDF-

# ---- a million calls ----
cat >many.fa <<'E'
C sub put(int k, name x) ${{ luna_set_int(x, k); $}}
sub main() { df x; for i = 0..999999 put(i, x[i]) @ { req_count x[i] = 0; }; }
E
run luna run -q -t 2 --trace=big many.fa
code 0
run luna report -q big
code 0
holds "at most 5 MB" "$(stat -c %s big/report.html)" -le 5000000
browse --dump-dom "file://$PWD/big/report.html"
ready=$(sed -n 's/.*<html[^>]* data-ready="\([0-9]*\)".*/\1/p' "$here/out")
echo "a million calls: $(stat -c %s big/report.html) bytes, ready after $ready ms"
holds "ready in a second" "${ready:-9999}" -le 1000
finish
