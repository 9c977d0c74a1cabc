/* depth.h - how deep structured subs are nested: for reports of a run that may never end. */
#ifndef LUNA_RUNTIME_DEPTH_H
#define LUNA_RUNTIME_DEPTH_H

#include <stddef.h>

struct luna_sub;
struct nodes;

enum { DEPTH_TEXT = 120 };

/* "'f' is nested 5000 deep", of the deepest activation that this process has made, and its sub;
 * NULL and "": none that would be worth a word. For signal handlers, too. */
const struct luna_sub *depth_tell(const struct nodes *all, char text[DEPTH_TEXT]);

#endif
