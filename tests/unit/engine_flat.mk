flat_tests = tests/unit/engine/collide/test_fast_planar \
	tests/unit/engine/collide/test_fast_planar_border \
	tests/unit/engine/collide/test_fast_planar_laws
check_PROGRAMS += $(flat_tests)
TESTS += $(flat_tests)

tests_unit_engine_collide_test_fast_planar_SOURCES = \
	tests/unit/engine/collide/test_fast_planar.c tests/support/collide/flat.h \
	tests/support/near.h \
	tests/support/collide/shapes.h
tests_unit_engine_collide_test_fast_planar_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_collide_test_fast_planar_laws_SOURCES = \
	tests/unit/engine/collide/test_fast_planar_laws.c tests/support/collide/flat.h \
	tests/support/near.h tests/support/collide/shapes.h
tests_unit_engine_collide_test_fast_planar_laws_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_collide_test_fast_planar_border_SOURCES = \
	tests/unit/engine/collide/test_fast_planar_border.c tests/support/collide/flat.h \
	tests/support/near.h tests/support/collide/shapes.h
tests_unit_engine_collide_test_fast_planar_border_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
