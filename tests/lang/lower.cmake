# From the tree to C: plans of the programs in plan/, and the C they become.
luna_test(test_lower LIBS luna_lang)
# What the emitted C calls is found in the program that opens it.
luna_test(test_emit LIBS luna_lang luna_runtime m ${CMAKE_DL_LIBS})
target_link_options(test_emit PRIVATE -rdynamic)
