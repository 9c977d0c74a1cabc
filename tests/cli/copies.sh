# Parts and copies: what travels, what stays, and what is said of it.
. "${0%/*}/lib.sh"
tests=$(cd "${0%/*}/.." && pwd)
program=$tests/programs/copies/copies.fa

sends() { sed -n 's/.* nodes; \([0-9]*\) values sent.*/\1/p' "$here/err"; }
served() { sed -n 's/^luna: \([0-9]*\) values stayed .* served \([0-9]*\) readers there$/\1 \2/p' "$here/err"; }
hash_of() { sed -n 's/^hash \* //p' "$here/err"; }
is() { [ "$1" = "$2" ] && good || bad "$3: $1, not $2"; }

# Each large value crosses once a node that reads it; without copies as often as it is read there.
run luna sim -n 2 --stats --hash "$program"
code 0
is "$(sends)" 36 "values sent"
is "$(served | cut -d' ' -f1)" 36 "copies"
[ "$(served | cut -d' ' -f2)" -gt 100 ] && good || bad "they served $(served | cut -d' ' -f2) readers"
hash=$(hash_of)
run luna sim -n 2 --stats --hash --copies=off "$program"
code 0
is "$(sends)" 80 "values sent without copies"
is "$(served)" "" "copies"
is "$(hash_of)" "$hash" "values"

# Where there is no room for all, those that were read longest ago leave, and are asked for again.
run luna sim -n 2 --stats --hash --copies=8KiB "$program"
code 0
[ "$(sends)" -gt 36 ] && [ "$(sends)" -lt 80 ] && good || bad "$(sends) values sent with little room"
is "$(hash_of)" "$hash" "values"
run luna sim -n 2 --stats --hash --copies=100 "$program" # not for one
code 0
is "$(served | cut -d' ' -f2)" 0 "readers served"
is "$(hash_of)" "$hash" "values"

# A plan that knows how large values are foretells it.
for n in 2 4; do
    rm -rf trace
    run luna sim -n $n --stats --trace=trace "$program"
    code 0
    have=$(sends)
    run luna plan -n $n --sizes=trace "$program"
    code 0
    out_has "messages     $have; "
done
run luna plan -n 2 "$program"
out_has "messages     36..256; " # it does not

# A read after a delete may find a copy; who looks for faults is told.
cat >late.fa <<'E'
C sub big(name v) ${{ ((char *)luna_create(v, 100000))[0] = 7; $}}
C sub look(value v, name m) ${{ luna_set_int(m, ((const char *)luna_data(v))[0]); $}}
C sub seti(name m, int k) ${{ luna_set_int(m, k); $}}
sub main(int n) {
    df x, m, gone;
    big(x);
    seti(m[0], 1);
    for i = 1 .. n look(x, m[i]) @ { locator_cyclic: 1; request m[i - 1]; };
    seti(gone[0], 1) @ { request m[n]; delete x; };
    seti(gone[1], gone[0]) @ { locator_cyclic: 1; };
    seti(gone[2], gone[1]);
    look(x, m[n + 1]) @ { locator_cyclic: 1; request gone[2]; };
}
E
run luna run -q -n 2 -g late.fa 5
code 4
err_has "late.fa:12:5: note: look waits for 'x': it was deleted before this call asked"

# A delete looks whether promised readers are left: it knows of all, also by another name.
for last in 'say(s[6]) @ { locator_cyclic: 1; delete x; };' 'over(x, s[6]);'; do
    cat >deleted.fa <<END
C sub fill(name x, int n) \${{ luna_create(x, (size_t)n); \$}}
C sub size(value x, name s) \${{ luna_set_int(s, (int)luna_size(x)); \$}}
C sub seti(name x, int v) \${{ luna_set_int(x, v); \$}}
C sub say(int v) \${{ (void)v; \$}}
sub over(name given, int v) { say(v) @ { locator_cyclic: 1; delete given; }; }
sub main() {
    df x, s;
    fill(x, 5000) @ { locator_cyclic: 0; req_count x = 6; };
    seti(s[0], 1) @ { locator_cyclic: 1; };
    for i = 0 .. 5 { size(x, s[i + 1]) @ { locator_cyclic: 1; request s[i]; }; }
    $last
} @ { locator_cyclic x => 0; locator_cyclic s[i] => 1; }
END
    for way in "run -n 1" "run -n 2 -t 1" "sim -n 2"; do
        run luna $way -q deleted.fa
        code 0
    done
done

