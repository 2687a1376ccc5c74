# Laws that hold for any input, against loops over everything and answers known by hand.
law_tests = tests/unit/engine/world/test_command_laws \
	tests/unit/engine/problem/test_problem_laws tests/unit/engine/model/test_model_laws \
	tests/unit/engine/constraint/test_forces tests/unit/engine/collide/test_tree \
	tests/unit/engine/shape/test_shape_laws tests/unit/engine/solve/test_impulse_laws \
	tests/unit/engine/step/test_advance
check_PROGRAMS += $(law_tests)
TESTS += $(law_tests)

tests_unit_engine_collide_test_tree_SOURCES = tests/unit/engine/collide/test_tree.c
tests_unit_engine_collide_test_tree_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_solve_test_impulse_laws_SOURCES = \
	tests/unit/engine/solve/test_impulse_laws.c tests/support/solve/impulse_run.h
tests_unit_engine_solve_test_impulse_laws_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_step_test_advance_SOURCES = tests/unit/engine/step/test_advance.c \
	tests/support/near.h
tests_unit_engine_step_test_advance_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_shape_test_shape_laws_SOURCES = tests/unit/engine/shape/test_shape_laws.c \
	tests/support/near.h tests/support/collide/solids.h
tests_unit_engine_shape_test_shape_laws_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_constraint_test_forces_SOURCES = \
	tests/unit/engine/constraint/test_forces.c tests/support/near.h
tests_unit_engine_constraint_test_forces_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_problem_test_problem_laws_SOURCES = \
	tests/unit/engine/problem/test_problem_laws.c tests/support/near.h
tests_unit_engine_problem_test_problem_laws_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_model_test_model_laws_SOURCES = tests/unit/engine/model/test_model_laws.c \
	tests/support/near.h
tests_unit_engine_model_test_model_laws_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_world_test_command_laws_SOURCES = \
	tests/unit/engine/world/test_command_laws.c tests/support/near.h \
	tests/support/world/scene.c \
	tests/support/world/scene.h
tests_unit_engine_world_test_command_laws_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
