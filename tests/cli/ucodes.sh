# What can be wrong between a program and its C and C++ files: SYN10, SYN12, SYN13, SYN14, SEM13, CC1,
# CC2, CC5; and what is not wrong, though it looks so.
. "${0%/*}/lib.sh"

fresh() {
    cd "$here/work" && rm -rf ./* || exit 1
}

# ---- SYN10: the function is absent ----
fresh
hello
sed -i s/c_hello/c_hallo/ a.c
run luna run hello.fa
code 1
out </dev/null
err <<'E'
hello.fa:1:8: error[SYN10]: no function 'c_hello' in the program's C and C++ files
    1 | import c_hello(int) as hello;
      |        ^~~~~~~
hint: did you mean 'c_hallo'?
1 error
E

fresh
hello
sed -i 's/extern "C" //' b.cpp
run luna check hello.fa
code 1
err <<'E'
hello.fa:2:8: error[SYN10]: no function 'cpp_hello' in the program's C and C++ files
    2 | import cpp_hello(int) as hi;
      |        ^~~~~~~~~
b.cpp:2:6: note: this is a C++ function: extern "C" is missing
hint: write: extern "C" void cpp_hello(...)
1 error
E

# Several absent functions are told in one run.
fresh
hello
rm a.c b.cpp
run luna build hello.fa -o x
code 1
err_has "'c_hello'"
err_has "'cpp_hello'"
err_has "2 errors"
holds "no executable was made" ! -e x

# ---- SYN12: the function is another than imported ----
fresh
hello
sed -i 's/int k) {/double k) { (void)k;/; s/%d/%g/' a.c
sed -i 's/(int k)/(int k, int)/' b.cpp
run luna run hello.fa
code 1
out </dev/null
err <<'E'
hello.fa:1:8: error[SYN12]: parameter 1 of 'c_hello' is imported as an integer, but the function takes a double
    1 | import c_hello(int) as hello;
      |        ^~~~~~~
a.c:2:6: note: the function is here
hint: import c_hello(real) as hello; or else change the function
hello.fa:2:8: error[SYN12]: 'cpp_hello' is imported with 1 parameter, but takes 2
    2 | import cpp_hello(int) as hi;
      |        ^~~~~~~~~
b.cpp:2:17: note: the function is here
hint: import cpp_hello(int, int) as hi; or else change the function
2 errors
E

fresh
cat >half.fa <<'E'
import half(name, real) as half;
sub main() { df x; half(x, 3.0); }
E
cat >u.cpp <<'E'
#include "ucenv.h"
extern "C" void half(OutputDF &x, int n) { x = n / 2; }
E
run luna check half.fa
code 1
err_has "half.fa:1:8: error[SYN12]: parameter 2 of 'half' is imported as a double, but the function takes an integer"

# Lists, of the right kind.
fresh
cat >l.fa <<'E'
import f(value, name) as f;
import g(value[], name) as g;
import h(name[]) as h;
import k(value[], name y[]) as k;
sub main() { df x, y; f(x, y[0]); g(x over i = 0 .. 1, y[1]); h(x over i = 0 .. 0); k(x over i = 0 .. 1, y[i] over i = 2 .. 3); }
E
cat >l.c <<'E'
#include "luna.h"
void f(const luna_inputs *a, luna_df *b) { luna_set_int(b, (int)a->n); }
void g(const luna_df *a, luna_df *b) { luna_copy(b, a); }
void h(const luna_inputs *a) { (void)a; }
E
cat >k.cpp <<'E'
#include "ucenv.h"
extern "C" void k(const InputDFs &x, const OutputDFs &y) { for (OutputDF &v : y) v = (int)x.size(); }
E
run luna run l.fa
code 1
err_has "l.fa:1:8: error[SYN12]: parameter 1 of 'f' is imported as a fragment, but the function takes a list of values"
err_has "hint: import f(value[], name) as f; or else change the function"
err_has "l.fa:2:8: error[SYN12]: parameter 1 of 'g' is imported as a list of values, but the function takes a pointer or reference"
err_has "hint: import g(value, name) as g; or else change the function"
err_has "l.fa:3:8: error[SYN12]: parameter 1 of 'h' is imported as a list of names, but the function takes a list of values"
err_has "3 errors"
cat >l.fa <<'E'
import k(value[], name y[]) as k;
import k(value[], int) as wrong;
sub main() { df x; k(x over i = 1 .. 0, x[i] over i = 1 .. 2); k(x[i] over i = 1 .. 2, x[3 + i] over i = 0 .. 1); }
E
rm l.c
run luna check l.fa
err_has "l.fa:2:8: warning[SYN12]: parameter 2 of 'k' is imported as an integer, but the function takes a list of names"
err_has "hint: import k(value[], name[]) as wrong; or else change the function"

# A value and a name are DFs, not what is in them; also where no header of ours is included.
fresh
cat >p.fa <<'E'
import norm(value, name) as norm;
import fill(int, name) as fill;
sub main() { df x, y; fill(3, x); norm(x, y); show(y); }
import show(string) as show;
E
cat >u.c <<'E'
#include <luna.h>
void norm(const double *x, luna_df *y) { luna_set_real(y, x[0]); }
E
echo 'void fill(int n, double *x) { x[0] = n; }' >v.c
cat >w.cpp <<'E'
extern "C" void show(const int *text) { (void)text; }
E
run luna run p.fa
code 1
err <<'E'
p.fa:1:8: error[SYN12]: parameter 1 of 'norm' is imported as a fragment, but the function takes a pointer to numbers
    1 | import norm(value, name) as norm;
      |        ^~~~
u.c:2:6: note: the function is here
hint: in C a value is a const luna_df *: luna_data gives its bytes
p.fa:2:8: error[SYN12]: parameter 2 of 'fill' is imported as a fragment, but the function takes a pointer to numbers
    2 | import fill(int, name) as fill;
      |        ^~~~
v.c:1:6: note: the function is here
hint: in C a name is a luna_df *: luna_set_real and others assign it
p.fa:4:8: error[SYN12]: parameter 1 of 'show' is imported as a string, but the function takes a pointer to numbers
    4 | import show(string) as show;
      |        ^~~~
w.cpp:1:17: note: the function is here
3 errors
E
rm u.c v.c
cat >u.cpp <<'E'
extern "C" void fill(int, double &x) { x = 0; }
extern "C" void norm(const void *x, void *y) { (void)x, (void)y; }
E
run luna run p.fa
code 1
err_has "parameter 2 of 'fill' is imported as a fragment, but the function takes a pointer to numbers"
err_has "hint: in C++ a name is an OutputDF &"
err_lacks "'norm'"

# A function of the library is not meant where a file seems to have one, but does not compile.
fresh
cat >p.fa <<'E'
import round(real, name) as nearest;
sub main() { df x; nearest(2.6, x); show(x); }
import show(real) as show;
E
printf '#include <math.h>\n#include <luna.h>\n' >u.c
echo 'void round(double x, luna_df *y) { luna_set_real(y, (int)(x + 0.5)); }' >>u.c
printf '#include <stdio.h>\nvoid show(double x) { printf("%%g\\n", x); }\n' >v.c
run luna run p.fa
code 1
err_lacks SYN10
err_has "u.c:3:6: error[CC1]: conflicting types for 'round'"

# Wrong or absent, but never called: the program runs.
fresh
cat >p.fa <<'E'
import one(int) as one;
import one(real) as bad;
import absent(int) as gone;
sub lost() { gone(1); bad(1.5); }
sub main() one(1);
E
printf '#include <stdio.h>\nvoid one(int k) { printf("%%d\\n", k); }\n' >one.c
run luna run p.fa
code 0
quiet
out <<'E'
1
E
run luna check p.fa
code 0

fresh
cat >p.fa <<'E'
import one(int) as one;
import two(int) as two;
import absent(int) as gone;
sub main() one(1);
E
printf 'void one(int k) { (void)k; }\nvoid two(double k) { (void)k; }\n' >one.c
run luna check p.fa
code 0
err_has "p.fa:2:8: warning[SYN12]:"
err_lacks "SYN10"

# Passed alike, spelt otherwise: not wrong.
fresh
cat >p.fa <<'E'
import one(int, string, value, name) as one;
import two(int, string, value, name) as two;
import three(int) as three;
import last(int, int, int, int, int, int, int, int) as last;
import four(real, real) as four;
sub main() { df a, b, c; one(1, "x", 5, a); two(2, "y", a, b); three(-3); four(1.5, 2.5); say(b);
    last(1, 2, 3, 4, 5, 6, 7, -8); }
C sub say(int k) ${{ printf("%d\n", k); $}}
C head ${{
#include <stdio.h>
$}}
E
cat >one.c <<'E'
#include <luna.h>
#include <stdio.h>
int one(unsigned k, char *s, luna_df *in, void *out)
{
    luna_set_int(out, luna_get_int(in) + (int)k + (s[0] == 'x'));
    return 7;
}
void three(long k) { printf("%ld\n", k); }
void last(int a, long b, int c, int d, int e, int f, int g, long long h)
{
    printf("%lld %d\n", a + b + c + d + e + f + h, g);
}
typedef double real;
void four(real a, const real b) { (void)a, (void)b; }
E
cat >two.cpp <<'E'
#include <ucenv.h>
typedef const DF in_t;
extern "C" bool two(int k, const char s[], in_t &in, DF &out) { out = in.get_int() + k; return s[0]; }
E
run luna run -t 1 p.fa
code 0
quiet
out <<'E'
-3
9
13 7
E

# A function that only a system header declares, and that nobody defines here, is the library's.
fresh
cat >p.fa <<'E'
import puts(string) as say;
sub main() say("from libc");
E
cat >other.c <<'E'
#include <stdio.h>
void other(void) { }
E
run luna run p.fa
code 0
quiet
out <<'E'
from libc
E

# Where functions are looked for, what is static, and a header that was forgotten.
fresh
cat >p.fa <<'E'
import show(int) as show;
sub main() show(1);
E
run luna run p.fa
code 1
err_has "hint: functions are in .c, .cpp and .f90 files beside the program, or where --cpp-dir says"
run luna run --cpp-dir= --cpp-source= p.fa
code 1
err_has "hint: functions are in .c, .cpp and .f90 files that --cpp-dir and --cpp-source name"
echo 'static void show(int k) { (void)k; }' >show.c
run luna run p.fa
code 1
err <<'E'
p.fa:1:8: error[SYN10]: the function 'show' is static in 'show.c', so that nobody else sees it
    1 | import show(int) as show;
      |        ^~~~
show.c:1:13: note: it is here
hint: take the word static away
1 error
E
echo 'void show(int k, luna_df *x) { (void)k, (void)x; }' >show.c
run luna run p.fa
code 1
err_has "show.c:1:18: error[CC1]: unknown type name 'luna_df'"
err_has "hint: #include <luna.h>"
rm show.c
echo 'extern "C" void show(int) { OutputDF x; }' >show.cpp
run luna run p.fa
code 1
err_has "hint: #include <ucenv.h>"

# All that is wrong is told in one run.
fresh
hello
sed -i 's/int k/double k/; s/%d/%g/' b.cpp
mv a.c not_it.c && sed -i s/c_hello/c_other/ not_it.c
run luna run hello.fa
code 1
err_has "hello.fa:1:8: error[SYN10]"
err_has "hello.fa:2:8: error[SYN12]"
err_has "2 errors"

# ---- SYN2, SYN12: what the files' texts tell when no compiler has run ----
trio() {
    cat >p.c <<'E'
#include <luna.h>
#include <stdio.h>
void make(int k, /* in */ luna_df *out) { luna_set_int(out, k); }
void add(const luna_df *a, const luna_df *b,
         luna_df *c)
{
    luna_set_int(c, luna_get_int(a) + luna_get_int(b));
}
void show(const luna_df *a) { printf("%d\n", luna_get_int(a)); }
static void hidden(double x) { printf("%g\n", x); }
void norm(const double *v) { printf("%g\n", *v), hidden(*v); }
E
    cat >p.fa <<'E'
