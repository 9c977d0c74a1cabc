/* json.c - see json.h. */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* How many bytes of `p` are one character of UTF-8; 0: they are none. It ends in a 0 byte, which
 * continues no character: what lies behind it is not read. */
static size_t
character(const unsigned char *p)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (*p < 0x80) return 1;
    if (*p < 0xc2 || *p > 0xf4) return 0;
    size_t n = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;
    uint32_t c = *p & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (p[i] & 0x3f);
    }
    bool surrogate = c >= 0xd800 && c < 0xe000;
    return c >= least[n] && c <= 0x10ffff && !surrogate ? n : 0;
}

static void
put_text(struct buf *b, const char *text)
{
    buf_char(b, '"');
    for (size_t n; *text; text += n ? n : 1) {
        unsigned char c = (unsigned char)*text;
        n = character((const unsigned char *)text);
        if (!n) buf_str(b, "\\ufffd");
        else if (c == '"' || c == '\\') buf_printf(b, "\\%c", c);
        else if (c == '\n') buf_str(b, "\\n");
        else if (c < ' ' || c == 0x7f) buf_printf(b, "\\u%04x", c);
        else buf_add(b, text, n);
    }
    buf_char(b, '"');
}

/* What stands between this item and the one before. */
static void
begin(struct json *j)
{
    if (j->comma) buf_char(j->to, ',');
    if (j->line) buf_printf(j->to, "\n%*s", (int)j->line - 1, "");
    j->comma = true;
    j->line = 0;
}

void
json_open(struct json *j, char bracket)
{
    begin(j);
    buf_char(j->to, bracket);
    j->comma = false;
}

void
json_close(struct json *j, char bracket)
{
    buf_char(j->to, bracket);
    j->comma = true;
    j->line = 0;
}

void
json_key(struct json *j, const char *name)
{
    begin(j);
    put_text(j->to, name);
    buf_char(j->to, ':');
    j->comma = false;
}

void
json_line(struct json *j, unsigned blanks)
{
    j->line = blanks + 1;
}

void
json_text(struct json *j, const char *text)
{
    begin(j);
    if (text) put_text(j->to, text);
    else buf_str(j->to, "null");
}

void
json_uint(struct json *j, uint64_t x)
{
    begin(j);
    buf_printf(j->to, "%" PRIu64, x);
}

void
json_float(struct json *j, int digits, double x)
{
    begin(j);
    if (isfinite(x)) buf_printf(j->to, "%.*g", digits, x);
    else buf_str(j->to, "null");
}

void
json_seconds(struct json *j, double x)
{
    begin(j);
    if (isfinite(x)) buf_printf(j->to, "%.9f", x);
    else buf_str(j->to, "null");
}
