/* sanitize.h - luna run --sanitize: functions of the program are compiled with sanitizers. Their
 * runtime must be in the process before anything else, so the command begins once more with it.
 *
 * luna itself is compiled without. It tells the address sanitizer which bytes around values are
 * nobody's (runtime/base/sanitizer.h). */
#ifndef LUNA_APPS_SANITIZE_H
#define LUNA_APPS_SANITIZE_H

#include "apps/luna/common/files.h"

/* Words for the compiler and, behind them, for the linker as well. */
void sanitize_flags(struct arena *a, const char *list, const char *cc, struct words *flags);
/* Begins this command again with the runtimes that `list` needs, unless they are there. 0, or said
 * what is missing and gives an exit code. */
int sanitize_begin(struct arena *a, const char *list, const char *cc);

#endif
