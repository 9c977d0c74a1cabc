# Arrays that are read: those we wrote and those of others, by any number of nodes; and what is refused.
. "${0%/*}/../cli/lib.sh"
cube=${0%/*}/cube.fa

reads() { run luna "$@" "$cube"; }
fails() { # TEXT
    code 3
    err_has "error[RUN5]: $1"
}
run luna run -q -D 'OUT="u.npy"' "$cube"
code 0
endings=.npy
run luna run -q -D 'OUT="u.h5"' "$cube"
[ "$last_code" = 0 ] && endings=".npy .h5 .vtkhdf" || skip "no HDF5"
for ending in $endings; do
    run luna run -q -D "OUT=\"u$ending\"" "$cube"
    for how in "run" "run -n 4 -t 1" "sim -n 3" "run -n 2 -D BX=5 -D BZ=3"; do
        # shellcheck disable=SC2086
        reads $how -q -D "IN=\"u$ending\""
        code 0
        out_has "12 10 8"
        out_has "right: 960"
    done
    for wrong in "-D NX=13" "-D NZ=0 -D BZ=1" "-D NY=5"; do
        # shellcheck disable=SC2086
        reads run -q $wrong -D "IN=\"u$ending\""
        fails "'u$ending' has 12 x 10 x 8 points, not "
    done
    reads run -q -D 'TYPE="float"' -D "IN=\"u$ending\""
    fails "'u$ending' has values of the type real, not float"
    head -c 1000 "u$ending" >"short$ending"
    reads run -q -D "IN=\"short$ending\""
    code 3
    err_has "'short$ending' is"
    echo no such thing >"text$ending"
    reads run -q -D "IN=\"text$ending\""
    code 3
    err_has "'text$ending' is no "
    reads run -q -D "IN=\"none$ending\""
    fails "cannot read 'none$ending': No such file or directory"
done
reads run -q -D 'IN="short.npy"'
fails "'short.npy' is too short: it has 872 of 7680 bytes of its array"
mkdir folder.npy
reads run -q -D 'IN="folder.npy"'
fails "cannot read 'folder.npy': Is a directory"
mkfifo fifo.npy
reads run -q -D 'IN="fifo.npy"'
fails "cannot read 'fifo.npy': it is no regular file"
if [ "$endings" != .npy ]; then
    reads run -q -D 'NAME="v"' -D 'IN="u.h5"'
    fails "'u.h5' has no data set 'v'"
    reads run -q -D 'NAME=""' -D 'OUT="e.h5"'
    fails "cannot make 'e.h5': HDF5 refuses the name ''"
    holds "nothing is left of it" ! -e e.h5.part
    h5repack -l CHUNK=2x2x2 u.h5 chunks.h5 2>/dev/null &&
        { reads run -q -D 'IN="chunks.h5"'; fails "'chunks.h5' keeps its array in chunks"; }
fi

# A header of numpy, as texts: what io does not read.
header() { # DICTIONARY
    { printf '\223NUMPY\001\000v\000'; printf '%-117s\n' "$1"; head -c 7680 /dev/zero; } >h.npy
    reads run -q -D 'IN="h.npy"'
}
header "{'descr': '<f8', 'fortran_order': True, 'shape': (12, 10, 8), }"
fails "'h.npy' has its first index fastest; numpy.ascontiguousarray gives one that has its last"
header "{'descr': '>f8', 'fortran_order': False, 'shape': (12, 10, 8), }"
fails "'h.npy' has values of the type '>f8', which io does not read"
header "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (12, 10, 8), }"
fails "'h.npy' has values of a kind that io does not read"
header "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 4, 5), }"
fails "'h.npy' has more than three dimensions"
header "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }"
fails "'h.npy' has no points"
header "{'descr': '<f8', 'fortran_order': False, 'shape': (), }"
fails "'h.npy' has no dimension"
header "{'descr': '<f8', 'fortran_order': False, }"
fails "'h.npy' has no shape"
header "{'descr': '<f8', 'fortran_order': False, 'shape': (12, 10, 8), }"
code 0
out_has 'right: 1'
finish
