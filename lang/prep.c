/* prep.c - being written. */
#include "lang/prep.h"
