/* expect.c - syntax errors in the user's words.
 *
 * First the slips we know: what other languages would allow, words in the wrong place. Each looks
 * at the token found, the one before it, and what the grammar would have taken. Else the general
 * form: expected ',' or ')', not ';'. */
#include "lang/parse/parser.h"
#include "runtime/base/near.h"
#include "lang/tree/rules.h"
#include "parse.tab.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct expected {
    struct parser *p;
    const char *const *words;
    int n;
    struct token found, before;
};

static bool
has(const struct expected *x, const char *word)
{
    for (int i = 0; i < x->n; i++)
        if (!strcmp(x->words[i], word)) return true;
    return false;
}

/* ---- which part of the grammar we are in, by what it would take ---- */

/* A name that is declared here: then the grammar takes reserved words and complains itself. */
static bool
wants_new_name(const struct expected *x)
{
    return has(x, "'SIZE'");
}

static bool
wants_item(const struct expected *x)
{
    return has(x, "'sub'") && has(x, "'import'");
}

static bool
wants_statement(const struct expected *x)
{
    return has(x, "'for'") && has(x, "'if'");
}

static bool
wants_operand(const struct expected *x)
{
    return has(x, "an integer");
}

static bool
wants_operator(const struct expected *x)
{
    return has(x, "'?'") && has(x, "'*'");
}

/* Behind a call: what may follow besides ';' is told only if the user seems to want it. */
static bool
wants_call_end(const struct expected *x)
{
    return has(x, "';'") && has(x, "'@'");
}

/* Behind a name that begins a statement; the others of these tokens belong to `reduce`, or to what
 * stands left of `=`. */
static bool
wants_call(const struct expected *x)
{
    return has(x, "'('") && has(x, "'='") && !wants_operator(x) && !wants_operand(x);
}

/* Behind a reference left of `=`, when it can be nothing else. */
static bool
wants_assignment(const struct expected *x)
{
    return !has(x, "'('") && has(x, "'='") && has(x, "','") && !wants_operator(x);
}

/* ---- reports ---- */

static const char *near_item(const struct expected *x);

static const char *
text_of(const struct parser *p, struct span at, int *size)
{
    enum { SHOWN_MAX = 40 };
    *size = at.hi - at.lo < SHOWN_MAX ? (int)(at.hi - at.lo) : SHOWN_MAX;
    return p->text + at.lo;
}

static const char *
token_text(const struct parser *p, struct token t, char *out, size_t room)
{
    int size;
    const char *text = text_of(p, t.span, &size);
    switch (t.kind) {
    case 0: return "the end of the file";
    case K_STRING: return "a string";
    case K_FOREIGN: return "a foreign block";
    default: snprintf(out, room, "'%.*s'", size, text); return out;
    }
}

static void __attribute__((format(printf, 3, 4)))
say_at(const struct expected *x, struct span at, const char *fmt, ...)
{
    char words[300];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(words, sizeof words, fmt, ap);
    va_end(ap);
    diag(x->p->diag, SEV_ERROR, D_PAR1, at, "%s", words);
}

#define SAY(x, ...) say_at(x, (x)->found.span, __VA_ARGS__)
#define HINT(x, ...) diag_hint((x)->p->diag, __VA_ARGS__)

void
expect_reserved(struct parser *p, struct token word)
{
    uint64_t bit = (uint64_t)1 << (word.kind & 63);
    int size;
    const char *text = text_of(p, word.span, &size);
    if (!(p->told & bit))
        diag(p->diag, SEV_ERROR, D_PAR1, word.span, "'%.*s' is a reserved word, not a name", size,
             text);
    p->told |= bit;
}

/* ---- what other languages would allow ---- */

/* Behind a broken statement it is the rest of that. */
static bool
say_else(const struct expected *x)
{
    if (x->found.kind != K_ELSE || !wants_statement(x)) return false;
    if (x->before.kind == K_SYNC) return true;
    SAY(x, "this 'else' belongs to no 'if'");
    if (x->before.kind == ';') HINT(x, "a branch of several statements stands in braces");
    return true;
}

