/* ctext.c - see ctext.h. */
#include "apps/luna/build/ctext.h"

#include <ctype.h>
#include <string.h>

static const char *
behind_line(const char *p)
{
    for (; *p && *p != '\n'; p++)
        if (*p == '\\' && p[1]) p++;
    return p;
}

static bool
begins_line(const char *start, const char *p)
{
    while (p > start && (p[-1] == ' ' || p[-1] == '\t')) p--;
    return p == start || p[-1] == '\n';
}

bool
ctext_is_comment(const char *p)
{
    return *p == '/' && (p[1] == '/' || p[1] == '*');
}

const char *
ctext_comment(const char *p)
{
    if (p[1] == '/') return behind_line(p);
    const char *end = strstr(p + 2, "*/");
    return end ? end + 2 : p + strlen(p);
}

const char *
ctext_literal(const char *p)
{
    char quote = *p++;
    for (; *p && *p != '\n' && *p != quote; p++)
        if (*p == '\\' && p[1]) p++;
    return p + (*p == quote);
}

const char *
ctext_token(const char *start, const char *at)
{
    for (;;) {
        if (isspace((unsigned char)*at)) at++;
        else if (ctext_is_comment(at)) at = ctext_comment(at);
        else if (*at == '#' && begins_line(start, at)) at = behind_line(at);
        else return at;
    }
}

struct word
ctext_word(const char *p)
{
    struct word w = {.text = p};
    while (isalnum((unsigned char)p[w.size]) || p[w.size] == '_') w.size++;
    return w;
}

bool
word_is(struct word w, const char *text)
{
    return w.size == strlen(text) && !memcmp(w.text, text, w.size);
}
