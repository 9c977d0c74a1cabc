# #link, --link, and CC4: libraries that functions call.
. "${0%/*}/lib.sh"

# A function that calls scale() of a library, and a program that calls it.
user() { # LINES-OF-THE-PROGRAM
    cat >f.c <<'E'
#include <stdio.h>
int scale(int k);
void say_scaled(int k) { printf("%d\n", scale(k)); }
E
    { printf '%s\n' "$@"; cat <<'E'; } >p.fa
import say_scaled(int) as say_scaled;
sub main() say_scaled(21);
E
}

shared() { # FOLDER EXPRESSION
    echo "int scale(int k) { return $2; }" >"$here/scale.c"
    mkdir -p "$1" && gcc -shared -fPIC -o "$1/libscale.so" "$here/scale.c"
}

archive() { # FOLDER EXPRESSION
    echo "int scale(int k) { return $2; }" >"$here/scale.c"
    mkdir -p "$1" && rm -f "$1/libscale.a"
    gcc -fPIC -c -o "$here/scale.o" "$here/scale.c" && ar rc "$1/libscale.a" "$here/scale.o"
}

# ---- in a folder, as seen from the file that says so; wherever luna runs ----
fresh
mkdir parts away
user '#include "parts/with.fa"'
echo '#link "scale" in "lib" // beside this file' >parts/with.fa
shared parts/lib '2 * k'
run luna run p.fa
code 0
quiet
out <<'E'
42
E
cd away || exit 1
run luna run ../p.fa
code 0
out <<'E'
42
E
run luna build ../p.fa -o prog
code 0
cd / || exit 1
run "$here/work/away/prog"
code 0
out <<'E'
42
E
cd "$here/work" || exit 1
run luna check p.fa
code 0
quiet

# A static library becomes a part of the program: another one makes it anew.
fresh
user '#link "scale" in "lib"'
archive lib '3 * k'
run luna run p.fa
out <<'E'
63
E
run luna run --verbose p.fa
err_has 'from the cache'
archive lib '4 * k'
run luna run p.fa
out <<'E'
84
E

# ---- where the linker looks ----
fresh
user '#link "scale"'
archive lib '5 * k'
LIBRARY_PATH=$PWD/lib run luna run p.fa
code 0
out <<'E'
105
E
user
LIBRARY_PATH=$PWD/lib run luna run --link=scale p.fa
code 0
out <<'E'
105
E
LIBRARY_PATH=$PWD/lib run luna run p.fa
code 1
err_has "error[CC2]: 'scale' is used, but nothing defines it"
err_has 'hint: a library that has it is named by #link "NAME"'

# ---- a package: headers too ----
fresh
user '#link pkg-config "scales"'
archive lib '6 * k'
mkdir include && echo '#define SEVEN 7' >include/seven.h
printf '#include <seven.h>\nvoid more(int k) { printf("%%d\\n", SEVEN * k); }\n' >>f.c
cat >scales.pc <<E
Name: scales
Description: a test
Version: 1
Cflags: -I$PWD/include
Libs: -L$PWD/lib -lscale
E
PKG_CONFIG_PATH=$PWD run luna run p.fa
code 0
out <<'E'
126
E
archive lib '7 * k'
PKG_CONFIG_PATH=$PWD run luna run p.fa
out <<'E'
147
E
run luna run p.fa
code 1
err <<'E'
p.fa:1:18: error[CC4]: pkg-config knows no package 'scales'
    1 | #link pkg-config "scales"
      |                  ^~~~~~~~
hint: pkg-config --list-all tells what it knows; PKG_CONFIG_PATH has folders of yours
1 error
E
mkdir bin && for tool in gcc as ld; do ln -s "$(command -v $tool)" bin; done
PATH=$PWD/bin run "$LUNA" run p.fa
code 1
err_has "error[CC4]: pkg-config was not found, which knows 'scales'"
err_has 'hint: install it (Debian: apt install pkg-config)'

# ---- CC4: it is not there; what it would have is no other fault ----
fresh
user '#link "nosuchlibrary"'
run luna run p.fa
code 1
err <<'E'
p.fa:1:7: error[CC4]: no library 'nosuchlibrary'
    1 | #link "nosuchlibrary"
      |       ^~~~~~~~~~~~~~~
hint: if it is in a folder of yours: #link "NAME" in "FOLDER"
1 error
E
run luna check p.fa
code 1
err_has "error[CC4]: no library 'nosuchlibrary'"
mkdir lib
user '#link "scale" in "lib"'
run luna run p.fa
code 1
err_has "p.fa:1:7: error[CC4]: no library 'scale' in 'lib'"
err_has 'hint: it would be libscale.so or libscale.a there'
mkfifo lib/libscale.a
user '#link "scale" in "lib"'
run luna run p.fa
code 1
err_has "p.fa:1:7: error[CC4]: cannot link '$PWD/lib/libscale.a': it is a FIFO, and a regular file"
rm lib/libscale.a
user '#link "scale" in "nowhere"'
run luna run p.fa
code 1
err_has "p.fa:1:7: error[CC4]: no folder 'nowhere' for library 'scale'"
err_has 'hint: folders are named as seen from the file that has the #link'
user
run luna run --link=nosuchlibrary p.fa
code 1
err_has "error[CC4]: no library 'nosuchlibrary'"
# Of the usual ones the package is told.
user '#link "arpack"' '#link "arpack"'
LIBRARY_PATH= run luna run p.fa
code 1
err_has "error[CC4]: no library 'arpack'"
err_has 'hint: install it (Debian: apt install libarpack2-dev)'
err_has '1 error'

# ---- PP2: names and folders, and no other flags ----
for text in '' 'scale' '"scale' '""' '"scale" in' '"scale" in lib' 'pkg-config scale'; do
    user "#link $text"
    run luna check p.fa
    code 1
    err_has 'p.fa:1:1: error[PP2]: #link needs the name of a library in quotes'
    err_has 'hint: write #link "openblas", #link "mine" in "folder" or #link pkg-config "hdf5"'
    err_has '1 error'
done
for name in '-Wl,-z' '@flags' 'a b' 'lib/scale' '+x' '-lscale'; do
    user "#link \"$name\""
    run luna check p.fa
    code 1
    err_has "p.fa:1:7: error[PP2]: '$name' is no name of a library"
    err_has 'hint: the file libNAME.so or libNAME.a has the NAME'
    user
    run luna run "--link=$name" p.fa
    code 2
    err_has "error: --link needs the name of a library, as openblas, not '$name'"
done
user '#link pkg-config "no such"'
run luna check p.fa
code 1
err_has "p.fa:1:18: error[PP2]: 'no such' is no name of a package"
err_lacks hint
user '#ifdef NEVER' '#link "nosuchlibrary"' '#endif'
run luna check p.fa
code 1
err_has 'error[CC2]'
err_lacks 'CC4'

finish
