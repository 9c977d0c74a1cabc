/* functions.c - see functions.h. */
#include "apps/luna/build/functions.h"

#include "apps/luna/build/ctext.h"
#include "apps/luna/build/messages.h"
#include "runtime/base/vec.h"

#include <ctype.h>
#include <string.h>

/* A walk through a file, outside of all braces but those of extern "C". */
struct walk {
    const char *start, *at;
    int depth;
    bool c_block; /* within extern "C" { } */
    /* Of the declaration at hand: */
    int words;
    bool is_static, is_extern, c_linkage, has_value; /* has_value: behind a = */
    struct word last;     /* the token before, if it is a word */
    struct word function; /* the word before the first parenthesis, if it may be a name */
    struct word params;
};

/* ---- declarations ---- */

static void
begin_declaration(struct walk *w)
{
    w->words = 0;
    w->is_static = w->is_extern = w->c_linkage = w->has_value = false;
    w->last = w->function = w->params = (struct word){0};
}

static void
take_word(struct walk *w)
{
    struct word t = ctext_word(w->at);
    w->at += t.size;
    w->words++;
    w->is_static |= word_is(t, "static");
    w->is_extern |= word_is(t, "extern");
    w->last = t;
}

/* From an opening parenthesis to behind the closing one. The first such list behind a type and a
 * name is that of parameters; names of the compiler's own, __attribute__, have others. */
static void
take_list(struct walk *w)
{
    const char *start = ++w->at;
    for (int depth = 1; *w->at && depth;) {
        if (ctext_is_comment(w->at)) w->at = ctext_comment(w->at);
        else if (*w->at == '"' || *w->at == '\'') w->at = ctext_literal(w->at);
        else depth += (*w->at == '(') - (*w->at == ')'), w->at++;
    }
    bool named = w->last.size && w->words > 1 && strncmp(w->last.text, "__", 2);
    if (named && !w->has_value && !w->function.size) {
        w->function = w->last;
        w->params = (struct word){start, (size_t)(w->at - start)};
    }
    w->last = (struct word){0};
}

/* Without comments, each blank once. */
static const char *
one_line(struct arena *a, struct word w)
{
    char *text = arena_alloc(a, w.size + 1), *to = text;
    for (const char *p = w.text, *end = p + w.size; p < end;) {
        bool blank = isspace((unsigned char)*p) || ctext_is_comment(p);
        if (!blank) *to++ = *p++;
        else p = ctext_is_comment(p) ? ctext_comment(p) : p + 1;
        if (blank && to > text && to[-1] != ' ' && p < end && *p != ')') *to++ = ' ';
    }
    *to = 0;
    return text;
}

static struct function
function_of(struct arena *a, const struct walk *w, bool cpp)
{
    struct function f = {.name = arena_strndup(a, w->function.text, w->function.size),
                         .params = one_line(a, w->params),
                         .line = 1,
                         .col = 1,
                         .hidden = w->is_static,
                         .mangled = cpp && !w->c_block && !w->c_linkage};
    for (const char *p = w->start; p < w->function.text; p++) {
        f.col++;
        if (*p == '\n') f.line++, f.col = 1;
    }
    return f;
}

/* ---- files ---- */

/* A brace at the first column ends what is open: #if may have opened it twice. */
static void
take_inside(struct walk *w)
{
    bool first = w->at == w->start || w->at[-1] == '\n';
    if (*w->at == '"' || *w->at == '\'') {
        w->at = ctext_literal(w->at);
        return;
    }
    if (*w->at == '{') w->depth++;
    if (*w->at == '}') w->depth = first ? 0 : w->depth - 1;
    w->at++;
    if (!w->depth) begin_declaration(w);
}

static void
take_literal(struct walk *w)
{
    if (w->is_extern && !strncmp(w->at, "\"C\"", 3)) w->c_linkage = true;
    w->at = ctext_literal(w->at);
    w->last = (struct word){0};
}

/* An opening brace: gives the function whose body begins. */
static bool
take_brace(struct walk *w)
{
    bool block = w->c_linkage && w->words == 1; /* extern "C" { */
    bool body = w->function.size;
    w->at++;
    if (!block) {
        w->depth = 1;
        return body;
    }
    w->c_block = true;
    begin_declaration(w);
    return false;
}

static void
take_other(struct walk *w)
{
    if (*w->at == '}') w->c_block = false;
    if (*w->at == '}' || *w->at == ';') begin_declaration(w);
    if (*w->at == '=') w->has_value = true;
    w->last = (struct word){0};
    w->at++;
}

void
functions_add(struct arena *a, struct functions *f, const char *text, bool cpp, const char *path,
              const char *shown)
{
    struct walk w = {.start = text, .at = text};
    while (*(w.at = ctext_token(text, w.at))) {
        if (w.depth) {
            take_inside(&w);
        } else if (*w.at == '{') {
            if (!take_brace(&w)) continue;
            vec_need(a, f->at, f->n, f->room);
            struct function *x = &f->at[f->n++];
            *x = function_of(a, &w, cpp);
            x->path = path;
            x->shown = shown;
        } else if (*w.at == '(') {
            take_list(&w);
        } else if (*w.at == '"' || *w.at == '\'') {
            take_literal(&w);
        } else if (ctext_word(w.at).size) {
            take_word(&w);
        } else {
            take_other(&w);
        }
    }
}

const struct function *
functions_find(const struct functions *f, const char *name)
{
    const struct function *found = NULL;
    for (int i = 0; i < f->n; i++) {
        if (strcmp(f->at[i].name, name)) continue;
        if (!f->at[i].hidden && !f->at[i].mangled) return &f->at[i];
        if (!found) found = &f->at[i];
    }
    return found;
}

struct place
function_place(struct arena *a, const struct function *f)
{
    struct message m = {.file = f->path, .line = f->line, .col = f->col};
    struct alias alias = {f->path, f->shown};
    return message_place(a, &m, &alias);
}

static bool
ends_process(struct word w)
{
    static const char *const words[] = {
        "exit", "_exit", "_Exit", "quick_exit", "longjmp", "siglongjmp", "setcontext", "execl",
        "execlp", "execle", "execv", "execvp", "execve", "execvpe", "pthread_exit", "asm",
        "__asm__", "syscall", "stop", "STOP", "Stop", "EXIT", "Exit"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (word_is(w, words[i])) return true;
    return false;
}

bool
functions_end(const char *text)
{
    while (*text) {
        if (isalpha((unsigned char)*text) || *text == '_') {
            struct word w = ctext_word(text);
            if (ends_process(w)) return true;
            text += w.size;
        } else {
            text++;
        }
    }
    return false;
}
