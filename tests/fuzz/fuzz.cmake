# Fuzz targets. luna_fuzz(NAME LIBS ...) links fuzz_NAME.c twice:
#   replay_NAME  with a main of ours; the normal tests run it on corpus/NAME, under any compiler;
#   fuzz_NAME    with libFuzzer, in a build of its own:
#     CC=clang CXX=clang++ cmake -B build-fuzz -DLUNA_SANITIZE=fuzzer-no-link,address,undefined
#     cmake --build build-fuzz --target fuzz_prep
#     build-fuzz/tests/fuzz_prep -dict=tests/fuzz/fa.dict NEW_INPUTS tests/fuzz/corpus/prep
# What it finds goes to the corpus, made small by -minimize_crash=1.
function(luna_fuzz name)
    cmake_parse_arguments(A "" "" "LIBS" ${ARGN})
    add_executable(replay_${name} fuzz/fuzz_${name}.c fuzz/replay.c)
    target_link_libraries(replay_${name} PRIVATE ${A_LIBS} luna_flags)
    add_test(NAME replay_${name}
             COMMAND replay_${name} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name})
    set_tests_properties(replay_${name} PROPERTIES LABELS unit)
    if(CMAKE_C_COMPILER_ID MATCHES Clang AND LUNA_SANITIZE MATCHES fuzzer)
        add_executable(fuzz_${name} EXCLUDE_FROM_ALL fuzz/fuzz_${name}.c)
        target_link_libraries(fuzz_${name} PRIVATE ${A_LIBS} luna_flags)
        target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    endif()
endfunction()

luna_fuzz(prep LIBS luna_lang)
luna_fuzz(parse LIBS luna_lang)
