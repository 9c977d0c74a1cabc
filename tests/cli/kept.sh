# Files of the user are not lost to an output: programs, traces, other files; and what is there stays
# until its successor is whole.
. "${0%/*}/lib.sh"
hello
run luna run -q -t 1 --trace=tr hello.fa
code 0
cp hello.fa text
cp tr/run.json head

# ---- no output takes the place of a program or of a part of a trace ----
refused() { # FILE WHAT COMMAND...
    file=$1 what=$2
    shift 2
    run luna "$@"
    code 2
    err_has "luna: error: '$file' is $what, and no output takes its place"
    holds "the program stays" "$(cat hello.fa)" = "$(cat text)"
    holds "so does the trace" "$(cat tr/run.json)" = "$(cat head)"
}
echo 'int f(void);' >f.c
cp hello.fa other.fa
for file in hello.fa f.c; do
    refused $file "a program's text" map tr -o $file
    refused $file "a program's text" stats tr --plot=$file
    refused $file "a program's text" export tr --to=csv -o $file
    refused $file "a program's text" report tr -o $file
    refused $file "a program's text" run --report=$file hello.fa
    refused $file "a program's text" run -c --output-file=$file hello.fa
done
refused other.fa "a program's text" build hello.fa -o other.fa
for file in tr/run.json tr/node-00000.jsonl; do
    refused $file "part of a trace" map tr -o $file
    refused $file "part of a trace" export tr --to=csv -o $file
done

# ---- the page of before stays until the new one is whole, with its rights; a link stays a link ----
for make in "report tr -o" "stats tr --plot" "run -q -c --output-file"; do
    echo before >good.png
    case $make in
    *--plot | *--output-file) words="$make=good.png" ;;
    *) words="$make good.png" ;;
    esac
    case $make in run*) words="$words hello.fa" ;; esac
    # shellcheck disable=SC2086
    (ulimit -f 1 && run luna $words && code 5 && [ "$failed" = 0 ])
    holds "$make: what was there stays" "$(cat good.png)" = before
    holds "$make: nothing half is left" -z "$(ls good.png.* 2>/dev/null)"
done
chmod 640 good.png
ln -s good.png link.png
run luna report -q tr -o link.png
code 0
holds "the link is one" -h link.png
holds "the page is where it leads" "$(head -c 15 good.png)" = "<!DOCTYPE html>"
holds "with the rights it had" "$(stat -c %a good.png)" = 640
rm good.png link.png

# ---- --trace=DIR: a folder with files of these names that are of no trace ----
for name in run.json node-00000.jsonl node-00000.ltr; do
    mkdir mine
    echo '{"my":"own"}' >mine/$name
    run luna run -q --trace=mine hello.fa
    code 2
    err_has "luna: error: cannot write the trace 'mine': File exists"
    err_has "hint: its run.json or node-00000 is of no trace: name another folder"
    holds "$name stays" "$(cat mine/$name)" = '{"my":"own"}'
    rm -r mine
done
run luna run -q --trace=tr hello.fa
code 0
: >tr/run.json # as a full disk leaves it
run luna run -q --trace=tr hello.fa
code 0
holds "it is a trace again" -s tr/run.json

# ---- --build-dir=DIR: files of the names that are made there ----
for name in program.c unit0.o libucodes.so; do
    mkdir mine
    echo mine >mine/$name
    rm -rf "$XDG_CACHE_HOME"
    run luna run -q --build-dir=mine hello.fa
    code 2
    err_has "$name' would be written over: --build-dir is a folder with other files"
    err_has "hint: name a folder that is empty, or not there"
    holds "$name stays" "$(cat mine/$name)" = mine
    rm -r mine
done
mkdir empty
for again in 1 2; do
    run luna run -q --no-cleanup --build-dir=empty hello.fa
    code 0
    holds "the emitted C stays" -s empty/program.c
    rm -rf "$XDG_CACHE_HOME"
done
run luna run -q --build-dir=empty hello.fa
code 0
holds "nothing of ours is left" -z "$(ls -A empty | grep -v '^unit\|^prototypes')"

# ---- FILE.part, where luna export writes first ----
echo mine >calls.csv.part
run luna export tr --to=csv -o calls.csv
code 2
err <<'F'
luna: error: 'calls.csv.part' is there already
hint: luna export writes there first; if one that was killed has left it, remove it
F
holds "it stays" "$(cat calls.csv.part)" = mine
finish
