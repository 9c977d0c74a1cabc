/* main_args.c - the words behind the program's file, as parameters of main. */
#include "main_args.h"

#include "runtime/base/clean.h"
#include "runtime/base/exit.h"
#include "runtime/base/whole.h"
#include "runtime/fault/fault.h"
#include "runtime/table/eval.h"
#include "runtime/table/require.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
bad_argument(const struct luna_program *p, int i, const char *word, const char *wanted)
{
    const char *name = p->main_param_names[i]; /* "" if main is imported */
    clean_print("luna: error[RUN11]: argument %d of main%s%s%s must be %s, not '%s'\n", i + 1,
                *name ? ", '" : "", name, *name ? "'," : "", wanted, word);
    return false;
}

static bool
parse_real(const char *word, luna_word *out)
{
    char *end;
    out->d = strtod(word, &end);
    return end != word && !*end && isfinite(out->d);
}

static bool
parse_argument(const struct luna_program *p, int i, const char *word, luna_word *out)
{
    double v;
    switch (p->main_params[i]) {
    case 'i':
        return whole_int(word, &out->i) ||
               bad_argument(p, i, word,
                            whole_number(word, &v) ? "an int, which has 32 bits" : "an int");
    case 'r': return parse_real(word, out) || bad_argument(p, i, word, "a real number");
    default:
        out->p = frame_box(value_of_string(word, strlen(word)));
        return out->p || bad_argument(p, i, word, "small enough for the memory there is");
    }
}

/* What main needs, for the message when words are missing: "main(int n, real eps)". */
static void
print_signature(const struct luna_program *p)
{
    fprintf(stderr, "main(");
    for (int i = 0; p->main_params[i]; i++) {
        char c = p->main_params[i];
        const char *name = p->main_param_names[i];
        fprintf(stderr, "%s%s%s%s", i ? ", " : "",
                c == 'i' ? "int" : c == 'r' ? "real" : "string", *name ? " " : "", name);
    }
    fprintf(stderr, ")\n");
}

/* A number may be negative. */
static bool
any_option(char **argv, int n)
{
    for (int i = 0; i < n; i++)
        if (argv[i][0] == '-' && (argv[i][1] == '-' || isalpha((unsigned char)argv[i][1])))
            return true;
    return false;
}

/* The original says nothing: it runs on. Options that stand too late are the commonest case. */
void
main_args_tell_surplus(const struct luna_program *p, int argc, char **argv)
{
    int wanted = (int)strlen(p->main_params);
    if (argc <= wanted) return;
    clean_print("luna: warning[RUN11]: '%s'%s is no argument of ", argv[wanted],
                argc > wanted + 1 ? " and what follows" : "");
    print_signature(p);
    if (any_option(argv + wanted, argc - wanted))
        fprintf(stderr, "hint: options of luna stand before the arguments of main\n");
}

static bool
fulfils(const struct luna_program *p, const struct luna_sub *sub, const struct frame *f)
{
    char call[REQUIRE_CALL];
    const struct luna_require *broken = require_broken(p, sub, f, sub->place);
    if (broken)
        clean_print("luna: error[RUN15]: '%s' does not fulfil what main requires: %s\n",
                    require_call(sub, f, call), broken->text);
    return !broken;
}

struct frame *
main_args_frame(const struct luna_program *p, int argc, char **argv)
{
    const struct luna_sub *sub = &p->subs[p->main];
    int wanted = (int)strlen(p->main_params);
    if (argc < wanted) {
        fprintf(stderr, "luna: error[RUN11]: %d argument%s of main given, %d needed: ", argc,
                argc == 1 ? "" : "s", wanted);
        print_signature(p);
        return NULL;
    }
    struct frame *f = frame_new(sub, p->main, 0);
    if (!f) fault_nomem();
    for (int i = 0; i < wanted; i++)
        if (!parse_argument(p, i, argv[i], &f->word[i])) {
            frame_free(f, sub);
            return NULL;
        }
    if (fulfils(p, sub, f)) return f;
    frame_free(f, sub);
    return NULL;
}

int
main_args_refuse(const struct luna_program *p, const struct run_options *o,
                 const struct frame *main)
{
    const struct luna_site here = {.place = p->subs[p->main].place};
    luna_env e = {.frame = main->word, .site = &here};
    for (uint32_t i = 0; i < p->nrefusals; i++) {
        if (!eval_int(p, &e, p->refusals[i].expr)) continue;
        if (!o->refused || !o->refused(o->refused_who))
            fprintf(stderr, "luna: %s\nhint: luna check with these arguments names the fragment\n",
                    p->refusals[i].text);
        return EXIT_PROGRAM;
    }
    return 0;
}

bool
main_args_are_small(const struct luna_program *p, int argc, char **argv)
{
    double v;
    for (int i = 0; p->main_params[i] && i < argc; i++)
        if (p->main_params[i] == 'i' && !(whole_number(argv[i], &v) && LUNA_SMALL(v))) return false;
    return true;
}
