# verdict.awk - which rows are slower? -v limit=PERCENT; lines of NAME, SIDE and FIGURE with tabs
# between; SIDE is `old`, `new`, or `again`, the old one once more. Ends with 1 if a row is slower.
#
# Medians of a few runs on a shared machine lie 30 % apart for no reason, minima less, but a minimum
# is one run. So both must say the same, and say more than two series of the old one say of
# themselves.
BEGIN { FS = "\t" }

!($1 in place) { place[$1] = ++rows; name[rows] = $1 }
{ v[$1, $2, ++n[$1, $2]] = $3 + 0 }

function sort_side(r, side,    i, j, t) {
    for (i = 2; i <= n[r, side]; i++) {
        t = v[r, side, i]
        for (j = i - 1; j > 0 && v[r, side, j] > t; j--) v[r, side, j + 1] = v[r, side, j]
        v[r, side, j + 1] = t
    }
}

function median(r, side,    k) {
    k = n[r, side]
    return (v[r, side, int((k + 1) / 2)] + v[r, side, int(k / 2) + 1]) / 2
}

function by(a, b) { return b > 0 ? a / b : a > 0 ? 1e9 : 1 }
function apart(a, b) { return by(a > b ? a : b, a > b ? b : a) }

# Beyond the limit, and beyond what the old one shows against itself: by median and by minimum.
function beyond(medians, minima, self_medians, self_minima) {
    return medians > most && minima > most && medians > self_medians && minima > self_minima
}

function judge(r,    m0, m1, m2, l0, l1, l2, medians, minima, word) {
    m0 = median(r, "old"); m1 = median(r, "new"); m2 = median(r, "again")
    l0 = v[r, "old", 1]; l1 = v[r, "new", 1]; l2 = v[r, "again", 1]
    medians = by(m1, (m0 + m2) / 2)
    minima = by(l1, (l0 + l2) / 2)
    word = ""
    if (beyond(medians, minima, apart(m0, m2), apart(l0, l2))) word = "slower"
    if (beyond(by(1, medians), by(1, minima), apart(m0, m2), apart(l0, l2))) word = "faster"
    printf "%-24s %11.5g %11.5g %8.3f %8.3f    %5.3f %5.3f  %s\n", r, (m0 + m2) / 2, m1, medians,
        minima, apart(m0, m2), apart(l0, l2), word
    return word == "slower"
}

END {
    most = 1 + limit / 100
    printf "%-24s %11s %11s %8s %8s  %12s\n", "", "old", "new", "medians", "minima", "old by old"
    for (k = 1; k <= rows; k++) {
        split("old new again", sides, " ")
        for (s in sides) sort_side(name[k], sides[s])
        slower += judge(name[k])
    }
    printf "%d of %d rows slower by more than %g %%\n", slower, rows, limit
    exit slower > 0
}
