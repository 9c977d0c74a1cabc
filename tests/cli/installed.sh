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
