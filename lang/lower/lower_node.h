/* lower_node.h - what lower_expr.c, which builds nodes and makes rows of them, wants of
 * lower_code.c, which prints them as C. */
#ifndef LUNA_LANG_LOWER_LOWER_NODE_H
#define LUNA_LANG_LOWER_LOWER_NODE_H

#include "lang/lower/lower_parts.h"
#include "lang/plan/node.h"

/* The C text of a node, into l->text: in its own C type
 * (int32_t, double, luna_value), or as a truth value. */
void node_put(struct lower *l, const struct expr_node *n);
void node_put_true(struct lower *l, const struct expr_node *n);

#endif