import make(int, name) as make;
import add(value, value, name) as add;
import show(value) as show;
sub main()
{
    df a, b, c;
    make(1, a);
    make(2, b);
    add(a, b, c);
    show(c);
}
E
}

fresh
trio
sed -i /show.value/d p.fa
run luna run p.fa
code 1
err <<'E'
p.fa:9:5: error[SYN2]: there is no sub 'show'
    9 |     show(c);
      |     ^~~~
hint: p.c has a function show(const luna_df *a): import show(value) as show;
1 error
E
sed -i 's/ show(c)/ shwo(c)/' p.fa
run luna run p.fa
err_has "hint: did you mean 'show'? p.c has a function show(const luna_df *a): import show(value) as show;"
sed -i 's/ shwo(c)/ hidden(c)/' p.fa
run luna run p.fa
err_has "hint: p.c has a function hidden(double x): it is static: take that away, and import hidden(real) as hidden;"
sed -i 's/ hidden(c)/ norm(c)/' p.fa
run luna run p.fa
err_has "hint: p.c has a function norm(const double *v): no call can pass what it takes"
sed -i 's/ norm(c)/ print(c)/' p.fa
run luna run p.fa
err_has "hint: a function in C prints: write one that calls printf, and import it"

# In C++ linkage counts.
fresh
trio
rm p.c
cat >p.cpp <<'E'
#include <ucenv.h>
namespace n { void show(int k) { (void)k; } }
extern "C" {
void make(int k, OutputDF &x) { x = k; }
}
void show(const InputDF &x) { (void)x; }
extern "C" void add(const DF &a, const DF &b, DF &c) { c = a.getInt() + b.getInt(); }
E
sed -i /^import/d p.fa
run luna run p.fa
code 1
err_has "hint: p.cpp has a function make(int k, OutputDF &x): import make(int, name) as make;"
err_has "import add(value, value, name) as add;"
err_has "hint: p.cpp has a function show(const InputDF &x): put extern \"C\" in front of it, and import show(value) as show;"

