/* writers.h - who assigns a declaration, as the tables of the program tell it: nothing is kept for
 * this while a program runs. For reports of a value that is not what its reader expects. */
#ifndef LUNA_RUNTIME_WRITERS_H
#define LUNA_RUNTIME_WRITERS_H

#include "runtime/program.h"

/* Notes for the message at hand (fault.h): the statements that may assign fragments of `df`. */
void writers_note(const struct luna_program *p, uint32_t df);

#endif
