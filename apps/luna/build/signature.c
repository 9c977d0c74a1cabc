/* signature.c - see signature.h. */
#include "apps/luna/build/signature.h"

#include "apps/luna/common/files.h"
#include "lang/plan/plan.h"

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
    case T_VALUE: return lang == LANG_CPP ? "const DF &" : "const struct luna_df *";
    case T_NAME: return lang == LANG_CPP ? "DF &" : "struct luna_df *";
    case T_NONE: break;
    }
    return "int";
}

/* A line of its own in a file that does not exist: the number in the compiler's message tells which
 * import it is about. */
static void
add_prototype(const struct sub *s, int line, enum foreign_lang lang, struct buf *out)
{
    buf_printf(out, "#line %d \"" IMPORTS_FILE "\"\n", line);
    buf_printf(out, "%svoid %s(", lang == LANG_CPP ? "extern \"C\" " : "", s->func.text);
    for (const struct symbol *p = s->params; p; p = p->next)
        buf_printf(out, "%s%s", type_text(p->type, lang), p->next ? ", " : "");
    buf_printf(out, "%s);\n", s->params ? "" : "void");
}

void
signature_prototypes(const struct ast *t, enum foreign_lang lang, struct buf *out)
{
    int line = 1;
    /* Declared here, too: not every ucode includes our header. */
    buf_str(out, lang == LANG_CPP ? "class DF;\n" : "struct luna_df;\n");
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

/* What a pointer or reference points to counts if it is a number: that is no DF. */
static bool
points(const char *text, size_t size)
{
    return memchr(text, '*', size) || memchr(text, '&', size) || memchr(text, '[', size);
}

static bool
points_beyond(const char *text, size_t size)
{
    const char *star = memchr(text, '*', size);
    bool twice = star && memchr(star + 1, '*', size - (size_t)(star + 1 - text));
    return twice || memchr(text, '(', size) || memchr(text, '<', size);
}

/* The class of one parameter, text[0..size), with its name or without. */
static char
class_of(const char *text, size_t size)
{
    bool pointer = points(text, size);
    if (pointer && points_beyond(text, size)) return 'p';
    if (memchr(text, '<', size)) return '?'; /* a class by value */
    bool is_long = false, is_double = false, is_float = false, is_integer = false;
    bool is_char = false, is_struct = false;
    for (size_t i = 0; i < size;) {
        const char *word = text + i;
        size_t n = 0;
        while (i + n < size && (isalnum((unsigned char)word[n]) || word[n] == '_')) n++;
        is_long |= is_one_of(word, n, "long");
        is_double |= is_one_of(word, n, "double");
        is_float |= is_one_of(word, n, "float");
        is_integer |= is_one_of(word, n, integers);
        is_char |= is_one_of(word, n, "char");
        is_struct |= is_one_of(word, n, "struct union");
        i += n ? n : 1;
    }
    if (pointer)
        return is_char ? 'c' : is_long || is_double || is_float || is_integer ? 'n' : 'p';
    if (is_struct) return 's';
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
        *p++ = param->type == T_INT      ? 'i'
               : param->type == T_REAL   ? 'd'
               : param->type == T_STRING ? 'c'
                                         : 'p';
    return text;
}

static const char *
class_text(char class)
{
    switch (class) {
    case 'i': return "an integer";
    case 'd': return "a double";
    case 'f': return "a float";
    case 'c': return "a string";
    case 'n': return "a pointer to numbers";
    case 's': return "a struct";
    default: return "a pointer or reference";
    }
}

/* The first parameter that differs, or -1; one that is absent is no difference. */
static int
first_difference(const char *wanted, const char *real)
{
    for (int i = 0; wanted[i] && real[i]; i++) {
        bool bytes = wanted[i] == 'c' && real[i] == 'p'; /* void *, or a name for char */
        if (real[i] != '?' && real[i] != wanted[i] && !bytes) return i;
    }
    return -1;
}

static void
hint_df(struct diag *d, const struct sub *import, int at, bool cpp)
{
    const struct symbol *p = import->params;
    while (at--) p = p->next;
    if (p->type == T_VALUE)
        diag_hint(d, cpp ? "in C++ a value is a const InputDF &: getData<double>() has its numbers"
                         : "in C a value is a const luna_df *: luna_data gives its bytes");
    else if (p->type == T_NAME)
        diag_hint(d, cpp ? "in C++ a name is an OutputDF &: it is assigned, or create makes room"
                         : "in C a name is a luna_df *: luna_set_real and others assign it");
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
             wanted[at] == 'p' ? "a fragment" : class_text(wanted[at]), class_text(real[at]));
        hint_df(d, import, at, !has_suffix(where->file, ".c"));
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
