#!/bin/sh
# includes.sh ROOT - data runs one way through the tree, includes the other. This is the table:
#
#     base          -> libc                     lang     -> base
#     net           -> base                     runtime  -> base net coll balance distrib planner
#     planner       -> base balance distrib
#     coll, balance, distrib -> base            apps, tests, docs -> all
#     public (what ucodes and emitted C see: program.h, luna.h, ucenv.h) -> public
#
# lang is a house of floors, the passes in their order, so that none depends on a later one. Each
# may include base; lang.{h,c}, on top, includes all:
#
#     lang/report   -> (nothing of lang)     lang/check   -> tree report
#     lang/tree     -> report                lang/plan    -> tree
#     lang/prep     -> tree report           lang/lower   -> plan tree report
#     lang/parse    -> prep tree report      lang/emit    -> plan tree
#     lang/resolve  -> tree report
#
# A folder may include itself. Libraries stay behind one door each.
cd "$1" || exit 2

folder() { # folder FILE
    case $1 in
    runtime/base/*) echo base ;;
    runtime/net/*) echo net ;;
    runtime/planner/*) echo planner ;;
    runtime/program.h | runtime/ucode/luna.h | runtime/ucode/*ucenv.h) echo public ;;
    runtime/*) echo runtime ;;
    lang/*/*) echo "${1%/*}" ;;
    collectives/*) echo coll ;;
    */*) echo "${1%%/*}" ;;
    *) echo . ;;
    esac
}

may() { # may FROM TO
    case $1:$2 in
    "$2:$1" | apps:* | tests:* | docs:*) ;;
    net:base | lang:base | coll:base | balance:base | distrib:base) ;;
    runtime:base | runtime:net | runtime:coll | runtime:balance | runtime:distrib) ;;
    planner:base | planner:balance | planner:distrib | runtime:planner) ;;
    runtime:public) ;;
    lang:lang/* | lang/*:base | lang/tree:lang/report) ;;
    lang/prep:lang/tree | lang/prep:lang/report) ;;
    lang/parse:lang/prep | lang/parse:lang/tree | lang/parse:lang/report) ;;
    lang/resolve:lang/tree | lang/resolve:lang/report) ;;
    lang/check:lang/tree | lang/check:lang/report) ;;
    lang/plan:lang/tree) ;;
    lang/lower:lang/plan | lang/lower:lang/tree | lang/lower:lang/report) ;;
    lang/emit:lang/plan | lang/emit:lang/tree) ;;
    *) return 1 ;;
    esac
}

library() { # library FILE HEADER: may this file include that library's header?
    case $2 in
    uthash*) [ "$1" = runtime/base/map.c ] ;;
    png*) [ "$1" = apps/luna/picture.c ] || [ "${1%%/*}" = tests ] ;;
    hwloc*) [ "$1" = runtime/topo.c ] || [ "$1" = collectives/place.c ] ;;
    xxhash*) [ "$1" = runtime/digest.c ] || [ "${1%%/*}" = apps ] ;;
    mpi.h) case $1 in runtime/net/mpi_parts.h | collectives/perf/* | tests/*) ;; *) return 1 ;; esac ;;
    esac
}

target() { # target FILE PATH: the file of ours that is meant, from its folder, the root or ucode
    for at in "${1%/*}/" '' runtime/ucode/; do
        [ -e "$at$2" ] && { realpath -m --relative-to=. "$at$2"; return; }
    done
}

sources() {
    find . \( -name '*.[chly]' -o -name '*.cpp' -o -name '*.def' \) \
        -not -path './build*' -not -path './.*' | sed 's|^\./||'
}

failed=0
complain() { echo "$*"; failed=1; }

sources | xargs awk '/^[ \t]*#[ \t]*include/ {
    match($0, /["<][^">]*[">]/)
    if (RSTART) print FILENAME, FNR, substr($0, RSTART, 1), substr($0, RSTART + 1, RLENGTH - 2)
}' >"${TMPDIR:-/tmp}/includes.$$"
while read -r file line kind path; do
    if [ "$kind" = '<' ]; then
        library "$file" "$path" || complain "$file:$line: <$path> belongs behind its one door"
        continue
    fi
    to=$(target "$file" "$path")
    if [ -z "$to" ]; then continue; fi # made by the build
    may "$(folder "$file")" "$(folder "$to")" ||
        complain "$file:$line: $(folder "$file") may not include $(folder "$to"): $path"
done <"${TMPDIR:-/tmp}/includes.$$"
rm -f "${TMPDIR:-/tmp}/includes.$$"
exit $failed
