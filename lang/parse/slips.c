/* slips.c - each slip looks at the token found, the one before it, and what the grammar would have
 * taken. */
#include "lang/parse/slips.h"

#include "lang/tree/rules.h"
#include "parse.tab.h"

#include <stdio.h>
#include <string.h>

/* ---- what other languages would allow ---- */

/* Behind a broken statement it is the rest of that. */
static bool
say_else(const struct expected *x)
{
    if (x->found.kind != K_ELSE || !expected_statement(x)) return false;
    if (x->before.kind == K_SYNC) return true;
    SAY(x, "this 'else' belongs to no 'if'");
    if (x->before.kind == ';') HINT(x, "a branch of several statements stands in braces");
    return true;
}

static bool
say_bare_block(const struct expected *x)
{
    if (x->found.kind != '{' || !expected_statement(x)) return false;
    SAY(x, "a block cannot stand alone");
    HINT(x, "if 1 { ... } does what it would do");
    return true;
}

/* Behind a block it is a habit from other languages; alone it is an empty statement. */
static bool
say_semicolon(const struct expected *x)
{
    if (x->found.kind != ';' || !(expected_statement(x) || expected_item(x))) return false;
    if (x->before.kind == '}')
        SAY(x, "no ';' follows a block");
    else
        SAY(x, "there is no empty statement");
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
    bool behind_name =
        x->before.kind == K_NAME && x->n == 1 && expected_has(x, "'('"); /* no `reduce` */
    char op[] = {(char)x->found.kind, x->p->text[x->found.span.hi], 0};
    if (!expected_call(x) && !expected_assignment(x) && !behind_name) return false;
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
    bool at_once = x->before.kind == '=' && x->n == 1 && expected_has(x, "a name");
    bool behind_name = x->before.kind == K_NAME && x->n == 1 && expected_has(x, "'('") &&
                       follows_equals(x, x->before);
    if (!at_once && !behind_name) return false;
    expected_say(x, at_once ? x->found.span : x->before.span,
                 "only a call can stand right of '=', not an expression");
    HINT(x, "a sub with a parameter of type name assigns: x = f(y)");
    return true;
}

/* "<>", "**", "a.b". */
static bool
say_foreign_operator(const struct expected *x)
{
    if (expected_operand(x) && x->before.kind == '<' && x->found.kind == '>') {
        SAY(x, "there is no operator '<>'");
        HINT(x, "not equal is '!='");
    } else if (expected_operand(x) && x->before.kind == '*' && x->found.kind == '*') {
        SAY(x, "there is no operator '**'");
        HINT(x, "multiply, x * x, or import a function that calls pow");
    } else if (expected_operator(x) && x->found.kind == '.' && !expected_has(x, "'..'")) {
        SAY(x, "fragments have no parts with names");
        HINT(x, "index them: x[0], x[1]; or let a function look into the value");
    } else {
        return false;
    }
    return true;
}

/* '=' belongs to rules and headers too: where those may go on, it is no slip for '=='. */
static bool
say_operator(const struct expected *x)
{
    if (!expected_operator(x)) return false;
    switch (x->found.kind) {
    case '=':
        if (expected_has(x, "'=>'") || expected_has(x, "';'")) return false;
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
    case K_SHL:
    case K_SETS:
        if (expected_has(x, "'>>'")) return false;
        SAY(x, "there are no bit operators");
        return true;
    default:
        return false;
    }
}

static bool
is_word(const struct expected *x, struct token t, const char *word)
{
    int size;
    const char *text = expected_text(x->p, t.span, &size);
    return t.kind == K_NAME && size == (int)strlen(word) && !memcmp(text, word, (size_t)size);
}

/* Before a name stands `not`, which the grammar took for one, too. */
static bool
follows_not(const struct expected *x, struct token t, struct span * not )
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
    bool begins_call = expected_call(x) || (x->n == 1 && expected_has(x, "'('"));
    struct token word = begins_call ? x->before : x->found;
    struct span not = x->before.span;
    if (!begins_call && !expected_operator(x)) return false;
    if (is_word(x, word, "and")) {
        expected_say(x, word.span, "there is no 'and'");
        HINT(x, "logical and is '&&'");
    } else if (is_word(x, word, "or")) {
        expected_say(x, word.span, "there is no 'or'");
        HINT(x, "logical or is '||'");
    } else if (is_word(x, x->before, "not") || (begins_call && follows_not(x, x->before, &not ))) {
        expected_say(x, not, "there is no 'not'");
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
    const char *text = expected_text(x->p, x->before.span, &size);
    bool statement = expected_call(x) || (x->n == 1 && expected_has(x, "'('"));
    bool rule = expected_has(x, "':'") && expected_has(x, "','") && expected_has(x, "';'");
    if (x->before.kind != K_NAME || (!statement && !rule)) return false;
    snprintf(name, sizeof name, "%.*s", size, text);
    const char *form = rule_form(name, x->found.kind == '=' ? R_ASSIGN : R_ENUM);
    if (!form) return false;
    if (statement) {
        expected_say(x, x->before.span, "'%s' is a rule, not a statement", name);
        HINT(x, "rules stand behind a call or a block: @ { %s }", form);
    } else {
        char found[64];
        SAY(x, "rule '%s' is written otherwise: %s is not expected", name,
            expected_token(x->p, x->found, found, sizeof found));
        HINT(x, "the form is: %s", form);
    }
    return true;
}

