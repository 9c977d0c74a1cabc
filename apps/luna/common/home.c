/* home.c - see home.h. */
#include "apps/luna/common/home.h"

#include "apps/luna/common/files.h"
#include "apps/luna/common/say.h"

const char *
home_find(struct arena *a)
{
    const char *dir = path_dir(a, path_real(a, "/proc/self/exe"));
    const char *const homes[] = {dir, path_dir(a, dir)}; /* build/luna; bin/luna */
    for (int i = 0; i < 2; i++)
        if (file_is_there(path_join(a, homes[i], "include/luna/luna.h"))) return homes[i];
    say_error("luna.h was not found beside '%s'", dir);
    say_hint("luna was moved by itself; install it with 'cmake --install build --prefix DIR'");
    return NULL;
}
