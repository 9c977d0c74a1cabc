/* gfortran.h - what gfortran printed: its messages, and its prototypes in C.
 *
 * It must not know files or jobs: texts come in. */
#ifndef LUNA_APPS_GFORTRAN_H
#define LUNA_APPS_GFORTRAN_H

#include "apps/luna/build/functions.h"
#include "apps/luna/build/symbols.h"
#include "lang/lang.h"

/* A log of -fno-diagnostics-show-caret, in the form that messages.h reads. Its first line if
 * there is no message in it. */
const char *gfortran_log(struct arena *a, const char *log);

/* The parameters of the function in what -fc-prototypes printed, "int n, const luna_df *x)", in
 * words that signature.h knows. NULL: none is there. */
const char *gfortran_params(struct arena *a, const char *prototypes, const char *function);

#endif
