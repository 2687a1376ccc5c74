check_PROGRAMS += tests/conform/test_solvers
TESTS += tests/conform/test_solvers
tests_conform_test_solvers_SOURCES = tests/conform/test_solvers.c tests/support/brick_wall.h \
	tests/support/random_problem.h
tests_conform_test_solvers_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc
tests_conform_test_solvers_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_steppers
TESTS += tests/conform/test_steppers
tests_conform_test_steppers_SOURCES = tests/conform/test_steppers.c tests/support/scene.c
tests_conform_test_steppers_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_bounded
TESTS += tests/conform/test_bounded
tests_conform_test_bounded_SOURCES = tests/conform/test_bounded.c tests/support/random_problem.h
tests_conform_test_bounded_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_friction
TESTS += tests/conform/test_friction
tests_conform_test_friction_SOURCES = tests/conform/test_friction.c \
	tests/support/random_friction.h tests/support/random_problem.h
tests_conform_test_friction_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc
tests_conform_test_friction_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_state_scenes
TESTS += tests/conform/test_state_scenes
tests_conform_test_state_scenes_SOURCES = tests/conform/test_state_scenes.c tests/support/scene.c
tests_conform_test_state_scenes_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/conform/test_life
TESTS += tests/conform/test_life
tests_conform_test_life_SOURCES = tests/conform/test_life.c tests/support/scene.c
tests_conform_test_life_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_production
TESTS += tests/conform/test_production
tests_conform_test_production_SOURCES = tests/conform/test_production.c tests/support/scene.c
tests_conform_test_production_LDADD = libcrew.a libcairn.a $(CMOCKA_LIBS) -lpthread -lm

check_PROGRAMS += tests/conform/test_sleep
TESTS += tests/conform/test_sleep
tests_conform_test_sleep_SOURCES = tests/conform/test_sleep.c tests/support/scene.c
tests_conform_test_sleep_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_pieces
TESTS += tests/conform/test_pieces
tests_conform_test_pieces_SOURCES = tests/conform/test_pieces.c tests/support/scene.c
tests_conform_test_pieces_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/conform/test_production_meshes
TESTS += tests/conform/test_production_meshes
tests_conform_test_production_meshes_SOURCES = tests/conform/test_production_meshes.c \
	tests/support/scene.c
tests_conform_test_production_meshes_LDADD = libcrew.a libcairn.a $(CMOCKA_LIBS) -lpthread -lm

check_PROGRAMS += tests/conform/test_mesh_edges
TESTS += tests/conform/test_mesh_edges
tests_conform_test_mesh_edges_SOURCES = tests/conform/test_mesh_edges.c tests/support/scene.c \
	tests/support/meshes.h
tests_conform_test_mesh_edges_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_mesh_rolls
TESTS += tests/conform/test_mesh_rolls
tests_conform_test_mesh_rolls_SOURCES = tests/conform/test_mesh_rolls.c tests/support/scene.c
tests_conform_test_mesh_rolls_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_rest_life
TESTS += tests/conform/test_rest_life
tests_conform_test_rest_life_SOURCES = tests/conform/test_rest_life.c tests/support/scene.c
tests_conform_test_rest_life_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_ends
TESTS += tests/conform/test_ends
tests_conform_test_ends_SOURCES = tests/conform/test_ends.c tests/support/near.h tests/support/scene.c
tests_conform_test_ends_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
