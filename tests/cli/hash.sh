#!/bin/sh
# hash.sh - --hash counts each value once, when it is assigned, whatever becomes of it.
. "${0%/*}/lib.sh"

cat >all.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub eat(int k) ${{ (void)k; $}}
C sub nothing() ${{ $}}
sub inner() { nothing(); }
sub main()
{
    df kept, counted, freed, pushed, dropped, after, times;
    seti(kept, 1);
    seti(counted, 2) @ { req_count counted = 1; };
    eat(counted);
    seti(freed, 3);
    eat(freed) --> (freed);
    for i = 1..3 {
        cf a[i]: seti(pushed[i], i) @ { afterpush pushed[i] => b[i]; };
        cf b[i]: eat(pushed[i]) @ { wait pushed[i]; };
    }
    seti(dropped, 4) @ { drop dropped; };
    inner() >> (after);
    eat(after);
    while i < 5, i = 0..out times { eat(i); }
    eat(times);
} @ { locator_cyclic a[i] => i; locator_cyclic b[i] => i + 1; locator_cyclic pushed[i] => 2*i; }
E
counts() { sed -n 's/^hash \([^ ]*\) \([0-9]*\) .*/\1 \2/p' "$here/err"; }

run luna run -t 1 --hash all.fa
code 0
counts >"$here/out"
out <<'E'
main.after 1
main.counted 1
main.dropped 1
main.freed 1
main.kept 1
main.pushed 3
main.times 1
* 9
E
cp "$here/err" want
for how in "-t 2" "-n 3 -t 1" "-n 4 -t 2"; do
    run luna run $how --hash all.fa
    code 0
    same err <want
done

# What a value is, not only how many there are.
sed 's/seti(dropped, 4)/seti(dropped, 5)/' all.fa >other.fa
run luna run -t 1 --hash other.fa
holds "one name has another hash, and all together" \
    "$(diff want "$here/err" | grep -c '^> hash \(main.dropped\|\*\)')" = 2
finish
