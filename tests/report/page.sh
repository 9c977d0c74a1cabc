#!/bin/sh
# page.sh - the page that luna report makes, and luna run --report: the same bytes each time, no text of a
# trace that ends its element, nothing that should not be told, messages.
. "${0%/*}/../trace/lib.sh"
sums

# ---- the usual way ----
run luna run -n 3 -t 1 --trace=tr spread.fa
run luna report tr
code 0
out </dev/null
err_has 'luna: tr/report.html: '
holds "the page is in the folder" -s tr/report.html
holds "to its last tag" "$(tail -n 1 tr/report.html)" = "</html>"
cp tr/report.html first.html
rm tr/report.html
run luna report -q tr
quiet
holds "the same bytes" "$(cksum <first.html)" = "$(cksum <tr/report.html)"
run luna report tr -o -
quiet
holds "the same on stdout" "$(cksum <first.html)" = "$(cksum <"$here/out")"
run luna report -o other.html tr
holds "elsewhere" "$(cksum <first.html)" = "$(cksum <other.html)"
run luna report --json -o other.json tr
run luna report --json tr
holds "JSON in a file" "$(cksum <other.json)" = "$(cksum <"$here/out")"
run luna stats tr
code 0
holds "nothing is asked of the network" "$(grep -c 'http:\|https:' first.html)" = 0
holds "and nothing could be" "$(grep -c "default-src 'none'" first.html)" = 1

# ---- folders and hosts stay here, unless they are asked for ----
mkdir -p sub/secret
cp spread.fa sub/secret/
run luna run --trace="$PWD/deep" -D N=/etc/x "$PWD/sub/secret/spread.fa" "it's" b/c
host=$(sed -n 's/.*"hosts":\["\([^"]*\)"\].*/\1/p' deep/run.json)
run luna report --json deep
out_has "\"command\":\"luna run --trace=deep -D N=x spread.fa 'it'\\\\''s' c\"" 
out_has '"program":"spread.fa"'
holds "no folder" "$(grep -c secret "$here/out")" = 0
holds "no host" "$(grep -c '"hosts"' "$here/out")" = 0
run luna report --json --paths --hosts deep
out_has 'sub/secret/spread.fa'
out_has "\"hosts\":[\"$host\"]"

# ---- names ----
wide=$(awk 'BEGIN { for (i = 0; i < 255; i++) printf "[%d]", i }')
owned odd 1 null null </dev/null
sed -i 's/heat[.]fa/<b>\&\\"<script><!--<script>Grüße\x80.fa/; s/\["luna"\]/["luna","-D","X=<\/script>"]/' odd/run.json
later odd 0 '{"t":5,"ev":"exec","cf":"</script><img src=x onerror=alert(1)>[1]","line":3,"worker":0,"dur":7}' \
    '{"t":20,"ev":"exec","cf":"\"quo\u0027te\\","line":4,"worker":0,"dur":7}' \
    '{"t":40,"ev":"exec","cf":"wärme\t[x]","line":4,"worker":0,"dur":7}' \
    "{\"t\":60,\"ev\":\"exec\",\"cf\":\"wide$wide\",\"line\":5,\"worker\":0,\"dur\":7}"
run luna report -q odd
code 0
quiet
holds "three scripts begin and end" "$(grep -o '</*script' odd/report.html | sort | uniq -c | tr -s ' \n' ' ')" = " 3 </script 3 <script "
holds "no comment begins" "$(grep -c '<!--' odd/report.html)" = 0
holds "the title is text" "$(grep -c '<title>&lt;b>&amp;"&lt;script>&lt;!--&lt;script>Grüße' odd/report.html)" = 1
run luna report --json odd
out_has '"name":"</script><img src=x onerror=alert(1)>","line":3'
out_has "\"name\":\"\\\"quo'te\\\\\",\"line\":4"
out_has '"name":"wärme\u0009","line":4'
if command -v iconv >/dev/null; then
    holds "valid UTF-8" "$(iconv -f UTF-8 -t UTF-8 odd/report.html | cksum)" = "$(cksum <odd/report.html)"
