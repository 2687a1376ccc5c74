geometry_tests = tests/unit/engine/math/test_trig
check_PROGRAMS += $(geometry_tests)
TESTS += $(geometry_tests)

tests_unit_engine_math_test_trig_SOURCES = tests/unit/engine/math/test_trig.c tests/support/near.h
tests_unit_engine_math_test_trig_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