# The import is wrong, and the calls seem to be.
fresh
trio
sed -i 's/make(int, name)/make(int)/' p.fa
run luna run p.fa
code 1
err_has "p.fa:1:8: error[SYN12]: 'make' is imported with 1 parameter, but takes 2"
err_has "p.c:3:6: note: the function is here"
err_has "hint: import make(int, name) as make; or else change the function"
fresh
trio
sed -i 's/make(int, name)/make(int, value)/' p.fa
run luna run p.fa
code 1
err <<'E'
p.fa:1:8: error[SYN12]: parameter 'luna_df *out' of 'make' is imported as a value
    1 | import make(int, value) as make;
      |        ^~~~
p.c:3:6: note: the function is here
hint: import make(int, name) as make; or else change the function
1 error
E
fresh
trio
sed -i 's/show(value)/show(name)/' p.fa
run luna run p.fa
code 1
err_has "p.fa:3:8: error[SYN12]: parameter 'const luna_df *a' of 'show' is imported as a name"
err_has "1 error"
# The program fits its imports, and the function has an input and its output the other way round.
for CC in gcc clang; do
    command -v "$CC" >/dev/null || continue
    export CC
    fresh
    trio
    sed -i '/^void add/{N;s/.*/void add(const luna_df *a, luna_df *c, const luna_df *b)/}' p.c
    run luna check p.fa
    code 1
    err_has "p.fa:2:8: error[SYN12]: parameter 'const luna_df *"
    err_has "hint: import add(value, name, value) as add; or else change the function"
    err_has "1 error"
    # What is read need not be const.
    fresh
    trio
    sed -i '/^void add/{N;s/.*/void add(const luna_df *a, luna_df *b, luna_df *const c)/}' p.c
    run luna run p.fa
    code 0
