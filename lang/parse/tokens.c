/* tokens.c - between the lexer and the grammar: knows which brackets are open, and after a syntax
 * error finds the place where reading can go on (see parser.h). */
#include "lang/parse/parser.h"
#include "parse.tab.h"

#include <assert.h>
#include <string.h>

int fa_scan(FASTYPE *lval, FALTYPE *lloc, void *scanner);
int falex(FASTYPE *lval, FALTYPE *lloc, struct parser *p);

static bool
is_text(const struct parser *p, struct token t, const char *word)
{
    size_t size = strlen(word);
    return t.span.hi - t.span.lo == size && !memcmp(p->text + t.span.lo, word, size);
}

/* Whether the next word is a name, and a '=' follows it. */
static bool
defines(const struct parser *p, uint32_t at)
{
    const char *s = p->text + at, *name = s + strspn(s, " \t\r\n");
    size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    s = name + size;
    s += strspn(s, " \t\r\n");
    return size && s[0] == '=' && s[1] != '=';
}

/* `const` is a word only where an item may begin. In front of NAME = it can be nothing else there,
 * not even behind a sub without braces whose ';' is missing. */
static bool
begins_const(const struct parser *p, struct token t)
{
    int last = p->last.kind;
    bool item = !last || last == ';' || last == '}' || last == K_FOREIGN || last == K_SYNC;
    if (p->braces || p->brackets || !is_text(p, t, "const")) return false;
    return item || defines(p, t.span.hi);
}

/* `node` is a word only within an expression of a rule, in front of '('. Else there can be no '('
 * behind a name; what it means, and where, is for resolve to say. */
static bool
asks_node(const struct parser *p, struct token t)
{
    const char *next = p->text + t.span.hi;
    bool begins = p->last.kind == '{' || p->last.kind == ';'; /* then it is the name of a rule */
    next += strspn(next, " \t\r\n");
    return p->rules && !begins && *next == '(' && is_text(p, t, "node");
}

/* So are `int64` and `float`, but in any expression: where an operand stands, or the name of a sub,
 * which the grammar takes, too. */
static bool
asks_items(const struct parser *p, struct token t)
{
    const char *next = p->text + t.span.hi;
    next += strspn(next, " \t\r\n");
    if (*next != '(' || !(is_text(p, t, "int64") || is_text(p, t, "float"))) return false;
    switch (p->last.kind) {
    case 0: case ';': case '{': case '}': case K_SUB: case K_IMPORT: case K_NAME: return false;
    default: return true;
    }
}

/* `over` is a word only behind a fragment within brackets: there no name can stand. */
static bool
begins_list(const struct parser *p, struct token t)
{
    bool behind = p->last.kind == K_NAME || p->last.kind == ']';
    return p->brackets && behind && is_text(p, t, "over");
}

/* A ',' between two counters of a list, not between two arguments. */
static bool
continues_list(const struct parser *p, struct token t)
{
    return p->over && p->brackets == p->over && defines(p, t.span.hi);
}

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Whether `word` ends in front of `at`, but for blanks. */
static bool
stands_before(const struct parser *p, size_t at, const char *word)
{
    size_t size = strlen(word);
    while (at && strchr(" \t\r\n", p->text[at - 1])) at--;
    return at >= size && !memcmp(p->text + at - size, word, size) &&
           (at == size || !is_letter(word[0]) || !is_letter(p->text[at - size - 1]));
}

bool
token_names_sub(const struct parser *p, const char *word)
{
    size_t size = strlen(word);
    const char *s = p->text;
    for (; (s = strstr(s, word)); s += size) {
        size_t at = (size_t)(s - p->text);
        if ((at && is_letter(s[-1])) || is_letter(s[size])) continue;
        bool calls = s[size + strspn(s + size, " \t\r\n")] == '(';
        if (stands_before(p, at, "sub") || stands_before(p, at, "import") ||
            stands_before(p, at, "as") || (calls && stands_before(p, at, ">>")))
            return true;
    }
    return false;
}

static bool
ends_operand(int kind)
{
    return kind == K_NAME || kind == K_INT || kind == K_REAL || kind == K_STRING || kind == ')' ||
           kind == ']';
}

/* `by` is a word only behind the last value of a `for`, where no sub of the program is called so,
 * nor a fragment left of `=`. */
