/* check_ucode.c - what the C or C++ text of an inline sub tells without compiling it: the type
 * of an output that is assigned in one place, and whether the text could end the run. Only what
 * is certain counts; anything unusual is "unknown". */
#include "lang/check/check_facts.h"

#include <ctype.h>
#include <string.h>

enum token_kind { TOK_END, TOK_WORD, TOK_INT, TOK_REAL, TOK_STRING, TOK_OTHER };

struct token {
    enum token_kind kind;
    const char *at;
    size_t size;
};

struct scan {
    const char *at, *end;
};

static void
skip_blanks(struct scan *s)
{
    while (s->at < s->end) {
        size_t left = (size_t)(s->end - s->at);
        if (isspace((unsigned char)*s->at)) {
            s->at++;
        } else if (left > 1 && s->at[0] == '/' && s->at[1] == '/') {
            while (s->at < s->end && *s->at != '\n') s->at++;
        } else if (left > 1 && s->at[0] == '/' && s->at[1] == '*') {
            s->at += 2;
            while (s->at + 1 < s->end && (s->at[0] != '*' || s->at[1] != '/')) s->at++;
            s->at += s->at + 1 < s->end ? 2 : s->end - s->at;
        } else {
            return;
        }
    }
}

static void
scan_quoted(struct scan *s)
{
    char quote = *s->at++;
    while (s->at < s->end && *s->at != quote) s->at += *s->at == '\\' ? 2 : 1;
    if (s->at < s->end) s->at++;
    if (s->at > s->end) s->at = s->end;
}

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static enum token_kind
scan_number(struct scan *s)
{
    enum token_kind kind = TOK_INT;
    while (s->at < s->end && (is_word(*s->at) || *s->at == '.')) {
        if (!isdigit((unsigned char)*s->at)) kind = *s->at == '.' ? TOK_REAL : TOK_OTHER;
        s->at++;
    }
    return kind; /* suffixes, exponents, hex: TOK_OTHER, we do not look closer */
}

static struct token
next_token(struct scan *s)
{
    skip_blanks(s);
    struct token t = {.at = s->at};
    if (s->at >= s->end) return t;
    if (isdigit((unsigned char)*s->at)) {
        t.kind = scan_number(s);
    } else if (is_word(*s->at)) {
        t.kind = TOK_WORD;
        while (s->at < s->end && is_word(*s->at)) s->at++;
    } else if (*s->at == '"' || *s->at == '\'') {
        t.kind = *s->at == '"' ? TOK_STRING : TOK_OTHER;
        scan_quoted(s);
    } else {
        t.kind = TOK_OTHER;
        s->at++;
    }
    t.size = (size_t)(s->at - t.at);
    return t;
}

static bool
is(struct token t, const char *text)
{
    return t.size == strlen(text) && !memcmp(t.at, text, t.size);
}

/* ---- the type of an output ---- */

static enum value_kind
operand_kind(const struct sub *s, struct token t)
{
    if (t.kind == TOK_INT) return VALUE_INT;
    if (t.kind == TOK_REAL) return VALUE_REAL;
    if (t.kind == TOK_STRING) return VALUE_STRING;
    for (const struct symbol *p = s->params; p; p = p->next) {
        if (!p->name.text || !is(t, p->name.text)) continue;
        if (p->type == T_INT) return VALUE_INT;
        if (p->type == T_REAL) return VALUE_REAL;
        return p->type == T_STRING ? VALUE_STRING : VALUE_UNKNOWN;
    }
    return VALUE_UNKNOWN;
}

/* An expression of numbers and parameters up to `stop` at its own level. */
static enum value_kind
expr_held(const struct sub *s, struct scan scan, char stop)
{
    enum value_kind held = VALUE_NOTHING;
    int depth = 0, operands = 0;
    for (;;) {
        struct token t = next_token(&scan);
        if (t.kind == TOK_END) return VALUE_UNKNOWN;
        if (!depth && is(t, (char[]){stop, 0})) break;
        if (t.kind == TOK_OTHER && t.size == 1 && strchr("+-*/()", *t.at)) {
            depth += (*t.at == '(') - (*t.at == ')');
            continue;
        }
        enum value_kind h = operand_kind(s, t);
        operands++;
        if (h == VALUE_UNKNOWN) return h;
        if (h == VALUE_STRING || held == VALUE_NOTHING || h == VALUE_REAL) held = h;
    }
    if (held == VALUE_STRING && operands != 1) return VALUE_UNKNOWN;
    return held == VALUE_NOTHING ? VALUE_UNKNOWN : held;
}

