/* link.c - see link.h. */
#include "apps/luna/build/link.h"

#include "apps/luna/build/ctext.h"
#include "apps/luna/build/library.h"
#include "apps/luna/build/variables.h"
#include "apps/luna/common/image.h"
#include "apps/luna/common/path.h"
#include "runtime/base/near.h"
#include "runtime/base/map.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- which files take part ---- */

/* Names that objects taking part need or define, to the unit that defines them (or `needed`). */
static char needed;

static void
take_part(struct unit *x, struct map *names)
{
    x->takes_part = true;
    for (int i = 0; i < x->symbols.n; i++) {
        const struct symbol_info *s = &x->symbols.at[i];
        if (!s->global) continue;
        if (s->defined) map_put(names, s->name, x);
        else if (!map_get(names, s->name)) map_put(names, s->name, &needed);
    }
}

static bool
defines_needed(const struct unit *x, const struct map *names)
{
    for (int i = 0; i < x->symbols.n; i++) {
        const struct symbol_info *s = &x->symbols.at[i];
        if (s->global && s->defined && map_get(names, s->name) == &needed) return true;
    }
    return false;
}

void
link_choose(struct units *u)
{
    struct map *names = map_new_in(u->arena);
    for (int i = 0; i < u->n; i++)
        if (!u->at[i].optional && !u->at[i].failed) take_part(&u->at[i], names);
    for (bool again = true; again;) {
        again = false;
        for (int i = 0; i < u->n; i++) {
            struct unit *x = &u->at[i];
            if (x->takes_part || x->failed || !defines_needed(x, names)) continue;
            take_part(x, names);
            again = true;
        }
    }
}

/* ---- places in ucodes ---- */

static bool
is_word_char(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Where the unit in Fortran has the word; false: it is in another language, or has it nowhere. */
static bool
place_in_fortran(struct units *u, const struct unit *x, const char *word, struct place *out)
{
    struct message m = {.file = x->path};
    struct alias alias = unit_alias(u, x);
    bool found =
        x->lang == LANG_FORTRAN && fortran_find(u->arena, file_text(u->arena, x->path),
                                                fortran_is_fixed(x->path), word, &m.line, &m.col);
    if (found) *out = message_place(u->arena, &m, &alias);
    return found;
}

/* In a text of C or C++, or in a program with blocks of them; where only a macro or a comment has
 * it, there. `hidden`: where it is declared static, if it is anywhere. */
static const char *
find_word(const char *text, const char *word, bool hidden)
{
    const char *at = text, *first = NULL;
    size_t n = strlen(word);
    bool is_static = false;
    for (const char *p = ctext_token(text, text); *p; p = ctext_token(text, p)) {
        struct word w = ctext_word(p);
        bool found = word_is(w, word);
        if (found && (is_static || !hidden)) return p;
        if (found && !first) first = p;
        if (word_is(w, "static")) is_static = true;
        else if (!w.size && strchr(";{}(", *p)) is_static = false;
        p = w.size ? p + w.size : *p == '"' || *p == '\'' ? ctext_literal(p) : p + 1;
    }
    if (first) return first;
    while ((at = strstr(at, word)) && ((at > text && is_word_char(at[-1])) || is_word_char(at[n])))
        at += n;
    return at;
}

/* The first line of the file that has `word`, as good a guess as any without debug information; the
 * file as a whole when there is none. */
static struct place *
place_of_word(struct units *u, const struct unit *x, const char *word, bool hidden)
{
    struct place *p = arena_new_of(u->arena, struct place);
    struct buf text = {0};
    if (place_in_fortran(u, x, word, p)) return p;
    /* Blocks stand in the program itself. */
    const char *path = x->shown ? x->path : u->options->file;
    p->file = x->shown ? x->shown : path;
    if (file_take(u->arena, path, &text)) buf_clear(&text);
    const char *start = text.data, *at = text.size ? find_word(start, word, hidden) : NULL;
    if (at) {
        p->line = 1;
        for (const char *q = start; q < at; q++) p->line += *q == '\n';
        struct message m = {.file = path, .line = p->line};
        struct alias alias = {path, p->file};
        const char *line = at;
        while (line > start && line[-1] != '\n') line--;
        m.col = (uint32_t)(at - line) + 1;
        *p = message_place(u->arena, &m, &alias);
    }
    buf_fini(&text);
    return p;
}

static const char *
shown_symbol(struct units *u, const char *name)
{
    const char *plain = symbol_plain_name(u->arena, name);
    return plain ? plain : name;
}

static const char *
last_part(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

/* ---- doubles ---- */

/* A .c file that is left out is as good a choice as the one that takes part. */
static void
hint_double(struct units *u, const struct symbol_info *s, const struct unit *first,
            const struct unit *second)
{
    struct diag *d = u->lang->diag;
    if (!second->takes_part)
        diag_hint(d, "rename one, or name the files that are meant: --cpp-dir= --cpp-source=%s",
                  first->shown);
    else if (s->function) diag_hint(d, "rename one, or make it static");
    else diag_hint(d, "rename one, make it static, or declare one extern");
}

static void
report_double(struct units *u, const struct symbol_info *s, struct unit *first, struct unit *second)
{
    const char *name = shown_symbol(u, s->name), *word = last_part(name);
    diag_at(u->lang->diag, SEV_ERROR, s->function ? D_SYN14 : D_SYN13,
            place_of_word(u, second, word, false), "%s '%s' is defined in two files",
            s->function ? "function" : "global", name);
    diag_note_at(u->lang->diag, place_of_word(u, first, word, false), "also defined here");
    hint_double(u, s, first, second);
}

/* Names that who takes part needs, to the unit that defines them. */
static void
list_wanted(const struct units *u, struct map *wanted)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < u->n; i++) {
            struct unit *x = &u->at[i];
            for (int k = 0; k < (x->takes_part ? x->symbols.n : 0); k++) {
                const struct symbol_info *s = &x->symbols.at[k];
                if (!pass && !s->defined) map_put(wanted, s->name, &needed);
                if (pass && s->defined && s->global && map_get(wanted, s->name) == &needed)
                    map_put(wanted, s->name, x);
            }
        }
}

