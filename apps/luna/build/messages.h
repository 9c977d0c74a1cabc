/* messages.h - what a C or C++ compiler printed, as diagnostics in our form. */
#ifndef LUNA_APPS_MESSAGES_H
#define LUNA_APPS_MESSAGES_H

#include "lang/report/diag.h"

enum message_kind { MESSAGE_ERROR, MESSAGE_WARNING, MESSAGE_NOTE };

struct message {
    enum message_kind kind;
    const char *file;
    uint32_t line, col; /* col 0: not told */
    const char *words;
    const char *user; /* in a template of a header: who made it of that, and where; NULL: not so */
    uint32_t user_line, user_col;
};

/* Takes the next line of the form FILE:LINE[:COL]: KIND: WORDS from `text`, skipping others. */
bool message_next(struct arena *a, const char **text, struct message *out);

/* How the user calls the file that the compiler calls `path`: files in the folder of `path` are
 * named after `shown`. */
struct alias {
    const char *path, *shown;
};
/* Where the message points; with the line's text if the file can be read. */
struct place message_place(struct arena *a, const struct message *m, const struct alias *alias);

/* Reports the errors of a log, with their notes, as CC1. When none has our form, the first line is
 * reported as it is, for `alias`. */
void messages_report(struct diag *d, struct arena *a, const char *log, const struct alias *alias);
/* Reports the warnings of a log, with their notes, as CC3, but those about files below `not_in`. */
void messages_report_warnings(struct diag *d, struct arena *a, const char *log,
                              const struct alias *alias, const char *not_in);

#endif