static bool
say_bare_block(const struct expected *x)
{
    if (x->found.kind != '{' || !wants_statement(x)) return false;
    SAY(x, "a block cannot stand alone");
    HINT(x, "if 1 { ... } does what it would do");
    return true;
}

/* Behind a block it is a habit from other languages; alone it is an empty statement. */
static bool
say_semicolon(const struct expected *x)
{
    if (x->found.kind != ';' || !(wants_statement(x) || wants_item(x))) return false;
    if (x->before.kind == '}') SAY(x, "no ';' follows a block");
    else SAY(x, "there is no empty statement");
    HINT(x, "remove the ';'");
    int header = x->p->header.kind;
    if (header == K_FOR || header == K_LET || header == K_WHILE)
        x->p->tree->lost = true; /* what follows was meant to see the names of the header */
    return true;
}

static bool
is_one_of(int kind, const char *signs)
{
    return kind > 0 && kind < 128 && strchr(signs, kind);
}

/* += or ++ of C. */
static bool
say_update(const struct expected *x)
{
    bool behind_name = x->before.kind == K_NAME && x->n == 1 && has(x, "'('"); /* no `reduce` */
    char op[] = {(char)x->found.kind, x->p->text[x->found.span.hi], 0};
    if (!wants_call(x) && !wants_assignment(x) && !behind_name) return false;
    if (!is_one_of(x->found.kind, "+-*/%") || (op[1] != '=' && op[1] != op[0])) return false;
    SAY(x, "there is no '%s': a fragment is assigned once", op);
    HINT(x, "each value is a fragment of its own: x[1] = f(x[0])");
    return true;
}

static bool
follows_equals(const struct expected *x, struct token t)
{
    const char *at = x->p->text + t.span.lo;
    while (at > x->p->text && strchr(" \t\r\n", at[-1])) at--;
    return at > x->p->text && at[-1] == '=';
}

/* x = 5, x = y + 1 */
static bool
say_assignment(const struct expected *x)
{
    bool at_once = x->before.kind == '=' && x->n == 1 && has(x, "a name");
    bool behind_name = x->before.kind == K_NAME && x->n == 1 && has(x, "'('") &&
                       follows_equals(x, x->before);
    if (!at_once && !behind_name) return false;
    say_at(x, at_once ? x->found.span : x->before.span,
           "only a call can stand right of '=', not an expression");
    HINT(x, "a sub with a parameter of type name assigns: x = f(y)");
    return true;
}

/* '=' belongs to rules and headers too: where those may go on, it is no slip for '=='. */
/* "<>", "**", "a.b". */
static bool
say_foreign_operator(const struct expected *x)
{
    if (wants_operand(x) && x->before.kind == '<' && x->found.kind == '>') {
        SAY(x, "there is no operator '<>'");
        HINT(x, "not equal is '!='");
    } else if (wants_operand(x) && x->before.kind == '*' && x->found.kind == '*') {
        SAY(x, "there is no operator '**'");
        HINT(x, "multiply, x * x, or import a function that calls pow");
    } else if (wants_operator(x) && x->found.kind == '.' && !has(x, "'..'")) {
        SAY(x, "fragments have no parts with names");
        HINT(x, "index them: x[0], x[1]; or let a function look into the value");
    } else {
        return false;
    }
    return true;
}

static bool
say_operator(const struct expected *x)
{
    if (!wants_operator(x)) return false;
    switch (x->found.kind) {
    case '=':
        if (has(x, "'=>'") || has(x, "';'")) return false;
        SAY(x, "'=' does not compare");
        HINT(x, "write '=='");
        return true;
    case K_MAPS:
        SAY(x, "'=>' does not compare");
        HINT(x, "write '>='");
        return true;
    case '&':
        SAY(x, "there are no bit operators");
        HINT(x, "logical and is '&&'");
        return true;
    case K_SHL: case K_SETS:
        if (has(x, "'>>'")) return false;
        SAY(x, "there are no bit operators");
        return true;
    default: return false;
    }
}

