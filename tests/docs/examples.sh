# examples.sh DOCUMENT [SOURCE_DIR] - every example of a document does what the document says. How
# examples are written: extract.awk. A command that fails ends its text with "(exit code N)". What
# goes to stdout is compared with what goes to stderr behind it, as both are seen on a terminal when
# the program ends.
scripts=$(cd "${0%/*}" && pwd)
document=$(realpath "$1")
source=${2:-}
. "$scripts/../cli/lib.sh"

# The commands of README.md stand in the folder of the sources, where everything has been built.
mkdir "$here/bin" "$here/steps" build || exit 1
ln -s "$LUNA" "$here/bin/luna"
ln -s "$LUNA" build/luna
printf '#!/bin/sh\n' >setup.sh
chmod +x setup.sh
[ -z "$source" ] || ln -s "$source/apps" apps
PATH=$here/bin:$PATH
export PATH

awk -v OUT="$here/steps" -f "$scripts/extract.awk" "$document" || exit 1

wrong() {
    bad "$document:$(cat "$step.line"): $1"
    [ ! -f "$here/want" ] || diff "$here/want" "$here/got" | sed 's/^/  /'
}

# Runs a command and compares all it gives with $here/want.
try() {
    run sh -c "$1"
    cat "$here/out" "$here/err" >"$here/got"
    [ "$last_code" = 0 ] || echo "(exit code $last_code)" >>"$here/got"
    if cmp -s "$here/want" "$here/got"; then good; else wrong "prints something else"; fi
}

# A command that needs what is not here: a test inside a test.
may_run() { case $1 in *ctest*) return 1 ;; esac }

console() {
    command=
    while IFS= read -r text || [ -n "$text" ]; do
        case $text in
        '$ '*)
            [ -z "$command" ] || try "$command"
            command=${text#??}
            : >"$here/want"
            may_run "$command" || command=
            ;;
        *) printf '%s\n' "$text" >>"$here/want" ;;
        esac
    done <"$1"
    [ -z "$command" ] || try "$command"
}

# The code is among what luna tells, with one of the severities named: of a compiler's code by check,
# of a run's by run.
entry() {
    read -r code error warning <"$1"
    rm -f "$here/want"
    case $code in
    RUN*) run luna run -q -t 1 example.fa ;;
    *) run luna check example.fa ;;
    esac
    if grep -qF -e "$error[$code]" -e "$warning[$code]" "$here/err"; then good; else
        wrong "the example of $code does not give it so"
    fi
}

for line in "$here"/steps/*.line; do
    step=${line%.line}
    if [ -f "$step.file" ]; then
        cp "$step.file" "$(cat "$step.name")"
    elif [ -f "$step.output" ]; then
        cp "$step.output" "$here/want"
        try 'luna run -q -t 1 example.fa'
    elif [ -f "$step.console" ]; then
        console "$step.console"
    else
        entry "$step.entry"
    fi
done
finish
