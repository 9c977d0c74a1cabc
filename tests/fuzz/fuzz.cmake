# Fuzz targets. luna_fuzz(NAME N LIBS ...) links fuzz_NAME.c twice:
#   replay_NAME  with a main of ours; the normal tests run it on INPUTS, and on N texts that are made
#                of these, under any compiler;
#   fuzz_NAME    with libFuzzer, in a build of its own:
#     CC=clang CXX=clang++ cmake -B build-fuzz -DLUNA_SANITIZE=fuzzer-no-link,address,undefined
#     cmake --build build-fuzz --target fuzz_prep
#     build-fuzz/tests/fuzz_prep -dict=tests/fuzz/fa.dict NEW_INPUTS tests/fuzz/corpus/prep
# What it finds goes to the corpus, made small by -minimize_crash=1. (For fuzz_lang: to tests/lang/diag.)
if(LUNA_SANITIZE MATCHES thread)
    return() # they have one
endif()
function(luna_fuzz name n)
    cmake_parse_arguments(A "" "" "LIBS;INPUTS" ${ARGN})
    add_executable(replay_${name} fuzz/fuzz_${name}.c fuzz/replay.c fuzz/mutate.c)
    target_link_libraries(replay_${name} PRIVATE ${A_LIBS} luna_flags)
    add_test(NAME replay_${name} COMMAND replay_${name} -m ${n} ${A_INPUTS})
    set_tests_properties(replay_${name} PROPERTIES LABELS "unit;sequential")
    if(CMAKE_C_COMPILER_ID MATCHES Clang AND LUNA_SANITIZE MATCHES fuzzer)
        add_executable(fuzz_${name} EXCLUDE_FROM_ALL fuzz/fuzz_${name}.c)
        target_link_libraries(fuzz_${name} PRIVATE ${A_LIBS} luna_flags)
        target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    endif()
endfunction()

set(corpus ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus)
luna_fuzz(prep 1000 LIBS luna_lang_prep INPUTS ${corpus}/prep)
luna_fuzz(parse 1000 LIBS luna_lang_resolve luna_lang_parse INPUTS ${corpus}/parse)
# All passes, on the programs there are.
file(GLOB programs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/apps/*/*.fa
     ${CMAKE_CURRENT_SOURCE_DIR}/lang/*/*.fa ${CMAKE_CURRENT_SOURCE_DIR}/programs/*/*.fa)
if(LUNA_SANITIZE)
    luna_fuzz(lang 300 LIBS luna_lang INPUTS ${programs})
else()
    luna_fuzz(lang 1000 LIBS luna_lang INPUTS ${programs})
endif()
