/* check.c - being written. */
#include "lang/check.h"