fi

# ---- no call, and a run of no time ----
owned none 2 null null </dev/null
run luna report none
code 0
err_has 'nothing stands out'
sed -i 's/"duration":1000000000/"duration":0/' none/run.json
run luna report --json none
code 0
out_has '"calls":0,"in_calls":0,"runtime":0,"idle":0'
out_has '"findings":[]'

# ---- two runs side by side: the figures of each, unchanged ----
run luna run -n 2 -t 1 --trace=two spread.fa
run luna report tr two
code 0
out </dev/null
err_has 'luna: two/compare.html: '
err_has '; run time '
err_has '; the same program'
run luna report --json tr
cp "$here/out" a.json
run luna report --json two
cp "$here/out" b.json
run luna report --json tr two
quiet
{ printf '{"a":'; cat a.json; printf ',"b":'; cat b.json; echo '}'; } >both.json
holds "both, one after the other" "$(cksum <both.json)" = "$(cksum <"$here/out")"
run luna report tr two -o -
quiet
holds "the same on stdout" "$(cksum <two/compare.html)" = "$(cksum <"$here/out")"
holds "nothing is asked of the network" "$(grep -c 'http:\|https:' two/compare.html)" = 0
holds "and nothing could be" "$(grep -c "default-src 'none'" two/compare.html)" = 1
holds "no folder" "$(grep -c "$PWD" two/compare.html)" = 0
holds "to its last tag" "$(tail -n 1 two/compare.html)" = "</html>"
run luna report -q -o side.html two odd
code 0
quiet
holds "four scripts begin and end" "$(grep -o '</*script' side.html | sort | uniq -c | tr -s ' \n' ' ')" = " 4 </script 4 <script "
holds "no comment begins" "$(grep -c '<!--' side.html)" = 0
holds "the title is text" "$(grep -c '<title>spread.fa and &lt;b>&amp;"&lt;script>&lt;!--&lt;script>Grüße' side.html)" = 1
cp -r two old
sed -i 's/"hash":"[^"]*",//' old/run.json
run luna report -o side.html two old
err_has '; it is not known whether both are the same program'
run luna report -o side.html none two
code 0
err_has 'run time 0 s and '
sed 's/lambda/mu/; $a // changed' spread.fa >changed.fa
run luna run -n 2 --trace=three changed.fa
run luna report -o side.html two three
err_has '; not the same program'
cp -r two broken
rm broken/compare.html
echo '{"t":' >>broken/node-00000.jsonl
run luna report tr broken
code 2
err_has 'broken/node-00000.jsonl'
holds "no page of a damaged trace" ! -e broken/compare.html

# ---- many nodes: groups ----
awk 'BEGIN { printf "{\"program\":\"big.fa\",\"transport\":\"sim\",\"nodes\":4096,\"workers\":1,\"end\":\"done\",\"exit_code\":0,\"duration\":1000000}" }' >"$here/run.json"
mkdir big
cp "$here/run.json" big/
awk 'BEGIN { for (n = 0; n < 4096; n++) {
    file = sprintf("big/node-%05d.jsonl", n)
    printf "{\"t\":0,\"ev\":\"send\",\"to\":%d,\"df\":\"x[%d]\",\"bytes\":8,\"dist\":1,\"why\":\"push\"}\n", (n + 1) % 4096, n >file
    printf "{\"t\":1000,\"ev\":\"exec\",\"cf\":\"s[%d]\",\"line\":1,\"worker\":0,\"dur\":%d}\n", n, 500000 + n >file
    print "{\"ev\":\"end\",\"ctl_msgs\":0,\"ctl_bytes\":0}" >file
    close(file) } }'
run luna report -q big
code 0
quiet
holds "small: $(wc -c <big/report.html)" "$(wc -c <big/report.html)" -lt 400000
run luna report --json big
holds "64 groups" "$(grep -c '"first":' "$here/out")" = 64
out_has '{"first":4032,"last":4095,"calls":64,"in_calls":32260064,'
out_has '[0,0,504,63],[0,1,8,1],[1,1,504,63]'

