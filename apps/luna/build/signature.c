/* signature.c - see signature.h. */
#include "apps/luna/build/signature.h"

#include "apps/luna/common/files.h"
#include "apps/luna/common/path.h"
#include "lang/plan/plan.h"

#include <ctype.h>
#include <string.h>

/* ---- prototypes ---- */

static const char *
list_text(enum type t, enum foreign_lang lang)
{
    if (lang != LANG_CPP)
        return t == T_VALUE ? "const struct luna_inputs *" : "const struct luna_outputs *";
    return t == T_VALUE ? "const luna_list_of<luna_inputs, const DF> &"
                        : "const luna_list_of<luna_outputs, DF> &";
}

static const char *
type_text(const struct symbol *p, enum foreign_lang lang)
{
    if (p->list) return list_text(p->type, lang);
    switch (p->type) {
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
        buf_printf(out, "%s%s", type_text(p, lang), p->next ? ", " : "");
    buf_printf(out, "%s);\n", s->params ? "" : "void");
}

void
signature_prototypes(const struct ast *t, enum foreign_lang lang, struct buf *out)
{
    int line = 1;
    /* Declared here, too: not every ucode includes our header. */
    buf_str(out, lang == LANG_CPP ? "class DF;\nstruct luna_inputs;\nstruct luna_outputs;\n"
                                    "template <typename, typename> class luna_list_of;\n"
                                  : "struct luna_df;\nstruct luna_inputs;\nstruct luna_outputs;\n");
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

/* Of the word that begins here; 0: none does. */
static size_t
word_size(const char *text, size_t size)
{
    size_t n = 0;
    while (n < size && (isalnum((unsigned char)text[n]) || text[n] == '_')) n++;
    return n;
}

static bool
has_word(const char *text, size_t size, const char *words)
{
    for (size_t i = 0; i < size;) {
        size_t n = word_size(text + i, size - i);
        if (n && is_one_of(text + i, n, words)) return true;
        i += n ? n : 1;
    }
    return false;
}

static const char read_lists[] = "luna_inputs InputDFs";
static const char assigned_lists[] = "luna_outputs OutputDFs";

/* The class of one parameter, text[0..size), with its name or without. */
static char
class_of(const char *text, size_t size)
{
    bool pointer = points(text, size);
    if (pointer && has_word(text, size, read_lists)) return 'L';
    if (pointer && has_word(text, size, assigned_lists)) return 'M';
    if (pointer && points_beyond(text, size)) return 'p';
    if (memchr(text, '<', size)) return '?'; /* a class by value */
    bool is_double = has_word(text, size, "double"), is_float = has_word(text, size, "float");
    bool is_integer = has_word(text, size, "long") || has_word(text, size, integers);
    bool is_complex = has_word(text, size, "_Complex complex");
    if (pointer && has_word(text, size, "char")) return 'c';
    if (pointer) return is_double || is_float || is_integer ? 'n' : 'p';
    if (has_word(text, size, "struct union")) return 's';
    if (is_complex) return 'z';
    if (is_double) return has_word(text, size, "long") ? 'l' : 'd';
    if (is_float) return 'f';
    return is_integer ? 'i' : '?';
}

static bool
is_void(const char *text, size_t size)
{
    while (size && isspace((unsigned char)*text)) text++, size--;
    while (size && isspace((unsigned char)text[size - 1])) size--;
    return !size || (size == 4 && !memcmp(text, "void", 4));
}

/* What ends the parameter at `text`: a comma, the parenthesis, or 0 when the list is not closed. */
static char
param_end(const char *text, size_t *size)
{
    const char *p = text;
    for (int depth = 0; *p && (depth || (*p != ')' && *p != ',')); p++) {
        if (*p == '(' || *p == '<') depth++;
        if ((*p == ')' || *p == '>') && depth) depth--;
    }
    *size = (size_t)(p - text);
    return *p;
}

const char *
signature_classes(struct arena *a, const char *text)
{
    char classes[256];
    int n = 0;
    size_t size;
    for (const char *p = text;; p += size + 1) {
        char end = param_end(p, &size);
        if (end == ')' && !n && is_void(p, size)) return "";
        if (!end || n == (int)sizeof classes) return NULL;
        classes[n++] = class_of(p, size);
        if (end == ')') return arena_strndup(a, classes, (size_t)n);
    }
}

/* ---- what an import would be ---- */

static bool
is_list(char class)
{
    return class == 'L' || class == 'M';
}

/* Of what it points to: not luna_df *const. */
static bool
points_to_const(const char *text, size_t size)
{
    while (size && text[size - 1] != '*' && text[size - 1] != '&') size--;
    return has_word(text, size, "const");
}

/* T_NONE: no call can pass what it takes. */
static enum type
import_type(const char *text, size_t size)
{
    bool is_const = points_to_const(text, size);
    switch (class_of(text, size)) {
    case 'i': return T_INT;
    case 'd': return T_REAL;
    case 'c': return is_const ? T_STRING : T_NONE;
    case 'p': break;
    case 'L': return T_VALUE;
    case 'M': return T_NAME;
    default: return T_NONE;
    }
    if (has_word(text, size, "InputDF")) return T_VALUE;
    if (has_word(text, size, "OutputDF")) return T_NAME;
    if (!has_word(text, size, "luna_df DF")) return T_NONE;
    return is_const ? T_VALUE : T_NAME;
}

const char *
signature_import(struct arena *a, const char *text)
{
    const char *list = "";
    size_t size;
    for (const char *p = text;; p += size + 1) {
        char end = param_end(p, &size);
        if (end == ')' && !*list && is_void(p, size)) return list;
        enum type t = end ? import_type(p, size) : T_NONE;
        if (t == T_NONE) return NULL;
        list = arena_printf(a, "%s%s%s%s", list, *list ? ", " : "", ast_type_text(t),
                            is_list(class_of(p, size)) ? "[]" : "");
        if (end == ')') return list;
    }
}

/* ---- what the compiler said ---- */

/* As the file itself has them, perhaps on several lines. */
static const char *
written_params(struct arena *a, const struct message *note, const char *name)
{
    struct functions in = {0};
    bool cpp = !path_has_suffix(note->file, ".c");
    functions_add(a, &in, file_text(a, note->file), cpp, note->file, note->file);
    for (int i = 0; i < in.n; i++)
        if (in.at[i].line == note->line && !strcmp(in.at[i].name, name)) return in.at[i].params;
    return NULL;
}

/* What the function takes, from behind the parenthesis: gcc quotes the type it saw, f(int) or
 * void(int); clang only points at the definition. NULL: not told. */
static const char *
real_params(struct arena *a, const struct message *note, const struct place *where,
            const char *name)
{
    const char *aka = strstr(note->words, "{aka "); /* typedefs replaced */
    const char *text = strchr(aka ? aka : note->words, '(');
    const char *written = text ? NULL : written_params(a, note, name);
    if (written) return written;
    if (!text && where->line_text && where->col && where->col <= where->line_size)
        text = strchr(where->line_text + where->col - 1, '(');
    return text ? text + 1 : NULL;
}

static const char *
wanted_classes(struct arena *a, const struct sub *s)
{
    char *text = arena_alloc(a, (size_t)s->nparams + 1), *p = text;
    for (const struct symbol *param = s->params; param; param = param->next)
        *p++ = param->list               ? param->type == T_NAME ? 'M' : 'L'
               : param->type == T_INT    ? 'i'
               : param->type == T_REAL   ? 'd'
               : param->type == T_STRING ? 'c'
                                         : 'p';
    return text;
}

static const char *
class_text(char class)
{
    switch (class) {
    case 'i':
        return "an integer";
    case 'd':
        return "a double";
    case 'f':
        return "a float";
    case 'c':
        return "a string";
    case 'n':
        return "a pointer to numbers";
    case 's':
        return "a struct";
    case 'l':
        return "a long double";
    case 'z':
        return "a complex number";
    case 'L':
        return "a list of values";
    case 'M':
        return "a list of names";
    default:
        return "a pointer or reference";
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

/* What stands in the language of the function for a parameter of the import. */
static const char *
param_advice(enum type t, enum foreign_lang lang)
{
    static const char *const advice[][3] = {
        [T_VALUE] = {"in C a value is a const luna_df *: luna_data gives its bytes",
                     "in C++ a value is a const InputDF &: getData<double>() has its numbers",
                     "in Fortran a value is a type(luna_df), intent(in): luna_data_real gives its "
                     "numbers"},
        [T_NAME] = {"in C a name is a luna_df *: luna_set_real and others assign it",
                    "in C++ a name is an OutputDF &: it is assigned, or create makes room",
                    "in Fortran a name is a type(luna_df), intent(inout): luna_set_real and others "
                    "assign it"},
        [T_INT] = {[LANG_FORTRAN] = "in Fortran an int is an integer(c_int), value"},
        [T_REAL] = {[LANG_FORTRAN] = "in Fortran a real is a real(c_double), value"},
        [T_STRING] = {[LANG_FORTRAN] =
                          "in Fortran a string is a character(kind=c_char), intent(in) "
                          ":: s(*): luna_string(s) gives its text"},
    };
    return (size_t)t < sizeof advice / sizeof *advice ? advice[t][lang] : NULL;
}

static const char *const list_advice[] = {
    "in C a list is a const luna_inputs *, or of names a const luna_outputs *",
    "in C++ a list is a const InputDFs &, or of names a const OutputDFs &",
    "in Fortran there are no lists: let a function in C take it"};

static void
hint_param(struct diag *d, const struct sub *import, int at, enum foreign_lang lang)
{
    const struct symbol *p = import->params;
    while (at--) p = p->next;
    const char *advice = p->list ? list_advice[lang] : param_advice(p->type, lang);
    if (advice) diag_hint(d, "%s", advice);
}

/* The import that fits, where there is one; else what stands for the parameter. */
static void
hint_import(struct diag *d, struct arena *a, const struct sub *import, const char *params, int at,
            enum foreign_lang lang)
{
    const char *list = signature_import(a, params);
    if (list)
        diag_hint(d, "import %s(%s) as %s; or else change the function", import->func.text, list,
                  import->name.text);
    else if (at >= 0)
        hint_param(d, import, at, lang);
}

/* In Fortran a type that has no name in C is one of the user's. */
static const char *
classes_in(struct arena *a, const char *params, enum foreign_lang lang)
{
    const char *classes = signature_classes(a, params);
    if (!classes || lang != LANG_FORTRAN) return classes;
    char *text = arena_strdup(a, classes);
    for (char *p = text; *p; p++)
        if (*p == '?') *p = 's';
    return text;
}

bool
signature_compare(struct diag *d, struct arena *a, const struct sub *import, enum severity sev,
                  const char *params, const struct place *where, enum foreign_lang lang)
{
    bool open = params && *params == ')' && lang == LANG_C; /* f() takes anything */
    const char *real = params && !open ? classes_in(a, params, lang) : NULL;
    const char *wanted = wanted_classes(a, import), *name = import->func.text;
    int n = import->nparams, at = real ? first_difference(wanted, real) : -1;
    if (real && strlen(real) != (size_t)n) {
        diag(d, sev, D_SYN12, import->func.span,
             "'%s' is imported with %d parameter%s, but takes %zu", name, n, n == 1 ? "" : "s",
             strlen(real));
        at = -1;
    } else if (at >= 0) {
        diag(d, sev, D_SYN12, import->func.span,
             "parameter %d of '%s' is imported as %s, but the function takes %s", at + 1, name,
             wanted[at] == 'p' ? "a fragment" : class_text(wanted[at]), class_text(real[at]));
    } else {
        return false;
    }
    hint_import(d, a, import, params, at, lang);
    diag_note_at(d, where, "the function is here");
    return true;
}

enum severity
signature_severity(const struct plan *p, const struct sub *import)
{
    for (uint32_t i = 0; i < p->functions.n; i++)
        if (p->functions.row[i].sub == import) return SEV_ERROR;
    return SEV_WARNING;
}

static enum foreign_lang
lang_of(const struct place *where)
{
    return path_has_suffix(where->file, ".c") ? LANG_C : LANG_CPP;
}

/* An input is no output, though both are pointers. A value may be taken without const, unless it is
 * `strict`. True: it was told. */
static bool
report_direction(struct diag *d, struct arena *a, const struct sub *import, enum severity sev,
                 const char *params, const struct place *where, bool strict)
{
    const char *text = params;
    size_t size;
    if (!signature_import(a, params)) return false;
    for (const struct symbol *p = import->params; p; p = p->next, text += size + 1) {
        char end = param_end(text, &size);
        enum type t = import_type(text, size);
        bool other = (p->type == T_NAME && t == T_VALUE) ||
                     (strict && p->type == T_VALUE && t == T_NAME);
        if (other) {
            diag(d, sev, D_SYN12, import->func.span,
                 "parameter '%.*s' of '%s' is imported as a %s", (int)size - (*text == ' '),
                 text + (*text == ' '), import->func.text, ast_type_text(p->type));
            hint_import(d, a, import, params, -1, lang_of(where));
            diag_note_at(d, where, "the function is here");
            return true;
        }
        if (end != ',') break;
    }
    return false;
}

static const struct sub *
import_at(const struct ast *t, uint32_t line)
{
    for (const struct sub *s = t->subs; s; s = s->next)
        if (s->kind == SUB_IMPORT && !--line) return s;
    return NULL;
}

/* "struct V" or "class V" is in the text: a name of the user's. */
static bool
defines(const char *source, const char *name, size_t size)
{
    for (const char *p = source; (p = strstr(p, name)); p++) {
        bool apart = !isalnum((unsigned char)p[size]) && p[size] != '_' && p > source;
        const char *before = p;
        while (before > source && isspace((unsigned char)before[-1])) before--;
        size_t n = (size_t)(before - source);
        if (apart && n >= 5 && has_word(before - 5, 5, "class")) return true;
        if (apart && n >= 6 && has_word(before - 6, 6, "struct")) return true;
    }
    return false;
}

static bool
names_class(struct arena *a, const char *text, size_t size, const char *source)
{
    if (memchr(text, '<', size)) return true;
    for (size_t i = 0, n = 0; i < size; i += n ? n : 1) {
        if (i + 1 < size && text[i] == ':' && text[i + 1] == ':') return true;
        n = word_size(text + i, size - i);
        if (n && source && defines(source, arena_strndup(a, text + i, n), n)) return true;
    }
    return false;
}

/* In C++: a class, or a reference to one, for which nothing can be passed. What may be another name
 * for what is passed is none. */
static bool
takes_class(struct arena *a, const char *text, size_t size, enum type t, const char *source)
{
    char class = class_of(text, size);
    bool reference = memchr(text, '&', size);
    bool fragment = has_word(text, size, "InputDF OutputDF DF");
    if (class != 'p' && class != '?') return false;
    if (class == 'p' && !reference) return false;
    if (reference && fragment) return t == T_STRING;
    return names_class(a, text, size, source);
}

/* The compiler has found a difference, and all that is told apart by itself agrees. */
static void
report_class(struct diag *d, struct arena *a, const struct sub *import, enum severity sev,
             const char *params, const struct place *where)
{
    const char *text = params, *source = file_text(a, where->file);
    size_t size;
    int at = 0;
    for (const struct symbol *p = import->params; p; p = p->next, text += size + 1, at++) {
        char end = param_end(text, &size);
        if (!p->list && takes_class(a, text, size, p->type, source)) {
            while (size && isspace((unsigned char)*text)) text++, size--;
            diag(d, sev, D_SYN12, import->func.span,
                 "parameter %d of '%s' is imported as a %s, but the function takes a '%.*s'",
                 at + 1, import->func.text, ast_type_text(p->type), (int)size, text);
            if (p->type == T_STRING) diag_hint(d, "in C++ a string is a const char *");
            else hint_param(d, import, at, LANG_CPP);
            diag_note_at(d, where, "the function is here");
            return;
        }
        if (end != ',') return;
    }
}

static void
compare(struct diag *d, struct arena *a, const struct sub *import, enum severity sev,
        const char *params, const struct place *where)
{
    enum foreign_lang lang = lang_of(where);
    if (signature_compare(d, a, import, sev, params, where, lang) || !params) return;
    if (report_direction(d, a, import, sev, params, where, false)) return;
    if (lang == LANG_CPP) report_class(d, a, import, sev, params, where);
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
            enum severity sev = signature_severity(l->plan, import);
            struct place *where = arena_new_of(a, struct place);
            *where = message_place(a, &m, alias);
            if (symbols_find(symbols, import->func.text))
                compare(d, a, import, sev, real_params(a, &m, where, import->func.text), where);
            import = NULL;
        }
    }
}

/* ---- before a compiler has run ---- */

/* NULL: it has none, or several, of which #if may leave one. */
static const struct function *
only_function(const struct functions *f, const char *name)
{
    const struct function *found = NULL;
    for (int i = 0; i < f->n; i++) {
        if (strcmp(f->at[i].name, name)) continue;
        if (found) return NULL;
        found = &f->at[i];
    }
    return found;
}

void
signature_guess(struct diag *d, struct arena *a, const struct ast *t, const struct functions *f)
{
    bool unwritten = diag_has_error(d, D_SEM3_1) || diag_has_error(d, D_SEM2_1);
    for (const struct sub *s = t->subs; s; s = s->next) {
        const struct function *x = s->kind == SUB_IMPORT ? only_function(f, s->func.text) : NULL;
        if (!x || !x->params || x->hidden || x->mangled) continue;
        struct place *where = arena_new_of(a, struct place);
        *where = function_place(a, x);
        bool told = signature_compare(d, a, s, SEV_ERROR, x->params, where, lang_of(where));
        if (!told && unwritten) report_direction(d, a, s, SEV_ERROR, x->params, where, true);
    }
}
