/* messages.c - gcc and clang print the same form. */
#include "apps/luna/build/messages.h"

#include "apps/luna/common/files.h"
#include "apps/luna/common/path.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Between FILE:LINE:COL and the words. In English: jobs.c sets LC_ALL=C for compilers. */
static const struct kind {
    const char *text;
    enum message_kind kind;
} kinds[] = {
    {": error: ", MESSAGE_ERROR},
    {": fatal error: ", MESSAGE_ERROR},
    {": sorry, unimplemented: ", MESSAGE_ERROR},
    {": warning: ", MESSAGE_WARNING},
    {": note: ", MESSAGE_NOTE},
};

/* Takes ":NUMBER" off the end of p[0..*size). */
static bool
take_number(const char *p, size_t *size, uint32_t *out)
{
    size_t n = *size;
    while (n && isdigit((unsigned char)p[n - 1])) n--;
    if (n == *size || !n || p[n - 1] != ':') return false;
    *out = (uint32_t)strtoul(p + n, NULL, 10);
    *size = n - 1;
    return true;
}

/* gcc, before an error in a template: FILE:LINE:COL:   required from here */
static bool
read_user(struct arena *a, const char *line, struct message *out)
{
    const char *at = strstr(line, ":   required from here");
    size_t size = at ? (size_t)(at - line) : 0;
    if (!at || !take_number(line, &size, &out->user_col) ||
        !take_number(line, &size, &out->user_line))
        return false;
    out->user = arena_strndup(a, line, size);
    return true;
}

/* FILE:LINE:COL: kind: words, where COL may be missing. The first kind in the line counts, for the
 * words may quote another message; numbers are taken from the right, for FILE may hold colons. */
static bool
read_line(struct arena *a, const char *line, struct message *out)
{
    const char *best = NULL;
    size_t skip = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *at = strstr(line, kinds[i].text);
        if (!at || (best && at > best)) continue;
        best = at;
        skip = strlen(kinds[i].text);
        out->kind = kinds[i].kind;
    }
    if (!best) return false;
    size_t size = (size_t)(best - line);
    if (!take_number(line, &size, &out->col)) return false;
    if (!take_number(line, &size, &out->line)) {
        out->line = out->col;
        out->col = 0;
    }
    out->file = arena_strndup(a, line, size);
    out->words = best + skip;
    return size > 0;
}

bool
message_next(struct arena *a, const char **text, struct message *out)
{
    out->user = NULL;
    while (**text) {
        size_t n = strcspn(*text, "\n");
        const char *line = arena_strndup(a, *text, n);
        *text += n + ((*text)[n] == '\n');
        if (!read_user(a, line, out) && read_line(a, line, out)) return true;
    }
    return false;
}

/* The compiler saw full paths; the user typed one. Files beside it, its headers, are shown as seen
 * from where the user stands as well. */
static const char *
shown_name(struct arena *a, const char *file, const struct alias *alias)
{
    if (!strcmp(file, alias->path)) return alias->shown;
    const char *dir = path_dir(a, alias->path);
    size_t n = strlen(dir);
    if (strncmp(file, dir, n) || file[n] != '/') return file;
    return path_join(a, path_dir(a, alias->shown), file + n + 1);
}

