check_PROGRAMS += tests/conform/test_hyperstatic
TESTS += tests/conform/test_hyperstatic
tests_conform_test_hyperstatic_SOURCES = tests/conform/test_hyperstatic.c \
	tests/support/solve/random_problem.h
tests_conform_test_hyperstatic_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/conform/test_solvers
TESTS += tests/conform/test_solvers
tests_conform_test_solvers_SOURCES = tests/conform/test_solvers.c tests/support/solve/brick_wall.h \
	tests/support/solve/random_problem.h
tests_conform_test_solvers_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc
tests_conform_test_solvers_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_steppers
TESTS += tests/conform/test_steppers
tests_conform_test_steppers_SOURCES = tests/conform/test_steppers.c tests/support/world/scene.c
tests_conform_test_steppers_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_bounded
TESTS += tests/conform/test_bounded
tests_conform_test_bounded_SOURCES = tests/conform/test_bounded.c \
	tests/support/solve/random_problem.h
tests_conform_test_bounded_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_friction
TESTS += tests/conform/test_friction
tests_conform_test_friction_SOURCES = tests/conform/test_friction.c \
	tests/support/solve/random_friction.h tests/support/solve/random_problem.h
tests_conform_test_friction_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc
tests_conform_test_friction_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_fields
TESTS += tests/conform/test_fields
tests_conform_test_fields_SOURCES = tests/conform/test_fields.c
tests_conform_test_fields_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_state_scenes
TESTS += tests/conform/test_state_scenes
tests_conform_test_state_scenes_SOURCES = tests/conform/test_state_scenes.c \
	tests/support/world/scene.c
tests_conform_test_state_scenes_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/conform/test_life
TESTS += tests/conform/test_life
tests_conform_test_life_SOURCES = tests/conform/test_life.c tests/support/world/scene.c
tests_conform_test_life_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_persist
TESTS += tests/conform/test_persist
tests_conform_test_persist_SOURCES = tests/conform/test_persist.c tests/support/world/scene.c
tests_conform_test_persist_LDADD = libcrew.a libcairn.a $(CMOCKA_LIBS) -lpthread -lm

check_PROGRAMS += tests/conform/test_production
TESTS += tests/conform/test_production
tests_conform_test_production_SOURCES = tests/conform/test_production.c \
	tests/support/world/scene.c \
	tests/support/world/hash_run.h
tests_conform_test_production_LDADD = libcrew.a libcairn.a $(CMOCKA_LIBS) -lpthread -lm

check_PROGRAMS += tests/conform/test_sleep
TESTS += tests/conform/test_sleep
tests_conform_test_sleep_SOURCES = tests/conform/test_sleep.c tests/support/world/scene.c
tests_conform_test_sleep_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_pieces
TESTS += tests/conform/test_pieces
tests_conform_test_pieces_SOURCES = tests/conform/test_pieces.c tests/support/world/scene.c
tests_conform_test_pieces_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
check_PROGRAMS += tests/conform/test_production_meshes
TESTS += tests/conform/test_production_meshes
tests_conform_test_production_meshes_SOURCES = tests/conform/test_production_meshes.c \
	tests/support/world/scene.c tests/support/world/hash_run.h
tests_conform_test_production_meshes_LDADD = libcrew.a libcairn.a $(CMOCKA_LIBS) -lpthread -lm

check_PROGRAMS += tests/conform/test_mesh_edges
TESTS += tests/conform/test_mesh_edges
tests_conform_test_mesh_edges_SOURCES = tests/conform/test_mesh_edges.c \
	tests/support/world/scene.c \
	tests/support/mesh/meshes.h
tests_conform_test_mesh_edges_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_mesh_depth
TESTS += tests/conform/test_mesh_depth
tests_conform_test_mesh_depth_SOURCES = tests/conform/test_mesh_depth.c \
	tests/support/world/scene.c \
	tests/support/world/hash_run.h
tests_conform_test_mesh_depth_LDADD = libcrew.a libcairn.a $(CMOCKA_LIBS) -lpthread -lm

check_PROGRAMS += tests/conform/test_mesh_rolls
TESTS += tests/conform/test_mesh_rolls
tests_conform_test_mesh_rolls_SOURCES = tests/conform/test_mesh_rolls.c tests/support/world/scene.c
tests_conform_test_mesh_rolls_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_rest_life
TESTS += tests/conform/test_rest_life
tests_conform_test_rest_life_SOURCES = tests/conform/test_rest_life.c tests/support/world/scene.c
tests_conform_test_rest_life_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_ends
TESTS += tests/conform/test_ends
tests_conform_test_ends_SOURCES = tests/conform/test_ends.c tests/support/near.h \
	tests/support/world/scene.c
tests_conform_test_ends_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_portable
TESTS += tests/conform/test_portable
tests_conform_test_portable_SOURCES = tests/conform/test_portable.c tests/support/world/scene.c \
	tests/support/world/scene_life.h
tests_conform_test_portable_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_slices
TESTS += tests/conform/test_slices
tests_conform_test_slices_SOURCES = tests/conform/test_slices.c tests/support/world/heap.h \
	tests/support/world/scene.c
