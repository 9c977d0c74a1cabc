# size.awk - draws the output of size.sh as an SVG: core seconds over the number of strips, on a
# logarithmic axis. awk -f size.awk size.txt >size.svg
function x(strips) { return 60 + 50 * log(strips) / log(2) }
function y(seconds) { return 260 - 220 * seconds / top }
function text(px, py, anchor, words) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", px, py, anchor, words
}
/^#/ { next }
{ n++; strips[n] = $1; call[n] = $2; seconds[n] = $3; if ($3 > top) top = $3 }
END {
    step = top > 1.5 ? 0.5 : 0.2
    print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"660\" height=\"330\" viewBox=\"0 0 660 330\"" \
        " font-family=\"sans-serif\" font-size=\"12\">"
    print "<rect width=\"660\" height=\"330\" fill=\"white\"/>"
    for (s = 0; s <= top; s += step) {
        printf "<path d=\"M60 %.1fH570\" stroke=\"#ddd\"/>\n", y(s)
        text(54, y(s) + 4, "end", s " s")
    }
    for (i = 1; i <= n; i++) {
        text(x(strips[i]), 282, "middle", strips[i])
        text(x(strips[i]), 302, "middle", call[i] < 10 ? call[i] : sprintf("%.0f", call[i]))
    }
    text(590, 282, "start", "strips")
    text(590, 302, "start", "us a call")
    text(66, 24, "start", "time of the core")
    printf "<polyline fill=\"none\" stroke=\"#2060b0\" stroke-width=\"2\" points=\""
    for (i = 1; i <= n; i++) printf "%s%.1f,%.1f", (i > 1 ? " " : ""), x(strips[i]), y(seconds[i])
    print "\"/>"
    for (i = 1; i <= n; i++)
        printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#2060b0\"/>\n", x(strips[i]), y(seconds[i])
    print "</svg>"
}
