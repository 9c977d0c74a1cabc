/* part.c - see part.h. */
#include "part.h"

#include "runtime/fault/fault.h"
#include "runtime/table/eval.h"
#include "runtime/table/name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const unsigned char size_of[] = {
    [LUNA_PART_INT] = 4, [LUNA_PART_REAL] = 8, [LUNA_PART_INT64] = 8, [LUNA_PART_FLOAT] = 4,
    [LUNA_PART_BYTES] = 1
};

_Noreturn static void
part_fault(const struct key *k, struct key_part x, uint32_t place, const char *hint,
           const char *what)
{
    char name[NAME_MAX_TEXT];
    struct key of = *k;
    key_add_part(&of, x);
    name_df(fault_program(), &of, name, sizeof name);
    fault_begin(F_RUN16, place, "'%s' %s", name, what);
    fault_hint("%s", hint);
    fault_end(3);
}

static enum luna_part_kind
kind_of(struct key_part x)
{
    return x.count < 0 ? (enum luna_part_kind)(-1 - x.count) : LUNA_PART_BYTES;
}

int64_t
part_from(struct key_part x)
{
    return x.from * (int64_t)size_of[kind_of(x)];
}

int64_t
part_bytes(struct key_part x)
{
    return x.count < 0 ? size_of[kind_of(x)] : x.count;
}

struct key_part
part_wanted(const struct luna_program *p, luna_env *e, uint32_t row)
{
    const struct luna_part *r = &p->parts[row - 1];
    struct key_part x = {eval_int(p, e, r->from), -1 - (int32_t)r->kind};
    if (r->kind != LUNA_PART_BYTES) return x;
    x.count = eval_int(p, e, r->count);
    if (x.count >= 0) return x;
    fault_begin(F_RUN16, e->site->place, "a part of %d bytes", x.count);
    fault_hint("value(x, from, count): count may be 0, but not less");
    fault_end(3);
}

static luna_value
number_at(const char *bytes, enum luna_part_kind kind, int64_t *large)
{
    int32_t i;
    int64_t l;
    double d;
    float f;
    switch (kind) {
    case LUNA_PART_INT: memcpy(&i, bytes, sizeof i); return luna_v_of_int(i);
    case LUNA_PART_REAL: memcpy(&d, bytes, sizeof d); return luna_v_of_real(d);
    case LUNA_PART_FLOAT: memcpy(&f, bytes, sizeof f); return luna_v_of_real((double)f);
    case LUNA_PART_INT64:
        memcpy(&l, bytes, sizeof l);
        if (l != (int32_t)l) *large = l;
        return luna_v_of_int((int32_t)l);
    case LUNA_PART_BYTES: break;
    }
    return value_unset();
}

static luna_value
take(const struct key *k, struct key_part x, uint32_t place, struct block *b)
{
    enum luna_part_kind kind = kind_of(x);
    int64_t from = part_from(x), bytes = part_bytes(x), large = 0;
    char what[120];
    if (from < 0 || from + bytes > (int64_t)b->size) {
        snprintf(what, sizeof what, "lies outside of the fragment, which has %zu bytes", b->size);
        part_fault(k, x, place,
                   kind == LUNA_PART_BYTES
                       ? "bytes are counted from 0"
                       : "numbers are counted from 0, and each has the size of its type",
                   what);
    }
    if (kind != LUNA_PART_BYTES) {
        luna_value v = number_at(b->data + from, kind, &large);
        if (!large) return v;
        snprintf(what, sizeof what, "is %" PRId64 ", and an int has 32 bits", large);
        part_fault(k, x, place, "a function that takes the fragment can use it", what);
    }
    struct block *part = block_part(b, (size_t)from, (size_t)bytes);
    if (!part) fault_nomem();
    return value_of_block(part, LUNA_BYTES);
}

void
part_beyond(const struct key *k, struct key_part x, uint32_t place)
{
    part_fault(k, x, place,
               "only bytes have parts: let a call make what is there, and the shape go as far",
               "is no part: the fragment is outside its shape, where it is a number");
}

luna_value
part_take(const struct key *k, struct key_part x, uint32_t place, luna_value whole)
{
    char what[120];
    if (whole.type != LUNA_BYTES) {
        const char *article = whole.type == LUNA_INT ? "an " : "a ";
        snprintf(what, sizeof what, "is no part: the fragment is %s%s", article,
                 value_type_text(whole.type));
        part_fault(k, x, place, "only bytes have parts, as luna_create makes them", what);
    }
    luna_value v = take(k, x, place, value_block(whole));
    v.chain = whole.chain;
    value_release(whole);
    return v;
}
