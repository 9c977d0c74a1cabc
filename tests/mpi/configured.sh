#!/bin/sh
# configured.sh - luna is built with MPICH where mpicc is another MPI's; where there is no MPICH this is
# said, and a later cmake in the same folder finds the one that has come.
. "${0%/*}/lib_mpi.sh"
: "${CMAKE:?}" "${MPI_CMAKE:?}"
[ -n "$mpicc" ] || { skip "no mpicc of MPICH"; exit 77; }
[ ! -d /usr/lib64/mpich/bin ] || { skip "MPICH is in a folder that is always looked at"; exit 77; }

cat >CMakeLists.txt <<E
cmake_minimum_required(VERSION 3.22)
project(one C)
include($MPI_CMAKE)
mpich_find()
message(STATUS "found \${LUNA_HAS_MPICH} \${LUNA_MPICC}")
E
# Tools without any MPI; an MPI that is not MPICH; MPICH by the common name.
mkdir tools other mine
for tool in cc gcc make ld as ar ranlib sh; do ln -s "$(command -v $tool)" tools/; done
printf '#!/bin/sh\necho cc -I/usr/include/nowhere -lm\n' >other/mpicc
printf '#!/bin/sh\nexec %s "$@"\n' "$mpicc" >mine/mpicc
chmod +x other/mpicc mine/mpicc

configure() { # configure PATH
    run env -u CMAKE_C_COMPILER_LAUNCHER PATH="$1" "$CMAKE" -S . -B build -G "Unix Makefiles"
    code 0
}
configure "$PWD/tools:$PWD/other"
out_has "MPICH was not found, only another MPI ($PWD/other/mpicc): luna is built without --transport=mpi"
out_has "found  "
configure "$PWD/tools"
out_has "MPICH was not found: luna is built without --transport=mpi"
configure "$PWD/tools:$PWD/other:$PWD/mine"
out_has "found 1 $PWD/mine/mpicc"
configure "$PWD/tools"
out_has "found 1 $PWD/mine/mpicc"

# Open MPI's own.
if command -v mpicc.openmpi >/dev/null; then
    rm -rf build
    ln -sf "$(command -v mpicc.openmpi)" other/mpicc
    configure "$PWD/tools:$PWD/other"
    out_has "only another MPI ($PWD/other/mpicc)"
    configure "$PWD/other:$PATH"
    out_has "found 1 $mpicc"
else
    skip "no Open MPI (package libopenmpi-dev)"
fi
finish
