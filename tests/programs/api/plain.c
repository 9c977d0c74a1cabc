/* Functions of plain types need no header, and no declaration. */
#include <stdio.h>

void
c_alone(int i, double r, const char *s)
{
    printf("C alone: %d %g %s\n", i, r, s);
}
