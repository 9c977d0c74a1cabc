/* json.c - see json.h. */
#include "json.h"

#include "utf8.h"

#include <inttypes.h>
#include <math.h>

static void
put_character(struct buf *b, const char *bytes, size_t n, uint32_t c)
{
    if (c == '"' || c == '\\') buf_printf(b, "\\%c", (char)c);
    else if (c == '\n') buf_str(b, "\\n");
    else if (c < ' ' || c == 0x7f || c == UTF8_INVALID) buf_printf(b, "\\u%04x", (unsigned)c);
    else buf_add(b, bytes, n);
}

static void
put_text(struct buf *b, const char *text)
{
    uint32_t c;
    buf_char(b, '"');
    for (size_t n; *text; text += n) {
        n = utf8_take(text, UTF8_MAX, &c);
        put_character(b, text, n, c);
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
json_int(struct json *j, int64_t x)
{
    begin(j);
    buf_printf(j->to, "%" PRId64, x);
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

/* ---- a key and its value ---- */

void
json_key_open(struct json *j, const char *name, char bracket)
{
    json_key(j, name);
    json_open(j, bracket);
}

void
json_key_text(struct json *j, const char *name, const char *text)
{
    json_key(j, name);
    json_text(j, text);
}

void
json_key_uint(struct json *j, const char *name, uint64_t x)
{
    json_key(j, name);
    json_uint(j, x);
}

void
json_key_float(struct json *j, const char *name, int digits, double x)
{
    json_key(j, name);
    json_float(j, digits, x);
}

void
json_key_seconds(struct json *j, const char *name, double x)
{
    json_key(j, name);
    json_seconds(j, x);
}
