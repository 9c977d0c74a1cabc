/* sanitizer.h - the runtime of a sanitizer, if the process was started with one (luna run
 * --sanitize): functions of the program are compiled for it, luna itself is not.
 *
 * So luna tells it which bytes are nobody's: those around and behind a value. */
#ifndef LUNA_BASE_SANITIZER_H
#define LUNA_BASE_SANITIZER_H

#include <stdbool.h>
#include <stddef.h>

/* Is there one, and luna is not compiled for it itself? Looked for once, before threads start. */
bool sanitizer_here(void);
/* Called when it has reported an error and is about to end the process. */
void sanitizer_on_death(void (*fn)(void));
/* From now on nobody must touch these bytes, memcpy and the like included; or everybody may. */
void sanitizer_forbid(const void *p, size_t n);
void sanitizer_allow(const void *p, size_t n);

#endif
