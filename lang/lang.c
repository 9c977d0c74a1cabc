/* lang.c - being written. */
#include "lang/lang.h"
