#!/bin/sh
# floors.sh SOURCE_DIR - the picture of the floors is that of the tree.
cd "$1" || exit 2
if sh docs/floors.sh . | cmp - docs/floors.svg; then exit 0; fi
echo "the includes have changed: sh docs/floors.sh . >docs/floors.svg"
exit 1
