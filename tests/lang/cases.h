/* cases.h - a file of programs, each with what a pass makes of it.
 *
 *     === title
 *     the program
 *     ---
 *     the dump, then the reports
 *
 * With CASES_UPDATE set in the environment the file is written anew; read the difference then. */
#ifndef LUNA_TESTS_LANG_CASES_H
#define LUNA_TESTS_LANG_CASES_H

#include "tests/lang/parsed.h"

static inline void
cases_run(const char *path, parsed_fn *pass)
{
    struct buf file = {0}, now = {0};
    char piece[4096];
    FILE *in = fopen(path, "rb");
    CHECK(in, "%s", path);
    for (size_t n; (n = fread(piece, 1, sizeof piece, in)) > 0;) buf_add(&file, piece, n);
    fclose(in);
    int n = 0, bad = 0;
    char *at = file.data;
    while (at && !strncmp(at, "=== ", 4)) {
        char *program = strchr(at, '\n') + 1, *line = strstr(program, "\n---\n");
        CHECK(line, "a case without ---: %.40s", at);
        char *want = line + 5, *next = strstr(want - 1, "\n=== ");
        size_t want_size = next ? (size_t)(next + 1 - want) : strlen(want);
        struct buf out = {0};
        bool ok = parsed_told(program, line + 1 - program, pass, &out);
        if (!ok || out.size != want_size || memcmp(out.data, want, want_size)) {
            printf("%s: %.*s\n--- have\n%s--- want\n%.*s\n", path, (int)(program - at - 1), at,
                   out.data ? out.data : "", (int)want_size, want);
            bad++;
        }
        buf_add(&now, at, want - at);
        if (out.size) buf_add(&now, out.data, out.size);
        buf_fini(&out);
        n++;
        at = next ? next + 1 : NULL;
    }
    if (getenv("CASES_UPDATE") && (in = fopen(path, "wb"))) {
        fwrite(now.data, 1, now.size, in);
        fclose(in);
    }
    buf_fini(&file);
    buf_fini(&now);
    CHECK(n > 0 && !bad, "%d of %d cases differ", bad, n);
}

/* Each statement and each rule, and some faults. */
static const char program_of_everything[] =
    "#define N 4\n"
    "import init(int, name x) as init : CUDA, NOCPU;\n"
    "C++ head ${{ int a; $}}\n"
    "C sub say(value v, string s) ${{ }$}}\n"
    "sub <<rush, 1>> g(name v, real r, int k) {\n"
    "    df t;\n"
    "    cf l[k]: say(v[k], \"a\\n\" + k) >> (t) --> (v[0]) @ { request t; weight: 2; };\n"
    "} @ { nfparam n; locator_cyclic v[i] => i * n; locator_cyclic: k; stealable, foo; }\n"
    "sub main(int a, string s) {\n"
    "    df x, y, z;\n"
    "    for <<static>> i = 0 .. $N { init(i ? a : -2, x[i]) @ { req_count x[i] = 1; }; }\n"
    "    while x[i] > 1.5 && real(a) < 2, i = 0 .. out z let q = x[i], w = 2 {\n"
    "        g(q[1], w * 1.5, i) @ { nfparam n => i; }; }\n"
    "    if (a == 3) reduce + x[i] over i = 0 .. 3, j = 1..2 => y;\n"
    "    sayy(ghost, 1; say(undeclared, 3) say(z, \"\\q\");\n"
    "} @ { cells 4, a; cell x[i][j] => i, j; }\n";

#endif
