#!/bin/sh
# includes.sh ROOT - data runs one way through the tree, includes the other. below() is the table: a
# row tells what a folder may include beside itself. There are no exceptions. "public" is what ucodes
# and emitted C see: program.h, luna.h, ucenv.h. Libraries stay behind one door each.
#
# The runtime (rt/...) is a house of floors: run, turn, rebalance, exec, node, ucode, table, store, data,
# fault, from top to bottom; planner and net stand beside, on base.
#
# lang is a house of floors, the passes in their order, so that none depends on a later one; lang.{h,c}
# stands on top of all.
#
# In apps/luna, luna/perf, luna/map and luna/build stand side by side and know nothing of each other.
# Drawing knows no traces and reading traces no pictures; both meet in luna/map. The stub of built
# programs stands on luna/launch and luna/common alone: no compiler, no pictures. The page of apps/report
# stands on luna/trace, and knows no commands. cmd_*.c may use all.
cd "$1" || exit 2

folder() { # folder FILE
    case $1 in
    runtime/base/*) echo base ;;
    runtime/net/*) echo net ;;
    runtime/planner/*) echo planner ;;
    runtime/program.h | runtime/ucode/luna.h | runtime/ucode/*ucenv.h) echo public ;;
    runtime/*/*) file=${1#runtime/} && echo "rt/${file%%/*}" ;;
    runtime/*) echo runtime ;;
    lang/*/*) echo "${1%/*}" ;;
    collectives/*/*) file=${1#*/} && echo "coll/${file%/*}" ;;
    collectives/*) echo coll ;;
    distrib/patch/*) echo distrib/patch ;;
    apps/report/*) echo apps/report ;;
    apps/luna/*/*) file=${1#apps/} && echo "${file%/*}" ;;
    */*) echo "${1%%/*}" ;;
    *) echo . ;;
    esac
}

below() { # below FOLDER OTHER: who has all may include OTHER, too
    case $1 in
    base | public) ;;
    net | coll | balance | distrib | lang/report) echo base ;;
    planner) echo base balance distrib ;;
    rt/fault) echo base public ;;
    rt/data) echo rt/fault base public ;;
    rt/store) echo rt/data rt/fault base public ;;
    rt/table) echo rt/store rt/data rt/fault distrib base public ;;
    rt/ucode) echo rt/table rt/store rt/data rt/fault base public ;;
    rt/node) echo rt/ucode rt/table rt/store rt/data rt/fault net distrib base public ;;
    rt/exec) echo rt/node rt/ucode rt/table rt/store rt/data rt/fault net distrib base public ;;
    rt/rebalance) echo rt/exec rt/node rt/table rt/store rt/data rt/fault planner net balance distrib base \
        public ;;
    rt/turn) echo rt/rebalance rt/exec rt/node rt/ucode rt/table rt/store rt/data rt/fault net distrib base \
        public ;;
    rt/run | runtime) echo rt/turn rt/rebalance rt/exec rt/node rt/ucode rt/table rt/store rt/data rt/fault \
        planner net balance distrib base public ;;
    lang/tree) echo lang/report base ;;
    lang/prep | lang/resolve | lang/check) echo lang/tree lang/report base ;;
    lang/parse) echo lang/prep lang/tree lang/report base ;;
    lang/plan) echo lang/tree base ;;
    lang/lower) echo lang/plan lang/tree lang/report base ;;
    lang/prove) echo lang/plan lang/tree lang/report base ;;
    lang/emit) echo lang/plan lang/tree base ;;
    lang) echo lang/report lang/tree lang/prep lang/parse lang/resolve lang/check lang/plan lang/lower \
        lang/prove lang/emit base ;;
    distrib/patch) echo distrib base ;;
    coll/group) echo coll base ;;
    coll/ops) echo coll coll/group base ;;
    coll/perf) echo coll coll/ops base ;;
    luna/common) echo base public ;;
    luna/launch) echo luna/common base lang lang/report rt/run ;;
    luna/build) echo luna/common luna/launch base lang lang/report lang/tree lang/plan ;;
    luna/draw) echo luna/common base ;;
    luna/trace) echo luna/common rt/node base distrib ;;
    luna/map) echo luna/draw luna/trace base ;;
    apps/report) echo luna/common luna/trace rt/node base distrib ;;
    luna/perf) echo luna/common luna/draw luna/launch base coll/perf lang lang/report rt/node ;;
    apps | tests | docs) echo "$2" ;; # all
    esac
}

may() { # may FROM TO
    case " $1 $(below "$1" "$2") " in
    *" $2 "*) ;;
    *) return 1 ;;
    esac
}

library() { # library FILE HEADER: may this file include that library's header?
    case $2 in
    isl/*) [ "$1" = lang/prove/sets.c ] ;;
    uthash*) [ "$1" = runtime/base/map.c ] ;;
    png*) [ "$1" = apps/luna/draw/picture.c ] || [ "${1%%/*}" = tests ] ;;
    zlib*) [ "$1" = apps/report/segments.c ] ;;
    hwloc*) [ "$1" = runtime/node/topo.c ] || [ "$1" = collectives/group/numa.c ] ;;
    xxhash*) [ "$1" = runtime/store/digest.c ] || [ "$1" = runtime/base/map.c ] || [ "${1%%/*}" = apps ] ;;
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
