# chains.awk - of exec lines of --trace-values, in the order of their beginnings: is "chain" of each what
# follows from those of the calls that assigned what it reads? "same=s:x,end:go": what no call assigns
# has the longest of these. Prints how many calls there were and the longest chain.
function names(from, to,   list) {
    list = substr($0, from, to - from)
    gsub(/"/, "", list)
    return split(list, name, ",")
}
function base(of) {
    sub(/[[#].*/, "", of)
    return of
}
BEGIN {
    n = split(same, pair, ",")
    for (i = 1; i <= n; i++) { split(pair[i], x, ":"); like[x[1]] = x[2] }
}
/"ev":"exec"/ && (ins = index($0, ",\"in\":[")) {
    outs = index($0, "],\"out\":[")
    longest = 0
    n = names(ins + 7, outs)
    for (i = 1; i <= n; i++) {
        whose = base(name[i])
        value = whose in like ? most[like[whose]] : chain[name[i]]
        if (value > longest) longest = value
    }
    longest += number("dur")
    if (number("chain") != longest) { bad++; print "not " longest ": " $0 }
    n = names(outs + 9, length($0) - 1)
    for (i = 1; i <= n; i++) {
        chain[name[i]] = longest
        if (longest > most[base(name[i])]) most[base(name[i])] = longest
    }
    calls++
    if (longest > all) all = longest
}
END { printf "%d %.0f\n", calls, all; exit bad > 0 }