static bool
is_word(const struct expected *x, struct token t, const char *word)
{
    int size;
    const char *text = text_of(x->p, t.span, &size);
    return t.kind == K_NAME && size == (int)strlen(word) && !memcmp(text, word, (size_t)size);
}

/* Before a name stands `not`, which the grammar took for one, too. */
static bool
follows_not(const struct expected *x, struct token t, struct span *not)
{
    const char *text = x->p->text;
    unsigned hi = (unsigned)t.span.lo;
    while (hi && strchr(" \t", text[hi - 1])) hi--;
    *not = (struct span){.lo = hi - 3, .hi = hi};
    return t.kind == K_NAME && hi > 3 && hi < (unsigned)t.span.lo &&
           !memcmp(text + hi - 3, "not", 3) && strchr(" \t()", text[hi - 4]);
}

/* `a and b`, `not a`: to the grammar these are names. Behind the header of an `if` a name begins a
 * call, so there the word is the token before. */
static bool
say_word_operator(const struct expected *x)
{
    bool begins_call = wants_call(x) || (x->n == 1 && has(x, "'('"));
    struct token word = begins_call ? x->before : x->found;
    struct span not = x->before.span;
    if (!begins_call && !wants_operator(x)) return false;
    if (is_word(x, word, "and")) {
        say_at(x, word.span, "there is no 'and'");
        HINT(x, "logical and is '&&'");
    } else if (is_word(x, word, "or")) {
        say_at(x, word.span, "there is no 'or'");
        HINT(x, "logical or is '||'");
    } else if (is_word(x, x->before, "not") ||
               (begins_call && follows_not(x, x->before, &not))) {
        say_at(x, not, "there is no 'not'");
        HINT(x, "it is written '!': !x, !(a < b)");
    } else {
        return false;
    }
    return true;
}

/* A rule among the statements, or in a form it does not have. */
static bool
say_rule(const struct expected *x)
{
    int size;
    char name[41];
    const char *text = text_of(x->p, x->before.span, &size);
    bool statement = wants_call(x) || (x->n == 1 && has(x, "'('"));
    bool rule = has(x, "':'") && has(x, "','") && has(x, "';'");
    if (x->before.kind != K_NAME || (!statement && !rule)) return false;
    snprintf(name, sizeof name, "%.*s", size, text);
    const char *form = rule_form(name, x->found.kind == '=' ? R_ASSIGN : R_ENUM);
    if (!form) return false;
    if (statement) {
        say_at(x, x->before.span, "'%s' is a rule, not a statement", name);
        HINT(x, "rules stand behind a call or a block: @ { %s }", form);
    } else {
        char found[64];
        SAY(x, "rule '%s' is written otherwise: %s is not expected", name,
            token_text(x->p, x->found, found, sizeof found));
        HINT(x, "the form is: %s", form);
    }
    return true;
}

/* Words of other languages that begin a statement here, as all names do. */
static bool
say_foreign_word(const struct expected *x)
{
    if (!wants_call(x) && (x->n != 1 || !has(x, "'('"))) return false;
    if (is_word(x, x->before, "then")) {
        say_at(x, x->before.span, "there is no 'then'");
        HINT(x, "the body follows the condition: if x == 1 f(x);");
    } else if (is_word(x, x->before, "return")) {
        say_at(x, x->before.span, "there is no 'return'");
        HINT(x, "a sub hands on results through parameters of type name");
    } else if (is_word(x, x->before, "elif")) {
        say_at(x, x->before.span, "there is no 'elif'");
        HINT(x, "write 'else if'");
    } else if (is_word(x, x->before, "const")) {
        say_at(x, x->before.span, "a const stands outside of subs");
        HINT(x, "inside, a let gives a name to a value: let n = 8 { ... }");
    } else {
        return false;
    }
    return true;
}

