# When the machine is at fault: exit code 5, the cause, the cure, nothing left behind.
. "${0%/*}/lib.sh"
hello
clean() { holds "no intermediate files stay" -z "$(ls "$TMPDIR")"; }

run env CC=no-such-cc "$LUNA" run hello.fa
code 5
out </dev/null
err <<'E'
luna: error: the C compiler 'no-such-cc' was not found
hint: install it (Debian: apt install gcc), or name another in CC
E
clean

run env CXX=no-such-cxx "$LUNA" check hello.fa
code 5
err <<'E'
luna: error: the C++ compiler 'no-such-cxx' was not found
hint: install it (Debian: apt install g++), or name another in CXX
E
clean

run env TMPDIR=/no/such/folder "$LUNA" run hello.fa
code 5
err <<'E'
luna: error: cannot make a folder for intermediate files in '/no/such/folder': No such file or directory
hint: set TMPDIR to a folder that can be written
E

run luna run --build-dir=/proc/x hello.fa
code 2
err_has "cannot use '/proc/x' for intermediate files"

run luna build hello.fa -o /proc/prog
code 2
err_has "cannot write '/proc/prog'"
clean

cat >killed <<'E'
#!/bin/sh
kill -9 $$
E
chmod +x killed
run env CC=./killed "$LUNA" run hello.fa
code 5
err <<'E'
luna: error: the C compiler was ended by signal 9 (Killed)
hint: if memory is short, -O0 needs less
E
clean

# A compiler that says nothing we know.
printf '#!/bin/sh\necho "licence expired" >&2\nexit 1\n' >odd
chmod +x odd
run env CXX=./odd "$LUNA" run hello.fa
code 1
err_has "b.cpp: error[CC1]: licence expired"
clean

# One that says nothing at all, and one that is content and makes nothing.
run env CXX=false "$LUNA" run hello.fa
code 1
err_has "b.cpp: error[CC1]: the compiler failed, and did not say why"
run env CC=true "$LUNA" run hello.fa
code 1
err_has "error[CC1]: the compiler has made no object, or one that cannot be read"
clean
run env -u PATH XDG_CACHE_HOME="$PWD/fresh" "$LUNA" run hello.fa
code 0
run env LUNA_RANKS_SOCKET=nobody "$LUNA" run hello.fa
code 5
err <<'E'
luna: error: nobody listens at 'nobody', where LUNA_RANKS_SOCKET says that ranks are watched
hint: the command that has started them is gone, or the variable is to be unset
E
run env LUNA_RANKS_SOCKET="$(printf 'no\033[31mbody')" "$LUNA" run hello.fa
code 5
err_has "luna: error: nobody listens at 'no?[31mbody'"
run env LUNA_RANKS_SOCKET= "$LUNA" run hello.fa
code 0

# The compiler's memory or files are at an end: no fault of the program, whoever notices it.
short_of() {
    printf '#!/bin/sh\n%s\nexec gcc "$@"\n' "$1" >short && chmod +x short
    run env CC=./short "$LUNA" run hello.fa
    code 5
    out </dev/null
    err_has "luna: error: $2"
    err_has "hint: $3"
    clean
}
memory="the compiler is out of memory, or crashed: "
short_of 'ulimit -v 30000' "$memory" '-O0 needs less; ulimit -v tells how much a process may have'
short_of 'ulimit -f 1' 'a file that the compiler makes is larger than is allowed here' \
    'ulimit -f tells how large a file may be'
while read -r words; do
    short_of "echo '$words' >&2; exit 1" "$memory$words" '-O0 needs less'
done <<'E'
virtual memory exhausted: Cannot allocate memory
cc1: out of memory allocating 65536 bytes after a total of 303104 bytes
/usr/bin/ld: final link failed: memory exhausted
cc1: error while loading shared libraries: libc.so.6: failed to map segment from shared object
gcc: internal compiler error: Segmentation fault signal terminated program cc1
collect2: fatal error: ld terminated with signal 9 [Killed]
LLVM ERROR: out of memory
E
# A program may speak of memory.
cp a.c kept
echo 'int f(void) { return "Cannot allocate memory" + g; }' >>a.c
run luna run hello.fa
code 1
err_has "a.c:3:49: error[CC1]:"
mv kept a.c

