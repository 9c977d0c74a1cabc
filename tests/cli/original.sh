# Options of the original LuNA, which work without a command word.
. "${0%/*}/lib.sh"
hello

for options in '-q' '--quiet' '-O' '-O0' '-b' '-u' '--luna-home=/x' '--disable-warning=1' \
    '--worker-threads-count=1' '-q -b -u -O0' '--cpp-dir=.' '--cpp-source=b.cpp'; do
    # shellcheck disable=SC2086
    run luna $options hello.fa
    code 0
    quiet
    out_has "C 1"
    out_has "C++ 2"
done

run luna -t --worker-threads-count=1 hello.fa
code 0
time_told
out <<'E'
C 1
C++ 2
E

run luna --help
code 0
holds "its first line is NAME" "$(head -1 "$here/out")" = NAME
out_has "luna run [options]"

run luna -c hello.fa x
code 0
quiet
out <<'E'
luna run ./libucodes.so x
E
run luna run ./libucodes.so -t 1
code 0
out <<'E'
C 1
C++ 2
E
run luna -q -c --output-file=other.so hello.fa
code 0
out </dev/null
holds "other.so was made" -s other.so
rm -f ./*.so

run luna --compile-only --build-dir=made hello.fa
code 0
out <<E
luna run $(pwd -P)/made/libucodes.so
E
holds "the emitted C is in the build folder" -s made/program.c
run luna run made/libucodes.so -t 1
code 0
rm -rf made

# An object is compiled already; its name is printed as a shell takes it.
run luna run -c "--output-file=a b.so" hello.fa
code 0
out <<'E'
luna run 'a b.so'
E
for word in -c --compile-only -DX=1 --cpp-dir=. --link=m --sanitize; do
    run luna run "$word" "./a b.so"
    code 2
    err_has "is for compiling, and './a b.so' is compiled already"
    err_has "hint: give the option when you compile it"
done
rm -f "a b.so"

run luna --build-dir=made -g hello.fa
code 0
holds "the build folder is removed" ! -e made

mkdir mine && touch mine/keep
run luna --build-dir=mine -D X hello.fa
code 0
holds "only files of the user stay" "$(ls mine)" = keep

run luna --no-cleanup --build-dir=made hello.fa
code 0
holds "the emitted C stays" -s made/program.c
rm -rf made
run env LUNA_NO_CLEANUP=1 "$LUNA" --build-dir=made hello.fa
code 0
holds "the emitted C stays" -s made/program.c
rm -rf made mine

# Two folders, two files; the program's own folder does not take part then.
mkdir p one two
mv a.c one
mv b.cpp two
mv hello.fa p
run luna run --cpp-dir=one:two p/hello.fa
code 0
run luna run --cpp-source=one/a.c:two/b.cpp p/hello.fa
code 0
run luna run --cpp-dir= --cpp-source=one/a.c:two/b.cpp p/hello.fa
code 0
run luna run p/hello.fa
code 1
err_has "error[SYN10]"
holds "a run leaves nothing in the working folder" "$(echo *)" = "one p two"
# Objects that are none, or no more.
hello
run luna -q -c --output-file=whole.so hello.fa
code 0
for bytes in 40 3000 9000; do
    head -c $bytes whole.so >broken.so
    run luna run ./broken.so
    code 5
    err_has "luna: error: cannot load the compiled program './broken.so': "
done
echo 'int luna_program = 1;' >other.c
cc -shared -fPIC -x c other.c -o other.so
run luna run ./other.so
code 5
err_has "'./other.so' was compiled by another version of luna"
echo 'int x;' | cc -shared -fPIC -x c - -o none.so
run luna run ./none.so
code 5
err_has "'./none.so' holds no luna program"
rm -f ./*.so other.c
finish
