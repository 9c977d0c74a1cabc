/* exit.c - see exit.h. */
#include "exit.h"

#include <errno.h>

/* Whoever names another path, or is another user, may have it. */
enum exit_code
exit_unwritten(int e)
{
    switch (e) {
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case EEXIST:
    case EACCES:
    case EPERM:
    case EROFS:
    case ENAMETOOLONG:
    case ELOOP:
    case ETXTBSY: return EXIT_USAGE;
    default: return EXIT_SYSTEM;
    }
}
