# What goes wrong inside functions: under gdb, with guards (-g), with a sanitizer (--sanitize).
. "${0%/*}/lib.sh"

cat >inside.fa <<'E'
import make(int, name) as make;
import twice(value, name) as twice;
import show(value) as show;
import longer(value, value, name) as longer;
sub main(int k)
{
    df a, b;
    make(k, a);
    twice(a, b);
    show(b);
}
E
cat >inside.c <<'E'
#include <luna.h>
#include <stdio.h>
#include <string.h>

/* k ints in room for four. */
void make(int k, luna_df *out)
{
    int *x = luna_create(out, 4 * sizeof *x);
    for (int i = k < 0 ? k : 0; i < k || i < 4; i++)
        x[i] = i;
}

void twice(const luna_df *in, luna_df *out)
{
    int *x = luna_create(out, luna_size(in)), *from = luna_data(in);
    for (int i = 0; i < 4; i++) x[i] = 2 * from[i];
}

void show(const luna_df *in)
{
    printf("%d\n", ((int *)luna_data(in))[3]);
}

void longer(const luna_df *a, const luna_df *b, luna_df *sum)
{
    luna_create(sum, luna_size(a) + luna_size(b));
    memset(luna_data(sum), 0, luna_size(sum) + 1);
}
E

# ---- -g: what a function creates has guards ----
for how in "" "-n 2 -t 1" "-t 2"; do
    run luna run -g $how inside.fa 4
    code 0
    quiet
    echo 6 | out
done

run luna run -g inside.fa 5
code 3
out </dev/null
err <<'E'
inside.fa:8:5: error[RUN6]: 'make' wrote behind the end of 'a' (16 bytes), called as make
    8 |     make(k, a);
      |     ^~~~~~~~~~
hint: luna_create takes a number of bytes; --sanitize shows the line that writes
E

run luna run -g inside.fa -- -1
code 3
err_has "error[RUN6]: 'make' wrote before the beginning of 'a' (16 bytes), called as make"

# Results of operations, too.
sed 's/df a, b;/df a, b, x, s; make(4, x[0]); make(4, x[1]); reduce longer x[i] over i = 0 .. 1 => s; show(s);/' \
    inside.fa >sum.fa
run luna run -g sum.fa 4
code 3
err_has "error[RUN6]: 'longer' wrote behind the end of its result (32 bytes)"

# ---- -g: inputs are read only ----
cp inside.c whole.txt
sed 's/int \*x = luna_create(out, luna_size(in)), \*from = luna_data(in)/int *from = luna_data(in), *x = from; luna_copy(out, in)/' \
    whole.txt >inside.c
run luna run -g -t 1 inside.fa 4
code 3
err <<'E'
inside.fa:9:5: error[RUN6]: 'twice' wrote to its input 'a', called as twice
    9 |     twice(a, b);
      |     ^~~~~~~~~~~
hint: an input is const: others read the same bytes; luna_copy and luna_create make values of one's own
E
run luna run -g -t 2 inside.fa 4
code 3
err_has "hint: if it did not, another call did that read the same value at the same time; -n 1 -t 1 tells which"

# An input that is set as if it were an output.
sed 's/int \*x = luna_create(out, luna_size(in)), \*from = luna_data(in)/int x[4], from[4] = {0}; luna_set_int((luna_df *)in, 1); luna_set_int(out, 1)/' \
    whole.txt >inside.c
run luna run -g -t 1 inside.fa 4
code 3
err_has "'twice' wrote to its input 'a'"
cp whole.txt inside.c

# ---- what the compiler warns of ----
mkdir warned
cat >warned/w.fa <<'E'
import put(name) as put;
import change(value, name) as change;
import show(value) as show;
sub main() { df a, b; put(a); change(a, b); show(b); }
E
cat >warned/w.c <<'E'
#include <luna.h>
#include <stdio.h>
void put(luna_df *a) { luna_set_int(a, 1); }
void change(const luna_df *a, luna_df *b)
{
    int unused;
    (void)a, luna_set_int(b, 5000000001);
}
void show(const luna_df *a) { printf("%d\n", luna_get_int(a)); }
E
cat >warned/driver.c <<'E'
int main(void) { int unused; }
E
# What gives wrong values, each time; the cache must not hide it.
for i in 1 2; do
    run luna run -t 1 warned/w.fa
    code 0
    echo 705032705 | out
    err <<'E'
warned/w.c:7:30: warning[CC3.1]: overflow in conversion from 'long int' to 'int' changes value from '5000000001' to '705032705' [-Woverflow]
    7 |     (void)a, luna_set_int(b, 5000000001);
      |                              ^~~~~~~~~~
1 warning
E
done
run luna run -q -t 1 warned/w.fa
code 0
quiet
run luna check warned/w.fa
code 0
err_has "warned/w.c:6:9: warning[CC3.2]: unused variable 'unused' [-Wunused-variable]"
err_has "warned/w.c:7:30: warning[CC3.1]"
err_lacks "driver.c"
# A check leaves nothing that would hide it from a run.
run luna run -t 1 warned/w.fa
code 0
err_has "warned/w.c:7:30: warning[CC3.1]"
run luna check -Werror=CC3.1 -Wno-CC3.2 warned/w.fa
code 1
err_lacks "CC3.2"
err_has "error[CC3.1]"

