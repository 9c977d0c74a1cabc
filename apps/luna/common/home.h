/* home.h - the folder luna was installed in or built in: what belongs to the command lies there.
 *
 *     HOME/include/luna     headers for ucodes and emitted C
 *     HOME/lib/luna         the stub, the guard, the transport over MPI, what luna perf starts
 *     HOME/share/luna       what #include <luna/...> finds, and its functions
 */
#ifndef LUNA_APPS_HOME_H
#define LUNA_APPS_HOME_H

#include "runtime/base/arena.h"

/* NULL: there is no include/luna beside this program, and said so. */
const char *home_find(struct arena *a);
/* HOME/share; NULL, and nothing said, without a home. */
const char *home_share(struct arena *a);

#endif
