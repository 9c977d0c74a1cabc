/* changes.h - where a text changes a variable: assigns it, or steps it by ++ or --.
 *
 * By the text alone, as functions.h reads it: good for what is told, not for decisions. What a
 * function does with the variable's address is not seen, so locks are none that change. */
#ifndef LUNA_APPS_CHANGES_H
#define LUNA_APPS_CHANGES_H

/* In a text of C or C++; NULL: nowhere. A parameter, or a local variable, of the same name is
 * another. */
const char *changes_find(const char *text, const char *name);

#endif
