/* diag_parts.h - the list of reports, for those that print it: diag_text.c, diag_json.c. */
#ifndef LUNA_LANG_REPORT_DIAG_PARTS_H
#define LUNA_LANG_REPORT_DIAG_PARTS_H

#include "lang/report/diag.h"

struct note {
    struct note *next;
    struct place place; /* file NULL: none */
    const char *words;
};

struct report {
    enum severity severity;
    enum diag_code code;
    struct place place;
    const char *words;
    struct note *notes, **notes_end;
    struct note *hints, **hints_end;
    int rank; /* of its file, while sorting */
    int seq;
    bool shown;
};

struct diag {
    struct arena *arena;
    const struct source *source;
    struct report **reports; /* in the order they came */
    int n, room;
    struct map *seen;       /* to merge equal ones */
    int count[2];           /* by severity, without the merged */
    int to_errors;          /* of the warnings, if verdicts are applied */
    const struct verdicts *verdicts;
    struct report *current; /* notes go here; NULL: the last report was merged or is one too many */
};

/* All that are kept, by file, line and column; in the arena. */
struct report **diag_sorted(const struct diag *d);
/* "error", "warning". */
const char *diag_severity_text(enum severity severity);

#endif
