/* test_golden.c - what the compiler says, word for word.
 *
 * diag/NAME.fa is compiled; the reports must be the text in NAME.expect and, where there is a
 * NAME.json, that JSON. A first line `// -D KEY=VAL` defines a macro. Names that begin with `quiet`
 * are programs about which there is nothing to say. Every code of diag.def that the compiler itself
 * can make must appear in some .expect.
 *
 *     test_golden [NAME...]      compare all, or these
 *     test_golden --update       write .expect and .json anew; read the difference before
 *                                a commit
 */
#include "lang/lang.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CODES = 0
#define DIAG_CODE(id, code, meaning) + 1
#include "lang/report/diag.def"
#undef DIAG_CODE
};

/* Those the command makes, which knows the C compiler's findings. */
static const char *const commands_codes[] = {"SYN10", "SYN12", "SYN13", "SYN14",
                                             "SEM13.1", "SEM13.2", "CC1", "CC2", "CC3.1",
                                             "CC3.2", "CC4",  "CC5", "MEM1"};

static bool update, seen[CODES];
static int passed, failed;

static char *
read_file(const char *path)
{
    FILE *in = fopen(path, "rb");
    if (!in) return NULL;
    struct buf b = {0};
    char piece[4096];
    for (size_t n; (n = fread(piece, 1, sizeof piece, in)) > 0;) buf_add(&b, piece, n);
    fclose(in);
    buf_str(&b, "");
    return b.data;
}

static void
write_file(const char *path, const char *text)
{
    FILE *out = fopen(path, "wb");
    if (!out || fputs(text, out) < 0 || fclose(out)) {
        perror(path);
        exit(1);
    }
}

static bool
same_or_update(const char *path, const char *have)
{
    char *want = read_file(path);
    bool same = want && !strcmp(want, have);
    if (!same && update) {
        write_file(path, have);
        printf("wrote %s\n", path);
        same = true;
    } else if (!same) {
        printf("%s differs\n--- have\n%s--- want\n%s", path, have, want ? want : "(no file)\n");
    }
    free(want);
    return same;
}

static void
note_codes(const char *text)
{
    for (int i = 0; i < CODES; i++) {
        char mark[32];
        snprintf(mark, sizeof mark, "[%s]:", diag_code_text((enum diag_code)i));
        if (strstr(text, mark)) seen[i] = true;
    }
}

/* The macro of the first line, or NULL. */
static char *
first_line_macro(const char *fa)
{
    char *text = read_file(fa);
    if (text && !strncmp(text, "// -D ", 6)) {
        text[strcspn(text, "\n")] = 0;
        memmove(text, text + 6, strlen(text + 6) + 1);
        return text;
    }
    free(text);
    return NULL;
}

/* `name` without .fa; we are in diag/. */
static void
run_case(const char *name)
{
    char fa[300], expect[300], json[300];
    snprintf(fa, sizeof fa, "%s.fa", name);
    snprintf(expect, sizeof expect, "%s.expect", name);
    snprintf(json, sizeof json, "%s.json", name);
    char *macro = first_line_macro(fa);
    struct lang l;
    struct lang_options o = {.file = fa};
    o.prep.defines = (const char *const *)&macro;
    o.prep.ndefines = macro != NULL;
    struct buf text = {0}, as_json = {0};
    bool ok = lang_compile(&l, &o);
    diag_print_text(l.diag, &text);
    diag_print_json(l.diag, &as_json);
    buf_str(&text, "");
    buf_str(&as_json, "");
    note_codes(text.data);
    if (!strncmp(name, "quiet", 5) && text.size) {
        printf("%s.fa: nothing should be said\n%s", name, text.data);
        ok = false;
    }
    ok &= same_or_update(expect, text.data);
    if (!access(json, F_OK)) ok &= same_or_update(json, as_json.data);
    if (!ok) printf("FAILED %s\n", name);
    ok ? passed++ : failed++;
    lang_fini(&l);
    buf_fini(&text);
    buf_fini(&as_json);
    free(macro);
}

static int
is_program(const struct dirent *e)
{
    size_t n = strlen(e->d_name);
    return n > 3 && !strcmp(e->d_name + n - 3, ".fa");
}

static void
run_all(void)
{
    struct dirent **list;
    int n = scandir(".", &list, is_program, alphasort);
    for (int i = 0; i < n; i++) {
        list[i]->d_name[strlen(list[i]->d_name) - 3] = 0;
        run_case(list[i]->d_name);
        free(list[i]);
    }
    if (n >= 0) free(list);
}

static bool
is_commands(const char *code)
{
    for (size_t i = 0; i < sizeof commands_codes / sizeof *commands_codes; i++) {
        if (!strcmp(commands_codes[i], code)) return true;
    }
    return false;
}

static void
check_codes(void)
{
    int missing = 0;
    for (int i = 0; i < CODES; i++) {
        const char *code = diag_code_text((enum diag_code)i);
        if (seen[i] || is_commands(code)) continue;
        printf("no .expect has code %s: %s\n", code,
               diag_code_meaning((enum diag_code)i));
        missing++;
    }
    if (missing) printf("FAILED every_code_has_a_case\n");
    missing ? failed++ : passed++;
}

int
main(int argc, char **argv)
{
    if (chdir(TEST_DIR "/diag")) {
        perror(TEST_DIR "/diag");
        return 1;
    }
    int first = 1;
    if (argc > 1 && !strcmp(argv[1], "--update")) {
        update = true;
        first++;
    }
    for (int i = first; i < argc; i++) run_case(argv[i]);
    if (first == argc) {
        run_all();
        check_codes();
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed;
}
