/* emit_foreign.c - a program's texts in C and C++: its
 * foreign blocks, prototypes of its imports. */
#include "lang/emit/emit.h"

#include "lang/plan/out.h"

#include <ctype.h>
#include <string.h>

static const char *
param_type(enum foreign_lang lang, const struct symbol *p)
{
    bool c = lang == LANG_C;
    if (p->list && p->type == T_VALUE) return c ? "const luna_inputs *" : "const InputDFs &";
    if (p->list) return c ? "const luna_outputs *" : "const OutputDFs &";
    switch (p->type) {
    case T_REAL: return "double";
    case T_STRING: return "const char *";
    case T_VALUE: return c ? "const luna_df *" : "const InputDF &";
    case T_NAME: return c ? "luna_df *" : "OutputDF &";
    default: return "int";
    }
}

static void
put_params(enum foreign_lang lang, const struct sub *s, struct buf *o)
{
    buf_char(o, '(');
    for (const struct symbol *p = s->params; p; p = p->next) {
        const char *type = param_type(lang, p), *last = type + strlen(type) - 1;
        buf_str(o, type);
        buf_printf(o, "%s%s", *last == '*' || *last == '&' ? "" : " ", p->name.text);
        if (p->next) buf_str(o, ", ");
    }
    if (!s->params && lang == LANG_C) buf_str(o, "void");
    buf_char(o, ')');
}

static void
put_include(enum foreign_lang lang, struct buf *o)
{
    buf_str(o, lang == LANG_C ? "#include \"luna.h\"\n" : "#include \"ucenv.h\"\n");
}

/* ---- foreign blocks ---- */

static void
put_line(const struct plan *p, const struct place *at, struct buf *o)
{
    struct out name = {.arena = p->arena};
    out_literal(&name, at->file, strlen(at->file));
    buf_printf(o, "#line %u ", at->line);
    buf_add(o, name.text, name.size);
    buf_char(o, '\n');
}

/* The text at the line and column where the user wrote it. */
static void
put_text(const struct plan *p, const struct foreign *f, size_t skip, size_t size, struct buf *o)
{
    put_line(p, &f->place, o);
    for (uint32_t col = 1; col < f->place.col + skip; col++) buf_char(o, ' ');
    buf_add(o, f->text + skip, size - skip);
    if (!size || f->text[size - 1] != '\n') buf_char(o, '\n');
}

/* The text without blanks at its ends: from..to. */
static void
trim(const struct foreign *f, size_t *from, size_t *to)
{
    *from = 0;
    *to = f->size;
    while (*from < *to && isspace((unsigned char)f->text[*from])) ++*from;
    while (*to > *from && isspace((unsigned char)f->text[*to - 1])) --*to;
}

/* ${{ ... $}} comes with braces, which no head wants. */
static void
put_head(const struct plan *p, const struct foreign_head *h, struct buf *o)
{
    size_t from, to;
    trim(h->foreign, &from, &to);
    bool braces =
        to - from >= 2 && h->foreign->text[from] == '{' && h->foreign->text[to - 1] == '}';
    if (braces) put_text(p, h->foreign, from + 1, to - 1, o);
    else put_text(p, h->foreign, 0, h->foreign->size, o);
}

/* ${<STOP} ... STOP should hold a whole body; braces that are missing are added. */
static void
put_sub(const struct plan *p, const struct sub *s, struct buf *o)
{
    size_t from, to;
    trim(s->foreign, &from, &to);
    bool braces = to > from && s->foreign->text[from] == '{';
    put_line(p, &s->foreign->place, o);
    buf_printf(o, "%s luna_inline_%s", s->lang == LANG_C ? "void" : "extern \"C\" void",
               s->name.text);
    put_params(s->lang, s, o);
    buf_str(o, braces ? "\n" : " {\n");
    put_text(p, s->foreign, 0, s->foreign->size, o);
    if (!braces) buf_str(o, "}\n");
}

void
emit_blocks(const struct plan *p, const struct ast *t, enum foreign_lang lang, struct buf *out)
{
    bool any = false;
    for (const struct foreign_head *h = t->heads; h; h = h->next)
        any |= h->lang == lang && h->foreign;
    for (const struct sub *s = t->subs; s; s = s->next)
        any |= s->kind == SUB_INLINE && s->lang == lang && s->foreign;
    if (!any) return;
    put_include(lang, out);
    for (const struct foreign_head *h = t->heads; h; h = h->next)
        if (h->lang == lang && h->foreign) put_head(p, h, out);
    for (const struct sub *s = t->subs; s; s = s->next)
        if (s->kind == SUB_INLINE && s->lang == lang && s->foreign) put_sub(p, s, out);
}