static bool
begins_step(const struct parser *p, struct token t)
{
    const char *next = p->text + t.span.hi;
    if (!p->ranged || p->brackets || p->by_is_sub || p->header.kind != K_FOR) return false;
    if (!ends_operand(p->last.kind) || !is_text(p, t, "by")) return false;
    next += strspn(next, " \t\r\n");
    return *next != '[' && *next != ',' && (*next != '=' || next[1] == '=');
}

static struct token
raw(struct parser *p, FASTYPE *lval)
{
    struct token t = {0};
    if (p->nagain) {
        t = p->again[--p->nagain];
        if (t.kind == K_NAME) {
            lval->name.text = names_intern(p->names, p->text + t.span.lo, t.span.hi - t.span.lo);
            lval->name.span = t.span;
        }
        return t;
    }
    t.kind = fa_scan(lval, &t.span, p->scanner);
    if (t.kind == K_NAME && begins_const(p, t)) t.kind = K_CONST;
    if (t.kind == K_NAME && asks_node(p, t)) t.kind = K_NODE_OF;
    if (t.kind == K_NAME && asks_items(p, t)) t.kind = K_ITEMS_OF;
    if (t.kind == K_NAME && begins_list(p, t)) t.kind = K_OVER;
    if (t.kind == K_NAME && begins_step(p, t)) t.kind = K_BY;
    if (t.kind == ',' && continues_list(p, t)) t.kind = K_NEXT;
    return t;
}

/* ---- brackets and headers ---- */

static void
nest(struct parser *p, struct token t)
{
    p->extra = false;
    switch (t.kind) {
    case '(': case '[':
        p->brackets++;
        break;
    case ')': case ']':
        p->extra = !p->brackets;
        p->brackets -= p->brackets > 0;
        if (p->brackets < p->over) p->over = 0;
        break;
    case K_OVER:
        p->over = p->brackets;
        break;
    case ',':
        if (p->brackets == p->over) p->over = 0;
        break;
    case K_FOR: case K_DOTS: case K_BY:
        p->ranged = t.kind == K_DOTS;
        break;
    case '{':
        p->brackets = p->over = 0;
        p->open[p->braces++] = t.span;
        if (p->last.kind == '@') p->rules = p->braces;
        break;
    case '}':
        p->unclosed = p->brackets;
        p->brackets = p->over = 0;
        p->extra = !p->braces;
        if (p->braces) p->braces--;
        if (p->braces < p->mute) {
            p->mute = 0;
            p->quiet = 3; /* so much more than this token: a ';' behind it is part of the error */
        }
        if (p->braces < p->rules) p->rules = 0;
        break;
    case ';':
        p->unclosed = p->brackets;
        p->brackets = p->over = 0;
    }
}

/* By the last token, so that an error sees the header in which its token stands. Headers end where
 * a body or a call begins; within an expression no name is followed by '('. */
static void
note_header(struct parser *p)
{
    switch (p->last.kind) {
    case K_FOR: case K_WHILE: case K_LET: case K_IF: case K_SUB: case K_IMPORT: case K_DF:
    case K_CONST:
        p->header = p->last;
        break;
    case K_NAME: /* which may be that of a call, a DF, a parameter */
        if (p->header.kind != K_DF && p->header.kind != K_SUB &&
            is_text(p, p->last, "reduce"))
            p->header = p->last;
        break;
    case '(':
        if (p->before.kind == K_NAME && p->header.kind != K_SUB && p->header.kind != K_IMPORT)
            p->header.kind = 0;
        break;
    case ')':
        if (p->header.kind != K_SUB) break;
        p->header.kind = 0;
        p->stray = false;
        break;
    case '{': case '}': case ';':
        p->header.kind = 0;
    }
}

static int
give(struct parser *p, struct token t, FALTYPE *lloc)
{
    bool opens = t.kind == '(' || t.kind == '[' || t.kind == '{';
    if (opens && p->braces + p->brackets >= NESTING_MAX) {
        diag(p->diag, SEV_ERROR, D_PAR4, t.span, "nested more than %d deep", NESTING_MAX);
        p->dead = true;
        t.kind = 0;
    }
    note_header(p);
    nest(p, t);
    if (p->quiet) p->quiet--;
    p->before = p->last;
    p->last = t;
    *lloc = t.span;
    return t.kind;
}

/* ---- after an error ---- */

