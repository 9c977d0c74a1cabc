/* colour.h - colours of messages on a terminal: off until colour_choose says otherwise. */
#ifndef LUNA_BASE_COLOUR_H
#define LUNA_BASE_COLOUR_H

#include <stdbool.h>

enum colour { COLOUR_ERROR, COLOUR_WARNING, COLOUR_NOTE, COLOUR_CARET, COLOUR_END };

/* `never`, `always`, or `auto`: if stderr is a terminal that has colours, and NO_COLOR is not set.
 * False: another word. */
bool colour_choose(const char *word);
/* Returns what it was. For a text that is kept, and may be shown anywhere: made with colours, it
 * loses them where none are wanted. */
bool colour_turn(bool on);
void colour_take_away(char *text);
/* What begins it, or ends it; "" when off. Signal handlers may ask. */
const char *colour(enum colour c);

#endif
