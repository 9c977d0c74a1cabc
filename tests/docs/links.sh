# links.sh SOURCE_DIR - links between the documents lead to files and headings that exist.
set -eu
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The anchors of a document, as the usual renderers make them.
anchors() {
    awk '/^```/ { fenced = !fenced } /^#+ / && !fenced {
        sub(/^#+ /, ""); text = tolower($0); gsub(/[^a-z0-9 _-]/, "", text); gsub(/ /, "-", text)
        print text }' "$1"
}

for document in README.md docs/*.md docs/decisions/*.md; do
    awk '/^```/ { fenced = !fenced } !fenced' "$document" | grep -oE '\]\([^)]+\)' |
        sed 's/^](//; s/)$//' | grep -v '^https*:' >"$work/links" || true
    while read -r link; do
        echo "$document: $link" >>"$work/all"
        path=${link%%#*}
        target=$document
        [ -z "$path" ] || target=$(dirname "$document")/$path
        [ -e "$target" ] || { echo "$document: no such file: $link"; echo >>"$work/bad"; continue; }
        case $link in *'#'*) anchors "$target" | grep -qxF -- "${link#*#}" ||
            { echo "$document: no such heading: $link"; echo >>"$work/bad"; } ;; esac
    done <"$work/links"
done
[ "$(wc -l <"$work/all")" -gt 20 ] || { echo "links are not found"; exit 1; }
[ ! -e "$work/bad" ]
