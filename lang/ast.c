/* ast.c - being written. */
#include "lang/ast.h"
