# What goes wrong with files is said where it happens, and nothing half-written bears the final name.
. "${0%/*}/../cli/lib.sh"
cube=${0%/*}/cube.fa

writes() { run luna run -q -t 2 -D 'OUT="u.npy"' "$@" "$cube"; }
fails() { # TEXT
    code 3
    err_has "error[RUN5]: $1"
    holds "the place is told" -n "$(grep '^[^:]*:[0-9]*:[0-9]*: error' "$here/err")"
    holds "there is no u.npy" ! -e u.npy
}
left() { holds "u.npy.part is left" -e u.npy.part; }

# ---- what io_create refuses ----
for name in u.txt u .npy.x; do
    run luna run -q -D "OUT=\"$name\"" "$cube"
    fails "'$name' ends neither in .npy nor in .h5 or .vtkhdf, so its format is not known"
done
writes -D 'TYPE="double"'
fails "'double' is none of the types real, float, int, int64"
writes -D NX=0
fails "'u.npy' cannot have 0 x 10 x 8 points"
writes -D NX=-1
fails "'u.npy' cannot have -1 x 10 x 8 points"
writes -D NX=2000000000 -D NY=2000000000 -D NZ=2000000000 -D BX=1
fails "'u.npy' would have more bytes than a file can"
run luna run -q -D 'OUT="nowhere/u.npy"' "$cube"
fails "cannot make 'nowhere/u.npy.part': No such file or directory"
holds "nothing is left" -z "$(ls -A)"
mkdir f.npy
run luna run -q -D 'OUT="f.npy"' "$cube"
fails "cannot make 'f.npy': a folder has this name"
holds "nothing is left" "$(ls -A)" = f.npy
rmdir f.npy
long=$(printf '%05000d' 0)
run luna run -q -D "OUT=\"$long.npy\"" "$cube"
fails "the name of the file has 5004 bytes: too many"
if [ "$(id -u)" != 0 ]; then
    mkdir closed && chmod 500 closed
    run luna run -q -D 'OUT="closed/u.npy"' "$cube"
    fails "cannot make 'closed/u.npy.part': Permission denied"
    chmod 700 closed && rmdir closed
fi

# ---- HDF5: a library that is another one, and none ----
mkdir other
echo 'int H5open(void); int H5open(void) { return 0; }' >other/h5.c
cc -shared -fPIC -o other/libhdf5.so other/h5.c
run env LD_LIBRARY_PATH="$PWD/other" "$LUNA" run -q -D 'OUT="u.h5"' "$cube"
fails "cannot make 'u.h5': it needs HDF5 1.10 or later, and the one that was found is another"
rm -r other
# Each file that may be the library is empty, in a name space of its own.
cat >hidden.sh <<'E'
for library in $(ldconfig -p | sed -n 's/.*libhdf5\(_serial\)\{0,1\}[.]so.* => //p'); do
    mount --bind /dev/null "$library" || exit
done
exec "$@"
E
if unshare -m true 2>/dev/null; then
    run unshare -m sh hidden.sh "$LUNA" run -q -D 'OUT="u.h5"' "$cube"
    fails "cannot make 'u.h5': it needs HDF5, and libhdf5.so was not found: install it (Debian: apt install libhdf5-103-1), or name its folder in LD_LIBRARY_PATH; .npy needs none"
else
    skip "no name space of its own may be made"
fi
rm hidden.sh

# ---- blocks ----
write='io_write(file, u[i][j][k]'
box='$BOX, wrote[i][j][k])'
writes -D "ONCE=$write, \$BOX, wrote[i][j][k])"
code 0
rm u.npy
writes -D "ONCE=$write, 12, 0, 0, 4, 5, 4, wrote[i][j][k])"
fails "the block of 4 x 5 x 4 points at (12, 0, 0) is not within 'u.npy', which has 12 x 10 x 8"
left
writes -D "ONCE=$write, 0, 6, 0, 4, 5, 4, wrote[i][j][k])"
fails "the block of 4 x 5 x 4 points at (0, 6, 0) is not within"
writes -D "ONCE=$write, 0, 0, -1, 4, 5, 4, wrote[i][j][k])"
fails "the block of 4 x 5 x 4 points at (0, 0, -1) is not within"
writes -D "ONCE=$write, 0, 0, 0, -4, 5, 4, wrote[i][j][k])"
fails "the block of -4 x 5 x 4 points at (0, 0, 0) is not within"
writes -D NZ=0 -D BZ=1 -D "ONCE=$write, 0, 0, 1, 4, 5, 1, wrote[i][j][k])"
fails "the block of 4 x 5 x 1 points at (0, 0, 1) is not within 'u.npy', which has 12 x 10"
writes -D "ONCE=$write, 0, 0, 0, 4, 5, 3, wrote[i][j][k])"
fails "the block has 640 bytes, but 60 points of the type real, as in 'u.npy', are 480"
writes -D "ONCE=io_write(file, i, 0, 0, 0, 1, 1, 1, wrote[i][j][k])"
fails "the block is an int, but 'u.npy' has values of the type real"
writes -D TYPE='"int64"' -D "ONCE=io_write(file, 1.5, 0, 0, 0, 1, 1, 1, wrote[i][j][k])"
fails "the block is a real, but 'u.npy' has values of the type int64"
writes -D "ONCE=io_write(file, \"one\", 0, 0, 0, 1, 1, 1, wrote[i][j][k])"
fails "the block is a string, but 'u.npy' has values of the type real"
writes -D "ONCE=io_write(u[i][j][k], u[i][j][k], $box"
fails "the first argument is no file of io_create or io_open"

# ---- a file that is not closed, one that is made for two arrays ----
forgotten="luna: warning: 'u.npy' is not whole, and called 'u.npy.part': no io_close has ended it"
for how in "-t 1" "-n 3"; do
    run luna run -q $how -D 'OUT="u.npy"' -D 'CLOSE=say("open", 1)' "$cube"
    code 0
    err_has "$forgotten"
    left
done
cat >two.fa <<'E'
#include <luna/io.fa>
sub save(string path, string array, int k, name done)
{
    df file, wrote;
    io_create(path, array, "int", 1, 0, 0, file);
    io_write(file, k, 0, 0, 0, 1, 0, 0, wrote);
    io_close(file, wrote) >> (done);
}
sub main(string path, string second)
{
    df done, end;
    save(path, "u", 1, done);
    if done > 0 || done <= 0 save(path, second, 2, end);
}
E
run luna run -q two.fa v.npy w
code 0
holds "the second one has taken its place" "$(od -A n -t d4 -j 128 v.npy)" -eq 2
run luna run -q two.fa v.h5 w
code 3
err_has "error[RUN5]: 'v.h5' is for 'u' and 'w': a file holds one array, make one for each"
holds "the first one stays" -s v.h5
run luna run -q two.fa v.h5 u
code 0
rm v.npy v.h5 two.fa

# ---- missing, doubled, both ----
writes -D 'CLOSE=reduce + int64(wrote[i][1][1]) over i = 0..1 => x; io_close(file, x)'
fails "'u.npy' is not complete: 160 of 960 points have been written; what is missing has its middle at (5.9, 4.0, 3.1). It stays as 'u.npy.part'"
left
writes -D "ONCE=$write, i == 2 ? 4 : \$AT(\$NX,\$BX,i), \$AT(\$NY,\$BY,j), \$AT(\$NZ,\$BZ,k), 4, 5, 4, wrote[i][j][k])"
fails "as many points of 'u.npy' as it has have been written, but some of them twice, and others never"
left
writes -D 'CLOSE=io_write(file, u[0][1][0], 0, 5, 0, 4, 5, 4, x[0]);
reduce + int64(wrote[i][j][k]) over i = 0..2, j = 0..1, k = 0..1 => x[1];
reduce + int64(x[i]) over i = 0..1 => x[2]; io_close(file, x[2])'
fails "'u.npy' has 960 points, but 1040 have been written: what was written twice has its middle at (1.5, 7.0, 1.5). It stays as"
left
# A sum of another kind: as doubles, or of something else.
writes -D "CLOSE=reduce + wrote[i][j][k] over i = 0..2, j = 0..1, k = 0..1 => x[7]; io_close(file, x[7])"
fails "the second argument is no sum of what io_write has made: reduce + int64(wrote[i]) over i = ... => sum"
writes -D "CLOSE=io_close(file, 960)"
fails "the second argument is no sum of what io_write has made"
writes -D "CLOSE=io_close(sum, sum)"
fails "the first argument is no file of io_create or io_open"

# ---- one file, one writer ----
writes -D 'CLOSE=io_create("u.npy", "u", "real", 1, 1, 1, x[7])'
fails "'u.npy.part' is being written already, by this run or another one"
# Twice one after the other is fine; another shape under the same name is another file.
writes -D 'CLOSE=io_close(file, sum) >> (x[7]); io_create("u.npy", "u", "int", 1, 0, 0, x[8]) @ { request x[7]; }; io_write(x[8], 7, 0, 0, 0, 1, 1, 1, x[9]); io_close(x[8], x[9])'
code 0
holds "the second file is there" "$(tail -c 4 u.npy | od -An -t d4 | tr -d ' ')" = 7
rm u.npy
# What happens to PATH.part meanwhile.
writes -D 'CLOSE=spoil("rm -f u.npy.part", sum, x[7]); io_close(file, sum) @ { request x[7]; }'
fails "cannot open 'u.npy.part', which io_create has made: No such file or directory. Do all machines share its folder?"
writes -D 'CLOSE=spoil("cp u.npy.part x; head -c 99 x >u.npy.part", sum, x[7]); io_close(file, sum) @ { request x[7]; }'
fails "'u.npy.part' is not the file that io_create has made. Do all machines share its folder?"
writes -D 'CLOSE=spoil("mkdir u.npy", sum, x[7]); io_close(file, sum) @ { request x[7]; }'
code 3
err_has "error[RUN5]: cannot finish 'u.npy': Is a directory"
rmdir u.npy

# ---- a run that is killed leaves PATH.part, which the next one does not mind ----
writes -D 'CLOSE=spoil("kill -9 $PPID", sum, x[7]); io_close(file, sum) @ { request x[7]; }'
code 137
holds "there is no u.npy" ! -e u.npy
left
writes
code 0
holds "u.npy is whole" "$(stat -c %s u.npy)" = $((128 + 8 * 960))
holds "nothing is left aside" ! -e u.npy.part
rm u.npy

# ---- a disk that is too small: known when the file is made ----
full() { # FOLDER
    run luna run -q -D "OUT=\"$1/u.npy\"" -D NX=600 -D NY=50 "$cube"
    code 3
    err_has "error[RUN5]: cannot make '$1/u.npy': no room for 1920128 bytes: "
    holds "nothing is left there" -z "$(ls -A "$1")"
}
mkdir small
if mount -t tmpfs -o size=1m none small 2>/dev/null; then
    full small
    err_has 'No space left on device'
    umount small
else
    skip "no folder of limited size may be made"
fi
(ulimit -f 1000 && full small; [ "$failed" = 0 ])
holds "a limit on files is told too" $? = 0
finish
