#include <luna.h>

void
f_add(int left, int right, luna_df *sum)
{
    luna_set_int(sum, left + right);
}
