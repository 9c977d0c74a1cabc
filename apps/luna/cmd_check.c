/* cmd_check.c - luna check: all diagnostics, nothing is run. Arguments of main, if there are any,
 * make certain what depends on them. */
#include "apps/luna/build/compile.h"
#include "apps/luna/cmd.h"
#include "apps/luna/common/say.h"
#include "apps/luna/trace/sizes.h"
#include "lang/plan/plan.h"
#include "runtime/base/whole.h"

#include <math.h>
#include <stdlib.h>

static bool
is_real(const char *word)
{
    char *end;
    double v = strtod(word, &end);
    return end != word && !*end && isfinite(v);
}

/* As a run would. */
static int
check_args(const struct options *o, const struct sub *main)
{
    const struct symbol *p = main->params;
    int i = 0;
    if (o->argc && o->argc < main->nparams) {
        say_error("%d argument%s of main given, %d needed", o->argc, o->argc == 1 ? "" : "s",
                  main->nparams);
        say_hint("without any, luna check asks what holds for all");
        return EXIT_USAGE;
    }
    for (; p && i < o->argc; p = p->next, i++) {
        int64_t v;
        bool wrong = (p->type == T_INT && !whole_int(o->argv[i], &v)) ||
                     (p->type == T_REAL && !is_real(o->argv[i]));
        if (!wrong) continue;
        say_error("argument %d of main, '%s', must be %s, not '%s'", i + 1, p->name.text,
                  p->type == T_INT ? "an int" : "a real number", o->argv[i]);
        return EXIT_USAGE;
    }
    if (i < o->argc) say_warning("'%s' is no argument of main", o->argv[i]);
    return 0;
}

int
cmd_check(struct options *o)
{
    struct compile c;
    if (o->memory && o->no_proof) {
        say_error("--memory counts on what --proof=off switches off");
        return EXIT_USAGE;
    }
    if (o->sizes && !o->memory) say_warning("--sizes is for --memory");
    o->size_of = sizes_mean;
    if (o->sizes && !(o->size_who = sizes_read(o->arena, o->sizes))) return EXIT_USAGE;
    int code = compile_check(&c, o);
    const struct plan *p = c.has_lang ? c.lang.plan : NULL;
    int wrong = p && o->argc ? check_args(o, p->subs.row[p->main].sub) : 0;
    compile_end(&c);
    return wrong ? wrong : code;
}