static enum value_kind
held_by_function(struct token f)
{
    if (is(f, "luna_set_int")) return VALUE_INT;
    if (is(f, "luna_set_real")) return VALUE_REAL;
    if (is(f, "luna_set_string")) return VALUE_STRING;
    if (is(f, "luna_create")) return VALUE_BYTES;
    return VALUE_UNKNOWN;
}

/* The one mention of the parameter: `before` are the two tokens in front, `after` what follows. */
static enum value_kind
mention_kind(const struct sub *s, const struct token before[2], struct scan after)
{
    if (is(before[1], "(")) return held_by_function(before[0]);
    bool starts = is(before[1], ";") || is(before[1], "{") || is(before[1], "}") ||
                  is(before[1], ")") || is(before[1], "else");
    struct token t = next_token(&after);
    if (is(t, ".") && !is(before[1], "&")) {
        t = next_token(&after);
        if (is(t, "create")) return VALUE_BYTES;
        if (!starts || !is(t, "setValue") || !is(next_token(&after), "(")) return VALUE_UNKNOWN;
        return expr_held(s, after, ')');
    }
    if (!starts || !is(t, "=") || (after.at < after.end && *after.at == '=')) return VALUE_UNKNOWN;
    return expr_held(s, after, ';');
}

static enum value_kind
find_held(const struct sub *s, const char *param)
{
    struct scan scan = {s->foreign->text, s->foreign->text + s->foreign->size};
    struct token before[2] = {{0}, {0}};
    enum value_kind held = VALUE_UNKNOWN;
    int mentions = 0;
    for (struct token t; (t = next_token(&scan)).kind != TOK_END;) {
        if (t.kind == TOK_WORD && is(t, param)) {
            if (mentions++) return VALUE_UNKNOWN;
            held = mention_kind(s, before, scan);
        }
        before[0] = before[1];
        before[1] = t;
    }
    return held;
}

enum value_kind
facts_ucode_output(const struct sub *s, struct symbol *param)
{
    if (s->kind != SUB_INLINE || !s->foreign || !param->name.text) return VALUE_UNKNOWN;
    if (!param->fact) param->fact = (int)find_held(s, param->name.text) + 1;
    return (enum value_kind)(param->fact - 1);
}

/* ---- may it end the run? ---- */

static bool
is_harmless(struct token t)
{
    /* luna_fail too: whoever ends in a fault fails, and failing is what is asked here. */
    if (t.size > 5 && !memcmp(t.at, "luna_", 5)) return true;
    static const char *const words[] = {
        "if", "while", "for", "switch", "return", "sizeof", "printf", "puts", "putchar", "fprintf",
        "fflush", "fputs", "sqrt", "sin", "cos", "tan", "exp", "log", "pow", "fabs", "abs", "floor",
        "ceil", "memcpy", "memset", "memmove", "memcmp", "strlen", "strcmp", "snprintf", "malloc",
        "calloc", "free", "fmin", "fmax", "usleep", "sleep"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (is(t, words[i])) return true;
    }
    return false;
}

bool
facts_ucode_may_exit(const struct sub *s)
{
    if (s->kind != SUB_INLINE || !s->foreign) return true;
    struct scan scan = {s->foreign->text, s->foreign->text + s->foreign->size};
    struct token last = {0};
    bool method = false; /* `last` stands behind a dot */
    for (struct token t; (t = next_token(&scan)).kind != TOK_END; last = t) {
        if (is(t, "throw") || is(t, "asm")) return true;
        if (is(t, "(") && last.kind == TOK_WORD && !method && !is_harmless(last)) return true;
        if (t.kind == TOK_WORD) method = is(last, ".");
    }
    return false;
}
