/* source.c - being written. */
#include "lang/source.h"