tests_conform_test_slices_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

# Steppers, solvers and the floors below them again, with a call in every basic block.
check_LIBRARIES += tests/support/libblockcount.a
tests_support_libblockcount_a_SOURCES = tests/support/block_count.c tests/support/block_count.h
check_PROGRAMS += tests/conform/test_slice_work
TESTS += tests/conform/test_slice_work
tests_conform_test_slice_work_SOURCES = tests/conform/test_slice_work.c \
	tests/support/solve/brick_wall.h tests/support/world/heap.h tests/support/world/scene.c \
	engine/linalg/active_set.c engine/linalg/envelope.c engine/linalg/least.c \
	engine/linalg/lemke.c engine/linalg/lu.c engine/linalg/pseudo_inverse.c \
	engine/linalg/simplex.c engine/linalg/simplex_dictionary.c engine/linalg/sparse_lu.c \
	engine/linalg/sparse_order.c engine/problem/contact_problem.c engine/problem/delassus.c \
	engine/problem/islands.c engine/problem/matrix_problem.c engine/solve/matrix/baraff89.c \
	engine/solve/matrix/baraff94.c engine/solve/matrix/baraff94_friction.c engine/solve/matrix/bounded.c \
	engine/solve/matrix/dantzig.c engine/solve/matrix/faure96.c engine/solve/matrix/faure96_round.c \
	engine/solve/matrix/faure96_sweep.c engine/solve/matrix/friction_contact.c engine/solve/matrix/friction_frame.c \
	engine/solve/matrix/friction_map.c engine/solve/matrix/friction_slide.c \
	engine/solve/matrix/friction_newton.c engine/solve/matrix/friction_pivot.c engine/solve/matrix/gauss.c \
	engine/solve/propagation/guendelman03.c engine/solve/propagation/guendelman03_strike.c engine/solve/matrix_solver.c engine/solve/matrix/minimum_norm.c \
	engine/solve/friction/newton.c engine/solve/friction/newton_system.c engine/solve/friction/newton_rows.c \
	engine/solve/friction/newton_bodies.c \
	engine/solve/matrix/restraint.c engine/solve/solver.c engine/solve/table/matrix_adapter.c \
	engine/solve/table/solver_table.c engine/step/advance.c \
	engine/step/answer.c engine/step/propagation/contact_graph.c engine/step/event/event.c engine/step/event/event_bounds.c \
	engine/step/event/event_drift.c \
	engine/step/event/event_friction.c engine/step/event/event_impact.c engine/step/event/event_integrate.c \
	engine/step/event/event_rates.c engine/step/event/event_restitution.c engine/step/event/event_rows.c \
	engine/step/event/event_scratch.c engine/step/event/event_search.c \
	engine/step/event/event_slip.c engine/step/event/event_solve.c engine/step/march/march.c \
	engine/step/march/march_rows.c engine/step/march/march_scratch.c \
	engine/step/march/march_view.c engine/step/memory.c engine/step/pairs.c engine/step/march/position.c \
	engine/step/propagation/propagation.c engine/step/propagation/propagation_collide.c engine/step/propagation/propagation_contact.c \
	engine/step/propagation/propagation_energy.c engine/step/propagation/propagation_find.c \
	engine/step/propagation/propagation_joint.c engine/step/propagation/propagation_levels.c engine/step/propagation/propagation_part.c \
	engine/step/propagation/propagation_scratch.c engine/step/propagation/propagation_show.c \
	engine/step/stepper_table.c engine/step/march/time.c engine/collide/broad/broadphase.c
tests_conform_test_slice_work_CFLAGS = $(AM_CFLAGS) -fsanitize-coverage=trace-pc
tests_conform_test_slice_work_LDADD = tests/support/libblockcount.a libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_hostile
TESTS += tests/conform/test_hostile
tests_conform_test_hostile_SOURCES = tests/conform/test_hostile.c \
	tests/support/solve/random_friction.h tests/support/solve/random_problem.h
tests_conform_test_hostile_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_spin
TESTS += tests/conform/test_spin
tests_conform_test_spin_SOURCES = tests/conform/test_spin.c tests/support/world/scene.c
tests_conform_test_spin_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_event_energy
TESTS += tests/conform/test_event_energy
tests_conform_test_event_energy_SOURCES = tests/conform/test_event_energy.c \
	tests/support/world/scene.c
tests_conform_test_event_energy_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_impacts
TESTS += tests/conform/test_impacts
tests_conform_test_impacts_SOURCES = tests/conform/test_impacts.c tests/support/world/scene.c
tests_conform_test_impacts_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/conform/test_batches
TESTS += tests/conform/test_batches
tests_conform_test_batches_SOURCES = tests/conform/test_batches.c \
	tests/support/world/scene.c tests/support/world/hash_run.h
tests_conform_test_batches_LDADD = libcrew.a libcairn.a $(CMOCKA_LIBS) -lpthread -lm

check_PROGRAMS += tests/conform/test_ball_turn
TESTS += tests/conform/test_ball_turn
tests_conform_test_ball_turn_SOURCES = tests/conform/test_ball_turn.c tests/support/world/scene.c
tests_conform_test_ball_turn_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