static bool
say_unary_plus(const struct expected *x)
{
    if (x->found.kind != '+' || !wants_operand(x)) return false;
    SAY(x, "there is no unary '+'");
    if (x->before.kind == '+') HINT(x, "nothing is counted up: fragments are assigned once");
    return true;
}

static bool
say_reduction(const struct expected *x)
{
    char found[64];
    if (!is_word(x, x->before, "reduce") || !has(x, "'('") || x->found.kind == ';') return false;
    SAY(x, "%s is no operation of a reduction",
        token_text(x->p, x->found, found, sizeof found));
    HINT(x, "there are + * min max && ||, and subs (value, value, name)");
    return true;
}

/* "0 .. say(i);": what stands behind the dots is the statement, and not "0 .. last(x) say(i);". */
static bool
is_behind_dots(const struct expected *x)
{
    const char *text = x->p->text, *at = text + x->before.span.lo, *end = text + x->found.span.lo;
    int depth = 0;
    while (at > text && strchr(" \t\n", at[-1])) at--;
    if (at - text < 2 || at[-1] != '.' || at[-2] != '.') return false;
    do depth += (*end == '(') - (*end == ')');
    while (*end && (end++, depth));
    return end[strspn(end, " \t\n")] == ';';
}

static bool
say_open_range(const struct expected *x)
{
    if (x->found.kind != '(' || x->before.kind != K_NAME || !wants_operator(x)) return false;
    if (!is_behind_dots(x)) return false;
    say_at(x, x->before.span, "the last value behind '..' is missing");
    HINT(x, "write: for i = 0 .. n-1; if a macro stands there, it is empty");
    return true;
}

static bool
say_nested_call(const struct expected *x)
{
    bool inner = x->found.kind == '(' && x->before.kind == K_NAME && wants_operator(x);
    bool outer = x->before.kind == ')' && wants_call_end(x) && is_one_of(x->found.kind, "+-*/%<?");
    if (!inner && !outer) return false;
    say_at(x, inner ? x->before.span : x->found.span, "a call cannot be part of an expression");
    HINT(x, "let it assign a fragment, t = f(x), and use that in the expression");
    return true;
}

static bool
is_type(int kind)
{
    return kind == K_INT_TYPE || kind == K_REAL_TYPE || kind == K_STRING_TYPE ||
           kind == K_NAME_TYPE || kind == K_VALUE_TYPE;
}

static bool
say_typed_variable(const struct expected *x)
{
    if (is_type(x->found.kind) && x->before.kind == K_CONST) {
        SAY(x, "a const is declared without a type: its value has one");
        HINT(x, "the form is: const NAME = EXPRESSION;");
        return true;
    }
    if (!is_type(x->found.kind) || !wants_statement(x)) return false;
    SAY(x, "variables are not declared by type");
    HINT(x, "fragments have no type; a block begins with: df x, y;");
    x->p->tree->lost = true;
    return true;
}

static bool
say_parameter_name(const struct expected *x)
{
    bool end = x->found.kind == ',' || x->found.kind == ')';
    if (!end || !is_type(x->before.kind) || !wants_new_name(x)) return false;
    say_at(x, x->before.span, "this parameter has no name");
    return true;
}

static bool
say_for_header(const struct expected *x)
{
    if (x->p->header.kind != K_FOR) return false;
    if (x->found.kind == '(' && x->before.kind == K_FOR)
        SAY(x, "the header of 'for' has no parentheses");
    else if (x->found.kind == K_IN)
        SAY(x, "expected '=', not 'in'");
    else
        return false;
    HINT(x, "the form is: for i = FIRST .. LAST");
    return true;
}

static bool
is_by(const struct parser *p, struct token t)
{
    return t.kind == K_NAME && t.span.hi - t.span.lo == 2 && !memcmp(p->text + t.span.lo, "by", 2);
}

