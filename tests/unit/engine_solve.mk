solve_tests = tests/unit/engine/solve/test_baraff94
check_PROGRAMS += $(solve_tests)
TESTS += $(solve_tests)

tests_unit_engine_solve_test_baraff94_SOURCES = tests/unit/engine/solve/test_baraff94.c tests/support/near.h
tests_unit_engine_solve_test_baraff94_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
