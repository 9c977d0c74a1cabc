/* variables.c - see variables.h. */
#include "apps/luna/build/variables.h"

#include "apps/luna/build/changes.h"
#include "apps/luna/build/ctext.h"
#include "apps/luna/common/files.h"
#include "apps/luna/common/path.h"

#include <string.h>

/* ---- in one text ---- */

/* The statement at hand. */
struct statement {
    bool plain;     /* so far words, commas and stars: it may declare something */
    bool has_value; /* the = of the last declarator was seen */
    bool is_static;
    int words;
    char before;    /* the token before, 'w': a word; 0: none */
};

static const struct statement first = {.plain = true};

static void
take_word(struct statement *s, struct word w)
{
    static const char *const others[] = {"return", "goto", "case", "extern", "typedef", "sizeof"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (word_is(w, others[i])) s->plain = false;
    s->is_static |= word_is(w, "static");
    s->words++;
    s->before = 'w';
}

static void
take_sign(struct statement *s, char c)
{
    if (strchr(";{}:", c)) *s = first;
    else if (c == ',') s->has_value = false;
    else if (c == '=') s->has_value = true;
    else if (c != '*' && c != '&' && !s->has_value) s->plain = false;
    s->before = c;
}

/* Behind a type or another declarator, and in front of what may follow one. */
static bool
declares(const struct statement *s, const char *start, struct word w)
{
    const char *next = ctext_token(start, w.text + w.size);
    bool behind = s->before == 'w' || s->before == '*' || s->before == ',';
    return s->plain && !s->has_value && s->words && behind && *next && strchr("=;[,{", *next);
}

static const char *
find_variable(const char *text, const char *name, bool is_static)
{
    struct statement s = first;
    int parens = 0;
    for (const char *p = ctext_token(text, text); *p; p = ctext_token(text, p)) {
        struct word w = ctext_word(p);
        if (w.size && !parens && word_is(w, name) && declares(&s, text, w) &&
            (s.is_static || !is_static))
            return p;
        if (*p == '(') parens++;
        if (*p == ')' && parens) parens--;
        if (*p == ';' || *p == '}') parens = 0;
        if (w.size) take_word(&s, w);
        else if (!parens || *p == '(') take_sign(&s, *p);
        p = w.size ? p + w.size : *p == '"' || *p == '\'' ? ctext_literal(p) : p + 1;
        if (p[-1] == ']') s.plain = true; /* int a[3], b; */
    }
    return NULL;
}

/* ---- in a file and its headers ---- */

struct search {
    struct arena *arena;
    const struct alias *file;
    const char *name;
    bool changes;   /* where it is changed, not where it is declared */
    bool is_static;
    struct words seen;
};

static void
set_place(const struct search *s, const char *path, const char *text, const char *at,
          struct place *out)
{
    struct message m = {.file = path, .line = 1, .col = 1};
    for (const char *p = text; p < at; p++) {
        m.col++;
        if (*p == '\n') m.line++, m.col = 1;
    }
    *out = message_place(s->arena, &m, s->file);
}

static bool search_file(struct search *s, const char *path, struct place *out);

/* The headers of #include "name", as the compiler finds them first: beside the file. */
static bool
search_headers(struct search *s, const char *path, const char *text, struct place *out)
{
    for (const char *p = text; (p = strstr(p, "#include")); p += 8) {
        const char *name = p + 8 + strspn(p + 8, " \t");
        size_t n = *name == '"' ? strcspn(name + 1, "\"\n") : 0;
        if (!n || name[1] == '/') continue;
        const char *header = arena_strndup(s->arena, name + 1, n);
        if (search_file(s, path_join(s->arena, path_dir(s->arena, path), header), out)) return true;
    }
    return false;
}

static bool
search_file(struct search *s, const char *path, struct place *out)
{
    struct buf text = {0};
    if (words_have(&s->seen, path)) return false;
    words_add(s->arena, &s->seen, path);
    bool found = false;
    if (!file_take(s->arena, path, &text) && text.size) {
        const char *at = s->changes ? changes_find(text.data, s->name)
                                    : find_variable(text.data, s->name, s->is_static);
        if (at) set_place(s, path, text.data, at, out);
        found = at || search_headers(s, path, text.data, out);
    }
    buf_fini(&text);
    return found;
}

/* A local one is static, or in an unnamed namespace. */
bool
variable_place(struct arena *a, const struct alias *file, const char *name, bool local,
               struct place *out)
{
    struct search s = {.arena = a, .file = file, .name = name, .is_static = local};
    if (search_file(&s, file->path, out)) return true;
    s.is_static = false;
    s.seen.n = 0;
    return local && search_file(&s, file->path, out);
}

bool
variable_change(struct arena *a, const struct alias *file, const char *name, struct place *out)
{
    struct search s = {.arena = a, .file = file, .name = name, .changes = true};
    return search_file(&s, file->path, out);
}