/* A step where there is none. */
static bool
say_step(const struct expected *x)
{
    const struct parser *p = x->p;
    bool word = is_by(p, x->found) && (p->over || p->header.kind == K_NAME);
    bool called = p->by_is_sub && p->header.kind == K_FOR && is_by(p, x->before);
    if (word) {
        SAY(x, "only a 'for' has a 'by'");
        HINT(x, "i = 0..n by 2 goes over the same as k = 0..n/2, with 2*k in place of i");
    } else if (called) {
        SAY(x, "'by' calls the sub 'by' here");
        HINT(x, "in a program that has a sub of this name no 'for' has a step: rename the sub");
    }
    return word || called;
}

/* ---- things in the wrong place ---- */

/* The end of the file, or the beginning of a sub, while a block is open. The brace that is still
 * open is noted: the one that is missing may belong far above. */
static bool
say_end(const struct expected *x)
{
    const struct parser *p = x->p;
    bool item = x->found.kind == K_SUB || x->found.kind == K_IMPORT || x->found.kind == K_CPP;
    bool c_sub = x->found.kind == K_SUB && x->before.kind == K_NAME && wants_call(x);
    if (!p->braces || !(x->found.kind == 0 || c_sub || (item && wants_statement(x)))) return false;
    if (item)
        say_at(x, c_sub ? x->before.span : x->found.span, "a '}' is missing before this");
    else
        say_at(x, (struct span){x->before.span.hi - 1, x->before.span.hi},
               "the file ends within a block: '}' is missing");
    diag_note(p->diag, p->open[p->braces - 1], "this '{' is still open");
    x->p->assumed += p->braces;
    return true;
}

static bool
say_extra(const struct expected *x)
{
    /* A '}' was told to be missing, but the sub stood inside another one: the rest of that one, and
     * its brace, belong to the same mistake. */
    if (x->p->assumed && wants_item(x)) {
        x->p->assumed -= x->found.kind == '}';
        return true;
    }
    if (!x->p->extra) return false;
    bool told = x->found.kind != '}' && x->p->unclosed; /* f(a; g(b)); */
    if (!told) SAY(x, "this '%c' closes nothing", x->found.kind);
    return true;
}

/* Plain braces with C inside: all of it is passed without a
 * word, as nothing there is in our language. */
static bool
say_foreign(const struct expected *x)
{
    if (x->n == 1 && has(x, "a foreign block")) {
        SAY(x, "expected a foreign block");
        if (x->found.kind == '{') x->p->mute = x->p->braces;
        HINT(x, "the body of a C or C++ sub stands in ${{ ... $}}");
        return true;
    }
    if (x->found.kind != K_FOREIGN) return false;
    SAY(x, "a foreign block belongs to 'C sub', 'C++ sub', 'C head' or 'C++ head'");
    return true;
}

static bool
say_set_order(const struct expected *x)
{
    if (x->found.kind != K_SETS || !has(x, "';'") || !has(x, "'@'")) return false;
    SAY(x, "'>>' stands before '-->'");
    return true;
}

static bool
calls(const struct expected *x)
{
    const char *next = x->p->text + x->found.span.hi;
    next += strspn(next, " \t");
    return x->found.kind == K_NAME && *next == '(' && !near_item(x);
}

/* Is the last item a structured sub? */
static bool
behind_sub(const struct parser *p)
{
    const struct sub *last = p->tree->subs;
    while (last && last->next) last = last->next;
    return last && last->kind == SUB_STRUCT;
}

