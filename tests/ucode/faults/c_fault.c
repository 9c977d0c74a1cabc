#include <luna.h>

void
c_fault(int which, const luna_df *x, luna_df *y)
{
    switch (which) {
    case 1: luna_get_int(x); break;
    case 2: luna_get_string(x); break;
    case 3: luna_data(x); break;
    case 4: luna_size(y); break;
    case 5: luna_fail("value %g is too small", luna_get_real(x));
    }
    luna_set_int(y, 1);
}
