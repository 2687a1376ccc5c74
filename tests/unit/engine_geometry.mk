geometry_tests = tests/unit/engine/math/test_trig tests/unit/engine/shape/test_shape
check_PROGRAMS += $(geometry_tests)
TESTS += $(geometry_tests)

tests_unit_engine_math_test_trig_SOURCES = tests/unit/engine/math/test_trig.c tests/support/near.h
tests_unit_engine_math_test_trig_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_shape_test_shape_SOURCES = tests/unit/engine/shape/test_shape.c tests/support/near.h
tests_unit_engine_shape_test_shape_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
