#!/bin/sh
# calls.sh ARCHIVE... - the archives are floors of a house, the highest first: what an object of one
# uses of the others is defined in its own archive, or in one further down. So there is no circle
# among floors, whatever headers say. Names that no archive defines are the system's.
[ $# -ge 2 ] || { echo "calls.sh: two archives at least" >&2; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

floor=0
for archive; do
    floor=$((floor + 1))
    nm -g -P "$archive" >"$work/nm" || exit 2
    awk -v floor=$floor -v archive="${archive##*/}" '
        /\]:$/ { object = $0; gsub(/.*\[|\]:$/, "", object); next }
        { print floor, archive "(" object ")", $1, $2; n++ }
        END { exit !n }' "$work/nm" >>"$work/names" || { echo "$archive: no names" >&2; exit 2; }
done

# Letters are those of nm: U, w and v are names used, the others defined ones. A name may be defined
# on several floors: the lowest counts.
awk '
    { floor[NR] = $1 + 0; object[NR] = $2; name[NR] = $3; used[NR] = $4 ~ /^[Uwv]$/ }
    !used[NR] && !(floor[NR] < lowest[$3]) { lowest[$3] = floor[NR]; where[$3] = $2 }
    END {
        for (i = 1; i <= NR; i++) {
            if (!used[i] || !(name[i] in where) || lowest[name[i]] >= floor[i]) continue
            print object[i] ": " name[i] " is further up, in " where[name[i]]
            failed = 1
        }
        exit failed
    }' "$work/names"
