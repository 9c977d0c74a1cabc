# extract.awk - cuts a document of docs/ into numbered steps, which examples.sh takes one by one:
#
#     ```fa, ```fa NAME, ```c NAME ...      N.file: the text; N.name: what it is called
#     ```output                             N.output: what `luna run -t 1 example.fa` prints
#     ```console                            N.console: commands behind "$ ", each with what it prints
#     ```console figures                    the same, and N.figures: the numbers were measured
#     * **CODE** *error* ... Example: ...   N.file, and N.entry: the code and the severities named
#
# Fences of other kinds are text. N.line is the line in the document. An example of an entry stands in
# backquotes, a line each; it is the body of main unless it has a sub of its own, and table.fa, the
# document's own file, is included. Variables: OUT, the folder.

function step(kind) {
    n++
    base = sprintf("%s/%04d", OUT, n)
    print FNR > (base ".line")
    close(base ".line")
    return base "." kind
}

function file(name, text,    at) {
    at = step("name")
    print name > at
    close(at)
    sub(/name$/, "file", at)
    printf "%s", text > at
    close(at)
}

# The entry that has been gathered in `entry`, if its example stands in it.
function entry_ends(    code, head, text, lines, whole, at) {
    if (entry == "") return
    code = entry
    sub(/^\* \*\*/, "", code)
    sub(/\*\*.*/, "", code)
    head = entry
    sub(/ Example:.*/, "", head)
    if (index(entry, " Example: ")) {
        text = entry
        sub(/.* Example: /, "", text)
        sub(/ Cure: .*/, "", text)
        lines = ""
        while (match(text, /`[^`]+`/)) {
            lines = lines substr(text, RSTART + 1, RLENGTH - 2) "\n"
            text = substr(text, RSTART + RLENGTH)
        }
        whole = lines ~ /(^|[ \n])sub / ? lines : "sub main() {\n" lines "}\n"
        file("example.fa", "#include \"table.fa\"\n" whole)
        at = step("entry")
        print code, (head ~ /\*error/ ? "error" : "-"), (head ~ /warning\*/ ? "warning" : "-") > at
        close(at)
    }
    entry = ""
}

/^```/ && !fenced {
    entry_ends()
    fenced = 1
    kind = substr($1, 4)
    name = $2
    text = ""
    next
}

/^```$/ {
    fenced = 0
    if (kind == "output" || kind == "console") {
        at = step(kind)
        printf "%s", text > at
        close(at)
        if (name == "figures") {
            sub(/console$/, "figures", at)
            print "" > at
            close(at)
        }
    } else if (kind == "fa" || name != "") {
        file(name == "" ? "example.fa" : name, text)
    }
    next
}

fenced { text = text $0 "\n"; next }

/^\* \*\*[A-Z]+[0-9.]+\*\*/ { entry_ends(); entry = $0; next }
/^[^ ]/ || /^$/ { entry_ends() }
entry != "" { line = $0; sub(/^ +/, " ", line); entry = entry line }
END { entry_ends() }
