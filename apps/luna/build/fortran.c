/* fortran.c - see fortran.h. */
#include "apps/luna/build/fortran.h"

#include "apps/luna/build/ctext.h"
#include "apps/luna/common/path.h"
#include "runtime/base/buf.h"
#include "runtime/base/vec.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* ---- endings ---- */

bool
fortran_is_preprocessed(const char *path)
{
    return path_has_suffix(path, ".F90") || path_has_suffix(path, ".F");
}

bool
fortran_is_fixed(const char *path)
{
    return path_has_suffix(path, ".f") || path_has_suffix(path, ".F");
}

bool
fortran_is_source(const char *path)
{
    return path_has_suffix(path, ".f90") || path_has_suffix(path, ".f") ||
           fortran_is_preprocessed(path);
}

/* ---- lines to statements ---- */

/* A statement: continued lines are one, comments are gone, and letters outside of quotes are small.
 * Each character knows the one it comes from. */
struct statement {
    struct buf text;
    const char **from;
    size_t room;
};

struct walk {
    struct arena *arena;
    const char *start, *at; /* the text, and the line to come */
    bool fixed;
    char quote;     /* of the string at hand, which a line may leave open; 0: none */
    bool continues; /* the last line ended in & */
    struct statement s;
};

static void
put(struct walk *w, char c, const char *from)
{
    struct statement *s = &w->s;
    vec_need(w->arena, s->from, s->text.size, s->room);
    s->from[s->text.size] = from;
    buf_char(&s->text, w->quote ? c : (char)tolower((unsigned char)c));
}

static const char *
line_end(const char *p)
{
    return p + strcspn(p, "\r\n");
}

static const char *
next_line(const char *p)
{
    p = line_end(p);
    if (*p == '\r') p++;
    return *p == '\n' ? p + 1 : p;
}

/* The text of a line up to a comment; sets `continues` where the last character is an &. A quote
 * that is doubled inside of a string closes it and opens it again. */
static void
take_line(struct walk *w, const char *p, const char *end)
{
    size_t mark = w->s.text.size;
    bool open = false;
    for (; p < end && (w->quote || *p != '!'); p++) {
        bool last = *p == '&' && !w->fixed;
        for (const char *q = p + 1; last && q < end; q++)
            if (!isspace((unsigned char)*q)) last = !w->quote &&*q == '!' ? q = end, true : false;
        if (last) {
            open = true;
            break;
        }
        if (w->quote && *p == w->quote)
            w->quote = 0;
        else if (!w->quote && (*p == '\'' || *p == '"'))
            w->quote = *p;
        put(w, *p, p);
    }
    bool blank = w->s.text.size == mark && !open;
    w->continues = open || (blank && w->continues); /* a comment between continued lines */
    if (!w->continues && !w->fixed) w->quote = 0;
}

static void
take_free(struct walk *w)
{
    const char *end = line_end(w->at), *p = w->at;
    while (p < end && isspace((unsigned char)*p)) p++;
    if (*w->at == '#') return; /* the preprocessor's */
    if (w->continues && p < end && *p == '&') p++;
    take_line(w, p, end);
}

/* Where the statement begins in a line of fixed form; NULL: a comment. `more`: it continues. */
static const char *
fixed_text(const char *line, const char *end, bool *more)
{
    *more = false;
    if (line == end || strchr("cC*!dD#", *line)) return NULL;
    for (int col = 0; line + col < end && col < 6; col++) {
        if (line[col] == '\t') return line + col + 1;
        if (col == 5) *more = line[col] != ' ' && line[col] != '0';
    }
    return line + (end - line < 6 ? end - line : 6);
}

/* Does the line behind continue the statement? Comments in between do not count. */
static bool
fixed_continues(const char *p)
{
    bool more = false;
    for (; *p; p = next_line(p)) {
        const char *end = line_end(p), *text = fixed_text(p, end, &more);
        while (text && text < end && isspace((unsigned char)*text)) text++;
        if (text && (more || text < end)) return more;
    }
    return false;
}

