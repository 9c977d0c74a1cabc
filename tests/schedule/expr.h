/* expr.h - the value of an expression, read from its text each time.
 *
 * Programs of these tests are made, read and run within one process, so nobody compiles their
 * expressions. The text may be that of a program, or the C that the compiler has made of it: both
 * have ints, names, calls, indices and operators, and all values here are ints.
 *
 *     c ? a : b   || &&   < <= == != > >=   + -   * / %   - !   7  n  f(a, b)  x[i][j]
 */
#ifndef LUNA_TESTS_SCHEDULE_EXPR_H
#define LUNA_TESTS_SCHEDULE_EXPR_H

#include <stdint.h>

enum { EXPR_ARGS = 8, EXPR_NAME = 32 };

/* A name: alone (how 0), called (how '(') or with indices (how '['). */
typedef int64_t expr_name_fn(void *who, const char *name, char how, const int64_t *arg, int n);

/* What stands before a comma, a closing bracket or anything else that goes on no expression.
 * A text that is no expression aborts: a test has written it. */
int64_t expr_value(const char *text, expr_name_fn *name, void *who);

#endif