done
unset CC
fresh
trio
sed -i 's/int k, .. in .. luna_df \*out/luna_df *out, int k/' p.c
run luna run p.fa
code 1
err_has "p.fa:1:8: error[SYN12]: parameter 1 of 'make' is imported as an integer, but the function takes a pointer or reference"
err_has "hint: import make(name, int) as make; or else change the function"

# ---- SYN13, SYN14: defined twice ----
fresh
hello
cat >c.cpp <<'E'
extern const int limit;
const int limit = 3;
extern "C" void cpp_hello(int) { }
E
echo 'extern const int limit; const int limit = 4;' >>b.cpp
run luna run hello.fa
code 1
err <<'E'
c.cpp:1:18: error[SYN13]: global 'limit' is defined in two files
    1 | extern const int limit;
      |                  ^~~~~
b.cpp:3:18: note: also defined here
hint: rename one, make it static, or declare one extern
c.cpp:3:17: error[SYN14]: function 'cpp_hello' is defined in two files
    3 | extern "C" void cpp_hello(int) { }
      |                 ^~~~~~~~~
b.cpp:2:17: note: also defined here
hint: rename one, or make it static
2 errors
E

# A .c file that is left out, though it has a function that is needed, may be the one that is meant.
fresh
cat >p.fa <<'E'
import show(int) as show;
sub main() show(1);
E
cat >new.c <<'E'
#include <stdio.h>
void show(int k) { printf("new %d\n", k); }
E
sed 's/new/old/; $a\void unused(void) { }' new.c >old.c
run luna run p.fa
code 1
err <<'E'
old.c:2:6: error[SYN14]: function 'show' is defined in two files
    2 | void show(int k) { printf("old %d\n", k); }
      |      ^~~~