/* Which of two .c files is meant cannot be known, and taking the first would be silent. */
static void
check_left_out(struct units *u)
{
    struct map *wanted = map_new_in(u->arena);
    list_wanted(u, wanted);
    for (int i = 0; i < u->n; i++) {
        struct unit *x = &u->at[i];
        for (int k = 0; k < (x->takes_part || x->failed ? 0 : x->symbols.n); k++) {
            const struct symbol_info *s = &x->symbols.at[k];
            struct unit *first = s->global && s->defined && !s->weak ? map_get(wanted, s->name) : 0;
            if (first && first != (void *)&needed) report_double(u, s, first, x);
        }
    }
}

void
link_check_doubles(struct units *u)
{
    struct map *names = map_new_in(u->arena);
    for (int i = 0; i < u->n; i++) {
        struct unit *x = &u->at[i];
        for (int k = 0; k < (x->takes_part ? x->symbols.n : 0); k++) {
            const struct symbol_info *s = &x->symbols.at[k];
            if (!s->global || !s->defined || s->weak) continue;
            struct unit *first = map_get(names, s->name);
            if (first && first != x) report_double(u, s, first, x);
            else map_put(names, s->name, x);
        }
    }
    check_left_out(u);
}

/* ---- globals ---- */

/* Made by the compiler and the library: guards, the initialiser of iostream, tables. The
 * variables of a Fortran module, __grid_MOD_count, are the user's. */
static bool
is_of_compiler(const char *name)
{
    const char *variable = strstr(name, "_MOD_");
    if (variable && !strncmp(name, "__", 2) && variable[5] != '_') return false;
    static const char *const starts[] = {"_ZGV", "_ZStL8__ioinit", "_ZTV", "_ZTI", "_ZTS", "__",
                                         "DW."};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (!strncmp(name, starts[i], strlen(starts[i]))) return true;
    return false;
}

/* Without debug information; where a macro declares it, any place of the name. */
static struct place *
place_of_variable(struct units *u, const struct unit *x, const char *name, bool local)
{
    struct place *p = arena_new_of(u->arena, struct place);
    struct alias file = unit_alias(u, x);
    bool found =
        x->shown && x->lang != LANG_FORTRAN && variable_place(u->arena, &file, name, local, p);
    return found ? p : place_of_word(u, x, name, local);
}

