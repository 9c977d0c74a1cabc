# luna build: the executable and its options.
. "${0%/*}/lib.sh"
hello
cat >args.fa <<'E'
import c_args(int, string) as say;
sub main(int k, string s) say(k, s);
E
printf '#include <stdio.h>\nvoid c_args(int k, const char *s) { printf("%%d %%s\\n", k, s); }\n' >c.c

run luna build hello.fa -o prog
code 0
quiet
out </dev/null
run ./prog -t 1
code 0
quiet
out <<'E'
C 1
C++ 2
E

run luna build -o args args.fa -g -O0
code 0
run ./args 3 x
out <<'E'
3 x
E
run ./args -t 1 -- -3 --hash
code 0
quiet
out <<'E'
-3 --hash
E
run ./args -3 -q
code 0
out <<'E'
-3 -q
E
run ./args --hash 3 x
code 0
err_has "hash *"
run ./args -t 3 x
code 2
run ./args -t 1 3
code 2

run ./prog --hahs
code 2
err <<'E'
prog: error: unknown option '--hahs'
hint: did you mean '--hash'?
E
run ./prog --pass=x
code 2
run ./prog --help
code 0
out_has "usage: ./prog [options] [--] [args of main]"

# It needs neither the sources nor the cache, and works under another name and from elsewhere.
mkdir away && mv prog away/other && rm -rf hello.fa a.c b.cpp "$XDG_CACHE_HOME"
run away/other -t 1
code 0
out_has "C 1"
cd away || exit 1
run env PATH=.:"$PATH" other
code 0
out_has "C++ 2"

# A damaged one says so.
cp other cut && truncate -s -1 cut
run ./cut
code 5
err <<'E'
cut: error: './cut' is damaged: the program behind it is not whole
E
size=$(stat -c %s other)
cp other flipped && printf '\377\377' | dd of=flipped bs=1 seek=$((size - 3000)) conv=notrunc 2>/dev/null
run ./flipped
code 5
cd .. || exit 1

# A running program can be built anew.
printf 'import w(int) as w;\nsub main() w(1);\n' >wait.fa
printf '#include <unistd.h>\nvoid w(int k) { sleep(k); }\n' >w.c
run luna build wait.fa -o wait
./wait &
run luna build wait.fa -o wait
code 0
wait
holds "built programs obey the umask" -z "$(umask 077; luna build wait.fa -o private; find private -perm /077)"
finish
