/* signature.c - see signature.h. */
#include "apps/luna/signature.h"

#include "apps/luna/files.h"
#include "lang/plan.h"

#include <ctype.h>
#include <string.h>

/* ---- prototypes ---- */

static const char *
type_text(enum type t, enum foreign_lang lang)
{
    switch (t) {
    case T_INT: return "int";
    case T_REAL: return "double";
    case T_STRING: return "const char *";
    case T_VALUE: return lang == LANG_CPP ? "const DF &" : "const luna_df *";
    case T_NAME: return lang == LANG_CPP ? "DF &" : "luna_df *";
    case T_NONE: break;
    }
    return "int";
}

/* value and name can only be spelled where the ucode included our header. */
static bool
needs_header(const struct sub *s)
{
    for (const struct symbol *p = s->params; p; p = p->next)
        if (p->type == T_VALUE || p->type == T_NAME) return true;
    return false;
}

/* A line of its own in a file that does not exist: the number in the compiler's message tells which
 * import it is about. */
static void
add_prototype(const struct sub *s, int line, enum foreign_lang lang, struct buf *out)
{
    bool guarded = needs_header(s);
    if (guarded) buf_printf(out, "#ifdef %s\n", lang == LANG_CPP ? "LUNA_UCENV_H" : "LUNA_H");
    buf_printf(out, "#line %d \"" IMPORTS_FILE "\"\n", line);
    buf_printf(out, "%svoid %s(", lang == LANG_CPP ? "extern \"C\" " : "", s->func.text);
    for (const struct symbol *p = s->params; p; p = p->next)
        buf_printf(out, "%s%s", type_text(p->type, lang), p->next ? ", " : "");
    buf_printf(out, "%s);\n", s->params ? "" : "void");
    if (guarded) buf_str(out, "#endif\n");
}

void
signature_prototypes(const struct ast *t, enum foreign_lang lang, struct buf *out)
{
    int line = 1;
    for (const struct sub *s = t->subs; s; s = s->next)
        if (s->kind == SUB_IMPORT) add_prototype(s, line++, lang, out);
}

/* ---- how an argument is passed ---- */

static bool
is_one_of(const char *word, size_t size, const char *words)
{
    for (const char *p = words; *p;) {
        size_t n = strcspn(p, " ");
        if (n == size && !memcmp(p, word, n)) return true;
        p += n + (p[n] == ' ');
    }
    return false;
}

static const char integers[] = "int unsigned signed short char bool _Bool size_t int8_t int16_t "
                               "int32_t int64_t uint8_t uint16_t uint32_t uint64_t";

/* The class of one parameter, text[0..size), with its name or without. */
static char
class_of(const char *text, size_t size)
{
    if (memchr(text, '*', size) || memchr(text, '&', size) || memchr(text, '[', size)) return 'p';
    if (memchr(text, '<', size)) return '?'; /* a class by value */
    bool is_long = false, is_double = false, is_float = false, is_integer = false;
    for (size_t i = 0; i < size;) {
        const char *word = text + i;
        size_t n = 0;
        while (i + n < size && (isalnum((unsigned char)word[n]) || word[n] == '_')) n++;
        is_long |= is_one_of(word, n, "long");
        is_double |= is_one_of(word, n, "double");
        is_float |= is_one_of(word, n, "float");
        is_integer |= is_one_of(word, n, integers);
        i += n ? n : 1;
    }
    if (is_double) return is_long ? '?' : 'd';
    if (is_float) return 'f';
    return is_long || is_integer ? 'i' : '?';
}

static bool
is_void(const char *text, size_t size)
{
    while (size && isspace((unsigned char)*text)) text++, size--;
    while (size && isspace((unsigned char)text[size - 1])) size--;
    return !size || (size == 4 && !memcmp(text, "void", 4));
}