/* Read again for each message: errors are few, and files may be large. */
static void
set_line_text(struct arena *a, struct place *p, const char *path)
{
    struct buf text = {0};
    if (file_take(a, path, &text) || !text.size) return buf_fini(&text);
    const char *line = text.data;
    for (uint32_t i = 1; i < p->line && *line; i++) {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    p->line_size = strcspn(line, "\r\n");
    p->line_text = arena_strndup(a, line, p->line_size);
    buf_fini(&text);
}

/* One past the word that begins at the column. */
static uint32_t
word_end(const struct place *p)
{
    uint32_t col = p->col;
    if (!p->line_text) return col + 1;
    while (col - 1 < p->line_size &&
           (isalnum((unsigned char)p->line_text[col - 1]) || p->line_text[col - 1] == '_'))
        col++;
    return col > p->col ? col : col + 1;
}

struct place
message_place(struct arena *a, const struct message *m, const struct alias *alias)
{
    struct place p = {.file = shown_name(a, m->file, alias), .line = m->line, .col = m->col,
                      .end_line = m->line, .end_col = m->col};
    set_line_text(a, &p, m->file);
    if (p.col) p.end_col = word_end(&p);
    return p;
}

static struct place *
kept_place(struct arena *a, const struct message *m, const struct alias *alias)
{
    struct place *p = arena_new_of(a, struct place);
    *p = message_place(a, m, alias);
    return p;
}

/* ---- errors ---- */

static bool
is_others(struct arena *a, const struct message *m, const struct alias *alias)
{
    return *m->file == '/' && shown_name(a, m->file, alias) == m->file;
}

/* One in a template of a header is one of the line that uses it. */
static void
report_error(struct diag *d, struct arena *a, const struct message *m, const struct alias *alias)
{
    struct message user = {.file = m->user, .line = m->user_line, .col = m->user_col};
    bool others = m->user && is_others(a, m, alias);
    diag_at(d, SEV_ERROR, D_CC1, kept_place(a, others ? &user : m, alias), "%s", m->words);
    if (others) diag_note_at(d, kept_place(a, m, alias), "here, in what this line uses");
}

/* A header of ours that was forgotten: our names are unknown then. NULL: that is not the error. */
static const char *
forgotten(const char *words)
{
    bool unknown = strstr(words, "unknown type") || strstr(words, "declar") ||
                   strstr(words, "does not name a type");
    if (!unknown) return NULL;
    if (strstr(words, "'luna_")) return "luna.h";
    bool cpp = strstr(words, "'InputDF'") || strstr(words, "'OutputDF'") || strstr(words, "'DF'");
    return cpp ? "ucenv.h" : NULL;
}

/* All else in the file may follow from the missing header. */
static bool
report_forgotten(struct diag *d, struct arena *a, const char *log, const struct alias *alias)
{
    struct message m;
    while (message_next(a, &log, &m)) {
        const char *header = m.kind == MESSAGE_ERROR ? forgotten(m.words) : NULL;
        if (!header) continue;
        diag_at(d, SEV_ERROR, D_CC1, kept_place(a, &m, alias), "%s", m.words);
        diag_hint(d, "#include <%s>", header);
        return true;
    }
    return false;
}

/* The compiler knows where such a name is declared: "include '<stdio.h>' or provide ...". */
static bool
hint_include(struct diag *d, const char *note)
{
    const char *header = strstr(note, "include") ? strrchr(note, '<') : NULL;
    const char *end = header ? strchr(header, '>') : NULL;
    if (end) diag_hint(d, "#include %.*s", (int)(end + 1 - header), header);
    return end != NULL;
}

/* What stands in the first quotes, of 'void free(const luna_df *)' the name alone. */
static const char *
quoted_name(struct arena *a, const char *words)
{
    const char *quote = strchr(words, '\''), *start = quote ? quote + 1 : words;
    const char *end = start + strcspn(start, "'(");
    while (end > start && end[-1] == ' ') end--;
    const char *name = end;
    while (name > start && (isalnum((unsigned char)name[-1]) || name[-1] == '_')) name--;
    return name < end ? arena_strndup(a, name, (size_t)(end - name)) : NULL;
}

/* A function of the user's with the name of one in the system's headers. */
static void
hint_clash(struct diag *d, struct arena *a, const struct message *error, const struct message *note,
           const struct alias *alias)
{
    if (strncmp(error->words, "conflicting ", 12) || !is_others(a, note, alias)) return;
    const char *name = quoted_name(a, error->words);
    if (name)
        diag_hint(d, "a header has this name: call yours my_%s, and import my_%s(...) as %s", name,
                  name, name);
}

static void
report_note(struct diag *d, struct arena *a, const struct message *error,
            const struct message *note, const struct alias *alias)
{
    if (hint_include(d, note->words) || strstr(note->words, "is reported only once")) return;
    bool users = !error->user || !strcmp(note->file, error->user);
    if (!users && is_others(a, note, alias)) return; /* candidates of the library */
    diag_note_at(d, kept_place(a, note, alias), "%s", note->words);
    hint_clash(d, a, error, note, alias);
}

/* Each place where an unknown type is used makes an error: the first tells all. */
static bool
is_repeated(struct arena *a, struct words *unknown, const struct message *m)
{
    bool type = strstr(m->words, "unknown type") || strstr(m->words, "does not name a type");
    if (!type) return false;
    if (words_have(unknown, m->words)) return true;
    words_add(a, unknown, m->words);
    return false;
}

/* gfortran's words, and those of all about MPI. */
static void
hint_module(struct diag *d, const char *words)
{
    if (strstr(words, "mpi.h: No such") || strstr(words, "'mpi.h' file not found") ||
        strstr(words, "'mpi.mod'") || strstr(words, "'mpi_f08.mod'") || strstr(words, "'mpif.h'"))
        diag_hint(d, "functions do not call MPI: luna runs it; pass values through fragments");
    else if (!strncmp(words, "Cannot open module file", 23))
        diag_hint(d, "files beside the program have modules; -I in FFLAGS names folders of others");
}

/* Each error with the notes behind it. A compiler that failed without a message we can read still
 * has its first line. */
void
messages_report(struct diag *d, struct arena *a, const char *log, const struct alias *alias)
{
    struct message m, error = {0};
    struct words unknown = {0};
    bool any = false, in_error = false;
    if (report_forgotten(d, a, log, alias)) return;
    for (const char *text = log; message_next(a, &text, &m);) {
        if (m.kind == MESSAGE_NOTE) {
            if (in_error) report_note(d, a, &error, &m, alias);
            continue;
        }
        any |= m.kind == MESSAGE_ERROR;
        in_error = m.kind == MESSAGE_ERROR && !is_repeated(a, &unknown, &m);
        if (!in_error) continue;
        report_error(d, a, &m, alias);
        hint_module(d, m.words);
        error = m;
    }
    if (any) return;
    struct place *file = arena_new_of(a, struct place);
    file->file = alias->shown;
    log += strspn(log, " \t\n");
    diag_at(d, SEV_ERROR, D_CC1, file, "%.*s", (int)(*log ? strcspn(log, "\n") : INT_MAX),
            *log ? log : "the compiler failed, and did not say why");
}

/* ---- warnings ---- */

/* Behind such a warning a call computes something else than its text says. gcc's names, clang's. */
static bool
means_wrong(const char *words)
{
    static const char *const names[] = {
        "discarded-qualifiers", "incompatible-pointer-types", "int-conversion", "overflow",
        "return-type", "uninitialized", "maybe-uninitialized", "array-bounds", "stringop-overflow",
        "stringop-overread", "format", "format-overflow", "div-by-zero", "shift-count-overflow",
        "shift-count-negative", "sizeof-pointer-memaccess", "sizeof-pointer-div", "nonnull",
        "int-to-pointer-cast", "pointer-to-int-cast", "free-nonheap-object", "use-after-free",
        "return-local-addr", "sequence-point",
        "incompatible-pointer-types-discards-qualifiers", "constant-conversion",
        "literal-conversion", "sometimes-uninitialized", "division-by-zero", "unsequenced",
        "return-stack-address", "implicit-const-int-float-conversion", "int-to-void-pointer-cast"};
    const char *name = strrchr(words, '[');
    if (!name || strncmp(name, "[-W", 3)) return false;
    name += 3;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if (!strncmp(name, names[i], n) && (name[n] == ']' || name[n] == '=')) return true;
    }
    return false;
}

void
messages_report_warnings(struct diag *d, struct arena *a, const char *log,
                         const struct alias *alias, const char *not_in)
{
    struct message m;
    bool in_warning = false;
    for (const char *text = log; message_next(a, &text, &m);) {
        bool others = !strncmp(m.file, not_in, strlen(not_in));
        if (m.kind == MESSAGE_NOTE) {
            if (in_warning) diag_note_at(d, kept_place(a, &m, alias), "%s", m.words);
            continue;
        }
        if (!(in_warning = m.kind == MESSAGE_WARNING && !others)) continue;
        diag_at(d, SEV_WARNING, means_wrong(m.words) ? D_CC3_1 : D_CC3_2, kept_place(a, &m, alias),
                "%s", m.words);
    }
}
