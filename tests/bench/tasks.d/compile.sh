# compile.sh - how long one waits for the compiler; sourced by ../tasks.

write_hello() # DIR LANGUAGE
{
    mkdir -p "$1"
    printf '%s sub hello() ${{ printf("hello\\n"); $}}\nsub main() hello();\n' "$2" >"$1/hello.fa"
    [ "$2" = C++ ] || sed -i '1i C head ${<END}\n#include <stdio.h>\nEND' "$1/hello.fa"
}

# compile_case KEY DIR FILE: from nothing, then from the cache.
compile_case()
{
    local k
    for ((k = 0; k < (runs + 1) / 2; k++)); do
        rm -rf "$work/cache"
        wall $rt "$luna" run -q -t 1 "$2/$3"
        sample $1.new "$seconds"
        wall $rt "$luna" run -q -t 1 "$2/$3"
        sample $1.cached "$seconds"
    done
}

compile_lines()
{
    local k
    mkdir -p "$work/lines"
    "$here/gen_lines.sh" $lines >"$work/lines/lines.fa"
    cp "$here/tasks.d/lines.c" "$work/lines"
    wall $rt "$luna" check "$work/lines/lines.fa" # its three functions in C are compiled once
    for ((k = 0; k < (runs + 1) / 2; k++)); do
        wall $rt "$luna" check "$work/lines/lines.fa"
        sample lines.check "$seconds"
    done
    compile_case lines "$work/lines" lines.fa
}

part_compile()
{
    write_hello "$work/hello_c" C
    write_hello "$work/hello_cpp" C++
    compile_case c "$work/hello_c" hello.fa
    compile_case cpp "$work/hello_cpp" hello.fa
    compile_lines
    [ $check = 0 ] || return 0
    printf '\nseconds                     from nothing  from the cache\n'
    printf '%-25s %14.3f  %14.3f\n' 'hello world in C' $(median c.new) $(median c.cached) \
        'hello world in C++' $(median cpp.new) $(median cpp.cached) \
        "$lines lines, run" $(median lines.new) $(median lines.cached)
    printf '%-25s %14.3f\n' "$lines lines, check" $(median lines.check)
    goal 'hello world in C, from nothing' "$(median c.new)" 1 s
    goal 'hello world in C++, from nothing' "$(median cpp.new)" 1 s
    goal 'hello world in C, from the cache' "$(median c.cached)" 0.05 s
    goal 'hello world in C++, from the cache' "$(median cpp.cached)" 0.05 s
    goal "luna check of $lines lines" "$(median lines.check)" 1 s
    goal "$lines lines compiled and run" "$(median lines.new)" 5 s
}
