# Lexer, grammar, names.
luna_test(test_names LIBS luna_lang)
luna_test(test_parse LIBS luna_lang)
luna_test(test_resolve LIBS luna_lang)
luna_test(test_lang LIBS luna_lang)