# What never ends, for all that can be seen; the function ends it.
cat >warned/ever.fa <<'E'
import go() as go;
sub main() { df n; while 1, k = 0 .. out n { go(); } }
E
printf '#include <stdlib.h>\nvoid go(void) { if (getenv("ENOUGH")) exit(0); }\n' >warned/ever.c
ENOUGH=1 run luna run warned/ever.fa
code 0
err_has "warning[EXT9]"
# Nor does a call that waits for itself end.
cat >warned/itself.fa <<'E'
C sub next(value a, name x) ${{ luna_copy(x, a); $}}
sub up(int n, name x) { for i = 0 .. n next(x[i], x[i]); }
sub main() { df x; up(3, x); }
E
run luna run warned/itself.fa
code 4
err_has "warning[EXT3]"
err_has "error[RUN10]"

# ---- more memory than there is ----
cat >huge.fa <<'E'
import huge(name) as huge;
sub main() { df a; huge(a); }
E
cat >huge.c <<'E'
#include <luna.h>
void huge(luna_df *out) { luna_create(out, (size_t)1 << 42); }
E
run luna run huge.fa
code 5
err_has "huge.fa:2:20: error[RUN12]: 'huge' asks for 4.00 TiB for 'a'; this machine has "
err_has "hint: luna_create takes a number of bytes: is it computed as it should?"

# ---- the line of C where it crashed ----
cat >crash.fa <<'E'
import crash(int) as crash;
sub main(int how) crash(how);
E
cat >crash.c <<'E'
#include <stdlib.h>
#include <string.h>
static void inner(char *p)
{
    *(volatile char *)p = 1;
}
void crash(int how)
{
    if (how == 0) inner((char *)8);
    if (how == 1)
        abort();
    if (how == 2)
        memset((void *)16, how, 1000);
}
E
for how in 0:5 1:11 2:13; do
    run luna run -O0 crash.fa ${how%:*}
    code 3
    err_has "note: in the line crash.c:${how#*:}"
    run luna run crash.fa ${how%:*}
    code 3
    err_has "note: in the line crash.c:"
done
run env PATH="$PATH" CXX_FLAGS=-g0 "$LUNA" run crash.fa 1
code 3
err_lacks "note: in the line"

# ---- --sanitize ----
run luna run --sanitize=thread inside.fa 4
code 2
err_has "--sanitize finds address, undefined, or both, not 'thread'"

if [ -z "$SANITIZED" ]; then
    cat >more.fa <<'E'
import make(int, name) as make;
import fill(int, name) as fill;
import shift(int, name) as shift;
import call(int) as call;
import say(value) as say;
sub main(int what)
{
    df a;
    if what == 0 make(5, a);
    if what == 1 fill(5, a);
    if what == 2 shift(40, a);
    if what == 3 call(0);
    if what == 4 { make(4, a); say(a); }
}
E
    cat >more.c <<'E'
#include <luna.h>
#include <stdio.h>
#include <stdlib.h>
void fill(int k, luna_df *out)
{
    volatile int *x = malloc(16);
    x[k] = k;
    luna_set_int(out, x[k]);
}
void shift(int k, luna_df *out)
{
    luna_set_int(out, 1 << k);
}
void call(int k)
{
    *(volatile int *)(size_t)k = 1;
}
void say(const luna_df *a)
{
    printf("%zu bytes\n", luna_size(a));
}
E
    run luna run --sanitize more.fa 0
    code 3
    err_has "AddressSanitizer"
    err_has "inside.c:10"
    err_has "more.fa:9:18: error[RUN6]: 'make' was stopped by a sanitizer, called as make"

    run luna run --sanitize=address more.fa 1
    code 3
    err_has "AddressSanitizer: heap-buffer-overflow"
    err_has "more.c:7"

    run luna run --sanitize=undefined more.fa 2
    code 3
    err_has "more.c:12:"
    err_has "shift exponent 40"
    err_has "'shift' was stopped by a sanitizer, called as shift"

    run luna run --sanitize more.fa 3
    code 3
    err_has "more.c:16"

    for how in "" "-n 2 -t 1" "-t 2" "-n 2 -t 1 --transport=mpi"; do
        run luna run --sanitize $how more.fa 4
        code 0
        echo 16 bytes | out
        quiet
    done

    mkdir bin
    printf '#!/bin/sh\ncase $1 in -print*) echo none ;; *) exec gcc "$@" ;; esac\n' >bin/odd-cc
    chmod +x bin/odd-cc
    run env CC=bin/odd-cc "$LUNA" run --sanitize more.fa 4
    code 5
    err <<'E'
luna: error: 'bin/odd-cc' has no runtime for --sanitize=address,undefined
hint: gcc has them; for clang install libclang-rt-dev of its version
E
fi

# ---- under gdb ----
if command -v gdb >/dev/null && [ -z "$SANITIZED" ]; then
    for how in "-t 1" "-n 2 -t 1" "-t 2"; do
        run timeout 100 gdb -nx -batch -ex 'set breakpoint pending on' -ex 'break make' -ex run \
            -ex 'info args' -ex continue --args "$LUNA" run -g $how inside.fa 4
        out_has "inside.c:8"
        out_has "k = 4"
    done
elif [ -z "$SANITIZED" ]; then
    holds "gdb is in tests/packages.txt, which CI installs" -z "${CI:-}"
    skip "gdb"
fi
finish
