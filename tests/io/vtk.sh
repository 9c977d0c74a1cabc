# VTK's own reader reads the images of the library io (tests/by-hand.sh).
. "${0%/*}/../cli/lib.sh"
cube=${0%/*}/cube.fa
reader=${0%/*}/vtk_read.py
if ! /usr/bin/python3 -c 'import vtk' 2>/dev/null; then
    skip "no VTK for Python"
    exit 77
fi
for n in 1 3; do
    run luna run -q -n $n -D 'OUT="u.vtkhdf"' "$cube"
    code 0
    run /usr/bin/python3 "$reader" u.vtkhdf 12 10 8
    code 0
done
finish
