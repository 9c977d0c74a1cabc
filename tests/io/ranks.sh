# Ranks write and read the same files as one process.
. "${0%/*}/../mpi/lib_mpi.sh"
cube=${0%/*}/cube.fa
for ending in .npy .h5 .vtkhdf; do
    run luna run -q -D "OUT=\"u$ending\"" "$cube"
    if grep -q 'libhdf5.so was not found' "$here/err"; then continue; fi
    code 0
    mv "u$ending" "first$ending"
    for n in 2 4; do
        run guarded "$LUNA" run -q --transport=mpi -n $n -t 1 -D "OUT=\"u$ending\"" "$cube"
        code 0
        quiet
        if cmp -s "u$ending" "first$ending"; then good; else bad "another file"; fi
        run guarded "$LUNA" run -q --transport=mpi -n $n -t 1 -D "IN=\"first$ending\"" "$cube"
        code 0
        out_has "right: 960"
    done
done
finish
