/* gfortran.c - see gfortran.h. */
#include "apps/luna/build/gfortran.h"

#include "apps/luna/build/ctext.h"
#include "apps/luna/common/files.h"

#include <ctype.h>
#include <string.h>

/* ---- messages ---- */

static const struct kind {
    const char *theirs, *ours;
} kinds[] = {{": Fatal Error: ", "error"}, {": Error: ", "error"}, {": Warning: ", "warning"}};

/* The first kind in the line; NULL: the line is no message. */
static const struct kind *
kind_of(const char *line, const char **at)
{
    const struct kind *found = NULL;
    *at = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *here = strstr(line, kinds[i].theirs);
        if (!here || (found && here >= *at)) continue;
        *at = here;
        found = &kinds[i];
    }
    return found;
}

/* FILE:LINE:COL-COL: two places in one line. The first of them is enough. */
static size_t
place_size(const char *line, size_t size)
{
    size_t n = size;
    while (n && isdigit((unsigned char)line[n - 1])) n--;
    return n && n < size && line[n - 1] == '-' && memchr(line, ':', n) ? n - 1 : size;
}

/* "Symbol 'k' at (1) has": the place stands in front of the message. */
static void
put_words(struct buf *out, const char *words, bool two)
{
    static const char one[] = " at (1)";
    for (const char *p; !two && (p = strstr(words, one)); words = p + sizeof one - 1)
        buf_add(out, words, (size_t)(p - words));
    buf_str(out, words);
    buf_char(out, '\n');
}

/* A message about two lines is printed as two: the first has its place and "(1)", the second is
 * about "(1) and (2)" and has the place of (2). */
static void
put_message(struct arena *a, struct buf *out, const char *line, const char **first)
{
    const char *at, *words;
    const struct kind *k = kind_of(line, &at);
    if (!k) return;
    words = at + strlen(k->theirs);
    const char *place = arena_strndup(a, line, place_size(line, (size_t)(at - line)));
    if (!strcmp(words, "(1)")) {
        *first = place;
        return;
    }
    buf_printf(out, "%s: %s: ", *first ? *first : place, k->ours);
    put_words(out, words, strstr(words, "(2)"));
    if (*first) buf_printf(out, "%s: note: this is (2)\n", place);
    *first = NULL;
}

const char *
gfortran_log(struct arena *a, const char *log)
{
    struct buf out = {0};
    const char *first = NULL;
    for (const char *p = log; *p;) {
        size_t n = strcspn(p, "\n");
        put_message(a, &out, arena_strndup(a, p, n), &first);
        p += n + (p[n] == '\n');
    }
    const char *text =
        out.size ? arena_strdup(a, out.data) : arena_strndup(a, log, strcspn(log, "\n"));
    bool failed = out.failed;
    buf_fini(&out);
    if (failed) arena_jump(a, ARENA_NO_MEMORY);
    return text;
}

/* ---- prototypes ---- */

static size_t
word_size(const char *p)
{
    return ctext_word(p).size;
}

/* Types that are spelt in a way of gfortran's own. */
static void
put_word(struct buf *out, const char *word, size_t n)
{
    static const char complex[] = "_COMPLEX", integer[] = "int_"; /* int_least8_t */
    size_t c = sizeof complex - 1, i = sizeof integer - 1;
    bool is_long = word_is((struct word){word, n}, "long_double") ||
                   word_is((struct word){word, n}, "float128");
    if (n > c && !memcmp(word + n - c, complex, c)) buf_str(out, "double _Complex");
    else if (is_long) buf_str(out, "long double");
    else if (n > i && !memcmp(word, integer, i)) buf_str(out, "int");
    else buf_add(out, word, n);
}

static const char *
params_of(struct arena *a, const char *p)
{
    struct buf out = {0};
    while (*p && *p != ';' && *p != '\n') {
        const char *end = strncmp(p, "/*", 2) ? NULL : strstr(p, "*/");
        size_t n = word_size(p);
        if (end)
            p = end + 2;
        else if (n)
            put_word(&out, p, n), p += n;
        else
            buf_char(&out, *p++);
    }
    const char *text = arena_strdup(a, out.size ? out.data : "");
    bool failed = out.failed;
    buf_fini(&out);
    if (failed) arena_jump(a, ARENA_NO_MEMORY);
    return text;
}

const char *
gfortran_params(struct arena *a, const char *prototypes, const char *function)
{
    size_t n = strlen(function);
    for (const char *p = prototypes; (p = strstr(p, function)); p += n) {
        bool word = p > prototypes && (p[-1] == ' ' || p[-1] == '*') && !strncmp(p + n, " (", 2);
        const char *line = p;
        while (line > prototypes && line[-1] != '\n') line--;
        if (word && !memchr(line, '(', (size_t)(p - line)))
            return params_of(a, p + n + 2);
    }
    return NULL;
}
