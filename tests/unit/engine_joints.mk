joint_solve_tests = tests/unit/engine/solve/test_impulse_joint \
	tests/unit/engine/world/test_joint_break
check_PROGRAMS += $(joint_solve_tests)
TESTS += $(joint_solve_tests)

tests_unit_engine_solve_test_impulse_joint_SOURCES = \
	tests/unit/engine/solve/test_impulse_joint.c tests/support/solve/joints.h \
	tests/support/near.h tests/support/solve/soft_joints.h
tests_unit_engine_solve_test_impulse_joint_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

joint_conform_tests = tests/conform/test_impulse_exact tests/conform/test_impulse_joints
check_PROGRAMS += $(joint_conform_tests)
TESTS += $(joint_conform_tests)

tests_conform_test_impulse_joints_SOURCES = tests/conform/test_impulse_joints.c \
	tests/support/solve/joints.h tests/support/near.h tests/support/solve/random_joints.h \
	tests/support/solve/soft_joints.h
tests_conform_test_impulse_joints_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_unit_engine_world_test_joint_break_SOURCES = tests/unit/engine/world/test_joint_break.c \
	tests/support/near.h tests/support/world/scene.c tests/support/world/scene.h
tests_unit_engine_world_test_joint_break_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

tests_conform_test_impulse_exact_SOURCES = tests/conform/test_impulse_exact.c \
	tests/support/near.h tests/support/world/scene.c tests/support/world/scene.h
tests_conform_test_impulse_exact_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

check_PROGRAMS += tests/scenario/test_chains
TESTS += tests/scenario/test_chains
tests_scenario_test_chains_SOURCES = tests/scenario/test_chains.c tests/support/world/scene.c \
	tests/support/world/scene.h
tests_scenario_test_chains_LDADD = libcairn.a $(CMOCKA_LIBS) -lm

if FUZZ
noinst_PROGRAMS += tests/fuzz/fuzz_joints
endif
tests_fuzz_fuzz_joints_SOURCES = tests/fuzz/engine/fuzz_joints.c tests/support/solve/joints.h \
	tests/support/solve/soft_joints.h
tests_fuzz_fuzz_joints_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
tests_fuzz_fuzz_joints_LDADD = libcairn.a -lm
