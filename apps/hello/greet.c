/* greet.c - a ucode in C. */
#include <luna.h>
#include <stdio.h>

void
greet(const char *who, luna_df *length)
{
    luna_set_int(length, printf("hello, %s\n", who));
}
