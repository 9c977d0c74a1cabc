/* msg.c - packing and unpacking. */
#include "msg.h"

#include "runtime/base/mem.h"
#include "runtime/base/pool.h"
#include "runtime/table/cells.h"

enum { LEND_MIN = 1024 }; /* smaller values are copied into the body: cheaper than counting */

#define MSG_ROW(name, counts, way, wants) [MSG_##name] = MSG_##counts | MSG_##way | MSG_##wants,
const unsigned char msg_traits[MSG_KINDS] = {MSG_MAP(MSG_ROW)};
#undef MSG_ROW

/* One that waits for its cell is taken out of the count of those that came (move_park). */
#define MSG_CHECK(name, counts, way, wants)                                                        \
    static_assert(MSG_##way != MSG_TO_CELL || MSG_##counts == MSG_WORK, #name);
MSG_MAP(MSG_CHECK)
#undef MSG_CHECK

/* ---- reading ---- */

struct reader
reader_of(struct packet *p, const struct luna_program *program)
{
    return (struct reader){
        .at = p->body, .end = p->body + p->size, .program = program, .packet = p};
}

static const char *
take(struct reader *r, size_t n)
{
    if (r->bad || (size_t)(r->end - r->at) < n) {
        r->bad = true;
        return NULL;
    }
    const char *p = r->at;
    r->at += n;
    return p;
}

uint8_t
read_u8(struct reader *r)
{
    const char *p = take(r, 1);
    return p ? (uint8_t)*p : 0;
}

uint32_t
read_u32(struct reader *r)
{
    uint32_t v = 0;
    const char *p = take(r, sizeof v);
    if (p) memcpy(&v, p, sizeof v);
    return v;
}

uint64_t
read_u64(struct reader *r)
{
    uint64_t v = 0;
    const char *p = take(r, sizeof v);
    if (p) memcpy(&v, p, sizeof v);
    return v;
}

/* Behind the indices of the fragment come those of the label, then a word that tells how many. */
static bool
pushed_fits(const struct key *k)
{
    return k->n && (uint32_t)k->ix[k->n - 1] % KEY_INDICES_MAX < k->n;
}

/* Behind them: where it begins, and how many bytes or which kind of number. */
static bool
part_fits(const struct key *k)
{
    return !(k->df & KEY_PUSHED) && k->n >= 2 && k->n < KEY_INDICES_MAX &&
           k->ix[k->n - 1] >= -(int32_t)LUNA_PART_BYTES;
}

void
read_key(struct reader *r, struct key *k)
{
    k->id = read_u64(r);
    k->df = read_u32(r);
    k->n = read_u32(r);
    k->bound = 0;
    if (k->n > KEY_INDICES_MAX || (k->df & ~(KEY_PUSHED | KEY_PART)) >= r->program->ndfs)
        r->bad = true;
    const char *p = r->bad ? NULL : take(r, k->n * sizeof *k->ix);
    if (p) memcpy(k->ix, p, k->n * sizeof *k->ix);
    else k->n = 0;
    if (k->df & KEY_PUSHED && !pushed_fits(k)) r->bad = true;
    if (k->df & KEY_PART && !part_fits(k)) r->bad = true;
}

enum {
    VALUE_LENT = 0x80,   /* the bytes are the packet's block */
    VALUE_CHAINED = 0x40 /* its chain follows */
};

static luna_value
read_block(struct reader *r, uint32_t type)
{
    struct block *b;
    if (type & VALUE_LENT) {
        b = r->packet ? r->packet->block : NULL;
        if (b) r->packet->block = NULL;
    } else {
        uint64_t n = read_u64(r);
        const char *p = take(r, n);
        b = p ? block_new(n) : NULL;
        if (b) memcpy(b->data, p, n);
    }
    type &= ~(uint32_t)VALUE_LENT;
    bool ok = b && (type != LUNA_STRING || (b->size && !b->data[b->size - 1]));
    if (ok) return value_of_block(b, type);
    if (b) block_release(b);
    r->bad = true;
    return value_unset();
}

static luna_value
read_value_of(struct reader *r, uint32_t type)
{
    luna_value v = value_unset();
    switch (type) {
    case LUNA_UNSET: return v;
    case LUNA_INT:
    case LUNA_REAL:
        v.type = type;
        v.w.i = (int64_t)read_u64(r);
        return v;
    case LUNA_STRING:
    case LUNA_BYTES:
    case LUNA_STRING | VALUE_LENT:
    case LUNA_BYTES | VALUE_LENT: return read_block(r, type);
    default: r->bad = true; return v;
    }
}

luna_value
read_value(struct reader *r)
{
    uint32_t type = read_u32(r);
    if (__builtin_expect(!(type & VALUE_CHAINED), 1)) return read_value_of(r, type);
    uint32_t chain = read_u32(r);
    luna_value v = read_value_of(r, type & ~(uint32_t)VALUE_CHAINED);
    v.chain = chain;
    return v;
}

static struct name_ref *
read_name_ref(struct reader *r)
{
    struct key k;
    luna_word words[ABOUT_CAPTURES_MAX];
    read_key(r, &k);
    uint32_t n = read_u32(r);
    const struct luna_about *about = r->bad ? NULL : cells_about(r->program, k.df);
    if (n > ABOUT_CAPTURES_MAX || n != (about ? about->ncaptures : 0)) r->bad = true;
    for (uint32_t i = 0; i < n && !r->bad; i++) words[i].i = (int64_t)read_u64(r);
    return r->bad ? NULL : name_ref_new(&k, words, n);
}

static void *
read_word_object(struct reader *r, char letter)
{
    if (letter == 'n') {
        return read_name_ref(r);
    }
    luna_value v = read_value(r);
    if (v.type == LUNA_UNSET || (letter == 's' && v.type != LUNA_STRING)) r->bad = true;
    luna_value *boxed = r->bad ? NULL : frame_box(v);
    if (!boxed) value_release(v);
    return boxed;
}

/* Above the row of a frame's sub there is room for its depth, unless there are very many subs. */
static bool
has_depth(const struct luna_program *p)
{
    return p->nsubs <= UINT16_MAX;
}

struct frame *
read_frame(struct reader *r, const struct luna_program *p)
{
    uint32_t head = read_u32(r), row = has_depth(p) ? head & UINT16_MAX : head;
    uint64_t id = read_u64(r);
    if (r->bad || row >= p->nsubs) {
        r->bad = true;
        return NULL;
    }
    const struct luna_sub *sub = &p->subs[row];
    struct frame *f = frame_new(sub, row, id);
    if (f && has_depth(p)) f->depth = (uint16_t)(head >> 16);
    size_t nparams = strlen(sub->params);
    for (uint32_t i = 0; f && i < sub->nwords; i++) {
        char letter = i < nparams ? sub->params[i] : 'i';
        if (letter == 'i' || letter == 'r') f->word[i].i = (int64_t)read_u64(r);
        else if (!(f->word[i].p = read_word_object(r, letter))) r->bad = true;
    }
    if (!f) r->bad = true;
    if (r->bad && f) frame_free(f, sub);
    return r->bad ? NULL : f;
}

static void
read_task_words(struct reader *r, const struct luna_site *site, struct task *t, uint32_t have)
{
    luna_value *v = task_values(site, t);
    for (unsigned i = 0; i < site->nlocal; i++) t->word[i].i = (int64_t)read_u64(r);
    task_unset(site, t, 0);
    for (uint32_t i = 0; i < have && !r->bad; i++) v[i] = read_value(r);
    while (t->at < site->nin && v[t->at].type != LUNA_UNSET) t->at++;
}

struct task *
read_task(struct reader *r, const struct luna_program *p, struct frame *f)
{
    uint32_t row = read_u32(r), flags = read_u32(r), have = read_u32(r);
    if (r->bad || row >= p->nsites || have > p->sites[row].nin || p->sites[row].sub != f->sub ||
        flags & ~(uint32_t)(TASK_HERE | TASK_SHARED | TASK_GUEST | TASK_MARKED)) {
        r->bad = true;
        return NULL;
    }
    const struct luna_site *site = &p->sites[row];
    struct task *t = pool_get(pool_class(task_bytes(site)));
    if (!t) {
        r->bad = true;
        return NULL;
    }
    *t = (struct task){.site = row, .kind = TASK_START, .flags = (uint8_t)flags, .frame = f};
    read_task_words(r, site, t, have);
    if (!r->bad) return t;
    for (unsigned i = 0; i < site->nin; i++) value_release(task_values(site, t)[i]);
    pool_put(pool_class(task_bytes(site)), t);
    return NULL;
}

/* Do the statements of a block belong to this frame, and see what the range has? */
static bool
block_fits(const struct luna_program *p, uint32_t block, const struct frame *f, uint32_t nlocal,
           uint32_t flags)
{
    const struct luna_block *b = &p->blocks[block];
    uint32_t own = !(flags & RANGE_COUNTER) ? 0 : flags & RANGE_FRESH ? 2 : 1;
    const struct luna_site *site = b->nsites ? &p->sites[b->site] : NULL;
    return site && site->sub == f->sub && nlocal <= UINT16_MAX && nlocal + own == site->nlocal;
}

struct range *
read_range(struct reader *r, const struct luna_program *p, struct frame *f)
{
    uint32_t block = read_u32(r), flags = read_u32(r), nlocal = read_u32(r);
    int32_t i = (int32_t)read_u32(r);
    uint32_t left = read_u32(r), step = read_u32(r);
    int64_t last = i + (int64_t)left * (int32_t)step;
    if (r->bad || block >= p->nblocks || last < INT32_MIN || last > INT32_MAX ||
        !block_fits(p, block, f, nlocal, flags) ||
        (size_t)(r->end - r->at) < nlocal * sizeof(uint64_t)) {
        r->bad = true;
        return NULL;
    }
    struct range *g = pool_get(pool_class(range_bytes(nlocal)));
    if (!g) {
        r->bad = true;
        return NULL;
    }
    *g = (struct range){.head = {.site = block, .at = (uint16_t)nlocal, .kind = TASK_RANGE,
                                 .flags = (uint8_t)flags, .frame = f},
                        .i = i, .left = left, .step = step};
    for (uint32_t k = 0; k < nlocal; k++) g->local[k].i = (int64_t)read_u64(r);
    return g;
}

bool
reader_done(const struct reader *r)
{
    return !r->bad && r->at == r->end;
}

/* ---- writing ---- */

/* On the heap there is room for n bytes more. */
static bool
writer_reserve(struct writer *w, size_t n)
{
    if (w->failed) return false;
    if (w->heap && n <= w->room - w->size) return true;
    size_t room = 4 * WRITER_SMALL;
    bool fits = n < SIZE_MAX / 4 - w->size;
    while (fits && room < w->size + n) room *= 2;
    char *heap = fits ? mem_realloc(w->heap, room) : NULL;
    if (!heap) return !(w->failed = true);
    if (!w->heap) memcpy(heap, w->small, w->size);
    w->heap = heap;
    w->room = room;
    return true;
}

static __attribute__((noinline)) char *
writer_room_large(struct writer *w, size_t n)
{
    if (!writer_reserve(w, n)) return NULL;
    char *at = w->heap + w->size;
    w->size += n;
    return at;
}

/* The next n bytes, for the caller to fill; NULL: no memory. */
static inline char *
writer_room(struct writer *w, size_t n)
{
    if (w->heap || n > WRITER_SMALL - w->size) return writer_room_large(w, n);
    char *at = w->small + w->size;
    w->size += n;
    return at;
}

void
write_bytes(struct writer *w, const void *bytes, size_t n)
{
    char *at = writer_room(w, n);
    if (at && n) memcpy(at, bytes, n);
}

void
write_u32(struct writer *w, uint32_t v)
{
    char *at = writer_room(w, sizeof v);
    if (at) memcpy(at, &v, sizeof v);
}

void
write_u64(struct writer *w, uint64_t v)
{
    char *at = writer_room(w, sizeof v);
    if (at) memcpy(at, &v, sizeof v);
}

void
write_key(struct writer *w, const struct key *k)
{
    const uint32_t head[2] = {k->df, k->n};
    char *at = writer_room(w, sizeof k->id + sizeof head + k->n * sizeof *k->ix);
    if (!at) return;
    memcpy(at, &k->id, sizeof k->id);
    memcpy(at + sizeof k->id, head, sizeof head);
    at += sizeof k->id + sizeof head;
    for (uint32_t i = 0; i < k->n; i++, at += sizeof *k->ix) memcpy(at, &k->ix[i], sizeof *k->ix);
}

static void
write_type(struct writer *w, luna_value v, uint32_t lent)
{
    bool chained = v.type != LUNA_UNSET && v.chain;
    write_u32(w, v.type | lent | (chained ? VALUE_CHAINED : 0));
    if (!chained) return;
    write_u32(w, v.chain);
    w->chains += sizeof v.chain;
}

void
write_value(struct writer *w, luna_value v, bool lend)
{
    if (!value_is_block(v)) {
        write_type(w, v, 0);
        if (v.type != LUNA_UNSET) write_u64(w, (uint64_t)v.w.i);
        return;
    }
    struct block *b = value_block(v);
    if (lend && !w->block && b->size >= LEND_MIN) {
        block_retain(b);
        w->block = b;
        write_type(w, v, VALUE_LENT);
        return;
    }
    write_type(w, v, 0);
    write_u64(w, b->size);
    write_bytes(w, b->data, b->size);
}

static void
write_name_ref(struct writer *w, const struct name_ref *n)
{
    write_u64(w, n->id);
    write_u32(w, n->df);
    write_u32(w, n->n);
    write_bytes(w, name_ref_ix(n), n->n * sizeof(int32_t));
    write_u32(w, (uint32_t)n->nwords);
    for (uint64_t i = 0; i < n->nwords; i++) write_u64(w, (uint64_t)n->word[i].i);
}

void
write_frame(struct writer *w, const struct luna_program *p, const struct frame *f)
{
    const struct luna_sub *sub = &p->subs[f->sub];
    size_t nparams = strlen(sub->params);
    write_u32(w, has_depth(p) ? (uint32_t)f->depth << 16 | f->sub : f->sub);
    write_u64(w, f->id);
    for (uint32_t i = 0; i < sub->nwords; i++) {
        char letter = i < nparams ? sub->params[i] : 'i';
        if (letter == 'n') write_name_ref(w, f->word[i].p);
        else if (letter == 's' || letter == 'v') write_value(w, *(luna_value *)f->word[i].p, false);
        else write_u64(w, (uint64_t)f->word[i].i);
    }
}

void
write_task(struct writer *w, const struct luna_program *p, const struct task *t, unsigned have)
{
    const struct luna_site *site = &p->sites[t->site];
    write_u32(w, t->site);
    write_u32(w, t->flags & ~(uint32_t)TASK_CAUSED); /* the message is, where it goes */
    write_u32(w, have);
    for (unsigned i = 0; i < site->nlocal; i++) write_u64(w, (uint64_t)t->word[i].i);
    for (unsigned i = 0; i < have; i++) write_value(w, task_values(site, t)[i], false);
}

void
write_range(struct writer *w, const struct range *r)
{
    write_u32(w, r->head.site);
    write_u32(w, r->head.flags);
    write_u32(w, r->head.at);
    write_u32(w, (uint32_t)r->i);
    write_u32(w, r->left);
    write_u32(w, r->step);
    for (unsigned i = 0; i < r->head.at; i++) write_u64(w, (uint64_t)r->local[i].i);
}

struct packet *
writer_packet(struct writer *w, uint32_t kind)
{
    struct packet *p = w->failed ? NULL : packet_new(kind, (uint32_t)w->size);
    if (p) {
        memcpy(p->body, writer_data(w), w->size);
        p->chains = w->chains;
        p->block = w->block;
    } else if (w->block) {
        block_release(w->block);
    }
    if (w->heap) mem_free(w->heap);
    return p;
}

void
writer_fini(struct writer *w)
{
    if (w->block) block_release(w->block);
    if (w->heap) mem_free(w->heap);
}
