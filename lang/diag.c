/* diag.c - being written. */
#include "lang/diag.h"