# Many who wait together are told to the home in one message, and counted all the same; each by itself
# if the fragment is deleted somewhere.
cat >together.fa <<'E'
C sub seti(name v, int k) ${{ luna_set_int(v, k); $}}
C sub use(int a, name v) ${{ luna_set_int(v, a); $}}
C sub say(int k) ${{ (void)k; $}}
sub main(int n, int promised) {
    df x, y, s;
    for i = 1 .. n use(x, y[i]) @ { locator_cyclic: 1; };
    reduce + y[i] over i = 1 .. n => s;
#ifdef DELETED
    seti(x, 1) @ { locator_cyclic: 0; weight: 1000; };
    say(s) @ { delete x; };
#else
    seti(x, 1) @ { locator_cyclic: 0; weight: 1000; req_count x = promised; };
    say(s);
#endif
} @ { locator_cyclic x => 0; locator_cyclic y[i] => 1; locator_cyclic s => 0; }
E
messages() { sed -n 's/.* \([0-9]*\) messages, .*/\1/p' "$here/err"; }
run luna sim -n 2 --stats --proof=off together.fa 100 100
code 0
[ "$(messages)" -lt 10 ] && good || bad "$(messages) messages for 100 who wait together"
err_lacks "kept to the end"
run luna sim -n 2 --proof=off together.fa 100 90
code 4
err_has "'x' was asked for 10 times more than promised by its req_count"
run luna sim -n 2 --stats --proof=off -DDELETED together.fa 100 0
code 0
[ "$(messages)" -gt 100 ] && good || bad "$(messages) messages for 100 whom a delete must know"

for wrong in none 0 -1 12Ki; do
    run luna run --copies=$wrong "$program"
    code 2
    err_has "--copies is off, or bytes such as 64MiB or 1GiB, not '$wrong'"
done

# ---- parts ----

cat >parts.fa <<'E'
C sub fill(name x, int n) ${{
    double *v = luna_create(x, (size_t)n * sizeof *v);
    for (int i = 0; i < n; i++) v[i] = i;
$}}
C sub add(real s, real v, name t) ${{ luna_set_real(t, s + v); $}}
C sub df_of(int v, name n) ${{ luna_set_int(n, v); $}}
C sub zero(name s) ${{ luna_set_real(s, 0); $}}
C head ${{
#include <stdio.h>
$}}
C sub say(real v) ${{ printf("%g\n", v); $}}
sub main(int size, int reads) {
    df x, s, n;
    fill(x, size) @ { locator_cyclic: 0; };
    zero(s[0]) @ { locator_cyclic: 1; };
#ifdef COUNTED
    for i = 0 .. reads - 1 add(s[i], real(x, i % size), s[i + 1]) @ { locator_cyclic: 1; request s[i]; };
#else
    df_of(reads, n) @ { locator_cyclic: 1; };
    for i = 0 .. n - 1 { add(s[i], real(x, i % size), s[i + 1]) @ { locator_cyclic: 1; request s[i]; }; }
#endif
    say(s[reads]) @ { locator_cyclic: 1; };
} @ { locator_cyclic x => 0; locator_cyclic s[i] => 1; }
E
# Of a small array only numbers travel, of a large one too, if few are wanted; if many are, it comes
# itself when they have cost as much: a message counts as 1 KiB, here beside 320 KB.
counts() { # SIZE READS [WORDS]: numbers, whole arrays, both
    rm -rf trace
    run luna sim -n 2 --trace=trace ${3:-} parts.fa "$1" "$2"
    code 0
    grep -h '"ev":"send".*"df":"x"' trace/node-*.jsonl >"$here/sends"
    sent="$(grep -c '"part":\[[0-9]*,8\],"bytes":8,' "$here/sends") $(
        grep -vc '"part"' "$here/sends") $(wc -l <"$here/sends")"
}
counts 500 300
is "$sent" "300 0 300" "small"
counts 40000 50
is "$sent" "50 0 50" "few"
counts 40000 500
is "$sent" "312 1 313" "many"
# If the compiler can tell how many turns follow, the first answer is the right one.
counts 40000 500 -DCOUNTED
is "$sent" "0 1 1" "many, counted"
counts 40000 50 -DCOUNTED
is "$sent" "50 0 50" "few, counted"

# What is chosen, and why.
run luna dump --pass=prove -DCOUNTED parts.fa
out_has "main.x: written at 1 (1 exact), read at 1 (1 exact), a part x "
run luna dump --pass=prove "$program"
out_has "main.a[][]: written at 2 (2 exact), read at 3 (3 exact), again in a loop: it stays"

# What is not there is told by the home, at the place of who wants it.
cat >beyond.fa <<'E'
C sub fill(name x, int n) ${{ luna_create(x, (size_t)n); $}}
C sub say(int v) ${{ (void)v; $}}
sub main() {
    df x;
    for k = 7 .. 8 { say(int(x, k)) @ { locator_cyclic: 1; }; }
    fill(x, 32);
} @ { locator_cyclic x => 0; }
E
for way in "run -n 2" "sim -n 2" "run -n 1"; do
    run luna $way beyond.fa
    code 3
    err_has "beyond.fa:5:22: error[RUN16]: 'int(x, 8)' lies outside of the fragment, which has 32 bytes"
done
finish