enum { FIXED_COLUMNS = 72 }; /* what is behind them is a comment */

static void
take_fixed(struct walk *w)
{
    bool more;
    const char *end = line_end(w->at), *text = fixed_text(w->at, end, &more);
    if (end - w->at > FIXED_COLUMNS) end = w->at + FIXED_COLUMNS;
    if (text && text < end) take_line(w, text, end);
    w->continues = fixed_continues(next_line(w->at));
    if (!w->continues) w->quote = 0;
}

/* The next statement that is not blank. False: that was the last. */
static bool
next_statement(struct walk *w)
{
    buf_clear(&w->s.text);
    while (*w->at) {
        w->fixed ? take_fixed(w) : take_free(w);
        w->at = next_line(w->at);
        if (!w->continues && w->s.text.size) return true;
    }
    return w->s.text.size > 0;
}

static struct walk
walk_of(struct arena *a, const char *text, bool fixed)
{
    return (struct walk){.arena = a, .start = text, .at = text, .fixed = fixed};
}

static void
place_of(const struct walk *w, const char *at, uint32_t *line, uint32_t *col)
{
    *line = *col = 1;
    for (const char *p = w->start; p < at; p++) {
        ++*col;
        if (*p == '\n') ++*line, *col = 1;
    }
}

/* ---- words of a statement ---- */

static const char *
skip(const char *p)
{
    return p + strspn(p, " \t");
}

static size_t
word_size(const char *p)
{
    return ctext_word(p).size;
}

static bool
is_word(const char *p, const char *word)
{
    size_t n = strlen(word);
    return word_size(p) == n && !strncasecmp(p, word, n);
}

/* Behind the word and blanks; NULL: another stands here. */
static const char *
behind(const char *p, const char *word)
{
    return is_word(p, word) ? skip(p + strlen(word)) : NULL;
}

/* Behind what stands in parentheses or quotes at `p`. */
static const char *
behind_group(const char *p)
{
    if (*p == '\'' || *p == '"') {
        const char *end = strchr(p + 1, *p);
        return end ? end + 1 : p + strlen(p);
    }
    for (int depth = 0; *p; p++) {
        if (*p == '\'' || *p == '"') p = behind_group(p) - 1;
        if (*p == '(') depth++;
        if (*p == ')' && !--depth) return p + 1;
    }
    return p;
}

/* ---- modules ---- */

static void
add_named(struct arena *a, struct words *w, const char *file)
{
    if (!words_have(w, file)) words_add(a, w, file);
}

static const char *
module_file(struct arena *a, const char *name)
{
    return arena_printf(a, "%.*s.mod", (int)word_size(name), name);
}

static bool
is_intrinsic(const char *p)
{
    static const char *const names[] = {"iso_c_binding", "iso_fortran_env", "ieee_arithmetic",
                                        "ieee_exceptions", "ieee_features"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_word(p, names[i])) return true;
    return false;
}

/* use NAME; use :: NAME; use, intrinsic :: NAME */
static void
read_use(struct arena *a, const char *p, struct fortran *out)
{
    const char *colons = *p == ',' ? strstr(p, "::") : NULL;
    if (*p == ',' && is_word(skip(p + 1), "intrinsic")) return;
    if (colons)
        p = skip(colons + 2);
    else if (!strncmp(p, "::", 2))
        p = skip(p + 2);
    if (word_size(p) && !is_intrinsic(p)) add_named(a, &out->reads, module_file(a, p));
}

/* submodule (MODULE[:PARENT]) NAME reads what its parent has made. */
static void
read_submodule(struct arena *a, const char *p, struct fortran *out)
{
    if (*p != '(') return;
    const char *module = skip(p + 1), *name = skip(behind_group(p));
    int n = (int)word_size(module), m = (int)word_size(name);
    const char *colon = skip(module + n), *parent = *colon == ':' ? skip(colon + 1) : NULL;
    add_named(a, &out->makes, arena_printf(a, "%.*s@%.*s.smod", n, module, m, name));
    add_named(a, &out->reads,
              parent ? arena_printf(a, "%.*s@%.*s.smod", n, module, (int)word_size(parent), parent)
                     : arena_printf(a, "%.*s.smod", n, module));
}

