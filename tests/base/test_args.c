/* test_args.c - options in all their spellings; what is wrong with them; help. */
#include "runtime/base/args.h"
#include "tests/lib/check.h"

#include <stdlib.h>

enum { ME = 1, YOU = 2 };

static struct want {
    bool loud, far;
    int n, times, colour, answer;
    const char *to, *from;
} want;

static bool
take_times(struct args *a, const struct args_option *o, const char *value)
{
    if (*value) return args_int(a, o, value);
    *args_at(a, o, int) = -1;
    return true;
}

static const char *const colours[] = {"", "red", "green", NULL};
static const char *const ends[] = {"near", "far", NULL};

static const struct args_kind
    count = {.read = args_int, .flags = ARGS_VALUE | ARGS_DIGITS, .least = 1, .most = 99},
    word = {.read = args_word, .flags = ARGS_VALUE},
    times = {.read = take_times, .flags = ARGS_MAYBE | ARGS_DIGITS, .most = 9},
    colour = {.read = args_choice, .flags = ARGS_VALUE, .words = colours},
    end = {.read = args_either, .flags = ARGS_VALUE, .words = ends},
    answer = {.read = args_put, .least = 42},
    ignored = {.flags = ARGS_MAYBE | ARGS_APART};

#define AT(field) offsetof(struct want, field)
static const struct args_option table[] = {
    {"--loud", "-l", &args_flag, 0, AT(loud), "", "say more"},
    {"-n", NULL, &count, 0, AT(n), " N", "how many"},
    {"--count", NULL, &count, 0, AT(n), "=N", "the same"},
    {"-o", NULL, &word, YOU, AT(from), " YOURS", "for you"},
    {"-o", NULL, &word, ME, AT(to), " MINE", "for me:\nmore of it"},
    {"--to", NULL, &args_text, ME, AT(to), "=FILE", "where it goes"},
    {"--from", NULL, &word, YOU, AT(from), "=FILE", "where it comes from"},
    {"-t", NULL, &times, 0, AT(times), " [N]", "how often"},
    {"-c", NULL, &colour, 0, AT(colour), " red|green", "which"},
    {"--end", NULL, &end, 0, AT(far), "=near|far", "where"},
    {"--answer", NULL, &answer, 0, AT(answer), "", "what it is"},
    {"-u", NULL, &ignored, 0, 0, NULL, NULL},
    {"--old", NULL, &ignored, 0, 0, NULL, NULL},
};
enum { OPTIONS = sizeof table / sizeof *table, FROM = 6 };

static struct args args;

/* Reads words that spaces separate, as ME; those that are no options are passed over. */
static bool
reads(const char *line)
{
    static char text[200];
    static char *argv[20];
    int argc = 0;
    snprintf(text, sizeof text, "%s", line);
    for (char *w = strtok(text, " "); w; w = strtok(NULL, " ")) argv[argc++] = w;
    want = (struct want){.n = 0};
    args = (struct args){.options = table, .n = OPTIONS, .who = ME, .into = &want,
                         .argc = argc, .argv = argv};
    while (args.i < args.argc) {
        if (args.argv[args.i][0] != '-') args_next(&args);
        else if (!args_read(&args)) return false;
    }
    return true;
}

TEST(values_stand_where_they_may)
{
    CHECK(reads("--loud x -n 4 --to=a=b") && want.loud && want.n == 4, "%s", args.fault.text);
    CHECK_STR(want.to, "a=b");
    CHECK(reads("-l -n5 -t -c red") && want.loud && want.n == 5 && want.times == -1);
    CHECK(want.colour == 1 && !args.fault.text[0] && !args.fault.hint[0]);
    CHECK(reads("-t7 -cgreen --count=99 --end=far --answer") && want.times == 7 && want.n == 99);
    CHECK(want.colour == 2 && want.far && want.answer == 42);
    CHECK(reads("--end=near") && !want.far);
    CHECK(reads("--to=") && want.to && !*want.to, "it may be empty");
    CHECK(reads("-u --old --old=7 -t") && want.times == -1, "known, without effect");
    CHECK(reads("-o -n") && !want.from && want.n == 0, "the next word, whatever it is");
    CHECK_STR(want.to, "-n");
    CHECK(reads("-ox"));
    CHECK_STR(want.to, "x");
}

