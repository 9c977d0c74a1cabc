# mpi.cmake - which MPI is where. A machine may have several; mpicc is the default one, and that need
# not be MPICH.
include(CheckCSourceCompiles)

# What a compiler's wrapper adds: folders of headers, words for the linker.
function(mpi_words mpicc include link)
    execute_process(COMMAND ${mpicc} -show OUTPUT_VARIABLE words ERROR_QUIET
                    OUTPUT_STRIP_TRAILING_WHITESPACE)
    separate_arguments(words UNIX_COMMAND "${words}")
    set(folders ${words})
    list(FILTER folders INCLUDE REGEX "^-I")
    list(TRANSFORM folders REPLACE "^-I" "")
    list(FILTER words INCLUDE REGEX "^(-L|-l|-Wl,)")
    set(${include} ${folders} PARENT_SCOPE)
    set(${link} ${words} PARENT_SCOPE)
endfunction()

# All there are: Debian calls that of MPICH so whatever mpicc is; elsewhere the first mpicc of PATH
# may be that of Open MPI, and MPICH's stands in a folder of its own.
function(mpicc_candidates out)
    string(REPLACE ":" ";" folders "$ENV{PATH}")
    list(APPEND folders /usr/lib64/mpich/bin /usr/lib/mpich/bin /usr/lib64/mpi/gcc/mpich/bin)
    set(found)
    foreach(name mpicc.mpich mpicc)
        foreach(folder ${folders})
            if(EXISTS "${folder}/${name}")
                list(APPEND found "${folder}/${name}")
            endif()
        endforeach()
    endforeach()
    list(REMOVE_DUPLICATES found)
    set(${out} ${found} PARENT_SCOPE)
endfunction()

function(mpicc_is_mpich mpicc)
    mpi_words(${mpicc} CMAKE_REQUIRED_INCLUDES CMAKE_REQUIRED_LIBRARIES)
    set(CMAKE_REQUIRED_QUIET ON)
    check_c_source_compiles("#include <mpi.h>
#ifndef MPICH_VERSION
#error not MPICH
#endif
int main(void) { return MPI_Init(0, 0); }" LUNA_HAS_MPICH)
    if(NOT LUNA_HAS_MPICH)
        unset(LUNA_HAS_MPICH CACHE) # it may be installed until the next time
    endif()
endfunction()

# Sets LUNA_HAS_MPICH and LUNA_MPICC, which the user may have set.
function(mpich_find)
    if(LUNA_HAS_MPICH AND LUNA_MPICC)
        return()
    endif()
    unset(LUNA_HAS_MPICH CACHE)
    mpicc_candidates(candidates)
    foreach(mpicc ${LUNA_MPICC} ${candidates})
        mpicc_is_mpich(${mpicc})
        if(LUNA_HAS_MPICH)
            set(LUNA_MPICC ${mpicc} CACHE FILEPATH "the compiler of MPICH" FORCE)
            message(STATUS "MPICH: ${mpicc}")
            return()
        endif()
    endforeach()
    unset(LUNA_MPICC CACHE)
    list(JOIN candidates ", " others)
    if(others)
        set(others ", only another MPI (${others})")
    endif()
    message(STATUS "MPICH was not found${others}: luna is built without --transport=mpi")
endfunction()
