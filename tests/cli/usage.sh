# Wrong command lines: what is said, and exit code 2. Right ones that only print.
. "${0%/*}/lib.sh"
hello

run luna
code 2
luna help | sed '1d; /without a command/,$d' | sed '$d' >"$here/short"
err <"$here/short"

run luna rnu hello.fa
code 2
err <<'E'
luna: error: unknown command 'rnu'
hint: did you mean 'luna run'?
E

run luna xyzzy
code 2
err <<'E'
luna: error: unknown command 'xyzzy'
hint: 'luna help' lists the commands
E

run luna --hsah hello.fa
code 2
err <<'E'
luna: error: unknown option '--hsah'
hint: did you mean '--hash'?
E

run luna -x hello.fa
code 2
err <<'E'
luna: error: unknown option '-x'
hint: 'luna help' lists the options
E

run luna run
code 2
err <<'E'
luna: error: no FILE was given
hint: for example: luna run hello.fa
E
run luna plan -n 2
code 2
err_has "hint: for example: luna plan hello.fa"

run luna run nope.fa
code 2
err <<'E'
luna: error: no such file: 'nope.fa'
E

run luna run hello
code 2
err <<'E'
luna: error: no such file: 'hello'
hint: did you mean 'hello.fa'?
E

run luna nope.fa
code 2
err <<'E'
luna: error: no such file: 'nope.fa'
E

mkdir folder
run luna run folder
code 2
err <<'E'
luna: error: 'folder' is a folder, not a program
E

if [ "$(id -u)" != 0 ]; then
    touch locked.fa && chmod 0 locked.fa
    run luna run locked.fa
    code 2
    err <<'E'
luna: error: cannot read 'locked.fa': Permission denied
E
else
    skip "an unreadable file: root reads all"
fi

run luna run --hsah hello.fa
code 2
err <<'E'
luna: error: unknown option '--hsah'
hint: did you mean '--hash'?
E

# Words of other programs.
for guess in --nodes=2:-n --np=2:-n -np:-n --threads=2:-t --workers=2:-t -j:-t; do
    run luna run "${guess%:*}" hello.fa
    code 2
    err_has "luna: error: unknown option '${guess%:*}'"
    err_has "hint: did you mean '${guess#*:}'?"
done

echo "int greet;" >greet.c
run luna run greet.c
code 2
err <<'E'
luna: error: 'greet.c' is C text, not a program
hint: a program is a .fa file; functions in files beside it are found
E

run luna run hello.fa --foo
code 2
err <<'E'
luna: error: unknown option '--foo'
hint: an argument of main that begins with '-' goes behind '--'
E

run luna check --pass=x hello.fa
code 2
err <<'E'
luna: error: '--pass' is an option of 'luna dump', not of 'luna check'
E

run luna build hello.fa word
code 2
err <<'E'
luna: error: 'luna build' takes one FILE; 'word' is one word too many
E

run luna check --format=xml hello.fa
code 2
err <<'E'
luna: error: --format is text or json, not 'xml'
E
run luna stats --plot=- hello.fa
code 2
err <<'E'
luna: error: --plot=-: the text goes to stdout; name a file
E
for word in "help -h" "help --help" "perf -h"; do
    # shellcheck disable=SC2086
    run luna $word
    code 0
    err </dev/null
done
for table in --memory --proof; do
    run luna check --format=json $table hello.fa
    code 2
    err <<E
luna: error: --format=json is for what luna check finds: leave out $table
E
done

run luna run -t 0 hello.fa
code 2
err <<'E'
luna: error: -t needs a number from 1 to 4096, not '0'
E

run luna sim -t 2 hello.fa
code 2
err <<'E'
luna: error: -t 2: a node of the simulator has one worker; give it more nodes (-n) instead
E

run luna run --worker-threads-count=many hello.fa
code 2
err <<'E'
luna: error: --worker-threads-count needs a number from 1 to 4096, not 'many'
E

run luna run --worker-threads-count hello.fa
code 2
err <<'E'
luna: error: --worker-threads-count needs a value: --worker-threads-count=T
E

run luna run --stats=yes hello.fa
code 2
err <<'E'
luna: error: --stats takes no value
E

run luna run -n 0 hello.fa
code 2
err <<'E'
luna: error: -n needs a number from 1 to 65536, not '0'
E

run luna run -D 3x hello.fa
code 2
err <<'E'
luna: error: -D needs KEY or KEY=VAL, not '3x'
E

run luna run hello.fa -D
code 2
err <<'E'
luna: error: -D needs a value: -D KEY[=VAL]
E

run luna -O -O0 hello.fa
code 2
err <<'E'
luna: error: -O and -O0 exclude each other
E

