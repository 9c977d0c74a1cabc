/* aged.c - the heap of aged.h. */
#include "aged.h"

#include "runtime/base/vec.h"

void
aged_fini(struct aged *a)
{
    mem_free(a->item);
    *a = (struct aged){0};
}

static inline bool
is_before(struct aged_item a, struct aged_item b)
{
    if (a.priority != b.priority) return a.priority > b.priority;
    return (int32_t)(a.made - b.made) < 0;
}

static void
sift_up(struct aged *a, size_t i, struct aged_item x)
{
    for (; i && is_before(x, a->item[(i - 1) / 2]); i = (i - 1) / 2)
        a->item[i] = a->item[(i - 1) / 2];
    a->item[i] = x;
}

static void
sift_down(struct aged *a, size_t i, struct aged_item x)
{
    for (size_t k; (k = 2 * i + 1) < a->n; i = k) {
        if (k + 1 < a->n && is_before(a->item[k + 1], a->item[k])) k++;
        if (!is_before(a->item[k], x)) break;
        a->item[i] = a->item[k];
    }
    a->item[i] = x;
}

bool
aged_put(struct aged *a, struct aged_item item)
{
    if (!vec_more(NULL, a->item, a->n, a->room)) return false;
    sift_up(a, a->n++, item);
    return true;
}

bool
aged_push(struct aged *a, struct task *t, double priority, uint32_t made, bool asked)
{
    if (asked) made -= AGED_ASKED;
    return aged_put(a, (struct aged_item){t, priority, made, asked});
}

void
aged_asked(struct aged *a, size_t at)
{
    struct aged_item x = a->item[at];
    if (!x.asked) x.made -= AGED_ASKED;
    x.asked = true;
    sift_up(a, at, x);
}

struct task *
aged_take(struct aged *a, size_t at)
{
    struct task *t = a->item[at].task;
    struct aged_item last = a->item[--a->n];
    if (at == a->n) return t;
    if (at && is_before(last, a->item[(at - 1) / 2])) sift_up(a, at, last);
    else sift_down(a, at, last);
    return t;
}

struct task *
aged_pop(struct aged *a)
{
    return a->n ? aged_take(a, 0) : NULL;
}
