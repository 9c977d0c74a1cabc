#include <luna.h>
#include <stdio.h>
#include <string.h>

void
c_make(int k, luna_df *i, luna_df *r, luna_df *s, luna_df *b)
{
    luna_set_int(i, k);
    luna_set_real(r, k + 0.5);
    luna_set_string(s, "from C");
    memset(luna_create(b, 100), k, 100);
}

void
c_show(const luna_df *i, const luna_df *r, const luna_df *s, const luna_df *b)
{
    const char *bytes = luna_data(b);
    printf("C: %d, %g, '%s', %zu bytes of %d\n", luna_get_int(i), luna_get_real(r),
           luna_get_string(s), luna_size(b), bytes[luna_size(b) - 1]);
}

void
c_share(const luna_df *b, luna_df *shared)
{
    luna_copy(shared, b);
}

void
c_args(int i, double r, const char *s)
{
    printf("C: %d, %g, '%s'\n", i, r, s);
}
