/* signature.h - do the imports of the program fit the functions they name (SYN12)?
 *
 * Prototypes of all imports are appended to each ucode while it is compiled. If that fails and
 * without them it does not, the compiler's words tell what the function really takes. What matters
 * is how an argument is passed: as an integer, a double, or a pointer; `const DF &` for a name is
 * as good as `luna_df *`, and as `void *`, but `double *` is not. Why the user's compiler is asked,
 * and no debug information: docs/decisions/0009. */
#ifndef LUNA_APPS_SIGNATURE_H
#define LUNA_APPS_SIGNATURE_H

#include "apps/luna/build/functions.h"
#include "apps/luna/build/messages.h"
#include "apps/luna/build/symbols.h"
#include "lang/lang.h"

/* The text to append: prototypes in `lang`, each as a line of its own of the file IMPORTS_FILE. */
void signature_prototypes(const struct ast *t, enum foreign_lang lang, struct buf *out);
#define IMPORTS_FILE "luna-import"

/* `log` is what the compiler said with the prototypes; `symbols` tells whether the function is
 * defined in this ucode, and not merely declared by a header. An import that no call can reach is
 * worth a warning only. */
void signature_report(struct diag *d, struct arena *a, const struct lang *l, const char *log,
                      const struct symbols *symbols, const struct alias *alias);

/* The same of one function, whose parameters are known: says so and gives true where they do not
 * fit the import. NULL: they are not known, which fits. */
bool signature_compare(struct diag *d, struct arena *a, const struct sub *import, enum severity sev,
                       const char *params, const struct place *where, enum foreign_lang lang);
enum severity signature_severity(const struct plan *p, const struct sub *import);

/* How parameters are passed, one letter each: i integer, d double, f float, l long double, z
 * complex, s struct; a pointer or reference to c text, n numbers, p anything else; ? unknown.
 * `text` begins behind the opening parenthesis. NULL: cannot be told. */
const char *signature_classes(struct arena *a, const char *text);
/* The parameters of the import that fits, "int, name"; NULL: no call can pass what it takes. */
const char *signature_import(struct arena *a, const char *text);

/* What can be told without a compiler, of a program that has errors: imports that do not fit the
 * functions of `f`. That a value is an output, or a name an input, is told if it can be the cause
 * of the errors. */
void signature_guess(struct diag *d, struct arena *a, const struct ast *t,
                     const struct functions *f);

#endif
