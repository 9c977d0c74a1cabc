#include <luna.h>

#include <stdio.h>
#include <string.h>

void
c_make(luna_df *i, luna_df *r, luna_df *s, luna_df *b)
{
    luna_set_int(i, -40);
    luna_set_real(r, -0.75);
    luna_set_string(s, "from C");
    int *to = luna_create(b, 4 * sizeof *to);
    for (int k = 0; k < 4; k++) to[k] = k * k;
}

void
c_get(const luna_df *i, const luna_df *r, const luna_df *s, const luna_df *b)
{
    printf("C get: %d %g %s %d %zu\n", luna_get_int(i), luna_get_real(r), luna_get_string(s),
           *(const unsigned char *)luna_data(b), luna_size(b));
    printf("C types: %d %d %d %d\n", luna_type(i) == LUNA_DF_INT, luna_type(r) == LUNA_DF_REAL,
           luna_type(s) == LUNA_DF_STRING, luna_type(b) == LUNA_DF_VALUE);
}

void
c_share(const luna_df *b, luna_df *x)
{
    luna_copy(x, b);
    printf("C shared: %d %s\n", luna_data(x) == luna_data(b), luna_name(b));
}

/* The second part of luna.h, with values of one's own. */
void
c_more(const luna_df *i, const luna_df *r, const luna_df *s)
{
    struct {
        unsigned long long words[LUNA_DF_WORDS];
    } own = {{0}}, copy = {{0}};
    luna_df *v = (luna_df *)&own, *w = (luna_df *)&copy;
    char text[40], packed[100];
    luna_combine(v, LUNA_OP_MUL, i, r);
    luna_describe(v, text, sizeof text);
    printf("C combine: %s %d %g\n", text, luna_cast_int(v), luna_cast_real(i));
    luna_cast_text(r, text, sizeof text);
    luna_set_text(v, "a\0b", 3);
    size_t three = luna_size(v);
    luna_set_name(v, "own");
    int named = !strcmp(luna_name(v), "own");
    luna_release(v);
    printf("C text: %s, %zu bytes, %d, %d\n", text, three, named, luna_type(v));
    luna_copy(v, s);
    size_t size = luna_pack(v, packed, sizeof packed);
    int good = size == luna_pack_size(v) && size == luna_unpack(w, packed, size);
    printf("C packed: %d %s\n", good, luna_get_string(w));
    short *items = luna_create_of(v, 3, sizeof *items);
    items[0] = items[1] = items[2] = 7;
    printf("C items: %zu %d %d\n", luna_data_size(v), ((short *)luna_data_of(v, sizeof *items))[2],
           memcmp(luna_bytes(v), items, 6));
    luna_fini(v);
    luna_fini(w);
}