/* A module may have submodules in other files: they read a second file of it. */
static void
read_module(struct arena *a, const char *p, struct fortran *out)
{
    size_t n = word_size(p);
    if (!n || *skip(p + n)) return; /* module procedure f */
    add_named(a, &out->makes, module_file(a, p));
    add_named(a, &out->makes, arena_printf(a, "%.*s.smod", (int)n, p));
}

static void
read_statement(struct arena *a, const char *p, struct fortran *out)
{
    const char *rest;
    if ((rest = behind(p, "use")))
        read_use(a, rest, out);
    else if ((rest = behind(p, "module")))
        read_module(a, rest, out);
    else if ((rest = behind(p, "submodule")))
        read_submodule(a, rest, out);
    else if ((rest = behind(p, "include")) && (*rest == '\'' || *rest == '"'))
        add_named(a, &out->includes,
                  arena_strndup(a, rest + 1, strcspn(rest + 1, (char[]){*rest, 0})));
}

void
fortran_read(struct arena *a, const char *text, bool fixed, struct fortran *out)
{
    struct walk w = walk_of(a, text, fixed);
    while (next_statement(&w)) {
        char *line = arena_strdup(a, w.s.text.data), *next;
        for (char *p = line; p; p = next) {
            for (next = p; *next && *next != ';'; next++)
                if (*next == '\'' || *next == '"') next = (char *)behind_group(next) - 1;
            next = *next ? *next = 0, next + 1 : NULL;
            read_statement(a, skip(p), out);
        }
    }
    buf_fini(&w.s.text);
}

/* ---- procedures ---- */

/* The name behind `subroutine` or `function`; what stands before it are words of its kind. NULL:
 * the statement begins no procedure. */
static const char *
procedure_name(const char *p)
{
    if (!strncmp(p, "end", 3)) return NULL;
    while (word_size(p)) {
        const char *name = behind(p, "subroutine");
        if (!name) name = behind(p, "function");
        if (name) return word_size(name) ? name : NULL;
        p = skip(p + word_size(p));
        if (*p == '(') p = skip(behind_group(p));
    }
    return NULL;
}

/* What others call it: bind(c, name="This"), else its own name; *bound tells which. */
static const char *
label_of(struct arena *a, const char *name, bool *bound)
{
    size_t n = word_size(name);
    const char *p = skip(name + n), *rest, *label;
    if (*p == '(') p = skip(behind_group(p));
    if ((rest = behind(p, "result"))) p = skip(behind_group(rest));
    rest = behind(p, "bind");
    *bound = rest && *rest == '(';
    label = *bound ? strstr(rest, "name") : NULL;
    if (label && label < behind_group(rest)) {
        label += strcspn(label, "'\"");
        if (*label) return arena_strndup(a, label + 1, strcspn(label + 1, "'\""));
    }
    return arena_strndup(a, name, n);
}

/* What stands in an interface is defined elsewhere. */
static bool
is_interface(const char *p, bool inside)
{
    if (!strncmp(p, "end", 3) && is_word(skip(p + 3), "interface")) return false;
    if (is_word(p, "endinterface")) return false;
    return inside || is_word(p, "interface") ||
           (is_word(p, "abstract") && is_word(skip(p + 8), "interface"));
}

void
fortran_functions(struct arena *a, const char *text, const char *path, const char *shown,
                  struct functions *f)
{
    struct walk w = walk_of(a, text, fortran_is_fixed(path));
    bool inside = false, bound;
    while (next_statement(&w)) {
        const char *p = skip(w.s.text.data), *name;
        inside = is_interface(p, inside);
        if (inside || !(name = procedure_name(p))) continue;
        struct function x = {.name = label_of(a, name, &bound), .path = path, .shown = shown};
        x.mangled = !bound;
        place_of(&w, w.s.from[name - w.s.text.data], &x.line, &x.col);
        vec_need(a, f->at, f->n, f->room);
        f->at[f->n++] = x;
    }
    buf_fini(&w.s.text);
}

