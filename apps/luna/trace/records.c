/* records.c - see records.h. */
#include "apps/luna/trace/records.h"

#include "distrib/lattice.h"
#include "runtime/node/trace_block.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { NUMBERS_MAX = 1 << 20 }; /* of sites, of declarations, and of workers */

struct known { /* a name, and the record before that had it */
    char *base;
    unsigned block; /* it was told there */
    uint32_t line, n, cell;
    int32_t *ix;
};

struct names {
    struct known *at;
    uint32_t n;
};

struct records {
    FILE *f;
    uint64_t size, begins, at; /* of the file; where the block begins, and the next one */
    const char *bad;
    int error;
    uint32_t node, worker, left; /* the block's worker, and how many records it still has */
    unsigned block;
    size_t head; /* bytes of the head of each block */
    uint32_t *blocks, nblocks; /* of each worker, and before them the node: how many were read */
    char *data, *line; /* of a block, and of a text in it */
    size_t room, line_room;
    const unsigned char *next, *end;
    uint64_t t, sent, call, message, reads; /* what differences are from */
    struct names sites, dfs;
};

struct records *
records_open(FILE *f, unsigned node)
{
    struct stat st;
    struct records *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->f = f;
    r->node = node;
    if (fstat(fileno(f), &st)) r->error = errno;
    else r->size = (uint64_t)st.st_size;
    return r;
}

static void
names_free(struct names *names)
{
    for (uint32_t i = 0; i < names->n; i++) {
        free(names->at[i].base);
        free(names->at[i].ix);
    }
    free(names->at);
}

void
records_close(struct records *r)
{
    names_free(&r->sites);
    names_free(&r->dfs);
    free(r->data);
    free(r->line);
    free(r->blocks);
    free(r);
}

const char *
records_bad(const struct records *r, uint64_t *at)
{
    *at = r->begins;
    return r->bad;
}

int
records_error(const struct records *r)
{
    return r->error;
}

static bool
wrong(struct records *r, const char *what)
{
    if (!r->bad) r->bad = what;
    return false;
}

static bool
no_memory(struct records *r)
{
    r->error = ENOMEM;
    return false;
}

/* ---- blocks ---- */

static bool
make_room(struct records *r, char **data, size_t *room, size_t bytes)
{
    if (*room >= bytes) return true;
    char *more = realloc(*data, bytes);
    if (!more) return no_memory(r);
    *data = more;
    *room = bytes;
    return true;
}

static bool
read_bytes(struct records *r, char *to, size_t bytes)
{
    errno = 0;
    if (fread(to, 1, bytes, r->f) == bytes) return true;
    if (!ferror(r->f)) return wrong(r, "the file was cut while it was read");
    r->error = errno ? errno : EIO;
    return false;
}

static void
begin_block(struct records *r, size_t size)
{
    r->block++;
    r->worker = trace_block_get32(r->data + TRACE_BLOCK_WORKER);
    r->left = trace_block_get32(r->data + TRACE_BLOCK_RECORDS);
    r->t = trace_block_get64(r->data + TRACE_BLOCK_FIRST);
    r->sent = r->call = r->message = r->reads = 0;
    r->next = (const unsigned char *)r->data + r->head;
    r->end = (const unsigned char *)r->data + size;
}

/* The first block tells of which version the file is. */
static bool
look_at_magic(struct records *r)
{
    bool first = !r->head;
    if (first) r->head = memcmp(r->data, TRACE_BLOCK_MAGIC_1, TRACE_BLOCK_SUM) ? TRACE_BLOCK_HEAD
                                                                              : TRACE_BLOCK_HEAD_1;
    const char *magic = r->head == TRACE_BLOCK_HEAD ? TRACE_BLOCK_MAGIC : TRACE_BLOCK_MAGIC_1;
    return !memcmp(r->data, magic, TRACE_BLOCK_SUM) || wrong(r, "no block begins here");
}

static bool
know_worker(struct records *r, uint32_t place)
{
    if (place < r->nblocks) return true;
    if (place > NUMBERS_MAX) return wrong(r, "the worker of a block is none");
    uint32_t n = place * 2 + 16;
    uint32_t *blocks = realloc(r->blocks, n * sizeof *blocks);
    if (!blocks) return no_memory(r);
    memset(blocks + r->nblocks, 0, (n - r->nblocks) * sizeof *blocks);
    r->blocks = blocks;
    r->nblocks = n;
    return true;
}

/* Those of a worker are there all, and in their order. */
static bool
block_is_next(struct records *r)
{
    uint32_t place = trace_block_get32(r->data + TRACE_BLOCK_WORKER) + 1; /* the node's: 0 */
    if (r->head == TRACE_BLOCK_HEAD_1) return true;
    if (!know_worker(r, place)) return false;
    uint32_t number = trace_block_get32(r->data + TRACE_BLOCK_NUMBER), want = r->blocks[place]++;
    if (number > want) return wrong(r, "a block that was written before this one is missing");
    return number == want || wrong(r, "a block is there twice, or out of turn");
}