/* Rules in braces without the '@': what is in them belongs to the same slip. */
static bool
say_bare_rules(const struct expected *x)
{
    if (x->found.kind != '{') return false;
    if (!expected_call_end(x) && !expected_item(x) && !expected_statement(x)) return false;
    const char *text = x->p->text + x->found.span.hi;
    char name[41];
    text += strspn(text, " \t\r\n");
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz_");
    if (n > sizeof name - 1) return false;
    memcpy(name, text, n);
    name[n] = 0;
    const char *sign = text + n + strcspn(text + n, ":=;}{(");
    const char *form = rule_form(name, *sign == '=' ? R_ASSIGN : R_ENUM);
    if (!form || *sign == '(') return false;
    SAY(x, "the rules of a call or a block stand behind '@'");
    HINT(x, "write: @ { %s }", form);
    x->p->mute = x->p->braces;
    return true;
}

/* Words of other languages that begin a statement here, as all names do. */
static bool
say_foreign_word(const struct expected *x)
{
    if (!expected_call(x) && (x->n != 1 || !expected_has(x, "'('"))) return false;
    if (is_word(x, x->before, "then")) {
        expected_say(x, x->before.span, "there is no 'then'");
        HINT(x, "the body follows the condition: if x == 1 f(x);");
    } else if (is_word(x, x->before, "return")) {
        expected_say(x, x->before.span, "there is no 'return'");
        HINT(x, "a sub hands on results through parameters of type name");
    } else if (is_word(x, x->before, "elif")) {
        expected_say(x, x->before.span, "there is no 'elif'");
        HINT(x, "write 'else if'");
    } else if (is_word(x, x->before, "const")) {
        expected_say(x, x->before.span, "a const stands outside of subs");
        HINT(x, "inside, a let gives a name to a value: let n = 8 { ... }");
    } else {
        return false;
    }
    return true;
}

static bool
say_unary_plus(const struct expected *x)
{
    if (x->found.kind != '+' || !expected_operand(x)) return false;
    SAY(x, "there is no unary '+'");
    if (x->before.kind == '+') HINT(x, "nothing is counted up: fragments are assigned once");
    return true;
}

static bool
say_reduction(const struct expected *x)
{
    char found[64];
    if (!is_word(x, x->before, "reduce") || !expected_has(x, "'('") || x->found.kind == ';')
        return false;
    SAY(x, "%s is no operation of a reduction",
        expected_token(x->p, x->found, found, sizeof found));
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
    if (x->found.kind != '(' || x->before.kind != K_NAME || !expected_operator(x)) return false;
    if (!is_behind_dots(x)) return false;
    expected_say(x, x->before.span, "the last value behind '..' is missing");
    HINT(x, "write: for i = 0 .. n-1; if a macro stands there, it is empty");
    return true;
}

static bool
say_nested_call(const struct expected *x)
{
    bool inner = x->found.kind == '(' && x->before.kind == K_NAME && expected_operator(x);
    bool outer =
        x->before.kind == ')' && expected_call_end(x) && is_one_of(x->found.kind, "+-*/%<?");
    if (!inner && !outer) return false;
    expected_say(x, inner ? x->before.span : x->found.span,
                 "a call cannot be part of an expression");
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
    if (!is_type(x->found.kind) || !expected_statement(x)) return false;
    const char *next = x->p->text + x->found.span.hi;
    if (next[strspn(next, " \t")] == '(') { /* a call of what cannot have this name */
        expect_reserved(x->p, x->found);
        return true;
    }
    SAY(x, "variables are not declared by type");
    HINT(x, "fragments have no type; a block begins with: df x, y;");
    x->p->tree->lost = true;
    return true;
}

