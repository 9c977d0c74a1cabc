/* json.h - JSON text, written into a buf.
 *
 *     struct json j = {.to = &text};
 *     json_open(&j, '{');
 *     json_key_text(&j, "name", name);
 *     json_key_open(&j, "loads", '[');
 *     for (..) json_line(&j, 2), json_float(&j, 17, load[i]);
 *     json_close(&j, ']');
 *     json_close(&j, '}');
 *
 * Commas and colons come by themselves. The text is always valid UTF-8 and valid JSON: bytes of a
 * name that are no UTF-8 become U+FFFD, numbers that are not finite become null. Whether memory was
 * there is told by the buf. */
#ifndef LUNA_BASE_JSON_H
#define LUNA_BASE_JSON_H

#include "buf.h"

#include <stdint.h>

struct json {
    struct buf *to;
    bool comma;    /* something stands in front of the next item, on its level */
    unsigned line; /* 0, or the next item begins a line, behind one blank less than this */
};

void json_open(struct json *j, char bracket);  /* { or [ */
void json_close(struct json *j, char bracket); /* } or ] */
void json_key(struct json *j, const char *name);
void json_line(struct json *j, unsigned blanks); /* the next item begins a line */

void json_text(struct json *j, const char *text); /* NULL: null */
void json_uint(struct json *j, uint64_t x);
void json_int(struct json *j, int64_t x);
void json_float(struct json *j, int digits, double x); /* as %.*g */
void json_seconds(struct json *j, double x);           /* to the nanosecond */

/* A key and its value. */
void json_key_open(struct json *j, const char *name, char bracket);
void json_key_text(struct json *j, const char *name, const char *text);
void json_key_uint(struct json *j, const char *name, uint64_t x);
void json_key_float(struct json *j, const char *name, int digits, double x);
void json_key_seconds(struct json *j, const char *name, double x);

#endif
