#!/usr/bin/env bash
# coverage.sh - which lines of ours the tests reach.
#
#     tests/coverage.sh [--build=build-coverage] [--html=DIR] [--no-tests] [gcovr options...]
#
# Configures and builds preset `coverage`, runs its tests, and prints lines and branches per file with
# gcovr (or, without it, with lcov). --no-tests: only the report, of counts that are there.
# The counts of earlier runs are removed first. Tests that fail do not hide the report; the exit code
# is theirs.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build-coverage html='' tests=yes
words=()
for word in "$@"; do
    case $word in
    --build=*) build=${word#*=} ;;
    --html=*) html=${word#*=} ;;
    --no-tests) tests= ;;
    *) words+=("$word") ;;
    esac
done

code=0
if [ "$tests" ]; then
    cmake -S "$root" --preset coverage -B "$build" >/dev/null
    cmake --build "$build" -j "$(nproc)"
    find "$build" -name '*.gcda' -delete
    (cd "$build" && ctest -j 2 -LE slow --output-on-failure) || code=$?
fi

# What is ours and not a test; parse.tab.c and lex.yy.c are counted as parse.y and lex.l.
if command -v gcovr >/dev/null; then
    options=(-r "$root" --object-directory "$build" -e "$root/tests/" -e "$build/" -e '.*/build[^/]*/'
        --exclude-unreachable-branches --exclude-throw-branches)
    cd "$build"
    gcovr "${options[@]}" "${words[@]}"
    gcovr "${options[@]}" --branches | grep '^TOTAL' | sed 's/^TOTAL/branches/'
    [ -z "$html" ] || { mkdir -p "$html" && gcovr "${options[@]}" --html-details "$html/index.html"; }
elif command -v lcov >/dev/null; then
    lcov -q -c -d "$build" -o "$build/all.info"
    lcov -q -r "$build/all.info" '*/tests/*' "$build/*" '/usr/*' -o "$build/ours.info"
    lcov -l "$build/ours.info"
    [ -z "$html" ] || genhtml -q "$build/ours.info" -o "$html"
else
    echo "coverage.sh: neither gcovr nor lcov is installed (apt-get install gcovr)" >&2
    exit 5
fi
exit $code