/* NULL: none is seen. A variable of an atomic type may be meant to be shared. */
static struct place *
place_of_change(struct units *u, const struct unit *x, const char *name, const struct place *where)
{
    struct place *p = arena_new_of(u->arena, struct place);
    struct alias file = unit_alias(u, x);
    struct message m = {.file = x->path};
    if (where->line_text && strstr(where->line_text, "tomic")) return NULL;
    if (x->lang != LANG_FORTRAN) return variable_change(u->arena, &file, name, p) ? p : NULL;
    if (!fortran_find_change(u->arena, file_text(u->arena, x->path), fortran_is_fixed(x->path),
                             name, &m.line, &m.col))
        return NULL;
    *p = message_place(u->arena, &m, &file);
    return p;
}

/* Calls share it, and may change it. What is const lies among what can be written if a constructor
 * makes it; that is so as far as its line tells. */
static bool
is_shared(struct units *u, const struct unit *x, const struct symbol_info *s)
{
    if (!s->writable || is_of_compiler(s->name)) return false;
    if (x->lang != LANG_CPP) return true;
    const char *name = last_part(shown_symbol(u, s->name));
    const struct place *where = place_of_variable(u, x, name, !s->global);
    bool is_const = false;
    for (uint32_t i = 0; where->line_text && i + 1 < where->col && i < where->line_size;) {
        struct word w = ctext_word(where->line_text + i);
        if (strchr(";{}*", where->line_text[i])) is_const = false;
        if (word_is(w, "const")) is_const = true;
        i += w.size ? (uint32_t)w.size : 1;
    }
    return !is_const;
}

static void
report_variable(struct units *u, const struct unit *x, const struct symbol_info *s)
{
    struct diag *d = u->lang->diag;
    const char *shown = shown_symbol(u, s->name), *name = last_part(shown);
    struct place *where = place_of_variable(u, x, name, !s->global);
    struct place *change = place_of_change(u, x, name, where);
    if (change) {
        diag_at(d, SEV_WARNING, D_SEM13_1, where,
                "functions change '%s', a variable that all calls share", shown);
        if (x->shown) diag_note_at(d, change, "it is changed here");
    } else {
        diag_at(d, SEV_WARNING, D_SEM13_2, where, "'%s' is a variable that all calls share", shown);
    }
    diag_hint(d, "calls may run at the same time, and on different nodes: pass values through "
                 "fragments");
}

static bool
is_users(const struct units *u, const struct unit *x)
{
    bool ours = x->library || (x->text && x->text == &u->lang->c_text);
    return x->takes_part && !ours;
}

void
link_check_globals(struct units *u)
{
    for (int i = 0; i < u->n; i++) {
        const struct unit *x = &u->at[i];
        for (int k = 0; k < (is_users(u, x) ? x->symbols.n : 0); k++) {
            const struct symbol_info *s = &x->symbols.at[k];
            if (is_shared(u, x, s)) report_variable(u, x, s);
        }
    }
}

/* ---- what keeps a program on node 0 ---- */

/* Standard input belongs to one process, and is read in one order. */
static bool
reads_stdin(const struct symbol_info *s)
{
    static const char *const names[] = {
        "stdin", "scanf", "__isoc99_scanf", "__isoc23_scanf", "vscanf", "getchar",
        "getchar_unlocked", "gets", "_ZSt3cin", "_ZSt4wcin", "_gfortran_st_read"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(s->name, names[i])) return true;
    return false;
}

/* It belongs to a thread, which calls other functions next. */
static bool
sets_floating(const struct symbol_info *s)
{
    static const char *const names[] = {"fesetround", "fesetenv", "feupdateenv", "fesetmode",
                                        "feholdexcept", "feenableexcept", "fedisableexcept"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(s->name, names[i])) return true;
    return false;
}

/* Of enum luna_stays: why, and flags. */
static unsigned
stays(struct units *u)
{
    unsigned found = LUNA_STAYS_NOT, flags = 0;
    for (int i = 0; i < u->n; i++) {
        const struct unit *x = &u->at[i];
        for (int k = 0; k < (is_users(u, x) ? x->symbols.n : 0); k++) {
            const struct symbol_info *s = &x->symbols.at[k];
            if (is_shared(u, x, s)) found = LUNA_STAYS_VARIABLE;
            if (!found && !s->defined && reads_stdin(s)) found = LUNA_STAYS_STDIN;
            if (!s->defined && sets_floating(s)) flags = LUNA_SETS_FLOATING;
        }
    }
    return found | flags;
}

