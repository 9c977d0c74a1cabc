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
finish
