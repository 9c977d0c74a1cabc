# What can be wrong between the imports of a program and the functions of its C and C++ files: SYN2, SYN10,
# SYN12; and what is not wrong, though it looks so.
. "${0%/*}/lib.sh"

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

# A class that no call can pass, in C++: also by another name, which for a fragment is fine.
fresh
cat >p.cpp <<'E'
#include <ucenv.h>
#include <string>
#include <vector>
struct V { int a; };
typedef InputDF Value;
typedef const InputDF &In;
extern "C" void f1(const std::vector<double> &) {}
extern "C" void f2(const InputDF &) {}
extern "C" void f3(std::string) {}
extern "C" void f4(const std::string &) {}
extern "C" void f5(int, const V &) {}
extern "C" void g(const Value &, In, unsigned, const DF &, OutputDF &x) { x = 1; }
E
cat >p.fa <<'E'
import f1(value) as f1;
import f2(string) as f2;
import f3(string) as f3;
import f4(string) as f4;
import f5(int, value) as f5;
import g(value, value, int, value, name) as g;
sub main() { df x; f1(1); f2("a"); f3("a"); f4("a"); f5(1, 2); g(1, 2, 3, 4, x); }
E
run luna check p.fa
code 1
err_has "p.fa:1:8: error[SYN12]: parameter 1 of 'f1' is imported as a value, but the function takes a 'const std::vector<double>&'"
err_has "hint: in C++ a value is a const InputDF &"
err_has "p.fa:2:8: error[SYN12]: parameter 1 of 'f2' is imported as a string, but the function takes a 'const InputDF&'"
err_has "hint: in C++ a string is a const char *"
err_has "p.fa:3:8: error[SYN12]: parameter 1 of 'f3' is imported as a string, but the function takes a 'std::string'"
err_has "p.fa:4:8: error[SYN12]: parameter 1 of 'f4' is imported as a string, but the function takes a 'const std::string&'"
err_has "p.fa:5:8: error[SYN12]: parameter 2 of 'f5' is imported as a value, but the function takes a 'const V&'"
err_lacks "of 'g'"
err_has "5 errors"

# ---- SYN2, SYN12: what the files' texts tell when no compiler has run ----
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
    sed -i '/^void add/s/const luna_df \*b/luna_df *c/; s/^         luna_df \*c/         const luna_df *b/' p.c
    run luna check p.fa
    code 1
    err_has "p.fa:2:8: error[SYN12]: parameter 'const luna_df *"
    err_has "hint: import add(value, name, value) as add; or else change the function"
    err_has "1 error"
    fresh
    trio
    sed -i 's/^void make([^)]*)/void make(luna_df *out,\n          int k)/' p.c
    run luna check p.fa
    code 1
    err_has "p.fa:1:8: error[SYN12]: parameter 1 of 'make' is imported as an integer, but the function takes a pointer or reference"
    err_has "hint: import make(name, int) as make; or else change the function"
    # What is read need not be const.
    fresh
    trio
    sed -i '/^void add/s/const luna_df \*b/luna_df *b/; s/^         luna_df \*c/         luna_df *const c/' p.c
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
finish
