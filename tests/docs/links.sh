# links.sh SOURCE_DIR - links between the documents lead to files and headings that exist, and
# decisions are as their index says.
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

find README.md docs -name '*.md' | sort >"$work/documents"
while read -r document; do
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
done <"$work/documents"
[ "$(wc -l <"$work/all")" -gt 20 ] || { echo "links are not found"; exit 1; }
[ ! -e "$work/bad" ] || exit 1

# The first page leads to the index, and the index to each document and folder of docs/.
grep -qF '](docs/README.md)' README.md || { echo "README.md: no link to docs/README.md"; exit 1; }
for document in docs/* docs/measures/*; do
    case $document in docs/README.md) continue ;; esac
    grep -qE "\]\(${document#docs/}[)/#]" docs/README.md ||
        { echo "docs/README.md: $document is not there"; exit 1; }
done

# A decision is called as its file is, says how it stands and what else there was, and the index has
# it.
index=docs/decisions/README.md
for decision in docs/decisions/[0-9]*.md; do
    name=${decision##*/}
    title=$(sed -n '1s/^# //p' "$decision" | tr 'A-Z' 'a-z' | tr -d ',' | tr ' ' '-')
    [ "$title.md" = "$name" ] || { echo "$decision: its title is not its name"; exit 1; }
    for part in '**Status.**' '**Context.**' '**Decision.**' '**Instead of**' '**Consequences.**'; do
        grep -qF "$part" "$decision" || { echo "$decision: no $part"; exit 1; }
    done
    grep -qF "]($name)" "$index" || { echo "$index: $name is not there"; exit 1; }
done

# Each word of the glossary stands in the header that is named.
sed -n '/^## 12 The words/,$ s/^| \(.*\) | .* | `\(.*\)` |$/\2 \1/p' docs/design.md >"$work/words"
[ "$(wc -l <"$work/words")" -gt 40 ] || { echo "docs/design.md: the glossary is not found"; exit 1; }
while read -r header word; do
    [ -e "$header" ] || header=runtime/$header
    grep -qi -- "${word##* }" "$header" || { echo "docs/design.md: no '$word' in $header"; exit 1; }
done <"$work/words"
