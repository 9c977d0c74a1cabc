/* verdict.h - what the user wants done with warnings: the words behind -W.
 *
 *     no-SYN5.6       do not report it           SYN5.6          report it after all
 *     error=SEM4      it is an error             no-error=SEM4   it stays a warning
 *     error           every warning is one       no-error        the contrary
 *     possible        report also what goes wrong only for some input
 *
 * A word stands for the code, or for all codes that begin with it: SYN5, SYN, all. Later words
 * win; but what is not reported is no error either, in whatever order that is said. Errors stay
 * errors: nothing here lets a wrong program pass. */
#ifndef LUNA_LANG_REPORT_VERDICT_H
#define LUNA_LANG_REPORT_VERDICT_H

#include "lang/report/diag.h"

/* Takes one word. False: it names no code; `near` gets one that may be meant, or NULL. */
bool verdicts_read(struct verdicts *v, const char *word, const char **near);

#endif
