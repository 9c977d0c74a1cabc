/* shape.h - where the fragment that a site touches is within the shape of its DF. */
#ifndef LUNA_LANG_PROVE_SHAPE_H
#define LUNA_LANG_PROVE_SHAPE_H

#include "lang/prove/access.h"

struct within {
    const struct where *inside, *beyond;
    bool open; /* it may be read beyond it, and is no fragment there */
};
/* Of what the site at hand touches, `declared` in the sub that is looked at. False: it has no
 * shape. */
bool shape_look(struct walk *w, const struct bound *declared, struct within *out);

#endif
