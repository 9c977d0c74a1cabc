/* numeric.c - see numeric.h. */
#include "numeric.h"

#include <pthread.h>

static locale_t plain; /* 0: there was no memory for it, and so it is as functions have it */

static void
make_plain(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t
numeric_begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_plain);
    return uselocale(plain); /* of 0: changes nothing */
}

void
numeric_end(locale_t theirs)
{
    uselocale(theirs);
}
