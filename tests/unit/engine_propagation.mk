propagation_tests = tests/unit/engine/solve/test_guendelman03 \
	tests/unit/engine/collide/test_sampling \
	tests/unit/engine/step/test_contact_graph
check_PROGRAMS += $(propagation_tests)
TESTS += $(propagation_tests)
tests_unit_engine_solve_test_guendelman03_SOURCES = tests/unit/engine/solve/test_guendelman03.c
tests_unit_engine_solve_test_guendelman03_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_step_test_contact_graph_SOURCES = tests/unit/engine/step/test_contact_graph.c
tests_unit_engine_step_test_contact_graph_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_collide_test_sampling_SOURCES = tests/unit/engine/collide/test_sampling.c \
	tests/support/mesh/hand_field.h
tests_unit_engine_collide_test_sampling_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/unit/engine/step/test_propagation
TESTS += tests/unit/engine/step/test_propagation
tests_unit_engine_step_test_propagation_SOURCES = tests/unit/engine/step/test_propagation.c \
	tests/support/world/scene.c
tests_unit_engine_step_test_propagation_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