new.c:2:6: note: also defined here
hint: rename one, or name the files that are meant: --cpp-dir= --cpp-source=new.c
1 error
E
run luna run --cpp-dir= --cpp-source=old.c p.fa
code 0
out <<'E'
old 1
E
# What nobody needs may be there as often as it likes.
printf '#include <stdio.h>\nvoid other(void) { }\nint main(void) { return 0; }\n' >old.c
cp old.c older.c
run luna run p.fa
code 0
quiet
out <<'E'
new 1
E
# In C++ too.
echo 'extern "C" void show(int) { }' >newer.cpp
run luna run p.fa
code 1
err_has "new.c:2:6: error[SYN14]: function 'show' is defined in two files"
err_has "newer.cpp:1:17: note: also defined here"

# ---- CC5: MPI is luna's ----
fresh
cat >u.c <<'E'
/* MPI_Barrier, MPI_Send */
int MPI_Barrier(int comm);
int MPI_Send(const void *p, int n);
double MPI_Wtime(void);
void say(int k)
{
    MPI_Send(&k, 1);
    MPI_Barrier(k + (int)MPI_Wtime());
}
E
cat >v.cpp <<'E'
extern "C" int PMPI_Comm_rank(int, int *);
extern "C" void rank() { int r; PMPI_Comm_rank(0, &r); }
E
echo 'import say(int) as say; import rank() as rank; sub main() { say(1); rank(); }' >p.fa
cat >want <<'E'
u.c:3:5: error[CC5]: functions do not call MPI, but one of this file calls 'MPI_Send'
    3 | int MPI_Send(const void *p, int n);
      |     ^~~~~~~~
u.c:4:8: note: 'MPI_Wtime', too
u.c:2:5: note: 'MPI_Barrier', too
hint: luna runs MPI itself, and chooses the node of each call: pass values through fragments, and combine them by reduce
v.cpp:1:16: error[CC5]: functions do not call MPI, but one of this file calls 'PMPI_Comm_rank'
    1 | extern "C" int PMPI_Comm_rank(int, int *);
      |                ^~~~~~~~~~~~~~
hint: luna runs MPI itself, and chooses the node of each call: pass values through fragments, and combine them by reduce
2 errors
E
for command in "check p.fa" "run p.fa" "build p.fa -o p"; do
    run luna $command
    code 1
    err <want
