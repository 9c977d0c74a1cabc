# size.awk - draws the output of size.sh as an SVG: seconds over the number of strips, a curve for one
# worker and one for two; both axes are logarithmic. awk -f size.awk size.txt >size.svg
function x(strips) { return 60 + 50 * log(strips) / log(2) }
function y(seconds) { return 280 - 240 * log(seconds / bottom) / log(top / bottom) }
function text(px, py, anchor, words) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", px, py, anchor, words
}
function curve(colour, name, seconds,    i) {
    printf "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour
    for (i = 1; i <= n; i++) printf "%s%.1f,%.1f", (i > 1 ? " " : ""), x(strips[i]), y(seconds[i])
    print "\"/>"
    printf "<g fill=\"%s\">", colour
    text(x(strips[n]) + 8, y(seconds[n]) + 4, "start", name)
    print "</g>"
}
BEGIN { bottom = 0.1; top = 2 }
/^#/ { next }
{ n++; strips[n] = $1; call[n] = $2; one[n] = $3; two[n] = $4 }
END {
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"680\" height=\"340\" viewBox=\"0 0 680 340\"" \
        " font-family=\"sans-serif\" font-size=\"12\">"
    print "<rect width=\"680\" height=\"340\" fill=\"white\"/>"
    for (s = 0.1; s < 2.1; s *= s < 0.15 || s > 0.45 ? 2 : 2.5) {
        printf "<path d=\"M60 %.1fH560\" stroke=\"#ddd\"/>\n", y(s)
        text(54, y(s) + 4, "end", s " s")
    }
    for (i = 1; i <= n; i++) {
        text(x(strips[i]), 298, "middle", strips[i])
        text(x(strips[i]), 314, "middle", call[i] < 10 ? call[i] : sprintf("%.0f", call[i]))
    }
    text(575, 298, "start", "strips")
    text(575, 314, "start", "us a call")
    curve("#c03030", "1 worker", one)
    curve("#2060b0", "2 workers", two)
    print "</svg>"
}
