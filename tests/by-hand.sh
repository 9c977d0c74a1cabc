#!/bin/sh
# by-hand.sh [--build=DIR] [PART...] - tests that need more than 300 MB of packages, and so are not among
# those that always run. Parts, all of them without a word:
#
#   vtk     VTK's own reader reads what the library io writes (Debian: apt install python3-vtk9)
#   page    the page of luna report in a real browser: light, dark, on a phone, on paper, with a
#           million calls (Debian: apt install chromium)
#
# Exit code 1: something is wrong; 77: a part was left out, as its packages are missing.
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build parts=
for word in "$@"; do
    case $word in
    --build=*) build=$(cd "${word#*=}" && pwd) || exit 2 ;;
    vtk | page) parts="$parts $word" ;;
    *) echo "usage: tests/by-hand.sh [--build=DIR] [vtk] [page]" >&2; exit 2 ;;
    esac
done
LUNA=$build/luna
[ -x "$LUNA" ] || { echo "by-hand.sh: there is no $LUNA: ./setup.sh" >&2; exit 2; }
export LUNA
code=0
for part in ${parts:-vtk page}; do
    case $part in
    vtk) sh "$root/tests/io/vtk.sh" ;;
    page) sh "$root/tests/report/browser.sh" ;;
    esac
    got=$?
    echo "$part: $(case $got in 0) echo passed ;; 77) echo left out ;; *) echo FAILED ;; esac)"
    case $got$code in 0*) ;; 770) code=77 ;; 77*) ;; *) code=1 ;; esac
done
exit $code