static bool
say_outside(const struct expected *x)
{
    if (!wants_item(x)) return false;
    switch (x->found.kind) {
    case K_FOR: case K_WHILE: case K_IF: case K_LET: case K_CF: case K_DF: case '{': case '@':
        break;
    default:
        if (!calls(x)) return false;
    }
    char found[64];
    bool rules = x->found.kind == '@';
    bool bare = x->before.kind == ';' && behind_sub(x->p);
    SAY(x, "%s stands outside of any sub", token_text(x->p, x->found, found, sizeof found));
    if (bare)
        HINT(x, "without braces a sub is one statement: put braces around its body");
    else if (rules && x->before.kind == '}')
        HINT(x, "all rules of a block stand in one @ { ... }");
    else if (x->before.kind == '}')
        HINT(x, "is there a '}' too many in front of it?");
    else
        HINT(x, "a program begins in: sub main() { ... }");
    return true;
}

static bool
is_plain_reserved(int kind)
{
    switch (kind) {
    case K_AS: case K_IN: case K_OUT: case K_SIZE: case K_NAME_TYPE: case K_VALUE_TYPE: case K_RUSH:
    case K_STATIC: case K_STATIC_FOR: case K_UNROLLING: case K_CUDA: case K_NOCPU: case K_BLOCK:
        return true;
    default: return false;
    }
}

static bool
say_reserved(const struct expected *x)
{
    bool cast = is_type(x->before.kind) && x->n == 1 && has(x, "'('");
    if (cast) {
        expect_reserved(x->p, x->before);
        return true;
    }
    bool name = has(x, "a name") || wants_operand(x);
    bool reserved = is_plain_reserved(x->found.kind) || token_is_alone(x->p, x->found);
    if (!name || !reserved) return false;
    expect_reserved(x->p, x->found);
    return true;
}

/* ---- a missing ';' ---- */

static bool
begins_next(int kind)
{
    switch (kind) {
    case 0: case '}': case K_NAME: case K_CF: case K_LET: case K_FOR: case K_WHILE: case K_IF:
    case K_ELSE: case K_DF: case K_SUB: case K_IMPORT: case K_CPP: case K_CONST:
        return true;
    default: return false;
    }
}

static bool
new_line(const struct expected *x)
{
    uint32_t lo = x->before.span.hi, hi = x->found.span.lo;
    return hi > lo && memchr(x->p->text + lo, '\n', hi - lo);
}

/* At the end of what lacks it, not at what follows, which may be pages below. */
static bool
say_missing_semicolon(const struct expected *x)
{
    if (!has(x, "';'") || !begins_next(x->found.kind)) return false;
    bool call = wants_call_end(x) || (x->n == 1 && x->before.kind == '}');
    bool df = x->p->header.kind == K_DF, import = x->p->header.kind == K_IMPORT;
    bool constant = x->p->header.kind == K_CONST;
    if (x->found.kind == K_NAME && !call && !new_line(x)) return false; /* df a b; */
    struct span at = {x->before.span.hi, x->before.span.hi + 1};
    if (!strchr(" \t\r\n", x->p->text[at.lo])) at.hi = at.lo--;
    say_at(x, at, "expected ';' after the %s",
           call ? "call" : df ? "fragment names" : import ? "import" : constant ? "const" : "rule");
    if (call && x->before.kind == '}')
        HINT(x, "the rules of a call end in it, too: CALL @ { ... };");
    return true;
}

/* ---- the general form ---- */

static bool
is_operator(const char *word)
{
    static const char *const ops[] = {"'?'", "'||'", "'&&'", "'<'", "'<='", "'=='", "'!='", "'>'",
                                      "'>='", "'+'", "'-'",  "'*'", "'/'",  "'%'",  "'['"};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (!strcmp(word, ops[i])) return true;
    return false;
}

static bool
begins_operand(const char *word)
{
    static const char *const words[] = {"a name", "an integer", "a real number", "a string", "'('",
                                        "'-'",    "'!'",        "'int'",         "'real'",
                                        "'string'", "'node'", "'value'"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i])) return true;
    return false;
}

static bool
is_keyword(const char *word)
{
    char c = word[0] == '\'' ? word[1] | 32 : 0;
    return (c >= 'a' && c <= 'z') || word[1] == '_';
}