/* ---- MPI ---- */

/* C's names, and Fortran's, which end in an underscore. */
static bool
is_mpi(const char *name)
{
    bool fortran = name[strlen(name) - 1] == '_';
    if (!strncmp(name, "MPI_", 4) || !strncmp(name, "PMPI_", 5)) return true;
    return fortran && (!strncmp(name, "mpi_", 4) || !strncmp(name, "pmpi_", 5));
}

/* As it stands in the source. */
static const char *
mpi_name(struct units *u, const char *symbol)
{
    size_t n = strlen(symbol);
    while (n && symbol[n - 1] == '_') n--;
    return arena_strndup(u->arena, symbol, n);
}

/* A program may bring functions of these names itself, to do without MPI. */
static bool
is_defined(const struct units *u, const char *name)
{
    for (int i = 0; i < u->n; i++)
        if (u->at[i].takes_part && symbols_find(&u->at[i].symbols, name)) return true;
    return false;
}

/* The names of MPI that the unit needs. */
static void
list_mpi(struct units *u, const struct unit *x, struct words *names)
{
    for (int k = 0; k < x->symbols.n; k++) {
        const struct symbol_info *s = &x->symbols.at[k];
        if (!s->defined && is_mpi(s->name) && !is_defined(u, s->name))
            words_add(u->arena, names, mpi_name(u, s->name));
    }
}

static void
report_mpi(struct units *u, const struct unit *x, const struct words *names)
{
    struct diag *d = u->lang->diag;
    diag_at(d, SEV_ERROR, D_CC5, place_of_word(u, x, names->at[0], false),
            "functions do not call MPI, but one of this file calls '%s'", names->at[0]);
    for (int i = 1; i < names->n && i < 4; i++)
        diag_note_at(d, place_of_word(u, x, names->at[i], false), "'%s', too", names->at[i]);
    diag_hint(d, "luna runs MPI itself, and chooses the node of each call: pass values through "
                 "fragments, and combine them by reduce");
}

bool
link_refuse_mpi(struct units *u)
{
    bool found = false;
    for (int i = 0; i < u->n; i++) {
        struct words names = {0};
        if (u->at[i].takes_part) list_mpi(u, &u->at[i], &names);
        if (names.n) report_mpi(u, &u->at[i], &names);
        found |= names.n > 0;
    }
    return found;
}

/* ---- what is missing ---- */

static const struct sub *
import_of(const struct units *u, const char *function)
{
    for (const struct sub *s = u->lang->tree->subs; s; s = s->next)
        if (s->kind == SUB_IMPORT && !strcmp(s->func.text, function)) return s;
    return NULL;
}

/* A function of this name with C++ linkage, and where. */
static const struct unit *
find_mangled(struct units *u, const char *function)
{
    for (int i = 0; i < u->n; i++)
        for (int k = 0; k < u->at[i].symbols.n; k++) {
            const struct symbol_info *s = &u->at[i].symbols.at[k];
            if (!s->function || !s->defined || strncmp(s->name, "_Z", 2)) continue;
            if (!strcmp(shown_symbol(u, s->name), function)) return &u->at[i];
        }
    return NULL;
}

/* A file that has the function, for itself alone. */
static const struct function *
find_static(struct units *u, const char *function)
{
    const struct function *f = functions_find(units_functions(u), function);
    return f && f->hidden ? f : NULL;
}

/* A .c file that failed to compile and defines the function: that is why it is missing. */
static const struct unit *
find_failed(struct units *u, const char *function)
{
    const struct functions *all = units_functions(u);
    for (int i = 0; i < u->n; i++) {
        const struct unit *x = &u->at[i];
        for (int k = 0; k < (x->failed && x->optional ? all->n : 0); k++)
            if (!strcmp(all->at[k].path, x->path) && !strcmp(all->at[k].name, function)) return x;
    }
    return NULL;
}

