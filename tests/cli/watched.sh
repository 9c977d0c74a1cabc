# What functions may do wrong beside their values: heaps and stacks that they spoil, threads and
# processes that they start, static objects. Each ends with one message, or is no matter of ours.
. "${0%/*}/lib.sh"

cat >w.fa <<'F'
C++ head ${{
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <csignal>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <fenv.h>
#include <setjmp.h>
#include <sys/wait.h>
#include <unistd.h>
static int (*nowhere)(const void *, const void *);
static int zero(void) { return getenv("NO_SUCH_WORD") != nullptr; }
static void overrun(char *p, int n) { for (int i = 0; i < n; i++) const_cast<volatile char *>(p)[i] = 1; }
static struct last { ~last() { if (getenv("LAST")) *(volatile int *)16 = 1; } } last; // NOLINT
$}}
C++ sub f(int k, name b) ${{
    switch (k) {
    case 1: // the heap: malloc aborts while it holds its lock
        overrun(static_cast<char *>(malloc(100000)), 100000 + 24);
        for (int i = 0; i < 100; i++) if (!malloc(100000)) return;
        break;
    case 2: { char few[8]; overrun(few, 4096 + zero()); break; } // the stack
    case 3: { int a[9] = {3, 1, 2}; nowhere = (int (*)(const void *, const void *))(uintptr_t)(16 + zero());
        qsort(a, 9, sizeof *a, nowhere); break; }
    case 4: { jmp_buf j; memset(j, 1, sizeof j); longjmp(j, 1); }
    case 5: std::thread([] { exit(0); }).join(); break;
    case 6: std::thread([] { exit(1); }).join(); break;
    case 7: std::thread([] { *(volatile int *)16 = 1; }).join(); break;
    case 8: std::thread([] { throw std::runtime_error("in a thread"); }).join(); break;
    case 9: feenableexcept(FE_DIVBYZERO); b = 1.0 / zero(); break;
    case 10: fprintf(fopen("written", "w"), "whole"); exit(0);
    case 11: std::ios::sync_with_stdio(false); std::cout << "printed"; exit(0);
    case 12: if (!fork()) { execl("/no/such/program", "x", (char *)nullptr); exit(1); }
        wait(nullptr); b = 1; return;
    case 13: if (!fork()) { b = 2; return; }
        { int how; wait(&how); b = WEXITSTATUS(how); return; }
    case 14: if (!fork()) { signal(SIGSEGV, SIG_IGN); *(volatile int *)16 = 1; }
        { int how; wait(&how); b = WTERMSIG(how); return; }
    case 15: setenv("LAST", "", 1); b = 1; return;
    }
    b = zero();
$}}
C++ sub say(int b) ${{ printf("b is %d\n", b); $}}
sub main(int k) { df b; f(k, b); say(b); }
F

wrong() { # K CODE WORDS: on one worker and two, and beside other nodes
    for how in "-t 1" "-t 2" "-n 2 -t 1"; do
        run timeout 60 "$LUNA" run -q $how w.fa "$1"
        code "$2"
        err_has "$3"
        holds "one message ($1 $how)" "$(grep -c ': error\[\|: warning\[' "$here/err")" = 1
    done
}
if [ -z "$SANITIZED" ]; then # they find these themselves
    wrong 1 3 "error[RUN6]: 'f' called abort (SIGABRT), called as f"
    wrong 2 3 "error[RUN6]: 'f' "
    wrong 3 3 "error[RUN6]: 'f' used an invalid address (SIGSEGV), called as f"
    wrong 4 3 "error[RUN6]: 'f' "
    wrong 7 3 "error[RUN6]: a thread that a function has started used an invalid address (SIGSEGV)"
    err_has ": note: 'f' is running"
    err_has "luna: note: in the line w.fa:"
    wrong 9 3 "'f' met a trap of floating-point arithmetic that it has set (SIGFPE)"
    wrong 15 3 "error[RUN6]: what runs when the program ends, as destructors do, used an invalid address"
    out_has "b is 1"
fi
wrong 5 3 "error[RUN7]: a thread that a function has started called exit(0)"
wrong 6 3 "error[RUN7]: a thread that a function has started called exit(1)"
err_has ": note: 'f' is running"
wrong 8 3 "error[RUN6]: a thread that a function has started called abort (SIGABRT)"
err_has "in a thread"

# ---- exit(0): what was written until then is there ----
wrong 10 0 "warning[RUN7]: 'f' called exit(0), called as f: the run ends here"
holds "a file of the function's is whole" "$(cat written)" = whole
wrong 11 0 "warning[RUN7]: 'f' called exit(0), called as f: the run ends here"
out_has "printed"

