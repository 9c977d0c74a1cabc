# An installed luna finds its headers and its stub; one that was moved by itself says so.
. "${0%/*}/lib.sh"
hello

run "$CMAKE" --install "$BUILD" --prefix "$here/prefix"
code 0
run "$here/prefix/bin/luna" run hello.fa -t 1
code 0
quiet
out <<'E'
C 1
C++ 2
E
run "$here/prefix/bin/luna" build hello.fa -o prog
code 0
run ./prog -t 1
code 0
run gcc -fsyntax-only -I "$here/prefix/include/luna" -include luna.h -x c /dev/null
code 0

# The library io lies in the installation; a program is compiled again when a file of it is another.
cat >save.fa <<'F'
#include <luna/io.fa>
sub main(string type) {
    df file, wrote;
    io_create("u.npy", "u", type, 1, 0, 0, file);
    io_write(file, 7, 0, 0, 0, 1, 0, 0, wrote);
    io_close(file, wrote);
}
F
run "$here/prefix/bin/luna" run save.fa int
code 0
quiet
holds "u.npy has the number" "$(tail -c 4 u.npy | od -An -t d4 | tr -d ' ')" = 7
run "$here/prefix/bin/luna" run save.fa double
code 3
err_has "error[RUN5]: 'double' is none of the types real, float, int, int64"
sed -i 's/is none of the types/is not one of the types/' "$here/prefix/share/luna/io.c"
run "$here/prefix/bin/luna" run save.fa double
code 3
err_has "error[RUN5]: 'double' is not one of the types real, float, int, int64"
rm "$here/prefix/share/luna/io.fa"
run "$here/prefix/bin/luna" run save.fa int
code 1
err_has "save.fa:1:10: error[PP8]: include target not found: 'luna/io.fa'"

cp "$here/prefix/bin/luna" moved
run ./moved run hello.fa
code 5
err <<E
luna: error: luna.h was not found beside '$(pwd -P)'
hint: luna was moved by itself; install it with 'cmake --install build --prefix DIR'
E

rm "$here/prefix/lib/luna/luna_stub"
run "$here/prefix/bin/luna" build hello.fa -o prog2
code 5
err_has "luna_stub': No such file or directory"
finish
