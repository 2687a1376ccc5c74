world_tests = tests/unit/engine/constraint/test_contact_rows \
	tests/unit/engine/constraint/test_contact_rows_space \
	tests/unit/engine/constraint/test_joint tests/unit/engine/curve/test_curve \
	tests/unit/engine/world/test_joint_make tests/unit/engine/constraint/test_force_joint \
	tests/unit/engine/world/test_command tests/unit/engine/world/test_view_joints \
	tests/unit/engine/world/test_view_asleep \
	tests/unit/engine/step/test_event tests/unit/engine/step/test_event_bounds \
	tests/unit/engine/step/test_sleep tests/unit/engine/step/test_springs \
	tests/unit/engine/step/test_time tests/unit/engine/step/test_drags \
	tests/unit/engine/step/test_energy \
	tests/unit/engine/step/test_march \
	tests/unit/engine/step/test_asleep \
	tests/unit/engine/world/test_room tests/conform/test_state tests/conform/test_joint_rows
check_PROGRAMS += $(world_tests)
TESTS += $(world_tests)
EXTRA_DIST += tests/support/world/blocks.h tests/support/solve/joints.h

tests_unit_engine_constraint_test_contact_rows_SOURCES = \
	tests/unit/engine/constraint/test_contact_rows.c
tests_unit_engine_constraint_test_contact_rows_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_constraint_test_joint_SOURCES = tests/unit/engine/constraint/test_joint.c
tests_unit_engine_constraint_test_joint_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_constraint_test_force_joint_SOURCES = \
	tests/unit/engine/constraint/test_force_joint.c
tests_unit_engine_constraint_test_force_joint_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_world_test_joint_make_SOURCES = \
	tests/unit/engine/world/test_joint_make.c tests/support/world/scene.c \
	tests/support/world/scene.h
tests_unit_engine_world_test_joint_make_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_curve_test_curve_SOURCES = tests/unit/engine/curve/test_curve.c
tests_unit_engine_curve_test_curve_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_world_test_view_joints_SOURCES = \
	tests/unit/engine/world/test_view_joints.c tests/support/world/scene.c \
	tests/support/world/scene.h
tests_unit_engine_world_test_view_joints_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_world_test_view_asleep_SOURCES = \
	tests/unit/engine/world/test_view_asleep.c tests/support/world/scene.c \
	tests/support/world/scene.h
tests_unit_engine_world_test_view_asleep_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_world_test_command_SOURCES = tests/unit/engine/world/test_command.c
tests_unit_engine_world_test_command_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_step_test_springs_SOURCES = \
	tests/unit/engine/step/test_springs.c tests/support/world/scene.c \
	tests/support/world/scene.h
tests_unit_engine_step_test_springs_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_step_test_energy_SOURCES = \
	tests/unit/engine/step/test_energy.c tests/support/world/scene.c tests/support/world/scene.h
tests_unit_engine_step_test_energy_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_step_test_drags_SOURCES = \
	tests/unit/engine/step/test_drags.c tests/support/world/scene.c tests/support/world/scene.h
tests_unit_engine_step_test_drags_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_step_test_march_SOURCES = tests/unit/engine/step/test_march.c \
	tests/support/world/island.h tests/support/near.h tests/support/world/scene.c \
	tests/support/world/scene.h
tests_unit_engine_step_test_march_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_step_test_time_SOURCES = \
	tests/unit/engine/step/test_time.c tests/support/world/scene.c tests/support/world/scene.h
tests_unit_engine_step_test_time_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_step_test_sleep_SOURCES = tests/unit/engine/step/test_sleep.c
tests_unit_engine_step_test_sleep_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_step_test_asleep_SOURCES = tests/unit/engine/step/test_asleep.c
tests_unit_engine_step_test_asleep_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_step_test_event_SOURCES = tests/unit/engine/step/test_event.c
tests_unit_engine_step_test_event_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_conform_test_state_SOURCES = tests/conform/test_state.c
tests_conform_test_state_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_conform_test_joint_rows_SOURCES = tests/conform/test_joint_rows.c
tests_conform_test_joint_rows_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_step_test_event_bounds_SOURCES = \
	tests/unit/engine/step/test_event_bounds.c tests/support/world/scene.c \
	tests/support/world/scene.h
