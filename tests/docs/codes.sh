# codes.sh SOURCE_DIR - docs/messages.md has an entry for each diagnostic code there is, in the order
# of diag.def, and mentions no other.
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -n 's/^DIAG_CODE([A-Z0-9_]*, "\([A-Z0-9.]*\)".*/\1/p' "$source/lang/report/diag.def" >"$work/codes"
sed -n 's/^ *X(\(RUN[0-9]*\),.*/\1/p' "$source/runtime/fault/fault.h" >>"$work/codes"
sed -n 's/^\* \*\*\([A-Z]*[0-9.]*\)\*\*.*/\1/p' "$source/docs/messages.md" >"$work/entries"

[ "$(wc -l <"$work/codes")" -gt 80 ] || { echo "diag.def and fault.h are not read right"; exit 1; }
diff "$work/codes" "$work/entries" || { echo "codes (<) and entries of messages.md (>) differ"; exit 1; }

# An example each: in the entry, or printed by a command. (examples.sh runs both.)
while read -r code; do
    grep -qF "[$code]" "$source/docs/language.md" "$source/docs/messages.md" && continue
    awk -v code="* **$code**" 'index($0, code) == 1 { on = 1; print; next } /^(\* |#|$)/ { on = 0 } on' \
        "$source/docs/messages.md" | grep -q 'Example:' || { echo "no example of $code"; exit 1; }
done <"$work/codes"

# Other catalogues' codes stand in tables only.
find "$source/docs" "$source/README.md" -name '*.md' -exec sed '/^|/d' {} + |
    grep -oE '\b(PP|PAR|SYN|SEM|EXT|LUNA|CC|RUN)[0-9]+(\.[0-9]+)?\b' | sort -u >"$work/mentioned"
sort -u "$work/codes" | comm -13 - "$work/mentioned" >"$work/unknown"
[ ! -s "$work/unknown" ] || { echo "codes that do not exist:"; cat "$work/unknown"; exit 1; }
