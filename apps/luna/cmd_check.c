/* cmd_check.c - luna check: all diagnostics, nothing is run. */
#include "apps/luna/build/compile.h"
#include "apps/luna/cmd.h"

int
cmd_check(struct options *o)
{
    struct compile c;
    int code = compile_check(&c, o);
    compile_end(&c);
    return code;
}
