/* batch.c - see batch.h. */
#include "batch.h"

#include "random_program.h"

#include "tests/lib/check.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BATCH = 50, FAILED_MOST = 20, WHOLE = 500 };

static char folder[] = "/tmp/luna-test-batch-XXXXXX";

void
batch_begin(struct batch_program *p, unsigned long seed)
{
    *p = (struct batch_program){.seed = seed};
    random_program(seed, &p->text);
}

static const char *
read_text(void *who, struct arena *a, const char *path, size_t *size)
{
    const struct buf *t = who;
    (void)a;
    if (strcmp(path, "r.fa")) return NULL;
    *size = t->size;
    return t->data;
}

bool
batch_compile(struct batch_program *p, bool proof)
{
    struct lang_options o = {
        .file = "r.fa", .no_proof = !proof, .prep = {.read = read_text, .read_who = &p->text}};
    return lang_compile(&p->lang, &o) && !diag_errors(p->lang.diag) && p->lang.c_text.size;
}

/* The names that emitted C gives at its outermost level: one file has many programs. */
static bool
is_outer(const char *word, size_t n)
{
    static const char *const words[] = {
        "subs",       "functions",    "dfs",   "sites",     "blocks", "exprs",    "terms",
        "refs",       "ins",          "args",  "posts",     "rules",  "locators", "labels",
        "pushes",     "nfargs",       "abouts", "captures", "places", "requires", "refusals",
        "placed_dfs", "placed_sites", "files", "main_names", "parts"};
    static const char *const numbered[] = {"x", "call_", "luna_u_"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == n && !strncmp(words[i], word, n)) return true;
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++) {
        size_t begin = strlen(numbered[i]), at = begin;
        if (n <= begin || strncmp(word, numbered[i], begin)) continue;
        while (at < n && isdigit((unsigned char)word[at])) at++;
        if (at == n) return true;
    }
    return n == strlen("luna_program") && !strncmp(word, "luna_program", n);
}

static void
add_program(FILE *f, const struct batch_program *p)
{
    const char *at = p->lang.c_text.data, *end = at + p->lang.c_text.size;
    while (at < end) {
        const char *word = at;
        while (at < end && (isalnum((unsigned char)*at) || *at == '_')) at++;
        size_t n = (size_t)(at - word);
        if (!n) {
            fputc(*at++, f);
            continue;
        }
        fwrite(word, 1, n, f);
        bool type = word - p->lang.c_text.data > 7 && !strncmp(word - 7, "struct ", 7);
        if (word > p->lang.c_text.data && word[-1] != '.' && !type && is_outer(word, n))
            fprintf(f, "_%lu", p->seed);
    }
}

/* An object with all that are compiled, luna_program_SEED each; NULL: it went wrong. */
static void *
link_all(const struct batch_program *p, int n)
{
    char path[100], command[1000];
    static int number;
    snprintf(path, sizeof path, "%s/all.c", folder);
    FILE *f = fopen(path, "w");
    if (!f) return NULL;
    for (int i = 0; i < n; i++)
        if (p[i].compiled) add_program(f, &p[i]);
    if (fclose(f)) return NULL;
    snprintf(command, sizeof command,
             "%s -std=gnu11 -O0 -w -fPIC -fwrapv -shared -I%s/../../runtime %s -o %s/all%d.so",
             getenv("CC") ? getenv("CC") : "cc", TEST_DIR, path, folder, ++number);
    if (system(command)) return NULL;
    snprintf(path, sizeof path, "%s/all%d.so", folder, number);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) fprintf(stderr, "%s\n", dlerror());
    unlink(path);
    return object;
}

void
batch_end(struct batch_program *p)
{
    lang_fini(&p->lang);
    buf_fini(&p->text);
}

static long
check_batch(const struct batch_test *t, unsigned long first, unsigned long last)
{
    static struct batch_program p[BATCH];
    int n = 0;
    long wrong = 0;
    for (unsigned long seed = first; seed <= last; seed++) t->make(&p[n++], seed);
    void *object = link_all(p, n);
    if (!object) wrong = 1;
    for (int i = 0; i < n; i++) {
        char name[40];
        snprintf(name, sizeof name, "luna_program_%lu", p[i].seed);
        const struct luna_program *compiled = object && p[i].compiled ? dlsym(object, name) : NULL;
        for (unsigned long k = 0; compiled && k < t->runs; k++) {
            unsigned long at = p[i].seed + 3 * k;
            int32_t args[2] = {(int32_t)(at % 9) - 2, (int32_t)(at * 5 % 7) - 1};
            wrong += !t->check(&p[i], compiled, args);
        }
        batch_end(&p[i]);
    }
    if (object) dlclose(object);
    return wrong;
}

long
batch_run(int argc, char **argv, const struct batch_test *t, bool *whole)
{
    const char *many = getenv("LUNA_SEEDS");
    unsigned long first = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    unsigned long last = argc > 2   ? strtoul(argv[2], NULL, 10)
                         : argc > 1 ? first
                         : many     ? strtoul(many, NULL, 10)
                                    : CHECK_CASES(t->cases);
    long wrong = 0;
    char command[100];
    *whole = last - first >= WHOLE - 1;
    if (!mkdtemp(folder)) return 1;
    for (unsigned long at = first; at <= last && wrong < FAILED_MOST; at += BATCH)
        wrong += check_batch(t, at, at + BATCH - 1 < last ? at + BATCH - 1 : last);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command)) wrong++;
    return wrong;
}
