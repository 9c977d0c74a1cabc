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

bool
colour_turn(bool wanted)
{
    bool was = on;
    on = wanted;
    return was;
}

/* What begins one ends with an m. */
void
colour_take_away(char *text)
{
    char *to = text;
    for (const char *p = text; *p; p++)
        if (*p != '\033') *to++ = *p;
        else p += strcspn(p, "m") - !strchr(p, 'm');
    *to = 0;
}

const char *
colour(enum colour c)
{
    static const char *const codes[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;32m",
                                        "\033[0m"};
    return on ? codes[c] : "";
}
