/* crash_line.h - the line of C where a function of the program has failed. */
#ifndef LUNA_RUNTIME_CRASH_LINE_H
#define LUNA_RUNTIME_CRASH_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* FILE:LINE of the innermost frame that lies in the program's object, as debug information has it
 * and addr2line reads it; `at` is where the signal came from, NULL: unknown. False: there is no
 * such line. For handlers of signals: it allocates nothing. */
bool crash_line(const void *at, char *text, size_t size);
/* What it needs is loaded now, while that may be done. */
void crash_line_prepare(void);

#endif