/* False at the end of the file, too. */
static bool
next_block(struct records *r)
{
    uint64_t rest = r->size - r->at;
    r->begins = r->at;
    if (!rest || r->error) return false;
    if (rest < TRACE_BLOCK_HEAD_1) return wrong(r, "a block is cut short");
    if (!make_room(r, &r->data, &r->room, TRACE_BLOCK_HEAD_1)) return false;
    if (!read_bytes(r, r->data, TRACE_BLOCK_HEAD_1)) return false;
    if (!look_at_magic(r)) return false;
    size_t size = trace_block_get32(r->data + TRACE_BLOCK_SIZE);
    if (size <= r->head || size > rest) return wrong(r, "a block is cut short");
    if (!make_room(r, &r->data, &r->room, size)) return false;
    if (!read_bytes(r, r->data + TRACE_BLOCK_HEAD_1, size - TRACE_BLOCK_HEAD_1)) return false;
    r->at += size;
    uint64_t sum = XXH3_64bits(r->data + TRACE_BLOCK_SIZE, size - TRACE_BLOCK_SIZE);
    if ((uint32_t)sum != trace_block_get32(r->data + TRACE_BLOCK_SUM))
        return wrong(r, "the checksum of a block is another");
    if (!block_is_next(r)) return false;
    begin_block(r, size);
    return true;
}

/* ---- numbers and texts; behind the end there are only zeros, and that is wrong ---- */

static inline uint64_t
get(struct records *r)
{
    uint64_t v = 0;
    for (int shift = 0; shift < 64 && r->next < r->end; shift += 7) {
        unsigned char c = *r->next++;
        v |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80) return v;
    }
    wrong(r, "a number does not end");
    return 0;
}

static inline int64_t
get_signed(struct records *r)
{
    return trace_block_unfold(get(r));
}

static inline uint64_t
get_next(struct records *r, uint64_t *last)
{
    return *last += (uint64_t)get_signed(r);
}

static struct told_text
get_text(struct records *r)
{
    size_t n = get(r);
    const char *text = (const char *)r->next;
    if (n > (size_t)(r->end - r->next)) wrong(r, "a text does not end");
    if (r->bad) return (struct told_text){"", 0};
    r->next += n;
    return (struct told_text){text, n};
}

/* ---- names ---- */

/* NULL: it cannot be, or there is no memory. */
static struct known *
known_make(struct records *r, struct names *names, uint64_t number)
{
    if (number >= NUMBERS_MAX) wrong(r, "the number of a name is too large");
    if (r->bad) return NULL;
    if (number >= names->n) {
        uint32_t n = (uint32_t)number * 2 + 16;
        struct known *at = realloc(names->at, n * sizeof *at);
        if (!at) {
            no_memory(r);
            return NULL;
        }
        memset(at + names->n, 0, (n - names->n) * sizeof *at);
        *names = (struct names){at, n};
    }
    return &names->at[number];
}

static bool
read_name(struct records *r, unsigned flags)
{
    struct names *names = flags & TRACE_NAME_DF ? &r->dfs : &r->sites;
    struct known *k = known_make(r, names, get(r));
    uint64_t line = flags & TRACE_NAME_DF ? 0 : get(r), n = get(r);
    struct told_text base = get_text(r);
    if (n > TRACE_INDICES_MAX) wrong(r, "a name has too many indices");
    if (line > UINT32_MAX) wrong(r, "the line of a name is too large");
    if (r->bad || !k) return false;
    char *text = realloc(k->base, base.size + 1);
    if (text) k->base = text;
    int32_t *ix = calloc(n + 1, sizeof *ix);
    if (!text || !ix) {
        free(ix);
        return no_memory(r);
    }
    memcpy(text, base.text, base.size);
    text[base.size] = 0;
    free(k->ix);
    *k = (struct known){text, r->block, (uint32_t)line, (uint32_t)n, 0, ix};
    return true;
}

static struct known *
get_known(struct records *r, struct names *names, struct told_name *out)
{
    uint64_t number = get(r);
    struct known *k = number < names->n ? &names->at[number] : NULL;
    if (!k || k->block != r->block) {
        wrong(r, "a record has a name that its block has not told");
        return NULL;
    }
    *out = (struct told_name){(uint32_t)number, k->line, k->n, k->base, k->ix};
    return k;
}

static void
get_indices(struct records *r, struct known *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        k->ix[i] = (int32_t)((uint32_t)k->ix[i] + (uint32_t)get_signed(r));
}

/* ---- records ---- */

static int32_t
get_small(struct records *r)
{
    uint64_t v = get(r);
    if (v > INT32_MAX) wrong(r, "a node or worker is none");
    return (int32_t)v;
}

