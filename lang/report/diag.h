/* diag.h - what we tell the user about the program: place, words, what to do.
 *
 *     heat.fa:14:16: error[SEM2.1]: 'u[i]' is assigned twice
 *        14 |     cf b: step(u[i]);
 *           |                ^~~~
 *     heat.fa:9:16: note: first assigned here, for i = 0..N-1
 *     hint: index it by the step: u[t][i]
 *
 * A check reports and goes on, so that one run shows all faults. diag() starts a report; the notes
 * and hints that follow belong to it. Where the place stands in a macro or an included file, notes
 * name the uses. Reports are kept, sorted by place at the end (those of a C compiler first, as they
 * came), equal ones are merged (same severity, code, place and words), and at most 20 are printed,
 * errors before warnings, then a count. Text and JSON come from the same list; JSON has all. */
#ifndef LUNA_LANG_REPORT_DIAG_H
#define LUNA_LANG_REPORT_DIAG_H

#include "lang/report/source.h"
#include "runtime/base/buf.h"

#include <stdbool.h>

enum severity { SEV_ERROR, SEV_WARNING };

/* D_SYN3, D_PAR1, ...: one per line of diag.def, which holds the code and a one-line meaning. */
#define DIAG_CODE(id, code, meaning) D_##id,
enum diag_code {
#include "lang/report/diag.def"
    DIAG_CODES
};
#undef DIAG_CODE

struct diag; /* the reports of one compilation */

struct diag *diag_new(struct arena *a, const struct source *s);
const struct source *diag_source(const struct diag *d);

/* Starts a report at `span`. */
void diag(struct diag *d, enum severity sev, enum diag_code code, struct span span, const char *fmt,
          ...) __attribute__((format(printf, 5, 6)));
/* The same at bytes of an origin's file, for the preprocessor. */
void diag_origin(struct diag *d, enum severity sev, enum diag_code code, int origin,
                 uint32_t offset, uint32_t size, const char *fmt, ...)
    __attribute__((format(printf, 7, 8)));
/* The same without a place (no 'main'), or at a line of a file we did not read ourselves (the C
 * compiler's findings): `place` or place->file may be NULL, line 0 is "the file as a whole", col 0
 * "the line as a whole", line_text may be NULL. What `place` points at is lent to `d` for good. */
void diag_at(struct diag *d, enum severity sev, enum diag_code code, const struct place *place,
             const char *fmt, ...) __attribute__((format(printf, 5, 6)));
void diag_note(struct diag *d, struct span span, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void diag_note_origin(struct diag *d, int origin, uint32_t offset, uint32_t size, const char *fmt,
                      ...) __attribute__((format(printf, 5, 6)));
void diag_note_at(struct diag *d, const struct place *place, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void diag_hint(struct diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What becomes of warnings, by code. verdict.h reads it from words of the user. */
struct verdicts {
    bool dropped[DIAG_CODES]; /* not reported */
    bool error[DIAG_CODES];   /* an error */
    bool possible; /* what only may go wrong is reported, too */
};

/* For the reports that follow. `v` is lent to `d` for good. */
void diag_set_verdicts(struct diag *d, const struct verdicts *v);
/* Turns warnings into errors: once, when all is reported. Until then they count as warnings: passes
 * are left out after errors, and the user would see less instead of more. */
void diag_apply_verdicts(struct diag *d);

/* Forgets warnings but those of n codes. */
void diag_keep_warnings(struct diag *d, const enum diag_code *codes, int n);

/* Drops what is wrong or unused only because of another error: nobody reads what a misspelt name
 * should have read. */
void diag_drop_follow_ups(struct diag *d);

bool diag_has_error(const struct diag *d, enum diag_code code);
int diag_errors(const struct diag *d);
int diag_warnings(const struct diag *d);

/* Prints all, sorted by place: text as above with a count as the last line ("1 error, 2 warnings"),
 * or the JSON object {"diagnostics": [...], "errors": n, "warnings": n}. No reports: no text. */
void diag_print_text(const struct diag *d, struct buf *out);
void diag_print_json(const struct diag *d, struct buf *out);

/* The code as the user reads it, "SEM2.1", and its one-line meaning. */
const char *diag_code_text(enum diag_code code);
const char *diag_code_meaning(enum diag_code code);

#endif
