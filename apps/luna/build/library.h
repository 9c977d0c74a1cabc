/* library.h - the libraries of a program: #link, --link, and what is said of one that is missing.
 *
 * #link "openblas" adds -lopenblas; with a folder, also where the linker and the run look for it;
 * #link pkg-config "hdf5" adds what that package says, headers included. Texts of programs can name
 * libraries and folders, and no other flags. */
#ifndef LUNA_APPS_LIBRARY_H
#define LUNA_APPS_LIBRARY_H

#include "apps/luna/build/units.h"

/* Adds to the flags of compilers and linker, before the first of them runs; `inputs` gets the files
 * that packages are read from. Missing folders and packages are reported (CC4). Gives an exit code
 * when pkg-config cannot be used, or 0. */
int library_add(struct units *u, struct buf *inputs);
/* Reports each library that the linker did not find, by its log. False: there was none. */
bool library_report(struct units *u, const char *log);

#endif
