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
# In apps/luna, luna/perf, luna/map, luna/export, luna/top, luna/bill and luna/build stand side by side and know nothing of each other.
# Drawing knows no traces and reading traces no pictures; both meet in luna/map. The stub of built
# programs stands on luna/launch and luna/common alone: no compiler, no pictures. The page of apps/report
# stands on luna/trace, and knows no commands. cmd_*.c may use all.
#
# There are some thousand includes, and a process for each would take a minute: functions give what they
# find in a variable.
cd "$1" || exit 2

folder() { # folder FILE: in $of
    case $1 in
    runtime/base/*) of=base ;;
    runtime/net/*) of=net ;;
    runtime/planner/*) of=planner ;;
    runtime/program.h | runtime/ucode/luna.h | runtime/ucode/*ucenv.h) of=public ;;
    runtime/*/*) of=${1#runtime/} && of=rt/${of%%/*} ;;
    runtime/*) of=runtime ;;
    lang/*/*) of=${1%/*} ;;
    collectives/*/*) of=${1#*/} && of=coll/${of%/*} ;;
    collectives/*) of=coll ;;
    distrib/patch/*) of=distrib/patch ;;
    apps/report/*) of=apps/report ;;
    apps/luna/*/*) of=${1#apps/} && of=${of%/*} ;;
    */*) of=${1%%/*} ;;
    *) of=. ;;
    esac
}

below() { # below FOLDER OTHER: in $floors; who has all may include OTHER, too
    case $1 in
    base | public) floors= ;;
    net | coll | balance | distrib | lang/report) floors=base ;;
    planner) floors="base balance distrib" ;;
    rt/fault) floors="base public" ;;
    rt/data) floors="rt/fault base public" ;;
    rt/store) floors="rt/data rt/fault base public" ;;
    rt/table) floors="rt/store rt/data rt/fault distrib base public" ;;
    rt/ucode) floors="rt/table rt/store rt/data rt/fault base public" ;;
    rt/node) floors="rt/ucode rt/table rt/store rt/data rt/fault net distrib base public" ;;
    rt/exec) floors="rt/node rt/ucode rt/table rt/store rt/data rt/fault net distrib base public" ;;
    rt/rebalance) floors="rt/exec rt/node rt/table rt/store rt/data rt/fault planner net balance distrib base \
        public" ;;
    rt/turn) floors="rt/rebalance rt/exec rt/node rt/ucode rt/table rt/store rt/data rt/fault net distrib base \
        public" ;;
    rt/run | runtime) floors="rt/turn rt/rebalance rt/exec rt/node rt/ucode rt/table rt/store rt/data rt/fault \
        planner net balance distrib base public" ;;
    lang/tree) floors="lang/report base" ;;
    lang/prep | lang/resolve | lang/check) floors="lang/tree lang/report base" ;;
    lang/parse) floors="lang/prep lang/tree lang/report base" ;;
    lang/plan) floors="lang/tree base" ;;
    lang/lower) floors="lang/plan lang/tree lang/report base" ;;
    lang/prove) floors="lang/plan lang/tree lang/report base" ;;
    lang/place) floors="lang/prove lang/plan lang/tree lang/report base" ;;
    lang/emit | lang/unroll) floors="lang/plan lang/tree base" ;;
    lang) floors="lang/report lang/tree lang/prep lang/parse lang/resolve lang/check lang/plan lang/lower \
        lang/prove lang/place lang/emit base" ;;
    distrib/patch) floors="distrib base" ;;
    coll/group) floors="coll base" ;;
    coll/ops) floors="coll coll/group base" ;;
    coll/perf) floors="coll coll/ops net base" ;;
    luna/common) floors="base public" ;;
    luna/launch) floors="luna/common base lang lang/report rt/run" ;;
    luna/build) floors="luna/common luna/launch base lang lang/report lang/tree lang/plan" ;;
    luna/bill) floors="luna/common luna/trace rt/node base distrib lang/report lang/plan lang/unroll public" ;;
    luna/draw) floors="luna/common base" ;;
    luna/trace) floors="luna/common rt/node base distrib" ;;
    luna/top) floors="luna/common base rt/run" ;;
    luna/map) floors="luna/draw luna/trace base distrib" ;;
    luna/export) floors="luna/common luna/trace rt/node base distrib" ;;
    apps/report) floors="luna/common luna/trace rt/node base distrib" ;;
    luna/perf) floors="luna/common luna/draw luna/launch base coll/perf lang lang/report rt/node" ;;
    apps | tests | docs) floors=$2 ;; # all
    *) floors= ;;
    esac
}

may() { # may FROM TO
    below "$1" "$2"
    case " $1 $floors " in
    *" $2 "*) ;;
    *) return 1 ;;
    esac
}

library() { # library FILE HEADER: may this file include that library's header?
    case $2 in
    isl/*) case $1 in lang/prove/sets.c | lang/prove/sets_[a-z]*.[ch]) ;; *) false ;; esac ;;
    uthash*) [ "$1" = runtime/base/map.c ] ;;
    png*) [ "$1" = apps/luna/draw/picture.c ] || [ "${1%%/*}" = tests ] ;;
    zlib*) [ "$1" = apps/report/segments.c ] ;;
    hwloc*) [ "$1" = runtime/node/topo.c ] || [ "$1" = collectives/group/numa.c ] ;;
    xxhash*) case $1 in
        runtime/store/digest.c | runtime/base/map.c | runtime/node/trace_block.c | apps/*) ;;
        tests/trace/flips.c) ;;
        *) return 1 ;;
        esac ;;
    mpi.h) case $1 in runtime/net/mpi_parts.h | runtime/net/mpi_leave.c | collectives/perf/* | tests/*) ;; *) return 1 ;; esac ;;
    esac
}

target() { # target FILE PATH: the file of ours that is meant, from its folder, the root or ucode: in $to
    for at in "${1%/*}/" '' runtime/ucode/; do
        to=$at$2
        [ -e "$to" ] || continue
        case $to in *../* | *./*) to=$(realpath -m --relative-to=. "$to") ;; esac
        return
    done
    to=
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
    target "$file" "$path"
    if [ -z "$to" ]; then continue; fi # made by the build
    folder "$file" && from=$of
    folder "$to"
    may "$from" "$of" || complain "$file:$line: $from may not include $of: $path"
done <"${TMPDIR:-/tmp}/includes.$$"
rm -f "${TMPDIR:-/tmp}/includes.$$"
exit $failed
