/* colour.c - the colours that compilers have. */
#include "colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool on;

static bool
is_wished(void)
{
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDERR_FILENO) && !(no && *no) && terminal && strcmp(terminal, "dumb");
}

bool
colour_choose(const char *word)
{
    bool always = !strcmp(word, "always"), wished = !strcmp(word, "auto");
    on = always || (wished && is_wished());
    return always || wished || !strcmp(word, "never");
}

const char *
colour(enum colour c)
{
    static const char *const codes[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;32m",
                                        "\033[0m"};
    return on ? codes[c] : "";
}
