/* link.h - objects to one object that can be loaded; what is missing or doubled is told in the
 * words of the program (SYN10, SYN13, SYN14), not of the linker. */
#ifndef LUNA_APPS_LINK_H
#define LUNA_APPS_LINK_H

#include "apps/luna/build/units.h"

/* Decides which .c files take part: those that define what is still needed. */
void link_choose(struct units *u);
/* Reports what two files define. */
void link_check_doubles(struct units *u);
/* Reports those that call MPI; false: none does. Such a program is not linked. */
bool link_refuse_mpi(struct units *u);
/* Reports data that ucodes can change (SEM13). */
void link_check_globals(struct units *u);
/* Links to `out`; gives an exit code or 0. Missing functions are reported. */
int link_program(struct units *u, const char *out);

#endif