done
holds "nothing is built" "$(ls p 2>/dev/null)" = ""
# A file that takes no part may call it, and a program may bring such functions itself.
cat >serial.c <<'E'
int MPI_Barrier(int comm) { return comm; }
int MPI_Send(const void *p, int n) { return !p + n; }
double MPI_Wtime(void) { return 0; }
E
cat >v.c <<'E'
int MPI_Init(int *, char ***);
int main(int argc, char **argv) { return MPI_Init(&argc, &argv); }
E
rm v.cpp
echo 'import say(int) as say; sub main() say(1);' >p.fa
run luna run p.fa
code 0
quiet
# In a block, and where the header is not there.
fresh
cat >p.fa <<'E'
C head ${{ int MPI_Barrier(int comm); $}}
C sub f() ${{ MPI_Barrier(0); $}}
sub main() f();
E
run luna run p.fa
code 1
err_has "p.fa:1:16: error[CC5]: functions do not call MPI, but one of this file calls 'MPI_Barrier'"
err_has "1 error"
fresh
printf '#include <mpi.h>\nvoid say(int k) { MPI_Barrier(k); }\n' >u.c
echo 'import say(int) as say; sub main() say(1);' >p.fa
run luna run p.fa
code 1
err_has "u.c:1:10: error[CC1]: mpi.h: No such file or directory"
err_has "hint: functions do not call MPI: luna runs it; pass values through fragments"

# ---- SEM13 ----
fresh
hello
cat >b.cpp <<'E'
#include <cstdio>
#include <iostream>
static int total;
const int fixed[] = {1, 2};
static const char *const names[] = {"a", "b"};
thread_local int mine;
extern "C" void cpp_hello(int k)
{
    static int calls;
    mine = total += ++calls + fixed[k & 1];
    std::cout << names[k & 1] << std::endl;
}
E
cat >want <<'E'
b.cpp:3:12: warning[SEM13.1]: functions change 'total', a variable that all calls share
    3 | static int total;
      |            ^~~~~
b.cpp:10:12: note: it is changed here
hint: calls may run at the same time, and on different nodes: pass values through fragments
b.cpp:9:16: warning[SEM13.1]: functions change 'calls', a variable that all calls share
    9 |     static int calls;
      |                ^~~~~
b.cpp:10:23: note: it is changed here
hint: calls may run at the same time, and on different nodes: pass values through fragments
2 warnings
E
# Each run tells: what compiles, what finds the object of a run or of a check, and a build.
for first in "run hello.fa" "check hello.fa" "run -q hello.fa"; do
    rm -rf "$XDG_CACHE_HOME"
    luna $first >/dev/null 2>&1
    for command in "run hello.fa" "build hello.fa -o hello" "check hello.fa"; do
        run luna $command
        code 0
        err <want
    done
    run luna run -q hello.fa
    code 0
    quiet
done
for k in cached cold; do
    run luna run hello.fa
    code 0
    err <want
    run luna run --color=always hello.fa
    code 0
    holds "in colour" "$(grep -c '^.\[1;36mhint:.\[0m calls' "$here/err")" = 2
    for again in 1 2; do
        run luna run -Wno-SEM13 hello.fa
        code 0
        quiet
        run luna run -Werror=SEM13.1 hello.fa
        code 1
        out </dev/null
        err_has "error[SEM13.1]: functions change 'calls'"
        err_has "2 errors"
    done
    rm -rf "$XDG_CACHE_HOME"
done
if luna run -n 2 --transport=mpi hello.fa >/dev/null 2>&1; then
    run luna run -n 2 --transport=mpi hello.fa
    code 0
    holds "it is told once" "$(grep -c 'functions change' "$here/err")" = 2
fi