/* The nearest name there is, else where it was looked for. */
static void
hint_nearest(struct units *u, const char *function)
{
    struct near near = {.word = function};
    for (int i = 0; i < u->n; i++)
        for (int k = 0; k < u->at[i].symbols.n; k++) {
            const struct symbol_info *s = &u->at[i].symbols.at[k];
            bool mangled = !strncmp(s->name, "_Z", 2) || strstr(s->name, "_MOD_");
            bool callable = s->global && s->defined && s->function && !mangled;
            if (u->at[i].shown && callable) near_try(&near, s->name);
        }
    if (near.best)
        diag_hint(u->lang->diag, "did you mean '%s'?", near.best);
    else
        diag_hint(u->lang->diag, "functions are in .c, .cpp and .f90 files %s",
                  u->options->cpp_dir ? "that --cpp-dir and --cpp-source name"
                                      : "beside the program, or where --cpp-dir says");
}

/* A procedure of Fortran that others cannot call, as it has no bind(c). */
static const struct function *
find_unbound(struct units *u, const char *function)
{
    const struct functions *all = units_functions(u);
    for (int i = 0; i < all->n; i++)
        if (all->at[i].mangled && fortran_is_source(all->at[i].path) &&
            !strcasecmp(all->at[i].name, function))
            return &all->at[i];
    return NULL;
}

/* Fortran does not tell capital letters from small ones, C does. */
static void
report_unbound(struct units *u, const struct sub *s, const struct function *f)
{
    struct diag *d = u->lang->diag;
    struct place *where = arena_new_of(u->arena, struct place);
    *where = function_place(u->arena, f);
    bool small = !strcmp(f->name, s->func.text);
    const char *bind =
        small ? "bind(c)" : arena_printf(u->arena, "bind(c, name=\"%s\")", s->func.text);
    diag(d, SEV_ERROR, D_SYN10, s->func.span,
         "nobody can call the function '%s' in '%s' by this name", s->func.text, f->shown);
    diag_note_at(d, where, "this is a Fortran procedure: %s is missing", bind);
    diag_hint(d, "write it behind the parameters: %s(...) %s", f->name, bind);
}

static void
report_static(struct units *u, const struct sub *s, const struct function *f)
{
    struct place *where = arena_new_of(u->arena, struct place);
    *where = function_place(u->arena, f);
    diag(u->lang->diag, SEV_ERROR, D_SYN10, s->func.span,
         "the function '%s' is static in '%s', so that nobody else sees it", f->name, f->shown);
    diag_note_at(u->lang->diag, where, "it is here");
    diag_hint(u->lang->diag, "take the word static away");
}

static bool
has_fortran(const struct units *u)
{
    for (int i = 0; i < u->n; i++)
        if (u->at[i].lang == LANG_FORTRAN) return true;
    return false;
}

/* Of a function in a file that does not compile the compiler's words are enough. */
static void
report_import(struct units *u, const struct sub *s)
{
    struct diag *d = u->lang->diag;
    const char *name = s->func.text;
    const struct unit *mangled = find_mangled(u, name);
    const struct unit *failed = mangled ? NULL : find_failed(u, name);
    const struct function *hidden = mangled || failed ? NULL : find_static(u, name);
    const struct function *unbound = mangled || failed || hidden ? NULL : find_unbound(u, name);
    if (failed) {
        unit_report(u, failed);
        return;
    }
    if (hidden) {
        report_static(u, s, hidden);
        return;
    }
    if (unbound) {
        report_unbound(u, s, unbound);
        return;
    }
    diag(d, SEV_ERROR, D_SYN10, s->func.span, "no function '%s' in the program's %s files", name,
         has_fortran(u) ? "C, C++ and Fortran" : "C and C++");
    if (mangled) {
        diag_note_at(d, place_of_word(u, mangled, name, false),
                     "this is a C++ function: extern \"C\" is missing");
        diag_hint(d, "write: extern \"C\" void %s(...)", name);
    } else {
        hint_nearest(u, name);
    }
}

/* Among those that take part: the linker looked at no others. */
static const struct unit *
unit_needing(struct units *u, const char *name)
{
    for (int i = 0; i < u->n; i++)
        for (int k = 0; k < (u->at[i].takes_part ? u->at[i].symbols.n : 0); k++) {
            const struct symbol_info *s = &u->at[i].symbols.at[k];
            if (!s->defined && !strcmp(shown_symbol(u, s->name), name)) return &u->at[i];
        }
    return NULL;
}