/* The word C, as in C sub. */
static bool
is_c(const struct parser *p, struct token t)
{
    return t.kind == K_NAME && is_text(p, t, "C");
}

bool
token_is_alone(const struct parser *p, struct token t)
{
    const char *next = p->text + t.span.hi;
    char first = p->text[t.span.lo];
    bool word = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_';
    next += strspn(next, " \t\r\n");
    return word && t.kind != K_NAME && *next && strchr(")],;", *next);
}

/* `t` begins what comes after the broken part; `before` stood in front of it. */
static void
resume_at(struct parser *p, struct token t, struct token before)
{
    bool item = t.kind == K_SUB || t.kind == K_IMPORT || t.kind == K_CPP ||
                t.kind == K_CONST || !t.kind;
    if (item) p->closers = p->braces;
    assert(p->nagain + 2 <= AGAIN_MAX);
    if (t.kind) p->again[p->nagain++] = t;
    if (t.kind == K_SUB && is_c(p, before)) p->again[p->nagain++] = before;
}

static struct token
skip_group(struct parser *p, FASTYPE *lval)
{
    struct token t;
    int depth = 0;
    do {
        t = raw(p, lval);
        depth += (t.kind == '{') - (t.kind == '}');
    } while (t.kind && depth > 0);
    return t;
}

/* Takes the next token if it is a ';'. */
static bool
swallow(struct parser *p, FASTYPE *lval)
{
    struct token next = raw(p, lval);
    if (next.kind == ';') return true;
    if (next.kind) p->again[p->nagain++] = next;
    return false;
}

/* Throws tokens away, the last one given included. Ends with
 * a '{' that may be a body, or behind the statement. */
static struct token
skip(struct parser *p, FASTYPE *lval)
{
    struct token t = p->last, before = p->before, sync = {.kind = K_SYNC, .span = t.span};
    bool given = true;
    /* for (i = 0; i < n; i++), sub f(int a; int b): these ';' end nothing. */
    bool header = (t.kind == '(' && before.kind == K_FOR) || p->header.kind == K_SUB ||
                  p->header.kind == K_IMPORT;
    int brackets = t.kind == ';' ? p->unclosed : p->brackets;
    for (;; given = false) {
        /* Given a second time and still not what the grammar wants: then it goes. */
        bool stuck = given && (before.kind == K_SYNC || before.kind == t.kind);
        switch (t.kind) {
        case ';':
            if (header && brackets > 0) break;
            if (!given) p->unclosed = brackets > 0 ? brackets : 0;
            return sync;
        case K_FOREIGN:
            return sync;
        case '(': case '[':
            brackets += !given;
            break;
        case ')': case ']':
            brackets -= !given;
            break;
        case '}':
            if (stuck) break;
            if (given ? p->extra : !p->braces) break;
            if (given) p->braces++; /* it comes once more */
            if (given && p->unclosed && swallow(p, lval)) return sync; /* f(1}; */
            resume_at(p, t, before);
            return sync;
        case K_SUB: case K_IMPORT: case K_CPP: case K_CONST: case 0:
            if (stuck || (t.kind == K_SUB && before.kind == K_NAME && !is_c(p, before))) break;
            if (brackets > 0 && token_is_alone(p, t)) break; /* f(sub); */
            resume_at(p, t, before);
            return sync;
        case '{':
            if (!given) return t;
            break;
        }
        struct token next = raw(p, lval);
        if (t.kind == '@' && next.kind == '{') {
            p->again[p->nagain++] = next;
            next = skip_group(p, lval);
            if (next.kind) next = raw(p, lval);
        }
        before = t;
        t = next;
    }
}

int
falex(FASTYPE *lval, FALTYPE *lloc, struct parser *p)
{
    if (p->dead) return give(p, (struct token){.span = p->last.span}, lloc);
    if (p->skipping) {
        struct token t = skip(p, lval);
        p->skipping = false;
        p->quiet = 0;
        if (t.kind == '{') return give(p, t, lloc);
        p->brackets = p->over = 0;
        p->header.kind = 0;
        p->before = p->last;
        p->last = t;
        *lloc = t.span;
        return t.kind;
    }
    if (p->closers) {
        p->closers--;
        p->quiet = 2; /* what does not fit here is part of the error that made us close */
        return give(p, (struct token){'}', p->last.span}, lloc);
    }
    return give(p, raw(p, lval), lloc);
}