static bool
is(const char *word, const char *other)
{
    return !strcmp(word, other);
}

/* Whether a group's name stands for this token in the list. */
static bool
in_group(const struct expected *x, const char *word)
{
    bool name = is(word, "a name") || is_keyword(word);
    bool params = x->p->header.kind == K_IMPORT || x->p->header.kind == K_SUB;
    if (x->n > 1 && (is(word, "'over'") || is(word, "', NAME ='"))) return true;
    if (params && is(word, "'['")) return true; /* value x[] */
    if (wants_statement(x) && (name || is(word, "'@'"))) return true;
    if (wants_call_end(x) && !is(word, "';'")) return true;
    if (wants_item(x)) return true;
    if (wants_new_name(x) && (name || is(word, "'<<'"))) return true;
    if (has(x, "'name'") && is_keyword(word)) return true;
    if (wants_operand(x) && begins_operand(word)) return true;
    if (wants_operator(x) && is_operator(word)) return true;
    if (wants_call(x) && (is(word, "'='") || is(word, "','"))) return true;
    if (wants_assignment(x) && is(word, "'['")) return true;
    if (x->p->header.kind == K_DF && is(word, "'['")) return true; /* df x[n], y; */
    return wants_call(x) && (is_operator(word) || name);
}

/* These stand last in a list: most often something is missing in front of them. */
static bool
closes(const char *word)
{
    return word[0] == '\'' && strchr(")]};", word[1]);
}

enum { LIST_MAX = 5 };

/* "an expression, ',' or ')'" */
static void
list_words(const struct expected *x, char *out, size_t room)
{
    const char *list[LIST_MAX + 4];
    int n = 0;
    if (wants_item(x)) list[n++] = "'sub', 'import', 'const', 'C sub' or 'C++ sub'";
    if (wants_statement(x)) list[n++] = "a statement";
    if (wants_operand(x)) list[n++] = "an expression";
    if (wants_new_name(x)) list[n++] = "a name";
    else if (has(x, "'name'") && !wants_item(x)) list[n++] = "a type";
    for (int closing = 0; closing <= 1; closing++)
        for (int i = 0; i < x->n && n < LIST_MAX; i++)
            if (closes(x->words[i]) == closing && !in_group(x, x->words[i]))
                list[n++] = x->words[i];
    if (!n) list[n++] = "an operator";
    size_t at = 0;
    out[0] = 0;
    for (int i = 0; i < n && at < room; i++)
        at += snprintf(out + at, room - at, "%s%s", !i ? "" : i == n - 1 ? " or " : ", ", list[i]);
}

/* Is one word the other with its letters in another order? */
static bool
same_letters(const char *a, const char *b)
{
    int n = 0;
    for (; a[n] && b[n]; n++)
        if (!strchr(a, b[n]) || !strchr(b, a[n])) return false;
    return !a[n] && !b[n];
}

static const char *
near_word(const struct parser *p, struct token t, const char *const *words)
{
    char text[41];
    int size;
    const char *s = text_of(p, t.span, &size);
    snprintf(text, sizeof text, "%.*s", size, s);
    struct near n = {.word = text};
    /* Half of all words of three letters are a slip from `for`, `let` or `sub`: foo is none. */
    for (; *words; words++)
        if (size > 3 || same_letters(text, *words)) near_try(&n, *words);
    return n.best;
}

static const char *
near_item(const struct expected *x)
{
    static const char *const items[] = {"sub", "import", "const", "C", NULL};
    return x->found.kind == K_NAME ? near_word(x->p, x->found, items) : NULL;
}

/* Behind an error outside of any sub: is this still part of what that one is about? */
static bool
is_stray(const struct expected *x)
{
    if (!x->p->stray || !wants_item(x)) return false;
    const char *next = x->p->text + x->found.span.hi;
    next += strspn(next, " \t\r\n");
    bool language = x->found.kind == K_NAME && !strncmp(next, "sub", 3); /* D sub */
    return !language && !near_item(x);
}

