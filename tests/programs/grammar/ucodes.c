#include <luna.h>
#include <stdio.h>

void
f_say(int k)
{
    printf("%d\n", k);
}

void
noas(int k)
{
    printf("%d\n", k);
}

void
f_seti(luna_df *v, int k)
{
    luna_set_int(v, k);
}

void
f_amper(const luna_df *v, luna_df *w)
{
    luna_copy(w, v);
}