# Locks, atomic variables, and what no function is seen to change, may be meant: luna check tells.
fresh
cat >u.c <<'E'
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int calls;
int table[] = {1, 2, 3};
void say(int k) { pthread_mutex_lock(&lock); calls += table[k]; pthread_mutex_unlock(&lock); }
E
echo 'import say(int) as say; sub main() say(1);' >p.fa
run luna run p.fa
code 0
quiet
run luna check p.fa
code 0
err_has "u.c:3:24: warning[SEM13.2]: 'lock' is a variable that all calls share"
err_has "u.c:4:19: warning[SEM13.2]: 'calls' is a variable that all calls share"
err_has "u.c:5:5: warning[SEM13.2]: 'table' is a variable that all calls share"
err_has "3 warnings"

# In a block of the program.
fresh
cat >p.fa <<'E'
C head ${{ static int count; $}}
C sub f() ${{ count++; $}}
sub main() f();
E
run luna run p.fa
code 0
err <<'E'
p.fa:1:23: warning[SEM13.1]: functions change 'count', a variable that all calls share
    1 | C head ${{ static int count; $}}
      |                       ^~~~~
hint: calls may run at the same time, and on different nodes: pass values through fragments
1 warning
E

# It stands where it is declared: not where a parameter or a local variable has its name, and in the
# header that declares it, though that is included by another one.
fresh
mkdir lib
cat >lib/count.h <<'E'
#pragma once
static inline int next(void) { static int count = 1; return ++count; }
E
cat >lib/all.h <<'E'
#pragma once
#include "count.h"
#include "all.h"
E
cat >u.c <<'E'
#include "lib/all.h"
int shared[4], left; /* shared */
static int twice(int count) { int left = 2; return left * count; }
static int plain(int shared) { int count = shared; return count; }
void say(int k) { shared[k & 3] = twice(next()) + plain(k), left++; }
E
echo 'import say(int) as say; sub main() say(1);' >p.fa
run luna check p.fa
code 0
err <<'E'
lib/count.h:2:43: warning[SEM13.1]: functions change 'count', a variable that all calls share
    2 | static inline int next(void) { static int count = 1; return ++count; }
      |                                           ^~~~~
lib/count.h:2:63: note: it is changed here
hint: calls may run at the same time, and on different nodes: pass values through fragments
u.c:2:5: warning[SEM13.1]: functions change 'shared', a variable that all calls share
    2 | int shared[4], left; /* shared */
      |     ^~~~~~
u.c:5:19: note: it is changed here
hint: calls may run at the same time, and on different nodes: pass values through fragments
u.c:2:16: warning[SEM13.1]: functions change 'left', a variable that all calls share
    2 | int shared[4], left; /* shared */
      |                ^~~~
u.c:5:61: note: it is changed here
hint: calls may run at the same time, and on different nodes: pass values through fragments
3 warnings
E

# ---- CC1: the compilers reject a ucode ----
fresh
hello
echo 'int x = y;' >part.h
cat >b.cpp <<'E'
#include "part.h"
extern "C" void cpp_hello(int k) { return k + nothing; }
E
run luna run hello.fa
code 1
out </dev/null
err_has "part.h:1:9: error[CC1]: 'y' was not declared in this scope"
err_has "b.cpp:2:47: error[CC1]: 'nothing' was not declared in this scope"
err_has "    2 | extern \"C\" void cpp_hello(int k) { return k + nothing; }"
err_lacks "/luna-"

# A header that was forgotten is the only report of the file; one of the system's is a hint.
fresh
trio
sed -i /luna.h/d p.c
run luna run p.fa
code 1
err <<'E'
p.c:2:27: error[CC1]: unknown type name 'luna_df'
    2 | void make(int k, /* in */ luna_df *out) { luna_set_int(out, k); }
      |                           ^~~~~~~
hint: #include <luna.h>
1 error
E
fresh
trio
sed -i /stdio.h/d p.c
run luna run p.fa
code 1
err_has "error[CC1]: implicit declaration of function 'printf'"
err_has "hint: #include <stdio.h>"
err_lacks SYN10
fresh
trio
sed -i 's/show/free/; 1i #include <stdlib.h>' p.c
sed -i s/show/free/g p.fa
run luna run p.fa
code 1
err_has "error[CC1]: conflicting types for 'free'"
err_has "hint: a header has this name: call yours my_free, and import my_free(...) as free"
err_has "1 error"

