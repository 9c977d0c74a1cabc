# page_html.cmake - cmake -DFROM=page.html -DNAME=page_html_text -DTO=page_html.c -P page_html.cmake:
# a page as bytes in C, with style.css for @STYLE@ and base.js for @BASE@.
function(put mark from)
    get_filename_component(folder ${FROM} DIRECTORY)
    file(READ ${folder}/${from} text HEX)
    string(REPLACE ${mark} "${text}" whole "${bytes}")
    set(bytes "${whole}" PARENT_SCOPE)
endfunction()

file(READ ${FROM} bytes HEX)
put(405354594c4540 style.css)
put(404241534540 base.js)
string(REGEX REPLACE "(..)(..)(..)(..)(..)(..)(..)(..)" "0x\\1,0x\\2,0x\\3,0x\\4,0x\\5,0x\\6,0x\\7,0x\\8,\n"
       bytes "${bytes}")
string(REGEX REPLACE "\n([0-9a-f]*)$" "\nTAIL\\1" bytes "${bytes}")
string(REGEX MATCH "TAIL([0-9a-f]*)$" tail "${bytes}")
set(tail "${CMAKE_MATCH_1}")
string(REGEX REPLACE "TAIL[0-9a-f]*$" "" bytes "${bytes}")
string(REGEX REPLACE "(..)" "0x\\1," tail "${tail}")
file(WRITE ${TO} "#include \"apps/report/page_html.h\"\n\nconst unsigned char ${NAME}[] = {\n${bytes}${tail}0};\n")
