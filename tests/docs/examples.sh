# examples.sh DOCUMENT [SOURCE_DIR] - every example of a document does what the document says. How
# examples are written: extract.awk. A command that fails ends its text with "(exit code N)". What
# goes to stdout is compared with what goes to stderr behind it, as both are seen on a terminal when
# the program ends.
#
# A document NAME.md with a folder NAME beside it is about the files in there: its commands stand in a
# copy of this folder, a text with the name of one of the files is a part of it, word for word, and
# each of them is mentioned.
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
. "$scripts/../lib/mpich.sh"
if [ -n "$mpiexec" ]; then # of the document; the machine's may be another MPI's
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$mpiexec" >"$here/bin/mpiexec"
    chmod +x "$here/bin/mpiexec"
fi
[ -z "$source" ] || ln -s "$source/apps" apps
PATH=$here/bin:$PATH
export PATH

about=${document%.md}
if [ -d "$about" ]; then
    mkdir "$here/docs" || exit 1
    for folder in "${about%/*}"/*/; do
        [ "$folder" = "$about/" ] || ln -s "$folder" "$here/docs/"
    done
    cp -r "$about" "$here/docs/" && cd "$here/docs/${about##*/}" || exit 1
fi

awk -v OUT="$here/steps" -f "$scripts/extract.awk" "$document" || exit 1

wrong() {
    bad "$document:$(cat "$step.line"): $1"
    [ ! -f "$here/want" ] || diff "$here/want" "$here/got" | sed 's/^/  /'
}

# Measured numbers, with their units, are not the same again.
figures() {
    sed -E -i 's/digest [0-9a-f]{16}/digest #/; s/[0-9]+(\.[0-9]+)?/#/g; s/# (us|ms|s|KiB|MiB|GiB)([^a-z]|$)/# unit\2/g; s/ +/ /g' "$@"
}

# Runs a command and compares all it gives with $here/want.
try() {
    run sh -c "$1"
    err_of_short
    cat "$here/out" "$here/err" >"$here/got"
    [ "$last_code" = 0 ] || echo "(exit code $last_code)" >>"$here/got"
    [ ! -f "$step.figures" ] || figures "$here/want" "$here/got"
    if cmp -s "$here/want" "$here/got"; then good; else wrong "prints something else"; fi
}

has_library() {
    echo 'int main(void) {}' | cc -x c - "$1" -o "$here/try" 2>"$here/try.err"
}

# A command that needs what is not here: a test inside a test, a cluster, MPI where it is not built in,
# sanitizers of functions where luna has its own, a library.
may_run() {
    case $1 in
    *ctest* | sbatch*) return 1 ;;
    mpiexec*) [ "${MPI:-0}" = 1 ] && [ -z "${SANITIZED:-}" ] && [ -n "$mpiexec" ] ;;
    *--sanitize*) [ -z "${SANITIZED:-}" ] ;;
    *gemm.fa* | *solve.fa*) has_library -lopenblas ;;
    *fft.fa*) has_library -lfftw3 ;;
    *save.fa*) pkg-config --exists hdf5 ;;
    esac
}

# The text of this step is a part of the file: its lines, one behind the other.
part_of() {
    rm -f "$here/want"
    if awk 'NR == FNR { part = part $0 "\n"; next }
            { whole = whole $0 "\n" }
            END { exit part == "" || !index("\n" whole, "\n" part) }' "$step.file" "$1"; then
        good
    else
        wrong "$1 in the tree does not have this text"
    fi
}

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
        name=$(cat "$step.name")
        if [ -f "$about/$name" ]; then part_of "$about/$name"; else cp "$step.file" "$name"; fi
    elif [ -f "$step.output" ]; then
        cp "$step.output" "$here/want"
        try 'luna run -q -t 1 example.fa'
    elif [ -f "$step.console" ]; then
        console "$step.console"
    else
        entry "$step.entry"
    fi
done

[ ! -d "$about" ] || find "$about" -type f >"$here/files"
[ ! -d "$about" ] || while read -r file; do
    if grep -qF "${file#"$about"/}" "$document"; then good; else bad "$document is silent about $file"; fi
done <"$here/files"
finish
