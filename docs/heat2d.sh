# heat2d.sh BUILD [check] - runs apps/heat2d and makes docs/heat2d.png of the picture that it writes;
# with `check` it says instead whether that picture is still the one which the program makes.
set -eu
build=$(realpath "$1")
docs=$(cd "${0%/*}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
XDG_CACHE_HOME=$work/cache "$build/luna" run -q -n 2 -D PICTURE "$docs/../apps/heat2d/heat2d.fa"
if [ "${2:-}" = check ]; then word=same; else word=write; fi
"$build/tests/docs/docs_ppm_png" $word heat2d.ppm "$docs/heat2d.png"