# ---- a run and its page ----
run luna run -n 2 --report spread.fa
code 0
holds "$(cat "$here/out") = 820" "$(cat "$here/out")" = 820
err_has 'luna: report.html: '
holds "a page" -s report.html
run luna sim -n 2 --report=sim.html spread.fa
code 0
holds "a page of sim" -s sim.html
holds "no trace stays" "$(ls "$TMPDIR")" = ""
run luna run --report=both.html --trace=kept spread.fa
holds "a page, and its trace" -s both.html -a -s kept/run.json
cat >fails.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub bad(int k) ${{ luna_fail("no"); (void)k; $}}
sub main() { df x; seti(x, 1); bad(x); }
E
run luna run --report=fault.html fails.fa
code 3
holds "a page of a fault" "$(grep -c '"end":"fault","exit_code":3' fault.html)" = 1
cat >stuck.fa <<'E'
C sub use(int k) ${{ (void)k; $}}
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
sub main(int n) { df x; seti(x[1], 1); use(x[n]); }
E
run luna run --proof=off --report=stuck.html stuck.fa 2
code 4
holds "a page of what is stuck" "$(grep -c '"end":"stuck","exit_code":4' stuck.html)" = 1
echo 'sub main() { x' >wrong.fa
run luna run --report=wrong.html wrong.fa
code 1
holds "no page of no run" ! -e wrong.html
holds "no trace stays" "$(ls "$TMPDIR")" = ""

# ---- messages ----
run luna report
code 2
err_has 'no TRACE_DIR was given'
run luna report none.html
code 2
err_has "no such folder: 'none.html'"
run luna report tr tr tr
code 2
err_has "'luna report' takes one or two TRACE_DIR; 'tr' is one word too many"
run luna report tr none.html
code 2
err_has "no such folder: 'none.html'"
run luna report -o no/such.html tr
code 2
err <<'E'
luna: error: cannot write 'no/such.html': No such file or directory
hint: the folder it goes to must be there
E
run luna run --report=no/such.html spread.fa
code 2
out </dev/null
err_has "cannot write 'no/such.html'"
run luna run --report= spread.fa
code 2
err_has '--report= needs the name of a file'
run luna stats --paths tr
code 2
err_has "'--paths' is an option of 'luna report'"
run env TMPDIR="$here/none" "$LUNA" run --report spread.fa
code 5
err <<E
luna: error: cannot make a folder for the trace in '$here/none': No such file or directory
hint: TMPDIR names another place for it
E
run env PMI_RANK=0 PMI_SIZE=1 PMI_FD=9 "$LUNA" run --report --trace=none spread.fa
code 2
err_has 'luna: error: --report makes a page when the run is over, and mpiexec or srun'
run env PMI_RANK=0 PMI_SIZE=1 PMI_FD=9 "$LUNA" run --report spread.fa
code 2
err <<'E'
luna: error: --report makes a page when the run is over, and mpiexec or srun have started this one
hint: give --trace=DIR there, and 'luna report DIR' when it has ended
E
cp -r tr cut
sed -i '$d' cut/node-00001.jsonl
run luna report cut
code 2
err_has 'cut/node-00001.jsonl:'
err_has 'the trace is damaged: the last event, "end", is missing'
sed -i 's/"seed":null/"seed":-1/' tr/run.json
run luna report tr
code 2
err_has 'tr/run.json:12: the trace is damaged: a number that is 0 or more was expected'
sed -i 's/"seed":-1/"seed":7/; s/"hosts":\[/"hosts":[1,/' tr/run.json
run luna report tr
code 2
err_has 'tr/run.json:13: the trace is damaged: a text was expected'
run luna help report
out_has 'usage: luna report TRACE_DIR [OTHER] [-o FILE.html]'
out_has '--hosts'

finish
