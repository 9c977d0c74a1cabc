/* code.c - see code.h. */
#include "lang/prove/code.h"

#include <stdlib.h>

/* Of a piece. */
struct writer {
    struct buf *to;
    const struct code_columns *seen;
    const struct count_floor *floors;
};

static void put_sum(const struct writer *w, const struct sets_term *terms, int n);

static void
put_column(const struct writer *w, const struct sets_term *t)
{
    if (t->space != SETS_FLOOR) {
        const struct code_columns *v = w->seen;
        buf_str(w->to, t->space == SETS_FROM ? v->words[t->number] : v->symbols[t->number]);
        return;
    }
    const struct count_floor *f = &w->floors[t->number];
    buf_str(w->to, "luna_floor(");
    put_sum(w, f->terms, f->nterms);
    if (f->k) buf_printf(w->to, " %c %lld", f->k < 0 ? '-' : '+', llabs((long long)f->k));
    buf_printf(w->to, ", %lld)", (long long)f->by);
}

static void
put_sum(const struct writer *w, const struct sets_term *terms, int n)
{
    for (int i = 0; i < n; i++) {
        long long factor = (long long)terms[i].factor;
        buf_str(w->to, i ? factor < 0 ? " - " : " + " : factor < 0 ? "-" : "");
        if (factor != 1 && factor != -1) buf_printf(w->to, "%lld * ", llabs(factor));
        put_column(w, &terms[i]);
    }
}

static void
put_row(struct buf *b, const struct code_columns *v, const struct count_piece *p,
        const struct sets_row *r)
{
    struct writer w = {b, v, p->floors};
    put_sum(&w, r->terms, r->nterms);
    buf_printf(b, " %s %lld", r->equal ? "==" : ">=", -(long long)r->k);
}

void
code_where(struct buf *b, const struct code_columns *v, const struct count_piece *p)
{
    for (int i = 0; i < p->nany; i++) {
        if (i) buf_str(b, " || ");
        if (p->nany > 1) buf_str(b, "(");
        for (int k = 0; k < p->any[i].nrows; k++) {
            if (k) buf_str(b, " && ");
            put_row(b, v, p, &p->any[i].rows[k]);
        }
        if (p->nany > 1) buf_str(b, ")");
    }
}

static void
put_value(struct buf *b, const struct code_columns *v, const struct count_piece *p)
{
    struct writer w = {b, v, p->floors};
    buf_str(b, p->by > 1 ? "luna_uses(luna_floor(" : "luna_uses(");
    for (int i = 0; i < p->nterms; i++) {
        const struct count_term *t = &p->terms[i];
        if (i) buf_str(b, " + ");
        buf_printf(b, "%lld", (long long)t->factor);
        for (int k = 0; k < t->n; k++) {
            buf_str(b, " * ");
            put_column(&w, &t->column[k]);
        }
    }
    if (p->by > 1) buf_printf(b, " + %lld, %lld)", (long long)p->by - 1, (long long)p->by);
    buf_str(b, ")");
}

bool
code_is_number(const struct count_piece *p)
{
    for (int i = 0; i < p->nterms; i++)
        if (p->terms[i].n) return false;
    return p->nterms <= 1 && p->by <= 1;
}

int32_t
code_number_of(const struct count_piece *p)
{
    return p->nterms ? (int32_t)p->terms[0].factor : 0;
}

/* Everywhere. */
bool
code_is_all(const struct count_piece *p)
{
    for (int i = 0; i < p->nany; i++)
        if (!p->any[i].nrows) return true;
    return false;
}

void
code_count(struct buf *b, const struct code_columns *v, const struct count_text *t)
{
    int i = 0;
    for (; i < t->n; i++) {
        const struct count_piece *p = &t->pieces[i];
        if (!code_is_all(p)) {
            code_where(b, v, p);
            buf_str(b, " ? ");
        }
        if (code_is_number(p))
            buf_printf(b, "%d", code_number_of(p));
        else
            put_value(b, v, p);
        if (code_is_all(p)) return;
        buf_str(b, " : ");
    }
    buf_str(b, "0");
}