const char *
signature_classes(struct arena *a, const char *text)
{
    char classes[256];
    int n = 0, depth = 0;
    const char *start = text;
    for (const char *p = text; *p; p++) {
        bool end = *p == ')' && !depth;
        if (*p == '(' || *p == '<') depth++;
        if ((*p == ')' || *p == '>') && depth) depth--;
        if (!end && (*p != ',' || depth)) continue;
        size_t size = (size_t)(p - start);
        if (end && !n && is_void(start, size)) return "";
        if (n == (int)sizeof classes) return NULL;
        classes[n++] = class_of(start, size);
        start = p + 1;
        if (end) return arena_strndup(a, classes, (size_t)n);
    }
    return NULL;
}

/* ---- what the compiler said ---- */

/* gcc quotes the type it saw, f(int) or void(int); clang only points at the definition. */
static const char *
real_classes(struct arena *a, const struct message *note, const struct place *where)
{
    const char *aka = strstr(note->words, "{aka "); /* typedefs replaced */
    const char *text = strchr(aka ? aka : note->words, '(');
    if (!text && where->line_text && where->col && where->col <= where->line_size)
        text = strchr(where->line_text + where->col - 1, '(');
    bool open = text && text[1] == ')' && has_suffix(where->file, ".c"); /* C: f() takes anything */
    return text && !open ? signature_classes(a, text + 1) : NULL;
}

static const char *
wanted_classes(struct arena *a, const struct sub *s)
{
    char *text = arena_alloc(a, (size_t)s->nparams + 1), *p = text;
    for (const struct symbol *param = s->params; param; param = param->next)
        *p++ = param->type == T_INT ? 'i' : param->type == T_REAL ? 'd' : 'p';
    return text;
}

static const char *
class_text(char class)
{
    switch (class) {
    case 'i': return "an integer";
    case 'd': return "a double";
    case 'f': return "a float";
    default: return "a pointer or reference";
    }
}

/* The first parameter that differs, or -1; one that is absent is no difference. */
static int
first_difference(const char *wanted, const char *real)
{
    for (int i = 0; wanted[i] && real[i]; i++)
        if (real[i] != '?' && real[i] != wanted[i]) return i;
    return -1;
}

static bool
is_reached(const struct plan *p, const struct sub *import)
{
    for (uint32_t i = 0; i < p->functions.n; i++)
        if (p->functions.row[i].sub == import) return true;
    return false;
}

static void
report_import(struct diag *d, struct arena *a, const struct sub *import, enum severity sev,
              const struct message *note, const struct alias *alias)
{
    struct place *where = arena_new_of(a, struct place);
    *where = message_place(a, note, alias);
    const char *real = real_classes(a, note, where), *wanted = wanted_classes(a, import);
    const char *name = import->func.text;
    int n = import->nparams, at = real ? first_difference(wanted, real) : -1;
    if (real && strlen(real) != (size_t)n) {
        diag(d, sev, D_SYN12, import->func.span,
             "'%s' is imported with %d parameter%s, but takes %zu", name, n, n == 1 ? "" : "s",
             strlen(real));
    } else if (at >= 0) {
        diag(d, sev, D_SYN12, import->func.span,
             "parameter %d of '%s' is imported as %s, but the function takes %s", at + 1, name,
             class_text(wanted[at]), class_text(real[at]));
    } else {
        return;
    }
    diag_note_at(d, where, "the function is here");
}

static const struct sub *
import_at(const struct ast *t, uint32_t line)
{
    for (const struct sub *s = t->subs; s; s = s->next)
        if (s->kind == SUB_IMPORT && !--line) return s;
    return NULL;
}

void
signature_report(struct diag *d, struct arena *a, const struct lang *l, const char *log,
                 const struct symbols *symbols, const struct alias *alias)
{
    struct message m;
    const struct sub *import = NULL;
    for (const char *text = log; message_next(a, &text, &m);) {
        if (m.kind == MESSAGE_ERROR) {
            import = strcmp(m.file, IMPORTS_FILE) ? NULL : import_at(l->tree, m.line);
        } else if (m.kind == MESSAGE_NOTE && import && strcmp(m.file, IMPORTS_FILE)) {
            enum severity sev = is_reached(l->plan, import) ? SEV_ERROR : SEV_WARNING;
            if (symbols_find(symbols, import->func.text))
                report_import(d, a, import, sev, &m, alias);
            import = NULL;
        }
    }
}