static void
report_missing(struct units *u, const char *name)
{
    const struct sub *import = import_of(u, name);
    if (import) return report_import(u, import);
    /* ld shows C++ names as people write them. */
    const char *plain = arena_strndup(u->arena, name, strcspn(name, "(["));
    const struct unit *x = unit_needing(u, plain);
    struct place *where = x ? place_of_word(u, x, last_part(plain), false) : NULL;
    const struct unit *failed = find_failed(u, shown_symbol(u, plain));
    diag_at(u->lang->diag, SEV_ERROR, D_CC2, where, "'%s' is used, but nothing defines it", name);
    if (failed) unit_report(u, failed);
    else diag_hint(u->lang->diag, "a library that has it is named by #link \"NAME\"");
}

/* The name in a linker's line: ld and gold quote it, lld says "undefined symbol: name". */
static const char *
missing_name(struct units *u, const char *line, size_t size)
{
    static const char *const starts[] = {"undefined reference to `", "undefined reference to '",
                                         "undefined symbol: "};
    const char *text = arena_strndup(u->arena, line, size);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        const char *at = strstr(text, starts[i]);
        if (!at) continue;
        at += strlen(starts[i]);
        return arena_strndup(u->arena, at, strcspn(at, "'\r"));
    }
    return NULL;
}

/* Functions of the runtime are undefined in every object: the program that opens it has them. */
static bool
is_ours(const char *name)
{
    return !strncmp(name, "luna_", 5) && dlsym(RTLD_DEFAULT, name);
}

static void
report_all_missing(struct units *u, const char *log)
{
    struct words seen = {0};
    for (const char *p = log; *p;) {
        size_t n = strcspn(p, "\n");
        const char *name = missing_name(u, p, n);
        p += n + (p[n] == '\n');
        if (!name || is_ours(name) || words_have(&seen, name)) continue;
        words_add(u->arena, &seen, name);
        report_missing(u, name);
    }
}

/* What a library has, but is meant in a file that does not compile: round, index. */
static void
report_hidden(struct units *u)
{
    for (const struct sub *s = u->lang->tree->subs; s; s = s->next) {
        if (s->kind != SUB_IMPORT || !unit_needing(u, s->func.text)) continue;
        bool defined = false;
        for (int i = 0; i < u->n && !defined; i++)
            defined = u->at[i].takes_part && symbols_find(&u->at[i].symbols, s->func.text);
        if (!defined && find_failed(u, s->func.text)) report_import(u, s);
    }
}

/* ---- linking ---- */

static const char *const *
link_words(struct units *u, const char *out)
{
    struct words objects = {0};
    bool has[LANGS] = {0};
    for (int i = 0; i < u->n; i++) {
        if (!u->at[i].takes_part) continue;
        words_add(u->arena, &objects, u->at[i].object);
        has[u->at[i].lang] = true;
    }
    if (has[LANG_CPP])
        words_add(u->arena, &objects, path_join(u->arena, u->tools->lib, "luna_guard.o"));
    unsigned kept = stays(u); /* which reads the files of variables */
    if (kept)
        words_add(u->arena, &objects,
                  arena_printf(u->arena, "-Wl,--defsym," LUNA_STAYS_SYMBOL "=%u", kept));
    return cc_link(u->tools, has, &objects, out);
}

/* The linker's log is read even if it succeeded: what nobody defines is a warning to it, as our own
 * functions are undefined too. */
int
link_program(struct units *u, const char *out)
{
    struct job j = {.argv = link_words(u, out), .log = work_file(u->work, "link.log")};
    if (!jobs_run(&j, 1, u->work->dir)) return 128 + jobs_signal();
    int code = cc_job_check(&j, LANG_C);
    if (code) return code;
    const char *log = file_text(u->arena, j.log);
    if (library_report(u, log)) return 0; /* what it has is missing, too */
    report_all_missing(u, log);
    if (job_is_fine(&j)) report_hidden(u);
    if (u->lacks_fortran) return cc_missing(u->tools, LANG_FORTRAN);
    if (job_is_fine(&j) || diag_errors(u->lang->diag)) return 0; /* then we know why */
    if (work_is_short(u->work, log)) return EXIT_SYSTEM;
    diag_at(u->lang->diag, SEV_ERROR, D_CC2, NULL, "%.*s", (int)strcspn(log, "\n"), log);
    return 0;
}