# One error of a header is one report, in however many files it stands; errors come as the compiler
# tells them; what else is wrong in such a file is not told.
fresh
trio
echo 'static inline int first(void) { return y; } missing_type z; missing_type w;' >b.h
sed -i '1i #include "b.h"' p.c
sed -i /^void.make/d p.c
echo '#include "b.h"' >q.c
echo 'void make(int k, void *out) { (void)k, (void)out, q(); }' >>q.c
run luna check p.fa
code 1
err <<'E'
b.h:1:40: error[CC1]: 'y' undeclared (first use in this function)
    1 | static inline int first(void) { return y; } missing_type z; missing_type w;
      |                                        ^
b.h:1:45: error[CC1]: unknown type name 'missing_type'
    1 | static inline int first(void) { return y; } missing_type z; missing_type w;
      |                                             ^~~~~~~~~~~~
q.c:2:51: error[CC1]: implicit declaration of function 'q' [-Werror=implicit-function-declaration]
    2 | void make(int k, void *out) { (void)k, (void)out, q(); }
      |                                                   ^
3 errors
E
fresh
trio
sed -i 's/make(int k/make(double k/; s/hidden(\*v)/y/' p.c
run luna run p.fa
code 1
err_has "p.c:11:50: error[CC1]: 'y' undeclared (first use in this function)"
err_has "1 error"

# In a block of the program: the place is the program's.
fresh
cat >block.fa <<'E'
C++ sub hello(int k) ${{
    prinf("%d\n", k);
$}}
sub main() hello(1);
E
run luna run block.fa
code 1
err_has "block.fa:2:5: error[CC1]: 'prinf' was not declared in this scope"
err_has "    2 |     prinf(\"%d\\n\", k);"

# A file of another folder is named as the user named the folder.
fresh
hello
mkdir sub && mv a.c b.cpp sub && echo 'nonsense' >>sub/b.cpp
run luna run --cpp-dir=sub hello.fa
code 1
err_has "sub/b.cpp:3:1: error[CC1]:"

# ---- CC2: a ucode uses what nobody defines ----
fresh
hello
cat >b.cpp <<'E'
void helper(int);
extern "C" void cpp_hello(int k) { helper(k); }
E
run luna run hello.fa
code 1
err <<'E'
b.cpp:1:6: error[CC2]: 'helper(int)' is used, but nothing defines it
    1 | void helper(int);
      |      ^~~~~~
hint: a library that has it is named by #link "NAME"
1 error
E

# ---- .c files take part only when needed ----
fresh
hello
printf '#include "not_there.h"\nint main(void) { c_hello(1); }\n' >driver.c
printf 'int main(void) { return 0; }\nvoid step(void) { }\n' >other_driver.c
run luna run hello.fa -t 1
code 0
quiet
out <<'E'
C 1
C++ 2
E

mv a.c z.c && sed -i '1i #include "not_there.h"' z.c
run luna run hello.fa
code 1
err_lacks SYN10
err_has "z.c:1:10: error[CC1]: not_there.h: No such file or directory"

# A .c file needed by another .c file; a function called as one of the C library.
fresh
cat >names.fa <<'E'
import write(int) as write;
import exp(int) as exp;
import init(int) as init;
import main(int) as start;
sub main() { write(1); exp(2); init(3); start(4); }
E
cat >w.c <<'E'
#include <stdio.h>
void put(const char *, int);
void write(int k) { put("write", k); }
void exp(int k) { put("exp", k); }
void init(int k) { put("init", k); }
E
printf '#include <stdio.h>\nvoid put(const char *w, int k) { printf("%%s %%d\\n", w, k); }\n' >put.c
printf 'void put(const char *, int);\nvoid main(int k) { put("main", k); }\n' >m.c
run luna run names.fa -t 1
code 0
quiet
out <<'E'
write 1
exp 2
init 3
main 4
E
finish
