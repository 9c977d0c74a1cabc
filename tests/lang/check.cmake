# The checks before the run, and all reports word for word.
luna_test(test_check LIBS luna_lang)
luna_test(test_golden LIBS luna_lang)
