#!/bin/sh
# gen_lines.sh [N] - prints a valid program of about N lines (15000): subs of 30 lines each, called
# by main, with every kind of statement. Its functions are in tasks.d/lines.c; each sub's answer is
# checked.
awk -v lines="${1:-15000}" '
function part(k) {
    print "sub part_" k "(int n, name res) {"
    print "    df a, b, c, q, w, d, e, stop, one;"
    print "    set(1, one);"
    print "    set(" k ", a[0]) @ { req_count a[0] = 1; };"
    print "    for i = 0..n - 1 {"
    print "        add(a[i], a[i], a[i + 1]) @ {"
    print "            req_count a[i + 1] = 1;"
    print "        };"
    print "        set(2 * i + 1, b[i]) @ { req_count b[i] = 1; };"
    print "    }"
    print "    set(0, c[0]);"
    print "    for i = 1..n"
    print "        cf sum[i]: add(c[i - 1], b[i - 1], c[i]);"
    print "    for i = 0..3 set(i * i % 7, q[i]);"
    print "    if n > 3 {"
    print "        add(a[n], c[n], d);"
    print "    }"
    print "    if n <= 3 set(0, d);"
    print "    set(0, w[0]);"
    print "    while w[i] < 3, i = 0..out stop"
    print "        add(w[i], one, w[i + 1]);"
    print "    add(d, stop, e[0]) --> (d);"
    print "    add(e[0], q[2], e[1]);"
    print "    add(e[1], one, e[2]);"
    print "    add(e[2], one, e[3]);"
    print "    let next = e[4] {"
    print "        add(e[3], one, next);"
    print "    }"
    print "    add(e[4], one, res);"
    print "}"
}
BEGIN {
    print "// Made by gen_lines.sh: " lines " lines."
    print "import set(int, name) as set;"
    print "import add(value, value, name) as add;"
    print "import expect(value, int, int) as expect;"
    parts = int((lines - 8) / 32)
    for (k = 0; k < parts; k++) part(k)
    print "sub main() {"
    print "    df r;"
    for (k = 0; k < parts; k++) {
        print "    part_" k "(4, r[" k "]);"
        print "    expect(r[" k "], " k ", " 16 * k + 16 + 3 + 4 + 4 ");"
    }
    print "}"
}'
