/* resolve.c - being written. */
#include "lang/resolve.h"
