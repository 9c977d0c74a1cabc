/* out.c - growing text, and numbers and strings as C writes them. */
#include "lang/plan/out.h"

#include "runtime/base/vec.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
out_reserve(struct out *o, size_t more)
{
    vec_need_many(o->arena, o->text, o->size, more, o->room);
}

void
out_add(struct out *o, const char *bytes, size_t n)
{
    out_reserve(o, n);
    memcpy(o->text + o->size, bytes, n);
    o->size += n;
}

void
out_str(struct out *o, const char *s)
{
    out_add(o, s, strlen(s));
}

void
out_printf(struct out *o, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    out_reserve(o, (size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(o->text + o->size, (size_t)n + 1, fmt, ap);
    va_end(ap);
    o->size += (size_t)n;
}

void
out_literal(struct out *o, const char *bytes, size_t n)
{
    out_str(o, "\"");
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '"' || c == '\\' || c == '?') out_printf(o, "\\%c", c); /* ??= is a trigraph */
        else if (c == '\n') out_str(o, "\\n");
        else if (c < ' ' || c >= 127) out_printf(o, "\\%03o", c);
        else out_add(o, &bytes[i], 1);
    }
    out_str(o, "\"");
}

void
out_int(struct out *o, int value)
{
    if (value == INT_MIN) out_printf(o, "-%d - 1", INT_MAX);
    else out_printf(o, "%d", value);
}

void
out_real(struct out *o, double value)
{
    char text[40];
    if (isnan(value)) {
        out_str(o, signbit(value) ? "-__builtin_nan(\"\")" : "__builtin_nan(\"\")");
    } else if (isinf(value)) {
        out_str(o, value < 0 ? "-__builtin_inf()" : "__builtin_inf()");
    } else {
        /* The shortest form that reads back as the same number. */
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, sizeof text, "%.*g", digits, value);
            if (strtod(text, NULL) == value) break;
        }
        out_str(o, text);
        if (!strpbrk(text, ".e")) out_str(o, ".0");
    }
}