/* ---- declarations ---- */

/* The word in a statement, outside of quotes. */
static const char *
find_word(const char *p, const char *word)
{
    while (*p) {
        size_t n = word_size(p);
        if (n && is_word(p, word)) return p;
        p = *p == '\'' || *p == '"' ? behind_group(p) : p + (n ? n : 1);
    }
    return NULL;
}

/* character(len=*) :: s   character(kind=c_char) :: s(:)   character, dimension(:) :: s */
static bool
is_descriptor(const char *declaration, const char *param)
{
    const char *p = behind(declaration, "character");
    const char *at = p ? find_word(p, param) : NULL,
               *type_end = p && *p == '(' ? behind_group(p) : p;
    if (!at || at < type_end) return false;
    if (memchr(p, '*', (size_t)(type_end - p))) return true;
    const char *rest = skip(at + strlen(param)), *dimension = find_word(type_end, "dimension");
    if (*rest != '(') rest = dimension && dimension < at ? dimension + strlen("dimension") : NULL;
    return rest && memchr(rest, ':', (size_t)(behind_group(skip(rest)) - rest));
}

bool
fortran_is_described(struct arena *a, const char *text, bool fixed, const char *function,
                     const char *param)
{
    struct walk w = walk_of(a, text, fixed);
    bool inside = false, found = false, bound;
    while (!found && next_statement(&w)) {
        const char *p = skip(w.s.text.data), *name = procedure_name(p);
        if (name) inside = !strcmp(label_of(a, name, &bound), function) && bound;
        found = inside && is_descriptor(p, param);
    }
    buf_fini(&w.s.text);
    return found;
}

bool
fortran_find(struct arena *a, const char *text, bool fixed, const char *word, uint32_t *line,
             uint32_t *col)
{
    struct walk w = walk_of(a, text, fixed);
    const char *first = NULL, *declared = NULL;
    while (!declared && next_statement(&w)) {
        const char *p = w.s.text.data, *colons = strstr(p, "::");
        const char *at = find_word(colons ? colons : p, word);
        const char *from = at ? w.s.from[at - p] : NULL;
        if (colons) declared = from;
        if (!first) first = from;
    }
    buf_fini(&w.s.text);
    if (!first) return false;
    place_of(&w, declared ? declared : first, line, col);
    return true;
}

/* Behind the (...) and %part of a variable. */
static const char *
behind_parts(const char *p)
{
    for (p = skip(p);; p = skip(p)) {
        if (*p == '(') p = behind_group(p);
        else if (*p == '%') p = skip(p + 1), p += word_size(p);
        else return p;
    }
}

/* At the variable that a statement assigns, also one that an if or a label stands before. */
static const char *
assigned(const char *p)
{
    while (isdigit((unsigned char)*p)) p++;
    p = skip(p);
    const char *group = behind(p, "if");
    if (group && *(group = skip(group)) == '(') p = skip(behind_group(group));
    const char *equals = behind_parts(p + word_size(p));
    return word_size(p) && *equals == '=' && !strchr("=>", equals[1]) ? p : NULL;
}

bool
fortran_find_change(struct arena *a, const char *text, bool fixed, const char *name, uint32_t *line,
                    uint32_t *col)
{
    struct walk w = walk_of(a, text, fixed);
    const char *first = NULL;
    int declared = 0;
    while (next_statement(&w)) {
        const char *p = w.s.text.data, *colons = strstr(p, "::");
        const char *at = assigned(p);
        declared += colons && find_word(colons, name);
        if (!first && !colons && at && is_word(at, name)) first = w.s.from[at - p];
    }
    buf_fini(&w.s.text);
    if (!first || declared > 1) return false;
    place_of(&w, first, line, col);
    return true;
}
