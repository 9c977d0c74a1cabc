# The front of the compiler: places, reports, the preprocessor.
luna_test(test_source LIBS luna_lang)
luna_test(test_near LIBS luna_lang)
luna_test(test_diag LIBS luna_lang)
luna_test(test_verdict LIBS luna_lang)
luna_test(test_prep LIBS luna_lang)
