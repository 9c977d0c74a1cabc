/* emit.c - being written. */
#include "lang/emit.h"
