/* cmd_dump.c - luna dump: what a pass of the compiler produced, on stdout. */
#include "apps/luna/build/compile.h"
#include "apps/luna/cmd.h"
#include "apps/luna/common/say.h"
#include "runtime/base/io.h"
#include "runtime/base/near.h"

#include <string.h>

static int
no_pass(const struct options *o)
{
    struct near near = {.word = o->pass ? o->pass : ""};
    struct buf names = {0};
    const char *name;
    for (int i = 0; (name = lang_pass_name(i)); i++) {
        near_try(&near, name);
        buf_printf(&names, "%s%s", i ? ", " : "", name);
    }
    if (o->pass) say_error("no pass is called '%s'", o->pass);
    else say_error("which pass? --pass=NAME is needed");
    if (o->pass && near.best) say_hint("did you mean '%s'?", near.best);
    else say_hint("the passes are %s", names.data);
    buf_fini(&names);
    return EXIT_USAGE;
}

static bool
is_pass(const char *pass)
{
    const char *name;
    for (int i = 0; pass && (name = lang_pass_name(i)); i++)
        if (!strcmp(name, pass)) return true;
    return false;
}

/* Faults found up to the pass are told too; what could be dumped is. */
static int
finish(struct lang *l, const struct buf *dump)
{
    struct buf text = {0};
    int code = diag_errors(l->diag) ? EXIT_PROGRAM : EXIT_DONE;
    io_print(dump->data, dump->size);
    if (code) diag_print_text(l->diag, &text);
    fwrite(text.data ? text.data : "", 1, text.size, stderr);
    buf_fini(&text);
    return code;
}

int
cmd_dump(struct options *o)
{
    if (!is_pass(o->pass)) return no_pass(o);
    struct lang l = {0};
    struct buf dump = {0};
    struct lang_options lo = compile_lang_options(o);
    lo.dump = o->pass;
    lo.dump_out = &dump;
    int code = EXIT_SYSTEM;
    if (lang_compile(&l, &lo)) code = finish(&l, &dump);
    else say_error("out of memory while compiling '%s'", o->file);
    lang_fini(&l);
    buf_fini(&dump);
    return code;
}
