/* numeric.h - numbers are written and read with a point, whatever locale a function has set: values
 * must not hang on who runs when.
 *
 *     locale_t theirs = numeric_begin();
 *     snprintf(text, sizeof text, "%f", x);
 *     numeric_end(theirs); */
#ifndef LUNA_BASE_NUMERIC_H
#define LUNA_BASE_NUMERIC_H

#include <locale.h>

/* Of this thread alone. Who prints for luna only may leave out the end. */
locale_t numeric_begin(void);
void     numeric_end(locale_t theirs);

#endif
