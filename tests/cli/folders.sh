# Another user of the machine: his folders, links and names must not get our files written, nor his code
# loaded. What a killed luna has left goes with the next one.
. "${0%/*}/lib.sh"
hello
mode() { stat -c %a "$1"; }

# ---- files of ours are nobody else's business ----
umask 0
run luna run -t 1 --trace=trace hello.fa
code 0
holds "the folder of a trace is ours" "$(mode trace)" = 700
holds "so are its files" "$(mode trace/run.json) $(mode trace/node-00000.jsonl)" = "600 600"
holds "so is the cache" "$(mode "$XDG_CACHE_HOME/luna") $(mode "$XDG_CACHE_HOME/luna/objects")" = "700 700"
umask 022

# ---- a link in a folder that is written to ----
for name in run.json node-00000.jsonl; do
    mkdir linked
    echo precious >victim
    ln -s "$PWD/victim" "linked/$name"
    run luna run -t 1 --trace=linked hello.fa
    code 2
    err_has "cannot write the trace 'linked"
    holds "what the link leads to stays" "$(cat victim)" = precious
    rm -rf linked
    mkdir linked
    ln victim "linked/$name"
    run luna run -t 1 --trace=linked hello.fa
    code 2
    holds "what has another name stays" "$(cat victim)" = precious
    rm -rf linked victim
done
mkfifo pipe
mkdir linked
mv pipe linked/run.json
run luna run -t 1 --trace=linked hello.fa
code 2
rm -rf linked

# ---- folders that are not ours alone ----
mkdir shared
chmod 777 shared
run luna run --no-cleanup --build-dir=shared hello.fa
code 2
err_has "/shared' is not yours alone: others could change what is compiled there"
err_has "hint: chmod go-w makes a folder of yours so; or name another in --build-dir"
rmdir shared

# A cache below a folder in which others may put another in its place.
mkdir open
chmod 777 open
run env XDG_CACHE_HOME="$PWD/open" "$LUNA" run hello.fa
code 0
holds "nothing is kept below it" -z "$(ls open/luna/objects 2>/dev/null)"
chmod 1777 open
run env XDG_CACHE_HOME="$PWD/open" "$LUNA" run hello.fa
code 0
holds "the sticky bit makes it fit" -n "$(ls open/luna/objects)"
rm -rf open

if [ "$(id -u)" = 0 ]; then
    mkdir his
    chown 12345 his
    run luna run -t 1 --trace=his hello.fa
    code 2
    err_has "cannot write the trace 'his'"
    err_has "a folder of yours"
    holds "nothing is in it" -z "$(ls his)"
    run luna run --no-cleanup --build-dir=his hello.fa
    code 2
    err_has "is not yours alone"
    rm -rf his
else
    skip "folders of another user: only root can make them"
fi

# ---- killed while it compiles ----
cat >slow <<'E'
#!/bin/sh
touch started
exec sleep 20
E
chmod +x slow
CC=./slow "$LUNA" run hello.fa >"$here/out" 2>"$here/err" &
pid=$!
for _ in $(seq 100); do
    [ -e started ] && break
    sleep 0.05
done
kill -9 $pid
wait $pid 2>/dev/null
left=$(ls "$TMPDIR")
holds "a folder is left" -n "$left"
run luna run -O0 hello.fa
holds "it may be of one that has just begun" -d "$TMPDIR/$left"
touch -d '10 minutes ago' "$TMPDIR/$left"
mkdir "$TMPDIR/luna-kept-123456" "$TMPDIR/other"
touch -d '10 minutes ago' "$TMPDIR"/*
run luna run -O0 -DX hello.fa
run luna run -O0 -D Y hello.fa
holds "the next luna has removed it" ! -e "$TMPDIR/$left"
holds "what is to be kept is kept" -d "$TMPDIR/luna-kept-123456" -a -d "$TMPDIR/other"
rmdir "$TMPDIR"/*

# ---- a small stack ----
run sh -c "ulimit -s 64; exec '$LUNA' check hello.fa"
code 0
finish
