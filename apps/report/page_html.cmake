# page_html.cmake - cmake -DFROM=page.html -DTO=page_html.c -P page_html.cmake: a file as bytes in C.
file(READ ${FROM} bytes HEX)
string(REGEX REPLACE "(..)(..)(..)(..)(..)(..)(..)(..)" "0x\\1,0x\\2,0x\\3,0x\\4,0x\\5,0x\\6,0x\\7,0x\\8,\n"
       bytes "${bytes}")
string(REGEX REPLACE "\n([0-9a-f]*)$" "\nTAIL\\1" bytes "${bytes}")
string(REGEX MATCH "TAIL([0-9a-f]*)$" tail "${bytes}")
string(REGEX REPLACE "TAIL[0-9a-f]*$" "" bytes "${bytes}")
string(REGEX REPLACE "(..)" "0x\\1," tail "${CMAKE_MATCH_1}")
file(WRITE ${TO} "#include \"apps/report/page_html.h\"\n\nconst unsigned char page_html_text[] = {\n${bytes}${tail}0};\n")
