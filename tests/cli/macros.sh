# -D in its spellings; it is part of what the cache distinguishes.
. "${0%/*}/lib.sh"
cat >d.fa <<'E'
import say(int) as say;
sub main() {
    say($N);
#ifdef MORE
    say(0);
#endif
}
E
printf '#include <stdio.h>\nvoid say(int a) { printf("%%d\\n", a); }\n' >say.c

for n in 3 4 3; do
    run luna run -D N=$n d.fa
    code 0
    quiet
    out <<E
$n
E
done
run luna -D N=7 d.fa
code 0
out <<'E'
7
E
run luna run d.fa -DN=5 -t 1 -DMORE
code 0
out <<'E'
5
0
E
run luna run d.fa
code 1
err_has "error[PP3]"

# A const of that name has this value; it is typed, and -D of it is not in vain.
cat >c.fa <<'E'
import say(int) as say;
const N = 2 * 3;
const EPS = 0.5;
const WORDS = "some words";
sub main() { say(N); say(EPS * 100); if WORDS == "other words" say(7); }
E
for n in 3 4 1e1 -2.0; do
    run luna run -t 1 -D N=$n -D EPS=2 -D WORDS="other words" c.fa
    code 0
    quiet
    out <<E
$(printf %.0f $n)
200
7
E
done
run luna check -D N=3 -D WORDS='"other words"' -D M=4 c.fa
code 0
err_has "-D M has no effect: the program uses no macro or const of this name"
for word in abc 2.5 3000000000 0x10 '' nan '2*3'; do
    run luna run -D N="$word" c.fa
    code 1
    err_has "error[SYN1]: the const 'N' "
done
run luna run -D EPS=inf c.fa
code 1
err_has "error[SYN1]: the const 'EPS' must be a real, not 'inf'"
run luna run -D WORDS c.fa
code 1
err_has "error[SYN1]: the const 'WORDS' needs a value: -D WORDS=..."
echo 'import say(int) as say; const N = 6; sub main() say($N + N);' >c.fa
run luna run c.fa
code 1
err_has "hint: 'N' is a const: write it without '\$'"
finish