run luna run --output-file=x hello.fa
code 2
err <<'E'
luna: error: --output-file is the name of what -c makes: give -c too
E

run luna run --cpp-dir=absent hello.fa
code 2
err <<'E'
luna: error: cannot read the folder 'absent': No such file or directory
E

run luna run --cpp-source=absent.cpp hello.fa
code 2
err <<'E'
luna: error: no such file: 'absent.cpp' (of --cpp-source)
E

run luna run --cpp-source=hello.fa hello.fa
code 2
err <<'E'
luna: error: 'hello.fa' (of --cpp-source) is no .c, .cpp or .f90 file
E

run luna build hello.fa
code 2
err <<'E'
luna: error: the name of the executable is needed: -o PROG
E

run luna build hello.fa -o
code 2
err <<'E'
luna: error: -o needs a value: -o PROG
E

cp hello.fa no_ending
run luna build no_ending -o no_ending
code 2
err <<'E'
luna: error: -o names the program itself: 'no_ending'
E

run luna build hello.fa -o folder
code 2
err <<'E'
luna: error: 'folder' is there and is no file
E

run luna dump hello.fa
code 2
err <<'E'
luna: error: which pass? --pass=NAME is needed
hint: the passes are prep, parse, resolve, check, lower, prove, place, emit
E

run luna dump --pass=emti hello.fa
code 2
err <<'E'
luna: error: no pass is called 'emti'
hint: did you mean 'emit'?
E

run luna help ru
code 2
err <<'E'
luna: error: unknown command 'ru'
hint: did you mean 'luna run'?
E

# A control character in a file's name is not passed to the terminal.
run luna run "$(printf 'a\033[31m.fa')"
code 2
err <<'E'
luna: error: no such file: 'a?[31m.fa'
E

run sh -c "'$LUNA' --version >/dev/full"
code 5
err_has "luna: error: cannot write to stdout: No space left on device"
run luna --version
code 0
quiet
out_has "luna 0."

for words in help --help 'help run' 'run --help' 'check --help' 'help build' 'help dump' 'help help'; do
    # shellcheck disable=SC2086
    run luna $words
    code 0
    quiet
    out_has "luna"
done
run luna help run
out_has "--worker-threads-count=T"
out_has "cells, as in: luna run -n 4 --distrib=rope --start=half FILE"
cp "$here/out" long
run luna run -h
code 0
out <long
run luna -h
code 0
out_has "luna run [options] FILE.fa"

# What could confuse a terminal is not passed on by a run either: words, names of files, texts.
odd=$(printf 'e\033[31m.fa')
cat >"$odd" <<'E'
C sub p(int k) ${{ luna_fail("no \033[2Jway"); (void)k; $}}
sub main(int n) { p(n); }
E
run luna run "$odd" 1
code 3
err_has "e?[31m.fa:2:19: error[RUN5]: no ?[2Jway (in 'p', called as p)"
for word in --speed --distrib --lattice --start --balance --balance-every --balance-load --compare; do
    run luna run -n 2 --balance=paper "$word=$(printf '\033')x" "$odd" 1
    code 2
    err_has "$word=?x: "
done
run luna run --print="$(printf '\033')" "$odd" 1
code 2
err_lacks "$(printf '\033')"
run luna run "$odd" "$(printf '\033')"
code 2
err_has "argument 1 of main, 'n', must be an int, not '?'"
run luna run "$odd" 1 "$(printf '\033')"
err_has "warning[RUN11]: '?' is no argument of main(int n)"
rm "$odd"

# Colours: only where they are wished, or a terminal is there that has them.
echo 'sub main() { nothing(); }' >wrong.fa
run luna run --color=always wrong.fa
code 1
err_has "$(printf '\033[1;31merror[SYN2]:\033[0m')"
run luna run --color=never wrong.fa
err_has "error[SYN2]: "
run luna run wrong.fa
err_has "error[SYN2]: "
run luna --color=always run none.fa
err_has "$(printf 'luna: \033[1;31merror:\033[0m no such file')"
run luna run --color=blue wrong.fa
code 2
err_has "--color is auto, always or never, not 'blue'"
if command -v script >/dev/null; then
    TERM=xterm run script -qec "'$LUNA' run wrong.fa" /dev/null
    out_has "$(printf '\033[1;31merror[SYN2]:')"
    NO_COLOR=1 TERM=xterm run script -qec "'$LUNA' run wrong.fa" /dev/null
    out_has "error[SYN2]: "
fi

if [ -w /dev/full ]; then
    run sh -c '"$LUNA" help >/dev/full'
    code 5
    err <<'E'
luna: error: cannot write to stdout: No space left on device
E
fi
finish
