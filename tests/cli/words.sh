# Which words are options, which is FILE, which are arguments of main.
. "${0%/*}/lib.sh"

cat >args.fa <<'E'
import say(int, real, string) as say;
sub main(int a, real b, string c) say(a, b, c);
E
cat >say.c <<'E'
#include <stdio.h>
void say(int a, double b, const char *c) { printf("%d %g %s\n", a, b, c); }
E

run luna run args.fa 1 2.5 word
code 0
quiet
out <<'E'
1 2.5 word
E

run luna run args.fa -5 -2.5 -q
code 0
out <<'E'
-5 -2.5 -q
E

run luna run args.fa -q -t 1 -- -5 -2.5 --hash
code 0
quiet
out <<'E'
-5 -2.5 --hash
E

run luna run -- args.fa 1 2 --
code 0
out <<'E'
1 2 --
E

run luna -q run -t 1 args.fa 1 2 x
code 0
out <<'E'
1 2 x
E

# Without a command word everything behind FILE is the program's.
run luna args.fa 1 2 --hash
code 0
quiet
out <<'E'
1 2 --hash
E

run luna args.fa -5 -2 --
code 0
out <<'E'
-5 -2 --
E

# -t takes a number; alone it asks for the time.
run luna run -t args.fa 1 2 x
code 0
time_told
run luna run -t 2 args.fa 1 2 x
code 0
quiet
run luna run args.fa -t1 1 2 x
code 0
quiet

# A word behind it is not taken for FILE if FILE stands behind that.
for word in x 2x -3 two.fa; do
    run luna run -t $word args.fa 1 2 x
    code 2
    err <<E
luna: error: -t needs a number from 1 to 4096, not '$word'
E
done
run luna run -t x absent.fa
code 2
err_has "-t needs a number from 1 to 4096, not 'x'"
run luna -t x args.fa
code 2
err_has "-t needs a number from 1 to 4096, not 'x'"
run luna run -t x 1 2
code 2
err_has "no such file: 'x'"
cp args.fa x
run luna run -t x args.fa 1 2
code 2
err_has "argument 1 of main, 'a', must be an int, not 'args.fa'"
run luna run args.fa -10000000000 2 x
code 2
err_has "argument 1 of main, 'a', must be an int, which has 32 bits, not '-10000000000'"
run luna run args.fa 3e9 2 x
code 2
err_has "argument 1 of main, 'a', must be an int, which has 32 bits, not '3e9'"
for word in 1.5 1e 0x10 nan inf 1e-3 ''; do
    run luna run args.fa "$word" 2 x
    code 2
    err_has "argument 1 of main, 'a', must be an int, not '$word'"
done
run luna run args.fa 1000 2 x
mv "$here/out" thousand
for word in 1e3 1000.0 +1000; do
    run luna run args.fa "$word" 2 x
    code 0
    out <thousand
done
rm x

run luna run -n 1 args.fa 1 2 x
code 0
quiet

# A file may have the name of a command.
cp args.fa run
run luna run run 1 2 x
code 0
run luna -q run 1 2 x
code 0
rm run

# Arguments of main are checked.
run luna run args.fa 1 2
code 2
holds "a message about the missing argument" -s "$here/err"
run luna run args.fa one 2 x
code 2
holds "a message about the malformed argument" -s "$here/err"
# An imported main has no names for its parameters.
echo 'import say(int, real, string) as main;' >imported.fa
run luna run imported.fa 1
code 2
err <<'E'
luna: error[RUN11]: 1 argument of main given, 3 needed: main(int, real, string)
E
run luna run imported.fa 1 x y
code 2
err <<'E'
luna: error[RUN11]: argument 2 of main must be a real number, not 'x'
E
# What main requires is looked at before anything runs.
echo 'import say(int, real, string) as say; sub main(int n, real r, string s) { say(n, r, s); }
    @ { require: n > 0; require: r <= n / 2; }' >requires.fa
run luna run requires.fa 4 1.5 x
code 0
for n in "" "-n 3" "-n 2 -t 2"; do
    # shellcheck disable=SC2086
    run luna run $n requires.fa 4 2.5 x
    code 2
    out </dev/null
    err <<'E'
luna: error[RUN15]: 'main(4, 2.5, _)' does not fulfil what main requires: r <= n/2
E
done
run luna sim -n 2 requires.fa -1 -1 x
code 2
err_has "'main(-1, -1, _)' does not fulfil what main requires: n > 0"
finish
