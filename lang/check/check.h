/* check.h - what can be known about a program before it runs: kinds and types of arguments, single
 * assignment, what is read but never written, unused names, suspicious conditions. */
#ifndef LUNA_LANG_CHECK_CHECK_H
#define LUNA_LANG_CHECK_CHECK_H

#include "lang/report/diag.h"
#include "lang/tree/ast.h"

void check_run(struct arena *a, struct ast *t, struct diag *d);

#endif