# ---- children ----
for how in "-t 1" "-t 2" "-n 2 -t 1"; do
    # What looks for leaks at the exit of a child wants to stop threads that are not there.
    run timeout 60 env ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" "$LUNA" run -q $how w.fa 12
    code 0
    quiet
    out_has "b is 1"
    run timeout 60 "$LUNA" run -q $how w.fa 13
    code 0
    err_has "error[RUN7]: 'f' has returned in a process that it forked"
    out_has "b is 3"
    holds "once" "$(grep -c "b is" "$here/out")" = 1
done
if [ -z "$SANITIZED" ]; then
    run timeout 60 "$LUNA" run -q w.fa 14
    code 0
    quiet
    out_has "b is 11"
fi

# ---- static objects, before anything runs ----
loaded() { # WORDS WHAT
    cat >s.fa <<F
C++ head \${{
#include <cstdlib>
#include <stdexcept>
static struct first { first() { $2; } } first;
\$}}
C++ sub f() \${{ \$}}
sub main() f();
F
    for how in run sim; do
        run timeout 60 "$LUNA" $how s.fa
        code 3
        err_has "what runs when the program is loaded, as constructors do, $1"
    done
    run luna build -q s.fa -o s
    code 0
    run timeout 60 ./s
    code 3
    err_has "what runs when the program is loaded, as constructors do, $1"
}
loaded "called abort (SIGABRT)" 'throw std::runtime_error("first")'
loaded "called exit(4)" 'exit(4)'
[ -n "$SANITIZED" ] || loaded "used an invalid address (SIGSEGV)" '*(volatile int *)16 = 1'

# ---- how floating-point arithmetic rounds is a matter of one call ----
cat >r.fa <<'F'
C head ${{
#include <fenv.h>
#include <stdio.h>
$}}
C sub up(int k, name x) ${{ fesetround(FE_UPWARD); luna_set_int(x, k); $}}
C sub third(int k, name x) ${{ volatile double three = 3; luna_set_real(x, k / three); $}}
C sub say(real x) ${{ printf("%.17g\n", x); $}}
sub main() {
    df x, y, s, t;
    for i = 0 .. 99 { up(i, x[i]); third(x[i] > -1 ? 1 : 0, y[i]); }
    reduce max y[i] over i = 0 .. 99 => s;
    reduce + y[i] over i = 0 .. 2 => t;
    say(s);
    say(t + 1.0 / real(3 * (x[0] + 1)));
}
F
for how in "-t 1" "-t 2" "-n 2 -t 1" "-g -t 1"; do
    run luna run -q $how r.fa
    code 0
    sort "$here/out" >sorted
    holds "to nearest: $how" "$(tr '\n' ' ' <sorted)" = "0.33333333333333331 1.3333333333333333 "
done

# ---- a locale with commas: values are what they were ----
if localedef -i de_DE -f UTF-8 "$here/de_DE.UTF-8" 2>"$here/log"; then
    cat >l.fa <<'F'
C++ head ${{
#include <clocale>
#include <cstdio>
$}}
C++ sub sets(name d) ${{ d = setlocale(LC_ALL, "de_DE.UTF-8") != nullptr; printf("%.1f\n", 0.5); $}}
C++ sub real_of(string s, name x) ${{ x = DF(std::string(s)).cast_real(); $}}
C++ sub says(string s) ${{ printf("%s\n", s); $}}
sub main() {
    df d, x;
    sets(d);
    if d { real_of("1.25", x); says("x is " + x); }
}
F
    for how in "-t 1" "-t 2" "-n 2 -t 1"; do
        run env LOCPATH="$here" "$LUNA" run --stats $how --print=x l.fa
        code 0
        out_has "0,5"
        out_has "x is 1.250000"
        err_has "x = 1.25"
        holds "no comma in what luna says" "$(grep -c '[0-9],[0-9]' "$here/err")" = 0
    done
else
    skip "no localedef, or no locales (locales)"
fi
# ---- a trace stays where it was asked for, wherever a function goes ----
cat >c.fa <<'F'
C head ${{
#include <unistd.h>
$}}
C sub go(name x) ${{ luna_set_int(x, chdir("/")); $}}
C sub say(int x) ${{ (void)x; $}}
sub main() { df x; go(x); say(x); }
F
run luna run -q -t 1 --trace=relative --report=page.html c.fa
code 0
quiet
run luna stats relative
code 0
holds "the page, too" -s page.html
finish
