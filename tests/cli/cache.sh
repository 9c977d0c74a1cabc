# The cache of compiled programs: when it is used, when not, and what cannot go wrong with it.
. "${0%/*}/lib.sh"
hello
cached() { err_has "from the cache"; }
compiled() { err_has "compiling 'hello.fa'"; }

run luna run --verbose hello.fa -t 1
code 0
compiled
run luna run --verbose hello.fa -t 1
code 0
cached
out <<'E'
C 1
C++ 2
E
holds "objects are its owner's alone" -z "$(find "$XDG_CACHE_HOME/luna" -perm /077)"

# Each of these makes another program, and going back finds the first again.
for change in 's/hello(1)/hello(5)/ hello.fa' 's/C %d/c %d/ a.c' 's/C++ %d/c++ %d/ b.cpp'; do
    file=${change##* }
    cp "$file" saved
    sed -i "${change% *}" "$file"
    run luna run --verbose hello.fa
    code 0
    compiled
    cp saved "$file"
    run luna run --verbose hello.fa
    code 0
    cached
done
rm saved

for option in -O0 -g -DX=1; do
    run luna run --verbose $option hello.fa
    compiled
    run luna run --verbose $option hello.fa
    cached
done
run env CXX_FLAGS=-DSOME "$LUNA" run --verbose hello.fa
compiled
run env CXX_FLAGS=-DOTHER "$LUNA" run --verbose hello.fa
compiled
run env CXX_FLAGS=-DSOME "$LUNA" run --verbose hello.fa
cached

# A header of a ucode, a new file beside the program, one less.
echo '#define WORD "first"' >word.h
printf '#include "word.h"\n#include <stdio.h>\nvoid c_hello(int k) { printf(WORD " %%d\\n", k); }\n' >a.c
run luna run hello.fa
out_has "first 1"
echo '#define WORD "second"' >word.h
run luna run hello.fa
out_has "second 1"
run luna run --verbose hello.fa
cached
echo 'extern "C" void cpp_hello(int) { }' >c.cpp
run luna run hello.fa
code 1
err_has "SYN14"
rm c.cpp
run luna run --verbose hello.fa
code 0
cached

# Included files, also one that comes to stand in front of another.
mkdir lib
echo 'sub other() hello(7);' >lib/other.fa
cat >lib/inc.fa <<'E'
import c_hello(int) as hello;
#include "other.fa"
sub main() other();
E
run luna run --cpp-dir=. lib/inc.fa
code 0
out_has "second 7"
echo 'sub other() hello(8);' >other.fa
run luna run --cpp-dir=. lib/inc.fa
code 0
out_has "second 8"
rm other.fa
run luna run --cpp-dir=. lib/inc.fa
code 0
out_has "second 7"

# Only what changed is compiled again.
run luna run --verbose hello.fa -t 1
sed -i 's/hi(2)/hi(3)/' hello.fa
run luna run --verbose hello.fa -t 1
compiled
err_has "program.c"
err_lacks "b.cpp"
err_lacks "unit1"

# A library that LDFLAGS name is an input too.
library() {
    printf 'int from_library(void) { return %s; }\n' "$1" >"$here/library.c"
    gcc -fPIC -c "$here/library.c" -o "$here/library.o" && rm -f "$here/libextra.a" &&
        ar rcs "$here/libextra.a" "$here/library.o"
}
printf 'import c_lib() as go;\nsub main() go();\n' >lib/lib.fa
cat >lib/lib.c <<'E'
#include <stdio.h>
int from_library(void);
void c_lib(void) { printf("%d\n", from_library()); }
E
for n in 1 2 1; do
    library $n
    run env LDFLAGS="-L$here -lextra" "$LUNA" run lib/lib.fa
    code 0
    out <<E
$n
E
done

# Damage is noticed and repaired: a flipped byte, a cut, nothing left, another's object.
objects=$XDG_CACHE_HOME/luna/objects
lists=$XDG_CACHE_HOME/luna/lists
damage() {
    for f in "$objects"/* "$lists"/*; do "$@" "$f"; done
    run luna run hello.fa -t 1
    code 0
    quiet
    out <<'E'
second 1
C++ 3
E
}
flip() { printf '\377' | dd of="$1" bs=1 seek=100 conv=notrunc 2>/dev/null; }
cut() { truncate -s 90 "$1"; }
empty() { : >"$1"; }
swap() { cp "$(ls "$objects"/* | head -n 1)" "$1" 2>/dev/null || true; }
damage flip
damage cut
damage empty
damage swap
damage rm

# Two and more at the same time.
rm -rf "$XDG_CACHE_HOME"
for i in 1 2 3 4 5 6; do
    "$LUNA" run hello.fa -t 1 >"$here/par$i" 2>&1 &
done
wait
for i in 1 2 3 4 5 6; do
    holds "run $i printed what it should" "$(cat "$here/par$i")" = "second 1
C++ 3"
done
holds "no half-made files stay" -z "$(find "$XDG_CACHE_HOME" -name '*.*')"
run luna run --verbose hello.fa
cached

# Where it is: XDG_CACHE_HOME, HOME, the temp folder; else there is none.
run env -u XDG_CACHE_HOME "$LUNA" run hello.fa
code 0
holds "it is in ~/.cache" -d "$HOME/.cache/luna/objects"
run env -u XDG_CACHE_HOME -u HOME "$LUNA" run hello.fa
code 0
quiet
holds "it is in the temp folder" -d "$TMPDIR/luna-cache-$(id -u)/objects"
chmod 777 "$TMPDIR/luna-cache-$(id -u)"
run env -u XDG_CACHE_HOME HOME=/nonexistent "$LUNA" run hello.fa -t 1
code 0
out_has "second 1"
err <<'E'
luna: warning: no folder for the cache of compiled programs can be written
hint: each run compiles anew; set XDG_CACHE_HOME to a folder of yours
E
run env -u XDG_CACHE_HOME HOME=/nonexistent "$LUNA" run -q hello.fa
code 0
quiet
holds "a missing home is not made" ! -e /nonexistent

run env -u XDG_CACHE_HOME HOME=/nonexistent TMPDIR="$here/none" "$LUNA" run hello.fa -t 1
code 5
err_has "luna: error: cannot make a folder for intermediate files in '$here/none'"
err_has "hint: set TMPDIR to a folder that can be written"
holds "a missing temp folder is not made" ! -e "$here/none"

# A folder that others can write is not trusted.
chmod 777 "$XDG_CACHE_HOME/luna/objects"
run env HOME=/nonexistent "$LUNA" run --verbose hello.fa
code 0
err_lacks "from the cache"
finish