static void
hint_form(const struct expected *x)
{
    static const char *const statements[] = {"for", "while", "if",     "let",
                                             "cf",  "df",    "reduce", NULL};
    const char *meant = NULL;
    if (x->before.kind == K_NAME && x->n == 1 && has(x, "'('"))
        meant = near_word(x->p, x->before, statements);
    if (wants_item(x)) meant = near_item(x);
    if (meant && !strcmp(meant, "df")) x->p->tree->lost = true; /* names that it declares */
    bool type = has(x, "'name'") && x->found.kind == K_NAME && !wants_item(x);
    if (meant) HINT(x, "did you mean '%s'?", meant);
    else if (x->found.kind == K_DF && has(x, "'{'"))
        HINT(x, "a df line stands in braces: { df a, b; ... }");
    else if (type) HINT(x, "the types are int, real, string, name and value");
    else if (x->found.kind == ',' && has(x, "']'"))
        HINT(x, "each index has brackets of its own: x[i][j]");
    else if (wants_item(x)) HINT(x, "a program begins in: sub main() { ... }");
    else if (x->before.kind == K_SETS || x->before.kind == K_KILLS)
        HINT(x, "fragments stand in parentheses here");
    if (meant || type || wants_statement(x) || x->before.kind == K_SHL) return;
    if (x->p->over && x->p->header.kind != K_NAME) {
        HINT(x, "the form is: x[i] over i = FIRST .. LAST");
        return;
    }
    switch (x->p->header.kind) {
    case K_FOR:
        HINT(x, "the form is: for i = FIRST .. LAST%s", x->before.kind == K_BY ? " by STEP" : "");
        break;
    case K_WHILE: HINT(x, "the form is: while CONDITION, i = START .. out X"); break;
    case K_LET: HINT(x, "the form is: let a = EXPRESSION, b = EXPRESSION { ... }"); break;
    case K_SUB: HINT(x, "the form is: sub NAME(TYPE NAME, ...) { ... }"); break;
    case K_CONST: HINT(x, "the form is: const NAME = EXPRESSION;"); break;
    case K_IMPORT: HINT(x, "the form is: import FUNCTION(TYPE, ...) as NAME;"); break;
    case K_NAME: HINT(x, "the form is: reduce OP x[i] over i = FIRST .. LAST => y"); break;
    }
}

static void
say_general(const struct expected *x)
{
    char list[200], found[64];
    list_words(x, list, sizeof list);
    struct span at = x->found.span;
    uint32_t end = x->before.span.hi;
    if (!x->found.kind && end) at = (struct span){end - 1, end};
    say_at(x, at, "expected %s, not %s", list, token_text(x->p, x->found, found, sizeof found));
    hint_form(x);
}

/* An invalid symbol right here is what really happened, and told. */
static bool
behind_bad_symbol(const struct expected *x)
{
    uint32_t bad = x->p->bad_at;
    return bad && bad >= x->before.span.hi && bad <= x->found.span.hi;
}

void
expect_report(struct parser *p, const char *const *words, int n)
{
    static bool (*const slips[])(const struct expected *) = {
        behind_bad_symbol, say_else,           say_extra,          say_end,
        say_foreign,       say_outside,        say_bare_block,     say_semicolon,
        say_update,        say_operator,       say_word_operator,  say_foreign_word,
        say_assignment,    say_unary_plus,     say_reduction,      say_open_range,
        say_nested_call,   say_typed_variable, say_foreign_operator,
        say_for_header,     say_step,           say_parameter_name,
        say_reserved,
        say_set_order,     say_missing_semicolon, say_rule,
    };
    struct expected x = {p, words, n, p->last, p->before};
    p->skipping = true;
    if (p->quiet || parser_muted(p) || is_stray(&x)) return;
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++)
        if (slips[i](&x)) return;
    say_general(&x);
}
