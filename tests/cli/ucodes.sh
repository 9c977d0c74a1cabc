# What can be wrong in the C and C++ files of a program: SYN13, SYN14, SEM13, CC1, CC2, CC5; and what is not
# wrong, though it looks so.
. "${0%/*}/lib.sh"

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

# Where a parameter of another function has its name, too.
fresh
cat >p.fa <<'E'
C sub say(int k) ${{ (void)k; $}}
C sub counter(name v) ${{ static int k; luna_set_int(v, k++); $}}
sub main() { df x; counter(x); say(x); }
E
run luna run p.fa
code 0
err_has "p.fa:2:38: warning[SEM13.1]: functions change 'k', a variable that all calls share"

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
# Which of several values has bytes that are no whole items.
fresh
cat >items.fa <<'E'
C++ sub three(name x) ${{ x.create<int>(3); $}}
C++ sub both(value a, value b) ${{ (void)a.getData<int>(); (void)b.getData<double>(); $}}
sub main() { df x, y; three(x[1]); three(y[2]); both(x[1], y[2]); }
E
run luna run -q items.fa
code 3
err_has "error[RUN5]: y[2]: getData failed: 12 bytes are no whole items of 8 (in 'both', called as both)"
err_has "items.fa:3:36: note: 'y' is assigned here, by three"
err_has "hint: it was made of items of another size; getSize() tells how many bytes it has"

# What is const is none, also if a constructor makes it: it is never written again.
cat >const.fa <<'E'
C++ head ${{
#include <map>
#include <string>
#include <vector>
static const std::vector<int> table = {1, 2, 3};
namespace { const std::map<std::string, int> ages = {{"a", 1}}; }
static const std::string name("x");
static std::string other("y");
$}}
C++ sub f(int i, name x) ${{ x = table[i % 3] + ages.at("a") + (int)name.size() + (int)other.size(); $}}
sub main() { df x; for i = 0 .. 9 f(i, x[i]); for i = 0 .. 9 f(x[i], x[i + 10]); }
E
run luna check -Wno-SEM4 const.fa
code 0
err_lacks "'table'"
err_lacks "'ages'"
err_lacks "'name'"
err_has "warning[SEM13.2]: 'other' is a variable that all calls share"
sed 's/static std::string other/static const std::string other/' const.fa >spread.fa
run luna run -n 2 spread.fa
code 0
err_has "is spread over 2 nodes"

finish
