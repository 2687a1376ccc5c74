# Random scenes, checked against the laws of mechanics with every stepper and solver.
check_PROGRAMS += tests/laws/test_laws
TESTS += tests/laws/test_laws
tests_laws_test_laws_SOURCES = tests/laws/test_laws.c tests/laws/laws.h tests/laws/crew.c \
	tests/laws/crew.h tests/laws/families.c tests/laws/hold.c tests/laws/known.c \
	tests/laws/law_approach.c tests/laws/law_budget.c tests/laws/law_energy.c \
	tests/laws/law_forces.c tests/laws/law_image.c tests/laws/law_momentum.c tests/laws/run.c \
	tests/laws/scene.c tests/laws/scene_build.c tests/laws/scene_print.c
tests_laws_test_laws_LDADD = libcairn.a -lm