static bool
say_parameter_name(const struct expected *x)
{
    bool end = x->found.kind == ',' || x->found.kind == ')';
    if (!end || !is_type(x->before.kind) || !expected_new_name(x)) return false;
    expected_say(x, x->before.span, "this parameter has no name");
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
    bool c_sub = x->found.kind == K_SUB && x->before.kind == K_NAME && expected_call(x);
    if (!p->braces || !(x->found.kind == 0 || c_sub || (item && expected_statement(x))))
        return false;
    if (item)
        expected_say(x, c_sub ? x->before.span : x->found.span, "a '}' is missing before this");
    else
        expected_say(x, (struct span){x->before.span.hi - 1, x->before.span.hi},
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
    if (x->p->assumed && expected_item(x)) {
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
    if (x->n == 1 && expected_has(x, "a foreign block")) {
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
    if (x->found.kind != K_SETS || !expected_has(x, "';'") || !expected_has(x, "'@'")) return false;
    SAY(x, "'>>' stands before '-->'");
    return true;
}

static bool
calls(const struct expected *x)
{
    const char *next = x->p->text + x->found.span.hi;
    next += strspn(next, " \t");
    return x->found.kind == K_NAME && *next == '(' && !expected_near_item(x);
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
    if (!expected_item(x)) return false;
    switch (x->found.kind) {
    case K_FOR:
    case K_WHILE:
    case K_IF:
    case K_LET:
    case K_CF:
    case K_DF:
    case '{':
    case '@':
        break;
    default:
        if (!calls(x)) return false;
    }
    char found[64];
    bool rules = x->found.kind == '@';
    bool bare = x->before.kind == ';' && behind_sub(x->p);
    SAY(x, "%s stands outside of any sub", expected_token(x->p, x->found, found, sizeof found));
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
    case K_AS:
    case K_IN:
    case K_OUT:
    case K_SIZE:
    case K_NAME_TYPE:
    case K_VALUE_TYPE:
    case K_RUSH:
    case K_STATIC:
    case K_STATIC_FOR:
    case K_UNROLLING:
    case K_CUDA:
    case K_NOCPU:
    case K_BLOCK:
        return true;
    default:
        return false;
    }
}

static bool
say_reserved(const struct expected *x)
{
    bool cast = is_type(x->before.kind) && x->n == 1 && expected_has(x, "'('");
    if (cast) {
        expect_reserved(x->p, x->before);
        return true;
    }
    bool name = expected_has(x, "a name") || expected_operand(x);
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
    case 0:
    case '}':
    case K_NAME:
    case K_CF:
    case K_LET:
    case K_FOR:
    case K_WHILE:
    case K_IF:
    case K_ELSE:
    case K_DF:
    case K_SUB:
    case K_IMPORT:
    case K_CPP:
    case K_CONST:
        return true;
    default:
        return false;
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
    if (!expected_has(x, "';'") || !begins_next(x->found.kind)) return false;
    bool call = expected_call_end(x) || (x->n == 1 && x->before.kind == '}');
    bool df = x->p->header.kind == K_DF, import = x->p->header.kind == K_IMPORT;
    bool constant = x->p->header.kind == K_CONST;
    if (x->found.kind == K_NAME && !call && !new_line(x)) return false; /* df a b; */
    struct span at = {x->before.span.hi, x->before.span.hi + 1};
    if (!strchr(" \t\r\n", x->p->text[at.lo])) at.hi = at.lo--;
    expected_say(x, at, "expected ';' after the %s",
                 call       ? "call"
                 : df       ? "fragment names"
                 : import   ? "import"
                 : constant ? "const"
                            : "rule");
    if (call && x->before.kind == '}')
        HINT(x, "the rules of a call end in it, too: CALL @ { ... };");
    return true;
}

/* An invalid symbol right here is what really happened, and told. */
static bool
behind_bad_symbol(const struct expected *x)
{
    uint32_t bad = x->p->bad_at;
    return bad && bad >= x->before.span.hi && bad <= x->found.span.hi;
}

bool
slips_told(const struct expected *x)
{
    /* clang-format off */
    static bool (*const slips[])(const struct expected *) = {
        behind_bad_symbol, say_else, say_extra, say_end, say_foreign, say_bare_rules, say_outside,
        say_bare_block, say_semicolon, say_update, say_operator, say_word_operator,
        say_foreign_word, say_assignment, say_unary_plus, say_reduction, say_open_range,
        say_nested_call, say_typed_variable, say_foreign_operator, say_for_header, say_step,
        say_parameter_name, say_reserved, say_set_order, say_missing_semicolon, say_rule,
    };
    /* clang-format on */
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++)
        if (slips[i](x)) return true;
    return false;
}
