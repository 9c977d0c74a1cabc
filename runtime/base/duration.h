/* duration.h - times as users write them. */
#ifndef LUNA_BASE_DURATION_H
#define LUNA_BASE_DURATION_H

#include <stdint.h>

/* Nanoseconds of "300ns", "500us", "10ms" or "1s". 0: anything else, also no time at all, and more
 * than seven digits, which are a slip. */
uint64_t duration_ns(const char *text);

/* The same backwards, in the largest unit of which it is a whole number. Gives `text`. */
enum { DURATION_TEXT = 24 };
char *duration_text(uint64_t ns, char text[DURATION_TEXT]);

#endif
