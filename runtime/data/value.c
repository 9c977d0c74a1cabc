/* value.c - making values and looking at their bytes. */
#include "value.h"

#include <string.h>

luna_value
value_of_block(struct block *b, enum luna_type type)
{
    return (luna_value){.w.p = b, .type = (uint32_t)type};
}

luna_value
value_of_string(const char *text, size_t size)
{
    struct block *b = block_new(size + 1);
    if (!b) return value_unset();
    memcpy(b->data, text, size);
    b->data[size] = 0;
    return value_of_block(b, LUNA_STRING);
}

const void *
value_bytes(const luna_value *v, size_t *size)
{
    *size = value_size(*v);
    if (value_is_block(*v)) return value_block(*v)->data;
    return *size ? &v->w : NULL; /* little endian: the low half of the word */
}

const char *
value_type_text(uint32_t type)
{
    static const char *const text[] = {"unset", "int", "real", "string", "bytes", "name"};
    return type < sizeof text / sizeof *text ? text[type] : "unknown";
}
