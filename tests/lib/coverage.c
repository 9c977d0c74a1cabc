/* coverage.c - linked into all of preset `coverage`: processes that end by _exit are counted.
 *
 * A run that tells a fault leaves by _exit, which skips the handler that writes the counts. The
 * linker sends all calls of _exit here (--wrap). */
#include <unistd.h>

void __gcov_dump(void);
void __real__exit(int code) __attribute__((noreturn));
void __wrap__exit(int code) __attribute__((noreturn));

void
__wrap__exit(int code)
{
    __gcov_dump();
    __real__exit(code);
}
