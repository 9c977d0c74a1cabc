# fields.awk - fields of the line of a trace that awk is at: in front of a program, awk "$(cat fields.awk)"'..'.

function number(key) { # 0: there is none
    if (!match($0, "\"" key "\":[0-9]+")) return 0
    return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0
}
function text(key) {
    if (!match($0, "\"" key "\":\"[^\"]*")) return ""
    return substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 4)
}
