/* frame.c - making and freeing activations.
 *
 * Words hold parameters by the letters of the sub: numbers as they are; strings, values and names
 * as objects, which the frame owns or, short names, which lie in it. All come from pools, by sizes
 * that can be told from the object when it goes back. */
#include "frame.h"

static_assert(offsetof(struct name_ref, df) == offsetof(struct luna_named, df),
              "expressions look for it there");

struct frame_shape
frame_shape(const struct luna_sub *sub, unsigned slots)
{
    size_t body = sizeof(struct frame) + sub->nwords * sizeof(luna_word);
    for (const char *letter = sub->params; *letter; letter++)
        if (*letter == 'n') body += FRAME_NAME_BYTES;
    body += slots * sizeof(struct slot);
    return (struct frame_shape){(uint32_t)body, (uint16_t)slots,
                                (uint8_t)pool_class(body + FRAME_BODY_BYTES)};
}

struct frame *
frame_new(const struct luna_sub *sub, uint32_t row, uint64_t id)
{
    struct frame *f = frame_begin(frame_shape(sub, 0), row, id);
    if (f) memset(f->word, 0, sub->nwords * sizeof(luna_word));
    return f;
}

/* Room for a short one at least, so that it can be copied without a look at its length. */
static unsigned
name_ref_class(uint32_t n, uint64_t nwords)
{
    if (n < FRAME_NAME_INDICES) n = FRAME_NAME_INDICES;
    return pool_class(sizeof(struct name_ref) + nwords * sizeof(luna_word) + n * sizeof(int32_t));
}

struct name_ref *
name_ref_new(const struct key *k, const luna_word *words, uint32_t nwords)
{
    struct name_ref *r = pool_get(name_ref_class(k->n, nwords));
    if (!r) return NULL;
    r->id = k->id;
    r->df = k->df;
    r->n = k->n;
    r->nwords = nwords;
    if (nwords) memcpy(r->word, words, nwords * sizeof *words);
    memcpy(name_ref_ix(r), k->ix, k->n * sizeof *k->ix);
    return r;
}

static void
name_ref_free(struct name_ref *r)
{
    pool_put(name_ref_class(r->n, r->nwords), r);
}

luna_value *
frame_box(luna_value v)
{
    luna_value *b = pool_get(pool_class(sizeof *b));
    if (b) *b = v;
    return b;
}

static bool
lies_in(const struct frame *f, const void *p)
{
    return (const char *)p >= (const char *)f && (const char *)p < (const char *)f + f->body;
}

/* A parameter whose word is still NULL was never filled: the run ran out of memory on the way. */
void
frame_free_all(struct frame *f, const struct luna_sub *sub)
{
    for (uint32_t i = 0; !f->plain && sub->params[i]; i++) {
        void *p = f->word[i].p;
        if (sub->params[i] == 'n' && p && !lies_in(f, p)) name_ref_free(p);
        if ((sub->params[i] == 's' || sub->params[i] == 'v') && p) {
            value_release(*(luna_value *)p);
            pool_put(pool_class(sizeof(luna_value)), p);
        }
    }
    if (f->led) ahead_free(*frame_ahead_place(f));
    pool_put(f->class_, f);
}

static void *
word_copy(const luna_word *w, char letter)
{
    if (letter == 'n') {
        const struct name_ref *r = w->p;
        struct key k = {.id = r->id, .df = r->df, .n = r->n};
        memcpy(k.ix, name_ref_ix(r), r->n * sizeof *k.ix);
        return name_ref_new(&k, r->word, (uint32_t)r->nwords);
    }
    value_retain(*(luna_value *)w->p);
    return frame_box(*(luna_value *)w->p);
}

struct frame *
frame_copy(const struct frame *f, const struct luna_sub *sub)
{
    struct frame *copy = frame_new(sub, f->sub, f->id);
    if (!copy) return NULL;
    copy->depth = f->depth;
    memcpy(copy->word, f->word, sub->nwords * sizeof *f->word);
    for (uint32_t i = 0; sub->params[i]; i++) {
        if (!strchr("nsv", sub->params[i])) continue;
        copy->word[i].p = word_copy(&f->word[i], sub->params[i]);
        if (copy->word[i].p) continue;
        memset(copy->word + i, 0, (sub->nwords - i) * sizeof *copy->word);
        frame_free(copy, sub);
        return NULL;
    }
    return copy;
}

/* Two words and no parameters, so that a proxy goes through the same calls as any frame. */
static const struct luna_sub proxy_sub = {.name = "", .params = "", .nwords = 2};

struct frame *
frame_proxy_new(int node, uint64_t handle)
{
    struct frame *f = frame_new(&proxy_sub, FRAME_PROXY, 0);
    if (!f) return NULL;
    f->word[0].i = node;
    f->word[1].i = (int64_t)handle;
    return f;
}

void
frame_proxy_free(struct frame *f)
{
    frame_free(f, &proxy_sub);
}