tests_unit_engine_step_test_event_bounds_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_world_test_room_SOURCES = \
	tests/unit/engine/world/test_room.c tests/support/world/scene.c tests/support/world/scene.h
tests_unit_engine_world_test_room_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
tests_unit_engine_world_test_room_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=aligned_alloc

tests_unit_engine_constraint_test_contact_rows_space_SOURCES = \
	tests/unit/engine/constraint/test_contact_rows_space.c
tests_unit_engine_constraint_test_contact_rows_space_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/unit/engine/world/test_life
TESTS += tests/unit/engine/world/test_life
tests_unit_engine_world_test_life_SOURCES = \
	tests/unit/engine/world/test_life.c tests/support/world/scene.c tests/support/world/scene.h
tests_unit_engine_world_test_life_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/unit/engine/world/test_world_memory
TESTS += tests/unit/engine/world/test_world_memory
tests_unit_engine_world_test_world_memory_SOURCES = tests/unit/engine/world/test_world_memory.c \
	tests/support/world/heap.h tests/support/world/scene.c
tests_unit_engine_world_test_world_memory_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/unit/engine/step/test_pieces
TESTS += tests/unit/engine/step/test_pieces
tests_unit_engine_step_test_pieces_SOURCES = \
	tests/unit/engine/step/test_pieces.c tests/support/world/scene.c tests/support/world/scene.h
tests_unit_engine_step_test_pieces_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/unit/engine/step/test_batches
TESTS += tests/unit/engine/step/test_batches
tests_unit_engine_step_test_batches_SOURCES = tests/unit/engine/step/test_batches.c
tests_unit_engine_step_test_batches_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/unit/engine/world/test_attributes
TESTS += tests/unit/engine/world/test_attributes
tests_unit_engine_world_test_attributes_SOURCES = tests/unit/engine/world/test_attributes.c
tests_unit_engine_world_test_attributes_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

# Events of contacts.
check_PROGRAMS += tests/unit/engine/world/test_contact_events
TESTS += tests/unit/engine/world/test_contact_events
tests_unit_engine_world_test_contact_events_SOURCES = \
	tests/unit/engine/world/test_contact_events.c tests/support/world/methods.h \
	tests/support/world/scene.c tests/support/world/scene.h
tests_unit_engine_world_test_contact_events_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

# One-way shapes.
check_PROGRAMS += tests/unit/engine/world/test_one_way
TESTS += tests/unit/engine/world/test_one_way
tests_unit_engine_world_test_one_way_SOURCES = \
	tests/unit/engine/world/test_one_way.c tests/support/world/methods.h \
	tests/support/world/scene.c tests/support/world/scene.h
tests_unit_engine_world_test_one_way_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

# Pairs of materials.
check_PROGRAMS += tests/unit/engine/world/test_material_pairs
TESTS += tests/unit/engine/world/test_material_pairs
tests_unit_engine_world_test_material_pairs_SOURCES = \
	tests/unit/engine/world/test_material_pairs.c tests/support/world/methods.h \
	tests/support/world/scene.c tests/support/world/scene.h
tests_unit_engine_world_test_material_pairs_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

# Bodies that move to a pose.
check_PROGRAMS += tests/unit/engine/world/test_move
TESTS += tests/unit/engine/world/test_move
tests_unit_engine_world_test_move_SOURCES = tests/unit/engine/world/test_move.c \
	tests/support/world/methods.h tests/support/world/scene.c tests/support/world/scene.h
tests_unit_engine_world_test_move_LDADD = libcairn.a $(CMOCKA_LIBS) -lm
