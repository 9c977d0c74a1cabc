# From the tree to C: plans of the programs in plan/, and the C they become.
luna_test(test_lower LIBS luna_lang)