TEST(what_was_given_is_known)
{
    static const struct args_pair pairs[] = {{"-n", "--to", NULL}, {"--end", "--loud", "so it is"}};
    CHECK(reads("-n 4 -l") && args_given(&args, "-n") && !args_given(&args, "--to"));
    CHECK(args_given(&args, "--loud") && args_fit(&args, pairs, 2), "%s", args.fault.text);
    CHECK(reads("--to=x -n 4") && !args_fit(&args, pairs, 2));
    CHECK_STR(args.fault.text, "-n and --to exclude each other");
    CHECK(reads("--loud --end=far") && !args_fit(&args, pairs, 2));
    CHECK_STR(args.fault.text, "--end and --loud exclude each other: so it is");
}

TEST(what_is_wrong_is_told)
{
    static const char *const wrong[][3] = {
        {"--nix", "unknown option '--nix'", ""},
        {"--luod=7", "unknown option '--luod=7'", "did you mean '--loud'?"},
        {"-x", "unknown option '-x'", ""},
        {"-nx", "unknown option '-nx'", ""},
        {"-lx", "unknown option '-lx'", ""},
        {"-ux", "unknown option '-ux'", ""},
        {"--form=7", "unknown option '--form=7'", ""}, /* near to one of others */
        {"--loud=very", "--loud takes no value", ""},
        {"-n", "-n needs a value: -n N", ""},
        {"--count", "--count needs a value: --count=N", ""},
        {"--count=", "--count needs a value: --count=N", ""},
        {"--count 5", "--count needs a value: --count=N", ""},
        {"--to", "--to needs a value: --to=FILE", ""},
        {"-n 0", "-n needs a number from 1 to 99, not '0'", ""},
        {"-n 100", "-n needs a number from 1 to 99, not '100'", ""},
        {"-n -4", "-n needs a number from 1 to 99, not '-4'", ""},
        {"-n 99999999999999999999", "-n needs a number from 1 to 99, not '99999999999999999999'",
         ""},
        {"-c blue", "-c is red|green, not 'blue'", ""},
        {"--end=there", "--end is near|far, not 'there'", ""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(!reads(wrong[i][0]), "%s", wrong[i][0]);
        CHECK_STR(args.fault.text, wrong[i][1]);
        CHECK_STR(args.fault.hint, wrong[i][2]);
        CHECK(!args.fault.unknown == (strncmp(wrong[i][1], "unknown", 7) != 0));
    }
}

TEST(options_of_others_are_known_as_such)
{
    CHECK(!reads("--from=x") && args.fault.unknown && args.fault.others == &table[FROM]);
    CHECK_STR(args.fault.text, "unknown option '--from=x'");
    CHECK(!reads("--nix") && !args.fault.others);
}

TEST(endless_words_are_cut_between_characters)
{
    struct args a = {.options = table};
    CHECK(!args_wrong(&a, "%0700d", 1));
    CHECK(strlen(a.fault.text) < sizeof a.fault.text && strstr(a.fault.text, "000..."));
    args_hint(&a, "%*s\303\251%200s", (int)sizeof a.fault.hint - 5, "", "x");
    CHECK_STR(a.fault.hint + sizeof a.fault.hint - 8, "   ...");
}

TEST(help_tells_what_one_takes)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    args_help(f, table, OPTIONS, ME, 12);
    fclose(f);
    CHECK_STR(text, "  --loud, -l   say more\n"
                    "  -n N         how many\n"
                    "  --count=N    the same\n"
                    "  -o MINE      for me:\n"
                    "               more of it\n"
                    "  --to=FILE    where it goes\n"
                    "  -t [N]       how often\n"
                    "  -c red|green which\n"
                    "  --end=near|far\n"
                    "               where\n"
                    "  --answer     what it is\n");
    free(text);
}

TEST_MAIN(T(values_stand_where_they_may), T(what_was_given_is_known), T(what_is_wrong_is_told),
          T(options_of_others_are_known_as_such), T(endless_words_are_cut_between_characters),
          T(help_tells_what_one_takes))
