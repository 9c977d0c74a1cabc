/* lower.c - being written. */
#include "lang/lower.h"