static struct told_by
get_by(struct records *r, unsigned flags)
{
    struct told_by by = {.node = (int32_t)r->node, .by = TOLD_UNKNOWN};
    if (flags & TRACE_HAS_MESSAGE) {
        by.by = TOLD_MESSAGE;
        by.node = get_small(r);
    } else if (flags & TRACE_HAS_WORKER)
        by.by = get_small(r);
    else if (flags & TRACE_HAS_CALL)
        by.by = (int32_t)r->worker;
    if (by.by != TOLD_UNKNOWN) by.k = get_next(r, by.by == TOLD_MESSAGE ? &r->message : &r->call);
    return by;
}

/* `follows`: it is a NEXT. */
static bool
read_call(struct records *r, unsigned flags, bool follows, struct told_call *c)
{
    uint64_t before = r->t;
    *c = (struct told_call){.worker = r->worker, .cell = LATTICE_NONE, .by.by = TOLD_UNKNOWN};
    struct known *k = get_known(r, &r->sites, &c->name);
    if (!k) return false;
    c->t = r->t + get(r);
    c->dur = get(r);
    c->chain = c->dur + get_next(r, &r->reads);
    r->t = c->t + c->dur;
    get_indices(r, k);
    if (flags & TRACE_HAS_CELL) c->cell = k->cell += (uint32_t)get_signed(r);
    c->waited = follows || flags & TRACE_HAS_READY;
    if (follows) {
        c->ready = before;
        c->by = (struct told_by){++r->call, (int32_t)r->node, (int32_t)r->worker};
    } else if (c->waited) {
        c->ready = c->t - get(r);
        c->by = get_by(r, flags);
    }
    if (flags & TRACE_HAS_VALUES) c->values = get_text(r);
    return !r->bad;
}

static bool
read_send(struct records *r, unsigned flags, struct told_send *s)
{
    *s = (struct told_send){.k = 0};
    struct known *k = get_known(r, &r->dfs, &s->name);
    if (!k) return false;
    s->t = r->t += get(r);
    s->to = get(r);
    get_indices(r, k);
    s->bytes = get(r);
    uint64_t why = get(r);
    s->why = why & 3;
    s->dist = why >> 2;
    if (flags & TRACE_HAS_NUMBER) s->k = get_next(r, &r->sent);
    s->part = flags & TRACE_HAS_PART;
    if (s->part) s->part_from = get(r);
    if (s->part) s->part_count = get(r);
    s->by = get_by(r, flags);
    if (flags & TRACE_HAS_VALUES) s->values = get_text(r);
    return !r->bad;
}

static bool
read_recv(struct records *r, struct told_recv *v)
{
    v->t = r->t += get(r);
    v->from = get(r);
    v->k = get_next(r, &r->message);
    return !r->bad;
}

static bool
read_text(struct records *r, struct told_text text, struct record *out)
{
    out->what = RECORD_TEXT;
    if (!text.size) wrong(r, "a line is empty");
    if (r->bad || !make_room(r, &r->line, &r->line_room, text.size + 1)) return false;
    memcpy(r->line, text.text, text.size);
    r->line[text.size] = 0;
    out->line.at = r->line;
    out->line.size = text.size;
    return true;
}

/* What a block of the node has is one line. */
static bool
read_own(struct records *r, struct record *out)
{
    struct told_text all = {(const char *)r->next, (size_t)(r->end - r->next)};
    if (r->left) wrong(r, "a block of lines has more than one");
    r->next = r->end;
    return read_text(r, all, out);
}

bool
records_next(struct records *r, struct record *out)
{
    while (!r->left) {
        if (r->next != r->end) return wrong(r, "something stands behind the records of a block");
        if (!next_block(r)) return false;
    }
    if (r->bad || r->error) return false;
    if (r->worker == TRACE_BLOCK_NODE) {
        r->left--;
        return read_own(r, out);
    }
    uint64_t head = get(r);
    while (!r->bad && (head & TRACE_KIND_MASK) == TRACE_RECORD_NAME) {
        if (!read_name(r, (unsigned)(head >> TRACE_KIND_BITS))) return false;
        head = get(r);
    }
    unsigned flags = (unsigned)(head >> TRACE_KIND_BITS);
    if (head >> TRACE_KIND_BITS > TRACE_FLAGS) wrong(r, "a record has flags of a later version");
    if (r->bad) return false;
    r->left--;
    switch ((enum trace_record)(head & TRACE_KIND_MASK)) {
    case TRACE_RECORD_TEXT: return read_text(r, get_text(r), out);
    case TRACE_RECORD_EXEC:
    case TRACE_RECORD_NEXT:
        out->what = RECORD_CALL;
        return read_call(r, flags, (head & TRACE_KIND_MASK) == TRACE_RECORD_NEXT, &out->call);
    case TRACE_RECORD_SEND: out->what = RECORD_SEND; return read_send(r, flags, &out->send);
    case TRACE_RECORD_RECV: out->what = RECORD_RECV; return read_recv(r, &out->recv);
    case TRACE_RECORD_NAME: break;
    }
    return wrong(r, "a record is of no kind of this version");
}
