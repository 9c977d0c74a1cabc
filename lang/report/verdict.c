/* verdict.c - see verdict.h. */
#include "lang/report/verdict.h"

#include "runtime/base/near.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Is `code` the one that is named, or of the family that is? SYN5 is SYN5.1 but not SYN50. */
static bool
is_named(const char *code, const char *name)
{
    size_t n = strlen(name);
    if (!strcasecmp(name, "all")) return true;
    if (!n || !isalnum((unsigned char)name[n - 1]) || strncasecmp(code, name, n)) return false;
    bool digits = isdigit((unsigned char)name[n - 1]);
    return !code[n] || code[n] == '.' || (!digits && isdigit((unsigned char)code[n]));
}

static bool
set_named(bool of[DIAG_CODES], const char *name, bool value)
{
    bool found = false;
    for (int i = 0; i < DIAG_CODES; i++) {
        if (!is_named(diag_code_text((enum diag_code)i), name)) continue;
        of[i] = value;
        found = true;
    }
    return found;
}

static const char *
nearest_code(const char *name)
{
    struct near near = {.word = name};
    for (int i = 0; i < DIAG_CODES; i++) near_try(&near, diag_code_text((enum diag_code)i));
    near_try(&near, "error");
    near_try(&near, "all");
    near_try(&near, "possible");
    return near.best;
}

/* Takes the beginning off a word that has it. */
static bool
take(const char **word, const char *beginning)
{
    size_t n = strlen(beginning);
    if (strncmp(*word, beginning, n)) return false;
    *word += n;
    return true;
}

bool
verdicts_read(struct verdicts *v, const char *word, const char **near)
{
    bool wanted = !take(&word, "no-");
    if (!strcmp(word, "error")) return set_named(v->error, "all", wanted);
    if (!strcmp(word, "possible")) {
        v->possible = wanted;
        return true;
    }
    bool as_error = take(&word, "error=");
    *near = nearest_code(word);
    if (as_error && !set_named(v->error, word, wanted)) return false;
    /* Who asks for an error asks for the report. */
    return (as_error && !wanted) || set_named(v->dropped, word, !wanted);
}
