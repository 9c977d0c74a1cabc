/* home.c - see home.h. */
#include "apps/luna/common/home.h"

#include "apps/luna/common/files.h"
#include "apps/luna/common/path.h"
#include "apps/luna/common/say.h"

static const char *
look(struct arena *a, const char *dir)
{
    const char *const homes[] = {dir, path_dir(a, dir)}; /* build/luna; bin/luna */
    for (int i = 0; i < 2; i++)
        if (file_is_there(path_join(a, homes[i], "include/luna/luna.h"))) return homes[i];
    return NULL;
}

static const char *
folder_of_self(struct arena *a)
{
    return path_dir(a, path_real(a, "/proc/self/exe"));
}

const char *
home_share(struct arena *a)
{
    const char *home = look(a, folder_of_self(a));
    return home ? path_join(a, home, "share") : NULL;
}

const char *
home_find(struct arena *a)
{
    const char *dir = folder_of_self(a), *home = look(a, dir);
    if (home) return home;
    say_error("luna.h was not found beside '%s'", dir);
    say_hint("luna was moved by itself; install it with 'cmake --install build --prefix DIR'");
    return NULL;
}