# Files may not grow beyond a limit: a failed write as any other, in compilers too, and no signal.
cat >many.fa <<'E'
import c_hello(int) as hello;
sub main() for i = 1..2000 hello(i);
E
limited() { run sh -c "ulimit -f 1; exec $*"; }
limited "'$LUNA' run -q -O0 hello.fa"
code 5
err_has ": File too large"
clean
run luna build many.fa -o many
code 0
limited "'$LUNA' run many.fa >told"
code 5
err_has "luna: error: cannot write to stdout: File too large"
limited "./many >told"
code 5
err_has "many: error: cannot load the compiled program './many': File too large"
limited "'$LUNA' run --trace=trace many.fa"
code 5
err_has "cannot write"
err_has "File too large"
limited "'$LUNA' build many.fa -o other"
code 5
err_has "File too large"
holds "no half of a program stays" ! -e other

# Words of CXX_FLAGS and LDFLAGS arrive one by one; no shell sees them.
# shellcheck disable=SC2016
run env CXX_FLAGS='-DA=$(touch${IFS}oops) -DB' "$LUNA" run hello.fa
code 0
holds "nothing was executed" ! -e oops
mv hello.fa 'with space; touch oops.fa'
run luna run 'with space; touch oops.fa'
code 0
holds "nothing was executed" ! -e oops.fa
mv 'with space; touch oops.fa' hello.fa

# Interrupted while compiling: the compiler ends too, nothing stays.
cat >slow <<'E'
#!/bin/sh
touch started
exec sleep 20
E
chmod +x slow
for signal in INT:130 TERM:143; do
    rm -f started
    # The shell starts background jobs with SIGINT ignored; env sets it back.
    env --default-signal=INT CC=./slow "$LUNA" run hello.fa >"$here/out" 2>"$here/err" &
    pid=$!
    last="kill -${signal%:*} while compiling"
    for _ in $(seq 100); do
        [ -e started ] && break
        sleep 0.05
    done
    kill "-${signal%:*}" $pid
    wait $pid
    last_code=$?
    code "${signal#*:}"
    clean
done

# Ranks with next to no files: said before MPI begins, which would fail in words of its own.
run sh -c "ulimit -n 16; exec '$LUNA' run -n 2 --transport=mpi hello.fa"
code 5
err <<'E'
luna: error: a process may open 16 files, 2 ranks need 64
hint: raise the limit (ulimit -n 64), or leave out --transport=mpi
E

# Next to no memory, of which MPICH takes much before the program begins.
if [ -z "$SANITIZED" ]; then
    run sh -c "ulimit -v 100000; exec '$LUNA' run -n 2 --transport=mpi hello.fa"
    code 5
    err <<'E'
luna: error: a process may have 97.66 MiB of memory, each of 2 ranks needs 128.00 MiB
hint: raise the limit (ulimit -v unlimited), or leave out --transport=mpi
E
fi

# A /dev/shm that nobody can write.
if [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    run unshare -m sh -c "mount -t tmpfs -o ro tmpfs /dev/shm && exec '$LUNA' \
        run -n 2 --transport=mpi hello.fa"
    code 5
    err <<'E'
luna: error: /dev/shm is read-only, but ranks share memory there
hint: mount it to be written (mount -o remount,rw /dev/shm), or leave out --transport=mpi
E
else
    skip "no mount name space of our own"
fi

# A full disk.
small=$here/small
mkdir "$small"
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=16k tmpfs "$small" 2>/dev/null; then
    rm -rf "$XDG_CACHE_HOME"
    run env TMPDIR="$small" "$LUNA" run hello.fa
    code 5
    err_has "o space left"
    err_has "set TMPDIR to another disk"
    holds "nothing stays on the full disk" -z "$(ls "$small")"
    run env XDG_CACHE_HOME="$small" "$LUNA" run hello.fa -t 1
    code 0
    quiet
    run luna build hello.fa -o "$small/prog"
    code 5
    err_has "cannot write"
    holds "no half of a program stays" ! -e "$small/prog"
    umount "$small"
else
    skip "a full disk: mount is not allowed here"
fi
finish
