/* ucodes.c - what the tests' programs call. */
#include "ucodes.h"

#include "runtime/ucode/df.h"
#include "runtime/ucode/luna.h"

#include <stdio.h>
#include <string.h>

static void
say(const luna_actual *a)
{
    printf("%d\n", a[0].i);
}

static void
sayr(const luna_actual *a)
{
    printf("%g\n", a[0].d);
}

static void
says(const luna_actual *a)
{
    printf("%s\n", a[0].s);
}

static void
sayv(const luna_actual *a)
{
    char text[128];
    luna_describe(a[0].in, text, sizeof text);
    printf("%s\n", text);
}

static void
nop(const luna_actual *a)
{
    (void)a;
}

static void
init(const luna_actual *a)
{
    luna_set_int(a[0].out, a[1].i);
}

static void
initr(const luna_actual *a)
{
    luna_set_real(a[0].out, a[1].d);
}

static void
inits(const luna_actual *a)
{
    luna_set_string(a[0].out, a[1].s);
}

static void
step(const luna_actual *a)
{
    luna_set_int(a[1].out, luna_get_int(a[0].in) + 1);
}

static void
sum(const luna_actual *a)
{
    luna_set_int(a[2].out, (luna_get_int(a[0].in) + luna_get_int(a[1].in)) & 0xffff);
}

static void
sum3(const luna_actual *a)
{
    luna_set_int(a[3].out,
                 (luna_get_int(a[0].in) + luna_get_int(a[1].in) + luna_get_int(a[2].in)) & 0xffff);
}

static void
bytes(const luna_actual *a)
{
    memset(luna_create(a[0].out, (size_t)a[1].i), 7, (size_t)a[1].i);
}

static void
size(const luna_actual *a)
{
    luna_set_int(a[1].out, (int)luna_size(a[0].in));
}

void
build_ucodes(struct build *b)
{
    build_function(b, "say", say, "i");
    build_function(b, "sayr", sayr, "r");
    build_function(b, "says", says, "s");
    build_function(b, "sayv", sayv, "v");
    build_function(b, "nop", nop, "i");
    build_function(b, "init", init, "ni");
    build_function(b, "initr", initr, "nr");
    build_function(b, "inits", inits, "ns");
    build_function(b, "step", step, "vn");
    build_function(b, "sum", sum, "vvn");
    build_function(b, "sum3", sum3, "vvvn");
    build_function(b, "bytes", bytes, "ni");
    build_function(b, "size", size, "vn");
    build_function(b, "unset", nop, "n");
}
