#!/bin/sh
# example.sh SOURCE_DIR - docs/distributors.md shows the example as it is tested.
set -eu
shown=$(mktemp)
trap 'rm -f "$shown"' EXIT
awk '/^```/ { fenced = /^```c$/; next } fenced' "$1/docs/distributors.md" >"$shown"
[ -s "$shown" ] || { echo "no example is found"; exit 1; }
diff -u "$1/tests/distrib/example_diagonal.c" "$shown"
