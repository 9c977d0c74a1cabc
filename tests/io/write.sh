# Arrays in files: the same bytes from any number of nodes and workers, under balancing, in the
# simulator; the values are those of other readers, each one.
. "${0%/*}/../cli/lib.sh"
cube=${0%/*}/cube.fa
values=${cube%/*}/values.py
python=/usr/bin/python3

cube() { # COMMAND... -- writes u.FORMAT; options of luna follow
    run luna "$@" "$cube"
    code 0
    quiet
    holds "nothing is left aside" ! -e "u$ending.part"
}
same_file() { # WHO
    last="$last ($1)"
    if cmp -s "u$ending" "first$ending"; then good; else bad "another file"; fi
}
# Without HDF5's library or without Python's modules the rest is still tested.
formats=.npy
ending=.h5
run luna run -q -D "OUT=\"u.h5\"" "$cube"
if grep -q 'libhdf5.so was not found' "$here/err"; then skip "no HDF5"; else formats=".npy .h5 .vtkhdf"; fi
"$python" -c 'import numpy' 2>/dev/null || python=
h5py=
[ -z "$python" ] || ! "$python" -c 'import h5py' 2>/dev/null || h5py=1

for ending in $formats; do
    out=-DOUT="\"u$ending\""
    cube run -q "$out"
    cp "u$ending" "first$ending"
    for how in "-t 4" "-n 2" "-n 4 -t 1" "-n 3 --balance=two-phase --balance-every=3"; do
        # shellcheck disable=SC2086
        cube run -q $how "$out"
        same_file "run $how"
    done
    cube sim -q -n 4 "$out"
    same_file sim
    # Other cuts of the same array, even ones.
    for cut in "1 1 1" "12 10 8" "5 3 7"; do
        # shellcheck disable=SC2086
        set -- $cut
        cube run -q -n 2 "$out" -D BX="$1" -D BY="$2" -D BZ="$3"
        same_file "cut $cut"
    done
done

# Hashes do not depend on where and how often.
run luna run -q --hash -D 'OUT="u.npy"' "$cube"
cp "$here/err" hash
run luna run -q --hash -n 3 -D 'OUT="u.npy"' "$cube"
same err <hash

# od is a reader that knows nothing of us.
tail -c +129 first.npy | od -An -v -t f8 -w8 | awk '
    { if ($1 != int((NR - 1) / 80) * 10000 + int((NR - 1) / 8) % 10 * 100 + (NR - 1) % 8) exit 1 }
    END { if (NR != 960) exit 1 }'
holds "all values of .npy are right" $? = 0
if [ "$formats" != .npy ] && command -v h5dump >/dev/null; then
    h5dump -d u -b LE -o raw first.h5 >/dev/null && tail -c +129 first.npy | cmp -s - raw
    holds "h5dump finds them in .h5" $? = 0
    h5dump -d VTKHDF/PointData/u -b LE -o raw first.vtkhdf >/dev/null &&
        tail -c +129 first.npy | cmp -s - raw
    holds "h5dump finds them in .vtkhdf" $? = 0
fi

# ---- types and dimensions ----
ending=.npy
looked_at() { # FORMAT TYPE NX NY NZ
    ending=$1
    run luna run -q -n 2 -D "OUT=\"u$1\"" -D "TYPE=\"$2\"" -D NX="$3" -D NY="$4" -D NZ="$5" \
        -D BY="$(($4 ? 2 : 1))" -D BZ="$(($5 ? 2 : 1))" "$cube"
    code 0
    quiet
    [ -n "$python" ] || return
    [ "$1" = .npy ] || [ -n "$h5py" ] || return
    run "$python" "$values" "u$1" "$2" "$3" "$4" "$5"
    code 0
}
[ -n "$python" ] || skip "no numpy"
for ending in $formats; do
    looked_at "$ending" real 6 7 9
    looked_at "$ending" float 6 7 0
    looked_at "$ending" int 60 0 0
    looked_at "$ending" int64 3 1 2
    looked_at "$ending" int 3 1 0
done
finish
